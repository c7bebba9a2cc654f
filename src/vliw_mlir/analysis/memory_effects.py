"""What operations do to memory, those with regions included."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from xdsl.ir import Operation

from vliw_mlir.analysis.alias import Access, AliasAnalysis, is_opaque
from vliw_mlir.analysis.memory_cells import clusters
from vliw_mlir.dialects import word


@dataclass
class Effects:
    """The accesses of an operation and of all within it, in the order of the text."""

    accesses: list[Access] = field(default_factory=list[Access])
    opaque: Operation | None = None
    """An operation that may touch any memory, if there is one."""

    @cached_property
    def writes(self) -> list[Access]:
        """The accesses that write, neighbouring ones taken together."""
        return _summary([access for access in self.accesses if access.writes])

    @cached_property
    def reads(self) -> list[Access]:
        """The accesses that read, neighbouring ones taken together."""
        return _summary([access for access in self.accesses if not access.writes])


def _summary(accesses: list[Access]) -> list[Access]:
    gathers = [access for access in accesses if access.offset is None]
    return [*(cluster.span for cluster in clusters(accesses)), *gathers]


class MemoryEffects:
    """The effects of operations; stale once the function changes."""

    def __init__(self, analysis: AliasAnalysis):
        self._analysis = analysis
        self._effects: dict[Operation, Effects] = {}

    def of(self, op: Operation) -> Effects:
        """What `op` and what is within it do to memory."""
        if not op.regions:
            effects = Effects()
            self._add(op, effects)
            return effects
        found = self._effects.get(op)
        if found is None:
            found = self._effects[op] = Effects(opaque=op if is_opaque(type(op)) else None)
            for inner in (o for region in op.regions for block in region.blocks for o in block.ops):
                self._add(inner, found)
        return found

    def _add(self, op: Operation, effects: Effects) -> None:
        if op.regions:
            part = self.of(op)
            effects.accesses += part.accesses
            effects.opaque = effects.opaque or part.opaque
        elif isinstance(op, word.AccessOp):
            effects.accesses.append(self._analysis.access(op))
        elif isinstance(op, word.AllocOp):
            if op.init is not None:
                effects.accesses.append(self._analysis.access(op))
        elif is_opaque(type(op)):
            effects.opaque = op
