"""Counted loops: trip counts, what is invariant, what is inside."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.semantics import to_signed


@dataclass(frozen=True)
class Bounds:
    """The constant bounds of a counted loop, as signed numbers."""

    low: int
    high: int
    step: int

    @property
    def trips(self) -> int:
        """How often the loop runs; its counter never wraps."""
        return max(0, -(-(self.high - self.low) // self.step))

    @property
    def last(self) -> int:
        """The counter in the last iteration, of a loop that runs at all."""
        return self.low + (self.trips - 1) * self.step


def constant_bounds(loop: scf.ForOp) -> Bounds | None:
    """The bounds of `loop` when they are constants, the step is positive, and the counter
    does not wrap around before it reaches the upper bound."""
    values = [constant_word(v) for v in (loop.lb, loop.ub, loop.step)]
    if any(v is None for v in values):
        return None
    low, high, step = (to_signed(v or 0) for v in values)
    if step <= 0 or high + step > 1 << 31:
        return None
    return Bounds(low, high, step)


def constant_word(value: SSAValue) -> int | None:
    """The word that `value` always is, if it is a constant."""
    op = value.owner
    if isinstance(op, word.ConstantOp) and word.lanes_of(value.type) is None:
        return op.word()
    return None


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


def enclosing_loops(op: Operation, within: Operation) -> list[scf.ForOp]:
    """The counted loops around `op` that lie inside of `within`, innermost first."""
    loops: list[scf.ForOp] = []
    current = op.parent_op()
    while current is not None and current is not within:
        if isinstance(current, scf.ForOp):
            loops.append(current)
        current = current.parent_op()
    return loops
