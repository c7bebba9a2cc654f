"""Moving computations to earlier blocks that are executed just as often."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, Region
from xdsl.passes import ModulePass
from xdsl.traits import Pure

from vliw_mlir.analysis.cfg import block_of, reverse_postorder, successors
from vliw_mlir.analysis.dominance import DominatorTree
from vliw_mlir.analysis.natural_loops import natural_loops, reversed_graph
from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.instrument import Statistics

SHARE_OF_SCRATCH = 8
"""Up to which part of scratch is taken by words that are computed earlier."""

MOST_BLOCKS_BACK = 32
"""How many dominators of a block are looked at."""


@dataclass(frozen=True)
class HoistEquivalent(ModulePass):
    """Move arithmetic on words to the earliest block that is executed just as often.

    Two blocks are (control-)equivalent if the first one dominates the second one, the second one
    post-dominates the first one, and both are in the same loops. What is computed behind a branch
    in any case does not have to wait for it then, and is computed once if the block is copied
    to both sides of it. See Click, "Global Code Motion, Global Value Numbering" (PLDI 1995).

    Moves no more operations than a part of scratch has words, as their results live longer.
    Expects the SSA level with control flow in blocks. Takes time linear in the number of
    operations and of the loops around them.

    Statistics: `num-hoisted`.
    """

    name = "hoist-equivalent"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        room = target_of(op).scratch // SHARE_OF_SCRATCH
        for func in op.ops:
            if isinstance(func, FuncOp) and func.body.first_block is not func.body.last_block:
                count = _Hoister(func.body).run(room)
                Statistics(self).count("num-hoisted", count)


class _Hoister:
    def __init__(self, region: Region):
        self.order = reverse_postorder(region)
        self.number = {block: number for number, block in enumerate(self.order)}
        following = [[self.number[s] for s in successors(block)] for block in self.order]
        backwards = reversed_graph(following)
        self.dominators = DominatorTree(following)
        self.post_dominators = DominatorTree(backwards, root=len(following))
        back_edges = (
            (last, first)
            for last, ends in enumerate(following)
            for first in ends
            if self.dominators.dominates(first, last)
        )
        self.loops = natural_loops(backwards, back_edges)

    def run(self, most: int) -> int:
        """Move up to `most` operations; how many there were."""
        count = 0
        for block in self.order[1:]:
            equivalent = list(self._equivalent(self.number[block]))
            for op in list(block.ops) if equivalent else ():
                if count == most:
                    return count
                if _is_movable(op) and self._move(op, equivalent):
                    # Constants are made where they are used.
                    count += not isinstance(op, word.ConstantOp)
        return count

    def _equivalent(self, number: int) -> Iterator[int]:
        """The equivalent blocks before a block, the nearest one first."""
        above = number
        for _ in range(MOST_BLOCKS_BACK):
            if above == 0:
                return
            above = self.dominators.immediate[above]
            if self.loops[above] == self.loops[number] and self._is_inevitable(above, number):
                yield above

    def _is_inevitable(self, number: int, behind: int) -> bool:
        """Whether all ways from a block to the end pass through another one."""
        tree = self.post_dominators
        return tree.is_reachable(number) and tree.dominates(behind, number)

    def _move(self, op: Operation, equivalent: list[int]) -> bool:
        """Move an operation to the earliest block that has its operands, if there is one."""
        makers = [self.number[block_of(operand)] for operand in op.operands]
        best: int | None = None
        for number in equivalent:
            if all(self.dominators.dominates(maker, number) for maker in makers):
                best = number
        if best is None:
            return False
        last = self.order[best].last_op
        assert last is not None
        op.detach()
        self.order[best].insert_op_before(op, last)
        return True


def _is_movable(op: Operation) -> bool:
    """Whether an operation computes a word, without anything that may go wrong."""
    if isinstance(op, word.ConstantOp):
        return True
    return isinstance(op, word.ArithmeticOp) and op.has_trait(Pure) and op.result.type == i32
