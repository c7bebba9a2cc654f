"""The search for a short schedule: list scheduling with many orders of nodes.

Every order is improved by scheduling backwards and forwards in turn (see `justify`). First
orders that come of different timings of strands are tried, and the best timings disturbed (see
`strand_timing`); then the best schedule itself is disturbed at random again and again (iterated
local search). All of it is deterministic, as effort is counted in nodes placed, unless time runs
out.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from vliw_mlir.schedule.bounds import least_cycles
from vliw_mlir.schedule.graph import Graph, Ints, Problem
from vliw_mlir.schedule.justify import (
    KEY_STEPS,
    Work,
    copy_schedule,
    heights,
    improve,
    new_work,
    random_below,
)
from vliw_mlir.schedule.list_schedule import (
    NEVER,
    Limits,
    Schedule,
    State,
    compiled,
    new_schedule,
    new_state,
)
from vliw_mlir.schedule.strand_timing import (
    Timing,
    apply_timing,
    careful_timings,
    orders,
    search_timings,
    strands_of,
    timings,
)
from vliw_mlir.schedule.strands import find_strands
from vliw_mlir.target import Target

PLACED_PER_LOOK = 1_000_000
"""How many nodes are placed from one look at the clock to the next."""

ROUNDS = 2_400
"""How often a block is scheduled until the search begins anew, twice as long each time: it does
not have to be known when it ends."""

MOST_TIMINGS = 3
"""How many timings are disturbed at first."""

TIMING_SHARE = 0.5
"""The part of a search after which timings are not disturbed any more."""

FIRST_SHARE = 0.25
"""The part of that after which only the best timing is disturbed."""


TOO_LONG = 1.1
"""A schedule that takes so many times the least cycles may do so for want of words,"""

CROWDED = 0.95
"""if it takes so much of what it may at some time, or if only the order of the program fits."""

LOOKAHEADS = (5, 10, 20, 40)
"""In crowded scratch nothing takes words that comes so many cycles behind what is still to
start, in order of trial."""


class Found(NamedTuple):
    """A schedule and its length."""

    cycles: int
    schedule: Schedule
    least_cycles: int
    """What no schedule is shorter than."""


def search_schedule(
    graph: Graph, target: Target, limits: Limits, budget: int, deadline: float = math.inf
) -> Found | None:
    """A short schedule for a graph, None if the words do not suffice.

    The search ends when about `budget` nodes have been placed, when it can find nothing better,
    or when `time.monotonic()` comes to `deadline`.
    """
    if not graph.nodes:
        return Found(0, new_schedule(0), 0)
    search = _Search(graph, target, limits, budget, deadline)
    return search.run()


@dataclass
class _Start:
    """A timing to begin with."""

    order: int
    """Which of the orders of strands it comes of."""
    timing: Timing
    cycles: int
    """Those of the schedule it leads to."""

    def copy(self) -> _Start:
        """Another one, whose timing may be changed."""
        timing = Timing(self.timing.begin.copy(), self.timing.end.copy())
        return replace(self, timing=timing)


class _Search:
    def __init__(self, graph: Graph, target: Target, limits: Limits, budget: int, deadline: float):
        count = len(graph.nodes)
        self.limits = limits
        self.budget = budget
        self.deadline = deadline
        self.work = new_work(count)
        self.out = new_schedule(count)
        self.keys = np.empty(count, np.int32)
        release, height = heights(graph.backward), heights(graph.forward)
        self.least = least_cycles(graph, target, release, height)
        self.strands = strands_of(find_strands(graph), release, height)
        self.forward = graph.forward._replace(strand=self.strands.of.copy())
        self.backward = graph.backward._replace(strand=self.strands.of.copy())
        self.states = new_state(self.forward), new_state(self.backward)
        self.best = -1
        self.most_cycles = _most_cycles(graph)

    @property
    def problems(self) -> tuple[Problem, Problem, State, State]:
        """Both directions of time, with what is used to schedule in them."""
        return self.forward, self.backward, *self.states

    def run(self) -> Found | None:
        starts = self._start()
        failed = self.best < 0
        if failed:
            self._start_in_program_order()
        if self.best < 0 or (self.best > TOO_LONG * self.least and (failed or self._is_crowded())):
            starts = self._start_carefully() or starts
        if self.best < 0:
            return None
        placed = 0
        while not self._ends(self.budget):
            until = min(self.budget, placed + max(ROUNDS * len(self.keys), placed))
            if self.strands.of.max() > 0:
                self._search_timings(starts, placed + TIMING_SHARE * (until - placed))
            self._go_on(until)
            placed = int(self.work.placed[0])
        return Found(self.best, self.out, self.least)

    def _ends(self, budget: float) -> bool:
        """Whether so many nodes are placed, or no shorter schedule can be found."""
        return (
            0 <= self.best <= self.least
            or self.work.placed[0] > budget
            or time.monotonic() > self.deadline
        )

    def _start(self) -> list[_Start]:
        """Schedule with the timings to begin with; those that led to a schedule."""
        starts: list[_Start] = []
        for number, order in enumerate(orders(self.strands, self.forward)):
            starts += self._start_with(timings(order, self.least), number, self.limits)
        self.keys[:] = np.arange(len(self.keys))
        if not self._ends(self._most_of_starts()):
            self._improve(4)
        return starts

    def _start_with(self, tried: Iterable[Timing], order: int, limits: Limits) -> Iterator[_Start]:
        """Schedule with timings; those that led to a schedule."""
        for timing in tried:
            if self.best >= 0 and self._ends(self._most_of_starts()):
                return
            apply_timing(self.forward, self.backward, self.strands, timing, self.keys)
            cycles = self._improve(4, limits)
            if cycles >= 0:
                yield _Start(order, timing, cycles)

    def _most_of_starts(self) -> float:
        """How many nodes may be placed to find something to begin with."""
        return FIRST_SHARE * min(self.budget, ROUNDS * len(self.keys))

    def _is_crowded(self) -> bool:
        """Whether the best schedule takes about all words that it may."""
        return most_words(self.forward, self.out) >= CROWDED * self.limits.words

    def _start_carefully(self) -> list[_Start]:
        """Schedule with fewer strands at once, and with nothing that takes words long before it
        is needed; what led to a schedule shorter than before, under the limits for it."""
        best: tuple[Limits, list[_Start]] = self.limits, []
        pace = len(self.keys) / max(self.least, 1)
        order = np.arange(int(self.strands.of.max()) + 1)
        for cycles in LOOKAHEADS:
            limits = Limits(self.limits.words, 0, 0, self.limits.window, int(cycles * pace) + 1)
            before = self.best
            starts = list(self._start_with(careful_timings(order, self.least), 0, limits))
            if self.best != before:
                best = limits, starts
        self.limits, starts = best
        return starts

    def _improve(self, rounds: int, limits: Limits | None = None) -> int:
        """Schedule by `keys` and improve that; its cycles, -1 if it is much longer than others."""
        most = self.most_cycles if self.best < 0 else self.best + self.best // 16
        candidate = self.work.candidate
        cycles = improve(
            *self.problems, self.keys, self.work, limits or self.limits, rounds, most, candidate
        )
        if cycles >= 0 and (self.best < 0 or cycles < self.best):
            self.best = cycles
            copy_schedule(candidate, self.out)
        return cycles

    def _start_in_program_order(self) -> None:
        """Where words are scarce, the order of the program may be all that they suffice for."""
        lookahead = len(self.keys)
        self.keys[:] = np.arange(lookahead)
        while self.best < 0 and lookahead > 0:
            lookahead //= 4
            limits = Limits(self.limits.words, 0, 0, self.limits.window, lookahead)
            self._improve(0, limits)

    def _search_timings(self, starts: list[_Start], budget: float) -> None:
        """Disturb the best timings of a few orders, and the one that does best further."""
        starts.sort(key=lambda start: start.cycles)
        by_order = {start.order: start for start in reversed(starts)}
        best = sorted(by_order.values(), key=lambda start: start.cycles)[:MOST_TIMINGS]
        chosen = [start.copy() for start in best]
        placed = int(self.work.placed[0])
        for number, start in enumerate(chosen, 1):
            share = FIRST_SHARE * number / len(chosen)
            self._disturb_timing(start, placed + share * (budget - placed))
        if chosen:
            self._disturb_timing(min(chosen, key=lambda start: start.cycles), budget)

    def _disturb_timing(self, start: _Start, budget: float) -> None:
        while not self._ends(budget):
            start.cycles, self.best = search_timings(
                *self.problems,
                self.strands,
                start.timing,
                self.work,
                self.limits,
                self.least,
                start.cycles,
                self.best,
                self._until_next_look(budget),
                self.out,
            )

    def _go_on(self, budget: int) -> None:
        """Disturb the best schedule."""
        while not self._ends(budget):
            part = self._until_next_look(budget)
            self.best = disturb_schedule(
                *self.problems, self.work, self.limits, self.least, self.best, part, self.out
            )

    def _until_next_look(self, budget: float) -> int:
        return min(int(budget) + 1, int(self.work.placed[0]) + PLACED_PER_LOOK)


def _most_cycles(graph: Graph) -> int:
    """More than any schedule takes that always does something."""
    return int(graph.forward.way_count.sum()) + len(graph.nodes) + 1


def most_words(p: Problem, schedule: Schedule) -> int:
    """The most words of scratch that are in use in one cycle of a schedule forwards."""
    change = np.zeros(int(schedule.finish.max()) + 3, np.int64)
    nodes = np.repeat(np.arange(len(schedule.start)), np.diff(p.group_start))
    first = np.full(len(p.group_words), NEVER, np.int64)
    end = np.zeros(len(p.group_words), np.int64)
    np.minimum.at(first, p.group, schedule.start[nodes])
    np.maximum.at(end, p.group, schedule.finish[nodes] + p.group_kept)
    taken = p.group_taken * (first < NEVER)
    np.add.at(change, np.minimum(first, len(change) - 1), taken)
    np.add.at(change, end, -taken)
    return p.fixed_words + int(change.cumsum().max())


@compiled(makes_arrays=True)
def disturb_schedule(
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
        cycles = improve(
            forward, backward, there, back, keys, work, limits, 2, best, work.candidate
        )
        if 0 <= cycles <= best:
            best = cycles
            copy_schedule(work.candidate, out)
    return best


@compiled(makes_arrays=True)
def _disturb(p: Problem, best: Schedule, seed: Any, keys: Ints) -> None:
    """Keys in the order of a schedule, with some strands, or some nodes, at other times."""
    length = best.start.max() + 1
    strands = p.strand.max() + 1
    shift = np.zeros(strands + 1, np.int32)
    furthest = KEY_STEPS * (1 + random_below(seed, 40))
    for strand in range(strands):
        if strands > 1 and random_below(seed, 10) < 3:
            shift[strand] = random_below(seed, 2 * furthest) - furthest
    first = 0
    end = length
    if strands == 1 or random_below(seed, 4) == 0:
        # Only what runs during some part of the time.
        first = random_below(seed, length)
        end = first + 5 + random_below(seed, length)
    share = random_below(seed, 50) if strands == 1 else 0
    for node in range(len(keys)):
        keys[node] = KEY_STEPS * best.start[node]
        if not first <= best.start[node] < end:
            continue
        keys[node] += shift[p.strand[node]]
        if share > 0 and random_below(seed, 100) < share:
            keys[node] += random_below(seed, furthest) - furthest // 2
