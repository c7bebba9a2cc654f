"""Forward-backward improvement of schedules.

A schedule is improved by scheduling backwards and forwards in turn, each time in the order in
which nodes ran the last time (justification; Valls, Ballestín and Quintanilla, "Justification and
RCPSP: A technique that pays", EJOR 2005).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vliw_mlir.schedule.graph import Ints, Problem
from vliw_mlir.schedule.list_schedule import (
    Limits,
    Schedule,
    State,
    compiled,
    list_schedule,
    new_schedule,
)

KEY_STEPS = 16
"""How many different keys there are per cycle."""


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


def new_work(count: int) -> Work:
    """Working arrays for `count` nodes, which are ranked in the order of the program."""

    def order() -> Ints:
        return np.arange(count, dtype=np.int32)

    return Work(
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


@compiled(makes_arrays=True)
def topological_order(p: Problem) -> Ints:
    """The nodes, each before those that its edges lead to."""
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
    assert length == count, "what nodes wait for is circular"
    return order


@compiled(makes_arrays=True)
def heights(p: Problem) -> Ints:
    """For each node, the cycles from its start to the end of all that depends on it."""
    count = len(p.predecessors)
    order = topological_order(p)
    result = np.zeros(count, np.int32)
    for k in range(count - 1, -1, -1):
        node = order[k]
        for i in range(p.edge_start[node], p.edge_start[node + 1]):
            height = result[p.edge_node[i]] + p.edge_cycles[i]
            result[node] = max(result[node], height)
    return result


@compiled(makes_arrays=True)
def heights_by_slots(p: Problem, engine: Ints, counts: Ints) -> Ints:
    """The same, given that of what comes right behind a node only so much runs in a cycle.

    `engine` has the only engine that a node can run on, -1 if there are several; `counts` has the
    fewest slots that it takes.
    """
    order = topological_order(p)
    count = len(order)
    result = np.zeros(count, np.int32)
    behind = np.empty(count, np.int32)
    for k in range(count - 1, -1, -1):
        node = order[k]
        for on in range(-1, len(p.slots)):
            found = 0
            least = 1 << 30
            for i in range(p.edge_start[node], p.edge_start[node + 1]):
                to = p.edge_node[i]
                result[node] = max(result[node], result[to] + p.edge_cycles[i])
                if on >= 0 and engine[to] == on:
                    behind[found] = to
                    found += 1
                    least = min(least, p.edge_cycles[i])
            if found < 2:
                continue
            work = 0
            for place in np.argsort(-result[behind[:found]]):
                to = behind[place]
                work += counts[to]
                cycles = (work + p.slots[on] - 1) // p.slots[on]
                result[node] = max(result[node], least + cycles - 1 + result[to])
    return result


@compiled(makes_arrays=True)
def sort_by_key(keys: Ints, by_rank: Ints, rank: Ints, scratch: Ints) -> None:
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
def hurry_helpers(p: Problem, keys: Ints) -> None:
    """Rank what some ways of nodes need before these nodes: nothing else may ask for it soon."""
    for i in range(len(p.need)):
        keys[p.need[i]] = min(keys[p.need[i]], keys[p.need_user[i]] - 1)
    for node in p.helpers:
        for i in range(p.edge_start[node], p.edge_start[node + 1]):
            keys[node] = min(keys[node], keys[p.edge_node[i]] - p.edge_cycles[i])


@compiled(makes_arrays=True)
def copy_schedule(source: Schedule, to: Schedule) -> None:
    """Overwrite a schedule by another one."""
    to.start[:] = source.start
    to.finish[:] = source.finish
    to.way[:] = source.way
    to.first_slots[:] = source.first_slots


@compiled(makes_arrays=True)
def random_below(seed: Ints, below: int) -> int:
    """A number from 0 to `below` - 1 (xorshift)."""
    x = seed[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    seed[0] = x
    return int((x >> np.uint64(11)) % np.uint64(below))


@compiled(makes_arrays=True)
def improve(
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

    Changes keys of what only some ways of nodes need.

    Fills `out` with the best schedule; its cycles, or -1 if there is none of `most_cycles`.
    """
    hurry_helpers(forward, keys)
    sort_by_key(keys, work.by_rank, work.rank, work.scratch)
    slack = most_cycles // 16 + 4
    best = list_schedule(
        forward, there, work.by_rank, work.rank, limits, most_cycles + slack, work.now
    )
    work.placed[0] += len(keys)
    if best < 0:
        return -1
    copy_schedule(work.now, out)
    failures = 0
    for _ in range(rounds):
        work.keys[:] = -work.now.finish
        sort_by_key(work.keys, work.by_rank, work.rank, work.scratch)
        cycles = list_schedule(
            backward, back, work.by_rank, work.rank, limits, 2 * most_cycles, work.reversed
        )
        work.placed[0] += len(keys)
        if cycles < 0:
            break
        work.keys[:] = -work.reversed.finish
        hurry_helpers(forward, work.keys)
        sort_by_key(work.keys, work.by_rank, work.rank, work.scratch)
        cycles = list_schedule(
            forward, there, work.by_rank, work.rank, limits, most_cycles + slack, work.now
        )
        work.placed[0] += len(keys)
        if cycles < 0:
            break
        if cycles < best:
            best = cycles
            failures = 0
            copy_schedule(work.now, out)
        else:
            failures += 1
            if failures == 2:
                break
    return best if best <= most_cycles else -1
