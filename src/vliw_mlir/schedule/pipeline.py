"""A modulo schedule with registers for the values of all iterations that are under way.

Iterations in which a value lives at the same time need a register for it each: *copies*, which
iterations take in turn. As registers are fixed in instructions, so many blocks of II cycles
differ and are laid out one after the other (modulo variable expansion; Lam, "Software
Pipelining", PLDI 1988).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from vliw_mlir.schedule.loop_iteration import NotPipelinedError, Origin
from vliw_mlir.schedule.machine import Carried
from vliw_mlir.schedule.modulo_graph import LoopValue, ModuloGraph
from vliw_mlir.schedule.renaming import Node, Value, home_of, reading, writing
from vliw_mlir.schedule.stage_schedule import Lives

if TYPE_CHECKING:
    # Imports numba, which takes long.
    from vliw_mlir.schedule.list_schedule import Schedule


class Run(NamedTuple):
    """A node in one iteration."""

    node: int
    iteration: int


class Place(NamedTuple):
    """Words of a value of one iteration; of a register of the function if `value` is invariant."""

    value: Value
    iteration: int
    lane: int
    words: int


MOST_STAGES = 64
"""How many iterations may be under way at a time."""

MOST_COPIES = 64
"""How many copies of a value there may be, and how many blocks in a kernel."""


class Pipeline:
    """When the nodes of each iteration run, and how many copies of each value there are."""

    def __init__(
        self,
        loop: ModuloGraph,
        schedule: Schedule,
        interval: int,
        carried: Iterable[Carried],
    ):
        """Raises `NotPipelinedError` if too many iterations overlap."""
        self.loop = loop
        self.schedule = schedule
        self.interval = interval
        starts: list[int] = schedule.start.tolist()
        first = min(starts) // interval * interval
        self.start = [start - first for start in starts]
        """The cycle of each node, the first stage beginning with 0."""
        self.stages = max(self.start) // interval + 1
        if self.stages > MOST_STAGES:
            raise NotPipelinedError(f"{self.stages} stages, more than {MOST_STAGES}")
        self.jump_stage = self.start[loop.jump] // interval
        self.by_row = sorted(range(len(starts)), key=lambda node: self.start[node] % interval)
        """The nodes in the order of their cycles within a block."""
        self.before = _orders(loop, carried)
        """What has to run before each node: nodes, how many iterations before, cycles."""
        self._function = loop.graph.block.function
        self._first_write = {
            value.value: min((self.start[node] for node in value.writers), default=0)
            for value in loop.values
        }
        """The cycle in which each value is first written."""
        self._rows: dict[Value, tuple[int, int]] = {}
        """The first and the last cycle of values that live within one block only."""
        self._copies: dict[Value, int] = {}
        self._choose_copies()

    @property
    def lasting_words(self) -> int:
        """The words of registers for what lives from one block to another."""
        return sum(
            value.words * count for value, count in self._copies.items() if value not in self._rows
        )

    @property
    def passing_words(self) -> int:
        """The most words of all else that lives at a time."""
        live = [0] * self.interval
        for value, (first, last) in self._rows.items():
            for row in range(first, last + 1):
                live[row] += value.words
        return max(live)

    # Time

    def stage(self, node: int) -> int:
        """The block in which a node runs, counted from the start of its iteration."""
        return self.start[node] // self.interval

    def cycle(self, run: Run) -> int:
        """The cycle of a run, counted from the start of the first iteration."""
        return self.start[run.node] + run.iteration * self.interval

    def runs(self, block: int) -> list[Run]:
        """What runs in a block, of all iterations from 0 on, in the order of time."""
        nodes = (node for node in self.by_row if self.stage(node) <= block)
        return [Run(node, block - self.stage(node)) for node in nodes]

    # Places

    def place(self, value: Value, lane: int, words: int, iteration: int) -> Place:
        """Where an iteration finds words of a value; `iteration` is that which computes them."""
        home, lane = home_of(value, lane)
        origin = self.loop.iteration.entries.get(home.register)
        if origin is None:
            return Place(home, iteration, lane, words)
        computed = self.loop.by_register[origin.register]
        return Place(computed, iteration - origin.distance, lane, words)

    def number(self, place: Place) -> tuple[Value, int]:
        """The value, and which of its copies an iteration has."""
        return place.value, place.iteration % self._copies.get(place.value, 1)

    def result(self, origin: Origin, last: int) -> Place:
        """Where a result is after iteration `last`."""
        value = self.loop.by_register[origin.register]
        return Place(value, last - origin.distance, 0, value.words)

    def before_first(self, place: Place) -> int | None:
        """The register that holds what is before the first iteration, None for nothing."""
        origin = Origin(place.value.register, -place.iteration)
        return self.loop.iteration.initial.get(origin)

    def reads(self, run: Run) -> list[Place]:
        """What a run reads."""
        node = self._node(run)
        return [
            self.place(node.read[register], lane, words, run.iteration)
            for register, lane, words in reading(self._function, node.instruction)
        ]

    def writes(self, run: Run) -> list[Place]:
        """What a run writes."""
        node = self._node(run)
        return [
            self.place(node.written[register], lane, words, run.iteration)
            for register, lane, words in writing(self._function, node.instruction)
        ]

    def _node(self, run: Run) -> Node:
        return self.loop.graph.nodes[run.node]

    # Copies

    def _choose_copies(self) -> None:
        """Choose the fewest copies for a kernel of the fewest blocks."""
        lives = Lives(self.loop, self.schedule, self.interval)
        least = {value.value: self._least_copies(value, lives) for value in self.loop.values}
        self._rows = {
            value.value: rows
            for value in self.loop.values
            if (rows := self._rows_of(value, lives)) is not None
        }
        while True:
            self.unroll = max(least.values(), default=1)
            """How many blocks the kernel has."""
            if self.unroll > MOST_COPIES:
                raise NotPipelinedError(f"more than {MOST_COPIES} copies of values")
            self._copies = {
                value: next(n for n in range(count, self.unroll + 1) if self.unroll % n == 0)
                for value, count in least.items()
            }
            crowded = self._crowded()
            if not crowded:
                return
            for value in crowded:
                least[value] = self._copies[value] + 1

    def _least_copies(self, value: LoopValue, lives: Lives) -> int:
        first, end = lives.span(value)
        copies = max(1, -(-(end - first) // self.interval))
        # The values before the first iteration are there together.
        copies = max([copies, *(distance for _, distance in value.readers)])
        # A result must not be overwritten by the iterations behind the one that it is of.
        copies = max([copies, *(distance + 1 for distance in value.results)])
        return max(copies, 2) if self._overwrites_itself(value) else copies

    def _rows_of(self, value: LoopValue, lives: Lives) -> tuple[int, int] | None:
        """The cycles of a value within its block, None if it lives in several."""
        touching = [*value.writers, *(node for node, _ in value.readers)]
        if value.results or any(distance for _, distance in value.readers):
            return None
        first = min(lives.start[node] for node in touching)
        last = max(lives.finish[node] for node in touching)
        if first // self.interval != last // self.interval:
            return None
        return first % self.interval, last % self.interval

    def _overwrites_itself(self, value: LoopValue) -> bool:
        """Whether one of the slots of a node may write what another one has yet to read, if all
        iterations have the value at the same place."""
        readers = {node for node, _ in value.readers}
        return any(
            node in readers and any(way.count > 1 for way in self.loop.graph.ways[node])
            for node in value.writers
        )

    def _crowded(self) -> set[Value]:
        """Values that keep the runs of a cycle from being put in order."""
        crowded: set[Value] = set()
        for block in range(self.stages - 1, self.stages - 1 + self.unroll):
            for _, runs in groupby(self.runs(block), self.cycle):
                crowded |= self.in_order(list(runs))[1]
        return crowded

    def in_order(self, runs: Sequence[Run]) -> tuple[list[Run], set[Value]]:
        """The runs of one cycle in an order in which one after the other does what all do at
        once: what reads a word comes before what writes it. If there is none, the values that
        would have to have more copies."""
        followers = self._followers(runs)
        waiting = defaultdict[Run, int](int)
        for run in runs:
            for follower in followers[run]:
                waiting[follower] += 1
        ready = [run for run in reversed(runs) if not waiting[run]]
        order: list[Run] = []
        while ready:
            run = ready.pop()
            order.append(run)
            for follower in followers[run]:
                waiting[follower] -= 1
                if not waiting[follower]:
                    ready.append(follower)
        left = set(runs) - set(order)
        written = {place.value for run in left for place in self.writes(run)}
        read = {place.value for run in left for place in self.reads(run)}
        crowded = written & read
        assert crowded or not left
        return order, crowded

    def _followers(self, runs: Sequence[Run]) -> Mapping[Run, set[Run]]:
        """What has to come behind each run of a cycle."""
        writers = defaultdict[tuple[Value, int], list[tuple[Run, Place]]](list)
        for run in runs:
            for place in self.writes(run):
                writers[self.number(place)].append((run, place))
        followers = defaultdict[Run, set[Run]](set)
        here = set(runs)
        for run in runs:
            for place in self.reads(run):
                for writer, written in writers.get(self.number(place), ()):
                    # One instruction reads before it writes, unless it begins with a part.
                    is_in_order = writer == run and written.words == written.value.words
                    if not is_in_order and self._ends(run, place, writer, written):
                        followers[run].add(writer)
            for node, distance, _ in self.before[run.node]:
                first = Run(node, run.iteration - distance)
                if first in here:
                    followers[first].add(run)
        return followers

    def begins(self, run: Run, place: Place) -> bool:
        """Whether what a run writes is among the first words of a value to be written."""
        return self.start[run.node] == self._first_write[place.value]

    def _ends(self, reader: Run, place: Place, writer: Run, written: Place) -> bool:
        """Whether `writer` ends the life of words that `reader` reads."""
        if written.iteration != place.iteration and self.begins(writer, written):
            # With its first word the whole register is another value's.
            return True
        return reader != writer and _overlap(place, written)


def _overlap(place: Place, other: Place) -> bool:
    return place.lane < other.lane + other.words and other.lane < place.lane + place.words


def _orders(loop: ModuloGraph, carried: Iterable[Carried]) -> list[list[tuple[int, int, int]]]:
    """For each node, those that have to run before it other than for values: their numbers, how
    many iterations before, and how many cycles."""
    nodes = loop.graph.nodes
    keys = ((node.instruction.key, number) for number, node in enumerate(nodes))
    numbers = {key: number for key, number in keys if key is not None}
    before: list[list[tuple[int, int, int]]] = [[] for _ in nodes]
    for number, node in enumerate(nodes):
        for key, cycles in node.instruction.after:
            if key in numbers:
                before[number].append((numbers[key], 0, cycles))
    for first, second, distance, cycles in carried:
        if first in numbers and second in numbers:
            before[numbers[second]].append((numbers[first], distance, cycles))
    return before
