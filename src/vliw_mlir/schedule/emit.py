"""From a machine function to bundles: allocation with spilling, then one slot per bundle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vliw_mlir.schedule.emit_block import ScheduledBlock
from vliw_mlir.schedule.linear_scan import Allocation, allocate
from vliw_mlir.schedule.liveness import live_intervals
from vliw_mlir.schedule.machine import (
    MOVE,
    UNDEFINED,
    BlockRef,
    Instruction,
    MachineFunction,
    Reg,
)
from vliw_mlir.schedule.spill import SpillSlots, spill
from vliw_mlir.sim.program import Bundle, Slot

if TYPE_CHECKING:
    # Imports this module.
    from vliw_mlir.schedule.software_pipelining import LoopOutcome


@dataclass(frozen=True)
class Emitted:
    """Bundles, with the source place of each of their slots."""

    bundles: list[Bundle]
    sources: list[list[str]]
    blocks: dict[int, ScheduledBlock] = field(default_factory=dict[int, ScheduledBlock])
    """The blocks that were scheduled as a whole, by their first bundle."""
    loops: Sequence[LoopOutcome] = ()
    """What came of innermost loops, if they were to be pipelined."""


def allocate_with_spilling(
    function: MachineFunction, slots: SpillSlots, words: int | None = None
) -> Allocation:
    """Allocate scratch, spilling into `slots` until everything fits; rewrites `function`.

    Takes up to `words`, or all of scratch. Raises `CompileError` when that is too little for the
    operands of one instruction.
    """
    room = function.target.scratch if words is None else words
    while True:
        intervals = live_intervals(function)
        allocation = allocate(intervals, function.widths, room, slots.short_lived)
        if not allocation.spilled:
            return allocation
        spill(function, allocation.spilled, slots)


def emit_sequential(function: MachineFunction, allocation: Allocation) -> Emitted:
    """Emit the blocks in order, one instruction per bundle."""
    rows: list[tuple[str, Slot, str]] = []
    starts: list[int] = []
    jumps: list[int] = []
    for number, block in enumerate(function.blocks):
        starts.append(len(rows))
        for instruction in block.instructions:
            if instruction.mnemonic != UNDEFINED and not _is_empty_move(instruction, allocation):
                if instruction.mnemonic == "cond_jump":
                    jumps.append(len(rows))
                rows.append(
                    (instruction.engine, _slot(instruction, allocation), instruction.source)
                )
        for instruction in terminator(function, number):
            jumps.append(len(rows))
            rows.append((instruction.engine, _slot(instruction, allocation), instruction.source))
    for row in jumps:
        engine, slot, source = rows[row]
        resolved = tuple(starts[o.block] if isinstance(o, BlockRef) else o for o in slot)
        rows[row] = (engine, resolved, source)
    return Emitted(
        [{engine: [slot]} for engine, slot, _ in rows], [[source] for _, _, source in rows]
    )


def terminator(function: MachineFunction, number: int) -> list[Instruction]:
    """The jumps that end a block, given that the next block is reached by falling through."""
    block = function.blocks[number]
    following = number + 1

    def instruction(mnemonic: str, *operands: object) -> Instruction:
        engine = function.engine(mnemonic, source=block.source)
        return Instruction(engine, mnemonic, operands, block.source)

    def jump(to: int) -> list[Instruction]:
        return [] if to == following else [instruction("jump", BlockRef(to))]

    if not block.successors:
        # Running past the last bundle halts.
        return [] if following == len(function.blocks) else [instruction("halt")]
    if block.condition is None:
        return jump(block.successors[0])
    taken, other = block.successors
    return [instruction("cond_jump", block.condition, BlockRef(taken)), *jump(other)]


def _slot(instruction: Instruction, allocation: Allocation) -> Slot:
    operands = (
        allocation.addresses[operand.register] + operand.lane
        if isinstance(operand, Reg)
        else operand
        for operand in instruction.operands
    )
    return (instruction.mnemonic, *operands)


def _is_empty_move(instruction: Instruction, allocation: Allocation) -> bool:
    """Whether an instruction is a move between the same words."""
    if instruction.mnemonic != MOVE:
        return False
    operands = _slot(instruction, allocation)[1:]
    return len(set(operands)) == 1
