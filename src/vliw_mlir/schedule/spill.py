"""Spilling: values that do not fit in scratch live in memory.

Each read of a spilled register loads it into a short-lived register of its own, each write
stores from one (Chaitin's spill-everywhere). A register that only ever holds one constant, or one
word in all lanes, is made anew instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterator
from dataclasses import dataclass, field, replace

from vliw_mlir.schedule.machine import (
    LOADS,
    UNDEFINED,
    Access,
    After,
    Instruction,
    MachineBlock,
    MachineFunction,
    Reg,
    undefined,
)
from vliw_mlir.schedule.memory_order import MemoryOrder


@dataclass
class SpillSlots:
    """Gives out memory for spilled registers, from an address on."""

    address: int
    """Word address of the first of them."""
    words: int = 0
    """Words given out so far."""
    addresses: dict[int, int] = field(default_factory=dict[int, int])
    """Address of each spilled register."""
    short_lived: set[int] = field(default_factory=set[int])
    """The registers that spilling has made; spilling them again would not help."""

    def copy(self) -> SpillSlots:
        """Another one, to try something out."""
        return replace(self, addresses=dict(self.addresses), short_lived=set(self.short_lived))

    def become(self, other: SpillSlots) -> None:
        """Go on from what `other` has given out."""
        self.words, self.addresses, self.short_lived = (
            other.words,
            other.addresses,
            other.short_lived,
        )

    def address_of(self, register: int, words: int) -> int:
        """The word address at which `register` lives."""
        if register not in self.addresses:
            self.addresses[register] = self.address + self.words
            self.words += words
        return self.addresses[register]


def spill(
    function: MachineFunction, registers: Collection[int], slots: SpillSlots, reach: int = 0
) -> None:
    """Rewrite `function` so that `registers` live in memory, or are made anew where they are read.

    What is loaded anew also serves reads up to `reach` instructions later.
    """
    slots.short_lived |= _Spiller(function, set(registers), slots, reach).run()


REMADE = frozenset({"const", "vbroadcast", "vload"})
"""What makes registers anew: it needs fewer words than it makes."""


def remade_by(function: MachineFunction) -> dict[int, Instruction]:
    """For each register that can be made anew wherever it is read, by what: the only instruction
    that writes to it, if each word that this reads is written once, too.

    What is loaded is so if it is used in one block, where nothing overwrites it in memory behind
    the load. Expects that no register is read before it is written.
    """
    written = Counter[tuple[int, int]]()
    found: dict[int, Instruction] = {}
    blocks: dict[int, set[int]] = {}
    waited_for = set[int]()
    for number, block in enumerate(function.blocks):
        if block.condition is not None:
            blocks.setdefault(block.condition.register, set()).add(number)
        for instruction in block.instructions:
            waited_for.update(after.key for after in instruction.after)
            if instruction.mnemonic == UNDEFINED:
                continue
            for access in accesses_of_all(function, instruction):
                blocks.setdefault(access.register, set()).add(number)
            for access in function.accesses(instruction):
                if not access.is_def:
                    continue
                written.update((access.register, lane) for lane in _lanes(access))
                if function.kills(access) and instruction.mnemonic in REMADE:
                    found[access.register] = replace(instruction, others=())
    return {
        register: instruction
        for register, instruction in found.items()
        if all(
            written[access.register, lane] == 1
            for access in function.accesses(instruction)
            for lane in _lanes(access)
        )
        and (
            instruction.mnemonic not in LOADS
            or (len(blocks[register]) == 1 and _is_unchanged(instruction, waited_for))
        )
    }


def _is_unchanged(load: Instruction, waited_for: Container[int]) -> bool:
    """Whether nothing overwrites what a load reads, given the keys of what others wait for. Where
    the order of accesses is not known, loads have no keys."""
    return load.key is not None and load.key not in waited_for


def accesses_of_all(function: MachineFunction, instruction: Instruction) -> Iterator[Access]:
    """The accesses of an instruction and of those that may run in its place."""
    for alternative in (instruction, *instruction.others):
        yield from function.accesses(alternative)


def _lanes(access: Access) -> range:
    return range(access.lane, access.lane + access.words)


def _to(register: int, instruction: Instruction) -> Instruction:
    """The same instruction, which writes to another register."""
    operands = (Reg(register), *instruction.operands[1:])
    return replace(instruction, operands=operands, key=None)


class _Spiller:
    def __init__(
        self, function: MachineFunction, registers: set[int], slots: SpillSlots, reach: int
    ):
        self.function = function
        self.slots = slots
        self.registers = registers
        found = remade_by(function)
        self.remade_by = {
            r: found[r] for r in registers if r in found and not self._accesses(found[r], r)
        }
        """What makes registers anew, instead of loading them."""
        self.reach = reach
        self.copies: dict[int, tuple[int, int]] = {}
        """For each of these, where in `out` it was made last, and the register made for it."""
        self.created: set[int] = set()
        self.out: list[Instruction] = []
        self.makers: dict[int, int] = {}
        """The place in `out` of what wrote to a register last."""
        self.source = ""
        self.order = MemoryOrder(function)

    def run(self) -> set[int]:
        for block in self.function.blocks:
            self._rewrite_block(block)
        return self.created

    def _rewrite_block(self, block: MachineBlock) -> None:
        self.out = []
        self.order = MemoryOrder(self.function)
        self.makers, self.copies = {}, {}
        for instruction in block.instructions:
            self._rewrite(instruction)
        if block.condition is not None and block.condition.register in self.registers:
            self.source = block.source
            block.condition = self._reload(Access(False, *block.condition, 1, 0))
        block.instructions = self.out

    def _rewrite(self, instruction: Instruction) -> None:
        others = tuple(other for other in instruction.others if not self._accesses(other))
        if len(others) < len(instruction.others):
            instruction = replace(instruction, others=others)
        accesses = self._accesses(instruction)
        if not accesses:
            self._keep(instruction)
            return
        # A spilled register's life needs no beginning, a remade constant no definition.
        writes = [access for access in accesses if access.is_def]
        if instruction.mnemonic == UNDEFINED or (writes and writes[0].register in self.remade_by):
            return
        self.source = instruction.source
        operands = list(instruction.operands)
        reloaded: dict[tuple[int, int, int], Reg] = {}
        for access in accesses:
            if access.is_def:
                continue
            words = (access.register, access.lane, access.words)
            if words not in reloaded:
                reloaded[words] = self._reload(access, instruction)
            operands[access.operand] = reloaded[words]
        stores: list[tuple[Access, int]] = []
        for access in writes:
            register = self._new(access.words)
            operands[access.operand] = Reg(register)
            stores.append((access, register))
        # What may run in its place writes the same words, which are others now.
        others = () if stores else instruction.others
        self._keep(replace(instruction, operands=tuple(operands), others=others))
        for access, register in stores:
            self._store(access, register)

    def _keep(self, instruction: Instruction) -> None:
        if instruction.mnemonic != UNDEFINED:
            for access in self.function.accesses(instruction):
                if access.is_def:
                    self.makers[access.register] = len(self.out)
        self.out.append(instruction)

    def _latest_operand(self, instruction: Instruction) -> Instruction | None:
        """The last instruction of the block before `instruction` that computes an operand of it;
        None if there is none."""
        made = [
            self.makers[access.register]
            for access in self.function.accesses(instruction)
            if not access.is_def and access.register in self.makers
        ]
        return self.out[max(made)] if made else None

    def _accesses(self, instruction: Instruction, but: int = -1) -> list[Access]:
        """The accesses of spilled registers other than `but`."""
        accesses = self.function.accesses(instruction)
        return [a for a in accesses if a.register in self.registers and a.register != but]

    def _new(self, words: int) -> int:
        register = self.function.new_register(words)
        self.created.add(register)
        return register

    def _emit(self, mnemonic: str, *operands: object) -> Instruction:
        engine = self.function.engine(mnemonic, source=self.source)
        instruction = Instruction(engine, mnemonic, operands, self.source)
        self.out.append(instruction)
        return instruction

    def _constant(self, value: int) -> int:
        register = self._new(1)
        self._emit("const", Reg(register), value)
        return register

    def _repeat(self, access: Access, reader: Instruction | None) -> Reg:
        """The words that `access` reads, in a register made like the spilled one.

        That waits for what `reader` waits for anyway: made as soon as there is a slot, it would
        take its words for long.
        """
        made = self.remade_by[access.register]
        place, register = self.copies.get(access.register, (0, -1))
        if register >= 0 and made.mnemonic in LOADS and len(self.out) - place <= self.reach:
            return Reg(register, access.lane)
        register = self._new(self.function.widths[access.register])
        self.copies[access.register] = len(self.out), register
        made = _to(register, made)
        latest = None if reader is None else self._latest_operand(reader)
        if latest is not None:
            if latest.key is None:
                latest.key = self.function.new_key()
            made.after = (*made.after, After(latest.key, 0))
        self.out.append(made)
        return Reg(register, access.lane)

    def _reload(self, access: Access, reader: Instruction | None = None) -> Reg:
        """The words that `access` reads, for `reader` or else the end of the block, in a new
        register."""
        if access.register in self.remade_by:
            return self._repeat(access, reader)
        start = self._address(access)
        register = self._new(access.words)
        if access.words == 1:
            load = self._emit("load", Reg(register), Reg(self._constant(start)))
            self.order.read(load, range(start, start + 1))
        elif self.function.has("vload"):
            load = self._emit("vload", Reg(register), Reg(self._constant(start)))
            self.order.read(load, range(start, start + access.words))
        else:
            self.out.append(undefined(register, self.source))
            for lane in range(access.words):
                address = start + lane
                load = self._emit("load", Reg(register, lane), Reg(self._constant(address)))
                self.order.read(load, range(address, address + 1))
        return Reg(register)

    def _store(self, access: Access, register: int) -> None:
        start = self._address(access)
        if access.words > 1 and self.function.has("vstore"):
            store = self._emit("vstore", Reg(self._constant(start)), Reg(register))
            self.order.write(store, range(start, start + access.words))
            return
        for lane in range(access.words):
            address = start + lane
            store = self._emit("store", Reg(self._constant(address)), Reg(register, lane))
            self.order.write(store, range(address, address + 1))

    def _address(self, access: Access) -> int:
        width = self.function.widths[access.register]
        return self.slots.address_of(access.register, width) + access.lane
