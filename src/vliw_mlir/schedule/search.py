"""The search for a short schedule: list scheduling with many orders of nodes.

Every order is improved by scheduling backwards and forwards in turn, each time in the order in
which nodes ran the last time (justification; Valls, Ballestín and Quintanilla, "Justification
and RCPSP: A technique that pays", EJOR 2005). The best order found is then disturbed at random
again and again (iterated local search). All of it is deterministic, as effort is counted in nodes
placed, unless time runs out.
"""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import numpy as np

from vliw_mlir.schedule.bounds import least_cycles
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
from vliw_mlir.schedule.strands import find_strands
from vliw_mlir.target import Target


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


MOST_ROUNDS = 3_000
"""How many times a block is scheduled at most."""


PLACED_PER_LOOK = 1_000_000
"""How many nodes are placed from one look at the clock to the next."""


def search_schedule(
    graph: Graph, target: Target, limits: Limits, budget: int, deadline: float = math.inf
) -> Found | None:
    """A short schedule for a graph, None if the words do not suffice.

    The search ends when about `budget` nodes have been placed, when it can find nothing better,
    or when `time.monotonic()` comes to `deadline`.
    """
    count = len(graph.nodes)
    out = new_schedule(count)
    if count == 0:
        return Found(0, out, 0)

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
    height = heights(graph.forward)
    least = least_cycles(graph, target, heights(graph.backward), height)
    strands = find_strands(graph)
    forward = graph.forward._replace(strand=strands)
    backward = graph.backward._replace(strand=np.where(strands < 0, -1, strands.max() - strands))
    budget = min(budget, MOST_ROUNDS * count)
    problem = forward, backward, new_state(forward), new_state(backward)
    starts = _starts(graph, strands, height, least)
    most = _most_cycles(graph)
    cycles = _begin(*problem, starts, work, limits, least, most, budget, out)
    if cycles < 0:
        return None
    while cycles > least and work.placed[0] < budget and time.monotonic() < deadline:
        part = min(budget, int(work.placed[0]) + PLACED_PER_LOOK)
        cycles = _go_on(*problem, work, limits, least, cycles, part, out)
    return Found(cycles, out, least)


class Found(NamedTuple):
    """A schedule and its length."""

    cycles: int
    schedule: Schedule
    least_cycles: int
    """What no schedule is shorter than."""


SKEWS = (0.28, 0.2, 0.4, 0.1, 0.6, 0.0)
"""By which part of a schedule the last strand starts behind the first, in order of trial."""

SKEW_EXPONENT = 0.8

KEY_STEPS = 16
"""How many different keys there are per cycle."""


def _starts(graph: Graph, strands: Ints, height: Ints, cycles: int) -> Ints:
    """Keys of nodes to begin with, one row per attempt.

    Strands are skewed, so that different parts of them overlap.
    """
    count = max(int(strands.max()), 1)
    place = (np.maximum(strands, 0) / count) ** SKEW_EXPONENT
    rows: list[Ints] = []
    for skew in SKEWS if strands.max() > 0 else SKEWS[:1]:
        keys = (KEY_STEPS * (skew * cycles * place - height)).astype(np.int32)
        _hurry(graph.forward, strands, keys)
        rows.append(keys)
    rows.append(np.arange(len(graph.nodes), dtype=np.int32))
    return np.stack(rows)


@compiled(makes_arrays=True)
def _hurry(p: Problem, strands: Ints, keys: Ints) -> None:
    """Let what is set up come right before the first that uses it."""
    for node in range(len(strands) - 1, -1, -1):
        if strands[node] >= 0 or p.edge_start[node] == p.edge_start[node + 1]:
            continue
        first = 1 << 30
        for i in range(p.edge_start[node], p.edge_start[node + 1]):
            first = min(first, keys[p.edge_node[i]])
        keys[node] = first - KEY_STEPS


def _most_cycles(graph: Graph) -> int:
    """More than any schedule takes that always does something."""
    return int(graph.forward.way_count.sum()) + len(graph.nodes) + 1


@compiled(makes_arrays=True)
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


@compiled(makes_arrays=True)
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


@compiled(makes_arrays=True)
def _copy(source: Schedule, to: Schedule) -> None:
    to.start[:] = source.start
    to.finish[:] = source.finish
    to.way[:] = source.way
    to.first_slots[:] = source.first_slots


@compiled(makes_arrays=True)
def _random(seed: Ints, below: int) -> int:
    """A number from 0 to `below` - 1 (xorshift)."""
    x = seed[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    seed[0] = x
    return int((x >> np.uint64(11)) % np.uint64(below))


@compiled(makes_arrays=True)
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
    slack = most_cycles // 16 + 4
    best = list_schedule(
        forward, there, work.by_rank, work.rank, limits, most_cycles + slack, work.now
    )
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
            forward, there, work.by_rank, work.rank, limits, most_cycles + slack, work.now
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


@compiled(makes_arrays=True)
def _begin(
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
    """The best of the schedules that some orders lead to; its cycles, -1 if there is none."""
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
    # Where words are scarce, the order of the program may be the only one that they suffice for.
    lookahead = len(work.rank)
    while best < 0 and lookahead > 0:
        lookahead //= 4
        tight = Limits(limits.words, 0, 0, limits.window, lookahead)
        best = _improve(
            forward, backward, there, back, starts[-1], work, tight, 0, most_cycles, out
        )
    return best


@compiled(makes_arrays=True)
def _go_on(
    forward: Problem,
    backward: Problem,
    there: State,
    back: State,
    work: Work,
    limits: Limits,
    least_cycles: int,
    best: int,
    budget: int,
    out: Schedule,
) -> int:
    """Disturb and improve a schedule again and again; the cycles of the best, which is in `out`."""
    keys = np.empty(len(work.rank), np.int32)
    while best > least_cycles and work.placed[0] < budget:
        _disturb(forward, out, work.seed, keys)
        cycles = _improve(
            forward, backward, there, back, keys, work, limits, 2, best, work.candidate
        )
        if 0 <= cycles <= best:
            best = cycles
            _copy(work.candidate, out)
    return best


@compiled(makes_arrays=True)
def _disturb(p: Problem, best: Schedule, seed: Any, keys: Ints) -> None:
    """Keys in the order of a schedule, with some strands, or some nodes, at other times."""
    length = best.start.max() + 1
    strands = p.strand.max() + 1
    shift = np.zeros(strands + 1, np.int32)
    furthest = KEY_STEPS * (1 + _random(seed, 40))
    for strand in range(strands):
        if strands > 1 and _random(seed, 10) < 3:
            shift[strand] = _random(seed, 2 * furthest) - furthest
    first = 0
    end = length
    if strands == 1 or _random(seed, 4) == 0:
        # Only what runs during some part of the time.
        first = _random(seed, length)
        end = first + 5 + _random(seed, length)
    share = _random(seed, 50) if strands == 1 else 0
    for node in range(len(keys)):
        keys[node] = KEY_STEPS * best.start[node]
        if not first <= best.start[node] < end:
            continue
        keys[node] += shift[p.strand[node]]
        if share > 0 and _random(seed, 100) < share:
            keys[node] += _random(seed, furthest) - furthest // 2
