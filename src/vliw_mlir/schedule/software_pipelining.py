"""Software pipelining: iterations of a loop begin before those ahead of them have ended.

Done for loops of one block, before blocks are scheduled. What comes of it are ordinary blocks
again, with the same meaning whatever their schedule is; those that are repeated say which
schedule was found for them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from vliw_mlir.schedule.bounds import ROUNDING, slot_bound
from vliw_mlir.schedule.coalesce import coalesce_moves
from vliw_mlir.schedule.emit import terminator
from vliw_mlir.schedule.expand_pipeline import expand_pipeline
from vliw_mlir.schedule.graph import build_graph
from vliw_mlir.schedule.liveness import live_spans, liveness_of
from vliw_mlir.schedule.loop_iteration import NotPipelinedError, iteration_of
from vliw_mlir.schedule.machine import EFFECTS, STORES, Instruction, MachineFunction
from vliw_mlir.schedule.modulo_graph import ModuloGraph, build_modulo_graph
from vliw_mlir.schedule.negation import Negation
from vliw_mlir.schedule.pipeline import Pipeline
from vliw_mlir.schedule.renaming import rename

MOST_INSTRUCTIONS = 2_000
"""The longest loop that is pipelined."""

MOST_CODE = 20_000
"""How many instructions may come of one loop."""

EXPECTED_TRIPS = 16
"""For so many iterations a pipeline must not take longer than the loop as it is."""

SHARE_OF_SCRATCH = 7 / 8
"""The part of scratch that pipelines may take: not all words lie side by side."""

INTERVALS_TRIED = 24
"""How many initiation intervals are tried."""

SEEN = EFFECTS - STORES
"""Instructions that keep a loop from being pipelined: what is seen from outside at once, and side
exits."""


@dataclass(frozen=True)
class LoopOutcome:
    """What came of a loop, and why."""

    source: str
    """The source place of the loop's jump, '' if unknown."""
    reason: str | None = None
    """Why it is not pipelined, None if it is."""
    block_cycles: int | None = None
    """What an iteration takes without pipelining, in cycles; None if the loop was not looked
    at so closely, as for all that follows."""
    resource_bound: float | None = None
    """ResMII: the cycles between iterations that slots allow, not rounded."""
    binding: tuple[str, ...] = ()
    """The engines without a slot to spare in as many cycles."""
    recurrence_bound: int | None = None
    """RecMII: the cycles between iterations that what they hand on allows, given the slots."""
    recurrence: tuple[Instruction, ...] = ()
    """The instructions that follow each other, from one iteration to the next, where that is
    more than 1."""
    interval: int | None = None
    """II: the cycles between iterations that were reached."""
    stages: int | None = None
    """How many iterations are under way at a time."""
    unroll: int | None = None
    """How many iterations the code of the kernel is for."""
    words: int | None = None
    """Words of scratch for what iterations under way compute."""

    @property
    def least_interval(self) -> int | None:
        """MII: the least that II can be."""
        if self.resource_bound is None or self.recurrence_bound is None:
            return None
        return max(1, math.ceil(self.resource_bound - ROUNDING), self.recurrence_bound)

    def undone(self, reason: str) -> LoopOutcome:
        """What is told of a loop if its pipeline is given up after all."""
        if self.interval is None:
            return self
        return replace(self, reason=reason, interval=None, stages=None, unroll=None, words=None)


def pipeline_loops(function: MachineFunction, most_words: int) -> list[LoopOutcome]:
    """Pipeline the innermost loops of a function for which that pays; what came of each.

    Registers that live across blocks may take `most_words` words of scratch. Rewrites `function`.
    """
    _let_jumps_go_on(function)
    outcomes = list(_loops_of_several_blocks(function))
    pipeliner = _Pipeliner(function, most_words)
    for number, block in enumerate(list(function.blocks)):
        if number in block.successors:
            outcomes.append(pipeliner.loop(number))
    pipeliner.lay_out()
    return outcomes


