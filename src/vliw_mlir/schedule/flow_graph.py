"""The control-flow graph of a machine function: ways in, loops, and what is likely."""

from __future__ import annotations

from vliw_mlir.analysis.natural_loops import natural_loops
from vliw_mlir.schedule.machine import MachineFunction


def keep_reachable(function: MachineFunction) -> None:
    """Drop the blocks of a function that cannot be reached; the others stay in order."""
    function.lay_out(sorted(FlowGraph(function).order))


class FlowGraph:
    """What is known of the blocks of a function that can be reached."""

    def __init__(self, function: MachineFunction):
        self.function = function
        self.predecessors: list[list[int]] = [[] for _ in function.blocks]
        """One for each way in."""
        self.order: list[int] = []
        """The blocks that can be reached, each before its successors except along back edges."""
        self.back_edges: set[tuple[int, int]] = set()
        """Edges to a block that is on the way to their beginning."""
        self._visit()
        for number in self.order:
            for successor in function.blocks[number].ways_out():
                self.predecessors[successor].append(number)
        self.loops = natural_loops(self.predecessors, self.back_edges)
        """The first blocks of the loops that each block is in."""

    def _visit(self) -> None:
        """Depth-first search; edges to blocks in the midst of being visited are back edges."""
        blocks = self.function.blocks
        postorder: list[int] = []
        seen, open_blocks = {0}, {0}
        stack = [(0, iter(reversed(blocks[0].ways_out())))]
        while stack:
            number, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                postorder.append(number)
                open_blocks.remove(number)
                stack.pop()
            elif following in open_blocks:
                self.back_edges.add((number, following))
            elif following not in seen:
                seen.add(following)
                open_blocks.add(following)
                stack.append((following, iter(reversed(blocks[following].ways_out()))))
        self.order = postorder[::-1]

    def is_likely(self, number: int, successor: int) -> bool:
        """Whether a branch is likely to lead to a successor as far as its place tells: loops go
        on, and functions do not return."""
        if not self.loops[number] <= self.loops[successor]:
            return False
        return bool(self.function.blocks[successor].successors)

    def likely_successors(self, number: int) -> tuple[int, ...]:
        """Where a block leads to most often at its end, in the order in which to look at them."""
        successors = self.function.blocks[number].successors
        if len(successors) == 1:
            return successors
        likely = tuple(s for s in successors if self.is_likely(number, s))
        if len(likely) == 1:
            return likely
        # Where that is not known, loops profit anyway: what is not taken needs no other condition.
        return successors[::-1] if self.loops[number] else ()
