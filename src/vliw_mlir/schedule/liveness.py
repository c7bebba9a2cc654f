"""Where registers are live: the interval that each one occupies in block order.

A register is live from its writes to its reads along all paths. The paths are explored
backwards from each read that a block does not answer itself, one register after the other,
so that the cost is that of the result. See Boissinot et al., "Computing Liveness Sets for
SSA-Form Programs" (INRIA RR-7503, 2011), section 4.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from vliw_mlir.schedule.machine import MachineFunction, exit_target


@dataclass(frozen=True, slots=True)
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
    return _Intervals(function).compute()


class _Edge(NamedTuple):
    """A way from one block to another."""

    block: int
    """Where it comes from."""
    position: int
    """That of the terminator, or of a side exit."""


@dataclass(slots=True)
class _BlockSummary:
    """What the search needs to know of a block."""

    entry: int
    """The position before the first instruction."""
    killed: dict[int, int] = field(default_factory=dict[int, int])
    """Where the block first writes registers as a whole: what they held on entry is not read
    after that."""
    predecessors: list[_Edge] = field(default_factory=list[_Edge])
    exits: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """The positions of side exits, and where they lead."""
    exit: int = 0
    """The position of the terminator."""
    live_in: set[int] = field(default_factory=set[int])
    live_out: set[int] = field(default_factory=set[int])


def live_sets(function: MachineFunction) -> list[tuple[set[int], set[int]]]:
    """For each block, the registers that hold something on entry, and on exit, side exits
    included, that is read."""
    intervals = _Intervals(function)
    intervals.compute()
    return [(block.live_in, block.live_out) for block in intervals.blocks]


class Liveness(NamedTuple):
    """The registers that hold something that is read, at the boundaries of a block."""

    entry: Collection[int]
    end: Collection[int]
    into: Mapping[int, Collection[int]]
    """Where side exits lead, by block."""

    def registers(self) -> set[int]:
        """All of them."""
        return set[int]().union(self.entry, self.end, *self.into.values())


def liveness_of(function: MachineFunction) -> list[Liveness]:
    """The liveness of each block."""
    entries = [live_in for live_in, _ in live_sets(function)]
    return [
        Liveness(
            entries[number],
            set[int]().union(*(entries[successor] for successor in block.successors)),
            {target: entries[target] for target in map(exit_target, block.exits())},
        )
        for number, block in enumerate(function.blocks)
    ]


def live_spans(function: MachineFunction) -> dict[int, tuple[int, int]]:
    """For each register that lives across blocks, the first and the last block that it lives into
    or out of."""
    spans: dict[int, tuple[int, int]] = {}
    for number, sets in enumerate(live_sets(function)):
        for register in set[int]().union(*sets):
            first, _ = spans.get(register, (number, number))
            spans[register] = first, number
    return spans


class _Intervals:
    def __init__(self, function: MachineFunction):
        self.function = function
        self.starts: dict[int, int] = {}
        self.ends: dict[int, int] = {}
        self.blocks: list[_BlockSummary] = []
        self.readers: dict[int, list[int]] = {}
        """The blocks that read what a register holds on their entry."""

    def compute(self) -> list[Interval]:
        position = 0
        for number in range(len(self.function.blocks)):
            position = self._scan_block(number, position)
        for number, block in enumerate(self.function.blocks):
            summary = self.blocks[number]
            ends = ((summary.exit, successor) for successor in block.successors)
            for position, successor in (*summary.exits, *ends):
                self.blocks[successor].predecessors.append(_Edge(number, position))
        for register, readers in self.readers.items():
            self._cover_paths_to(register, readers)
        intervals = [
            Interval(register, self.starts[register], self.ends[register])
            for register in self.starts
        ]
        intervals.sort(key=lambda interval: (interval.start, interval.register))
        return intervals

    def _scan_block(self, number: int, position: int) -> int:
        """Cover the accesses within a block that starts at `position`; the next one's position."""
        block = self.function.blocks[number]
        summary = _BlockSummary(position - 1)
        self.blocks.append(summary)
        for instruction in block.instructions:
            killed: list[int] = []
            for access in self.function.accesses(instruction):
                self._cover(access.register, position)
                if not access.is_def:
                    self._read(access.register, number)
                elif self.function.kills(access):
                    killed.append(access.register)
            for other in instruction.others:
                for access in self.function.accesses(other):
                    self._cover(access.register, position)
                    if not access.is_def:
                        self._read(access.register, number)
            # An instruction reads before it writes, whatever the order of its operands.
            for register in killed:
                summary.killed.setdefault(register, position)
            if instruction.mnemonic == "cond_jump":
                summary.exits.append((position, exit_target(instruction)))
            position += 1
        if block.condition is not None:
            self._cover(block.condition.register, position)
            self._read(block.condition.register, number)
        summary.exit = position
        return position + 1

    def _read(self, register: int, number: int) -> None:
        if register in self.blocks[number].killed:
            return
        readers = self.readers.setdefault(register, [])
        if not readers or readers[-1] != number:
            readers.append(number)

    def _cover_paths_to(self, register: int, readers: list[int]) -> None:
        """Cover all paths from writes of `register` to the entries of `readers`."""
        pending = list(readers)
        seen = set(readers)
        while pending:
            block = self.blocks[pending.pop()]
            block.live_in.add(register)
            # Held before the first instruction, whatever that one frees.
            self._cover(register, block.entry)
            for number, position in block.predecessors:
                predecessor = self.blocks[number]
                self._cover(register, position)
                predecessor.live_out.add(register)
                if number in seen or predecessor.killed.get(register, position) < position:
                    continue
                seen.add(number)
                pending.append(number)

    def _cover(self, register: int, position: int) -> None:
        start = self.starts.get(register)
        if start is None:
            self.starts[register] = self.ends[register] = position
        elif position < start:
            self.starts[register] = position
        elif position > self.ends[register]:
            self.ends[register] = position
