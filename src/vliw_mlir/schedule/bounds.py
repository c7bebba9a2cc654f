"""Lower bounds of the cycles that a block takes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

import numpy as np

from vliw_mlir.analysis.resource_bound import Bound, Work, resource_bound
from vliw_mlir.schedule.graph import Graph, Ints
from vliw_mlir.schedule.ways import Way
from vliw_mlir.target import Target

MOST_RELEASES = 32
"""How many different beginnings of an engine's work are looked at."""


def least_cycles(graph: Graph, target: Target, release: Ints, height: Ints) -> int:
    """Cycles that no schedule of the graph is shorter than.

    `release` has the cycles from the start of the block to that of each node at least, `height`
    those from there to the end.
    """
    if not graph.nodes:
        return 0
    bounds = [math.ceil(slot_bound(graph, target).cycles), int((release + height).max()) + 1]
    engines = [{way.engine for way in ways} for ways in graph.ways]
    fewest = np.array([min(way.count for way in ways) for ways in graph.ways])
    for engine, slots in target.slots.items():
        only = np.array([used == {engine} for used in engines])
        if slots and only.any():
            bounds.append(_engine_bound(release[only], height[only], fewest[only], slots))
    return max(bounds)


def slot_bound(graph: Graph, target: Target) -> Bound:
    """The cycles that the slots for a block take at least, whatever has to wait for what."""
    return bound_of_ways(Counter(graph.ways), target)


def bound_of_ways(items: Mapping[tuple[Way, ...], int], target: Target) -> Bound:
    """The same for so many items of work that can be done in these ways."""
    work: Work = Work()
    for ways, count in items.items():
        work[tuple(sorted({((way.engine, way.count),) for way in ways}))] += count
    return resource_bound(work, target.slots)


def _engine_bound(release: Ints, height: Ints, counts: Ints, slots: int) -> int:
    """What nodes take that only one engine can run: the first has to wait, and what depends on
    the last comes after it."""
    order = np.argsort(-height, kind="stable")
    release, height, counts = release[order], height[order], counts[order]
    best = 0
    thresholds = np.unique(release)
    for threshold in thresholds[:: len(thresholds) // MOST_RELEASES + 1]:
        late = release >= threshold
        work = -(-np.cumsum(counts[late]) // slots)
        best = max(best, int((threshold + work + height[late]).max()))
    return best
