"""Shorter lives of values in a modulo schedule.

Nodes are moved by whole initiation intervals, which leaves the slots that they take as they are.
See Eichenberger and Davidson, "Stage Scheduling: A Technique to Reduce the Register Requirements
of a Modulo Schedule" (MICRO 1995).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vliw_mlir.schedule.modulo_graph import LoopValue, ModuloGraph

if TYPE_CHECKING:
    # Imports numba, which takes long.
    from vliw_mlir.schedule.list_schedule import Schedule

SWEEPS = 2
"""How often all nodes are looked at."""


class Lives:
    """The lives of the values of an iteration, counted from its own start."""

    def __init__(self, loop: ModuloGraph, schedule: Schedule, interval: int):
        self.start: list[int] = schedule.start.tolist()
        self.finish: list[int] = schedule.finish.tolist()
        self.interval = interval
        self.jump = loop.jump

    def span(self, value: LoopValue) -> tuple[int, int]:
        """The cycle in which a value is first written, and the first one in which others may be
        written to its place."""
        first = min((self.start[node] for node in value.writers), default=0)
        end = max((self.finish[node] + 1 for node in value.writers), default=first)
        for node, distance in value.readers:
            # The jump is the last instruction of its block: what it reads lives on behind it.
            read = self.finish[node] + (node == self.jump)
            end = max(end, read + distance * self.interval)
        for distance in value.results:
            # Whoever reads it comes behind the jump.
            end = max(end, self.finish[self.jump] + 1 + distance * self.interval)
        return first, end

    def words(self, value: LoopValue) -> int:
        """The words of a value times the cycles of its life."""
        first, end = self.span(value)
        return value.value.words * (end - first)


def shorten_lives(loop: ModuloGraph, schedule: Schedule, interval: int) -> None:
    """Move the nodes of a schedule to other stages; its first cycle and its last one stay."""
    lives = Lives(loop, schedule, interval)
    touched: list[list[LoopValue]] = [[] for _ in lives.start]
    for value in loop.values:
        for node in {*value.writers, *(node for node, _ in value.readers)}:
            touched[node].append(value)
    first, last = min(lives.start), max(lives.finish)
    order = sorted(range(len(lives.start)), key=lambda node: -lives.start[node])
    for _ in range(SWEEPS):
        for node in order:
            if node != loop.jump:
                _move(loop, lives, node, touched[node], first, last)
        order.reverse()
    schedule.start[:] = lives.start
    schedule.finish[:] = lives.finish


def _move(
    loop: ModuloGraph, lives: Lives, node: int, values: list[LoopValue], first: int, last: int
) -> None:
    """Move a node to the stage in which the values that it touches take the least."""
    low, high = _slack(loop, lives, node)
    low = max(low, -((lives.start[node] - first) // lives.interval))
    high = min(high, (last - lives.finish[node]) // lives.interval)
    best, least = 0, sum(map(lives.words, values))
    if low == high:
        return
    for stages in range(low, high + 1):
        _shift(lives, node, stages)
        words = sum(map(lives.words, values))
        if words < least:
            best, least = stages, words
        _shift(lives, node, -stages)
    _shift(lives, node, best)


def _shift(lives: Lives, node: int, stages: int) -> None:
    lives.start[node] += stages * lives.interval
    lives.finish[node] += stages * lives.interval


def _slack(loop: ModuloGraph, lives: Lives, node: int) -> tuple[int, int]:
    """By how many stages a node may be moved, given where the others are."""
    e, interval = loop.arrays, lives.interval
    low, high = -len(lives.start), len(lives.start)
    for i in range(e.in_start[node], e.in_start[node + 1]):
        first = int(e.in_node[i])
        if first != node:
            least = lives.finish[first] + int(e.in_cycles[i]) - interval * int(e.in_distance[i])
            low = max(low, -((lives.start[node] - least) // interval))
    for i in range(e.out_start[node], e.out_start[node + 1]):
        second = int(e.out_node[i])
        if second != node:
            most = lives.start[second] - int(e.out_cycles[i]) + interval * int(e.out_distance[i])
            high = min(high, (most - lives.finish[node]) // interval)
    return low, high
