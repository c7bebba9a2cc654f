"""The order of blocks in the program, so that few branches need a second jump.

A block that ends in a branch needs another jump where it does not branch, unless that leads to
the block behind it. So blocks are put together into chains, those of the innermost loops first
(Pettis and Hansen, "Profile Guided Code Positioning", PLDI 1990, section 4). A jump at the end of
a block without a branch has room in the last bundle.
"""

from __future__ import annotations

from collections.abc import Iterator

from vliw_mlir.schedule.flow_graph import FlowGraph
from vliw_mlir.schedule.machine import BlockRef, Instruction, MachineFunction


def lay_out_blocks(function: MachineFunction) -> None:
    """Put the blocks of a function in order.

    Branches that still need a second jump become side exits, which leaves room beside the jump
    for what only the other way needs; but for those back to the beginning of a loop.
    """
    graph = FlowGraph(function)
    order = _chained(function, graph)
    place = {number: n for n, number in enumerate(order)}
    for number in order:
        block = function.blocks[number]
        if block.condition is None or block.cycles is not None:
            continue
        taken, other = block.successors
        if (number, taken) in graph.back_edges:
            continue
        if place[other] != place[number] + 1:
            engine = function.engine("cond_jump", source=block.source)
            operands = block.condition, BlockRef(taken)
            leaves = Instruction(engine, "cond_jump", operands, block.source)
            block.instructions.append(leaves)
            block.condition, block.successors = None, (other,)
    function.lay_out(order)


def _chained(function: MachineFunction, graph: FlowGraph) -> list[int]:
    chains = {number: [number] for number in graph.order}
    for number, following in _wishes(function, graph):
        chain, behind = chains[number], chains[following]
        if chain[-1] == number and behind[0] == following and chain is not behind and following:
            chain += behind
            for member in behind:
                chains[member] = chain
    order: list[int] = []
    for number in sorted(chains):
        if chains[number][0] == number:
            order += chains[number]
    return order


def _wishes(function: MachineFunction, graph: FlowGraph) -> Iterator[tuple[int, int]]:
    """Blocks and which one each should be followed by, the most urgent ones first."""
    inner_first = sorted(graph.order, key=lambda number: (-len(graph.loops[number]), number))
    branching = [n for n in inner_first if len(function.blocks[n].successors) == 2]
    yield from ((number, function.blocks[number].successors[1]) for number in branching)
    for number in inner_first:
        if len(function.blocks[number].successors) == 1:
            yield number, function.blocks[number].successors[0]
