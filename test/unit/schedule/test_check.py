"""The check of bundles finds what is wrong with them, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from support.machine_functions import emit, random_function
from vliw_mlir.schedule.check import check_block
from vliw_mlir.schedule.coalesce import coalesce_moves
from vliw_mlir.schedule.emit_block import PlacedSlot, emit_block
from vliw_mlir.schedule.graph import build_graph
from vliw_mlir.schedule.list_schedule import Limits
from vliw_mlir.schedule.liveness import Liveness
from vliw_mlir.schedule.machine import After, BlockRef, MachineFunction, Reg
from vliw_mlir.schedule.place import place_values
from vliw_mlir.schedule.renaming import rename
from vliw_mlir.schedule.search import search_schedule
from vliw_mlir.target import Target

NOTHING_LIVE = Liveness((), (), {})
TARGET = Target.from_dict({"vlen": 4, "scratch": 200})


def scheduled(made: MachineFunction) -> list[list[PlacedSlot]]:
    """The bundles of the only block, in which nothing lives on entry or exit."""
    block = rename(made, made.blocks[0].instructions, NOTHING_LIVE)
    coalesce_moves(block)
    graph = build_graph(block, made.target, 0)
    found = search_schedule(graph, TARGET, Limits(200, 0, 0, 1000, 1000), 0)
    assert found is not None
    places = place_values(graph, found.schedule, {}, 200)
    assert places is not None
    return emit_block(graph, found.schedule, places, found.cycles)


def problems(made: MachineFunction, bundles: list[list[PlacedSlot]]) -> list[str]:
    return check_block(made, made.blocks[0].instructions, NOTHING_LIVE, {}, bundles)


def example() -> MachineFunction:
    made = MachineFunction(TARGET, widths=[1, 1, 1, 4])
    made.new_block()
    emit(made, 0, "const", Reg(0), 1)
    emit(made, 0, "const", Reg(1), 2)
    emit(made, 0, "+", Reg(2), Reg(0), Reg(1))
    emit(made, 0, "vbroadcast", Reg(3), Reg(2))
    emit(made, 0, "store", Reg(0), Reg(2))
    emit(made, 0, "vstore", Reg(1), Reg(3))
    return made


def test_correct_bundles() -> None:
    made = example()
    assert problems(made, scheduled(made)) == []


def test_instruction_before_its_operand() -> None:
    made = example()
    bundles = scheduled(made)
    bundles[0], bundles[1] = bundles[1], bundles[0]
    assert any("reads" in problem for problem in problems(made, bundles))


def test_lost_store() -> None:
    made = example()
    bundles = scheduled(made)
    bundles = [[slot for slot in b if slot.mnemonic != "store"] for b in bundles]
    assert any("store runs 0 times" in problem for problem in problems(made, bundles))


def test_other_immediate() -> None:
    made = example()
    bundles = scheduled(made)
    slot = bundles[0][0]
    bundles[0][0] = replace(slot, operands=(slot.operands[0], 7))
    assert problems(made, bundles) == ["cycle 0: operand 1 of const is not 1"]


def test_too_many_slots() -> None:
    made = MachineFunction(TARGET, widths=[1, 1, 1])
    made.new_block()
    for number in range(3):
        emit(made, 0, "const", Reg(number), number)
        emit(made, 0, "trace_write", Reg(number))
    bundles = scheduled(made)
    late = [slot for bundle in bundles[1:] for slot in bundle if slot.mnemonic == "const"]
    rest = [[s for s in bundle if s.mnemonic != "const"] for bundle in bundles[1:]]
    assert "cycle 0: 3 slots of 'load'" in problems(made, [bundles[0] + late, *rest])


def test_word_written_twice() -> None:
    made = example()
    bundles = scheduled(made)
    first, second = bundles[0]
    bundles[0][1] = replace(second, operands=(first.operands[0], second.operands[1]))
    assert any("written twice" in problem for problem in problems(made, bundles))


def test_order_of_effects() -> None:
    made = MachineFunction(TARGET, widths=[1])
    made.new_block()
    emit(made, 0, "const", Reg(0), 1)
    for _ in range(2):
        emit(made, 0, "store", Reg(0), Reg(0))
    first, second = made.blocks[0].instructions[1:]
    first.key, second.after = 0, (After(0, 1),)
    bundles = scheduled(made)
    assert problems(made, bundles) == []
    bundles[1], bundles[2] = bundles[2], bundles[1]
    assert any("runs before" in problem for problem in problems(made, bundles))


LEAVING = Liveness((), (1,), {1: (1,)})


def with_exit() -> tuple[MachineFunction, list[list[PlacedSlot]]]:
    """A superblock that register 1 lives out of, at its side exit and again at its end."""
    made = MachineFunction(TARGET, widths=[1, 1])
    made.new_block()
    emit(made, 0, "const", Reg(0), 1)
    emit(made, 0, "const", Reg(1), 2)
    emit(made, 0, "store", Reg(0), Reg(1))
    emit(made, 0, "cond_jump", Reg(0), BlockRef(1))
    emit(made, 0, "load", Reg(1), Reg(0))
    emit(made, 0, "store", Reg(0), Reg(1))
    block = rename(made, made.blocks[0].instructions, LEAVING)
    graph = build_graph(block, TARGET, 1)
    found = search_schedule(graph, TARGET, Limits(200, 0, 0, 1000, 1000), 0)
    assert found is not None
    places = place_values(graph, found.schedule, {1: 50}, 200)
    assert places is not None
    return made, emit_block(graph, found.schedule, places, found.cycles)


def exit_problems(made: MachineFunction, bundles: list[list[PlacedSlot]]) -> list[str]:
    return check_block(made, made.blocks[0].instructions, LEAVING, {1: 50}, bundles)


def move_slot(bundles: list[list[PlacedSlot]], mnemonic: str, start: int, to: int) -> None:
    """Let what a bundle does run with another one."""
    (slot,) = (slot for slot in bundles[start] if slot.mnemonic == mnemonic)
    bundles[start].remove(slot)
    bundles[to].append(slot)


def test_side_exit() -> None:
    made, bundles = with_exit()
    rows = [sorted(slot.mnemonic for slot in bundle) for bundle in bundles]
    assert rows == [["const", "const"], ["cond_jump", "store"], ["load"], ["store"]]
    assert exit_problems(made, bundles) == []


def test_effect_behind_the_exit_that_follows_it() -> None:
    made, bundles = with_exit()
    move_slot(bundles, "store", 1, 2)
    assert any("after a side exit" in problem for problem in exit_problems(made, bundles))


def test_effect_before_the_exit_in_front_of_it() -> None:
    made, bundles = with_exit()
    move_slot(bundles, "store", 3, 1)
    assert any("store runs before a side exit" in p for p in exit_problems(made, bundles))


def test_load_that_may_trap_before_the_exit_in_front_of_it() -> None:
    made, bundles = with_exit()
    move_slot(bundles, "load", 2, 1)
    problems = exit_problems(made, bundles)
    assert any("load runs before a side exit" in problem for problem in problems)
    made.blocks[0].instructions[4].never_traps = True
    problems = exit_problems(made, bundles)
    assert not any("runs before" in problem for problem in problems)
    # Still it writes where the exit expects what was there.
    assert any("word 0 of register 1" in problem for problem in problems)


def test_value_made_behind_the_exit_that_needs_it() -> None:
    made, bundles = with_exit()
    slot = next(slot for slot in bundles[0] if slot.operands[1] == 2)
    bundles[0].remove(slot)
    bundles[2].append(slot)
    assert any("word 0 of register 1" in problem for problem in exit_problems(made, bundles))


def test_lost_exit() -> None:
    made, bundles = with_exit()
    bundles[1] = [slot for slot in bundles[1] if slot.mnemonic != "cond_jump"]
    assert any("cond_jump runs 0 times" in problem for problem in exit_problems(made, bundles))


@pytest.mark.parametrize("seed", range(40))
def test_operand_at_another_place_is_found(seed: int) -> None:
    """Whichever operand is read from another word; unless that has the same value."""
    random = Random(seed)
    made = random_function(random, TARGET, blocks=1, words=8, vectors=3, per_block=20)
    registers = range(len(made.widths))
    for register in registers:
        emit(made, 0, "trace_write", Reg(register, made.widths[register] - 1))
    bundles = scheduled(made)
    assert problems(made, bundles) == []
    everywhere = [(c, n) for c, bundle in enumerate(bundles) for n in range(len(bundle))]
    cycle, number = random.choice(everywhere)
    slot = bundles[cycle][number]
    roles = TARGET.formats[slot.engine, slot.mnemonic].roles
    uses = [place for place, role in enumerate(roles) if role.is_use]
    if not uses:
        return
    operands = list(slot.operands)
    # Nothing is ever written there.
    operands[random.choice(uses)] = 100
    bundles[cycle][number] = replace(slot, operands=tuple(operands))
    assert any("reads None" in problem for problem in problems(made, bundles))
