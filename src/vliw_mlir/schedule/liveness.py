"""Which registers are live where: backward data flow over the blocks of a machine function.

See Cooper and Torczon, "Engineering a Compiler", section 8.6.1. Sets of registers are
Python ints, one bit per register.
"""

from __future__ import annotations

from dataclasses import dataclass

from vliw_mlir.schedule.machine import MachineFunction


@dataclass(frozen=True)
class Liveness:
    """The registers live at the borders of each block, as bit sets."""

    live_in: list[int]
    live_out: list[int]


def compute_liveness(function: MachineFunction) -> Liveness:
    """Solve liveness for all blocks."""
    count = len(function.blocks)
    reads: list[int] = []
    kills: list[int] = []
    for block in function.blocks:
        read = killed = 0
        for instruction in block.instructions:
            uses = defs = 0
            for access in function.accesses(instruction):
                if not access.is_def:
                    uses |= 1 << access.register
                elif function.kills(access):
                    defs |= 1 << access.register
            read |= uses & ~killed
            killed |= defs
        if block.condition is not None:
            read |= (1 << block.condition) & ~killed
        reads.append(read)
        kills.append(killed)

    predecessors: list[list[int]] = [[] for _ in range(count)]
    for number, block in enumerate(function.blocks):
        for successor in block.successors:
            predecessors[successor].append(number)
    live_in, live_out = list(reads), [0] * count
    worklist = list(range(count))
    queued = [True] * count
    while worklist:
        number = worklist.pop()
        queued[number] = False
        out = 0
        for successor in function.blocks[number].successors:
            out |= live_in[successor]
        live_out[number] = out
        new = reads[number] | (out & ~kills[number])
        if new == live_in[number]:
            continue
        live_in[number] = new
        for predecessor in predecessors[number]:
            if not queued[predecessor]:
                queued[predecessor] = True
                worklist.append(predecessor)
    return Liveness(live_in, live_out)


@dataclass(slots=True)
class Interval:
    """The span of a register's life over the instructions in block order.

    Positions count instructions, terminators included. The register holds a value from
    after `start`, where it is first written, through `end`, where it is last read.
    """

    register: int
    start: int
    end: int


def live_intervals(function: MachineFunction) -> list[Interval]:
    """One interval per register that occurs, by start. Holes in a life are covered."""
    liveness = compute_liveness(function)
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}

    def extend(register: int, position: int) -> None:
        starts.setdefault(register, position)
        ends[register] = position

    position = 0
    for number, block in enumerate(function.blocks):
        # Live on entry: held before the first instruction, whatever that one frees.
        for register in bits(liveness.live_in[number]):
            extend(register, position - 1)
        for instruction in block.instructions:
            for access in function.accesses(instruction):
                extend(access.register, position)
            position += 1
        if block.condition is not None:
            extend(block.condition, position)
        # A value that lives on must not share with one written by the terminator's successor.
        for register in bits(liveness.live_out[number]):
            extend(register, position)
        position += 1
    intervals = [Interval(register, starts[register], ends[register]) for register in starts]
    intervals.sort(key=lambda interval: (interval.start, interval.register))
    return intervals


def bits(mask: int) -> list[int]:
    """The positions of the set bits of `mask`, ascending."""
    return [position for position, bit in enumerate(bin(mask)[:1:-1]) if bit == "1"]
