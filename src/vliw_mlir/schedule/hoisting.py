"""Computing before a branch what only one side of it needs.

It runs while the condition is computed, in slots that are most often free; the side then is the
shorter. Known as speculative hoisting, or upward code motion.
"""

from __future__ import annotations

from vliw_mlir.schedule.flow_graph import FlowGraph
from vliw_mlir.schedule.liveness import live_sets
from vliw_mlir.schedule.machine import (
    UNDEFINED,
    Instruction,
    MachineBlock,
    MachineFunction,
    may_run_early,
)
from vliw_mlir.schedule.renaming import reading, writing

SHARE_OF_SLOTS = 4
"""Up to which part of the slots for words in a cycle may be filled for a branch."""


def hoist_before_branches(function: MachineFunction) -> None:
    """Move computations of words from blocks with one way in, in the same loop, to before that.

    Only what is ready when the branch is, and no more than a part of the slots of one cycle.
    """
    engines = function.target.engines_for("+")
    most = function.target.slots[engines[0]] // SHARE_OF_SLOTS if engines else 0
    if most == 0:
        return
    graph, live = FlowGraph(function), live_sets(function)
    # Inner branches first, so that what is moved may move on.
    for number in reversed(graph.order):
        block = function.blocks[number]
        if block.condition is None or block.cycles is not None:
            continue
        hoister = _Hoister(function, block, most)
        for side, other in (block.successors, block.successors[::-1]):
            if side == 0 or graph.predecessors[side] != [number]:
                continue
            if graph.loops[side] == graph.loops[number]:
                moved = hoister.hoist(function.blocks[side], live[other][0])
                live[side][0].update(moved)


class _Hoister:
    """Moves instructions to the end of one block."""

    def __init__(self, function: MachineFunction, block: MachineBlock, most: int):
        self.function = function
        self.block = block
        self.left = most
        self.depths: dict[int, int] = {}
        """How many instructions of the block follow each other up to each register."""
        for instruction in block.instructions:
            self._note(instruction, self._depth(instruction))

    def hoist(self, side: MachineBlock, live_elsewhere: set[int]) -> set[int]:
        """Move what may be moved from the block behind the branch; the registers it writes.

        `live_elsewhere` are those that live into the block on the other side.
        """
        assert self.block.condition is not None
        condition = self.block.condition.register
        latest = self.depths.get(condition, 0) + 1
        exits = (n for n, i in enumerate(side.instructions) if i.mnemonic == "cond_jump")
        end = next(exits, len(side.instructions))
        kept: list[Instruction] = []
        touched = {condition, *live_elsewhere}
        """What must not be written before."""
        written: set[int] = set()
        """What is computed in the block itself."""
        moved: set[int] = set()
        for instruction in side.instructions[:end]:
            depth = self._depth(instruction)
            defs = {register for register, _, _ in writing(self.function, instruction)}
            uses = {register for register, _, _ in reading(self.function, instruction)}
            if (
                self.left == 0
                or depth > latest
                or not self._is_movable(instruction)
                or not defs.isdisjoint(touched)
                or not written.isdisjoint(uses | defs)
            ):
                kept.append(instruction)
                touched |= uses
                written |= defs
                continue
            self.block.instructions.append(instruction)
            self._note(instruction, depth)
            moved |= defs
            self.left -= 1
        side.instructions[:end] = kept
        return moved

    def _is_movable(self, instruction: Instruction) -> bool:
        """Whether it does nothing but write one register of a word."""
        if instruction.mnemonic == UNDEFINED or instruction.others or instruction.key is not None:
            return False
        if not may_run_early(instruction):
            return False
        (to,) = (access for access in self.function.accesses(instruction) if access.is_def)
        return to.words == 1 and self.function.kills(to)

    def _depth(self, instruction: Instruction) -> int:
        uses = (register for register, _, _ in reading(self.function, instruction))
        return max((self.depths.get(register, 0) for register in uses), default=0) + 1

    def _note(self, instruction: Instruction, depth: int) -> None:
        for register, _, _ in writing(self.function, instruction):
            self.depths[register] = max(depth, self.depths.get(register, 0))
