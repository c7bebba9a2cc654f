"""The instructions of a block over values instead of registers.

A register that is written anew as a whole holds a new *value*, so that only what really uses a
value is ordered with what makes it. Values that live into the block or out of it are *fixed*:
they are where other blocks expect them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from vliw_mlir.schedule.machine import UNDEFINED, Instruction, MachineFunction


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
    entry: dict[int, Value] = field(default_factory=dict[int, Value])
    """The value that a live register has at first, by register."""
    exit: dict[int, Value] = field(default_factory=dict[int, Value])
    """The value that a live register has at last, by register."""

    def successor_in_place(self, value: Value) -> Value | None:
        """The value that is to be written to the words of a fixed `value`, None if none is."""
        last = self.exit.get(value.register) if value.is_live_in else None
        return None if last is value else last

    def predecessor_in_place(self, value: Value) -> Value | None:
        """The value whose words a fixed `value` is to be written to, None if there is none."""
        first = self.entry.get(value.register) if value.is_live_out else None
        return first if first is not None and first.is_live_in and first is not value else None

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
    live_in: Collection[int],
    live_out: Collection[int],
) -> RenamedBlock:
    """The instructions in terms of values; `live_in` and `live_out` are registers."""
    renamer = _Renamer(function, live_in)
    for instruction in instructions:
        renamer.add(instruction)
    return renamer.finish(live_out)


class _Renamer:
    def __init__(self, function: MachineFunction, live_in: Collection[int]):
        self.function = function
        self.live_in = live_in
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
            value.is_live_in = register in self.live_in
            self.block.entry[register] = value
        return value

    def finish(self, live_out: Collection[int]) -> RenamedBlock:
        for register in sorted(live_out):
            value = self.current.get(register)
            if value is None:
                value = self._get(register)
                value.is_live_in = True
            value.is_live_out = True
            self.block.exit[register] = value
        _leave_out_unneeded(self.block)
        return self.block


EFFECTS = frozenset(
    {"store", "vstore", "pause", "trace_write", "compare", "vcompare", "comment"}
    | {"cond_jump", "jump", "halt"}
)
"""Instructions that do more than compute words of scratch."""


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
