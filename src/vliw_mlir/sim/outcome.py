"""How a run of a machine ends: what it can do next, or the trap it hit."""

from __future__ import annotations

from enum import IntEnum

from vliw_mlir.errors import TrapError


class Status(IntEnum):
    """What a machine can do next."""

    RUNNING = 0
    """Execute the bundle at its pc."""
    PAUSED = 1
    """Be resumed by another run."""
    HALTED = 2
    """Nothing: the program has ended."""
    TRAPPED = 3
    """Nothing: the bundle at its pc cannot be executed."""


class TrapReason(IntEnum):
    """Why a machine trapped."""

    MEMORY = 1
    """A load or store outside of memory."""
    DIVISION = 2
    """A division by zero."""
    JUMP = 3
    """A jump outside of the program."""
    JUMP_CONFLICT = 4
    """Two taken jumps in a bundle."""
    SCRATCH_CONFLICT = 5
    """Two slots of a bundle write the same scratch word."""
    MEMORY_CONFLICT = 6
    """Two slots of a bundle write the same memory word."""
    COMPARE = 7
    """A debug slot found another value than expected."""
    STEP_LIMIT = 8
    """The program wants to execute more bundles than allowed."""


class Trap(TrapError):
    """The machine stopped before a bundle that it cannot execute and that had no effect."""

    reason: TrapReason
    bundle: int
    """The index of that bundle."""
    cycle: int
    """Cycles completed before it."""
    engine: str | None
    """The engine of the slot that trapped, None when it is not a matter of one slot."""
    slot: int | None
    """The position of that slot among those of its engine."""
    address: int | None
    """The first memory word out of range or in conflict, or the scratch word in conflict."""

    def __init__(
        self,
        reason: TrapReason,
        what: str,
        *,
        bundle: int,
        cycle: int,
        engine: str | None = None,
        slot: int | None = None,
        address: int | None = None,
        source: str | None = None,
    ):
        place = f"bundle {bundle}, cycle {cycle}"
        if engine is not None:
            place += f", {engine} slot {slot}"
        super().__init__(f"trap at {place}: {what}", source)
        self.reason = reason
        self.bundle = bundle
        self.cycle = cycle
        self.engine = engine
        self.slot = slot
        self.address = address

    @property
    def source(self) -> str | None:
        """The source place of the slot, None if unknown. Also the error's `location`."""
        return self.location
