"""The interface of a kernel: its arguments, results, declared facts and spill area.

Pure data, no IR: made from a function by the dialects, kept in a program file, used by
the loader, the interpreters and the simulator alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, cast

from vliw_mlir.errors import CompileError
from vliw_mlir.semantics import WORD_BITS, WORD_MASK

SLACK_WORDS = 64
"""Readable words after the last array, so that a vector load near its end stays in range."""

LEAST_WORD = -(1 << (WORD_BITS - 1))
"""The least integer that may stand for a word, as its two's complement."""

DYNAMIC_SPILL_ADDRESS = 1 << 20
"""Where the spill area starts when the size of the data is known only to the loader.

The program must know the address, so it is fixed beyond any data expected; the loader
refuses data that reaches it.
"""


@dataclass(frozen=True)
class Argument:
    """One argument: an `i32`-like scalar, a memref or a tensor of such."""

    kind: str
    """`scalar`, `memref` or `tensor`."""
    width: int = 32
    """Bits of a scalar or an element; each lives in a word of its own, zero-extended."""
    shape: tuple[int | None, ...] = ()
    """Sizes of the dimensions, None where known only at run time. Empty for scalars."""
    value: int | None = None
    """Declared fact: the scalar always has this value."""
    range: tuple[int, int] | None = None
    """Declared fact: the scalar, or every element on entry, lies in lo..hi (unsigned)."""
    address: int | None = None
    """Declared fact: the memref lives at this word address and has no header word."""

    @property
    def size(self) -> int | None:
        """Words of the array, 1 for a scalar, None when known only at run time."""
        if any(d is None for d in self.shape):
            return None
        return prod(cast(tuple[int, ...], self.shape))

    @property
    def is_array(self) -> bool:
        return self.kind != "scalar"


@dataclass(frozen=True)
class Result:
    """One result: a word, or a tensor with an area of its own."""

    kind: str
    """`scalar` or `tensor`."""
    width: int = 32
    shape: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Words of the tensor, 1 for a scalar."""
        return prod(self.shape)

    @property
    def is_array(self) -> bool:
        return self.kind != "scalar"


@dataclass(frozen=True)
class SpillArea:
    """Memory of the program's own after the data: spilled values and local arrays."""

    address: int
    words: int


@dataclass(frozen=True)
class Interface:
    """Everything a loader must know to run a kernel."""

    kernel: str
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    spill: SpillArea | None = None

    @cached_property
    def header_slots(self) -> tuple[int | None, ...]:
        """Address of each argument's header word; None for one at a fixed address."""
        slots: list[int | None] = []
        count = 0
        for argument in self.arguments:
            fixed = argument.address is not None
            slots.append(None if fixed else count)
            count += not fixed
        return tuple(slots)

    @cached_property
    def result_slots(self) -> tuple[int, ...]:
        """Address of each result's header word."""
        first = sum(slot is not None for slot in self.header_slots)
        return tuple(range(first, first + len(self.results)))

    @property
    def header_words(self) -> int:
        return sum(slot is not None for slot in self.header_slots) + len(self.results)

    @property
    def is_static(self) -> bool:
        """Whether the size of every array is known without the data."""
        return all(argument.size is not None for argument in self.arguments)

    def data_end(self, sizes: tuple[int, ...] | None = None) -> int:
        """First word address after all data.

        `sizes` gives the words of each argument; it may be left out when all are static.
        """
        end = self.header_words
        fixed_end = 0
        for number, argument in enumerate(self.arguments):
            if not argument.is_array:
                continue
            size = argument.size if sizes is None else sizes[number]
            assert size is not None
            if argument.address is not None:
                fixed_end = max(fixed_end, argument.address + size)
            else:
                end += size
        end += sum(result.size for result in self.results if result.is_array)
        return max(end, fixed_end)

    def spill_address(self) -> int:
        """Where the program's own memory starts."""
        return self.data_end() + SLACK_WORDS if self.is_static else DYNAMIC_SPILL_ADDRESS

    def with_spill(self, words: int) -> Interface:
        """This interface with a spill area of `words` words (none for 0)."""
        return replace(self, spill=SpillArea(self.spill_address(), words) if words else None)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for the program file; `from_dict` reads it back."""

        def argument(a: Argument) -> dict[str, Any]:
            out: dict[str, Any] = {"kind": a.kind, "width": a.width}
            if a.is_array:
                out["shape"] = list(a.shape)
            if a.value is not None:
                out["value"] = a.value
            if a.range is not None:
                out["range"] = list(a.range)
            if a.address is not None:
                out["address"] = a.address
            return out

        def result(r: Result) -> dict[str, Any]:
            out: dict[str, Any] = {"kind": r.kind, "width": r.width}
            if r.is_array:
                out["shape"] = list(r.shape)
            return out

        return {
            "kernel": self.kernel,
            "args": [argument(a) for a in self.arguments],
            "results": [result(r) for r in self.results],
            "spill": {"address": self.spill.address, "words": self.spill.words}
            if self.spill
            else None,
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Interface:
        """Read what `to_dict` wrote. Raises `CompileError` when it is not that."""
        try:
            kernel, spill = data["kernel"], data["spill"]
            if not isinstance(kernel, str):
                raise ValueError(f"'kernel' must be a string, not {kernel!r}")
            return Interface(
                kernel,
                tuple(_argument(a) for a in data["args"]),
                tuple(_result(r) for r in data["results"]),
                None
                if spill is None
                else SpillArea(_integer(spill["address"]), _integer(spill["words"])),
            )
        except KeyError as e:
            raise CompileError(f"malformed 'abi' in program file: {e} is missing") from e
        except (TypeError, ValueError, AttributeError) as e:
            raise CompileError(f"malformed 'abi' in program file: {e}") from e


def _argument(data: Mapping[str, Any]) -> Argument:
    kind = _kind(data, ("scalar", "memref", "tensor"))
    shape = tuple(None if d is None else _integer(d) for d in _shape(data, kind))
    value, bounds, address = data.get("value"), data.get("range"), data.get("address")
    if bounds is not None:
        low, high = bounds
        bounds = (_integer(low, LEAST_WORD), _integer(high, LEAST_WORD))
    return Argument(
        kind,
        _integer(data["width"], 1, WORD_BITS),
        shape,
        None if value is None else _integer(value, LEAST_WORD),
        bounds,
        None if address is None else _integer(address),
    )


def _result(data: Mapping[str, Any]) -> Result:
    kind = _kind(data, ("scalar", "tensor"))
    shape = tuple(_integer(d) for d in _shape(data, kind))
    return Result(kind, _integer(data["width"], 1, WORD_BITS), shape)


def _kind(data: Mapping[str, Any], known: Sequence[str]) -> str:
    if data["kind"] not in known:
        raise ValueError(f"{data['kind']!r} is not one of the kinds {', '.join(known)}")
    return data["kind"]


def _shape(data: Mapping[str, Any], kind: str) -> Sequence[Any]:
    return () if kind == "scalar" else data["shape"]


def _integer(value: Any, least: int = 0, greatest: int = WORD_MASK) -> int:
    if type(value) is not int or not least <= value <= greatest:
        raise ValueError(f"{value!r} is not an integer in {least}..{greatest}")
    return value
