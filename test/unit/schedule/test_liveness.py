"""Live intervals, by hand and against the definition of liveness."""

from __future__ import annotations

from random import Random

import pytest

from support.machine_functions import emit, random_function
from vliw_mlir.schedule.liveness import Interval, live_intervals
from vliw_mlir.schedule.machine import UNDEFINED, MachineFunction, Reg
from vliw_mlir.target import Target

TARGET = Target.from_dict({"vlen": 4})


def function(registers: int = 0, vectors: int = 0) -> MachineFunction:
    made = MachineFunction(TARGET)
    for _ in range(registers):
        made.new_register()
    for _ in range(vectors):
        made.new_register(TARGET.vlen)
    return made


def spans(made: MachineFunction) -> dict[int, tuple[int, int]]:
    return {i.register: (i.start, i.end) for i in live_intervals(made)}


def test_from_the_write_to_the_last_read() -> None:
    made = function(3)
    made.new_block()
    emit(made, 0, "const", Reg(0), 1)
    emit(made, 0, "const", Reg(1), 2)
    emit(made, 0, "+", Reg(2), Reg(0), Reg(0))
    emit(made, 0, "trace_write", Reg(1))
    assert spans(made) == {0: (0, 2), 1: (1, 3), 2: (2, 2)}


def test_sorted_by_start() -> None:
    made = function(3)
    made.new_block()
    for register in (2, 0, 1):
        emit(made, 0, "const", Reg(register), 1)
    assert live_intervals(made) == [Interval(2, 0, 0), Interval(0, 1, 1), Interval(1, 2, 2)]


def test_condition_is_read_by_the_terminator() -> None:
    made = function(1)
    for _ in range(2):
        made.new_block()
    emit(made, 0, "const", Reg(0), 1)
    made.blocks[0].condition = Reg(0)
    made.blocks[0].successors = (0, 1)
    assert spans(made) == {0: (0, 1)}


def test_value_read_in_a_loop_lives_through_it() -> None:
    made = function(2)
    for _ in range(3):
        made.new_block()
    emit(made, 0, "const", Reg(0), 1)  # 0
    made.blocks[0].successors = (1,)  # 1
    emit(made, 1, "trace_write", Reg(0))  # 2
    emit(made, 1, "const", Reg(1), 1)  # 3
    made.blocks[1].condition = Reg(1)
    made.blocks[1].successors = (1, 2)  # 4
    assert spans(made) == {0: (0, 4), 1: (3, 4)}


def test_value_written_behind_its_reader_in_block_order() -> None:
    """Block 1 reads what block 2 has written: the life begins on the way into block 1."""
    made = function(1)
    for _ in range(3):
        made.new_block()
    made.blocks[0].successors = (2,)  # 0
    emit(made, 1, "trace_write", Reg(0))  # 1, 2
    emit(made, 2, "const", Reg(0), 1)  # 3
    made.blocks[2].successors = (1,)  # 4
    assert spans(made) == {0: (0, 4)}


def test_write_of_one_lane_keeps_the_others_alive() -> None:
    made = function(1, 1)
    for _ in range(2):
        made.new_block()
    emit(made, 0, "vbroadcast", Reg(1), Reg(0))  # 0
    made.blocks[0].successors = (1,)  # 1
    emit(made, 1, "const", Reg(1, 2), 1)  # 2
    emit(made, 1, "trace_write", Reg(1, 0))  # 3
    assert spans(made)[1] == (0, 3)


def test_write_of_one_lane_carries_the_others_around_a_loop() -> None:
    made = function(1, 1)
    for _ in range(2):
        made.new_block()
    emit(made, 0, "vbroadcast", Reg(1), Reg(0))  # 0
    made.blocks[0].successors = (1,)  # 1
    emit(made, 1, "const", Reg(1, 2), 1)  # 2
    emit(made, 1, "trace_write", Reg(1, 0))  # 3
    emit(made, 1, "coreid", Reg(0))  # 4
    made.blocks[1].successors = (1,)  # 5
    assert spans(made)[1] == (0, 5)


def test_undefined_ends_the_life_before() -> None:
    made = function(1, 1)
    for _ in range(2):
        made.new_block()
    emit(made, 0, "const", Reg(0), 1)  # 0
    made.blocks[0].successors = (1,)  # 1
    emit(made, 1, UNDEFINED, Reg(1))  # 2
    for lane in range(4):
        emit(made, 1, "|", Reg(1, lane), Reg(0), Reg(0))  # 3..6
    made.blocks[1].successors = (1,)  # 7
    assert spans(made) == {0: (0, 7), 1: (2, 6)}


def test_instruction_reads_before_it_writes() -> None:
    """`x = x + x` on the way around a loop reads what the iteration before has written."""
    made = function(1)
    for _ in range(2):
        made.new_block()
    emit(made, 0, "const", Reg(0), 1)  # 0
    made.blocks[0].successors = (1,)  # 1
    emit(made, 1, "+", Reg(0), Reg(0), Reg(0))  # 2
    made.blocks[1].successors = (1,)  # 3
    assert spans(made) == {0: (0, 3)}


@pytest.mark.parametrize("seed", range(20))
def test_every_point_where_a_register_is_live_lies_in_its_interval(seed: int) -> None:
    random = Random(seed)
    made = random_function(random, TARGET, blocks=random.randint(1, 9), words=4, vectors=2)
    intervals = spans(made)
    before, firsts = solve(made)
    for position, live in enumerate(before):
        for register in live:
            start, end = intervals[register]
            assert start < position <= end
    for block, first in zip(made.blocks, firsts, strict=True):
        exit = first + len(block.instructions)
        for register in set[int]().union(*(before[firsts[s]] for s in block.successors)):
            start, end = intervals[register]
            assert start <= exit <= end


def solve(made: MachineFunction) -> tuple[list[set[int]], list[int]]:
    """The registers live before each position, and the first position of each block.

    The data-flow equations, iterated plainly: a register is live before a position if on some
    path from there it is read before it is written as a whole.
    """
    reads: list[set[int]] = []
    kills: list[set[int]] = []
    nexts: list[list[int]] = []
    firsts: list[int] = []
    for block in made.blocks:
        firsts.append(len(reads))
        for instruction in block.instructions:
            accesses = list(made.accesses(instruction))
            writes = [a for a in accesses if a.is_def]
            reads.append({a.register for a in accesses if not a.is_def})
            kills.append({a.register for a in writes if a.words == made.widths[a.register]})
            nexts.append([len(reads)])
        reads.append(set() if block.condition is None else {block.condition.register})
        kills.append(set())
        nexts.append([])
    for first, block in zip(firsts, made.blocks, strict=True):
        nexts[first + len(block.instructions)] = [firsts[s] for s in block.successors]
    before: list[set[int]] = [set() for _ in reads]
    changed = True
    while changed:
        changed = False
        for p in reversed(range(len(reads))):
            after = set[int]().union(*(before[n] for n in nexts[p]))
            new = reads[p] | (after - kills[p])
            changed |= new != before[p]
            before[p] = new
    return before, firsts
