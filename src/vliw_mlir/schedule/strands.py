"""Strands: parts of a block that have nothing to do with each other but what is set up for all.

A strand ends in stores or other results of the block that follow each other in the program, and
consists of what only they depend on. What results of several strands depend on is set up:
constants and tables, for instance.
"""

from __future__ import annotations

import numpy as np

from vliw_mlir.schedule.graph import Graph, Ints

MOST_RESULTS = (1, 2, 4, 8, 16, 32)
"""How many results a strand is held together by at most, tried one after the other."""

LARGEST_SHARE = 0.5
"""How many of the nodes a strand may have."""

ENOUGH_SHARE = 0.75
"""How many of the nodes have to be in strands to try no further."""


def find_strands(graph: Graph) -> Ints:
    """The strand of each node, numbered in the order of the program; -1 for what is set up.

    All zero if the graph does not fall apart.
    """
    count = len(graph.nodes)
    best, most = np.zeros(count, np.int32), 0
    first, last = _results(graph)
    for span in MOST_RESULTS:
        strands = _group(first, last, span)
        sizes = np.bincount(strands[strands >= 0], minlength=1)
        if len(sizes) == 1 or sizes.max() > LARGEST_SHARE * count:
            continue
        if sizes.sum() > most:
            best, most = strands, int(sizes.sum())
        if most >= ENOUGH_SHARE * count:
            break
    return best


def _results(graph: Graph) -> tuple[Ints, Ints]:
    """The first and the last of the results that depend on each node."""
    count = len(graph.nodes)
    users: list[set[int]] = [set() for _ in range(count)]
    for segment in graph.segments:
        for writer in segment.writers:
            users[writer] |= segment.readers
    first, last = np.zeros(count, np.int32), np.zeros(count, np.int32)
    results = 0
    # From the last to the first: what uses a value comes behind what makes it.
    for node in reversed(range(count)):
        behind = [user for user in users[node] if user > node]
        if behind:
            first[node] = max(int(first[user]) for user in behind)
            last[node] = min(int(last[user]) for user in behind)
        else:
            first[node] = last[node] = results
            results += 1
    return results - 1 - first, results - 1 - last


def _group(first: Ints, last: Ints, span: int) -> Ints:
    """Strands that are held together by nodes on which at most `span` results depend."""
    is_local = last - first < span
    # Results that a node holds together are in the same strand.
    together = np.zeros(int(last.max(initial=0)) + 2, np.int32)
    np.add.at(together, first[is_local], 1)
    np.add.at(together, last[is_local], -1)
    begins = np.cumsum(together)[:-1] <= 0
    strand_of = np.concatenate([[0], np.cumsum(begins)[:-1]]).astype(np.int32)
    return np.where(is_local, strand_of[first], -1).astype(np.int32)
