"""Lower bounds of the cycles that a block takes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

import numpy as np

from vliw_mlir.analysis.resource_bound import Bound, Work, resource_bound
from vliw_mlir.schedule.graph import Graph, Ints, Problem
from vliw_mlir.schedule.ways import Way
from vliw_mlir.target import Target

MOST_RELEASES = 32
"""How many different beginnings of work are looked at."""

ROUNDING = 1e-6
"""How much of a cycle may come of rounding."""

NEVER = 1 << 30
"""The cycle in which an engine runs what it cannot run."""


def least_cycles(graph: Graph, target: Target, release: Ints, height: Ints) -> int:
    """Cycles that no schedule of the graph is shorter than.

    `release` has the cycles from the start of the block to that of each node at least, `height`
    those from there to the end.
    """
    if not graph.nodes:
        return 0
    release = np.maximum(release, _heights_by_slots(graph, graph.backward))
    height = np.maximum(height, _heights_by_slots(graph, graph.forward))
    bound = slot_bound(graph, target)
    bounds = [math.ceil(bound.cycles - ROUNDING), int((release + height).max()) + 1]
    prices = [{engine: 1 / slots} for engine, slots in target.slots.items() if slots]
    for each in [*prices, bound.prices]:
        bounds.append(_priced_bound(_Priced(graph, target, release, height, each)))
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


def _heights_by_slots(graph: Graph, problem: Problem) -> Ints:
    """For each node, the cycles from its start to the end of all that depends on it: of what
    comes right behind it and has one engine to run on, only so much runs in a cycle."""
    # Imports numba, which takes long.
    from vliw_mlir.schedule.justify import heights_by_slots

    number_of = {engine: number for number, engine in enumerate(graph.engines)}
    only = [{number_of[way.engine] for way in ways} for ways in graph.ways]
    engine = np.array([min(used) if len(used) == 1 else -1 for used in only], np.int32)
    fewest = np.array([min(way.count for way in ways) for ways in graph.ways], np.int32)
    return heights_by_slots(problem, engine, fewest)


class _Priced:
    """Nodes that cost something at prices of slots which add up to one for each cycle."""

    def __init__(
        self,
        graph: Graph,
        target: Target,
        release: Ints,
        height: Ints,
        prices: Mapping[str, float],
    ):
        costs = np.array(
            [min(prices.get(way.engine, 0) * way.count for way in ways) for ways in graph.ways]
        )
        nodes = np.flatnonzero(costs)
        nodes = nodes[np.argsort(-height[nodes], kind="stable")]
        self.costs = costs[nodes]
        self.release, self.height = release[nodes], height[nodes]
        self.shares = {e: price * target.slots[e] for e, price in prices.items()}
        """Which part of a cycle the slots of each engine are."""
        first = {engine: np.full(len(graph.nodes), NEVER) for engine in prices}
        p = graph.forward
        for node, ways in enumerate(graph.ways):
            for number, way in enumerate(ways, p.way_start[node]):
                if way.engine in first:
                    need = p.way_need[number]
                    waits = release[node] if need < 0 else max(release[node], release[need] + 1)
                    first[way.engine][node] = min(first[way.engine][node], waits)
        self.first = {engine: cycles[nodes] for engine, cycles in first.items()}
        """The first cycle in which each node can run on an engine."""


def _priced_bound(priced: _Priced) -> int:
    """What nodes take that begin no earlier, and have no less behind them, than some.

    Their cost has to fit into the cycles between. Slots are lost before an engine can run the
    first of them, and after it runs the last.
    """
    best = 0
    thresholds = np.unique(priced.release)
    for threshold in thresholds[:: len(thresholds) // MOST_RELEASES + 1]:
        late = priced.release >= threshold
        height = priced.height[late]
        cycles = np.cumsum(priced.costs[late])
        for engine, share in priced.shares.items():
            first = priced.first[engine][late]
            # The order is that of heights: the last node so far has the least behind it.
            last = np.minimum.accumulate(np.where(first < NEVER, height, NEVER))
            first = np.minimum.accumulate(first)
            is_used = first < NEVER
            cycles += share * np.where(is_used, first + last, threshold + height)
        best = max(best, math.ceil(cycles.max() - ROUNDING))
    return best
