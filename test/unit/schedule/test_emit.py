"""From machine functions to bundles: allocation that spills, terminators, moves."""

from __future__ import annotations

from copy import deepcopy
from random import Random

import numpy as np
import pytest

from support.machine_functions import emit, random_function, run_allocated, run_virtual
from vliw_mlir.abi import Interface
from vliw_mlir.errors import CompileError
from vliw_mlir.schedule.emit import Emitted, allocate_with_spilling, emit_sequential
from vliw_mlir.schedule.linear_scan import Allocation
from vliw_mlir.schedule.machine import UNDEFINED, MachineFunction, Reg
from vliw_mlir.schedule.spill import SpillSlots
from vliw_mlir.sim.machine import Machine
from vliw_mlir.sim.outcome import Status
from vliw_mlir.sim.program import Program
from vliw_mlir.target import Target

SPILL_ADDRESS = 10


def target(scratch: int, vlen: int = 4) -> Target:
    return Target.from_dict({"vlen": vlen, "scratch": scratch})


def function(blocks: int, registers: int, vectors: int = 0) -> MachineFunction:
    made = MachineFunction(target(64))
    for _ in range(blocks):
        made.new_block()
    for _ in range(registers):
        made.new_register()
    for _ in range(vectors):
        made.new_register(4)
    return made


def bundles(made: MachineFunction, addresses: dict[int, int] | None = None) -> Emitted:
    where = addresses if addresses is not None else {r: r for r in range(len(made.widths))}
    return emit_sequential(made, Allocation(where, set()))


# Terminators


def test_next_block_is_reached_by_falling_through() -> None:
    made = function(2, 0)
    made.blocks[0].successors = (1,)
    assert bundles(made).bundles == []


def test_other_block_is_reached_by_a_jump() -> None:
    made = function(3, 1)
    emit(made, 1, "coreid", Reg(0))
    made.blocks[0].successors = (2,)
    made.blocks[1].successors = (0,)
    assert bundles(made).bundles == [
        {"flow": [("jump", 3)]},
        {"flow": [("coreid", 0)]},
        {"flow": [("jump", 0)]},
    ]


def test_branch_falls_through_where_it_can() -> None:
    made = function(3, 1)
    emit(made, 1, "coreid", Reg(0))
    made.blocks[0].condition = Reg(0)
    made.blocks[0].successors = (2, 1)
    made.blocks[1].successors = (2,)
    assert bundles(made).bundles == [{"flow": [("cond_jump", 0, 2)]}, {"flow": [("coreid", 0)]}]


def test_branch_with_no_side_next() -> None:
    made = function(3, 1)
    made.blocks[0].condition = Reg(0)
    made.blocks[0].successors = (2, 0)
    assert bundles(made).bundles[:2] == [{"flow": [("cond_jump", 0, 3)]}, {"flow": [("jump", 0)]}]


def test_return_halts_except_at_the_end() -> None:
    made = function(2, 0)
    assert bundles(made).bundles == [{"flow": [("halt",)]}]


def test_every_slot_tells_its_source() -> None:
    made = function(2, 1)
    emit(made, 0, "coreid", Reg(0))
    made.blocks[0].instructions[0].source = "a:1:1"
    made.blocks[0].source = "a:2:1"
    made.blocks[0].condition = Reg(0)
    made.blocks[0].successors = (0, 1)
    assert bundles(made).sources == [["a:1:1"], ["a:2:1"]]


# Moves and pseudo instructions


def test_move_between_the_same_words_is_left_out() -> None:
    made = function(1, 2, 2)
    emit(made, 0, "|", Reg(0), Reg(1), Reg(1))
    emit(made, 0, "|", Reg(2), Reg(3), Reg(3), vector=True)
    assert bundles(made, {0: 5, 1: 5, 2: 8, 3: 8}).bundles == []
    assert len(bundles(made, {0: 5, 1: 6, 2: 8, 3: 12}).bundles) == 2


def test_lane_is_a_word_of_its_vector() -> None:
    made = function(1, 1, 1)
    emit(made, 0, UNDEFINED, Reg(1))
    emit(made, 0, "+", Reg(1, 3), Reg(0), Reg(1, 2))
    assert bundles(made, {0: 0, 1: 20}).bundles == [{"alu": [("+", 23, 0, 22)]}]


# Allocation


def test_too_little_scratch_for_one_instruction() -> None:
    made = MachineFunction(target(7))
    made.new_block()
    for _ in range(3):
        made.new_register(4)
    emit(made, 0, UNDEFINED, Reg(0))
    emit(made, 0, UNDEFINED, Reg(1))
    emit(made, 0, "+", Reg(2), Reg(0), Reg(1), vector=True)
    with pytest.raises(CompileError, match="7 words of scratch are too few"):
        allocate_with_spilling(made, SpillSlots(SPILL_ADDRESS))


@pytest.mark.parametrize("seed", range(60))
def test_allocated_code_behaves_like_virtual_registers(seed: int) -> None:
    """On all kinds of pressure: the values read are those that were written, path by path."""
    random = Random(seed)
    scratch = random.choice((16, 20, 32, 64))
    made = random_function(
        random,
        target(scratch),
        blocks=random.randint(1, 10),
        words=random.randint(1, 30),
        vectors=random.randint(0, 6),
    )
    before = run_virtual(deepcopy(made))
    allocation = allocate_with_spilling(made, SpillSlots(SPILL_ADDRESS))
    assert not allocation.spilled
    assert run_allocated(made, allocation.addresses) == before


@pytest.mark.parametrize("seed", range(12))
def test_bundles_behave_like_the_function(seed: int) -> None:
    random = Random(seed)
    made = random_function(
        random,
        target(random.choice((16, 48))),
        blocks=random.randint(1, 10),
        words=random.randint(1, 20),
        vectors=random.randint(0, 4),
        acyclic=True,
    )
    before = run_virtual(deepcopy(made))
    slots = SpillSlots(SPILL_ADDRESS)
    allocation = allocate_with_spilling(made, slots)
    emitted = emit_sequential(made, allocation)
    program = Program(emitted.bundles, Interface("test", (), ()), made.target, emitted.sources)
    memory = np.zeros(SPILL_ADDRESS + slots.words, np.uint32)
    machine = Machine(program, memory)
    assert machine.run() is Status.HALTED
    assert machine.trace_buffer.tolist() == before
