"""What a run did: cycles, use of the engines, memory traffic, branches, hot places."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from vliw_mlir.sim.decode import (
    COND_JUMP,
    JUMP,
    JUMP_INDIRECT,
    LOAD,
    STORE,
    A,
    B,
    DecodedProgram,
    Ints,
)
from vliw_mlir.sim.machine import Machine
from vliw_mlir.target.isa import DEBUG_ENGINE


@dataclass(frozen=True)
class EngineUse:
    """How much of an engine was used."""

    slots: int
    """What it takes per cycle."""
    used: int
    """Slots executed."""
    utilization: float
    """The part of its slots that was used, 0 to 1."""


@dataclass(frozen=True)
class LoopUse:
    """A loop of the program: the bundles from the target of a jump back up to the jump."""

    first: int
    last: int
    """The bundle that jumps back."""
    iterations: int
    """How often it did."""
    bundles: int
    """Executed bundles of the loop, inner loops included."""
    cycles: int
    """What they cost."""
    source: str
    """Where the jump came from, '' if unknown."""


@dataclass(frozen=True)
class Statistics:
    """Everything counted in a run so far."""

    cycles: int
    bundles: int
    """Bundles executed, also those that cost no cycle."""
    engines: dict[str, EngineUse]
    """By engine; the debug engine costs nothing and is left out."""
    loads: int
    """Memory reads executed; a vector is one."""
    stores: int
    """Memory writes executed; a vector is one."""
    branches: int
    """Jumps executed, taken or not."""
    branches_taken: int
    sources: dict[str, int]
    """Executed bundles per source place; one of several places counts for each."""
    loops: tuple[LoopUse, ...]
    """In program order."""

    def to_dict(self) -> dict[str, Any]:
        """The statistics as plain data for JSON."""
        return asdict(self)


def collect_statistics(machine: Machine) -> Statistics:
    """Sum up what `machine` has executed so far."""
    decoded = machine.decoded
    cycles = machine.cycles
    per_slot = machine.executed[decoded.bundle]

    def executed(*opcodes: int) -> int:
        return int(per_slot[np.isin(decoded.opcode, opcodes)].sum())

    engines: dict[str, EngineUse] = {}
    for number, engine in enumerate(decoded.target.engines):
        if engine.name == DEBUG_ENGINE:
            continue
        used = int(per_slot[decoded.engine == number].sum())
        available = cycles * engine.slots
        engines[engine.name] = EngineUse(engine.slots, used, used / available if available else 0.0)
    return Statistics(
        cycles=cycles,
        bundles=int(machine.executed.sum()),
        engines=engines,
        loads=executed(LOAD),
        stores=executed(STORE),
        branches=executed(COND_JUMP, JUMP, JUMP_INDIRECT),
        branches_taken=int(machine.taken.sum()),
        sources=_bundles_by_source(machine),
        loops=tuple(_loops(machine)),
    )


def _bundles_by_source(machine: Machine) -> dict[str, int]:
    counts: dict[str, int] = {}
    for places, executed in zip(
        machine.decoded.program.sources or [], machine.executed.tolist(), strict=False
    ):
        for place in set(places) - {""}:
            counts[place] = counts.get(place, 0) + executed
    return counts


def _loops(machine: Machine) -> list[LoopUse]:
    decoded = machine.decoded
    bundles = np.concatenate([[0], np.cumsum(machine.executed)])
    cycles = np.concatenate([[0], np.cumsum(machine.executed * decoded.timed)])
    loops: list[LoopUse] = []
    for slot, target in _static_jumps(decoded):
        last = int(decoded.bundle[slot])
        if target > last:
            continue
        loops.append(
            LoopUse(
                target,
                last,
                int(machine.taken[slot]),
                int(bundles[last + 1] - bundles[target]),
                int(cycles[last + 1] - cycles[target]),
                decoded.program.source(last, slot - int(decoded.first[last])),
            )
        )
    return loops


def _static_jumps(decoded: DecodedProgram) -> list[tuple[int, int]]:
    """The jumps whose target is fixed, as `(slot, target bundle)`."""
    jumps: list[tuple[int, int]] = []
    for opcode, column in ((COND_JUMP, B), (JUMP, A)):
        slots = np.flatnonzero(decoded.opcode == opcode)
        targets: Ints = decoded.code[slots, column]
        jumps += zip(slots.tolist(), targets.tolist(), strict=True)
    return sorted(jumps)
