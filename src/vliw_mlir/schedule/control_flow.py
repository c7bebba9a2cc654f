"""Simpler control flow of machine functions: fewer, longer blocks.

Moves on the way to one of two blocks are done before the branch where the other one does not
mind. Blocks without instructions are skipped, blocks with one way in are joined to what leads
there.
"""

from __future__ import annotations

from vliw_mlir.schedule.flow_graph import keep_reachable
from vliw_mlir.schedule.joining import try_append
from vliw_mlir.schedule.liveness import live_sets
from vliw_mlir.schedule.machine import MOVE, UNDEFINED, MachineBlock, MachineFunction


def simplify_control_flow(function: MachineFunction) -> None:
    """Rewrite the blocks of a function."""
    _hoist_moves(function)
    _skip_empty_blocks(function)
    _join_blocks(function)
    keep_reachable(function)


def _predecessors(function: MachineFunction) -> list[list[int]]:
    predecessors: list[list[int]] = [[] for _ in function.blocks]
    for number, block in enumerate(function.blocks):
        for successor in block.ways_out():
            predecessors[successor].append(number)
    return predecessors


def _hoist_moves(function: MachineFunction) -> None:
    """Empty blocks with moves between a branch and where it leads."""
    predecessors = _predecessors(function)
    sets = live_sets(function)
    for number, block in enumerate(function.blocks):
        if len(predecessors[number]) != 1 or len(block.successors) != 1 or not block.instructions:
            continue
        before = function.blocks[predecessors[number][0]]
        others = [successor for successor in before.successors if successor != number]
        if before.condition is None or len(others) != 1:
            continue
        if any(i.mnemonic != MOVE for i in block.instructions if i.mnemonic != UNDEFINED):
            continue
        written = {
            access.register
            for instruction in block.instructions
            for access in function.accesses(instruction)
            if access.is_def
        }
        if before.condition.register in written or not written.isdisjoint(sets[others[0]][0]):
            continue
        before.instructions += block.instructions
        block.instructions = []
        # What was live into the block that is empty now is live through it.
        sets[number][0].clear()
        sets[number][0].update(sets[block.successors[0]][0])


def _skip_empty_blocks(function: MachineFunction) -> None:
    """Let branches to blocks that do nothing lead to where those lead."""

    def end_of(number: int) -> int:
        seen: set[int] = set()
        block = function.blocks[number]
        while not block.instructions and len(block.successors) == 1 and number not in seen:
            seen.add(number)
            number = block.successors[0]
            block = function.blocks[number]
        return number

    for block in function.blocks:
        block.redirect(end_of)
        if len(set(block.successors)) == 1:
            block.successors, block.condition = block.successors[:1], None


def _join_blocks(function: MachineFunction) -> None:
    """Append blocks to the only block that leads to them, if that leads nowhere else."""
    predecessors = _predecessors(function)
    for number, block in enumerate(function.blocks):
        while len(block.successors) == 1:
            (successor,) = block.successors
            if successor in (0, number) or predecessors[successor] != [number]:
                break
            following = function.blocks[successor]
            if not try_append(function, block, following):
                break
            block.condition, block.successors = following.condition, following.successors
            block.source = following.source
            for after in following.ways_out():
                predecessors[after] = [number if p == successor else p for p in predecessors[after]]
            function.blocks[successor] = MachineBlock()
            predecessors[successor] = []
