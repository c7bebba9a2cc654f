"""Bringing loops into the form that other passes understand."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.transforms.counted_while import find_count, to_for
from vliw_mlir.transforms.inductions import find_inductions, replace_induction


@dataclass(frozen=True)
class CanonicalizeLoops(ModulePass):
    """Let loops that count be `scf.for`, and compute from the counter what grows with it.

    - An `scf.while` that goes on while one of its values, which changes by a constant in each
      iteration, is on one side of a bound becomes an `scf.for`. Its counter runs over the
      same numbers, or over numbers in the same order as signed words.
    - A carried value that grows by the same amount in each iteration is computed from the
      counter, in the loop and behind it; so it does not tie iterations to each other. This is
      the closed form of basic induction variables (LLVM's indvars).

    What is carried in vain then, loops that run never or once, and dead code are left to
    `simplify`. Expects the SSA level. Takes time linear in the number of operations.

    Statistics: `num-counted-while`, `num-inductions`.
    """

    name = "canonicalize-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for func in op.ops:
            if isinstance(func, FuncOp):
                for block in func.body.blocks:
                    self._block(block, statistics)

    def _block(self, block: Block, statistics: Statistics) -> None:
        """Inner loops come first: what they add in all is what the ones around them add once."""
        for op in list(block.ops):
            for region in op.regions:
                for inner in region.blocks:
                    self._block(inner, statistics)
            loop = self._counted(op, statistics) if isinstance(op, scf.WhileOp) else op
            if isinstance(loop, scf.ForOp):
                self._inductions(loop, statistics)

    def _counted(self, op: scf.WhileOp, statistics: Statistics) -> scf.ForOp | None:
        count = find_count(op)
        if isinstance(count, str):
            remark(op, self.name, f"not a loop that counts: {count}", RemarkKind.MISSED)
            return None
        remark(op, self.name, f"counts by {count.step}", RemarkKind.PASSED)
        statistics.count("num-counted-while")
        return to_for(op, count)

    def _inductions(self, loop: scf.ForOp, statistics: Statistics) -> None:
        inductions = find_inductions(loop)
        for induction in inductions:
            replace_induction(loop, induction)
        if inductions:
            message = f"{len(inductions)} carried values computed from the counter"
            remark(loop, self.name, message, RemarkKind.PASSED)
            statistics.count("num-inductions", len(inductions))
