"""Registers that become one, by hand and against what functions did before."""

from __future__ import annotations

from copy import deepcopy
from random import Random

import pytest

from support.machine_functions import emit, random_function, run_virtual
from vliw_mlir.schedule.coalesce_registers import coalesce_registers
from vliw_mlir.schedule.machine import MOVE, MachineFunction, Reg
from vliw_mlir.target import Target

TARGET = Target.from_dict({"vlen": 4})


def loop(registers: int) -> MachineFunction:
    """Block 1 is repeated as long as register 0 is not zero; register 1 is written before."""
    made = MachineFunction(TARGET, widths=[1] * registers)
    for successors in ((1,), (1, 2), ()):
        made.blocks[made.new_block()].successors = successors
    made.blocks[1].condition = Reg(0)
    emit(made, 0, "const", Reg(1), 7)
    return made


def move(made: MachineFunction, block: int, to: int, source: int) -> None:
    emit(made, block, MOVE, Reg(to), Reg(source), Reg(source))


def moves(made: MachineFunction) -> list[tuple[int, int]]:
    return [
        (i.operands[0].register, i.operands[1].register)
        for block in made.blocks
        for i in block.instructions
        if i.mnemonic == MOVE
    ]


def test_moves_around_a_loop() -> None:
    made = loop(3)
    move(made, 1, 2, 1)
    emit(made, 1, "trace_write", Reg(2))
    move(made, 2, 1, 2)
    emit(made, 2, "trace_write", Reg(1))
    coalesce_registers(made)
    assert moves(made) == []


def test_source_that_is_written_while_its_copy_lives() -> None:
    made = loop(3)
    move(made, 1, 2, 1)
    emit(made, 1, "const", Reg(1), 8)
    emit(made, 1, "trace_write", Reg(2))
    coalesce_registers(made)
    assert moves(made) == [(2, 1)]


def test_copy_that_is_written_while_its_source_lives() -> None:
    made = loop(3)
    move(made, 1, 2, 1)
    emit(made, 1, "+", Reg(2), Reg(2), Reg(2))
    emit(made, 2, "trace_write", Reg(1))
    coalesce_registers(made)
    assert moves(made) == [(2, 1)]


def test_source_from_the_same_block_is_left() -> None:
    made = loop(3)
    emit(made, 1, "const", Reg(1), 8)
    move(made, 1, 2, 1)
    emit(made, 2, "trace_write", Reg(2))
    coalesce_registers(made)
    assert moves(made) == [(2, 1)]


def test_part_of_a_wider_register_is_left() -> None:
    made = loop(3)
    made.widths[1] = 4
    move(made, 1, 2, 1)
    emit(made, 2, "trace_write", Reg(2))
    coalesce_registers(made)
    assert moves(made) == [(2, 1)]


def test_lane_that_goes_to_another_place() -> None:
    """The copy of a vector in which one lane is replaced by another one is not the vector."""
    made = loop(3)
    made.widths[1:] = [4, 4]
    emit(made, 1, MOVE, Reg(2), Reg(1), Reg(1), vector=True)
    emit(made, 1, MOVE, Reg(2, 0), Reg(1, 2), Reg(1, 2))
    emit(made, 1, "trace_write", Reg(1, 0))
    emit(made, 1, "trace_write", Reg(2, 0))
    coalesce_registers(made)
    assert moves(made) == [(2, 1), (2, 1)]


@pytest.mark.parametrize("seed", range(100))
def test_behaves_like_the_function(seed: int) -> None:
    random = Random(seed)
    made = random_function(
        random,
        TARGET,
        blocks=random.randint(1, 8),
        words=random.randint(2, 6),
        vectors=random.randint(0, 3),
        per_block=random.choice((2, 6)),
        exits=random.random() < 0.3,
    )
    for number in range(1, len(made.blocks)):
        for _ in range(random.randrange(4)):
            width = random.choice((1, 4))
            alike = [r for r in range(8) if r < len(made.widths) and made.widths[r] == width]
            if len(alike) > 1:
                to, source = random.sample(alike, 2)
                operands = Reg(to), Reg(source), Reg(source)
                emit(made, number, MOVE, *operands, vector=width > 1)
        instructions = made.blocks[number].instructions
        if random.random() < 0.5:
            # Moves at the beginning are of what lives into the block.
            instructions.sort(key=lambda i: i.mnemonic != MOVE)
    before = run_virtual(deepcopy(made))
    coalesce_registers(made)
    after = run_virtual(made)
    length = min(len(before), len(after))
    assert before[:length] == after[:length]
    assert length * 3 >= max(len(before), len(after))
