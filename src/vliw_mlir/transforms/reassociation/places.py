"""How deep in loops values are computed, and what an operation costs there."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, Operation

from vliw_mlir.analysis.cfg import block_of
from vliw_mlir.analysis.loops import constant_bounds
from vliw_mlir.transforms.simplification.expressions import Expression

ASSUMED_TRIPS = 16
"""How often a loop runs whose trip count is not known."""


@dataclass(frozen=True)
class Place:
    """The loops around a block, outermost first."""

    loops: tuple[Operation, ...]
    runs: tuple[int, ...]
    """How often something runs inside of the first 0, 1, 2, … of these loops."""

    @property
    def depth(self) -> int:
        return len(self.loops)


class Places:
    """The places of blocks. Loops may lose operations meanwhile, but not be taken apart."""

    def __init__(self) -> None:
        self._places: dict[Block | None, Place] = {None: Place((), (1,))}

    def of(self, block: Block | None) -> Place:
        """The place of a block."""
        found = self._places.get(block)
        if found is None:
            assert block is not None
            found = self._places[block] = self._inside(block.parent_op())
        return found

    def depth(self, expression: Expression) -> int:
        """How many loops there are around the definition of a value."""
        if expression.constant is not None:
            return 0
        return self.of(block_of(expression.value)).depth

    def _inside(self, op: Operation | None) -> Place:
        around = self.of(None if op is None else op.parent)
        if not isinstance(op, scf.ForOp | scf.WhileOp):
            return around
        return Place((*around.loops, op), (*around.runs, around.runs[-1] * _trips(op)))


def _trips(loop: scf.ForOp | scf.WhileOp) -> int:
    bounds = constant_bounds(loop) if isinstance(loop, scf.ForOp) else None
    return ASSUMED_TRIPS if bounds is None else max(bounds.trips, 1)
