"""Machine functions: the instructions of a target over virtual registers.

A virtual register is a number; it stands for any number of consecutive words, which can be
addressed one by one. Registers may be written more than once, so a machine function is not in
SSA form: block arguments have become moves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from vliw_mlir.errors import CompileError
from vliw_mlir.target import Target


class Reg(NamedTuple):
    """A register operand: the words of a virtual register from `lane` on."""

    register: int
    lane: int = 0


class BlockRef(NamedTuple):
    """A jump target operand: the number of a block."""

    block: int


class After(NamedTuple):
    """Which instruction of the same block another one must not run before."""

    key: int
    """The `key` of the earlier instruction."""
    cycles: int
    """How many cycles later the other one runs at the earliest."""


class Carried(NamedTuple):
    """An order between instructions of different iterations of a loop."""

    first: int
    """The `key` of the one that comes first."""
    second: int
    """The `key` of the other one, which is `distance` iterations later."""
    distance: int
    cycles: int
    """How many cycles later it runs at the earliest."""


class Placement(NamedTuple):
    """When and how an instruction runs within its block."""

    cycle: int
    """The cycle of its first slot."""
    way: int
    """Which of `ways_of` the instruction."""
    first_slots: int
    """How many slots it takes in its first cycle; the rest it takes in the next one."""


@dataclass(slots=True)
class Instruction:
    """One instruction with the engine it runs on.

    Operands are in the order of the instruction's format: `Reg` for scratch addresses,
    `BlockRef` for jump targets, else immediates or debug keys. What computes with scratch
    addresses (`load_offset`) has no place among virtual registers.
    """

    engine: str
    mnemonic: str
    operands: tuple[Any, ...]
    source: str = ""
    """The source place it comes from, '' if unknown."""
    key: int | None = None
    """What other instructions of the block know it by, None if none has to."""
    after: tuple[After, ...] = ()
    """What has to run before it other than what computes its operands."""
    others: tuple[Instruction, ...] = ()
    """Instructions that may run in its place: they write the same words."""
    never_traps: bool = False
    """Whether a load or a division is known not to trap, even where the program would not run
    it."""
    iterations_ahead: int = 0
    """By how many iterations a load in a loop of one block may run ahead of the last one that is
    known to take place without a trap."""
    placement: Placement | None = None
    """When it runs, if that is known beforehand."""


LOADS = frozenset({"load", "vload", "load_offset"})
STORES = frozenset({"store", "vstore"})
DIVISIONS = frozenset({"//", "%", "cdiv"})

STOPS = frozenset({"pause", "trace_write"})
"""Instructions that are seen from outside at once: what may trap stays in front of or behind."""

JUMPS = frozenset({"cond_jump", "jump", "halt"})

EFFECTS = STORES | STOPS | JUMPS | {"compare", "vcompare", "comment"}
"""Instructions that do more than compute words of scratch."""


def may_run_early(instruction: Instruction) -> bool:
    """Whether an instruction does no harm where the program would not run it."""
    if instruction.mnemonic in EFFECTS:
        return False
    if instruction.never_traps:
        return True
    return all(i.mnemonic not in LOADS | DIVISIONS for i in (instruction, *instruction.others))


MOVE = "|"
"""Mnemonic of the instruction that copies words: `x | x`."""

UNDEFINED = "undefined"
"""Mnemonic of the pseudo instruction that begins a register's life without a value.

It precedes writes to single lanes, which by themselves do not end the life of the value
before them. It costs nothing and is not emitted.
"""


def undefined(register: int, source: str = "") -> Instruction:
    """The pseudo instruction `UNDEFINED` for a register."""
    return Instruction("", UNDEFINED, (Reg(register),), source)


def is_move(instruction: Instruction) -> bool:
    """Whether an instruction copies words."""
    return (
        instruction.mnemonic == MOVE
        and not instruction.others
        and instruction.operands[1] == instruction.operands[2]
    )


def is_empty_move(instruction: Instruction) -> bool:
    """Whether an instruction copies words to where they are."""
    return is_move(instruction) and instruction.operands[0] == instruction.operands[1]


@dataclass(slots=True)
class MachineBlock:
    """Instructions that run in order, then the terminator.

    A block of which instructions in the midst leave it is a superblock: a `cond_jump` among the
    instructions is a side exit.
    """

    instructions: list[Instruction] = field(default_factory=list[Instruction])
    condition: Reg | None = None
    """The word that decides between two successors, None with fewer."""
    successors: tuple[int, ...] = ()
    """Blocks that follow: none after a return, else taken when the condition is not zero,
    and the other one."""
    source: str = ""
    """The source place of the terminator."""
    order: int | None = None
    """Instructions of blocks with the same number say what has to run before them in all of
    these blocks; None if they say it of their own block alone."""
    carried: tuple[Carried, ...] | None = None
    """Of a block that branches to itself: what has to run before what, other than for values,
    from one iteration to a later one; None if that is not known."""
    cycles: int | None = None
    """How long it takes, if its instructions say when they run."""

    def exits(self) -> Iterator[Instruction]:
        """The side exits."""
        return (i for i in self.instructions if i.mnemonic == "cond_jump")

    def ways_out(self) -> tuple[int, ...]:
        """The blocks that side exits and the terminator lead to."""
        return (*map(exit_target, self.exits()), *self.successors)

    def redirect(self, new_number: Callable[[int], int]) -> None:
        """Let side exits and the terminator lead to other blocks."""
        for instruction in self.exits():
            condition, target = instruction.operands
            instruction.operands = condition, BlockRef(new_number(target.block))
        self.successors = tuple(map(new_number, self.successors))


def exit_target(instruction: Instruction) -> int:
    """The block that a side exit leads to."""
    return instruction.operands[1].block


class Access(NamedTuple):
    """One register access of an instruction."""

    is_def: bool
    register: int
    lane: int
    words: int
    operand: int
    """Position among the instruction's operands."""


