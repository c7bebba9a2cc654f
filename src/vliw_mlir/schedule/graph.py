"""The dependence graph of a block on flat arrays: what its schedule has to respect.

Nodes are instructions. An edge says how many cycles later its end may start than its beginning
finishes: 1 where a word is written and then read, or written again; 0 where it is read and then
written, since a bundle reads before it writes.

A *segment* is words of a value that the same instructions touch. Words get free by the vector:
when all has run that touches one of as many words as a vector has, so that what gets free can be
used for another vector.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from vliw_mlir.schedule.machine import JUMPS
from vliw_mlir.schedule.renaming import (
    Node,
    RenamedBlock,
    Value,
    home_of,
    reading,
    writing,
)
from vliw_mlir.schedule.side_exits import exit_order
from vliw_mlir.schedule.ways import Way, ways_of
from vliw_mlir.target import Target

Ints: TypeAlias = Any
"""An array of 32-bit integers. Compiled code reads plain integers from it, which the types of
numpy do not say."""


class Problem(NamedTuple):
    """A scheduling problem on arrays, in one direction of time.

    What belongs to node n begins at entry n of a `…_start` array and ends before that of n + 1.
    """

    slots: Ints
    """Slots per cycle of each engine."""
    way_start: Ints
    way_engine: Ints
    way_count: Ints
    """How many slots each way takes."""
    way_need: Ints
    """A node that has to be done before, for this way alone; -1 for none."""
    way_is_last: Ints
    """1 for ways that are only taken where it is urgent."""
    kind: Ints
    """Nodes of the same kind have the same ways; 0 for those with needs."""
    edge_start: Ints
    edge_node: Ints
    edge_cycles: Ints
    predecessors: Ints
    """How many edges end at each node."""
    group_start: Ints
    group: Ints
    """The groups of words, which get free together, that a node touches."""
    group_kept: Ints
    """1 if the node writes to the group: its words are not free again in the same cycle."""
    group_words: Ints
    group_touches: Ints
    """How many nodes touch each group; one more if its words never get free."""
    group_taken: Ints
    """How many words each group takes when it is first touched."""
    need_user: Ints
    need: Ints
    """Pairs of a node and another one, which only some of its ways need."""
    helpers: Ints
    """What is needed by such ways, and what that depends on; the last ones first."""
    strand: Ints
    """Which strand each node belongs to, -1 for none."""
    fixed_words: int
    """Words taken from the beginning."""


@dataclass(eq=False, slots=True)
class Segment:
    """Words of a value that the same nodes touch."""

    value: Value
    lane: int
    words: int
    readers: set[int] = field(default_factory=set[int])
    writers: set[int] = field(default_factory=set[int])
    exits: list[int] = field(default_factory=list[int])
    """The side exits at which it has to hold what it does."""


@dataclass
class Graph:
    """The dependence graph of a block."""

    block: RenamedBlock
    nodes: list[Node]
    """The nodes that are to be scheduled, in the order of the program."""
    ways: list[tuple[Way, ...]]
    """The ways of each node, in the order of the problems."""
    engines: list[str]
    """The names of the engines, in the order of the problems."""
    segments: list[Segment]
    groups: list[Segment]
    """Words that get free together."""
    forward: Problem
    backward: Problem
    """The same with time running backwards."""


def build_graph(
    block: RenamedBlock, target: Target, fixed_words: int, *, is_iteration: bool = False
) -> Graph:
    """The graph of a block. A terminator, if there is one, runs last; unless the block is an
    iteration of a loop which may go on after its jump.

    `fixed_words` is the number of words of the registers that are live into or out of the block.
    """
    return _Builder(block, target, fixed_words).build(is_iteration=is_iteration)


class _Builder:
    def __init__(self, block: RenamedBlock, target: Target, fixed_words: int):
        self.block = block
        self.target = target
        self.fixed_words = fixed_words
        needed = [number for number, node in enumerate(block.nodes) if node.is_needed]
        self.numbers = {number: new for new, number in enumerate(needed)}
        """The number in the graph of each node of the block that is needed."""
        self.nodes = [block.nodes[number] for number in needed]
        self.edges: dict[tuple[int, int], int] = {}
        """Cycles of each edge, by its nodes."""
        self.needs: dict[int, set[int]] = {}
        """What has to be done before only if a node runs in another way."""
        self.segments: list[Segment] = []
        self.groups: list[Segment] = []

    def build(self, *, is_iteration: bool) -> Graph:
        homes = self.block.homes()
        for value in homes:
            segments = self._segments(value)
            self.segments += segments
            self.groups += _groups(segments, self.target.vlen)
            for segment in segments:
                self._order(segment)
        for values in self.block.in_place.values():
            self._order_in_place(values)
        self._order_by_keys()
        if not is_iteration:
            self._order_jumps()
        ways = [self._ways(number) for number in range(len(self.nodes))]
        engines = list(self.target.slots)
        return Graph(
            self.block,
            self.nodes,
            ways,
            engines,
            self.segments,
            self.groups,
            self._problem(ways, engines, backward=False),
            self._problem(ways, engines, backward=True),
        )

    # Segments

    def _segments(self, value: Value) -> list[Segment]:
        """The segments of a value; words that nothing touches belong to a neighbouring one."""
        touches = [*value.reads, *value.writes]
        if not touches:
            return []
        cuts = {touch.lane for touch in touches} | {t.lane + t.words for t in touches}
        starts = sorted(cuts - {0, value.words})
        bounds = [0, *starts, value.words]
        exits = [self.numbers[number] for number in value.exits]
        segments = [
            Segment(value, start, end - start, exits=exits) for start, end in pairwise(bounds)
        ]
        index = {segment.lane: number for number, segment in enumerate(segments)}
        for is_write, touches in ((False, value.reads), (True, value.writes)):
            for touch in touches:
                node = self.numbers[touch.node]
                number, end = index[touch.lane], touch.lane + touch.words
                while number < len(segments) and segments[number].lane < end:
                    segment = segments[number]
                    (segment.writers if is_write else segment.readers).add(node)
                    number += 1
        return _without_gaps(segments)

    # Edges

    def _edge(self, first: int, second: int, cycles: int) -> None:
        if first != second and self.edges.get((first, second), -1) < cycles:
            self.edges[first, second] = cycles

    def _order(self, segment: Segment) -> None:
        """Order what reads and writes the words of a segment."""
        writer = leaving = -1
        readers: list[int] = []
        exits = set(segment.exits)
        for node in sorted({*segment.readers, *segment.writers, *exits}):
            if node in segment.readers:
                if writer >= 0:
                    self._order_read(writer, node, segment)
                readers.append(node)
            if node in exits:
                # The exits behind the first one come after that.
                if writer >= 0 and leaving < 0:
                    self._edge(writer, node, 0)
                leaving = node
            if node in segment.writers:
                for reader in readers:
                    self._edge(reader, node, 0)
                if writer >= 0:
                    self._edge(writer, node, 1)
                if leaving >= 0:
                    self._edge(leaving, node, 1)
                writer, leaving, readers = node, -1, []

    def _order_read(self, writer: int, reader: int, segment: Segment) -> None:
        node = self.nodes[reader]
        if node.instruction.others and not self._reads_itself(node, segment.value):
            self.needs.setdefault(reader, set()).add(writer)
        else:
            self._edge(writer, reader, 1)

    def _reads_itself(self, node: Node, value: Value) -> bool:
        """Whether a node's own instruction reads words of `value`, not just one of the others."""
        accesses = self.block.function.accesses(node.instruction)
        return any(
            not access.is_def and home_of(node.read[access.register])[0] is value
            for access in accesses
        )

    def _order_in_place(self, values: Sequence[Value]) -> None:
        """Order what touches fixed values before what writes the next ones to their words."""
        next_writers: dict[int, int] = {}
        for value in reversed(values):
            for cycles, touches in ((0, value.reads), (1, value.writes)):
                for touch in touches:
                    lanes = range(touch.lane, touch.lane + touch.words)
                    for writer in {next_writers[n] for n in lanes if n in next_writers}:
                        self._edge(self.numbers[touch.node], writer, cycles)
            for number in value.exits[-1:]:
                for writer in set(next_writers.values()):
                    self._edge(self.numbers[number], writer, 1)
            for touch in reversed(value.writes):
                for lane in range(touch.lane, touch.lane + touch.words):
                    next_writers[lane] = self.numbers[touch.node]

    def _order_by_keys(self) -> None:
        numbers = {node.instruction.key: n for n, node in enumerate(self.nodes)}
        for number, node in enumerate(self.nodes):
            for key, cycles in node.instruction.after:
                if key in numbers:
                    self._edge(numbers[key], number, cycles)

    def _order_jumps(self) -> None:
        """Order side exits and what must not change places with them, and the terminator."""
        for first, second, cycles in exit_order(node.instruction for node in self.nodes):
            self._edge(first, second, cycles)
        # What is behind the last side exit may have been left out: that is no terminator.
        if self.block.nodes and self.block.nodes[-1].instruction.mnemonic in JUMPS:
            self._order_end()

    def _order_end(self) -> None:
        """Let the last node run no earlier than any other."""
        last = len(self.nodes) - 1
        followed = {first for first, _ in self.edges}
        for number in range(last):
            if number not in followed:
                self._edge(number, last, 0)

    # Ways

    def _ways(self, number: int) -> tuple[Way, ...]:
        node = self.nodes[number]
        ways = ways_of(node.instruction, self.target)
        if len(self.needs.get(number, ())) > 1:
            for need in self.needs.pop(number):
                self._edge(need, number, 1)
        if any(way.count > 1 for way in ways) and self._overwrites_operands(node):
            ways = tuple(way for way in ways if way.count == 1)
        return ways

    def _overwrites_operands(self, node: Node) -> bool:
        """Whether lanes written early would destroy operands of lanes that are computed later."""
        function, instruction = self.block.function, node.instruction
        for register, lane, words in writing(function, instruction):
            to, first = home_of(node.written[register], lane)
            for register, lane, count in reading(function, instruction):
                source, start = home_of(node.read[register], lane)
                shared = source is to or to in self.block.later_in_place(source)
                is_lane_wise = (start, count) == (first, words)
                if shared and not is_lane_wise and start < first + words and first < start + count:
                    return True
        return False

    # Arrays

    def _problem(
        self, ways: Sequence[tuple[Way, ...]], engines: list[str], *, backward: bool
    ) -> Problem:
        count = len(self.nodes)
        number_of = {engine: number for number, engine in enumerate(engines)}
        flat = [(node, way) for node, choices in enumerate(ways) for way in choices]
        edges = sorted(
            (second, first, cycles) if backward else (first, second, cycles)
            for (first, second), cycles in self.edges.items()
        )
        ends = _ints(second for _, second, _ in edges)
        touches = sorted(
            (node, number, int(node in group.writers and not backward))
            for number, group in enumerate(self.groups)
            for node in group.readers | group.writers
        )
        needs = () if backward else sorted((n, *needed) for n, needed in self.needs.items())
        return Problem(
            slots=_ints(self.target.slots[engine] for engine in engines),
            way_start=_starts((node for node, _ in flat), count),
            way_engine=_ints(number_of[way.engine] for _, way in flat),
            way_count=_ints(way.count for _, way in flat),
            way_need=_ints(self._need(node, way, backward) for node, way in flat),
            way_is_last=_ints(way.other >= 0 for _, way in flat),
            kind=_ints(self._kinds(ways)),
            edge_start=_starts((first for first, _, _ in edges), count),
            edge_node=ends,
            edge_cycles=_ints(cycles for _, _, cycles in edges),
            predecessors=np.bincount(ends, minlength=count).astype(np.int32),
            group_start=_starts((node for node, _, _ in touches), count),
            group=_ints(number for _, number, _ in touches),
            group_kept=_ints(kept for _, _, kept in touches),
            group_words=_ints(group.words for group in self.groups),
            group_touches=_ints(
                len(group.readers | group.writers) + self._is_kept(group.value, backward)
                for group in self.groups
            ),
            group_taken=_ints(
                0
                if group.value.is_live_out or (group.value.is_live_in and not backward)
                else group.words
                for group in self.groups
            ),
            need_user=_ints(user for user, _ in needs),
            need=_ints(need for _, need in needs),
            helpers=_ints(self._helpers(need for _, need in needs)),
            strand=np.zeros(count, np.int32),
            fixed_words=self._fixed_words(backward),
        )

    def _kinds(self, ways: Sequence[tuple[Way, ...]]) -> Iterable[int]:
        numbers: dict[tuple[Way, ...], int] = {}
        for node, choices in enumerate(ways):
            yield 0 if node in self.needs else numbers.setdefault(choices, len(numbers) + 1)

    def _need(self, node: int, way: Way, backward: bool) -> int:
        if way.other < 0 or backward:
            return -1
        return next(iter(self.needs.get(node, ())), -1)

    def _helpers(self, needs: Iterable[int]) -> list[int]:
        """All that `needs` depend on, and themselves; the last ones first."""
        before: dict[int, list[int]] = {}
        found = set(needs)
        if not found:
            return []
        for first, second in self.edges:
            before.setdefault(second, []).append(first)
        pending = list(found)
        while pending:
            new = set(before.get(pending.pop(), ())) - found
            found |= new
            pending += new
        return sorted(found, reverse=True)

    def _is_kept(self, value: Value, backward: bool) -> bool:
        """Whether the words of a value never get free."""
        if value.is_live_out or (value.is_live_in and backward):
            return True
        return bool(self.block.later_in_place(value))

    def _fixed_words(self, backward: bool) -> int:
        if not backward:
            return self.fixed_words
        held = (v for v in self.block.in_place.values() if any(value.is_live_out for value in v))
        return sum(values[0].words for values in held)


