"""Operations around a loop that execute only if the loop runs at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import scf
from xdsl.ir import Attribute, Block, Region, SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp, Emitter


class RunGuard:
    """Whether a loop runs, tested in front of it where that is asked for first."""

    def __init__(self, loop: scf.ForOp):
        self._lower, self._upper = loop.lb, loop.ub
        self._location = loop.location
        self._condition: SSAValue | None = None
        self._before = BeforeOp(loop)

    def values(
        self, types: Sequence[Attribute], compute: Callable[[Emitter], Sequence[SSAValue]]
    ) -> Sequence[SSAValue]:
        """What `compute` emits, in front of the loop; zeros if the loop does not run."""
        taken = self._block(compute)
        not_taken = self._block(lambda emitter: [zero(emitter, type) for type in types])
        op = scf.IfOp(self._test(), types, Region(taken), Region(not_taken))
        self._before.append(op)
        return op.results

    def execute(self, after: Emitter, effects: Callable[[Emitter], None]) -> None:
        """Emit `effects` by `after`, which emits behind the loop."""

        def compute(emitter: Emitter) -> list[SSAValue]:
            effects(emitter)
            return []

        after.append(scf.IfOp(self._test(), [], Region(self._block(compute))))

    def _test(self) -> SSAValue:
        if self._condition is None:
            runs = self._before.function("slt", self._lower, self._upper)
            self._condition = self._before.emit(word.TestOp(runs))
        return self._condition

    def _block(self, compute: Callable[[Emitter], Sequence[SSAValue]]) -> Block:
        """A block with what `compute` emits, which hands on the values that it gives."""
        end = scf.YieldOp()
        end.location = self._location
        block = Block([end])
        end.operands = list(compute(BeforeOp(end)))
        return block


def zero(emitter: Emitter, type: Attribute) -> SSAValue:
    """A word or a vector of zeros."""
    lanes = word.lanes_of(type)
    return emitter.emit(word.ConstantOp(0 if lanes is None else [0] * lanes))