@dataclass
class MachineFunction:
    """A function over virtual registers; block 0 is the entry."""

    target: Target
    blocks: list[MachineBlock] = field(default_factory=list[MachineBlock])
    widths: list[int] = field(default_factory=list[int])
    """Words of each virtual register."""
    keys: int = 0
    """How many keys of instructions have been given out."""
    _layouts: dict[tuple[str, str], list[tuple[bool, int, int]]] = field(
        default_factory=dict[tuple[str, str], list[tuple[bool, int, int]]], repr=False
    )
    """The register operands by engine and mnemonic, see `_layout`."""

    def engine(self, mnemonic: str, *, vector: bool = False, source: str = "") -> str:
        """The preferred engine for an instruction.

        Raises `CompileError`, at the source place of what needs it, if none runs it.
        """
        engines = self.target.engines_for(mnemonic, vector=vector)
        if not engines:
            kind = "vector " if vector else ""
            raise CompileError(
                f"the target '{self.target.name}' has no {kind}instruction '{mnemonic}'",
                source or None,
            )
        return engines[0]

    def has(self, mnemonic: str, *, vector: bool = False) -> bool:
        """Whether the target runs an instruction."""
        return bool(self.target.engines_for(mnemonic, vector=vector))

    def new_register(self, words: int = 1) -> int:
        """The number of a new register of `words` words."""
        self.widths.append(words)
        return len(self.widths) - 1

    def new_key(self) -> int:
        """A new key for an instruction."""
        self.keys += 1
        return self.keys - 1

    def new_block(self) -> int:
        """The number of a new, empty block."""
        self.blocks.append(MachineBlock())
        return len(self.blocks) - 1

    def copy(self) -> MachineFunction:
        """A function that can be rewritten without changing this one."""
        blocks = [
            replace(block, instructions=[replace(i) for i in block.instructions])
            for block in self.blocks
        ]
        return MachineFunction(self.target, blocks, list(self.widths), self.keys)

    def lay_out(self, order: Sequence[int]) -> None:
        """Keep the blocks with the numbers of `order`, in this order."""
        numbers = {old: new for new, old in enumerate(order)}
        self.blocks = [self.blocks[number] for number in order]
        for block in self.blocks:
            block.redirect(numbers.__getitem__)

    def accesses(self, instruction: Instruction) -> list[Access]:
        """The registers that an instruction reads and writes, in operand order."""
        operands = instruction.operands
        if instruction.mnemonic == UNDEFINED:
            (operand,) = operands
            return [Access(True, operand.register, 0, self.widths[operand.register], 0)]
        key = instruction.engine, instruction.mnemonic
        layout = self._layouts.get(key)
        if layout is None:
            layout = self._layouts[key] = self._layout(*key)
        return [
            Access(is_def, operands[place].register, operands[place].lane, words, place)
            for is_def, words, place in layout
        ]

    def _layout(self, engine: str, mnemonic: str) -> list[tuple[bool, int, int]]:
        """Of each register operand: whether it is written, its words and its position."""
        return [
            (role.is_def, self.target.vlen if role.is_vector else 1, place)
            for place, role in enumerate(self.target.formats[engine, mnemonic].roles)
            if role.is_def or role.is_use
        ]

    def copy_register(self, to: int, source: int, place: str = "") -> Iterator[Instruction]:
        """Instructions that copy a whole register to one of the same width."""
        words = self.widths[to]
        if words == self.target.vlen > 1 and self.has(MOVE, vector=True):
            engine = self.engine(MOVE, vector=True)
            yield Instruction(engine, MOVE, (Reg(to), Reg(source), Reg(source)), place)
            return
        engine = self.engine(MOVE, source=place)
        if words > 1:
            yield undefined(to, place)
        for lane in range(words):
            word = Reg(source, lane)
            yield Instruction(engine, MOVE, (Reg(to, lane), word, word), place)

    def kills(self, access: Access) -> bool:
        """Whether a write replaces the whole register."""
        return access.is_def and access.words == self.widths[access.register]

    def constants(self) -> dict[int, int]:
        """The value of each register whose only write is a constant."""
        writes = Counter[int]()
        values: dict[int, int] = {}
        for block in self.blocks:
            for instruction in block.instructions:
                written = [a.register for a in self.accesses(instruction) if a.is_def]
                writes.update(written)
                if instruction.mnemonic == "const" and self.widths[written[0]] == 1:
                    values[written[0]] = instruction.operands[1]
        return {register: value for register, value in values.items() if writes[register] == 1}
