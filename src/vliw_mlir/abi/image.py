"""The flat memory image a kernel runs on: header, data, slack, spill area."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vliw_mlir.abi.interface import SLACK_WORDS, Argument, Interface
from vliw_mlir.errors import CompileError
from vliw_mlir.semantics import WORD_BITS, WORD_MASK, Words


@dataclass(frozen=True)
class MemoryImage:
    """A kernel's memory and where its arguments and results lie in it."""

    interface: Interface
    memory: Words
    """All words, uint32."""
    bases: tuple[int | None, ...]
    """Word address of each array argument, None for scalars."""
    sizes: tuple[int, ...]
    """Words of each argument, 1 for scalars."""
    result_bases: tuple[int | None, ...]
    """Word address of each tensor result, None for scalars."""

    def array(self, number: int) -> Words:
        """The words of argument `number`, a view. Only for arrays."""
        base = self.bases[number]
        assert base is not None
        return self.memory[base : base + self.sizes[number]]

    def outputs(self) -> list[NDArray[np.uint32] | None]:
        """A copy of each array argument as it is now, None for scalars."""
        return [
            self.array(number).copy() if argument.is_array else None
            for number, argument in enumerate(self.interface.arguments)
        ]

    def results(self) -> list[int | NDArray[np.uint32]]:
        """Each result as it is now: an int, or a copy of the tensor's words (flat)."""
        values: list[int | NDArray[np.uint32]] = []
        for slot, base, result in zip(
            self.interface.result_slots, self.result_bases, self.interface.results, strict=True
        ):
            if base is None:
                values.append(int(self.memory[slot]))
            else:
                values.append(self.memory[base : base + result.size].copy())
        return values


def build_image(interface: Interface, values: Sequence[int | ArrayLike]) -> MemoryImage:
    """Lay out a memory image for `values`, one per argument: ints or flat/shaped arrays.

    Raises `CompileError` for a wrong count, size or range of values, for a violated fact,
    and for arrays that do not fit beside each other or below the spill area.
    """
    arguments = interface.arguments
    if len(values) != len(arguments):
        raise CompileError(
            f"kernel '{interface.kernel}' takes {len(arguments)} arguments, {len(values)} given"
        )
    words = [_to_words(n, a, v) for n, (a, v) in enumerate(zip(arguments, values, strict=True))]
    sizes = tuple(len(w) for w in words)

    next_free = interface.header_words
    bases: list[int | None] = []
    for argument, size in zip(arguments, sizes, strict=True):
        if not argument.is_array:
            bases.append(None)
        elif argument.address is not None:
            bases.append(argument.address)
        else:
            bases.append(next_free)
            next_free += size
    result_bases: list[int | None] = []
    for result in interface.results:
        result_bases.append(next_free if result.is_array else None)
        next_free += result.size if result.is_array else 0
    _check_fixed(interface, sizes, next_free)

    end = interface.data_end(sizes)
    total = end + SLACK_WORDS
    if interface.spill is not None:
        if interface.spill.address < end:
            raise CompileError(
                f"the data of kernel '{interface.kernel}' end at word {end}, beyond the start of "
                f"its spill area at word {interface.spill.address}"
            )
        total = max(total, interface.spill.address + interface.spill.words)
    memory = _allocate(interface, total)
    for slot, base, data in zip(interface.header_slots, bases, words, strict=True):
        if base is None:
            assert slot is not None
            memory[slot] = data[0]
        else:
            if slot is not None:
                memory[slot] = base
            memory[base : base + len(data)] = data
    for slot, base in zip(interface.result_slots, result_bases, strict=True):
        if base is not None:
            memory[slot] = base
    return MemoryImage(interface, memory, tuple(bases), sizes, tuple(result_bases))


