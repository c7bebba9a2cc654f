"""Which element of a tensor a loop body is at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from vliw_mlir.dialects.emitter import Index
from vliw_mlir.lowering.bufferize.cursor import Cursor
from vliw_mlir.lowering.indices import add, divide, multiply, remainder


@dataclass(frozen=True)
class Place:
    """An element of a tensor of some shape.

    Known by an index per dimension, or by its number in row-major order.
    """

    shape: tuple[int, ...]
    indices: tuple[Index, ...] | None
    number: Index | None


def at_indices(shape: tuple[int, ...], indices: Sequence[Index]) -> Place:
    """The element at `indices`. Along a dimension of size 1 there is only the index 0."""
    known = (0 if size == 1 else i for size, i in zip(shape, indices, strict=True))
    return Place(shape, tuple(known), None)


def at_number(shape: tuple[int, ...], number: Index) -> Place:
    """The element with this number in row-major order."""
    return Place(shape, None, number)


def long_sizes(shape: Sequence[int]) -> list[int]:
    """The sizes of the dimensions along which there is more than one element."""
    return [size for size in shape if size != 1]


def reshaped(cursor: Cursor, place: Place, shape: tuple[int, ...]) -> Place:
    """The element of a tensor of another shape that has the same number."""
    if shape == place.shape:
        return place
    if place.indices is None or long_sizes(shape) != long_sizes(place.shape):
        return at_number(shape, number_of(cursor, place))
    pairs = zip(place.indices, place.shape, strict=True)
    rest = iter([index for index, size in pairs if size != 1])
    return at_indices(shape, [0 if size == 1 else next(rest) for size in shape])


def number_of(cursor: Cursor, place: Place) -> Index:
    """The number of an element in row-major order, which is also its offset in a buffer."""
    if place.number is not None:
        return place.number
    return cursor.once(("number", place), lambda: _number(cursor, place))


def _number(cursor: Cursor, place: Place) -> Index:
    assert place.indices is not None
    number: Index = 0
    for dim, index in enumerate(place.indices):
        step = multiply(cursor, index, prod(place.shape[dim + 1 :]))
        number = add(cursor, number, step)
    return number


def indices_of(cursor: Cursor, place: Place) -> tuple[Index, ...]:
    """The indices of an element."""
    if place.indices is not None:
        return place.indices
    return cursor.once(("indices", place), lambda: _indices(cursor, place))


def _indices(cursor: Cursor, place: Place) -> tuple[Index, ...]:
    assert place.number is not None
    rest = place.number
    indices: list[Index] = []
    # The outermost index needs no remainder: what is left is less than its size.
    outermost = next((dim for dim, size in enumerate(place.shape) if size != 1), 0)
    for dim, size in reversed(list(enumerate(place.shape))):
        if size == 1 or dim <= outermost:
            indices.append(0 if size == 1 else rest)
            continue
        indices.append(remainder(cursor, rest, size))
        rest = divide(cursor, rest, size)
    return tuple(reversed(indices))
