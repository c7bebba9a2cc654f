"""The search for a short schedule: list scheduling with many orders of nodes.

Every order is improved by scheduling backwards and forwards in turn, each time in the order in
which nodes ran the last time (justification; Valls, Ballestín and Quintanilla, "Justification
and RCPSP: A technique that pays", EJOR 2005). The best order found is then disturbed at random
again and again (iterated local search). All of it is deterministic: effort is counted in nodes
placed, not in time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vliw_mlir.schedule.graph import Graph, Ints, Problem
from vliw_mlir.schedule.list_schedule import (
    Limits,
    Schedule,
    State,
    compiled,
    list_schedule,
    new_schedule,
    new_state,
)


class Work(NamedTuple):
    """Arrays that the search works on."""

    by_rank: Ints
    rank: Ints
    keys: Ints
    scratch: Ints
    now: Schedule
    reversed: Schedule
    candidate: Schedule
    placed: Any
    """How many nodes have been placed so far."""
    seed: Any
    """The state of the generator of random numbers."""


def search_schedule(graph: Graph, limits: Limits, budget: int, least_cycles: int) -> Found | None:
    """A short schedule for a graph, None if the words do not suffice.

    The search ends when about `budget` nodes have been placed, or with a schedule of
    `least_cycles`.
    """
    count = len(graph.nodes)
    out = new_schedule(count)
    if count == 0:
        return Found(0, out)

    def order() -> Ints:
        return np.arange(count, dtype=np.int32)

    work = Work(
        order(),
        order(),
        order(),
        order(),
        new_schedule(count),
        new_schedule(count),
        new_schedule(count),
        placed=np.zeros(1, np.int64),
        seed=np.array([0x9E3779B97F4A7C15], np.uint64),
    )
    cycles = _search(
        graph.forward,
        graph.backward,
        new_state(graph.forward),
        new_state(graph.backward),
        _starts(graph),
        work,
        limits,
        least_cycles,
        _most_cycles(graph),
        budget,
        out,
    )
    return None if cycles < 0 else Found(cycles, out)


class Found(NamedTuple):
    """A schedule and its length."""

    cycles: int
    schedule: Schedule


def _starts(graph: Graph) -> Ints:
    """Keys of nodes to begin with, one row per attempt."""
    height = heights(graph.forward)
    order = np.arange(len(graph.nodes), dtype=np.int32)
    return np.stack([-height, order])


def _most_cycles(graph: Graph) -> int:
    """More than any schedule takes that always does something."""
    return int(graph.forward.way_count.sum()) + len(graph.nodes) + 1


@compiled
def heights(p: Problem) -> Ints:
    """For each node, the cycles from its start to the end of all that depends on it.

    Nodes are in an order in which edges of zero or more cycles may point backwards.
    """
    count = len(p.predecessors)
    waiting = p.predecessors.copy()
    order = np.empty(count, np.int32)
    length = 0
    for node in range(count):
        if waiting[node] == 0:
            order[length] = node
            length += 1
    done = 0
    while done < length:
        node = order[done]
        done += 1
        for i in range(p.edge_start[node], p.edge_start[node + 1]):
            to = p.edge_node[i]
            waiting[to] -= 1
            if waiting[to] == 0:
                order[length] = to
                length += 1
    result = np.zeros(count, np.int32)
    for k in range(count - 1, -1, -1):
        node = order[k]
        for i in range(p.edge_start[node], p.edge_start[node + 1]):
            height = result[p.edge_node[i]] + p.edge_cycles[i]
            result[node] = max(result[node], height)
    return result


@compiled
def _sort(keys: Ints, by_rank: Ints, rank: Ints, scratch: Ints) -> None:
    """Sort nodes by key, those of the same key as before. `by_rank` and `rank` are changed."""
    low = keys.min()
    counts = np.zeros(keys.max() - low + 2, np.int32)
    for node in range(len(keys)):
        counts[keys[node] - low + 1] += 1
    for k in range(1, len(counts)):
        counts[k] += counts[k - 1]
    scratch[:] = by_rank
    for k in range(len(keys)):
        node = scratch[k]
        place = counts[keys[node] - low]
        counts[keys[node] - low] += 1
        by_rank[place] = node
        rank[node] = place


@compiled
def _copy(source: Schedule, to: Schedule) -> None:
    to.start[:] = source.start
    to.finish[:] = source.finish
    to.way[:] = source.way
    to.first_slots[:] = source.first_slots


@compiled
def _random(seed: Ints, below: int) -> int:
    """A number from 0 to `below` - 1 (xorshift)."""
    x = seed[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    seed[0] = x
    return int((x >> np.uint64(11)) % np.uint64(below))


@compiled
def _improve(
    forward: Problem,
    backward: Problem,
    there: State,
    back: State,
    keys: Ints,
    work: Work,
    limits: Limits,
    rounds: int,
    most_cycles: int,
    out: Schedule,
) -> int:
    """Schedule in the order of `keys`, then backwards and forwards while that helps.

    Fills `out` with the best schedule; its cycles, or -1 if there is none of `most_cycles`.
    """
    _sort(keys, work.by_rank, work.rank, work.scratch)
    best = list_schedule(forward, there, work.by_rank, work.rank, limits, most_cycles, work.now)
    work.placed[0] += len(keys)
    if best < 0:
        return -1
    _copy(work.now, out)
    failures = 0
    for _ in range(rounds):
        work.keys[:] = -work.now.finish
        _sort(work.keys, work.by_rank, work.rank, work.scratch)
        cycles = list_schedule(
            backward, back, work.by_rank, work.rank, limits, 2 * most_cycles, work.reversed
        )
        work.placed[0] += len(keys)
        if cycles < 0:
            break
        work.keys[:] = -work.reversed.finish
        _sort(work.keys, work.by_rank, work.rank, work.scratch)
        cycles = list_schedule(
            forward, there, work.by_rank, work.rank, limits, most_cycles + 8, work.now
        )
        work.placed[0] += len(keys)
        if cycles < 0:
            break
        if cycles < best:
            best = cycles
            failures = 0
            _copy(work.now, out)
        else:
            failures += 1
            if failures == 2:
                break
    return best if best <= most_cycles else -1


@compiled
def _search(
    forward: Problem,
    backward: Problem,
    there: State,
    back: State,
    starts: Ints,
    work: Work,
    limits: Limits,
    least_cycles: int,
    most_cycles: int,
    budget: int,
    out: Schedule,
) -> int:
    best = -1
    for k in range(len(starts)):
        if best >= 0 and (best <= least_cycles or work.placed[0] > budget):
            break
        ceiling = most_cycles if best < 0 else best + best // 8
        cycles = _improve(
            forward, backward, there, back, starts[k], work, limits, 6, ceiling, work.candidate
        )
        if cycles >= 0 and (best < 0 or cycles < best):
            best = cycles
            _copy(work.candidate, out)
    if best < 0:
        return -1
    count = len(work.rank)
    keys = np.empty(count, np.int32)
    while best > least_cycles and work.placed[0] < budget:
        amplitude = 1 + _random(work.seed, 64)
        share = 1 + _random(work.seed, 8)
        for node in range(count):
            keys[node] = 16 * out.start[node]
            if _random(work.seed, 8) < share:
                keys[node] += _random(work.seed, 2 * amplitude) - amplitude
        rounds = _random(work.seed, 3)
        cycles = _improve(
            forward, backward, there, back, keys, work, limits, rounds, best, work.candidate
        )
        if 0 <= cycles <= best:
            best = cycles
            _copy(work.candidate, out)
    return best
