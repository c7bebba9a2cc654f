"""Which words of memory are always accessed together."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute

from vliw_mlir.analysis.alias import Access
from vliw_mlir.dialects import word
from vliw_mlir.semantics import to_signed


@dataclass(frozen=True)
class Cluster:
    """Accesses of consecutive words, such that each word belongs to one access or to several
    that overlap. All are of one buffer, at offsets that differ by known numbers."""

    accesses: tuple[Access, ...]
    """In the order of the program."""
    span: Access
    """All of the words as if they were accessed at once; its op is that of an access that
    begins with the first word."""
    shape: Hashable
    """See `shape_of`."""

    @property
    def is_stored(self) -> bool:
        """Whether there is a store among the accesses."""
        return any(access.writes for access in self.accesses)

    @cached_property
    def types(self) -> Sequence[Attribute]:
        """What the words become as values: one vector if they are never accessed in another
        way, otherwise words."""
        types = {accessed_type(access) for access in self.accesses}
        if len(types) == 1 and all(a.words == self.span.words for a in self.accesses):
            return tuple(types)
        return [i32] * self.span.words

    def cells_of(self, access: Access, first: int) -> range:
        """The numbers of the values for the words that an access touches, when those of all
        words are counted from `first`."""
        types = self.types
        start = first + self.first_word(access)
        return range(start, start + min(access.words, len(types)))

    def first_word(self, access: Access) -> int:
        """The number of the first word that an access touches, counted from the first of all."""
        assert access.offset is not None
        assert self.span.offset is not None
        return to_signed((access.offset - self.span.offset).constant)


def accessed_type(access: Access) -> Attribute:
    """The type of what is loaded or stored; that of one word for an allocation."""
    op = access.op
    match op:
        case word.LoadOp() | word.GatherOp():
            return op.result.type
        case word.StoreOp():
            return op.value.type
        case word.ScatterOp():
            return op.values.type
        case _:
            return i32


def shape_of(access: Access) -> Hashable:
    """What accesses have in common whose offsets differ by a known number: their buffer and
    the terms of their offset. Of gathers and scatters, what they have in common if they go to
    the same words in the same order."""
    if access.offset is not None:
        return access.buffer, frozenset(access.offset.terms.items())
    op = access.op
    assert isinstance(op, word.GatherOp | word.ScatterOp)
    return op.buffer, op.offsets, op.absolute is not None


def clusters(accesses: Iterable[Access]) -> list[Cluster]:
    """The clusters of all accesses with a known offset, by first appearance.

    Takes time n log n in the number of accesses.
    """
    shapes: dict[Hashable, list[_Placed]] = {}
    for number, access in enumerate(accesses):
        if access.offset is not None:
            placed = _Placed(to_signed(access.offset.constant), number, access)
            shapes.setdefault(shape_of(access), []).append(placed)
    found: list[tuple[int, Cluster]] = []
    for members in shapes.values():
        members.sort(key=lambda member: (member.start, member.number))
        group: list[_Placed] = []
        end = members[0].end
        for member in members:
            if member.start >= end:
                found.append(_cluster(group, end))
                group = []
            group.append(member)
            end = max(end, member.end)
        found.append(_cluster(group, end))
    found.sort(key=lambda entry: entry[0])
    return [cluster for _, cluster in found]


@dataclass(frozen=True)
class _Placed:
    start: int
    number: int
    """Counts accesses in the order of the program."""
    access: Access

    @property
    def end(self) -> int:
        return self.start + self.access.words


def _cluster(group: list[_Placed], end: int) -> tuple[int, Cluster]:
    """A cluster, and the number of its first access in the program."""
    first = group[0].access
    in_order = sorted(group, key=lambda member: member.number)
    accesses = tuple(member.access for member in in_order)
    writes = any(access.writes for access in accesses)
    span = Access(first.op, writes, first.buffer, first.offset, end - group[0].start)
    return in_order[0].number, Cluster(accesses, span, shape_of(first))
