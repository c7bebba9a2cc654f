"""Whole functions scheduled, against what they do on virtual registers."""

from __future__ import annotations

from copy import deepcopy
from random import Random

import numpy as np
import pytest

from support.machine_functions import emit, random_function, run_virtual
from vliw_mlir.abi import Interface
from vliw_mlir.schedule.back_end import Effort, schedule_function
from vliw_mlir.schedule.emit import Emitted
from vliw_mlir.schedule.machine import BlockRef, MachineFunction, Reg
from vliw_mlir.schedule.memory_order import MemoryOrder
from vliw_mlir.schedule.spill import SpillSlots
from vliw_mlir.sim.machine import Machine
from vliw_mlir.sim.outcome import Status
from vliw_mlir.sim.program import Program
from vliw_mlir.target import Target

SPILL_ADDRESS = 10
EFFORTS = (Effort(0, verify=True), Effort(20_000, verify=True))
SLOTS = {"alu": 2, "valu": 1, "load": 1, "store": 1, "flow": 1}


def target(scratch: int, *, narrow: bool = False) -> Target:
    description = {"vlen": 4, "scratch": scratch}
    return Target.from_dict(description | ({"engines": SLOTS} if narrow else {}))


def keep_traces_in_order(function: MachineFunction) -> None:
    for block in function.blocks:
        order = MemoryOrder(function)
        for instruction in block.instructions:
            if instruction.mnemonic == "trace_write":
                order.write(instruction, ["trace"])


def run(function: MachineFunction, emitted: Emitted, slots: SpillSlots) -> list[int]:
    program = Program(emitted.bundles, Interface("test", (), ()), function.target, emitted.sources)
    machine = Machine(program, np.zeros(SPILL_ADDRESS + slots.words, np.uint32))
    assert machine.run() is Status.HALTED
    return machine.trace_buffer.tolist()


@pytest.mark.parametrize("seed", range(60))
def test_bundles_behave_like_the_function(seed: int) -> None:
    """On all kinds of pressure, with control flow, with writes of whole registers and of lanes."""
    random = Random(seed)
    made = random_function(
        random,
        target(random.choice((16, 24, 48, 200)), narrow=random.random() < 0.3),
        blocks=random.randint(1, 10),
        words=random.randint(1, 20),
        vectors=random.randint(0, 4),
        per_block=random.choice((3, 8, 30)),
        acyclic=True,
        exits=random.random() < 0.7,
    )
    keep_traces_in_order(made)
    before = run_virtual(deepcopy(made))
    slots = SpillSlots(SPILL_ADDRESS)
    emitted = schedule_function(made, slots, random.choice(EFFORTS))
    assert run(made, emitted, slots) == before


def one_block(words: int = 0, vectors: int = 0, scratch: int = 64) -> MachineFunction:
    made = MachineFunction(target(scratch))
    made.new_block()
    for _ in range(words):
        made.new_register()
    for _ in range(vectors):
        made.new_register(4)
    return made


def bundles(made: MachineFunction) -> list[dict[str, list[tuple[object, ...]]]]:
    emitted = schedule_function(made, SpillSlots(SPILL_ADDRESS), Effort(1000, verify=True))
    return emitted.bundles


def test_independent_instructions_share_a_bundle() -> None:
    made = one_block(4)
    emit(made, 0, "const", Reg(0), 1)
    emit(made, 0, "const", Reg(1), 2)
    emit(made, 0, "+", Reg(2), Reg(0), Reg(1))
    emit(made, 0, "^", Reg(3), Reg(0), Reg(1))
    emit(made, 0, "store", Reg(2), Reg(3))
    assert [sorted(bundle) for bundle in bundles(made)] == [["load"], ["alu"], ["store"]]


