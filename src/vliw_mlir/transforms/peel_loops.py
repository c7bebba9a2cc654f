"""Splitting the iterations of loops: peeling, and splitting where a condition changes."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.affine import AffineForms
from vliw_mlir.analysis.loops import (
    Bounds,
    constant_bounds,
    constant_word,
    count_ops,
    counter_of,
    is_innermost,
    loops_in,
)
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.semantics import WORD_MASK
from vliw_mlir.transforms.copying import Copier
from vliw_mlir.transforms.loop_building import loop_like, mark, number_asked

FIRST, LAST = "vliw.peel_first", "vliw.peel_last"
"""On a loop: how many iterations at its start or end become a loop of their own."""

PEELED = "vliw.peeled"
"""On the loops made: they are not to be split again."""

MOST_TRIPS = 1 << 16
"""The most iterations for which it is tried out when a condition changes."""


@dataclass(frozen=True)
class PeelLoops(ModulePass):
    """Split the iterations of loops into loops that follow each other.

    - `first` and `last` iterations of innermost loops become loops of their own, and so do those
      that the attributes `vliw.peel_first = 1 : i64` and `vliw.peel_last` of any loop ask for.
      Bounds may be computed if the step is 1.
    - With `conditions`, a loop with constant bounds is split where a comparison of its counter
      with a constant, which decides a branch or a select, comes out otherwise (index set
      splitting), if that happens at most `max_splits` times. In each part the comparison then
      is the same in all iterations, which ranges tell.

    Expects the SSA level. Linear in the size of the result. Statistics: `num-peeled`,
    `num-split`.
    """

    name = "peel-loops"

    first: int = 0
    """How many iterations at the start to peel off innermost loops."""
    last: int = 0
    """How many iterations at the end to peel off innermost loops."""
    conditions: bool = False
    """Whether to split loops where conditions change."""
    max_splits: int = 2
    """At how many places a loop is split because of conditions."""
    max_ops: int = 512
    """The most operations in all parts of a loop that is split because of conditions."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for func in op.ops:
            if isinstance(func, FuncOp):
                for loop in reversed(loops_in(func.body)):
                    if PEELED not in loop.attributes:
                        self._peel(loop, statistics)
                        self._split(loop, statistics)

    def _peel(self, loop: scf.ForOp, statistics: Statistics) -> None:
        default = (self.first, self.last) if is_innermost(loop) else (0, 0)
        asked = number_asked(loop, FIRST), number_asked(loop, LAST)
        first, last = (d if a is None else a for d, a in zip(default, asked, strict=True))
        if not first and not last:
            return
        bounds = constant_bounds(loop)
        if bounds is None and constant_word(loop.step) != 1:
            reason = "neither its bounds are constant nor its step is 1"
            remark(loop, self.name, f"not peeled: {reason}", RemarkKind.MISSED)
            return
        for name in (FIRST, LAST):
            loop.attributes.pop(name, None)
        remark(
            loop, self.name, f"peeled {first} at the start, {last} at the end", RemarkKind.PASSED
        )
        statistics.count("num-peeled")
        if first:
            _split_off(loop, _middle(loop, bounds, first, at_end=False))
        if last:
            _split_off(loop, _middle(loop, constant_bounds(loop), last, at_end=True))

    def _split(self, loop: scf.ForOp, statistics: Statistics) -> None:
        bounds = constant_bounds(loop)
        if not self.conditions or bounds is None or not 1 < bounds.trips <= MOST_TRIPS:
            return
        places = _changes(loop, bounds)
        if not places:
            return
        ops = count_ops(loop.body) * (len(places) + 1)
        if len(places) > self.max_splits or ops > self.max_ops:
            reason = f"conditions change at {len(places)} places, which would take {ops} operations"
            remark(loop, self.name, f"not split: {reason}", RemarkKind.MISSED)
            return
        where = ", ".join(map(str, places))
        remark(loop, self.name, f"split where the counter becomes {where}", RemarkKind.PASSED)
        statistics.count("num-split")
        for place in places:
            _split_off(loop, BeforeOp(loop).constant(place))


def _split_off(loop: scf.ForOp, middle: SSAValue) -> None:
    """Let a copy of `loop` in front of it do the iterations before `middle`, which is one of its
    counters or its upper bound."""
    front = loop_like(loop, high=middle)
    BeforeOp(loop).append(front)
    end = front.body.block.last_op
    assert end is not None
    end.operands = Copier(front).copy(loop.body.block, front.body.block.args, end)
    loop.operands = [middle, loop.ub, loop.step, *front.results]
    mark(front, PEELED)
    mark(loop, PEELED)


def _middle(loop: scf.ForOp, bounds: Bounds | None, count: int, *, at_end: bool) -> SSAValue:
    """Where the counter is before the last, or after the first `count` iterations."""
    here = BeforeOp(loop)
    if bounds is not None:
        count = min(count, bounds.trips)
        first = bounds.trips - count if at_end else count
        return here.constant(bounds.low + first * bounds.step)
    trips = here.function("sub", here.function("maxs", loop.lb, loop.ub), loop.lb)
    count_word = here.function("minu", trips, here.constant(count))
    first_word = here.function("sub", trips, count_word) if at_end else count_word
    return here.function("add", loop.lb, first_word)


def _changes(loop: scf.ForOp, bounds: Bounds) -> list[int]:
    """The counters at which a comparison with a constant comes out otherwise than before."""
    forms = AffineForms()
    found: set[int] = set()
    for op in loop.body.walk():
        if not isinstance(op, word.CmpOp) or not _decides(op):
            continue
        sides = [forms.of(value) for value in op.operands]
        counter = counter_of(loop)
        if any(form.terms.keys() - {counter} for form in sides):
            continue
        evaluate = op.function.scalar
        outcomes = [
            evaluate(*(f.constant + f.coefficient(counter) * at & WORD_MASK for f in sides))
            for at in bounds.counters
        ]
        pairs = zip(outcomes, outcomes[1:], bounds.counters[1:], strict=False)
        found |= {at for before, after, at in pairs if before != after}
    return sorted(found)


def _decides(op: word.CmpOp) -> bool:
    """Whether a comparison of words decides a branch or a select."""
    uses = op.result.uses
    return word.lanes_of(op.result.type) is None and any(
        isinstance(use.operation, word.TestOp)
        or (isinstance(use.operation, word.SelectOp) and use.index == 0)
        for use in uses
    )
