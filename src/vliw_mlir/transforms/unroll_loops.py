"""Unrolling of counted loops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from vliw_mlir.analysis.loops import (
    Bounds,
    constant_bounds,
    count_ops,
    is_innermost,
    loops_in,
)
from vliw_mlir.dialects import word
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.transforms.deciding_loops import decides, unrolled_size
from vliw_mlir.transforms.loop_building import mark, number_asked
from vliw_mlir.transforms.unroll_factors import UnrollPlan
from vliw_mlir.transforms.unroll_times import Factor
from vliw_mlir.transforms.unrolling import unroll_by, unroll_fully, why_not_unrolled

UNROLL = "vliw.unroll"
"""On a loop: how often to copy its body, `4 : i64` or `"full"`. 1 leaves the loop alone."""
UNROLLED = "vliw.unrolled"
"""On a loop that came of unrolling by a factor, which is not done twice."""


@dataclass(frozen=True)
class UnrollLoops(ModulePass):
    """Unroll counted loops: fully when they run few times, or else by a factor.

    Inner loops come before those around them; a loop in the copies of another one whose bounds
    have become constants is looked at again. A loop that runs a constant number of times, at
    most `max_trips`, is replaced by copies of its body if these have at most `max_ops`
    operations. Any other innermost loop is unrolled by `factor` within the same limit, and a
    loop for the remaining iterations follows; its bounds may be computed, its step must be a
    constant.

    With `by_cost` the limits are others: each loop is unrolled as often as pays, by an estimate
    of its time from its slots and latencies, fully or by a factor, while the function has at
    most `max_code` operations. Copies of one block overlap, iterations of a loop do not; unless
    `pipelined` says that they will be made to, where the bounds of the loop are computed.

    With `deciding` only loops are unrolled, and fully, whose counters decide bounds of loops or
    branches inside, as in sorting networks and triangular loops; while what comes of one of them
    has at most `max_code` operations.

    The attribute `vliw.unroll` of a loop, `4 : i64` or `"full"`, comes before the limits. Loops
    made by unrolling as it says, or by cost, have it with the value 1, so that they are left
    alone afterwards. Those made by `factor` have `vliw.unrolled`: only `by_cost` goes on there.

    What is computed from constants alone is computed in the copies. Expects the SSA level; other
    loops stay as they are. Linear in the size of the result.

    Statistics: `num-fully-unrolled`, `num-partially-unrolled`, `num-copies`.
    """

    name = "unroll-loops"

    max_trips: int = 64
    """The most iterations of a loop that is unrolled fully without being asked for it."""
    max_ops: int = 4096
    """The most operations that unrolling a loop may lead to, without being asked for it."""
    factor: int = 1
    """How many iterations of other innermost loops become one."""
    inner_only: bool = False
    """Whether loops with loops inside stay, unless they ask for it."""
    only_gathers: bool = False
    """Whether `factor` is for loops with gathers only."""
    by_cost: bool = False
    """Whether to choose for each loop how often to unroll it, instead of by these limits."""
    pipelined: bool = False
    """Whether software pipelining follows, so that fewer copies do, by cost."""
    deciding: bool = False
    """Whether to unroll just the loops whose counters decide what happens inside."""
    max_code: int = 20000
    """The most operations that a function may have when loops are unrolled by cost, and that
    may come of a loop that decides what happens inside."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, FuncOp) and not function.is_declaration:
                if self.deciding:
                    _DecidingUnroller(self, Statistics(self), {}).function(function)
                    continue
                unroller = _Unroller(self, Statistics(self), self._plan(function))
                for block in function.body.blocks:
                    unroller.block(block)

    def _plan(self, function: FuncOp) -> Mapping[scf.ForOp, Factor] | None:
        """What to do with the loops of a function; None to decide by limits for each."""
        if not self.by_cost:
            return None
        asked = {loop: _asked(loop) for loop in loops_in(function.body)}
        fixed = {loop: _factor_asked(text) for loop, text in asked.items() if text is not None}
        return UnrollPlan(function, fixed, self.max_code, pipelined=self.pipelined).factors