def _allocate(interface: Interface, words: int) -> Words:
    if words > 1 << WORD_BITS:
        raise CompileError(
            f"kernel '{interface.kernel}' takes {words} words of memory, more than "
            f"{1 << WORD_BITS} addresses can tell apart"
        )
    try:
        return np.zeros(words, dtype=np.uint32)
    except MemoryError as e:
        raise CompileError(
            f"there is no room for the {words} words of memory of kernel '{interface.kernel}'"
        ) from e


def _to_words(number: int, argument: Argument, value: int | ArrayLike) -> Words:
    """The words of one argument, checked against its type and its facts."""
    what = f"argument {number}"
    try:
        array = np.asarray(value)
        if array.size == 0:
            array = array.astype(np.uint32)
        if array.dtype.kind not in "iub" and not (
            array.dtype == object and all(isinstance(x, int) for x in array.flat)
        ):
            raise TypeError
    except (TypeError, ValueError) as e:
        raise CompileError(f"{what}: values must be integers") from e
    if argument.is_array != (array.ndim > 0):
        expected = "an array" if argument.is_array else "one integer"
        raise CompileError(f"{what}: expected {expected}")
    _check_shape(what, argument, array.shape)
    array = array.reshape(-1)
    _check_size(what, argument, len(array))

    limit = 1 << argument.width
    if array.size:
        low, high = int(array.min()), int(array.max())
        if low < -(limit >> 1) or high >= limit:
            bad = low if low < -(limit >> 1) else high
            raise CompileError(f"{what}: {bad} does not fit in {argument.width} bits")
    # Negative values mean their two's complement; narrow ones are kept zero-extended.
    array = array.astype(np.int64) & (limit - 1)
    _check_facts(what, argument, array)
    return array.astype(np.uint32)


def _check_shape(what: str, argument: Argument, given: tuple[int, ...]) -> None:
    """Arrays may be flat, or else have the shape of the argument."""
    if len(given) <= 1:
        return
    fits = len(given) == len(argument.shape) and all(
        size in (None, have) for size, have in zip(argument.shape, given, strict=True)
    )
    if not fits:
        shape = "x".join("?" if size is None else str(size) for size in argument.shape)
        raise CompileError(f"{what}: expected shape {shape}, {'x'.join(map(str, given))} given")


def _check_size(what: str, argument: Argument, given: int) -> None:
    if not argument.is_array:
        return
    size = argument.size
    if size is not None and given != size:
        raise CompileError(f"{what}: expected {size} words, {given} given")
    if size is None:
        known = 1
        for dim in argument.shape:
            known *= 1 if dim is None else dim
        if known == 0 or given % known:
            raise CompileError(f"{what}: {given} words do not fill rows of {known} words")


def _check_facts(what: str, argument: Argument, words: NDArray[np.int64]) -> None:
    if argument.value is not None and int(words[0]) != argument.value & WORD_MASK:
        raise CompileError(
            f"{what}: declared fact violated: vliw.value = {argument.value & WORD_MASK}, "
            f"the data have {int(words[0])}"
        )
    if argument.range is not None and words.size:
        low, high = (bound & WORD_MASK for bound in argument.range)
        bad = np.flatnonzero((words < low) | (words > high))
        if bad.size:
            place = f" at element {int(bad[0])}" if argument.is_array else ""
            raise CompileError(
                f"{what}: declared fact violated: vliw.range = {low}..{high}, "
                f"the data have {int(words[bad[0]])}{place}"
            )


def _check_fixed(interface: Interface, sizes: tuple[int, ...], movable_end: int) -> None:
    """Arrays at fixed addresses overlap neither each other nor the rest."""
    spans = [(0, movable_end, "the header and data of the other arguments")]
    for number, (argument, size) in enumerate(zip(interface.arguments, sizes, strict=True)):
        if argument.address is None:
            continue
        for start, end, name in spans:
            if argument.address < end and start < argument.address + size:
                raise CompileError(
                    f"argument {number} at the fixed address {argument.address} overlaps {name}"
                )
        spans.append((argument.address, argument.address + size, f"argument {number}"))
