"""Moving computations out of loops."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import Pure

from vliw_mlir.analysis.alias import Access, AliasAnalysis
from vliw_mlir.analysis.execution import is_unconditional, surely_runs
from vliw_mlir.analysis.memory_effects import MemoryEffects
from vliw_mlir.analysis.memory_table import MemoryTable
from vliw_mlir.dialects import word
from vliw_mlir.instrument import RemarkKind, Statistics, remark


@dataclass(frozen=True)
class HoistLoopInvariants(ModulePass):
    """Move what is the same in every iteration in front of the loop, as far out as possible.

    That goes for operations of the SSA level without effects, also from within branches; for
    loads and gathers from words that the loop does not write; and for allocations without
    initial words. What may trap, a load or a division, moves only where it is known not to
    trap, or where it surely executes anyway.

    Loop-invariant code motion in one walk: operations are visited after those they depend on.
    Expects the SSA level; only loops of `scf` count. Takes time linear in the number of
    operations and of the loops around them.

    Statistics: `num-hoisted`, `num-hoisted-loads`.
    """

    name = "hoist-loop-invariants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                _hoist(func, Statistics(self))


_NAME = HoistLoopInvariants.name

_HARMLESS = (*(op for op in word.Word.operations if op.has_trait(Pure)), word.AllocOp)
"""What may execute anywhere."""

_MOVABLE = (*_HARMLESS, *word.BINARY_OPS, word.LoadOp, word.GatherOp)


def _hoist(func: FuncOp, statistics: Statistics) -> None:
    """Walk over a function until all that can be hoisted is.

    A walk postpones what is safe only by what is known of values that it has moved, each time
    something else: a few walks do.
    """
    walk = None
    while walk is None or walk.is_to_be_continued:
        walk = _Walk(AliasAnalysis(func), statistics)
        for block in func.body.blocks:
            walk.block(block)
    for op, reason in walk.missed:
        remark(op, _NAME, reason, RemarkKind.MISSED)


class _Walk:
    """A walk over a function, operands before their users."""

    def __init__(self, analysis: AliasAnalysis, statistics: Statistics):
        self.analysis = analysis
        self.statistics = statistics
        self.loops: list[_Loop] = []
        """The loops around the current operation, outer ones first."""
        self.depths: dict[SSAValue, int] = {}
        """How many loops are around the values defined in loops."""
        self.effects = MemoryEffects(analysis)
        self.moved: set[SSAValue] = set()
        """The values hoisted: what was known of them may have been so only where they were, by
        a branch or because the loop runs."""
        self.is_to_be_continued = False
        """Whether something could not be judged as it depends on moved values."""
        self.missed: list[tuple[Operation, str]] = []
        """What is not hoisted, and why."""

    def block(self, block: Block) -> None:
        """Hoist from a block and those inside of it."""
        for arg in block.args:
            self.depths[arg] = len(self.loops)
        for op in list(block.ops):
            depth = self._least_depth(op) if self.loops else 0
            if depth < len(self.loops):
                self._move(op, self.loops[depth].op)
            for result in op.results:
                self.depths[result] = depth
            if op.regions:
                self._regions(op)

    def _regions(self, op: Operation) -> None:
        is_loop = isinstance(op, scf.ForOp | scf.WhileOp)
        if is_loop:
            self.loops.append(_Loop(op, self.analysis, self.effects))
        for region in op.regions:
            for block in region.blocks:
                self.block(block)
        if is_loop:
            self.loops.pop()

    def _move(self, op: Operation, loop: Operation) -> None:
        op.detach()
        block = loop.parent
        assert block is not None
        block.insert_op_before(op, loop)
        self.moved.update(op.results)
        if isinstance(op, word.LoadOp | word.GatherOp):
            remark(op, _NAME, "loaded before the loop", RemarkKind.PASSED)
            self.statistics.count("num-hoisted-loads")
        else:
            self.statistics.count("num-hoisted")

    def _least_depth(self, op: Operation) -> int:
        """How many loops have to stay around `op`."""
        here = len(self.loops)
        if not isinstance(op, _MOVABLE) or (isinstance(op, word.AllocOp) and op.init is not None):
            return here
        depth = max((self.depths.get(operand, 0) for operand in op.operands), default=0)
        if depth == here or isinstance(op, _HARMLESS):
            return depth
        while here > depth and self._may_leave(op, self.loops[here - 1]):
            here -= 1
        return here

    def _may_leave(self, op: Operation, loop: _Loop) -> bool:
        """Whether a load or division, invariant in `loop`, may move in front of it."""
        if isinstance(op, word.LoadOp | word.GatherOp):
            access = self.analysis.access(op)
            if loop.may_write(access):
                self.missed.append((op, "not hoisted: the loop may write what it loads"))
                return False
            is_safe = self.analysis.is_in_bounds(access)
        else:
            assert isinstance(op, word.BinaryOp)
            is_safe = 0 not in self.analysis.ranges.of(op.rhs)
        if loop.surely_executes(op):
            return True
        if is_safe and self.moved.isdisjoint(op.operands):
            return True
        self.is_to_be_continued |= is_safe
        self.missed.append((op, "not hoisted: it might trap where it did not execute"))
        return False


class _Loop:
    """A loop around the current operation."""

    def __init__(
        self, op: scf.ForOp | scf.WhileOp, analysis: AliasAnalysis, effects: MemoryEffects
    ):
        self.op = op
        self._analysis = analysis
        self._effects = effects
        self._writes: MemoryTable[bool] | None = None

    def may_write(self, access: Access) -> bool:
        """Whether the loop may write a word that `access` reads."""
        effects = self._effects.of(self.op)
        if self._writes is None:
            self._writes = MemoryTable(self._analysis, complete=True)
            for write in effects.writes:
                self._writes.set(write, [True] * write.words)
        return effects.opaque is not None or self._writes.touches(access)

    def surely_executes(self, op: Operation) -> bool:
        """Whether `op` executes at least once whenever the loop is reached."""
        ranges = self._analysis.ranges
        return surely_runs(self.op, ranges) and is_unconditional(op, self.op, ranges)
