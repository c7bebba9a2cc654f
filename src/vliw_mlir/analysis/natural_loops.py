"""The loops of a graph: from the target of a back edge to its source.

The natural loop of a back edge are the nodes from which its source can be reached without passing
its target.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def natural_loops(
    predecessors: Sequence[Sequence[int]], back_edges: Iterable[tuple[int, int]]
) -> list[set[int]]:
    """For each node the first nodes of the natural loops around it, given the back edges as
    source and target.

    Loops with the same first node count as one. Takes time linear in the size of all loops.
    """
    loops: list[set[int]] = [set() for _ in predecessors]
    for last, first in back_edges:
        loops[first].add(first)
        pending = [last]
        while pending:
            node = pending.pop()
            if first not in loops[node]:
                loops[node].add(first)
                pending += predecessors[node]
    return loops


def reversed_graph(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """The graph with its edges reversed, and a last node behind all that have no successors."""
    predecessors: list[list[int]] = [[] for _ in range(len(successors) + 1)]
    for node, ends in enumerate(successors):
        for end in ends or [len(successors)]:
            predecessors[end].append(node)
    return predecessors