def test_jump_shares_the_last_bundle() -> None:
    made = one_block(2)
    made.new_block()
    emit(made, 0, "const", Reg(0), 1)
    emit(made, 0, "store", Reg(0), Reg(0))
    emit(made, 1, "coreid", Reg(1))
    emit(made, 1, "trace_write", Reg(1))
    made.blocks[0].condition = Reg(0)
    made.blocks[0].successors = (0, 1)
    assert [sorted(bundle) for bundle in bundles(made)] == [
        ["load"],
        ["flow", "store"],
        ["flow"],
        ["flow"],
    ]


def test_counter_is_advanced_in_place() -> None:
    """The move at the end of the loop is gone."""
    made = one_block(4)
    for _ in range(2):
        made.new_block()
    emit(made, 0, "const", Reg(0), 3)
    emit(made, 0, "const", Reg(1), 0xFFFFFFFF)
    made.blocks[0].successors = (1,)
    emit(made, 1, "+", Reg(2), Reg(0), Reg(1))
    emit(made, 1, "trace_write", Reg(0))
    emit(made, 1, "|", Reg(0), Reg(2), Reg(2))
    made.blocks[1].condition = Reg(2)
    made.blocks[1].successors = (1, 2)
    loop = bundles(made)[1:]
    assert len(loop) == 2
    ((mnemonic, to, source, _),) = loop[0]["alu"]
    assert (mnemonic, to) == ("+", source)


def test_vector_function_runs_on_lanes_when_its_engine_is_full() -> None:
    made = one_block(vectors=9)
    for number in range(8):
        emit(made, 0, "vbroadcast", Reg(number), Reg(number))
    for number in range(8):
        emit(made, 0, "+", Reg(number), Reg(number), Reg(number), vector=True)
    for number in range(8):
        emit(made, 0, "vstore", Reg(number), Reg(number))
    engines = [engine for bundle in bundles(made) for engine in bundle]
    assert "alu" in engines
    assert "valu" in engines


def test_two_jumps_follow_each_other() -> None:
    made = one_block(1)
    for _ in range(2):
        made.new_block()
    emit(made, 0, "coreid", Reg(0))
    made.blocks[0].condition = Reg(0)
    made.blocks[0].successors = (2, 0)
    emit(made, 1, "pause")
    emit(made, 2, "pause")
    assert [list(bundle.values()) for bundle in bundles(made)][:3] == [
        [[("coreid", 63)]],
        [[("cond_jump", 63, 3)]],
        [[("jump", 0)]],
    ]


def test_move_behind_the_last_side_exit_is_made_in_place() -> None:
    """Then there is no instruction left behind the exit, which is not the end of the block."""
    made = one_block(4)
    for _ in range(3):
        made.new_block()
    emit(made, 0, "const", Reg(0), 0)
    emit(made, 0, "const", Reg(2), 3)
    made.blocks[0].successors = (1,)
    emit(made, 1, "trace_write", Reg(2))
    emit(made, 1, "+", Reg(3), Reg(2), Reg(2))
    emit(made, 1, "cond_jump", Reg(0), BlockRef(3))
    emit(made, 1, "|", Reg(2), Reg(3), Reg(3))
    made.blocks[1].successors = (2,)
    emit(made, 2, "trace_write", Reg(2))
    made.blocks[2].condition, made.blocks[2].successors = Reg(0), (2, 3)
    emit(made, 3, "trace_write", Reg(2))
    keep_traces_in_order(made)
    slots = SpillSlots(SPILL_ADDRESS)
    emitted = schedule_function(made, slots, Effort(1000, verify=True))
    assert run(made, emitted, slots) == [3, 6, 6]


@pytest.mark.parametrize("seed", range(6))
def test_a_search_in_stages_keeps_the_best(seed: int) -> None:
    made = random_function(
        Random(seed), target(48), blocks=1, words=8, vectors=3, per_block=40, acyclic=True
    )
    keep_traces_in_order(made)
    lengths: list[int] = []
    for effort in (Effort(2_000, 2_400), Effort(32_000, 38_400, stages=2)):
        emitted = schedule_function(deepcopy(made), SpillSlots(SPILL_ADDRESS), effort)
        lengths.append(len(emitted.bundles))
    assert lengths[1] <= lengths[0]
