"""Tables of what is known of words in memory, kept up to date while a function is walked."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from xdsl.ir import SSAValue

from vliw_mlir.analysis.affine import Affine
from vliw_mlir.analysis.alias import Access, AliasAnalysis
from vliw_mlir.analysis.buffers import is_identified
from vliw_mlir.analysis.memory_cells import shape_of
from vliw_mlir.semantics import to_signed

MOST_SHAPES = 24
"""With how many shapes of its buffer an access is compared. This bounds the work."""

T = TypeVar("T")


@dataclass
class _Group(Generic[T]):
    """What is known of words at known distances from each other."""

    member: Access
    """An access of some of them."""
    words: dict[int, T] = field(default_factory=dict[int, T])
    """By the constant part of the offset, as a signed number."""
    low: int = 0
    high: int = 0
    """No number is below `low`, or above `high - 1`."""

    def hull(self) -> Access:
        """All of the words, and those in between, as one access."""
        offset = self.member.offset
        if offset is None:
            return self.member
        offset += Affine(self.low - to_signed(offset.constant))
        return Access(self.member.op, False, self.member.buffer, offset, self.high - self.low)


class MemoryTable(Generic[T]):
    """Something known of some words of memory.

    Words are grouped by their buffer and the *shape* of their offset, so that an access finds
    its own words at once, and needs to be compared with the few other shapes only.
    """

    def __init__(self, analysis: AliasAnalysis, *, complete: bool = False):
        """A table without words. Unless it has to be complete, it forgets the words of the
        oldest shape when there are too many."""
        self._analysis = analysis
        self._complete = complete
        self._buffers: dict[SSAValue, dict[Hashable, _Group[T]]] = {}
        self._vague: set[SSAValue] = set()
        """Those buffers that may be parts of others."""

    def copy(self) -> MemoryTable[T]:
        """A table that changes on its own."""
        new: MemoryTable[T] = MemoryTable(self._analysis, complete=self._complete)
        new._vague = set(self._vague)
        new._buffers = {
            buffer: {s: _Group(g.member, dict(g.words), g.low, g.high) for s, g in groups.items()}
            for buffer, groups in self._buffers.items()
        }
        return new

    def get(self, access: Access) -> list[T | None]:
        """What is known of each word of an access."""
        group = self._buffers.get(access.buffer, {}).get(shape_of(access))
        if group is None:
            return [None] * access.words
        return [group.words.get(number) for number in _numbers(access)]

    def touches(self, access: Access) -> bool:
        """Whether something is known of a word that an access may touch; if in doubt, yes."""
        if self._related(access.buffer):
            return True
        groups = self._buffers.get(access.buffer, {})
        shape = shape_of(access)
        own = groups.get(shape)
        if own is not None and any(number in own.words for number in _numbers(access)):
            return True
        return len(groups) > MOST_SHAPES or any(
            self._analysis.may_overlap(access, group.hull())
            for other, group in groups.items()
            if other != shape
        )

    def set(self, access: Access, values: Sequence[T]) -> None:
        """Let something be known of each word of an access. Of words that may be the same in
        another shape, what was known stays."""
        groups = self._buffers.get(access.buffer)
        if groups is None:
            groups = self._buffers[access.buffer] = {}
            if not is_identified(access.buffer):
                self._vague.add(access.buffer)
        shape, numbers = shape_of(access), _numbers(access)
        group = groups.get(shape)
        if group is None:
            group = groups[shape] = _Group(access, {}, numbers.start, numbers.stop)
            if len(groups) > MOST_SHAPES and not self._complete:
                del groups[next(iter(groups))]
        group.low = min(group.low, numbers.start)
        group.high = max(group.high, numbers.stop)
        group.words.update(zip(numbers, values, strict=True))

    def forget(self, access: Access) -> None:
        """Let nothing be known of the words that an access may touch."""
        for buffer in self._related(access.buffer):
            self._buffers.pop(buffer, None)
            self._vague.discard(buffer)
        groups = self._buffers.get(access.buffer)
        if not groups:
            return
        shape = shape_of(access)
        for other, group in list(groups.items()):
            if other == shape:
                for number in _numbers(access):
                    group.words.pop(number, None)
            elif self._analysis.may_overlap(access, group.hull()):
                del groups[other]
                continue
            if not group.words:
                del groups[other]

    def forget_buffer(self, buffer: SSAValue) -> None:
        """Let nothing be known of a buffer, nor of what may be a part of it."""
        for other in (buffer, *self._related(buffer)):
            self._buffers.pop(other, None)
            self._vague.discard(other)

    def clear(self) -> None:
        """Let nothing be known."""
        self._buffers.clear()
        self._vague.clear()

    def join(self, other: MemoryTable[T], combine: Callable[[T, T], T | None]) -> None:
        """Keep only words that are known in both tables, as what `combine` makes of them."""
        for buffer, groups in list(self._buffers.items()):
            others = other._buffers.get(buffer, {})
            for shape, group in list(groups.items()):
                words = others[shape].words if shape in others else {}
                group.words = _joined(group.words, words, combine)
                if not group.words:
                    del groups[shape]

    def _related(self, buffer: SSAValue) -> list[SSAValue]:
        """The other buffers of the table that may overlap with `buffer`."""
        others = self._vague if is_identified(buffer) else self._buffers
        return [
            other
            for other in others
            if other is not buffer and not self._analysis.is_distinct(buffer, other)
        ]


def _numbers(access: Access) -> range:
    """The constant parts of the offsets of the words of an access."""
    start = 0 if access.offset is None else to_signed(access.offset.constant)
    return range(start, start + access.words)


def _joined(a: dict[int, T], b: dict[int, T], combine: Callable[[T, T], T | None]) -> dict[int, T]:
    joined: dict[int, T] = {}
    for number, value in a.items():
        if number not in b:
            continue
        combined = combine(value, b[number])
        if combined is not None:
            joined[number] = combined
    return joined
