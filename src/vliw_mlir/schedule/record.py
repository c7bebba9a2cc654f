"""What scheduling knows of a program that its bundles do not show: for reports and remarks.

Bundles tell when instructions run; only the dependence graph and the open choices of engines tell
how early they could have.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from vliw_mlir.analysis.resource_bound import Bound
from vliw_mlir.schedule.bounds import least_cycles, slot_bound
from vliw_mlir.schedule.emit import Emitted
from vliw_mlir.schedule.emit_block import ScheduledBlock, bundle_order
from vliw_mlir.schedule.graph import Graph, Ints
from vliw_mlir.schedule.software_pipelining import LoopOutcome
from vliw_mlir.target import Target
from vliw_mlir.target.isa import JUMPS


@dataclass(frozen=True)
class PathStep:
    """An instruction of a block."""

    earliest: int
    """Cycles from the beginning of the block before which it cannot run, whatever the slots."""
    bundle: int
    """The bundle of the program in which it begins."""
    slot: int
    """Its first slot among those of its bundle, in bundle order."""


@dataclass(frozen=True)
class BlockRecord:
    """A scheduled block, its bounds and what they come from."""

    first: int
    """Its first bundle in the program."""
    bundles: int
    """How many it has; those for jumps that do not fit in are not among them."""
    source: str
    """The first known source place of its instructions in the order of the program, or ''."""
    slots: Bound
    """The least number of cycles by slots alone, choices of engines left open."""
    path: tuple[PathStep, ...]
    """The longest path of dependences, those through memory included."""
    path_cycles: int
    """The least number of cycles by dependences alone."""
    least_cycles: int
    """The best lower bound that is known: by slots, by dependences and by both."""
    words: int
    """The words of scratch that the schedule was allowed to take."""
    exits: tuple[PathStep, ...]
    """The jumps in its midst."""

    @property
    def binds(self) -> tuple[str, ...]:
        """What the lower bound comes from, see `binding`."""
        return binding(self.slots, self.path_cycles)


@dataclass(frozen=True)
class ScheduleRecord:
    """What is known of a scheduled program."""

    blocks: tuple[BlockRecord, ...]
    """In the order of the program."""
    loops: tuple[LoopOutcome, ...]
    """What came of innermost loops, if they were to be pipelined."""
    spilled_words: int
    """Words of memory that spilled registers take."""


def binding(slots: Bound, path_cycles: int) -> tuple[str, ...]:
    """What binds instructions with these bounds: `path`, or the engines without a slot to spare."""
    return ("path",) if path_cycles > math.ceil(slots.cycles) else slots.binding


def loop_summary(loop: LoopOutcome) -> str:
    """What came of a loop, in a line."""
    bound = _interval_bound(loop)
    if loop.interval is None:
        before = (
            "" if loop.block_cycles is None else f"; an iteration takes {loop.block_cycles} cycles"
        )
        return f"not pipelined: {loop.reason}{before}{bound and f', {bound}'}"
    return (
        f"pipelined: II {loop.interval} in place of {loop.block_cycles} cycles, {bound}; "
        f"{loop.stages} stages, {loop.unroll} copies, {loop.words} words"
    )


def _interval_bound(loop: LoopOutcome) -> str:
    """The least II and what it comes from; empty if it is not known."""
    if loop.resource_bound is None:
        return ""
    slots = f"{loop.resource_bound:.2f} by slots of {', '.join(loop.binding)}"
    names = chain_text([instruction.mnemonic for instruction in loop.recurrence])
    recurrence = f"{loop.recurrence_bound} by the recurrence {names}" if names else "no recurrence"
    return f"II at least {slots}, {recurrence}"


MOST_NAMES = 8
"""How many instructions of a chain are named in a line."""


def chain_text(mnemonics: Sequence[str]) -> str:
    """Instructions that follow each other, in a line; of long chains the ends."""
    names = list(mnemonics)
    if len(names) > MOST_NAMES:
        names[MOST_NAMES // 2 : -MOST_NAMES // 2] = ["…"]
    return " → ".join(names)


def record_schedule(emitted: Emitted, target: Target, spilled_words: int) -> ScheduleRecord:
    """The record of a program that `schedule_function` has emitted."""
    blocks = (_record_block(first, block, target) for first, block in emitted.blocks.items())
    kept = tuple(block for block in blocks if block.bundles)
    return ScheduleRecord(kept, tuple(emitted.loops), spilled_words)


def _record_block(first: int, block: ScheduledBlock, target: Target) -> BlockRecord:
    # Imports numba, which takes long.
    from vliw_mlir.schedule.justify import heights

    graph = block.graph
    release, height = heights(graph.backward), heights(graph.forward)
    cycles = int(block.schedule.finish.max(initial=-1)) + 1
    return BlockRecord(
        first,
        sum(map(bool, block.bundles[:cycles])),
        next((source for node in graph.nodes if (source := node.instruction.source)), ""),
        slot_bound(graph, target),
        tuple(_steps(first, block, _longest_path(graph, release, height), release, target)),
        int((release + height).max(initial=-1)) + 1,
        least_cycles(graph, target, release, height),
        block.words,
        tuple(_steps(first, block, _exits(graph), release, target)),
    )


def _exits(graph: Graph) -> list[int]:
    nodes = enumerate(graph.nodes[:-1])
    return [number for number, node in nodes if node.instruction.mnemonic in JUMPS]


def _longest_path(graph: Graph, release: Ints, height: Ints) -> list[int]:
    """Nodes from the beginning to the end of a block, each as early as the one before allows."""
    if not graph.nodes:
        return []
    edges, total = graph.forward, int((release + height).max())
    node = int(np.flatnonzero(height == total)[0])
    path = [node]
    while height[node] > 0:
        out = range(edges.edge_start[node], edges.edge_start[node + 1])
        node = next(
            int(edges.edge_node[i])
            for i in out
            if height[edges.edge_node[i]] + edges.edge_cycles[i] == height[node]
        )
        path.append(node)
    return path


def _steps(
    first: int, block: ScheduledBlock, nodes: Sequence[int], release: Ints, target: Target
) -> Iterator[PathStep]:
    starts: list[int] = block.schedule.start.tolist()
    # Bundles without slots are not emitted.
    place = list(accumulate(map(bool, block.bundles), initial=first))
    for node in nodes:
        cycle, instruction = starts[node], block.graph.nodes[node].instruction
        slots = bundle_order(block.bundles[cycle], target)
        slot = next(n for n, slot in enumerate(slots) if slot.instruction is instruction)
        yield PathStep(int(release[node]), place[cycle], slot)