def _without_gaps(segments: list[Segment]) -> list[Segment]:
    """Give words that nothing touches to the segment before them, or to the first one."""
    kept: list[Segment] = []
    gap = 0
    for segment in segments:
        if segment.readers or segment.writers:
            segment.lane -= gap
            segment.words += gap
            gap = 0
            kept.append(segment)
        elif kept:
            kept[-1].words += segment.words
        else:
            gap += segment.words
    return kept


def _groups(segments: list[Segment], vlen: int) -> list[Segment]:
    """The words of a value by as many as a vector has, with what touches one of them."""
    groups: dict[int, Segment] = {}
    for segment in segments:
        end = segment.lane + segment.words
        for number in range(segment.lane // vlen, (end - 1) // vlen + 1):
            first = number * vlen
            words = min(vlen, segment.value.words - first)
            group = groups.setdefault(number, Segment(segment.value, first, words))
            group.readers |= segment.readers
            group.writers |= segment.writers
    return list(groups.values())


def _ints(numbers: Iterable[int]) -> Ints:
    return np.fromiter(numbers, np.int32)


def _starts(nodes: Iterable[int], count: int) -> Ints:
    """Where the entries of each node begin among those of `nodes`, which are in order."""
    counts = np.bincount(_ints(nodes), minlength=count)
    return np.concatenate([np.zeros(1, np.int32), np.cumsum(counts)]).astype(np.int32)
