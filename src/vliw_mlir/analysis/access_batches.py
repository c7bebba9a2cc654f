"""Batches of scalar accesses in a block that may be done at once."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TypeGuard

from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Operation

from vliw_mlir.analysis.affine import Affine
from vliw_mlir.analysis.alias import Access, AliasAnalysis, is_opaque
from vliw_mlir.analysis.memory_cells import accessed_type, shape_of
from vliw_mlir.dialects import word
from vliw_mlir.semantics import SIGN_BIT, to_signed

MOST_BATCHES = 24
"""How many batches are open at a time. This bounds the comparisons."""


@dataclass
class Member:
    """A scalar access of a batch."""

    op: word.LoadOp | word.StoreOp
    position: int
    """Counts the operations of the block."""


@dataclass
class Batch:
    """Loads, or stores, of words at known distances.

    All loads find what they would find together with the first of them; the last of several
    stores to the same word counts, and all may wait for the last of them. Nothing in between
    has regions or stops the machine.
    """

    first: Access
    members: dict[int, list[Member]] = field(default_factory=dict[int, list[Member]])
    """By the constant part of their offset, a signed number; in the order of the program."""
    _closed: set[int] = field(default_factory=set[int])
    """Words of which no more loads can join, as they were written."""
    _room: range = range(-SIGN_BIT, SIGN_BIT)
    """Words that may join in spite of what accesses of other shapes have touched."""

    def access(self, number: int, words: int) -> Access:
        """Words of the shape of this batch as an access."""
        first = self.first
        assert first.offset is not None
        offset = first.offset + Affine(number - to_signed(first.offset.constant))
        return Access(first.op, first.writes, first.buffer, offset, words)

    def may_join(self, number: int) -> bool:
        """Whether an access of a word may join now."""
        return number in self._room and number not in self._closed

    def add(self, number: int, member: Member) -> None:
        """Let an access of a word join."""
        self.members.setdefault(number, []).append(member)

    def stays_open(self, access: Access, analysis: AliasAnalysis, distance: int) -> bool:
        """Whether more accesses may join behind an `access` that does not.

        Loads join only up to `distance` from the words of the batch then.
        """
        if access.buffer is not self.first.buffer:
            return analysis.is_distinct(access.buffer, self.first.buffer)
        is_same_shape = shape_of(access) == shape_of(self.first)
        if self.first.writes:
            # The stores so far would be done behind it.
            if is_same_shape:
                return self.members.keys().isdisjoint(_words(access))
            return not analysis.may_overlap(access, self._hull(0))
        # The loads to come would be done in front of it.
        if is_same_shape:
            self._closed.update(_words(access))
            return True
        hull = self._hull(distance)
        if analysis.may_overlap(access, hull):
            return False
        room = _words(hull)
        self._room = range(max(room.start, self._room.start), min(room.stop, self._room.stop))
        return True

    def _hull(self, distance: int) -> Access:
        """The words of the batch, those in between, and those up to `distance` away."""
        low, high = min(self.members) - distance, max(self.members) + distance
        return self.access(low, high - low + 1)


def _words(access: Access) -> range:
    """The constant parts of the offsets of the words of an access."""
    assert access.offset is not None
    start = to_signed(access.offset.constant)
    return range(start, start + access.words)


def batches_in(
    block: Block,
    kind: type[word.LoadOp] | type[word.StoreOp],
    analysis: AliasAnalysis,
    distance: int,
) -> list[Batch]:
    """The batches of the scalar loads or stores of a block.

    Accesses of words more than `distance` apart may end up in different batches, for speed.
    """
    closed: list[Batch] = []
    open_batches: dict[Hashable, Batch] = {}
    for position, op in enumerate(block.ops):
        if op.regions or is_opaque(type(op)):
            closed += open_batches.values()
            open_batches.clear()
        if not isinstance(op, word.AccessOp) and not _sets_words(op):
            continue
        access = analysis.access(op)
        shape = shape_of(access)
        joins = isinstance(op, kind) and accessed_type(access) == i32
        for other, batch in list(open_batches.items()):
            is_harmless = kind is word.LoadOp and not access.writes
            if is_harmless or (joins and other == shape):
                continue
            if not batch.stays_open(access, analysis, distance):
                closed.append(open_batches.pop(other))
        if not joins or not isinstance(op, word.LoadOp | word.StoreOp):
            continue
        number = _words(access).start
        batch = open_batches.get(shape)
        if batch is not None and not batch.may_join(number):
            closed.append(batch)
            batch = None
        if batch is None:
            batch = open_batches[shape] = Batch(access)
        batch.add(number, Member(op, position))
        if len(open_batches) > MOST_BATCHES:
            closed.append(open_batches.pop(next(iter(open_batches))))
    return [*closed, *open_batches.values()]


def _sets_words(op: Operation) -> TypeGuard[word.AllocOp]:
    """Whether an operation is an allocation with initial words."""
    return isinstance(op, word.AllocOp) and op.init is not None
