"""Iterative modulo scheduling on arrays.

Every II cycles an iteration begins, and all take the same course; so no two nodes may take the
same slot at times that are equal modulo II. Nodes are placed one by one, those first that most
depends on. Where one finds no slot within II cycles it takes one from another node, which is
placed again later, as is what would now run too early. See Rau, "Iterative Modulo Scheduling"
(MICRO 1994), section 3. Where that fails, other orders are tried. Here a node may have several
ways, and lanes may take two cycles.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import numpy as np

from vliw_mlir.schedule.graph import Ints, Problem
from vliw_mlir.schedule.list_schedule import Schedule, compiled, new_schedule
from vliw_mlir.schedule.modulo_graph import Edges, ModuloGraph, edge_arrays
from vliw_mlir.schedule.recurrence import circles, waiting_for_slots

PLACEMENTS_PER_NODE = 16
"""How often nodes are placed, on average, before a larger II is tried."""

MOST_NODES_AGAIN = 128
"""The most nodes of a loop for which more than one order is tried."""

RANDOM_ORDERS = 8
"""How many orders of nodes are tried, once those that have a reason have failed."""

NOISE = 3
"""How many cycles higher a node may seem in these."""

NOT_PLACED = -(1 << 30)


class Table(NamedTuple):
    """The state of scheduling."""

    used: Ints
    """For each engine and cycle modulo II, the slots taken."""
    nodes: Ints
    """For each of these slots that is taken by a node, the node; -1 for the others."""
    last: Ints
    """The cycle in which each node was placed last."""
    rank: Ints
    """The place of each node among those that are to be placed, most urgent first."""
    by_rank: Ints


def modulo_schedule(loop: ModuloGraph, interval: int) -> Schedule | None:
    """A schedule of one iteration, the next of which starts `interval` cycles later.

    Cycles count from 0; the jump is in the last of a multiple of `interval` cycles. None if no
    schedule is found.
    """
    problem = loop.graph.forward
    count = len(loop.graph.nodes)
    waiting = waiting_for_slots(loop, interval)
    if not waiting.is_possible:
        return None
    edges = edge_arrays(sorted([*loop.edges, *waiting.edges]), count)
    out = new_schedule(count)
    height = np.zeros(count, np.int32)
    if not _heights(edges, interval, height):
        return None
    budget = PLACEMENTS_PER_NODE * count
    for by_rank in _orders(loop, height):
        table = _new_table(problem, interval, by_rank)
        if _place_all(problem, edges, table, interval, loop.jump, budget, out):
            shift = int(out.start.min()) // interval * interval
            out.start[:] -= shift
            out.finish[:] -= shift
            return out
    return None


def _orders(loop: ModuloGraph, height: Ints) -> Iterator[Ints]:
    """Orders in which to place nodes: what most depends on first, then what is on circles first,
    then what at random seems a little higher than it is."""
    yield np.argsort(-height, kind="stable")
    if len(height) > MOST_NODES_AGAIN:
        return
    is_free = np.ones(len(height), np.int32)
    for nodes in circles(loop):
        is_free[nodes] = 0
    yield np.lexsort((-height, is_free))
    random = Random(len(height))
    for _ in range(RANDOM_ORDERS):
        noise = [random.random() * NOISE for _ in height]
        yield np.argsort(-(height + np.array(noise)), kind="stable")


def _new_table(problem: Problem, interval: int, order: Ints) -> Table:
    """A table in which nothing is placed."""
    count = len(order)
    rank = np.empty(count, np.int32)
    rank[order] = np.arange(count, dtype=np.int32)
    rows, slots = len(problem.slots) * interval, int(problem.slots.max())
    return Table(
        np.zeros(rows, np.int32),
        np.full((rows, slots), -1, np.int32),
        np.full(count, NOT_PLACED, np.int32),
        rank,
        order.astype(np.int32),
    )


@compiled()
def _heights(e: Edges, interval: int, height: Ints) -> bool:
    """For each node, the cycles from its start to the end of what depends on it, later
    iterations counting from their own start. False if there is no end to that."""
    count = len(height)
    # No path without a circle is longer.
    most = 0
    for node in range(count):
        longest = 0
        for i in range(e.out_start[node], e.out_start[node + 1]):
            longest = max(longest, e.out_cycles[i])
        most += longest
    changes = True
    while changes:
        changes = False
        for node in range(count - 1, -1, -1):
            for i in range(e.out_start[node], e.out_start[node + 1]):
                least = height[e.out_node[i]] + e.out_cycles[i] - interval * e.out_distance[i]
                if least > height[node]:
                    height[node] = least
                    changes = True
            if height[node] > most:
                return False
    return True


@compiled()
def _earliest(e: Edges, interval: int, node: int, out: Schedule) -> int:
    """The first cycle in which a node may start, given those that are placed."""
    earliest = NOT_PLACED
    for i in range(e.in_start[node], e.in_start[node + 1]):
        first = e.in_node[i]
        if first != node and out.start[first] != NOT_PLACED:
            least = out.finish[first] + e.in_cycles[i] - interval * e.in_distance[i]
            earliest = max(earliest, least)
    return earliest


@compiled()
def _first_slots(p: Problem, t: Table, interval: int, way: int, row: int) -> int:
    """How many slots a way could take in a cycle modulo II, the rest being free in the next one;
    0 if it cannot start there."""
    engine, count = p.way_engine[way], p.way_count[way]
    free = p.slots[engine] - t.used[engine * interval + row]
    if free >= count:
        return count
    if free <= 0 or row + 1 == interval:
        return 0
    free_next = p.slots[engine] - t.used[engine * interval + row + 1]
    return free if free + free_next >= count else 0


@compiled()
def _take(p: Problem, t: Table, interval: int, node: int, sign: int, out: Schedule) -> None:
    """Take the slots of a node that has a place, or give them back."""
    way = out.way[node]
    engine = p.way_engine[way]
    place = engine * interval + out.start[node] % interval
    t.used[place] += sign * out.first_slots[node]
    _write(t, place, node, sign)
    rest = p.way_count[way] - out.first_slots[node]
    if rest > 0:
        t.used[place + 1] += sign * rest
        _write(t, place + 1, node, sign)


@compiled()
def _write(t: Table, place: int, node: int, sign: int) -> None:
    """Note that a node takes slots of an engine in a cycle, or that it does not any more."""
    before, after = (-1, node) if sign > 0 else (node, -1)
    slot = 0
    while t.nodes[place, slot] != before:
        slot += 1
    t.nodes[place, slot] = after


@compiled()
def _set(p: Problem, t: Table, interval: int, node: int, cycle: int, way: int, out: Schedule):
    """Place a node where its way has slots."""
    slots = _first_slots(p, t, interval, way, cycle % interval)
    out.start[node] = cycle
    out.way[node] = way
    out.first_slots[node] = slots
    out.finish[node] = cycle if slots == p.way_count[way] else cycle + 1
    t.last[node] = cycle
    _take(p, t, interval, node, 1, out)


@compiled()
def _remove(p: Problem, t: Table, interval: int, node: int, out: Schedule) -> None:
    _take(p, t, interval, node, -1, out)
    out.start[node] = NOT_PLACED


@compiled()
def _make_room(p: Problem, t: Table, interval: int, way: int, row: int, out: Schedule) -> bool:
    """Get slots for a way by letting other nodes run in other ways in the same cycle."""
    engine = p.way_engine[way]
    place = engine * interval + row
    for slot in range(t.nodes.shape[1]):
        node = t.nodes[place, slot]
        if node < 0:
            continue
        cycle = out.start[node]
        for other in range(p.way_start[node], p.way_start[node + 1]):
            slots = _first_slots(p, t, interval, other, cycle % interval)
            if p.way_engine[other] != engine and slots == p.way_count[other]:
                _remove(p, t, interval, node, out)
                _set(p, t, interval, node, cycle, other, out)
                break
        if _first_slots(p, t, interval, way, row) > 0:
            return True
    return False


@compiled()
def _evict(p: Problem, t: Table, interval: int, way: int, row: int, out: Schedule) -> int:
    """Remove the least urgent nodes in the way of a way in a cycle, and in the next one if it
    takes two; the least of their ranks."""
    place = p.way_engine[way] * interval + row
    least = len(t.rank)
    while _first_slots(p, t, interval, way, row) == 0:
        last = _least_urgent(t, place)
        if last < 0:
            last = _least_urgent(t, place + 1)
        _remove(p, t, interval, last, out)
        least = min(least, t.rank[last])
    return least


@compiled()
def _least_urgent(t: Table, place: int) -> int:
    """The least urgent node that takes slots of an engine in a cycle, -1 if none does."""
    last = -1
    for slot in range(t.nodes.shape[1]):
        node = t.nodes[place, slot]
        if node >= 0 and (last < 0 or t.rank[node] > t.rank[last]):
            last = node
    return last


@compiled()
def _can_start(
    p: Problem, e: Edges, t: Table, interval: int, node: int, way: int, cycle: int
) -> bool:
    slots = _first_slots(p, t, interval, way, cycle % interval)
    if slots == 0 or slots == p.way_count[way]:
        return slots > 0
    # What takes two cycles must not be late for itself.
    for i in range(e.out_start[node], e.out_start[node + 1]):
        is_itself = e.out_node[i] == node
        if is_itself and 1 + e.out_cycles[i] > interval * e.out_distance[i]:
            return False
    return True


@compiled()
def _find_place(
    p: Problem,
    e: Edges,
    t: Table,
    interval: int,
    jump: int,
    node: int,
    earliest: int,
    out: Schedule,
) -> bool:
    """Place a node in one of the II cycles from `earliest` on, if there are slots."""
    for cycle in range(earliest, earliest + interval):
        if node == jump and (cycle + 1) % interval != 0:
            continue
        for way in range(p.way_start[node], p.way_start[node + 1]):
            if _can_start(p, e, t, interval, node, way, cycle):
                _set(p, t, interval, node, cycle, way, out)
                return True
        way = p.way_start[node]
        if p.way_count[way] == 1 and _make_room(p, t, interval, way, cycle % interval, out):
            _set(p, t, interval, node, cycle, way, out)
            return True
    return False


@compiled()
def _place_by_force(
    p: Problem, t: Table, interval: int, jump: int, node: int, cycle: int, out: Schedule
) -> int:
    """Place a node and remove others for it; the least of their ranks, -1 if there cannot be
    slots."""
    if node == jump:
        cycle += (interval - 1 - cycle) % interval
    row = cycle % interval
    for way in range(p.way_start[node], p.way_start[node + 1]):
        room = p.slots[p.way_engine[way]]
        if p.way_count[way] <= room or (row + 1 < interval and p.way_count[way] <= 2 * room):
            least = _evict(p, t, interval, way, row, out)
            _set(p, t, interval, node, cycle, way, out)
            return least
    return -1


@compiled()
def _remove_late(p: Problem, e: Edges, t: Table, interval: int, node: int, out: Schedule) -> int:
    """Remove the nodes that start too early after a node; the least of their ranks."""
    least = len(t.rank)
    for i in range(e.out_start[node], e.out_start[node + 1]):
        to = e.out_node[i]
        if to == node or out.start[to] == NOT_PLACED:
            continue
        if out.start[to] < out.finish[node] + e.out_cycles[i] - interval * e.out_distance[i]:
            _remove(p, t, interval, to, out)
            least = min(least, t.rank[to])
    return least


@compiled()
def _place_all(
    p: Problem, e: Edges, t: Table, interval: int, jump: int, budget: int, out: Schedule
) -> bool:
    """Place all nodes; False if more than `budget` placements do not do."""
    count = len(t.rank)
    out.start[:] = NOT_PLACED
    place = 0
    while place < count:
        node = t.by_rank[place]
        if out.start[node] != NOT_PLACED:
            place += 1
            continue
        budget -= 1
        if budget < 0:
            return False
        earliest = _earliest(e, interval, node, out)
        if earliest == NOT_PLACED:
            earliest = 0
        if not _find_place(p, e, t, interval, jump, node, earliest, out):
            cycle = earliest
            if t.last[node] != NOT_PLACED:
                cycle = max(earliest, t.last[node] + 1)
            least = _place_by_force(p, t, interval, jump, node, cycle, out)
            if least < 0:
                return False
            place = min(place, least)
        place = min(place, _remove_late(p, e, t, interval, node, out))
    return True