def _let_jumps_go_on(function: MachineFunction) -> None:
    """Negate the conditions of loops that are left when they hold: a jump that is taken in each
    iteration needs no other one behind it."""
    negation = Negation(function)
    for number, block in enumerate(function.blocks):
        if block.successors[1:] != (number,) or (condition := negation.of(block)) is None:
            continue
        block.condition, block.successors = condition, block.successors[::-1]


def _loops_of_several_blocks(function: MachineFunction) -> Iterator[LoopOutcome]:
    """The innermost loops that have branches inside."""
    ends = [
        (successor, number)
        for number, block in enumerate(function.blocks)
        for successor in block.successors
        if successor <= number
    ]
    for first, last in ends:
        is_innermost = not any(first <= a and b <= last for a, b in ends if (a, b) != (first, last))
        if is_innermost and first < last:
            yield LoopOutcome(function.blocks[last].source, "there are branches inside")


class _Room(NamedTuple):
    """Words of scratch that are left for a loop."""

    lasting: int
    """For what lives from one block to another."""
    all: int
    """For that and all else."""


class _Pipeliner:
    def __init__(self, function: MachineFunction, most_words: int):
        self.function = function
        self.most_words = most_words
        self.count = len(function.blocks)
        self.liveness = liveness_of(function)
        self.spans = live_spans(function)
        self.following: dict[int, list[int]] = {}
        """The new blocks that come behind others."""

    def loop(self, number: int) -> LoopOutcome:
        """Pipeline one loop if that pays."""
        outcome = LoopOutcome(self.function.blocks[number].source)
        try:
            _refuse(self.function, number)
            outcome = replace(outcome, block_cycles=self._block_cycles(number))
            loop = self._graph(number)
            outcome = _with_bounds(outcome, loop)
            pipeline = self._schedule(loop, number, outcome)
        except NotPipelinedError as e:
            return replace(outcome, reason=str(e))
        exit_block = next(s for s in self.function.blocks[number].successors if s != number)
        self.following[number] = expand_pipeline(self.function, number, exit_block, pipeline)
        return replace(
            outcome,
            interval=pipeline.interval,
            stages=pipeline.stages,
            unroll=pipeline.unroll,
            words=pipeline.lasting_words + pipeline.passing_words,
        )

    def lay_out(self) -> None:
        """Put the new blocks where they belong."""
        order: list[int] = []
        for number in range(self.count):
            order += [number, *self.following.get(number, ())]
        self.function.lay_out(order)

    def _graph(self, number: int) -> ModuloGraph:
        function, block = self.function, self.function.blocks[number]
        exit_block = next(s for s in block.successors if s != number)
        results = self.liveness[exit_block].entry
        jump = terminator(function, number)[0]
        return build_modulo_graph(
            iteration_of(function, number, jump, results), block.carried or ()
        )

    def _block_cycles(self, number: int) -> int:
        """What the block takes as it is, by list scheduling."""
        from vliw_mlir.schedule.list_schedule import Limits
        from vliw_mlir.schedule.search import search_schedule

        function = self.function
        instructions = [*function.blocks[number].instructions, terminator(function, number)[0]]
        block = rename(function, instructions, self.liveness[number])
        coalesce_moves(block)
        graph = build_graph(block, function.target, 0)
        count = len(graph.nodes)
        found = search_schedule(graph, function.target, Limits(1 << 30, 0, 0, count, count), 0)
        assert found is not None
        return found.cycles

    def _schedule(self, loop: ModuloGraph, number: int, outcome: LoopOutcome) -> Pipeline:
        """The best pipeline for a loop. Raises `NotPipelinedError` if there is none that pays."""
        # Imports numba, see `list_schedule`.
        from vliw_mlir.schedule.modulo_schedule import modulo_schedule
        from vliw_mlir.schedule.stage_schedule import shorten_lives

        assert outcome.block_cycles is not None
        assert outcome.least_interval is not None
        carried = self.function.blocks[number].carried or ()
        room = self._room(number)
        complaint = "no schedule is better than that of the block"
        for interval in _intervals(outcome.least_interval, outcome.block_cycles):
            schedule = modulo_schedule(loop, interval)
            if schedule is None:
                continue
            shorten_lives(loop, schedule, interval)
            try:
                pipeline = Pipeline(loop, schedule, interval, carried)
                _check_size(pipeline, room)
            except NotPipelinedError as e:
                complaint = f"II {interval} takes {e}"
                continue
            if _pays(pipeline, outcome.block_cycles):
                return pipeline
        raise NotPipelinedError(complaint)

    def _room(self, number: int) -> _Room:
        """Words of scratch for values of the loop that is a block."""
        function = self.function
        taken = sum(
            function.widths[register]
            for register, (first, last) in self.spans.items()
            if first <= number <= last
        )
        usable = int(function.target.scratch * SHARE_OF_SCRATCH)
        return _Room(max(self.most_words - taken, 0), max(usable - taken, 0))


