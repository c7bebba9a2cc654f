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
from vliw_mlir.schedule.machine import After, MachineFunction, Reg
from vliw_mlir.schedule.place import place_values
from vliw_mlir.schedule.renaming import rename
from vliw_mlir.schedule.search import search_schedule
from vliw_mlir.target import Target

TARGET = Target.from_dict({"vlen": 4, "scratch": 200})


def scheduled(made: MachineFunction) -> list[list[PlacedSlot]]:
    """The bundles of the only block, in which nothing lives on entry or exit."""
    block = rename(made, made.blocks[0].instructions, (), ())
    coalesce_moves(block)
    graph = build_graph(block, made.target, 0)
    found = search_schedule(graph, TARGET, Limits(200, 0, 0, 1000, 1000), 0)
    assert found is not None
    places = place_values(graph, found.schedule, {}, 200)
    assert places is not None
    return emit_block(graph, found.schedule, places, found.cycles)


def problems(made: MachineFunction, bundles: list[list[PlacedSlot]]) -> list[str]:
    return check_block(made, made.blocks[0].instructions, (), (), {}, bundles)


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
