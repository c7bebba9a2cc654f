"""The loops of a graph: from the target of a back edge to its source.

A back edge leads to a node that dominates its source. Its natural loop are the nodes from which
the source can be reached without passing the target.
"""

from __future__ import annotations

from collections.abc import Sequence

from vliw_mlir.analysis.dominance import DominatorTree


def natural_loops(
    successors: Sequence[Sequence[int]], dominators: DominatorTree
) -> list[frozenset[int]]:
    """For each node the first nodes of the natural loops around it.

    Loops with the same first node count as one. Takes time linear in the size of all loops.
    """
    predecessors = reversed_graph(successors)
    loops: list[set[int]] = [set() for _ in successors]
    for last, ends in enumerate(successors):
        for first in (node for node in ends if dominators.dominates(node, last)):
            loops[first].add(first)
            pending = [last]
            while pending:
                node = pending.pop()
                if first not in loops[node]:
                    loops[node].add(first)
                    pending += predecessors[node]
    return [frozenset(found) for found in loops]


def reversed_graph(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """The graph with its edges reversed, and a last node behind all that have no successors."""
    predecessors: list[list[int]] = [[] for _ in range(len(successors) + 1)]
    for node, ends in enumerate(successors):
        for end in ends or [len(successors)]:
            predecessors[end].append(node)
    return predecessors
