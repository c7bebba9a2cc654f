"""Pipelined loops against the loops as they were, and the reasons for leaving loops alone."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from support.machine_functions import emit, run_virtual
from support.machine_loops import END, LOOP, loop_function, random_loop_function
from vliw_mlir.abi import Interface
from vliw_mlir.schedule.back_end import Effort, schedule_function
from vliw_mlir.schedule.emit import Emitted
from vliw_mlir.schedule.machine import MachineFunction, Reg
from vliw_mlir.schedule.software_pipelining import LoopOutcome, pipeline_loops
from vliw_mlir.schedule.spill import SpillSlots
from vliw_mlir.sim.machine import Machine
from vliw_mlir.sim.outcome import Status
from vliw_mlir.sim.program import Program
from vliw_mlir.target import Target

MEMORY = 4096
SMALL = Target.from_dict({"vlen": 4})
NARROW = Target.from_dict(
    {"vlen": 4, "engines": {"alu": 3, "valu": 1, "load": 1, "store": 1, "flow": 1}}
)
PLENTY = 1_000


def set_trips(function: MachineFunction, trips: int) -> None:
    counter = function.blocks[0].instructions[0]
    counter.operands = counter.operands[0], trips


def run(function: MachineFunction, emitted: Emitted) -> tuple[list[int], int]:
    """The trace of a program, and its cycles."""
    program = Program(emitted.bundles, Interface("test", (), ()), function.target, emitted.sources)
    machine = Machine(program, np.zeros(MEMORY, np.uint32))
    assert machine.run() is Status.HALTED
    return machine.trace_buffer.tolist(), machine.cycles


def pipelined(function: MachineFunction) -> tuple[Emitted, LoopOutcome]:
    emitted = schedule_function(
        function.copy(), SpillSlots(MEMORY), Effort(0, pipeline=True, verify=True)
    )
    (outcome,) = emitted.loops
    return emitted, outcome


@pytest.mark.parametrize("seed", range(25))
def test_same_traces_after_any_number_of_iterations(seed: int) -> None:
    """Of the blocks on virtual registers, in their order, and of the bundles."""
    random = Random(seed)
    target = random.choice((SMALL, NARROW))
    made = random_loop_function(random, 1, target, instructions=random.choice((2, 6, 12, 20)))
    found = made.copy()
    (outcome,) = pipeline_loops(found, target.scratch // 2)
    for trips in (*range(1, 12), random.randint(12, 40)):
        for function in (made, found):
            set_trips(function, trips)
        expected = run_virtual(made, steps=100_000)
        assert run_virtual(found, steps=100_000) == expected
        if trips in (1, 2, 3, 11):
            emitted, _ = pipelined(made)
            assert run(made, emitted)[0] == expected
    assert outcome.interval is not None or outcome.reason is not None


def sum_of_squares(trips: int) -> MachineFunction:
    made = loop_function(trips)
    address, total, one = made.registers(0, 0, 1)
    square, loaded = (made.function.new_register() for _ in range(2))
    made.emit("load", Reg(loaded), Reg(address))
    made.emit("*", Reg(square), Reg(loaded), Reg(loaded))
    made.emit("+", Reg(total), Reg(total), Reg(square))
    made.emit("+", Reg(address), Reg(address), Reg(one))
    return made.close(Reg(total), Reg(address))


def test_one_iteration_per_cycle() -> None:
    cycles: dict[int, int] = {}
    for trips in (100, 200):
        function = sum_of_squares(trips)
        emitted, outcome = pipelined(function)
        trace, cycles[trips] = run(function, emitted)
        assert trace == [0, trips]
        assert (outcome.interval, outcome.least_interval, outcome.reason) == (1, 1, None)
        assert outcome.binding == ("flow",)
    assert cycles[200] - cycles[100] == 100
    assert cycles[100] <= 115


def test_loop_that_ends_if_its_condition_holds() -> None:
    for trips in (1, 2, 9):
        made = loop_function(trips)
        total, is_last = made.registers(0, 0)
        made.emit("+", Reg(total), Reg(total), Reg(made.counter))
        function = made.close(Reg(total))
        zero = made.registers(0)[0]
        made.emit("==", Reg(is_last), Reg(made.counter), Reg(zero))
        loop = function.blocks[LOOP]
        loop.condition, loop.successors = Reg(is_last), (END, LOOP)
        emitted, outcome = pipelined(function)
        assert outcome.interval == 1
        assert run(function, emitted)[0] == [trips * (trips + 1) // 2]


def test_few_iterations_take_no_longer_than_without() -> None:
    for trips in (1, 2, 3):
        function = sum_of_squares(trips)
        plain = schedule_function(function.copy(), SpillSlots(MEMORY), Effort(0))
        assert run(function, pipelined(function)[0])[1] <= run(function, plain)[1] + 2


def test_recurrence_is_told() -> None:
    made = loop_function(5)
    (value,) = made.registers(1)
    for mnemonic in ("*", "^", "*"):
        made.emit(mnemonic, Reg(value), Reg(value), Reg(made.counter))
    stored = made.function.new_register()
    made.emit("*", Reg(stored), Reg(value), Reg(value))
    made.emit("*", Reg(stored), Reg(stored), Reg(stored))
    made.emit("store", Reg(made.counter), Reg(stored))
    _, outcome = pipelined(made.close(Reg(value)))
    assert outcome.recurrence_bound == outcome.interval == 3
    assert sorted(i.mnemonic for i in outcome.recurrence) == ["*", "*", "^"]


def reason(function: MachineFunction, words: int = PLENTY) -> str | None:
    before = [list(block.instructions) for block in function.blocks]
    (outcome,) = pipeline_loops(function, words)
    assert outcome.interval is None
    assert [block.instructions for block in function.blocks] == before
    return outcome.reason


def test_loops_that_are_left_alone() -> None:
    made = loop_function(5)
    made.emit("trace_write", Reg(made.counter))
    assert reason(made.close()) == "there is 'trace_write' inside"

    function = sum_of_squares(5)
    function.blocks[LOOP].carried = None
    assert reason(function) == "the order of its accesses of memory is not known"

    function = sum_of_squares(5)
    function.blocks[LOOP].successors = (LOOP,)
    function.blocks[LOOP].condition = None
    assert reason(function) == "it has no end"

    assert reason(sum_of_squares(5), words=6) == "II 2 takes 4 words of scratch, 1 are left"

    made = loop_function(5)
    (value,) = made.registers(1)
    for _ in range(3):
        made.emit("*", Reg(value), Reg(value), Reg(made.counter))
    assert reason(made.close(Reg(value))) == "no schedule is better than that of the block"


def test_branches_inside() -> None:
    made = loop_function(5)
    function = made.close(Reg(made.counter))
    other = function.new_block()
    function.blocks[other].successors = (LOOP,)
    emit(function, other, "+", Reg(made.counter), Reg(made.counter), Reg(made.minus_one))
    function.blocks[LOOP].successors = (other, END)
    function.lay_out([0, LOOP, other, END])
    assert reason(function) == "there are branches inside"