def _intervals(least: int, end: int) -> Iterator[int]:
    """The intervals to try, below `end`."""
    interval = least
    while interval < end:
        yield interval
        interval += max(1, (end - least) // INTERVALS_TRIED)


def _refuse(function: MachineFunction, number: int) -> None:
    """Raise `NotPipelinedError` for a loop that cannot be pipelined."""
    block = function.blocks[number]
    count = len(block.instructions)
    if len(block.successors) != 2:
        raise NotPipelinedError("it has no end")
    if block.successors[0] != number:
        raise NotPipelinedError("it ends if its condition holds, which cannot be negated")
    if block.carried is None:
        raise NotPipelinedError("the order of its accesses of memory is not known")
    if count > MOST_INSTRUCTIONS:
        raise NotPipelinedError(f"it has {count} instructions, more than {MOST_INSTRUCTIONS}")
    for instruction in block.instructions:
        if instruction.mnemonic in SEEN:
            raise NotPipelinedError(f"there is '{instruction.mnemonic}' inside")


def _with_bounds(outcome: LoopOutcome, loop: ModuloGraph) -> LoopOutcome:
    # Imports numba, see `list_schedule`.
    from vliw_mlir.schedule.recurrence import recurrence_bound, recurrence_bound_by_slots

    assert outcome.block_cycles is not None
    nodes = loop.graph.nodes
    slots = slot_bound(loop.graph, loop.iteration.function.target)
    recurrence = recurrence_bound(loop.edges, len(nodes))
    least = max(recurrence.interval, math.ceil(slots.cycles - ROUNDING))
    by_slots = recurrence_bound_by_slots(loop, least, outcome.block_cycles)
    if by_slots.interval > least:
        recurrence = by_slots
    return replace(
        outcome,
        resource_bound=slots.cycles,
        binding=slots.binding,
        recurrence_bound=recurrence.interval,
        recurrence=tuple(nodes[number].instruction for number in recurrence.nodes),
    )


def _pays(pipeline: Pipeline, block_cycles: int) -> bool:
    """Whether a pipeline is faster than the loop as it is."""
    if pipeline.stages == 1 or pipeline.interval >= block_cycles:
        return False
    ramp = max(pipeline.start) + 1 - pipeline.interval
    return ramp + EXPECTED_TRIPS * pipeline.interval <= EXPECTED_TRIPS * block_cycles


def _check_size(pipeline: Pipeline, room: _Room) -> None:
    """Raise `NotPipelinedError` if a pipeline takes too much scratch, or too much code."""
    words = pipeline.lasting_words + pipeline.passing_words
    if pipeline.lasting_words > room.lasting:
        raise NotPipelinedError(
            f"{pipeline.lasting_words} words of scratch, {room.lasting} are left"
        )
    if words > room.all:
        raise NotPipelinedError(f"{words} words of scratch, {room.all} are left")
    if _code(pipeline) > MOST_CODE:
        raise NotPipelinedError(f"{_code(pipeline)} instructions, more than {MOST_CODE}")


def _code(pipeline: Pipeline) -> int:
    """How many instructions come of a pipeline, at most."""
    copies = pipeline.stages + pipeline.unroll
    tested = copies - 1 - pipeline.jump_stage
    return len(pipeline.start) * (copies + tested * (pipeline.stages - 1 - pipeline.jump_stage))
