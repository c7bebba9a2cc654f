"""Places for the values of a scheduled block.

In the order in which values are first touched, each gets words that are free by the time when
they are needed: a word is free again after it is last read, for what is written in the same
cycle, too, and of a wide value some words are needed much later than others. Single words are
looked for from the end of scratch, others from the beginning, so that long gaps remain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from vliw_mlir.schedule.graph import Graph, Segment
from vliw_mlir.schedule.list_schedule import Schedule
from vliw_mlir.schedule.renaming import Value


def place_values(
    graph: Graph, schedule: Schedule, fixed: Mapping[int, int], scratch: int
) -> dict[Value, int] | None:
    """The first word of each value that has words of its own, None if there are too few.

    `fixed` has the places of all registers that are live into the block or out of it.
    """
    return _Sweep(graph, schedule, fixed, scratch).run()


NEVER = np.iinfo(np.int32).max


class _Life(NamedTuple):
    """When words of a value are in use."""

    lane: int
    words: int
    first: int
    """The cycle in which they are first touched."""
    end: int
    """The first cycle in which others may be written to their place."""


class _Sweep:
    def __init__(self, graph: Graph, schedule: Schedule, fixed: Mapping[int, int], scratch: int):
        self.graph = graph
        self.start: list[int] = schedule.start.tolist()
        self.finish: list[int] = schedule.finish.tolist()
        self.free_from = np.full(scratch, -1, np.int32)
        """The first cycle in which each word may be written anew."""
        self.places = {
            value: fixed[value.register] for value in graph.block.homes() if value.is_fixed
        }
        self.widths = graph.block.function.widths
        self.fixed = fixed

    def run(self) -> dict[Value, int] | None:
        lives: dict[Value, list[_Life]] = {}
        for group in self.graph.groups:
            lives.setdefault(group.value, []).append(self._life(group))
        self._keep_fixed(lives)
        free = [value for value in lives if not value.is_fixed]
        free.sort(key=lambda value: (min(life.first for life in lives[value]), -value.words))
        return self.places if all(self._place(value, lives[value]) for value in free) else None

    def _life(self, group: Segment) -> _Life:
        first = min(self.start[node] for node in group.readers | group.writers)
        value, end = group.value, NEVER
        if not value.is_live_out and not self.graph.block.later_in_place(value):
            last_read = max((self.finish[node] for node in group.readers), default=-1)
            # Words that are written last are not free before the end of that cycle.
            last_write = max((self.finish[node] + 1 for node in group.writers), default=-1)
            end = max(last_read, last_write)
        return _Life(group.lane, group.words, first, end)

    def _keep_fixed(self, lives: Mapping[Value, Sequence[_Life]]) -> None:
        """Keep the places of fixed registers until their last value there is dead."""
        ends: dict[int, int] = {}
        for value, address in self.places.items():
            for life in lives.get(value, ()):
                for word in range(address + life.lane, address + life.lane + life.words):
                    ends[word] = max(life.end, ends.get(word, -1))
        for register, address in self.fixed.items():
            for word in range(address, address + self.widths[register]):
                self.free_from[word] = ends.get(word, NEVER)

    def _place(self, value: Value, lives: Sequence[_Life]) -> bool:
        """Find the place of a value; False if there is none."""
        words = value.words
        needed_from = np.full(words, NEVER, np.int32)
        for life in lives:
            needed_from[life.lane : life.lane + life.words] = life.first
        if words == 1:
            fits = self.free_from <= needed_from
            address = len(fits) - 1 - int(fits[::-1].argmax())
        elif words <= len(self.free_from):
            late = sliding_window_view(self.free_from, words) > needed_from
            fits = ~np.any(late, axis=1)
            address = int(fits.argmax())
        else:
            return False
        if not fits[address]:
            return False
        self.places[value] = address
        for life in lives:
            start = address + life.lane
            self.free_from[start : start + life.words] = life.end
        return True
