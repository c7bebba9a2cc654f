"""When strands run: how the work of a block that falls apart into strands overlaps.

Strands compete for engines. Where all of them begin at once, they need the same engine at the same
time, and leave others idle; where each begins much later than the one before it, there is not
enough to do at either end of the schedule. So each strand gets a *timing*: by how many cycles what
it begins with is put off, and what it ends with; what lies between is put off by something in
between. The order of strands matters, too, if they are of several kinds: those that soon keep a
scarce engine busy should come first, and last those that need it to the end.

Timings are found by local search: the one at hand is disturbed at random, and kept if the schedule
does not get longer (by much: threshold accepting, Dueck and Scheuer, J. Comp. Phys. 1990).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from vliw_mlir.schedule.graph import Ints, Problem
from vliw_mlir.schedule.justify import (
    KEY_STEPS,
    Work,
    copy_schedule,
    improve,
    random_below,
)
from vliw_mlir.schedule.list_schedule import Limits, Schedule, State, compiled

Floats = Any
"""An array of 32-bit floating point numbers, see `Ints`."""


class Strands(NamedTuple):
    """What the timing of strands needs to know about a graph."""

    of: Ints
    """The strand of each node, -1 for what is set up for several."""
    height: Ints
    """The cycles from the start of each node to the end of what depends on it."""
    progress: Floats
    """How far into the longest path through it a node is, from 0 to 1."""


class Timing(NamedTuple):
    """By how many cycles strands are put off."""

    begin: Floats
    end: Floats


def strands_of(strand: Ints, release: Ints, height: Ints) -> Strands:
    """The strands of a graph; `release` has the cycles before the start of each node."""
    progress = release / np.maximum(release + height, 1)
    return Strands(strand, height, progress.astype(np.float32))


SKEWS = (0.28, 0.45)
"""By which part of a schedule the last strand begins behind the first, in order of trial."""

SKEW_EXPONENT = 0.8

CONVERGENCES = (0.0, 0.5)
"""How much of that it makes up until its end."""


CAREFUL_SKEWS = (0.6, 0.7, 0.8, 0.9)
"""The same where scratch is too small for so many strands at once."""


def timings(order: Ints, cycles: int) -> Iterator[Timing]:
    """Timings to begin with, for strands that begin in `order`, of a block of `cycles`."""
    place = _places(order)
    if len(order) == 1:
        yield Timing(np.zeros(1, np.float32), np.zeros(1, np.float32))
        return
    for skew in SKEWS:
        for convergence in CONVERGENCES:
            begin = (skew * cycles * place**SKEW_EXPONENT).astype(np.float32)
            yield Timing(begin, begin * np.float32(1 - convergence))


def careful_timings(order: Ints, cycles: int) -> Iterator[Timing]:
    """The same with fewer strands at once, which begin at regular intervals."""
    for skew in CAREFUL_SKEWS if len(order) > 1 else (0,):
        begin = (skew * cycles * _places(order)).astype(np.float32)
        yield Timing(begin, begin.copy())


def _places(order: Ints) -> Floats:
    """Where strands are in `order`, from 0 to 1."""
    place = np.empty(len(order), np.float64)
    place[order] = np.arange(len(order)) / max(len(order) - 1, 1)
    return place


def orders(strands: Strands, problem: Problem) -> list[Ints]:
    """Orders of strands to begin with: that of the program, and others in which those come
    first and last, or in the middle, that have little work which only a certain engine does."""
    count = int(strands.of.max()) + 1
    found = [np.arange(count)]
    inside = strands.of >= 0
    for engine in range(len(problem.slots)):
        others = np.add.reduceat(problem.way_engine != engine, problem.way_start[:-1])
        only = inside & (others == 0)
        work = np.bincount(strands.of[only], minlength=count)
        if work.min() == work.max():
            continue
        by_work = np.argsort(work, kind="stable")
        found += [_at_both_ends(by_work), _at_both_ends(by_work[::-1])]
    return found


def _at_both_ends(order: Ints) -> Ints:
    """The first ones of `order` first and last, the others between them."""
    return np.concatenate([order[::2], order[1::2][::-1]])


@compiled(makes_arrays=True)
def apply_timing(
    forward: Problem, backward: Problem, strands: Strands, timing: Timing, keys: Ints
) -> None:
    """Set the keys of nodes, and number the strands of both problems in the order of time."""
    count = len(timing.begin)
    order = np.argsort(timing.begin, kind="mergesort")
    place = np.empty(count, np.int32)
    for number in range(count):
        place[order[number]] = number
    for node in range(len(keys)):
        strand = strands.of[node]
        forward.strand[node] = backward.strand[node] = -1
        if strand >= 0:
            forward.strand[node] = place[strand]
            backward.strand[node] = count - 1 - place[strand]
        # What is set up counts as part of the first strand.
        strand = max(strand, 0)
        progress = strands.progress[node]
        delay = timing.begin[strand] * (1 - progress) + timing.end[strand] * progress
        keys[node] = int(KEY_STEPS * (delay - strands.height[node]))
    _hurry(forward, strands.of, keys)


@compiled(makes_arrays=True)
def _hurry(p: Problem, strand: Ints, keys: Ints) -> None:
    """Let what is set up come right before the first that uses it."""
    for node in range(len(strand) - 1, -1, -1):
        if strand[node] >= 0 or p.edge_start[node] == p.edge_start[node + 1]:
            continue
        first = 1 << 30
        for i in range(p.edge_start[node], p.edge_start[node + 1]):
            first = min(first, keys[p.edge_node[i]])
        keys[node] = first - KEY_STEPS


@compiled(makes_arrays=True)
def _disturb(timing: Timing, seed: Any, result: Timing) -> None:
    """A timing in which some strands have changed places, or some or all run at other times."""
    result.begin[:] = timing.begin
    result.end[:] = timing.end
    count = len(timing.begin)
    kind = random_below(seed, 100)
    if kind < 60:
        for _ in range(1 + random_below(seed, 4)):
            a, b = random_below(seed, count), random_below(seed, count)
            result.begin[a], result.begin[b] = result.begin[b], result.begin[a]
            result.end[a], result.end[b] = result.end[b], result.end[a]
        return
    if kind < 85:
        for _ in range(1 + random_below(seed, 3)):
            a = random_below(seed, count)
            shift = random_below(seed, 161) - 80
            if random_below(seed, 2) == 0:
                result.begin[a] = max(np.float32(0), result.begin[a] + shift)
            else:
                result.end[a] = max(np.float32(0), result.end[a] + shift)
        return
    result.begin[:] *= np.float32(0.8 + random_below(seed, 46) / 100)
    result.end[:] *= np.float32(0.6 + random_below(seed, 81) / 100)


TOLERANCE = 15
"""How many cycles above the best a schedule may be at first to be improved."""


@compiled(makes_arrays=True)
def search_timings(
    forward: Problem,
    backward: Problem,
    there: State,
    back: State,
    strands: Strands,
    timing: Timing,
    work: Work,
    limits: Limits,
    least_cycles: int,
    cycles: int,
    best: int,
    budget: int,
    out: Schedule,
) -> tuple[int, int]:
    """Disturb `timing`, which leads to a schedule of `cycles`, until `budget` nodes are placed.

    Leaves the timing arrived at in `timing`, and the best schedule in `out` if it is shorter than
    `best`. The cycles arrived at and those of the best.
    """
    keys = np.empty(len(work.rank), np.int32)
    candidate = Timing(timing.begin.copy(), timing.end.copy())
    while best > least_cycles and work.placed[0] < budget:
        _disturb(timing, work.seed, candidate)
        apply_timing(forward, backward, strands, candidate, keys)
        found = improve(
            forward,
            backward,
            there,
            back,
            keys,
            work,
            limits,
            2,
            cycles + TOLERANCE,
            work.candidate,
        )
        if found < 0:
            continue
        if found < best:
            best = found
            copy_schedule(work.candidate, out)
        if found <= cycles or (found == cycles + 1 and random_below(work.seed, 4) == 0):
            cycles = found
            timing.begin[:] = candidate.begin
            timing.end[:] = candidate.end
    return cycles, best
