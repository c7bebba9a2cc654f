"""Counted loops: trip counts, what is invariant, what is inside."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.semantics import SIGN_BIT, to_signed


@dataclass(frozen=True)
class Bounds:
    """The constant bounds of a counted loop, as signed numbers."""

    low: int
    high: int
    step: int
    """Positive, unless the loop never runs."""

    @property
    def trips(self) -> int:
        """How often the loop runs; its counter never wraps."""
        return len(self.counters)

    @property
    def counters(self) -> range:
        """The values of the counter, one per iteration."""
        return range(self.low, self.high, max(self.step, 1))

    @property
    def last(self) -> int:
        """The counter in the last iteration, of a loop that runs at all."""
        return self.low + (self.trips - 1) * self.step


def constant_bounds(loop: scf.ForOp) -> Bounds | None:
    """The bounds of `loop` when they are constants, the step is positive, and the counter
    does not wrap around before it reaches the upper bound; or when it never runs."""
    low, high, step = (constant_signed(v) for v in (loop.lb, loop.ub, loop.step))
    if low is None or high is None or step is None:
        return None
    bounds = Bounds(low, high, step)
    if low < high and (step <= 0 or low + bounds.trips * step >= SIGN_BIT):
        return None
    return bounds


def constant_word(value: SSAValue) -> int | None:
    """The word that `value` always is, if it is a constant."""
    op = value.owner
    if isinstance(op, word.ConstantOp) and word.lanes_of(value.type) is None:
        return op.word()
    return None


def constant_signed(value: SSAValue) -> int | None:
    """The signed number that `value` always is, if it is a constant."""
    found = constant_word(value)
    return None if found is None else to_signed(found)


def counter_of(loop: scf.ForOp) -> BlockArgument:
    """The counter of `loop` as its body sees it."""
    return loop.body.block.args[0]


def is_innermost(loop: scf.ForOp) -> bool:
    """Whether there is no loop of any kind within `loop`."""
    return not any(isinstance(op, scf.ForOp | scf.WhileOp) for op in loop.body.walk())


def count_ops(region: Region) -> int:
    """How many operations a region holds, those in regions within included, constants and
    the ends of regions not."""
    return sum(map(counts, region.walk()))


def counts(op: Operation) -> bool:
    """Whether an operation is one by the measure of `count_ops`."""
    return not isinstance(op, word.ConstantOp | scf.YieldOp | scf.ConditionOp)


def is_defined_in(value: SSAValue, op: Operation) -> bool:
    """Whether `value` is defined in a region of `op`."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while block is not None:
        parent = block.parent_op()
        if parent is op:
            return True
        block = None if parent is None else parent.parent
    return False


def loops_in(region: Region) -> list[scf.ForOp]:
    """The counted loops of a region, outer ones before those inside them."""
    return [op for block in region.blocks for op in block.walk() if isinstance(op, scf.ForOp)]
