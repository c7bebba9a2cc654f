"""What accesses of memory have to be ordered by.

Each access gets *cells*: two accesses that may touch the same word have a cell in common, others
have none. Accesses of one shape, which differ by known numbers of words, have their words as
cells. Others that may overlap have a cell for each such pair.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import chain, combinations, product
from typing import TypeGuard

from xdsl.ir import Block, Operation, SSAValue

from vliw_mlir.analysis.alias import Access, AliasAnalysis
from vliw_mlir.analysis.memory_cells import shape_of
from vliw_mlir.dialects import word
from vliw_mlir.semantics import to_signed

MOST_PAIRS = 20_000
"""How many pairs are compared. Where there are more, all accesses are taken to overlap."""

Group = list[Access]
"""Accesses of one shape, in the order of the program."""


class AccessCells:
    """The cells of the accesses in some blocks.

    They compare accesses while values are the same: of several blocks, each may only run once.
    """

    def __init__(self, blocks: Iterable[Block], analysis: AliasAnalysis):
        self._analysis = analysis
        self._cells: dict[Operation, list[Hashable]] = {}
        self._pairs = 0
        groups: dict[Hashable, Group] = {}
        for op in (op for block in blocks for op in block.ops):
            if accesses_memory(op):
                access = analysis.access(op)
                groups.setdefault(shape_of(access), []).append(access)
        for region in self._regions(groups.values()):
            self._order_region(region)

    def of(self, op: Operation) -> Sequence[Hashable]:
        """The cells of an access."""
        return self._cells.get(op, ())

    def _add(self, access: Access, cell: Hashable) -> None:
        self._cells.setdefault(access.op, []).append(cell)

    def _regions(self, groups: Iterable[Group]) -> list[list[Group]]:
        """The groups of buffers that may overlap, directly or through others."""
        by_buffer: dict[SSAValue, list[Group]] = {}
        for group in groups:
            by_buffer.setdefault(group[0].buffer, []).append(group)
        regions: list[list[SSAValue]] = []
        for buffer in by_buffer:
            joined = [buffer]
            apart: list[list[SSAValue]] = []
            for region in regions:
                if all(self._analysis.is_distinct(buffer, other) for other in region):
                    apart.append(region)
                else:
                    joined += region
            regions = [*apart, joined]
        return [[group for b in region for group in by_buffer[b]] for region in regions]

    def _order_region(self, groups: list[Group]) -> None:
        stored: list[Group] = []
        loaded: list[Group] = []
        for group in groups:
            (stored if any(access.writes for access in group) else loaded).append(group)
        if len(stored) * len(groups) > MOST_PAIRS:
            for access in chain(*groups):
                self._add(access, id(groups))
            return
        for group in stored:
            for access in group:
                for cell in _words(access):
                    self._add(access, cell)
        hulls = {id(group): _hull(group) for group in groups}
        for a, b in chain(combinations(stored, 2), product(stored, loaded)):
            if self._analysis.may_overlap(hulls[id(a)], hulls[id(b)]):
                self._relate(a, b)

    def _relate(self, group: Group, other: Group) -> None:
        """Give cells to those accesses of two groups that may overlap."""
        pairs = [(a, b) for a, b in product(group, other) if a.writes or b.writes]
        self._pairs += len(pairs)
        is_exact = self._pairs <= MOST_PAIRS
        for a, b in pairs:
            if not is_exact or self._analysis.may_overlap(a, b):
                cell = (a.op, b.op) if is_exact else (id(group), id(other))
                self._add(a, cell)
                self._add(b, cell)


def accesses_memory(op: Operation) -> TypeGuard[word.AccessOp | word.AllocOp]:
    """Whether an operation is an access of memory, or begins with one."""
    return isinstance(op, word.AccessOp) or (isinstance(op, word.AllocOp) and bool(op.init))


def _hull(group: Group) -> Access:
    """All words of accesses of one shape, and those in between."""
    first = group[0]
    if first.offset is None:
        return first
    starts = {access.op: to_signed(access.offset.constant) for access in group if access.offset}
    low = min(group, key=lambda access: starts[access.op])
    high = max(starts[access.op] + access.words for access in group)
    return Access(low.op, low.writes, low.buffer, low.offset, high - starts[low.op])


def _words(access: Access) -> list[Hashable]:
    """A name for each word of an access; accesses of a shape have equal ones for equal words."""
    shape = shape_of(access)
    if access.offset is None:
        return [shape]
    start = to_signed(access.offset.constant)
    return [(shape, number) for number in range(start, start + access.words)]
