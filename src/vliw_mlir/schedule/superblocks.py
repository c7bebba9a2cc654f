"""Superblocks: likely ways through a function, scheduled as a whole.

A *trace* is a sequence of blocks, each of them likely to follow the one before and reached from
there only. It becomes one block that unlikely branches leave by side exits. A small block with
other ways in is copied for the trace (tail duplication). See Hwu et al., "The Superblock: An
Effective Technique for VLIW and Superscalar Compilation" (Journal of Supercomputing 7, 1993).
"""

from __future__ import annotations

from dataclasses import replace

from vliw_mlir.schedule.flow_graph import FlowGraph, keep_reachable
from vliw_mlir.schedule.joining import try_append
from vliw_mlir.schedule.machine import (
    After,
    BlockRef,
    Instruction,
    MachineBlock,
    MachineFunction,
)
from vliw_mlir.schedule.negation import Negation

MOST_COPIED = 24
"""How many instructions a block may have to be copied for a trace."""


def form_superblocks(function: MachineFunction) -> None:
    """Rewrite the blocks of a function; it keeps those that can be reached."""
    _Former(function).run()


class _Former:
    def __init__(self, function: MachineFunction):
        self.function = function
        self.graph = FlowGraph(function)
        self.negation = Negation(function)
        self.taken: set[int] = set()
        """The blocks that are part of a trace."""
        self.room = sum(len(block.instructions) for block in function.blocks)
        """How many instructions may still be copied."""

    def run(self) -> None:
        for first in self.graph.order:
            if first not in self.taken:
                self._grow(first)
        keep_reachable(self.function)

    def _grow(self, first: int) -> None:
        """Append what follows to a block as long as that is likely."""
        blocks, ways_in = self.function.blocks, self.graph.predecessors
        self.taken.add(first)
        last = first
        while (following := self._following(last)) is not None:
            is_copy = len(ways_in[following]) > 1
            appended = _copy(self.function, blocks[following]) if is_copy else blocks[following]
            if not self._append(blocks[first], following, appended):
                return
            for successor in appended.ways_out():
                ways_in[successor].append(first)
                if not is_copy:
                    ways_in[successor].remove(following)
            if is_copy:
                self.room -= len(appended.instructions)
                ways_in[following].remove(first)
            else:
                self.taken.add(following)
            last = following

    def _following(self, last: int) -> int | None:
        """The block to append behind block `last` of a trace, None if there is none."""
        likely = self.graph.likely_successors(last)
        return next((block for block in likely if self._may_follow(last, block)), None)

    def _may_follow(self, last: int, following: int) -> bool:
        graph = self.graph
        if following == 0 or following in self.taken or (last, following) in graph.back_edges:
            return False
        if any(self.function.blocks[n].cycles is not None for n in (last, following)):
            # Their schedules are known.
            return False
        return len(graph.predecessors[following]) == 1 or self._may_copy(last, following)

    def _may_copy(self, last: int, following: int) -> bool:
        """Whether a copy of a block in the same loop is worth its instructions."""
        graph, block = self.graph, self.function.blocks[following]
        if not graph.loops[last] or graph.loops[last] != graph.loops[following]:
            return False
        count = len(block.instructions)
        return count <= min(MOST_COPIED, self.room) and not any(block.exits())

    def _append(self, block: MachineBlock, following: int, appended: MachineBlock) -> bool:
        """Append a block to one that ends in a branch to it; False if that cannot be done."""
        leaves = self._exit(block, following) if block.condition is not None else []
        if leaves is None:
            return False
        block.instructions += leaves
        if not try_append(self.function, block, appended):
            del block.instructions[len(block.instructions) - len(leaves) :]
            return False
        block.condition, block.successors = appended.condition, appended.successors
        block.source = appended.source
        return True

    def _exit(self, block: MachineBlock, following: int) -> list[Instruction] | None:
        """The side exit in place of the branch at the end of a block."""
        condition, (taken, other) = block.condition, block.successors
        if following == taken:
            condition, taken = self.negation.of(block), other
        if condition is None:
            return None
        engine = self.function.engine("cond_jump", source=block.source)
        return [Instruction(engine, "cond_jump", (condition, BlockRef(taken)), block.source)]


def _copy(function: MachineFunction, block: MachineBlock) -> MachineBlock:
    """A copy of a block whose instructions know each other by keys of their own."""
    keys = {i.key: function.new_key() for i in block.instructions if i.key is not None}
    instructions = [
        replace(
            instruction,
            key=None if instruction.key is None else keys[instruction.key],
            after=tuple(After(keys[key], n) for key, n in instruction.after if key in keys),
        )
        for instruction in block.instructions
    ]
    return replace(block, instructions=instructions, order=None)
