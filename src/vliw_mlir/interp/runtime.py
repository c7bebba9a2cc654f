"""What generated code calls: loops over words, accesses of several words, tensor accesses.

Memory is a list of ints. Words that are subscripts or addresses are unsigned, so an index
below zero shows as one far beyond the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, repeat
from operator import length_hint
from sys import maxsize

import numpy as np
from numpy.typing import NDArray

from vliw_mlir.errors import LimitError, TrapError
from vliw_mlir.semantics import SIGN_BIT, WORD_MASK, WordFunction, Words, to_signed

Memory = list[int]
"""All words, ints in [0, 2**32)."""


class Steps:
    """Counts loop iterations and branches; generated loops draw from `ticks`.

    Drawing from an iterator costs a loop nothing that it does not pay anyway.
    """

    ticks: Iterator[None]

    def __init__(self, limit: int | None):
        self._limit = maxsize if limit is None else limit
        self._left = repeat(None, self._limit)
        self.ticks = chain(self._left, self._stop())

    def _stop(self) -> Iterator[None]:
        raise LimitError(f"more than {self._limit} steps (loop iterations and branches)")
        yield

    @property
    def taken(self) -> int:
        """How many steps were drawn."""
        return self._limit - length_hint(self._left)


def counted(first: int, end: int, step: int) -> Iterable[int]:
    """The values of an induction variable: compared signed, advanced modulo 2**32."""
    low, high = to_signed(first), to_signed(end)
    if low >= high:
        return ()
    if low >= 0 and step > 0 and high - 1 + step < SIGN_BIT:
        return range(low, high, step)
    return _counted_around(first, high, step)


def _counted_around(word: int, high: int, step: int) -> Iterator[int]:
    while to_signed(word) < high:
        yield word
        word = (word + step) & WORD_MASK


def load_words(memory: Memory, address: int, count: int) -> Words:
    """`count` consecutive words."""
    _check_span(memory, address, count)
    return np.array(memory[address : address + count], np.uint32)


def store_words(memory: Memory, address: int, words: Words) -> None:
    """Consecutive words."""
    _check_span(memory, address, len(words))
    memory[address : address + len(words)] = words.tolist()


def _check_span(memory: Memory, address: int, count: int) -> None:
    if address + count > len(memory):
        raise TrapError(out_of_memory(memory, max(address, len(memory))))


def gather_words(memory: Memory, addresses: Words) -> Words:
    """The word at each address."""
    _check_addresses(memory, addresses)
    return np.array([memory[address] for address in addresses.tolist()], np.uint32)


def scatter_words(memory: Memory, addresses: Words, words: Words) -> None:
    """Store each word at its address, the last lane last."""
    _check_addresses(memory, addresses)
    for address, word in zip(addresses.tolist(), words.tolist(), strict=True):
        memory[address] = word


def _check_addresses(memory: Memory, addresses: Words) -> None:
    beyond = addresses[addresses >= len(memory)]
    if beyond.size:
        raise TrapError(out_of_memory(memory, int(beyond[0])))


def out_of_memory(memory: Memory, address: int) -> str:
    """The message for an access beyond the memory."""
    return f"word {address} is outside the memory of {len(memory)} words"


def reduce_words(function: WordFunction, source: Words, init: Words, dims: Sequence[int]) -> Words:
    """Combine along `dims`, starting from `init`; `function` must be associative."""
    kept = [size for dim, size in enumerate(source.shape) if dim not in dims]
    count = int(np.prod([source.shape[dim] for dim in dims], dtype=np.int64))
    rows = np.moveaxis(source, dims, range(len(dims))).reshape(count, *kept)
    while len(rows) > 1:
        half = len(rows) // 2
        combined = function.array(rows[:half], rows[half : 2 * half])
        rows = np.concatenate([combined, rows[2 * half :]])
    return np.asarray(function.array(init, rows[0])) if count else init


def gather_elements(source: Words, shape: tuple[int, ...], *indices: Words) -> Words:
    """A tensor of `shape` with the elements of `source` at `indices`, one per dimension."""
    return source.reshape(-1)[_positions(source, shape, indices)]


def scatter_elements(values: Words, dest: Words, *indices: Words) -> Words:
    """`dest` with `values` at `indices`, the last in row-major order last."""
    result = np.array(dest, order="C")
    # Only over one dimension does numpy promise the order of the assignments.
    result.reshape(-1)[_positions(dest, values.shape, indices).reshape(-1)] = values.reshape(-1)
    return result


def _positions(tensor: Words, shape: tuple[int, ...], indices: Sequence[Words]) -> NDArray[np.intp]:
    """The row-major positions of elements of `tensor`."""
    positions = np.zeros(shape, np.intp)
    for dim, (size, index) in enumerate(zip(tensor.shape, indices, strict=True)):
        _check_index(index, dim, size)
        positions = positions * size + index.astype(np.intp)
    return positions


def insert_element(element: int, dest: Words, *indices: int) -> Words:
    """`dest` with one element replaced."""
    result = np.array(dest)
    result[indices] = element
    return result


def concat(parts: Sequence[int | Words]) -> Words:
    """Words and vectors one after the other."""
    return np.concatenate([np.atleast_1d(np.asarray(part, np.uint32)) for part in parts])


def extract_slice(
    source: Words, shape: tuple[int, ...], strides: Sequence[int], *offsets: int
) -> Words:
    """The part of `source` that starts at `offsets`."""
    return np.asarray(source[_slice(source, shape, strides, offsets)])


def insert_slice(source: Words, dest: Words, strides: Sequence[int], *offsets: int) -> Words:
    """`dest` with the part that starts at `offsets` replaced by `source`."""
    result = np.array(dest)
    result[_slice(dest, source.shape, strides, offsets)] = source
    return result


def _slice(
    whole: Words, shape: tuple[int, ...], strides: Sequence[int], offsets: Sequence[int]
) -> tuple[NDArray[np.int64], ...]:
    indices: list[NDArray[np.int64]] = []
    for dim, (count, stride, offset) in enumerate(zip(shape, strides, offsets, strict=True)):
        index = offset + stride * np.arange(count)
        _check_index(index, dim, whole.shape[dim])
        indices.append(index)
    return np.ix_(*indices)


def _check_index(index: NDArray[np.integer], dim: int, size: int) -> None:
    outside = index[(index < 0) | (index >= size)]
    if outside.size:
        # In numpy's words, which report the accesses of single elements.
        raise TrapError(f"index {int(outside[0])} is out of bounds for axis {dim} with size {size}")


HELPERS: dict[str, Callable[..., object]] = {
    function.__name__: function
    for function in (
        counted,
        load_words,
        store_words,
        gather_words,
        scatter_words,
        gather_elements,
        scatter_elements,
        insert_element,
        concat,
        extract_slice,
        insert_slice,
    )
}
"""What generated code finds under the function's own name."""
