"""Computations moved to before a branch, by hand and against what functions did before."""

from __future__ import annotations

from copy import deepcopy
from random import Random

import pytest

from support.machine_functions import emit, random_function, run_virtual
from vliw_mlir.schedule.hoisting import SHARE_OF_SLOTS, hoist_before_branches
from vliw_mlir.schedule.machine import After, MachineFunction, Reg
from vliw_mlir.target import Target

TARGET = Target.default()
MOST = TARGET.slots["alu"] // SHARE_OF_SLOTS


def branch(registers: int, target: Target = TARGET) -> MachineFunction:
    """Register 0, which is computed in two steps, decides between blocks 1 and 2."""
    made = MachineFunction(target, widths=[1] * registers)
    for successors in ((1, 2), (3,), (3,), ()):
        made.blocks[made.new_block()].successors = successors
    made.blocks[0].condition = Reg(0)
    emit(made, 0, "coreid", Reg(0))
    emit(made, 0, "+", Reg(0), Reg(0), Reg(0))
    return made


def mnemonics(made: MachineFunction) -> list[list[str]]:
    return [[i.mnemonic for i in block.instructions] for block in made.blocks]


def test_what_is_ready_in_time() -> None:
    made = branch(6)
    for number in range(1, 5):
        emit(made, 1, "^", Reg(number + 1), Reg(number), Reg(number))
    hoist_before_branches(made)
    # The fourth one would be ready after the branch.
    assert mnemonics(made)[:2] == [["coreid", "+", "^", "^", "^"], ["^"]]


def test_no_more_than_there_is_room_for() -> None:
    made = branch(20)
    for number in range(MOST + 2):
        emit(made, 1, "const", Reg(number + 1), number)
    hoist_before_branches(made)
    assert mnemonics(made)[1] == ["const"] * 2
    slots = {"engines": {"alu": {"slots": SHARE_OF_SLOTS - 1}}}
    made = branch(20, Target.from_dict(slots))
    emit(made, 1, "const", Reg(1), 1)
    hoist_before_branches(made)
    assert mnemonics(made)[1] == ["const"]


def test_what_the_other_side_reads_stays() -> None:
    made = branch(3)
    emit(made, 1, "const", Reg(1), 5)
    emit(made, 2, "trace_write", Reg(1))
    hoist_before_branches(made)
    assert mnemonics(made)[1] == ["const"]


def test_effects_and_what_is_in_order_stay() -> None:
    made = branch(5)
    emit(made, 1, "trace_write", Reg(1))
    emit(made, 1, "load", Reg(2), Reg(1))
    emit(made, 1, "load", Reg(3), Reg(1))
    made.blocks[1].instructions[2].never_traps = True
    made.blocks[1].instructions[2].after = (After(0, 0),)
    made.blocks[1].instructions[2].key = 1
    emit(made, 1, "+", Reg(1), Reg(4), Reg(4))
    hoist_before_branches(made)
    # The last one writes what others read before.
    assert mnemonics(made)[1] == ["trace_write", "load", "load", "+"]


def test_nothing_moves_into_a_loop() -> None:
    made = branch(3)
    made.blocks[0].successors = (0, 1)
    emit(made, 1, "const", Reg(1), 5)
    hoist_before_branches(made)
    assert mnemonics(made)[1] == ["const"]


@pytest.mark.parametrize("seed", range(100))
def test_behaves_like_the_function(seed: int) -> None:
    random = Random(seed)
    made = random_function(
        random,
        Target.from_dict({"vlen": 4}),
        blocks=random.randint(3, 12),
        words=random.randint(2, 8),
        vectors=random.randint(0, 1),
        per_block=random.choice((3, 6)),
        exits=random.random() < 0.3,
    )
    before = run_virtual(deepcopy(made))
    hoist_before_branches(made)
    after = run_virtual(made)
    length = min(len(before), len(after))
    assert before[:length] == after[:length]
    assert length * 3 >= max(len(before), len(after))
