"""Appending a block to one that always runs before it: their instructions stay in order.

Blocks of the same `order` say so themselves. Otherwise nothing is known of the memory that the
instructions of both touch.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from vliw_mlir.schedule.machine import (
    DIVISIONS,
    LOADS,
    STOPS,
    STORES,
    After,
    Instruction,
    MachineBlock,
    MachineFunction,
)

MOST_PAIRS = 10_000
"""How many pairs of instructions of two blocks are put in order."""


def try_append(function: MachineFunction, block: MachineBlock, following: MachineBlock) -> bool:
    """Append the instructions of a block; False if there are too many to put in order."""
    first, second = _ordered(block), _ordered(following)
    if not first or not second:
        order = following.order if second else block.order
    elif block.order is not None and block.order == following.order:
        order = block.order
    else:
        if len(first) * len(second) > MOST_PAIRS:
            return False
        _put_in_order(function, first, second)
        order = None
    block.instructions += following.instructions
    block.order = order
    return True


def _ordered(block: MachineBlock) -> list[Instruction]:
    """The instructions that may have to run in an order other than that of values."""
    mnemonics = LOADS | STORES | STOPS | DIVISIONS
    return [i for i in block.instructions if i.mnemonic in mnemonics]


def _put_in_order(
    function: MachineFunction, first: Iterable[Instruction], second: Iterable[Instruction]
) -> None:
    for earlier, later in product(first, second):
        writes = earlier.mnemonic in STORES | STOPS
        if not writes and later.mnemonic not in STORES | STOPS:
            continue
        if earlier.key is None:
            earlier.key = function.new_key()
        later.after = (*later.after, After(earlier.key, int(writes)))
