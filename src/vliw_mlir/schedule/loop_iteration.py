"""One iteration of a loop, with a register of its own for everything that it computes.

What one iteration hands to the next is computed in one register and read from another one, so
that nothing says where it lives: several iterations may be under way at once. Moves that only
hand on values are gone; a value that is handed on twice is one of two iterations before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from vliw_mlir.schedule.machine import (
    UNDEFINED,
    Instruction,
    MachineFunction,
    Reg,
    is_move,
    undefined,
)


class NotPipelinedError(Exception):
    """Why a loop is not pipelined."""


class Origin(NamedTuple):
    """What a register of the iteration holds, some iterations before."""

    register: int
    distance: int


@dataclass
class Iteration:
    """The instructions of an iteration, over registers of its own."""

    function: MachineFunction
    instructions: list[Instruction]
    """In the order of the program; the last one is the jump."""
    invariants: set[int]
    """The registers that no iteration writes. Others are written in one iteration only."""
    entries: dict[int, Origin]
    """Registers that hold what earlier iterations have computed, and where they did."""
    initial: dict[Origin, int]
    """What an origin stands for that is before the first iteration: a register of the function,
    as it is when the loop is entered."""
    results: dict[int, Origin]
    """Where to find what registers of the function hold after the loop, counted from the last
    iteration."""


def iteration_of(
    function: MachineFunction, number: int, jump: Instruction, results: Collection[int]
) -> Iteration:
    """An iteration of the loop that is block `number`, which ends in `jump`.

    `results` are the registers that are read after the loop. Raises `NotPipelinedError` where a
    register is not written as a whole.
    """
    return _Builder(function, [*function.blocks[number].instructions, jump]).build(results)


class _Builder:
    def __init__(self, function: MachineFunction, instructions: Sequence[Instruction]):
        self.function = function
        self.written = {
            access.register
            for instruction in instructions
            for access in function.accesses(instruction)
            if access.is_def
        }
        self.entries: dict[int, int] = {}
        """The register that stands for what a register of the function holds at first."""
        self.current: dict[int, int] = {}
        """The one for what it holds last."""
        self.instructions: list[Instruction] = []
        self.writes = defaultdict[int, list[int]](list)
        """Where each register of the iteration is written: positions among the instructions."""
        self.same_as: dict[int, int] = {}
        """Registers that are copies, and what of."""
        for instruction in instructions:
            self._add(instruction)
        self.invariants = {r for r in self.current if r not in self.written}

    def build(self, results: Collection[int]) -> Iteration:
        self._find_copies()
        origins, initial = self._origins()
        instructions = [
            self._without_copies(instruction)
            for instruction in self.instructions
            if not self._is_copied_to(instruction)
        ]
        found: dict[int, Origin] = {}
        for register in sorted(results):
            if register in self.written:
                at = self._find(self.current[register])
                found[register] = origins.get(at, Origin(at, 0))
        return Iteration(self.function, instructions, self.invariants, origins, initial, found)

    # Registers of its own

    def _add(self, instruction: Instruction) -> None:
        if instruction.mnemonic == UNDEFINED:
            register = self._begin(instruction.operands[0].register)
            self.instructions.append(undefined(register, instruction.source))
            return
        # It reads before it writes.
        read = self._renamed(instruction, self._read, is_def=False)
        for access in self.function.accesses(instruction):
            if not access.is_def:
                continue
            register = access.register
            if self.function.kills(access):
                self._begin(register)
            elif self.current.get(register) in (None, self.entries.get(register)):
                raise NotPipelinedError("a part of a register is written that lives on")
            self.writes[self.current[register]].append(len(self.instructions))
        self.instructions.append(self._renamed(read, self.current.__getitem__, is_def=True))

    def _renamed(
        self, instruction: Instruction, rename: Callable[[int], int], *, is_def: bool
    ) -> Instruction:
        """The instruction with other registers for what it writes, or for what it reads."""
        operands = list(instruction.operands)
        for access in self.function.accesses(instruction):
            if access.is_def == is_def:
                operands[access.operand] = Reg(rename(access.register), access.lane)
        others = tuple(self._renamed(o, rename, is_def=is_def) for o in instruction.others)
        return replace(instruction, operands=tuple(operands), others=others)

    def _begin(self, register: int) -> int:
        self.current[register] = self.function.new_register(self.function.widths[register])
        return self.current[register]

    def _read(self, register: int) -> int:
        if register not in self.written:
            self.current[register] = register
        elif register not in self.current:
            self.entries[register] = self._begin(register)
        return self.current[register]

    # Copies

    def _find_copies(self) -> None:
        """Find moves from whole registers to others that are not written elsewhere."""
        widths = self.function.widths
        last = {self.current[register] for register in self.written}
        for position, instruction in enumerate(self.instructions):
            if not is_move(instruction):
                continue
            to: Reg
            source: Reg
            to, source, _ = instruction.operands
            words = next(a.words for a in self.function.accesses(instruction) if a.is_def)
            is_whole = words == widths[to.register] == widths[source.register]
            is_only_write = len(self.writes[to.register]) == 1
            is_last_value = max(self.writes.get(source.register, (-1,))) < position
            # What has no origin in an earlier iteration cannot be handed on.
            is_handed_on = to.register in last and source.register in self.invariants
            if is_whole and is_only_write and is_last_value and not is_handed_on:
                self.same_as[to.register] = source.register

    def _find(self, register: int) -> int:
        """The register that holds what `register` is a copy of."""
        while register in self.same_as:
            register = self.same_as[register]
        return register

    def _origins(self) -> tuple[dict[int, Origin], dict[Origin, int]]:
        """The origins of what is handed on; and what they stand for at first."""
        while True:
            origins: dict[int, Origin] = {}
            initial: dict[Origin, int] = {}
            for register, entry in self.entries.items():
                origin = self._origin(register)
                if origin is None or origin in initial:
                    # The value goes around in circles, or is in two places: it has to be moved.
                    rivals = (register,) if origin is None else (register, initial[origin])
                    copies = [self.current[r] for r in rivals if self.current[r] in self.same_as]
                    del self.same_as[copies[0]]
                    break
                origins[entry] = origin
                initial[origin] = register
            else:
                return origins, initial

    def _origin(self, register: int) -> Origin | None:
        """Where a register's value comes from, iterations before; None if from nowhere."""
        registers = {entry: register for register, entry in self.entries.items()}
        seen: list[int] = []
        while register not in seen:
            seen.append(register)
            found = self._find(self.current[register])
            if found in self.invariants:
                return None
            if found not in registers:
                return Origin(found, len(seen))
            register = registers[found]
        return None

    def _is_copied_to(self, instruction: Instruction) -> bool:
        """Whether an instruction writes a register that is not needed any more."""
        return is_move(instruction) and instruction.operands[0].register in self.same_as

    def _without_copies(self, instruction: Instruction) -> Instruction:
        return self._renamed(instruction, self._find, is_def=False)
