"""Strip mining: one loop becomes a loop over strips around a loop over each strip."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from vliw_mlir.analysis.cfg import terminator
from vliw_mlir.analysis.loops import constant_bounds, constant_word, is_innermost, loops_in
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.semantics import SIGN_BIT
from vliw_mlir.transforms.loop_building import loop_like, mark, number_asked
from vliw_mlir.transforms.rewriting import inline_block, replace_op
from vliw_mlir.transforms.unrolling import why_not_unrolled

STRIP = "vliw.strip_mine"
"""On a loop: how many iterations make a strip, `16 : i64`. 1 leaves the loop alone."""


@dataclass(frozen=True)
class StripMine(ModulePass):
    """Divide the iterations of loops into strips, each done by a loop inside of a new one.

    With `interchange-loops` this makes tiles of a nest. A strip has `size` iterations; where
    their number is not known to be a multiple of that, the last strip has fewer. The step must
    be a constant, and the number of iterations larger than a strip as far as it is known.

    The attribute `vliw.strip_mine` of a loop, `16 : i64`, comes before the option, which is for
    innermost loops. Loops made by this pass have it with the value 1. Expects the SSA level.
    Statistics: `num-strip-mined`.
    """

    name = "strip-mine"

    size: int = 16
    """How many iterations make a strip. With 1, only loops that ask for it change."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for func in op.ops:
            if isinstance(func, FuncOp):
                for loop in loops_in(func.body):
                    self._loop(loop, statistics)

    def _loop(self, loop: scf.ForOp, statistics: Statistics) -> None:
        asked = number_asked(loop, STRIP)
        size = (self.size if is_innermost(loop) else 1) if asked is None else asked
        if size <= 1:
            return
        reason = why_not_unrolled(loop, size)
        bounds = constant_bounds(loop)
        if bounds is None and reason is None and constant_word(loop.step) != 1:
            reason = "neither its bounds are constant nor its step is 1"
        if bounds is not None and bounds.trips <= size:
            reason = f"it runs {bounds.trips} times only"
        if bounds is not None and bounds.high + size * bounds.step >= SIGN_BIT:
            reason = "the counter would wrap around"
        if reason is not None:
            remark(loop, self.name, f"not divided: {reason}", RemarkKind.MISSED)
            return
        remark(loop, self.name, f"divided into strips of {size} iterations", RemarkKind.PASSED)
        statistics.count("num-strip-mined")
        _divide(loop, size)


def _divide(loop: scf.ForOp, size: int) -> None:
    """Put a loop over strips of `size` iterations around the body of `loop`."""
    strips = _strips(loop, size)
    counter, *carried = strips.body.block.args
    end = terminator(strips.body)
    inside = BeforeOp(end)
    bounds, step = constant_bounds(loop), constant_word(loop.step)
    assert step is not None
    start = counter
    if bounds is None:
        start = inside.function(
            "add", loop.lb, inside.function("mul", counter, inside.constant(size))
        )
    length = inside.constant(size * step)
    if bounds is None or bounds.trips % size:
        # The distance to the upper bound is right as an unsigned word in any case.
        length = inside.function("minu", length, inside.function("sub", loop.ub, start))
    strip = loop_like(loop, low=start, high=inside.function("add", start, length), initial=carried)
    inside.append(strip)
    strip_end = terminator(strip.body)
    strip_end.operands = inline_block(loop.body.block, strip.body.block.args, strip_end)
    end.operands = strip.results
    replace_op(loop, strips.results)
    for made in (strips, strip):
        mark(made, STRIP)


def _strips(loop: scf.ForOp, size: int) -> scf.ForOp:
    """A loop in front of `loop` over the first counters of strips; over the numbers of strips
    if the bounds are computed, since the counter might wrap around."""
    before = BeforeOp(loop)
    bounds = constant_bounds(loop)
    if bounds is not None:
        strips = loop_like(loop, step=before.constant(size * bounds.step))
    else:
        trips = before.function("sub", before.function("maxs", loop.lb, loop.ub), loop.lb)
        count = before.function("ceildivu", trips, before.constant(size))
        zero, one = before.constant(0), before.constant(1)
        strips = loop_like(loop, low=zero, high=count, step=one)
    before.append(strips)
    return strips