@dataclass
class _Unroller:
    limits: UnrollLoops
    statistics: Statistics
    plan: Mapping[scf.ForOp, Factor] | None

    def block(self, block: Block) -> None:
        """Unroll the loops in `block`, inner ones first."""
        for op in list(block.ops):
            for region in op.regions:
                for inner in region.blocks:
                    self.block(inner)
            if isinstance(op, scf.ForOp):
                self.loop(op)

    def loop(self, loop: scf.ForOp) -> None:
        bounds = constant_bounds(loop)
        factor = self._factor(loop, bounds)
        if factor is None:
            self._fully(loop, bounds)
        else:
            self._partially(loop, factor)

    def _factor(self, loop: scf.ForOp, bounds: Bounds | None) -> Factor:
        asked = _asked(loop)
        if asked is not None:
            return _factor_asked(asked)
        if self.plan is not None:
            return self.plan.get(loop, 1)
        if UNROLLED in loop.attributes:
            return 1
        return None if self._is_small(loop, bounds) else self._default_factor(loop)

    def _is_small(self, loop: scf.ForOp, bounds: Bounds | None) -> bool:
        """Whether `loop` is to be unrolled fully without being asked for it."""
        if bounds is None or (self.limits.inner_only and not is_innermost(loop)):
            return False
        if bounds.trips > self.limits.max_trips:
            self._missed(loop, f"{bounds.trips} iterations, more than {self.limits.max_trips}")
            return False
        ops = bounds.trips * count_ops(loop.body)
        if ops > self.limits.max_ops:
            self._missed(loop, f"it would take {ops} operations, more than {self.limits.max_ops}")
            return False
        return True

    def _default_factor(self, loop: scf.ForOp) -> int:
        """By how much to unroll `loop` without being asked for it; 1 for not at all."""
        if self.limits.factor <= 1 or not is_innermost(loop):
            return 1
        gathers = any(isinstance(op, word.GatherOp) for op in loop.body.walk())
        if self.limits.only_gathers and not gathers:
            return 1
        return min(self.limits.factor, self.limits.max_ops // max(count_ops(loop.body), 1))

    def _fully(self, loop: scf.ForOp, bounds: Bounds | None) -> None:
        if bounds is None:
            self._missed(loop, "the number of its iterations is not a constant")
            return
        message = f"unrolled fully, {bounds.trips} iterations"
        remark(loop, self.limits.name, message, RemarkKind.PASSED)
        copied = unroll_fully(loop, bounds)
        self.statistics.count("num-fully-unrolled")
        self.statistics.count("num-copies", bounds.trips)
        for inner in copied:
            self.loop(inner)

    def _partially(self, loop: scf.ForOp, factor: int) -> None:
        if factor <= 1:
            return
        if reason := why_not_unrolled(loop, factor):
            self._missed(loop, reason)
            return
        remark(loop, self.limits.name, f"unrolled by {factor}", RemarkKind.PASSED)
        is_final = self.plan is not None or _asked(loop) is not None
        main, rest = unroll_by(loop, factor)
        self.statistics.count("num-partially-unrolled")
        self.statistics.count("num-copies", factor)
        for made in (main, rest):
            if made is not None:
                mark(made, UNROLL if is_final else UNROLLED)
        bounds = None if rest is None else constant_bounds(rest)
        if rest is not None and bounds is not None and bounds.trips == 1:
            unroll_fully(rest, bounds)

    def _missed(self, loop: scf.ForOp, reason: str) -> None:
        remark(loop, self.limits.name, f"not unrolled: {reason}", RemarkKind.MISSED)


class _DecidingUnroller(_Unroller):
    """Unrolls loops that decide what happens inside, outer ones first: what these decide may be
    what others need to be unrolled."""

    def function(self, function: FuncOp) -> None:
        """Unroll the loops of a function."""
        for block in function.body.blocks:
            self.block(block)

    def block(self, block: Block) -> None:
        for op in list(block.ops):
            if isinstance(op, scf.ForOp) and self._is_decisive(op):
                self._fully(op, constant_bounds(op))
                continue
            for region in op.regions:
                for inner in region.blocks:
                    self.block(inner)

    def loop(self, loop: scf.ForOp) -> None:
        """Go on with a loop in a copy."""
        if self._is_decisive(loop):
            self._fully(loop, constant_bounds(loop))
            return
        self.block(loop.body.block)

    def _is_decisive(self, loop: scf.ForOp) -> bool:
        if _asked(loop) is not None or constant_bounds(loop) is None or not decides(loop, {}):
            return False
        if unrolled_size(loop, self.limits.max_code) is not None:
            return True
        self._missed(loop, f"it would take more than {self.limits.max_code} operations")
        return False


def _factor_asked(asked: int | str) -> Factor:
    return None if asked == "full" else int(asked)


def _asked(loop: scf.ForOp) -> int | str | None:
    """What the attribute of `loop` says: a number, "full", or None if there is none."""
    attr = loop.attributes.get(UNROLL)
    if isinstance(attr, StringAttr) and attr.data == "full":
        return attr.data
    return number_asked(loop, UNROLL)
