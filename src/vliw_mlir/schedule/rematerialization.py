"""Making values anew where they are read, instead of keeping them in scratch.

What is shared by all of a long block, such as constants and tables in all lanes of vectors, may
take so much of scratch that too little is left for its strands to overlap. A broadcast of a word
is cheap to repeat, and the word takes one of many words of its vector; a load from memory that
nothing overwrites can be repeated as well. So what takes the fewest slots to repeat is (Briggs,
Cooper and Torczon, "Rematerialization", PLDI 1992), until a part of scratch is enough for the
block in the order of the program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from vliw_mlir.schedule.liveness import Interval, live_intervals
from vliw_mlir.schedule.machine import LOADS, Instruction, MachineFunction
from vliw_mlir.schedule.spill import SpillSlots, accesses_of_all, remade_by, spill

SHARE_IN_ORDER = 0.45
"""The part of scratch that is enough in the order of the program; strands that overlap want as
much again."""


def rematerialize(function: MachineFunction, slots: SpillSlots) -> bool:
    """Rewrite `function` if it takes more than a part of scratch in the order of the program; tell
    whether that has changed anything.

    What loops might repeat is left as it is: only values that live in one block are made anew.
    """
    intervals = live_intervals(function)
    excess = _peak(function, intervals) - int(function.target.scratch * SHARE_IN_ORDER)
    if excess <= 0:
        return False
    made_by = remade_by(function)
    chosen: set[int] = set()
    needed: set[int] = set()
    for register in _candidates(function, intervals, made_by):
        if excess <= 0:
            break
        sources = {access.register for access in function.accesses(made_by[register])} - {register}
        # What others are made of stays.
        if register in needed or not chosen.isdisjoint(sources):
            continue
        chosen.add(register)
        needed |= sources
        excess -= function.widths[register]
    spill(function, chosen, slots, REACH)
    return bool(chosen)


def _peak(function: MachineFunction, intervals: Sequence[Interval]) -> int:
    """The most words that live at once."""
    change = np.zeros(max((interval.end for interval in intervals), default=0) + 2, np.int64)
    for interval in intervals:
        change[interval.start] += function.widths[interval.register]
        change[interval.end] -= function.widths[interval.register]
    return int(change.cumsum().max())


REACH = 64
"""What is loaded anew also serves reads that many instructions later: loads are dear."""


def _candidates(
    function: MachineFunction, intervals: Sequence[Interval], made_by: Mapping[int, Instruction]
) -> list[int]:
    """The registers that take fewer words when they are made anew, those first that this takes
    the fewest slots for in their life."""
    found = {r: made for r, made in made_by.items() if function.widths[r] > 1}
    times = dict.fromkeys(found, 0)
    blocks: dict[int, set[int]] = {register: set() for register in found}
    for number, block in enumerate(function.blocks):
        last_made: dict[int, int] = {}
        for place, instruction in enumerate(block.instructions):
            for access in accesses_of_all(function, instruction):
                register = access.register
                if register not in found:
                    continue
                blocks[register].add(number)
                reach = REACH if found[register].mnemonic in LOADS else 0
                if not access.is_def and place > last_made.get(register, -REACH - 1) + reach:
                    times[register] += 1
                    last_made[register] = place
    length = {interval.register: interval.end - interval.start for interval in intervals}

    def price(register: int) -> tuple[float, int]:
        slots = function.target.slots[found[register].engine]
        return times[register] / (slots * max(length[register], 1)), register

    return sorted((register for register in found if len(blocks[register]) == 1), key=price)
