"""What accesses of memory in a block have to be ordered by.

Each access gets *cells*: two accesses that may touch the same word have a cell in common, others
have none. Accesses of one shape, which differ by known numbers of words, have their words as
cells. Others that may overlap have a cell for each such pair.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import chain, combinations, product

from xdsl.ir import Block, Operation

from vliw_mlir.analysis.alias import Access, AliasAnalysis
from vliw_mlir.analysis.memory_cells import shape_of
from vliw_mlir.dialects import word
from vliw_mlir.semantics import to_signed

MOST_PAIRS = 20_000
"""How many pairs of accesses of a block are looked at. All others are taken to overlap."""


class AccessCells:
    """The cells of the accesses in a block."""

    def __init__(self, block: Block, analysis: AliasAnalysis):
        self._analysis = analysis
        self._cells: dict[Operation, list[Hashable]] = {}
        self._pairs = 0
        groups: dict[Hashable, list[Access]] = {}
        for op in block.ops:
            if isinstance(op, word.AccessOp) or (isinstance(op, word.AllocOp) and op.init):
                access = analysis.access(op)
                groups.setdefault(shape_of(access), []).append(access)
        stored: list[list[Access]] = []
        loaded: list[list[Access]] = []
        for shape, group in groups.items():
            is_stored = any(access.writes for access in group)
            (stored if is_stored else loaded).append(group)
            for access in group if is_stored else ():
                self._add(access, *_words(shape, access))
        for a, b in chain(combinations(stored, 2), product(stored, loaded)):
            self._relate(a, b)

    def of(self, op: Operation) -> Sequence[Hashable]:
        """The cells of an access."""
        return self._cells.get(op, ())

    def _add(self, access: Access, *cells: Hashable) -> None:
        self._cells.setdefault(access.op, []).extend(cells)

    def _relate(self, group: list[Access], other: list[Access]) -> None:
        """Give cells to the pairs of two groups that may overlap."""
        if self._analysis.is_distinct(group[0].buffer, other[0].buffer):
            return
        if not self._analysis.may_overlap(_hull(group), _hull(other)):
            return
        for some, rest in ((group, other), (other, group)):
            stores = [access for access in some if access.writes]
            partners = rest if some is group else [a for a in rest if not a.writes]
            if not stores or not partners:
                continue
            self._pairs += len(stores) * len(partners)
            if self._pairs > MOST_PAIRS:
                for access in (*stores, *partners):
                    self._add(access, (id(group), id(other)))
                continue
            for store in stores:
                for access in partners:
                    if self._analysis.may_overlap(store, access):
                        self._add(store, (store.op, access.op))
                        self._add(access, (store.op, access.op))


def _hull(group: list[Access]) -> Access:
    """All words of accesses of one shape, and those in between."""
    first = group[0]
    if first.offset is None:
        return first
    starts = {access.op: to_signed(access.offset.constant) for access in group if access.offset}
    low = min(group, key=lambda access: starts[access.op])
    high = max(starts[access.op] + access.words for access in group)
    return Access(low.op, low.writes, low.buffer, low.offset, high - starts[low.op])


def _words(shape: Hashable, access: Access) -> list[Hashable]:
    """A name for each word of an access; accesses of a shape have equal ones for equal words."""
    if access.offset is None:
        return [shape]
    start = to_signed(access.offset.constant)
    return [(shape, number) for number in range(start, start + access.words)]
