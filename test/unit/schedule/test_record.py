"""Records of schedules made by hand: bounds, what binds, the longest path."""

from __future__ import annotations

from support.machine_functions import emit
from vliw_mlir.schedule.back_end import Effort, schedule_function
from vliw_mlir.schedule.emit import Emitted
from vliw_mlir.schedule.machine import MachineFunction, Reg
from vliw_mlir.schedule.record import BlockRecord, record_schedule
from vliw_mlir.schedule.spill import SpillSlots
from vliw_mlir.target import Target

TARGET = Target.default()


def function(registers: int, blocks: int = 1) -> MachineFunction:
    made = MachineFunction(TARGET)
    for _ in range(blocks):
        made.new_block()
    for _ in range(registers):
        made.new_register()
    return made


def records(made: MachineFunction) -> tuple[Emitted, tuple[BlockRecord, ...]]:
    slots = SpillSlots(1000)
    emitted = schedule_function(made, slots, Effort(1000, verify=True))
    record = record_schedule(emitted, TARGET, slots.words)
    assert record.spilled_words == 0
    return emitted, record.blocks


def test_slots_bind() -> None:
    made = function(8)
    emit(made, 0, "coreid", Reg(0))
    for register in range(1, 8):
        emit(made, 0, "load", Reg(register), Reg(0))
        emit(made, 0, "trace_write", Reg(register))
    _, (block,) = records(made)
    assert (block.first, block.bundles) == (0, 9)
    assert block.binds == ("flow",)
    assert block.slots.cycles == 8
    assert block.path_cycles == 3
    # One flow slot to begin with, then a load; seven flow slots are left.
    assert block.least_cycles == 9


def test_path_binds() -> None:
    """The path goes through memory, and its instructions are found in their bundles."""
    made = function(4)
    emit(made, 0, "const", Reg(0), 5)
    emit(made, 0, "load", Reg(1), Reg(0))
    emit(made, 0, "const", Reg(3), 7)
    emit(made, 0, "+", Reg(2), Reg(1), Reg(1))
    emit(made, 0, "store", Reg(0), Reg(2))
    emitted, (block,) = records(made)
    assert block.binds == ("path",)
    assert block.least_cycles == block.path_cycles == block.bundles == 4
    assert [step.earliest for step in block.path] == [0, 1, 2, 3]
    names = []
    for step in block.path:
        slots = [slot for part in emitted.bundles[step.bundle].values() for slot in part]
        names.append(slots[step.slot][0])
    assert names == ["const", "load", "+", "store"]


def test_second_jump_is_on_the_path() -> None:
    made = function(1, blocks=3)
    emit(made, 0, "coreid", Reg(0))
    made.blocks[0].condition = Reg(0)
    made.blocks[0].successors = (2, 0)
    emit(made, 1, "pause")
    emit(made, 2, "pause")
    _, blocks = records(made)
    assert [block.first for block in blocks] == [0, 3]
    assert blocks[0].bundles == blocks[0].least_cycles == blocks[0].path_cycles == 3
