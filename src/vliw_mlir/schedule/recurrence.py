"""Recurrences: circles of edges, which no iteration can be faster than.

RecMII alone takes it that there are slots for everything. Where eight loads of a gather are on a
circle, and two of them run in a cycle, the circle takes three cycles more. So between nodes of a
circle is counted what has to run there on one engine: what starts no earlier than some cycles
behind the first one, and ends no later than some before the second one. From slots follow longer
paths, and from these again that more has to wait (edge finding; see Baptiste, Le Pape and Nuijten,
"Constraint-Based Scheduling", 2001, sections 3.1 and 2.1.4).

This module imports numba, see `list_schedule`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from vliw_mlir.schedule.graph import Ints
from vliw_mlir.schedule.list_schedule import compiled
from vliw_mlir.schedule.modulo_graph import Edge, ModuloGraph

MOST_NODES = 96
"""The most nodes on circles with each other of which it is looked at what waits for slots."""

MOST_SWEEPS = 16
"""How often all pairs of nodes are looked at."""

NO_PATH = -(1 << 28)


class Recurrence(NamedTuple):
    """A circle of edges, and the least initiation interval that it allows."""

    interval: int
    nodes: tuple[int, ...]
    """In the order of the edges."""


def recurrence_bound(edges: Sequence[Edge], count: int) -> Recurrence:
    """RecMII of a graph of `count` nodes, and a circle of edges that it comes from.

    The least interval without a circle that takes longer than its iterations is found by
    bisection. The interval is 1 and there are no nodes if no circle asks for more.
    """
    low, high = 1, count + 1
    found: tuple[int, ...] = ()
    while low < high:
        interval = (low + high) // 2
        circle = _circle(edges, count, interval)
        if circle:
            low, found = interval + 1, circle
        else:
            high = interval
    return Recurrence(low, found)


def _circle(edges: Sequence[Edge], count: int, interval: int) -> tuple[int, ...]:
    """The nodes of a circle of edges that takes longer than its iterations; none if none does.

    Longest paths by the method of Bellman and Ford. Edges are in the order of the program, so
    that one pass goes along all paths within an iteration.
    """
    lengths = [(a, b, cycles - interval * distance) for a, b, cycles, distance in edges]
    times = [0] * count
    before = [-1] * count
    changes = True
    while changes:
        changes = False
        for first, second, length in lengths:
            if times[first] + length > times[second]:
                times[second] = times[first] + length
                before[second] = first
                changes = True
        if changes and (circle := _circle_of(before)):
            return circle
    return ()


def _circle_of(before: Sequence[int]) -> tuple[int, ...]:
    """A circle among nodes each of which has at most one before it, none if there is none."""
    seen = [-1] * len(before)
    for start in range(len(before)):
        node = start
        while node >= 0 and seen[node] < 0:
            seen[node] = start
            node = before[node]
        if node < 0 or seen[node] != start:
            continue
        circle = [node]
        while before[circle[-1]] != node:
            circle.append(before[circle[-1]])
        return tuple(reversed(circle))
    return ()


class Waiting(NamedTuple):
    """What nodes on circles wait for slots, at some initiation interval."""

    edges: list[Edge]
    """Edges that follow from slots, all of distance 0 and right for this interval only."""
    is_possible: bool
    """False if there is no schedule."""


def recurrence_bound_by_slots(loop: ModuloGraph, least: int, end: int) -> Recurrence:
    """The least interval that circles and slots together allow, up to `end`.

    It is known to be at least `least`. There are no nodes if it is just that.
    """
    waiting = waiting_for_slots(loop, least)
    if waiting.is_possible:
        return Recurrence(least, ())
    low, high = least + 1, max(least + 1, end)
    while low < high:
        interval = (low + high) // 2
        tried = waiting_for_slots(loop, interval)
        if tried.is_possible:
            high = interval
        else:
            low, waiting = interval + 1, tried
    edges = sorted([*loop.edges, *waiting.edges])
    circle = _circle(edges, len(loop.graph.nodes), low - 1)
    return Recurrence(low, tuple(dict.fromkeys(_with_queues(loop, waiting, circle, low - 1))))


def _with_queues(
    loop: ModuloGraph, waiting: Waiting, circle: Sequence[int], interval: int
) -> Iterator[int]:
    """The nodes of a circle, and on the longest paths between them what waits for slots."""
    nodes = next((n for n in circles(loop) if circle and circle[0] in n), None)
    if nodes is None:
        return
    steps = _paths_of_edges(loop, nodes, interval)
    paths = steps.copy()
    _take_longest(paths)
    np.fill_diagonal(paths, NO_PATH)
    place = {node: number for number, node in enumerate(nodes.tolist())}
    engine = _only_engines(loop)[nodes]
    by_slots = {(edge.first, edge.second): edge.cycles for edge in waiting.edges}
    for first, second in zip(circle, [*circle[1:], circle[0]], strict=True):
        yield first
        start, end = place[first], place[second]
        if by_slots.get((first, second), NO_PATH) <= steps[start, end]:
            continue
        through = paths[start] + paths[:, end]
        through[engine < 0] = NO_PATH
        is_between = through == through.max()
        engines: list[int] = engine[is_between].tolist()
        crowded = max(engines, key=engines.count)
        yield from nodes[is_between & (engine == crowded)].tolist()


def circles(loop: ModuloGraph) -> Iterator[Ints]:
    """The sets of nodes that are on circles with each other."""
    count = len(loop.graph.nodes)
    first = [edge.first for edge in loop.edges]
    second = [edge.second for edge in loop.edges]
    matrix = coo_array((np.ones(len(first)), (first, second)), shape=(count, count))
    number, labels = connected_components(matrix, connection="strong")
    nodes = np.argsort(labels, kind="stable")
    bounds = np.searchsorted(labels[nodes], np.arange(number + 1)).tolist()
    for start, end in pairwise(bounds):
        if end - start > 1:
            yield nodes[start:end]


def waiting_for_slots(loop: ModuloGraph, interval: int) -> Waiting:
    """What nodes have to wait for slots if iterations begin every `interval` cycles."""
    edges: list[Edge] = []
    slots = loop.graph.forward.slots
    only = _only_engines(loop)
    for nodes in circles(loop):
        if len(nodes) > MOST_NODES:
            continue
        paths = _paths_of_edges(loop, nodes, interval)
        by_slots = np.full_like(paths, NO_PATH)
        engine = only[nodes]
        _take_longest(paths)
        sweeps = 0
        while paths.diagonal().max() <= 0 and sweeps < MOST_SWEEPS:
            if not _wait_for_slots(paths, by_slots, engine, slots):
                break
            _take_longest(paths)
            sweeps += 1
        edges += _edges_by_slots(nodes, by_slots)
        if paths.diagonal().max() > 0:
            return Waiting(edges, is_possible=False)
    return Waiting(edges, is_possible=True)


def _only_engines(loop: ModuloGraph) -> Ints:
    """For each node the engine that it takes one slot of whatever way it runs, else -1."""
    problem = loop.graph.forward
    engine = np.full(len(loop.graph.nodes), -1, np.int32)
    for node in range(len(engine)):
        ways = slice(problem.way_start[node], problem.way_start[node + 1])
        engines = problem.way_engine[ways]
        if (engines == engines[0]).all() and (problem.way_count[ways] == 1).all():
            engine[node] = engines[0]
    return engine


def _paths_of_edges(loop: ModuloGraph, nodes: Ints, interval: int) -> Ints:
    """The cycles from the start of each of `nodes` to that of each other one, by one edge."""
    place = {node: number for number, node in enumerate(nodes.tolist())}
    paths = np.full((len(nodes), len(nodes)), NO_PATH, np.int32)
    np.fill_diagonal(paths, 0)
    for first, second, cycles, distance in loop.edges:
        if first in place and second in place:
            at = place[first], place[second]
            paths[at] = max(paths[at], cycles - interval * distance)
    return paths


def _take_longest(paths: Ints) -> None:
    """Longest paths from steps, by the method of Floyd and Warshall."""
    for over in range(len(paths)):
        np.maximum(paths, paths[:, over, None] + paths[over], out=paths)


@compiled(makes_arrays=True)
def _cycles_of_queue(ends: Ints, others: Ints, slots: int) -> int:
    """The cycles that nodes of one engine take between two others: `ends` are those from one of
    the two to each node, `others` those from there to the other one."""
    longest, nearest = NO_PATH, -NO_PATH
    for taken, node in enumerate(np.argsort(-ends)):
        nearest = min(nearest, others[node])
        longest = max(longest, ends[node] + taken // slots + nearest)
    return longest


@compiled(makes_arrays=True)
def _wait_for_slots(paths: Ints, by_slots: Ints, engine: Ints, slots: Ints) -> bool:
    """Lengthen the paths between nodes by what has to run between them on one engine.

    The nodes of an engine that start at least a cycles behind the first node, and at least b
    before the second one, take as many cycles as they need slots. What is found goes to
    `by_slots` as well; False if nothing is.
    """
    count = len(paths)
    is_longer = False
    for number in range(len(slots)):
        nodes = np.flatnonzero(engine == number)
        if len(nodes) <= slots[number]:
            continue
        for first in range(count):
            for second in range(count):
                if first == second:
                    continue
                between = nodes[(nodes != first) & (nodes != second)]
                behind, before = paths[first][between], paths[:, second][between]
                longest = max(
                    _cycles_of_queue(behind, before, slots[number]),
                    _cycles_of_queue(before, behind, slots[number]),
                )
                if longest > paths[first, second]:
                    paths[first, second] = by_slots[first, second] = longest
                    is_longer = True
    return is_longer


def _edges_by_slots(nodes: Ints, by_slots: Ints) -> Iterator[Edge]:
    for first, second in zip(*np.nonzero(by_slots > NO_PATH), strict=True):
        yield Edge(int(nodes[first]), int(nodes[second]), int(by_slots[first, second]), 0)
