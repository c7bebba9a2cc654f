"""Moving invariant branches out of loops."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.loops import count_ops, is_defined_in
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.transforms.rewriting import inline_block, replace_op


@dataclass(frozen=True)
class UnswitchLoops(ModulePass):
    """Turn a loop around a branch into a branch around two loops.

    If the condition of an `scf.if` is the same in all iterations of a counted loop, it is tested
    in front of the loop, which then exists twice, each time with what is taken. All branches on
    the same condition go at once. Done as long as all copies of a loop have at most `max_ops`
    operations together, for loops around others first; conditions must be computed outside of
    the loop, as they are after `hoist-loop-invariants`.

    Expects the SSA level. Linear in the size of the result. Statistics: `num-unswitched`.
    """

    name = "unswitch-loops"

    max_ops: int = 512
    """The most operations that all copies of a loop may have together."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for func in op.ops:
            if isinstance(func, FuncOp):
                for block in func.body.blocks:
                    self._block(block, self.max_ops, statistics)

    def _block(self, block: Block, limit: int, statistics: Statistics) -> None:
        for op in list(block.ops):
            made = self._unswitch(op, limit, statistics) if isinstance(op, scf.ForOp) else None
            # What is made may be unswitched by other conditions, each copy at half of the cost.
            rest = limit if made is None else limit // 2
            for region in (made or op).regions:
                for inner in region.blocks:
                    self._block(inner, rest, statistics)

    def _unswitch(self, loop: scf.ForOp, limit: int, statistics: Statistics) -> scf.IfOp | None:
        """Unswitch one condition of `loop`; what takes its place if there is one."""
        condition = _invariant_condition(loop)
        if condition is None:
            return None
        ops = 2 * count_ops(loop.body)
        if ops > limit:
            message = f"not unswitched: it would take {ops} operations, more than {limit}"
            remark(loop, self.name, message, RemarkKind.MISSED)
            return None
        remark(loop, self.name, "unswitched", RemarkKind.PASSED)
        statistics.count("num-unswitched")
        return _make_branch(loop, condition)


def _invariant_condition(loop: scf.ForOp) -> SSAValue | None:
    """A word from outside of `loop` that a branch inside is decided by."""
    tests = (op.cond.owner for op in loop.body.walk() if isinstance(op, scf.IfOp))
    words = (test.word for test in tests if isinstance(test, word.TestOp))
    return next((word_ for word_ in words if not is_defined_in(word_, loop)), None)


def _make_branch(loop: scf.ForOp, condition: SSAValue) -> scf.IfOp:
    here = BeforeOp(loop)
    sides: list[Region] = []
    for taken in (True, False):
        copy = loop.clone()
        for op in [o for o in copy.body.walk() if isinstance(o, scf.IfOp)]:
            test = op.cond.owner
            if isinstance(test, word.TestOp) and test.word is condition:
                _take(op, taken)
        end = scf.YieldOp(*copy.results)
        end.location = loop.location
        sides.append(Region(Block([copy, end])))
    test = here.emit(word.TestOp(condition))
    made = scf.IfOp(test, loop.result_types, sides[0], sides[1])
    here.append(made)
    replace_op(loop, made.results)
    return made


def _take(op: scf.IfOp, taken: bool) -> None:
    """Replace a branch by one of its regions."""
    region = op.true_region if taken else op.false_region
    replace_op(op, inline_block(region.block, (), op) if region.blocks else ())
