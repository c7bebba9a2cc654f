"""Superblocks and the layout of blocks, against what functions did before."""

from __future__ import annotations

from copy import deepcopy
from random import Random

import pytest

from support.machine_functions import emit, random_function, run_virtual
from vliw_mlir.schedule.block_layout import lay_out_blocks
from vliw_mlir.schedule.control_flow import simplify_control_flow
from vliw_mlir.schedule.machine import MachineFunction, Reg, exit_target
from vliw_mlir.schedule.superblocks import form_superblocks
from vliw_mlir.target import Target

TARGET = Target.from_dict({"vlen": 4})


def function(registers: int, *successors: tuple[int, ...]) -> MachineFunction:
    """A block for each tuple of successors; those of two have register 0 as their condition."""
    made = MachineFunction(TARGET, widths=[1] * registers)
    for number, following in enumerate(successors):
        made.new_block()
        emit(made, number, "trace_write", Reg(1))
        made.blocks[number].successors = following
        made.blocks[number].condition = Reg(0) if len(following) == 2 else None
    return made


def shape(made: MachineFunction) -> list[tuple[list[int], tuple[int, ...]]]:
    """Where the side exits and the end of each block lead."""
    return [(list(map(exit_target, block.exits())), block.successors) for block in made.blocks]


def mnemonics(made: MachineFunction, block: int) -> list[str]:
    return [instruction.mnemonic for instruction in made.blocks[block].instructions]


def test_loop_with_its_condition_at_the_top() -> None:
    made = function(2, (1,), (2, 3), (1,), ())
    emit(made, 1, "==", Reg(0), Reg(1), Reg(1))
    form_superblocks(made)
    assert shape(made) == [([], (1,)), ([2], (1,)), ([], ())]
    # What holds where the comparison does not.
    assert mnemonics(made, 1) == ["trace_write", "^", "==", "cond_jump", "trace_write"]


def test_condition_that_is_not_a_comparison_is_compared_to_zero() -> None:
    made = function(2, (1,), (2, 3), (1,), ())
    form_superblocks(made)
    assert mnemonics(made, 1) == ["trace_write", "const", "==", "cond_jump", "trace_write"]


def test_nothing_to_compare_with() -> None:
    target = Target.from_dict({"vlen": 4, "engines": {"alu": {"instructions": ["+", "|"]}}})
    made = function(2, (1,), (2, 3), (1,), ())
    made.target = target
    form_superblocks(made)
    assert shape(made) == [([], (1,)), ([], (2, 3)), ([], (1,)), ([], ())]


def test_break_is_a_side_exit() -> None:
    made = function(2, (1,), (3, 2), (1, 3), ())
    form_superblocks(made)
    assert shape(made) == [([], (1,)), ([2], (1, 2)), ([], ())]


def test_small_block_is_copied_behind_both_sides_of_a_branch() -> None:
    made = function(2, (1,), (3, 2), (4,), (4,), (1, 5), ())
    form_superblocks(made)
    assert shape(made) == [([], (1,)), ([2], (1, 3)), ([], (1, 3)), ([], ())]
    assert [block.order for block in made.blocks] == [None] * 4


def test_large_block_is_not_copied() -> None:
    made = function(2, (1,), (3, 2), (4,), (4,), (1, 5), ())
    for _ in range(100):
        emit(made, 4, "trace_write", Reg(1))
    form_superblocks(made)
    assert shape(made) == [([], (1,)), ([2], (3,)), ([], (3,)), ([], (1, 4)), ([], ())]


def test_loops_stay_apart() -> None:
    made = function(2, (1,), (1, 2), (2, 3), ())
    form_superblocks(made)
    assert shape(made) == [([], (1,)), ([], (1, 2)), ([], (2, 3)), ([], ())]


def test_copies_keep_the_order_of_their_instructions() -> None:
    made = function(2, (1,), (3, 2), (4,), (4,), (1, 5), ())
    first, second = (made.blocks[4].instructions[0], deepcopy(made.blocks[4].instructions[0]))
    made.blocks[4].instructions.append(second)
    first.key, second.after = made.new_key(), ((made.keys - 1, 1),)
    form_superblocks(made)
    for number in (1, 2):
        *_, before, last = made.blocks[number].instructions
        assert (before.key, 1) in last.after


def test_other_side_of_a_branch_comes_next() -> None:
    made = function(2, (2, 1), (3,), (3,), ())
    made.lay_out([0, 2, 1, 3])
    lay_out_blocks(made)
    assert shape(made) == [([], (2, 1)), ([], (3,)), ([], (3,)), ([], ())]


def test_second_jump_has_room_for_what_only_its_side_needs() -> None:
    # The last block can be behind one of the branches only.
    made = function(2, (1, 3), (2, 3), (3,), ())
    lay_out_blocks(made)
    assert shape(made) == [([], (2, 1)), ([], ()), ([3], (1,)), ([], (1,))]


@pytest.mark.parametrize("seed", range(120))
def test_behaves_like_the_function(seed: int) -> None:
    random = Random(seed)
    made = random_function(
        random,
        TARGET,
        blocks=random.randint(1, 12),
        words=random.randint(1, 6),
        vectors=random.randint(0, 2),
        per_block=random.choice((1, 3, 8)),
        acyclic=random.random() < 0.3,
        exits=random.random() < 0.3,
    )
    before = run_virtual(deepcopy(made))
    simplify_control_flow(made)
    form_superblocks(made)
    lay_out_blocks(made)
    after = run_virtual(made)
    # Runs that do not end are cut off after a number of instructions.
    length = min(len(before), len(after))
    assert before[:length] == after[:length]
    assert length * 3 >= max(len(before), len(after))
