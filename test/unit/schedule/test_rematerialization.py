"""Values that are made anew where they are read: which, and that it changes no result."""

from __future__ import annotations

from collections import Counter

from support.machine_functions import emit, run_virtual
from vliw_mlir.schedule.machine import After, MachineFunction, Reg
from vliw_mlir.schedule.rematerialization import rematerialize
from vliw_mlir.schedule.spill import SpillSlots, remade_by, spill
from vliw_mlir.target import Target

VLEN = 4


def function(words: int, vectors: int, scratch: int = 1536) -> MachineFunction:
    """One block; registers of a word each, then vectors."""
    made = MachineFunction(Target.from_dict({"vlen": VLEN, "scratch": scratch}))
    made.widths = [1] * words + [VLEN] * vectors
    made.new_block()
    return made


def names(made: MachineFunction) -> Counter[str]:
    return Counter(i.mnemonic for block in made.blocks for i in block.instructions)


def with_broadcasts(count: int, scratch: int) -> MachineFunction:
    """Broadcasts of words, all of which are read behind the last of them."""
    made = function(count, 2 * count, scratch)
    for number in range(count):
        emit(made, 0, "const", Reg(number), number)
        emit(made, 0, "vbroadcast", Reg(count + number), Reg(number))
    for number in range(count):
        vector, result = Reg(count + number), 2 * count + number
        emit(made, 0, "+", Reg(result), vector, vector, vector=True)
        emit(made, 0, "trace_write", Reg(result))
    return made


def test_broadcasts_are_made_anew_where_scratch_is_small() -> None:
    made = with_broadcasts(12, 64)
    slots = SpillSlots(100)
    assert rematerialize(made, slots)
    assert run_virtual(made) == [2 * number for number in range(12)]
    assert slots.words == 0
    # Each stands right before what reads it.
    assert names(made)["vbroadcast"] == 12
    first = next(i for i in made.blocks[0].instructions if i.mnemonic == "trace_write")
    before = made.blocks[0].instructions[: made.blocks[0].instructions.index(first)]
    assert sum(i.mnemonic == "vbroadcast" for i in before) < 12


def test_nothing_changes_where_there_is_room() -> None:
    made = with_broadcasts(12, 1536)
    before = list(made.blocks[0].instructions)
    assert not rematerialize(made, SpillSlots(100))
    assert made.blocks[0].instructions == before


def with_load(*, overwritten: bool) -> MachineFunction:
    made = function(1, 2)
    emit(made, 0, "const", Reg(0), 8)
    emit(made, 0, "vload", Reg(1), Reg(0))
    load = made.blocks[0].instructions[-1]
    load.key = made.new_key()
    emit(made, 0, "vstore", Reg(0), Reg(2))
    if overwritten:
        made.blocks[0].instructions[-1].after = (After(load.key, 0),)
    emit(made, 0, "trace_write", Reg(1))
    return made


def test_a_load_is_repeated() -> None:
    made = with_load(overwritten=False)
    slots = SpillSlots(100)
    spill(made, {1}, slots)
    assert (names(made)["vload"], slots.words) == (1, 0)


def test_a_load_of_words_that_are_overwritten_is_not() -> None:
    made = with_load(overwritten=True)
    assert 1 not in remade_by(made)
    slots = SpillSlots(100)
    spill(made, {1}, slots)
    assert slots.words == VLEN


def test_a_load_is_not_if_the_order_of_accesses_is_not_known() -> None:
    made = with_load(overwritten=False)
    made.blocks[0].instructions[1].key = None
    assert 1 not in remade_by(made)


def test_a_load_serves_reads_nearby() -> None:
    made = with_load(overwritten=False)
    emit(made, 0, "trace_write", Reg(1, 1))
    spill(made, {1}, SpillSlots(100), reach=8)
    assert names(made)["vload"] == 1


def test_what_is_made_of_a_word_that_changes_lives_in_memory() -> None:
    made = function(1, 1)
    emit(made, 0, "const", Reg(0), 1)
    emit(made, 0, "vbroadcast", Reg(1), Reg(0))
    emit(made, 0, "const", Reg(0), 2)
    emit(made, 0, "trace_write", Reg(1))
    assert 1 not in remade_by(made)
    spill(made, {1}, SpillSlots(100))
    assert run_virtual(made) == [1]


def test_a_copy_waits_for_the_other_operands() -> None:
    made = function(1, 3)
    emit(made, 0, "const", Reg(0), 1)
    emit(made, 0, "vbroadcast", Reg(1), Reg(0))
    emit(made, 0, "*", Reg(2), Reg(3), Reg(3), vector=True)
    emit(made, 0, "+", Reg(3), Reg(2), Reg(1), vector=True)
    spill(made, {1}, SpillSlots(100))
    _, product, copy, _ = made.blocks[0].instructions
    assert copy.mnemonic == "vbroadcast"
    assert [after.key for after in copy.after] == [product.key]
