"""The order of instructions that touch the same cells of memory, or the like."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from vliw_mlir.schedule.machine import After, Instruction, MachineFunction


@dataclass(slots=True)
class _Cell:
    writer: int | None = None
    """The key of the instruction that wrote it last."""
    readers: list[int] = field(default_factory=list[int])
    """The keys of those that have read it since."""


class MemoryOrder:
    """Orders the instructions of a block that are given to it, in the order of the program, and
    those of other blocks behind it, which go on from `before`.

    A cell is anything that instructions read and write, such as a word of memory. A bundle reads
    memory before it writes.
    """

    def __init__(self, function: MachineFunction, before: MemoryOrder | None = None):
        self._function = function
        self._before = before
        self._cells: dict[Hashable, _Cell] = {}

    def read(self, instruction: Instruction, cells: Iterable[Hashable]) -> None:
        """Let an instruction run behind what wrote the cells that it reads."""
        key = self._key(instruction)
        before: dict[int, int] = {}
        for name in cells:
            cell = self._cell(name)
            cell.readers.append(key)
            if cell.writer is not None:
                before[cell.writer] = 1
        _add(instruction, before)

    def write(self, instruction: Instruction, cells: Iterable[Hashable]) -> None:
        """Let an instruction run behind what touched the cells that it writes."""
        key = self._key(instruction)
        before: dict[int, int] = {}
        for name in cells:
            cell = self._cell(name)
            for reader in cell.readers:
                before.setdefault(reader, 0)
            if cell.writer is not None:
                before[cell.writer] = 1
            cell.writer, cell.readers = key, []
        _add(instruction, before)

    def _cell(self, name: Hashable) -> _Cell:
        found = self._cells.get(name)
        if found is None:
            found = self._cells[name] = self._inherited(name)
        return found

    def _inherited(self, name: Hashable) -> _Cell:
        """What has been done to a cell before the block."""
        order = self._before
        while order is not None:
            found = order._cells.get(name)
            if found is not None:
                return _Cell(found.writer, list(found.readers))
            order = order._before
        return _Cell()

    def _key(self, instruction: Instruction) -> int:
        if instruction.key is None:
            instruction.key = self._function.new_key()
        return instruction.key


def _add(instruction: Instruction, before: dict[int, int]) -> None:
    before.pop(-1 if instruction.key is None else instruction.key, None)
    if before:
        more = tuple(After(key, cycles) for key, cycles in before.items())
        instruction.after = (*instruction.after, *more)
