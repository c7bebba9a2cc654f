"""Scalar accesses in the place of gathers and scatters of words at known distances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.analysis.bounds import straight_line_work
from vliw_mlir.analysis.lane_forms import LaneForms
from vliw_mlir.analysis.resource_bound import Work, resource_bound
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp, Emitter
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.target import Target
from vliw_mlir.transforms.places import materialize
from vliw_mlir.transforms.rewriting import replace_op, uniform_constant
from vliw_mlir.transforms.strided.groups import GroupFinder, StridedGroup
from vliw_mlir.transforms.strided.plans import Planner, SplitPlan
from vliw_mlir.transforms.strided.products import SharedProduct
from vliw_mlir.transforms.vectorize.lanes import lanes_of

SHARE_OF_WAITING = 0.25
"""The part of the time for loads and stores in which nothing else can be done: values have to be
there before they are used, and computed before they are stored."""


@dataclass(frozen=True)
class SplitStridedAccesses(ModulePass):
    """Access the words of gathers and scatters one by one, where `vectorize-accesses` can then
    access many of them at once.

    Gathers of words at known distances, such as those of the rows of an array whose columns
    are vectors, may together load all words of some vectors. The words of each are then lanes
    of loaded vectors. The operations that use a gather are done lane by lane: their scalar forms
    take the words where they are, so that nothing has to be moved. If all of them are products
    by constants, only one is, and the others are computed from it. Likewise for scatters that
    together store all words of some vectors, and what computes their values.

    This is done for groups of accesses, between others that may touch the same words, by which
    the resource bound of the block becomes lower, counting a part of the time for accesses in
    addition; that bound also decides whether operations are done lane by lane or words are moved.
    Expects the SSA level; near linear in the number of operations.

    Statistics: `num-split`, `num-scalarized`.
    """

    name = "split-strided-accesses"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        statistics = Statistics(self)
        for func in op.ops:
            if not isinstance(func, FuncOp) or func.is_declaration:
                continue
            finder = GroupFinder(AliasAnalysis(func), LaneForms())
            for block in list(func.walk_blocks()):
                groups = finder.groups(block)
                if groups:
                    _Splitter(block, target, statistics).run(groups)


_NAME = SplitStridedAccesses.name


class _Splitter:
    """Splits groups of one block."""

    def __init__(self, block: Block, target: Target, statistics: Statistics):
        self._target = target
        self._planner = Planner(block, target)
        self._statistics = statistics
        self._work = straight_line_work(block.ops, target)

    def run(self, groups: Sequence[StridedGroup]) -> None:
        """Split the groups by which the bound of the block becomes lower."""
        for group in groups:
            if group.stores and not group.is_distinct:
                continue
            if any(word.lanes_of(op.offsets.type) != self._target.vlen for op in group.ops):
                continue
            options = [(self._work_with(plan), plan) for plan in self._planner.plans(group)]
            work, plan = min(options, key=lambda option: self._cycles(option[0]))
            if self._cycles(work) < self._cycles(self._work):
                self._work = work
                self._split(plan)

    def _work_with(self, plan: SplitPlan) -> Work:
        before, after = self._planner.work(plan)
        work = self._work - before
        work.update(after)
        return work

    def _cycles(self, work: Work) -> float:
        """The bound of the block, and what accesses add to it at its start and end."""
        if () in work:  # No engine can do it.
            return math.inf
        slots = self._target.slots
        bound = resource_bound(+work, slots)
        engines = {e for name in ("load", "store") for e in self._target.engines_for(name)}
        waiting = sum(bound.used.get(engine, 0) / slots[engine] for engine in engines)
        return bound.cycles + SHARE_OF_WAITING * waiting

    def _split(self, plan: SplitPlan) -> None:
        group = plan.group
        first = group.ops[0]
        message = f"{len(group.ops)} accesses are done word by word"
        remark(first, _NAME, message, RemarkKind.PASSED)
        self._statistics.count("num-split", len(group.ops))
        self._statistics.count("num-scalarized", len(plan.scalarized) + len(plan.products))
        here = BeforeOp(first)
        base = materialize(group.base, here) if group.base.terms else None
        places = [[_offset(base, number, here) for number in words] for words in group.words]
        if not group.stores:
            products = {product.source: product for product in plan.products}
            for op, offsets in zip(group.ops, places, strict=True):
                assert isinstance(op, word.GatherOp)
                _split_gather(op, offsets, products.get(op.result))
        for op in plan.scalarized:
            _scalarize(op)
        if group.stores:
            for op, offsets in zip(group.ops, places, strict=True):
                assert isinstance(op, word.ScatterOp)
                _split_scatter(op, offsets)


def _offset(base: SSAValue | None, number: int, e: Emitter) -> SSAValue:
    constant = e.constant(number)
    return constant if base is None else e.function("add", base, constant)


def _split_gather(
    op: word.GatherOp, offsets: Sequence[SSAValue], product: SharedProduct | None
) -> None:
    here = BeforeOp(op)
    loads = [word.LoadOp(op.buffer, offset) for offset in offsets]
    for load in loads:
        load.absolute = op.absolute
        here.append(load)
    if product is not None:
        factor = here.constant(product.factor)
        lanes = [here.function("mul", load.result, factor) for load in loads]
        product.use(here.emit(word.FromElementsOp(lanes)))
    gathered = here.emit(word.FromElementsOp(loads))
    gathered.name_hint = op.result.name_hint
    replace_op(op, [gathered])
    if not gathered.uses:
        _erase(gathered.owner)


def _split_scatter(op: word.ScatterOp, offsets: Sequence[SSAValue]) -> None:
    here = BeforeOp(op)
    for lane, offset in zip(_lanes(op.values, here), offsets, strict=True):
        store = word.StoreOp(lane, op.buffer, offset)
        store.absolute = op.absolute
        here.append(store)
    values = op.values
    _erase(op)
    if not values.uses and isinstance(values.owner, word.FromElementsOp):
        _erase(values.owner)


def _scalarize(op: word.ArithmeticOp) -> None:
    """Compute the lanes of a vector one by one."""
    here = BeforeOp(op)
    operands = [_lanes(value, here) for value in op.operands]
    lanes = [here.function(op.function.name, *lane) for lane in zip(*operands, strict=True)]
    for lane in lanes:
        lane.name_hint = op.result.name_hint
    replace_op(op, [here.emit(word.FromElementsOp(lanes))])


def _erase(op: Operation | Block) -> None:
    assert isinstance(op, Operation)
    block = op.parent
    assert block is not None
    block.erase_op(op)


def _lanes(vector: SSAValue, e: Emitter) -> list[SSAValue]:
    """The words of a vector, those that it is made of if they are words."""
    lanes = word.lanes_of(vector.type) or 1
    constant = uniform_constant(vector)
    if constant is not None:
        return [e.constant(constant)] * lanes
    match vector.owner:
        case word.BroadcastOp(source=source):
            return [source] * lanes
        case word.FromElementsOp(elements=elements):
            return list(elements)
        case _:
            return lanes_of(e, vector)
