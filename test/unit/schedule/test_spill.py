"""Spill code: what it looks like, and that it changes nothing that can be observed."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

import pytest

from support.machine_functions import emit, random_function, run_virtual
from vliw_mlir.schedule.machine import UNDEFINED, MachineFunction, Reg
from vliw_mlir.schedule.spill import SpillSlots, spill
from vliw_mlir.target import Target

TARGET = Target.from_dict({"vlen": 4})
WITHOUT_VECTOR_MEMORY = Target.from_dict(
    {
        "vlen": 4,
        "engines": {
            "load": {"instructions": ["load", "const"]},
            "store": {"instructions": ["store"]},
        },
    }
)


def function(registers: int, vectors: int = 0, target: Target = TARGET) -> MachineFunction:
    made = MachineFunction(target)
    for _ in range(registers):
        made.new_register()
    for _ in range(vectors):
        made.new_register(target.vlen)
    made.new_block()
    return made


def code(made: MachineFunction, block: int = 0) -> list[tuple[Any, ...]]:
    """The instructions of a block; an operand is a register, `(register, lane)`, or a number."""
    return [
        (
            i.mnemonic,
            *(
                o if not isinstance(o, Reg) else f"r{o.register}" + (f".{o.lane}" if o.lane else "")
                for o in i.operands
            ),
        )
        for i in made.blocks[block].instructions
    ]


def test_a_write_is_stored_and_a_read_loaded() -> None:
    made = function(3)
    emit(made, 0, "coreid", Reg(0))
    emit(made, 0, "+", Reg(1), Reg(0), Reg(2))
    slots = SpillSlots(100)
    spill(made, {0}, slots)
    created = slots.short_lived
    assert code(made) == [
        ("coreid", "r3"),
        ("const", "r4", 100),
        ("store", "r4", "r3"),
        ("const", "r6", 100),
        ("load", "r5", "r6"),
        ("+", "r1", "r5", "r2"),
    ]
    assert created == {3, 4, 5, 6}
    assert (slots.address, slots.words) == (100, 1)


def test_an_operand_read_twice_is_loaded_once() -> None:
    made = function(2)
    emit(made, 0, "coreid", Reg(0))
    emit(made, 0, "|", Reg(1), Reg(0), Reg(0))
    spill(made, {0}, SpillSlots(100))
    assert [name for name, *_ in code(made)].count("load") == 1


def test_constant_is_made_anew() -> None:
    made = function(3)
    emit(made, 0, "const", Reg(0), 42)
    emit(made, 0, "+", Reg(1), Reg(0), Reg(2))
    slots = SpillSlots(100)
    spill(made, {0}, slots)
    assert code(made) == [("const", "r3", 42), ("+", "r1", "r3", "r2")]
    assert slots.words == 0


def test_constant_that_is_written_twice_lives_in_memory() -> None:
    made = function(2)
    emit(made, 0, "const", Reg(0), 42)
    emit(made, 0, "const", Reg(0), 43)
    emit(made, 0, "trace_write", Reg(0))
    spill(made, {0}, SpillSlots(100))
    assert [name for name, *_ in code(made)].count("store") == 2
    assert run_virtual(made) == [43]


def test_vector_goes_through_vector_memory() -> None:
    made = function(1, 2)
    emit(made, 0, "vbroadcast", Reg(1), Reg(0))
    emit(made, 0, "+", Reg(2), Reg(1), Reg(1), vector=True)
    slots = SpillSlots(100)
    spill(made, {1}, slots)
    assert code(made) == [
        ("vbroadcast", "r3", "r0"),
        ("const", "r4", 100),
        ("vstore", "r4", "r3"),
        ("const", "r6", 100),
        ("vload", "r5", "r6"),
        ("+", "r2", "r5", "r5"),
    ]
    assert slots.words == 4


def test_vector_goes_word_by_word_without_vector_memory() -> None:
    made = function(1, 2, WITHOUT_VECTOR_MEMORY)
    emit(made, 0, "vbroadcast", Reg(1), Reg(0))
    emit(made, 0, "+", Reg(2), Reg(1), Reg(1), vector=True)
    spill(made, {1}, SpillSlots(100))
    names = [name for name, *_ in code(made)]
    assert (names.count("store"), names.count("load"), names.count(UNDEFINED)) == (4, 4, 1)
    stored = [operands[1] for name, *operands in code(made) if name == "store"]
    assert stored == ["r3", "r3.1", "r3.2", "r3.3"]


def test_lanes_are_single_words() -> None:
    made = function(2, 1)
    emit(made, 0, UNDEFINED, Reg(2))
    emit(made, 0, "|", Reg(2, 3), Reg(0), Reg(0))
    emit(made, 0, "|", Reg(1), Reg(2, 1), Reg(2, 1))
    spill(made, {2}, SpillSlots(100))
    assert code(made) == [
        ("|", "r3", "r0", "r0"),
        ("const", "r4", 103),
        ("store", "r4", "r3"),
        ("const", "r6", 101),
        ("load", "r5", "r6"),
        ("|", "r1", "r5", "r5"),
    ]


def test_condition_is_loaded_before_the_branch() -> None:
    made = function(1)
    made.new_block()
    emit(made, 0, "coreid", Reg(0))
    made.blocks[0].condition = Reg(0)
    made.blocks[0].successors = (0, 1)
    made.blocks[0].source = "here"
    spill(made, {0}, SpillSlots(100))
    assert code(made)[-2:] == [("const", "r4", 100), ("load", "r3", "r4")]
    assert made.blocks[0].condition == Reg(3)
    assert made.blocks[0].instructions[-1].source == "here"


def test_spill_code_comes_from_where_the_instruction_does() -> None:
    made = function(1)
    emit(made, 0, "coreid", Reg(0))
    made.blocks[0].instructions[0].source = "k.mlir:3:5"
    spill(made, {0}, SpillSlots(100))
    assert {i.source for i in made.blocks[0].instructions} == {"k.mlir:3:5"}


def test_each_register_keeps_its_place() -> None:
    slots = SpillSlots(100)
    assert [slots.address_of(r, w) for r, w in ((7, 4), (3, 1), (7, 4), (9, 1))] == [
        100,
        104,
        100,
        105,
    ]
    assert slots.words == 6


@pytest.mark.parametrize("seed", range(60))
def test_behaviour_stays(seed: int) -> None:
    random = Random(seed)
    target = random.choice((TARGET, WITHOUT_VECTOR_MEMORY))
    made = random_function(random, target, blocks=random.randint(1, 8), words=5, vectors=3)
    before = run_virtual(deepcopy(made))
    slots = SpillSlots(100)
    registers = {r for r in range(len(made.widths)) if random.random() < 0.6}
    spill(made, registers, slots)
    created = slots.short_lived
    assert run_virtual(made) == before
    left = {
        access.register
        for block in made.blocks
        for instruction in block.instructions
        for access in made.accesses(instruction)
    }
    assert not left & registers
    assert not created & registers
