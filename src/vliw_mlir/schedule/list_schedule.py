"""List scheduling on arrays, compiled to machine code on its first use.

Cycle by cycle, the nodes that may start are offered slots in the order of their ranks. A node
takes the first of its ways that has slots left. A way of several slots may start on those that
are left in a cycle and goes on in the next one, before all others. Where all slots of an engine
are taken, a node that came before may be moved to another engine. A node that would take more
words of scratch than there are has to wait.

This module imports numba, which takes 0.2 s: import it where scheduling starts. The machine code
is kept in a file beside this one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numba  # pyright: ignore[reportMissingTypeStubs]
import numpy as np

from vliw_mlir.schedule.graph import Ints, Problem

F = TypeVar("F", bound=Callable[..., Any])


def compiled(*, makes_arrays: bool = False) -> Callable[[F], F]:
    """Have numba compile a function, and keep the result on disk where that is possible."""
    njit = cast(Callable[..., Any], numba.njit)
    # Where no array is made, none needs its references counted: that alone would take longer
    # than the rest.
    options = {"_nrt": makes_arrays, "error_model": "numpy"}

    def compile(function: F) -> F:
        try:
            return njit(cache=True, **options)(function)
        except RuntimeError:  # There is no directory to write to: compile in each process.
            return njit(**options)(function)

    return compile


class Schedule(NamedTuple):
    """When and how nodes run."""

    start: Ints
    """The cycle of the first slot of each node."""
    finish: Ints
    """The cycle of the last slot."""
    way: Ints
    """Which of the ways in the problem the node takes."""
    first_slots: Ints
    """How many slots it takes in its first cycle. It takes all it needs in those that follow."""


class Limits(NamedTuple):
    """What a schedule may take."""

    words: int
    """Words of scratch."""
    started: int
    """Words that strands leave for older ones."""
    new: int
    """Words that strands leave for older ones when they start."""
    window: int
    """How many ranks behind the first a node may be to take a way for urgent ones."""
    lookahead: int
    """How many ranks behind the first that has not started a node may be to take more words."""


class State(NamedTuple):
    """What scheduling works on; the arrays are kept to be used again."""

    numbers: Ints
    """The single numbers that change: see `WORDS` and those behind it."""
    waiting: Ints
    """For each node, the edges to it whose beginnings are not done."""
    touches: Ints
    """For each group, the nodes that have yet to touch it."""
    held: Ints
    """1 for groups that have words."""
    ready: Any
    """The nodes that may start, one bit per rank."""
    kind_ready: Ints
    """For each kind, the nodes that may start."""
    kind_closed: Ints
    """1 for kinds that have no slots left in this cycle."""
    free: Ints
    """For each engine, the slots left in this cycle."""
    flying: Ints
    """For each engine, the node that it has begun and not finished, -1 for none."""
    missing: Ints
    """The slots that this node still needs."""
    done: Ints
    """The nodes that finish in this cycle."""
    coming: Ints
    """The nodes that may start in the next cycle."""
    placed: Ints
    """The nodes that have all of their slots in this cycle."""
    kept: Ints
    """The groups that get free at the end of the cycle."""
    strand_left: Ints
    """For each strand, the nodes to do. The last entry is for nodes without a strand."""
    strand_begun: Ints
    """1 for strands of which a node has started."""


WORDS, DONE, COMING, PLACED, KEPT, AGAIN, OPEN, LEAST = range(8)
"""In `State.numbers`: words taken; lengths of lists; whether a node may start that comes before
those already looked at; nodes that may start and are not of a kind that is closed; the least
rank of what has not started."""

NEVER = 1 << 30
"""The cycle in which nodes finish that have not."""

_ONE = np.uint64(1)
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_POSITIONS: Ints = np.zeros(64, np.int32)
for _bit in range(64):
    _POSITIONS[((0x03F79D71B4CB0A89 << _bit) & ((1 << 64) - 1)) >> 58] = _bit
"""The position of a lone bit, by the first bits of its product with a de Bruijn sequence."""


def new_schedule(count: int) -> Schedule:
    """A schedule of `count` nodes, to be filled."""
    return Schedule(*(np.zeros(count, np.int32) for _ in range(4)))


def new_state(problem: Problem) -> State:
    """Working arrays for a problem, in both directions of time."""
    count, engines = len(problem.predecessors), len(problem.slots)
    groups = len(problem.group_words)
    strands = int(problem.strand.max(initial=-1)) + 1
    kinds = int(problem.kind.max(initial=0)) + 1

    def ints(size: int) -> Ints:
        return np.zeros(size, np.int32)

    return State(
        numbers=ints(8),
        waiting=ints(count),
        touches=ints(groups),
        held=ints(groups),
        ready=np.zeros(count // 64 + 1, np.uint64),
        kind_ready=ints(kinds),
        kind_closed=ints(kinds),
        free=ints(engines),
        flying=ints(engines),
        missing=ints(engines),
        done=ints(count),
        coming=ints(count),
        placed=ints(count),
        kept=ints(groups),
        strand_left=ints(strands + 1),
        strand_begun=ints(strands + 1),
    )


@compiled()
def _reset(p: Problem, s: State, rank: Ints, out: Schedule) -> None:
    s.numbers[:] = 0
    s.numbers[WORDS] = p.fixed_words
    for group in range(len(s.touches)):
        s.touches[group] = p.group_touches[group]
    s.held[:] = 0
    s.ready[:] = np.uint64(0)
    s.kind_ready[:] = 0
    s.kind_closed[:] = 0
    s.flying[:] = -1
    s.strand_left[:] = 0
    s.strand_begun[:] = 0
    for node in range(len(rank)):
        out.finish[node] = NEVER
        out.first_slots[node] = 0
        s.waiting[node] = p.predecessors[node]
        s.strand_left[p.strand[node]] += 1
        if s.waiting[node] == 0:
            s.coming[s.numbers[COMING]] = node
            s.numbers[COMING] += 1


@compiled()
def _set_ready(p: Problem, s: State, node: int, rank: int) -> None:
    s.ready[rank >> 6] |= _ONE << np.uint64(rank & 63)
    kind = p.kind[node]
    s.kind_ready[kind] += 1
    if s.kind_closed[kind] == 0:
        s.numbers[OPEN] += 1


@compiled()
def _finish(p: Problem, s: State, rank: Ints, here: int, cycle: int, node: int, out: Schedule):
    """The last slot of a node is in this cycle. Nodes ranked up to `here` were looked at."""
    n = s.numbers
    out.finish[node] = cycle
    s.done[n[DONE]] = node
    n[DONE] += 1
    for i in range(p.group_start[node], p.group_start[node + 1]):
        group = p.group[i]
        s.touches[group] -= 1
        if s.touches[group] > 0:
            continue
        if p.group_kept[i] == 0:
            n[WORDS] -= p.group_words[group]
        else:
            s.kept[n[KEPT]] = group
            n[KEPT] += 1
    for i in range(p.edge_start[node], p.edge_start[node + 1]):
        if p.edge_cycles[i] > 0:
            continue
        to = p.edge_node[i]
        s.waiting[to] -= 1
        if s.waiting[to] == 0:
            _set_ready(p, s, to, rank[to])
            if rank[to] <= here:
                n[AGAIN] = 1


@compiled()
def _begin_cycle(p: Problem, s: State, rank: Ints, cycle: int, out: Schedule) -> bool:
    """Start a cycle; False if nothing can ever run again."""
    n = s.numbers
    moves = n[COMING] > 0 or n[KEPT] > 0 or n[DONE] > 0
    n[DONE] = 0
    n[PLACED] = 0
    for i in range(n[KEPT]):
        n[WORDS] -= p.group_words[s.kept[i]]
    n[KEPT] = 0
    for kind in range(len(s.kind_closed)):
        if s.kind_closed[kind] == 1:
            s.kind_closed[kind] = 0
            n[OPEN] += s.kind_ready[kind]
    for i in range(n[COMING]):
        node = s.coming[i]
        _set_ready(p, s, node, rank[node])
    n[COMING] = 0
    for engine in range(len(p.slots)):
        s.free[engine] = p.slots[engine]
        node = s.flying[engine]
        if node < 0:
            continue
        moves = True
        taken = min(s.missing[engine], s.free[engine])
        s.free[engine] -= taken
        s.missing[engine] -= taken
        if s.missing[engine] == 0:
            s.flying[engine] = -1
            _finish(p, s, rank, -1, cycle, node, out)
    return moves


@compiled()
def _end_cycle(p: Problem, s: State) -> None:
    """Let nodes start in the next cycle that need what is done in this one."""
    n = s.numbers
    for k in range(n[DONE]):
        node = s.done[k]
        for i in range(p.edge_start[node], p.edge_start[node + 1]):
            if p.edge_cycles[i] == 0:
                continue
            to = p.edge_node[i]
            s.waiting[to] -= 1
            if s.waiting[to] == 0:
                s.coming[n[COMING]] = to
                n[COMING] += 1


@compiled()
def _way_with_slots(
    p: Problem, s: State, node: int, is_urgent: bool, cycle: int, out: Schedule
) -> int:
    """The first way of a node for which there are slots, -1 if there are none."""
    for way in range(p.way_start[node], p.way_start[node + 1]):
        engine = p.way_engine[way]
        free = s.free[engine]
        missing = p.way_count[way] - free
        if free == 0 or (p.way_is_last[way] == 1 and not is_urgent):
            continue
        if missing > 0 and (s.flying[engine] >= 0 or missing > p.slots[engine]):
            continue
        need = p.way_need[way]
        if need >= 0 and out.finish[need] >= cycle:
            continue
        return way
    return -1


@compiled()
def _make_room(p: Problem, s: State, node: int, cycle: int, out: Schedule) -> bool:
    """Get a slot for the first way of a node by moving another node to another engine."""
    engine = p.way_engine[p.way_start[node]]
    if p.way_count[p.way_start[node]] != 1:
        return False
    for k in range(s.numbers[PLACED] - 1, -1, -1):
        other = s.placed[k]
        if p.way_engine[out.way[other]] != engine:
            continue
        for way in range(p.way_start[other], p.way_start[other + 1]):
            to = p.way_engine[way]
            if to == engine or p.way_count[way] > s.free[to]:
                continue
            need = p.way_need[way]
            if need >= 0 and out.finish[need] >= cycle:
                continue
            s.free[engine] += out.first_slots[other]
            s.free[to] -= p.way_count[way]
            out.way[other] = way
            out.first_slots[other] = p.way_count[way]
            return True
    return False


@compiled()
def _words_taken(p: Problem, s: State, node: int, finishes: bool) -> int:
    """How many words more are taken when a node runs; negative if words get free."""
    words = 0
    for i in range(p.group_start[node], p.group_start[node + 1]):
        group = p.group[i]
        if s.held[group] == 0:
            words += p.group_taken[group]
    if words == 0 or not finishes:
        return words
    for i in range(p.group_start[node], p.group_start[node + 1]):
        group = p.group[i]
        if s.touches[group] == 1 and p.group_kept[i] == 0:
            words -= p.group_words[group]
    return words


@compiled()
def _place(
    p: Problem, s: State, rank: Ints, here: int, cycle: int, node: int, way: int, out: Schedule
) -> None:
    """Let a node start in this cycle."""
    n = s.numbers
    for i in range(p.group_start[node], p.group_start[node + 1]):
        group = p.group[i]
        if s.held[group] == 0:
            s.held[group] = 1
            n[WORDS] += p.group_taken[group]
    strand = p.strand[node]
    s.strand_begun[strand] = 1
    s.strand_left[strand] -= 1
    engine = p.way_engine[way]
    taken = min(p.way_count[way], s.free[engine])
    s.free[engine] -= taken
    out.start[node] = cycle
    out.way[node] = way
    out.first_slots[node] = taken
    if taken < p.way_count[way]:
        s.flying[engine] = node
        s.missing[engine] = p.way_count[way] - taken
        return
    s.placed[n[PLACED]] = node
    n[PLACED] += 1
    _finish(p, s, rank, here, cycle, node, out)


@compiled()
def _offer_slots(
    p: Problem,
    s: State,
    by_rank: Ints,
    rank: Ints,
    limits: Limits,
    oldest: int,
    cycle: int,
    out: Schedule,
) -> int:
    """Let nodes start in this cycle, by rank; how many do."""
    count = 0
    last_urgent = -1
    n = s.numbers
    for block in range(len(s.ready)):
        if n[OPEN] == 0:
            break
        pending = s.ready[block]
        while pending != 0:
            bit = pending & (~pending + _ONE)
            pending ^= bit
            here: int = (block << 6) + _POSITIONS[(bit * _DE_BRUIJN) >> np.uint64(58)]
            node = by_rank[here]
            if last_urgent < 0:
                last_urgent = here + limits.window
            kind = p.kind[node]
            if s.kind_closed[kind] == 1:
                continue
            is_urgent = here <= last_urgent
            way = _way_with_slots(p, s, node, is_urgent, cycle, out)
            finishes = way < 0 or p.way_count[way] <= s.free[p.way_engine[way]]
            taken = _words_taken(p, s, node, finishes)
            if taken > 0:
                limit = limits.words
                strand = p.strand[node]
                if strand > oldest:
                    limit -= limits.started if s.strand_begun[strand] == 1 else limits.new
                if n[WORDS] + taken > limit or here > n[LEAST] + limits.lookahead:
                    continue
            if way < 0:
                if not _make_room(p, s, node, cycle, out):
                    # Slots only become fewer, and nodes less urgent.
                    if kind > 0:
                        s.kind_closed[kind] = 1
                        n[OPEN] -= s.kind_ready[kind]
                    continue
                way = p.way_start[node]
            s.ready[block] ^= bit
            s.kind_ready[kind] -= 1
            n[OPEN] -= 1
            _place(p, s, rank, here, cycle, node, way, out)
            while n[LEAST] < len(by_rank) and out.first_slots[by_rank[n[LEAST]]] > 0:
                n[LEAST] += 1
            # Nodes may have become ready that come later.
            pending = s.ready[block] & ~((bit << _ONE) - _ONE)
            count += 1
    return count


@compiled()
def list_schedule(
    p: Problem,
    s: State,
    by_rank: Ints,
    rank: Ints,
    limits: Limits,
    most_cycles: int,
    out: Schedule,
) -> int:
    """Fill `out`; the number of cycles, or -1 if that would be more than `most_cycles`, or if
    the words do not suffice.

    `by_rank` has the nodes in the order in which they are offered slots, `rank` is its inverse.
    """
    left = len(by_rank)
    _reset(p, s, rank, out)
    oldest = 0
    cycle = 0
    while left > 0:
        while oldest < len(s.strand_left) - 2 and s.strand_left[oldest] == 0:
            oldest += 1
        if cycle >= most_cycles or not _begin_cycle(p, s, rank, cycle, out):
            return -1
        s.numbers[AGAIN] = 1
        while s.numbers[AGAIN] == 1:
            s.numbers[AGAIN] = 0
            left -= _offer_slots(p, s, by_rank, rank, limits, oldest, cycle, out)
        _end_cycle(p, s)
        cycle += 1
    # What has been begun goes on.
    for engine in range(len(p.slots)):
        while s.flying[engine] >= 0:
            _begin_cycle(p, s, rank, cycle, out)
            cycle += 1
    return cycle if cycle <= most_cycles else -1
