"""Blocks appended to others, and the order of their instructions."""

from __future__ import annotations

import pytest

from support.machine_functions import emit
from vliw_mlir.schedule.joining import try_append
from vliw_mlir.schedule.machine import MachineFunction, Reg
from vliw_mlir.target import Target


def two_blocks(first: str, second: str) -> MachineFunction:
    """Two blocks of one instruction."""
    made = MachineFunction(Target.default(), widths=[1])
    for number, mnemonic in enumerate((first, second)):
        made.new_block()
        emit(made, number, mnemonic, *[Reg(0)] * (1 if mnemonic == "trace_write" else 2))
    return made


@pytest.mark.parametrize(
    ("first", "second", "cycles"),
    [
        ("load", "load", None),
        ("load", "store", 0),
        ("store", "load", 1),
        ("store", "store", 1),
        ("load", "trace_write", 0),
        ("trace_write", "store", 1),
        ("trace_write", "trace_write", 1),
    ],
)
def test_unknown_order_is_that_of_the_program(first: str, second: str, cycles: int | None) -> None:
    made = two_blocks(first, second)
    assert try_append(made, *made.blocks)
    before, behind = made.blocks[0].instructions
    assert [tuple(after) for after in behind.after] == ([] if cycles is None else [(0, cycles)])
    assert cycles is None or before.key == 0
    assert made.blocks[0].order is None


def test_known_order_is_kept() -> None:
    made = two_blocks("store", "store")
    for block in made.blocks:
        block.order = 5
    assert try_append(made, *made.blocks)
    assert made.blocks[0].instructions[1].after == ()
    assert made.blocks[0].order == 5


def test_order_is_that_of_the_block_with_effects() -> None:
    made = two_blocks("vbroadcast", "store")
    made.blocks[1].order = 3
    assert try_append(made, *made.blocks)
    assert made.blocks[0].order == 3


def test_too_many_to_put_in_order() -> None:
    made = two_blocks("store", "store")
    for block in made.blocks:
        block.instructions *= 200
    assert not try_append(made, *made.blocks)
    assert len(made.blocks[0].instructions) == 200
