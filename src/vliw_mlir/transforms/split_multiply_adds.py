"""Some multiply-adds apart again, so that engines share the work."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from vliw_mlir.analysis.bounds import function_work, straight_line_work
from vliw_mlir.analysis.cfg import blocks_of_functions
from vliw_mlir.analysis.resource_bound import Work, resource_bound
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.errors import CompileError
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.target import Target
from vliw_mlir.transforms.evenly import evenly
from vliw_mlir.transforms.rewriting import replace_op

LEAST_GAIN = 1e-6
"""By what part of the bound it has to get lower for one more multiply-add apart."""


@dataclass(frozen=True)
class SplitMultiplyAdds(ModulePass):
    """Compute as many multiply-adds as a product and a sum as lowers the resource bound most.

    A multiply-add of vectors runs on one engine alone. Where that engine has most to do, others
    may have slots left for the lanes of a product and a sum, though these take more of them.
    How many multiply-adds of a block are split follows from the bound of the block; those that
    are lie evenly among the others.

    Expects the SSA level, with all that is to be done at once in one block: comes after
    unrolling, and after the last `form-multiply-add`. Takes time linear in the number of
    operations.

    Statistics: `num-split`.
    """

    name = "split-multiply-adds"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target, statistics = target_of(op), Statistics(self)
        for block in blocks_of_functions(op):
            _split_in(block, target, statistics)


_NAME = SplitMultiplyAdds.name


def _split_in(block: Block, target: Target, statistics: Statistics) -> None:
    found = [
        op
        for op in block.ops
        if isinstance(op, word.MultiplyAddOp) and word.lanes_of(op.result.type) is not None
    ]
    if not found:
        return
    try:
        work = straight_line_work(block.ops, target)
    except CompileError:
        # Not all of it is of the SSA level yet: its cost is not known.
        return
    count = _best_count(work, len(found), target)
    if count == 0:
        return
    remark(found[0], _NAME, f"{count} of {len(found)} multiply-adds split", RemarkKind.PASSED)
    statistics.count("num-split", count)
    for op in evenly(found, count):
        e = BeforeOp(op)
        replace_op(op, [e.function("add", e.function("mul", op.a, op.b), op.c)])


def _best_count(work: Work, most: int, target: Target) -> int:
    """The least number of multiply-adds to split for which the bound is lowest.

    The bound is a convex function of the number, as the value of a linear program.
    """
    fused = function_work(target, "multiply_add", vector=True)
    apart = Work()
    for function in ("mul", "add"):
        apart.update(function_work(target, function, vector=True))

    def bound(count: int) -> float:
        changed = Work(work)
        for ways, number in apart.items():
            changed[ways] += count * number
        for ways, number in fused.items():
            changed[ways] -= count * number
        return resource_bound(+changed, target.slots).cycles

    low, high = 0, most
    while low < high:
        middle = (low + high) // 2
        now = bound(middle)
        if now - bound(middle + 1) > LEAST_GAIN * now:
            low = middle + 1
        else:
            high = middle
    return low
