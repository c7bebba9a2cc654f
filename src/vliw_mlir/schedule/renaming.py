"""The instructions of a block over values instead of registers.

A register that is written anew as a whole holds a new *value*, so that only what really uses a
value is ordered with what makes it. Values that live into the block or out of it, at its end or
at a side exit, are *fixed*: they are where other blocks expect them. Those of one register follow
each other in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from vliw_mlir.schedule.liveness import Liveness
from vliw_mlir.schedule.machine import (
    EFFECTS,
    UNDEFINED,
    Instruction,
    MachineFunction,
    exit_target,
)


class Touch(NamedTuple):
    """Words of a value that an instruction reads or writes."""

    node: int
    """The instruction, counted in the order of the program."""
    lane: int
    """The first word."""
    words: int

    def overlaps(self, lane: int, words: int) -> bool:
        """Whether one of `words` from `lane` on is among them."""
        return self.lane < lane + words and lane < self.lane + self.words


@dataclass(eq=False, slots=True)
class Value:
    """What a register holds from one whole write to the next."""

    register: int
    words: int
    is_live_in: bool = False
    is_live_out: bool = False
    """At the end, or at a side exit."""
    exits: list[int] = field(default_factory=list[int])
    """The side exits at which it has to be in its place, counted as instructions."""
    reads: list[Touch] = field(default_factory=list[Touch])
    """In the order of the program, those of values that live in its words included."""
    writes: list[Touch] = field(default_factory=list[Touch])
    home: Value | None = None
    """The value in whose words it lives, None if it has its own."""
    offset: int = 0
    """Its first word there."""

    @property
    def is_fixed(self) -> bool:
        """Whether it is where other blocks expect it."""
        return self.is_live_in or self.is_live_out


@dataclass(slots=True)
class Node:
    """An instruction of a block and the values that its registers stand for."""

    instruction: Instruction
    read: dict[int, Value] = field(default_factory=dict[int, Value])
    """By register; what alternative instructions read is included."""
    written: dict[int, Value] = field(default_factory=dict[int, Value])
    """By register."""
    is_needed: bool = True
    """False if nothing uses what it computes."""


@dataclass
class RenamedBlock:
    """A block in terms of values."""

    function: MachineFunction
    nodes: list[Node] = field(default_factory=list[Node])
    values: list[Value] = field(default_factory=list[Value])
    in_place: dict[int, list[Value]] = field(default_factory=dict[int, list[Value]])
    """The fixed values of each register, in the order in which they are in its place."""

    def later_in_place(self, value: Value) -> Sequence[Value]:
        """The values that are to be written to the words of a fixed `value` after it."""
        if not value.is_fixed:
            return ()
        values = self.in_place[value.register]
        return values[values.index(value) + 1 :]

    def earlier_in_place(self, value: Value) -> Sequence[Value]:
        """The values whose words a fixed `value` is to be written to."""
        if not value.is_fixed:
            return ()
        values = self.in_place[value.register]
        return values[: values.index(value)]

    def homes(self) -> list[Value]:
        """The values that have words of their own."""
        return [value for value in self.values if value.home is None]


def home_of(value: Value, lane: int = 0) -> tuple[Value, int]:
    """The value in whose words `value` lives, and which word `lane` of it is there."""
    while value.home is not None:
        lane += value.offset
        value = value.home
    return value, lane


def reading(function: MachineFunction, instruction: Instruction) -> Iterable[tuple[int, int, int]]:
    """Register, first word and number of words of what an instruction, or another one in its
    place, reads."""
    for alternative in (instruction, *instruction.others):
        for access in function.accesses(alternative):
            if not access.is_def:
                yield access.register, access.lane, access.words


def writing(function: MachineFunction, instruction: Instruction) -> Iterable[tuple[int, int, int]]:
    """Register, first word and number of words of what an instruction writes."""
    for access in function.accesses(instruction):
        if access.is_def:
            yield access.register, access.lane, access.words


def rename(
    function: MachineFunction,
    instructions: Sequence[Instruction],
    live: Liveness,
) -> RenamedBlock:
    """The instructions in terms of values."""
    renamer = _Renamer(function, live)
    for instruction in instructions:
        renamer.add(instruction)
    return renamer.finish()


class _Renamer:
    def __init__(self, function: MachineFunction, live: Liveness):
        self.function = function
        self.live = live
        self.block = RenamedBlock(function)
        self.current: dict[int, Value] = {}

    def add(self, instruction: Instruction) -> None:
        function, block = self.function, self.block
        if instruction.mnemonic == UNDEFINED:
            self._begin(instruction.operands[0].register)
            return
        number, node = len(block.nodes), Node(instruction)
        block.nodes.append(node)
        # An instruction reads before it writes.
        for register, lane, words in reading(function, instruction):
            value = node.read[register] = self._get(register)
            value.reads.append(Touch(number, lane, words))
        for access in function.accesses(instruction):
            if not access.is_def:
                continue
            register = access.register
            value = self._begin(register) if function.kills(access) else self._get(register)
            value.writes.append(Touch(number, access.lane, access.words))
            node.written[register] = value
        if instruction.mnemonic == "cond_jump":
            self._leave(self.live.into.get(exit_target(instruction), ()), number)

    def _begin(self, register: int) -> Value:
        value = Value(register, self.function.widths[register])
        self.block.values.append(value)
        self.current[register] = value
        return value

    def _get(self, register: int) -> Value:
        """The value of a register before it is written as a whole."""
        value = self.current.get(register)
        if value is None:
            value = self._begin(register)
            value.is_live_in = register in self.live.entry
        return value

    def _leave(self, registers: Iterable[int], number: int | None) -> None:
        """Let the values of registers live out of the block, at a side exit or at the end."""
        for register in sorted(registers):
            value = self._get(register)
            value.is_live_out = True
            if number is not None:
                value.exits.append(number)

    def finish(self) -> RenamedBlock:
        self._leave(self.live.end, None)
        for value in self.block.values:
            if value.is_fixed:
                self.block.in_place.setdefault(value.register, []).append(value)
        _leave_out_unneeded(self.block)
        return self.block


def _leave_out_unneeded(block: RenamedBlock) -> None:
    """Find instructions whose results nothing needs, the last ones first."""
    needed = {value for value in block.values if value.is_live_out}
    for number in reversed(range(len(block.nodes))):
        node = block.nodes[number]
        if node.instruction.mnemonic in EFFECTS or not needed.isdisjoint(node.written.values()):
            needed.update(node.read.values())
        else:
            node.is_needed = False
    left_out = {number for number, node in enumerate(block.nodes) if not node.is_needed}
    if left_out:
        for value in block.values:
            value.reads = [touch for touch in value.reads if touch.node not in left_out]
            value.writes = [touch for touch in value.writes if touch.node not in left_out]
