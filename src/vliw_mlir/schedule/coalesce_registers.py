"""Registers that become one, so that moves between them are not needed.

Done for moves from what lives into their block, mostly to the arguments of other blocks. Moves
from what is computed in the same block are left to `coalesce`, which knows what comes of it for
the schedule. Two registers may become one unless one is written while the other one lives; moves
between them do not count. Known as aggressive coalescing; Chaitin, "Register Allocation and
Spilling via Graph Coloring" (PLDI 1982).
"""

from __future__ import annotations

from collections.abc import Iterator

from vliw_mlir.schedule.liveness import live_sets
from vliw_mlir.schedule.machine import (
    Access,
    Instruction,
    MachineBlock,
    MachineFunction,
    Reg,
    exit_target,
    is_empty_move,
    is_move,
)

MOST_LOOKED_AT = 1_000_000
"""How many instructions are looked at to find out whether registers may become one."""


def coalesce_registers(function: MachineFunction) -> None:
    """Rewrite the instructions of a function."""
    coalescer = _Coalescer(function)
    for to, source in list(coalescer.candidates()):
        coalescer.try_join(to, source)
    coalescer.rewrite()


class _Coalescer:
    def __init__(self, function: MachineFunction):
        self.function = function
        self.live = live_sets(function)
        self.joined: dict[int, int] = {}
        """Which register others have become."""
        self.writers: dict[int, set[int]] = {}
        """The blocks that write to each register."""
        self.looked_at = 0
        for number, block in enumerate(function.blocks):
            for instruction in block.instructions:
                for access in function.accesses(instruction):
                    if access.is_def:
                        self.writers.setdefault(access.register, set()).add(number)

    def candidates(self) -> Iterator[tuple[int, int]]:
        """Destination and source of moves of whole registers that live into their block."""
        for block in self.function.blocks:
            written: set[int] = set()
            for instruction in block.instructions:
                accesses = self.function.accesses(instruction)
                if is_move(instruction):
                    to, source, _ = accesses
                    widths = {self.function.widths[access.register] for access in accesses}
                    if source.register not in written and widths == {to.words}:
                        yield to.register, source.register
                written.update(access.register for access in accesses if access.is_def)

    def try_join(self, to: int, source: int) -> None:
        """Let two registers become one if they may."""
        a, b = self._find(to), self._find(source)
        if a == b or self._interfere(a, b):
            return
        self.joined[a] = b
        self.writers[b] = self.writers.get(b, set()) | self.writers.get(a, set())
        for sets in self.live:
            for registers in sets:
                if a in registers:
                    registers.add(b)

    def _find(self, register: int) -> int:
        while register in self.joined:
            register = self.joined[register]
        return register

    def _interfere(self, a: int, b: int) -> bool:
        """Whether one is written while the other one lives; True if that takes too long."""
        blocks = self.writers.get(a, set()) | self.writers.get(b, set())
        self.looked_at += sum(len(self.function.blocks[n].instructions) for n in blocks)
        if self.looked_at > MOST_LOOKED_AT:
            return True
        return any(self._interfere_in(number, a, b) for number in blocks)

    def _interfere_in(self, number: int, a: int, b: int) -> bool:
        block = self.function.blocks[number]
        live = self._live_at_end(block) & {a, b}
        for instruction in reversed(block.instructions):
            if instruction.mnemonic == "cond_jump":
                live |= self.live[exit_target(instruction)][0] & {a, b}
            killed: set[int] = set()
            read: set[int] = set()
            for access in self._accesses(instruction):
                register = self._find(access.register)
                if register not in (a, b):
                    continue
                if not access.is_def:
                    read.add(register)
                    continue
                if not self._is_between(instruction, a, b) and (live - {register}):
                    return True
                if self.function.kills(access):
                    killed.add(register)
            live = live - killed | read
        return False

    def _live_at_end(self, block: MachineBlock) -> set[int]:
        live = set[int]().union(*(self.live[successor][0] for successor in block.successors))
        return live if block.condition is None else live | {self._find(block.condition.register)}

    def _accesses(self, instruction: Instruction) -> Iterator[Access]:
        for alternative in (instruction, *instruction.others):
            yield from self.function.accesses(alternative)

    def _is_between(self, instruction: Instruction, a: int, b: int) -> bool:
        """Whether an instruction is a move from words of one to the same words of the other."""
        if not is_move(instruction):
            return False
        to, source, _ = instruction.operands
        return to.lane == source.lane and {
            self._find(to.register),
            self._find(source.register),
        } == {a, b}

    def rewrite(self) -> None:
        """Write what registers have become."""
        if not self.joined:
            return
        for block in self.function.blocks:
            for instruction in block.instructions:
                self._rename(instruction)
            block.instructions = [i for i in block.instructions if not is_empty_move(i)]
            if block.condition is not None:
                register, lane = block.condition
                block.condition = Reg(self._find(register), lane)

    def _rename(self, instruction: Instruction) -> None:
        instruction.operands = tuple(
            Reg(self._find(operand.register), operand.lane) if isinstance(operand, Reg) else operand
            for operand in instruction.operands
        )
        for other in instruction.others:
            self._rename(other)
