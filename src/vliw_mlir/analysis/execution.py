"""What surely executes, unless the program traps or does not end before."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Operation, Region

from vliw_mlir.analysis.loops import constant_word
from vliw_mlir.analysis.ranges import Ranges
from vliw_mlir.analysis.word_sets import constant


def surely_runs(loop: scf.ForOp | scf.WhileOp, ranges: Ranges) -> bool:
    """Whether the first region of a loop is executed at least once."""
    if isinstance(loop, scf.WhileOp):
        return True
    lower, upper = (
        ranges.of(bound) if (known := constant_word(bound)) is None else constant(known)
        for bound in (loop.lb, loop.ub)
    )
    return lower.signed_bounds[1] < upper.signed_bounds[0]


def is_unconditional(op: Operation, loop: scf.ForOp | scf.WhileOp, ranges: Ranges) -> bool:
    """Whether `op` executes whenever the first region of the `loop` around it does."""
    region = op.parent_region()
    while region is not None and len(region.blocks) == 1:
        around = region.parent
        if around is loop:
            return region is loop.regions[0]
        if around is None or not _enters(around, region, ranges):
            return False
        region = around.parent_region()
    return False


def _enters(op: Operation, region: Region, ranges: Ranges) -> bool:
    """Whether `op`, when it is executed, executes `region`."""
    match op:
        case scf.ForOp():
            return surely_runs(op, ranges)
        case scf.WhileOp():
            return region is op.before_region
        case _:
            return isinstance(op, scf.ExecuteRegionOp)
