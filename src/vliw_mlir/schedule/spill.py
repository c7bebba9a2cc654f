"""Spilling: values that do not fit in scratch live in memory.

Each read of a spilled register loads it into a short-lived register of its own, each write
stores from one (Chaitin's spill-everywhere). A register that only ever holds one constant
is made anew instead.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from vliw_mlir.schedule.machine import (
    UNDEFINED,
    Access,
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

    def address_of(self, register: int, words: int) -> int:
        """The word address at which `register` lives."""
        if register not in self.addresses:
            self.addresses[register] = self.address + self.words
            self.words += words
        return self.addresses[register]


def spill(function: MachineFunction, registers: Collection[int], slots: SpillSlots) -> None:
    """Rewrite `function` so that `registers` live in memory."""
    slots.short_lived |= _Spiller(function, set(registers), slots).run()


class _Spiller:
    def __init__(self, function: MachineFunction, registers: set[int], slots: SpillSlots):
        self.function = function
        self.slots = slots
        self.registers = registers
        constants = function.constants()
        self.constants = {r: constants[r] for r in registers if r in constants}
        self.created: set[int] = set()
        self.out: list[Instruction] = []
        self.source = ""
        self.order = MemoryOrder(function)

    def run(self) -> set[int]:
        for block in self.function.blocks:
            self._rewrite_block(block)
        return self.created

    def _rewrite_block(self, block: MachineBlock) -> None:
        self.out = []
        self.order = MemoryOrder(self.function)
        for instruction in block.instructions:
            self._rewrite(instruction)
        if block.condition is not None and block.condition.register in self.registers:
            self.source = block.source
            block.condition = Reg(self._reload(Access(False, *block.condition, 1, 0)))
        block.instructions = self.out

    def _rewrite(self, instruction: Instruction) -> None:
        others = tuple(other for other in instruction.others if not self._accesses(other))
        if len(others) < len(instruction.others):
            instruction = replace(instruction, others=others)
        accesses = self._accesses(instruction)
        if not accesses:
            self.out.append(instruction)
            return
        # A spilled register's life needs no beginning, a remade constant no definition.
        writes = [access for access in accesses if access.is_def]
        if instruction.mnemonic == UNDEFINED or (writes and writes[0].register in self.constants):
            return
        self.source = instruction.source
        operands = list(instruction.operands)
        reloaded: dict[tuple[int, int, int], int] = {}
        for access in accesses:
            if access.is_def:
                continue
            words = (access.register, access.lane, access.words)
            if words not in reloaded:
                reloaded[words] = self._reload(access)
            operands[access.operand] = Reg(reloaded[words])
        stores: list[tuple[Access, int]] = []
        for access in writes:
            register = self._new(access.words)
            operands[access.operand] = Reg(register)
            stores.append((access, register))
        # What may run in its place writes the same words, which are others now.
        others = () if stores else instruction.others
        self.out.append(replace(instruction, operands=tuple(operands), others=others))
        for access, register in stores:
            self._store(access, register)

    def _accesses(self, instruction: Instruction) -> list[Access]:
        """The accesses of spilled registers."""
        accesses = self.function.accesses(instruction)
        return [access for access in accesses if access.register in self.registers]

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

    def _reload(self, access: Access) -> int:
        """A new register holding the words that `access` reads."""
        if access.register in self.constants:
            return self._constant(self.constants[access.register])
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
        return register

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
