"""From a machine function to bundles, several instructions in each.

Blocks are scheduled one by one on virtual registers, then places are given to what their
instructions compute. Registers that live across blocks have one fixed place in all of the
function. Where scratch is too small for that, what is cheap to make anew is, then registers are
spilled; and where even that does not help, places are given first and the blocks scheduled under
what that leaves open.
"""

from __future__ import annotations

import math
import time
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vliw_mlir.errors import CompileError
from vliw_mlir.schedule.block_layout import lay_out_blocks
from vliw_mlir.schedule.check import check_block
from vliw_mlir.schedule.coalesce import coalesce_moves
from vliw_mlir.schedule.coalesce_registers import coalesce_registers
from vliw_mlir.schedule.control_flow import simplify_control_flow
from vliw_mlir.schedule.emit import Emitted, allocate_with_spilling, terminator
from vliw_mlir.schedule.emit_block import (
    PlacedSlot,
    ScheduledBlock,
    bundle_order,
    emit_block,
)
from vliw_mlir.schedule.graph import Graph, build_graph
from vliw_mlir.schedule.hoisting import hoist_before_branches
from vliw_mlir.schedule.linear_scan import Allocation, allocate
from vliw_mlir.schedule.liveness import Interval, Liveness, live_spans, liveness_of
from vliw_mlir.schedule.machine import (
    UNDEFINED,
    BlockRef,
    Instruction,
    MachineBlock,
    MachineFunction,
    Reg,
    is_empty_move,
)
from vliw_mlir.schedule.rematerialization import rematerialize
from vliw_mlir.schedule.renaming import rename
from vliw_mlir.schedule.software_pipelining import LoopOutcome, pipeline_loops
from vliw_mlir.schedule.spill import SpillSlots, spill
from vliw_mlir.schedule.superblocks import form_superblocks
from vliw_mlir.schedule.ways import Way
from vliw_mlir.sim.program import Bundle
from vliw_mlir.target import Target

if TYPE_CHECKING:  # Imports numba, which takes longer than anything else about a small program.
    from vliw_mlir.schedule.exact import ExactScheduler


@dataclass(frozen=True)
class Effort:
    """How hard to try."""

    placements: int = 0
    """How many times instructions may be placed in search of a better schedule, all in all."""
    rounds: int = 2_400
    """How many times each block may be scheduled: small blocks do not need all placements."""
    seconds: float = math.inf
    """How long to search at most, all in all. A search that this ends is not deterministic."""
    stages: int = 1
    """How many searches each block gets. Each may take `STAGE_FACTOR` times as much as the one
    before it, the last one all; `seconds` ends only that."""
    pipeline: bool = False
    """Whether loops are pipelined."""
    exact: bool = False
    """Whether to make schedules of small blocks as short as they can be, see `ExactScheduler`."""
    verify: bool = False
    """Whether to check the bundles of every block."""


STAGE_FACTOR = 16
"""How much more a search may take than the one before."""


Registers = Mapping[int, int]
"""Registers and the first words of their places."""


def schedule_function(function: MachineFunction, slots: SpillSlots, effort: Effort) -> Emitted:
    """Emit the blocks of a function in order; spills into `slots` what does not fit in scratch.

    Rewrites `function`. Raises `CompileError` when scratch is too small for the operands of one
    instruction.
    """
    coalesce_registers(function)
    simplify_control_flow(function)
    hoist_before_branches(function)
    loops: Sequence[LoopOutcome] = ()
    if effort.pipeline:
        pipelined = function.copy()
        loops = pipeline_loops(pipelined, _most_fixed_words(function.target))
        emitted = _without_spilling(pipelined, effort) if any(o.interval for o in loops) else None
        if emitted is not None:
            return replace(emitted, loops=loops)
        loops = [outcome.undone("scratch is too small for the registers") for outcome in loops]
    form_superblocks(function)
    other, other_slots = function.copy(), slots.copy()
    blocks = _schedule_virtual(function, slots, effort)
    if _is_poor(blocks) and rematerialize(other, other_slots):
        found = _schedule_virtual(other, other_slots, effort)
        if found is None and blocks is None:
            found = _schedule_spilled(other, other_slots, effort)
        if found is not None and (blocks is None or _cycles(found) < _cycles(blocks)):
            function, blocks = other, found
            slots.become(other_slots)
    if blocks is None:
        blocks = _schedule_spilled(function, slots, effort)
    if blocks is None:
        allocation = allocate_with_spilling(function, slots)
        function = in_scratch(function, allocation)
        blocks = _Blocks(function, {0: 0}, effort).schedule()
        assert blocks is not None
    return replace(_emit(function, blocks), loops=loops)


def _without_spilling(function: MachineFunction, effort: Effort) -> Emitted | None:
    """Schedule on virtual registers; None if scratch is too small for all of them."""
    form_superblocks(function)
    allocation = _allocate_fixed(function, _most_fixed_words(function.target), ())
    if allocation is None or allocation.spilled:
        return None
    lay_out_blocks(function)
    blocks = _Blocks(function, allocation.addresses, effort).schedule()
    return None if blocks is None else _emit(function, blocks)


def _schedule_virtual(
    function: MachineFunction, slots: SpillSlots, effort: Effort
) -> list[ScheduledBlock] | None:
    """Schedule on virtual registers; None if what blocks compute does not fit in scratch."""
    fixed = _fixed_places(function, slots)
    if fixed is None:
        return None
    lay_out_blocks(function)
    return _Blocks(function, fixed, effort).schedule()


def _is_poor(blocks: Sequence[ScheduledBlock] | None) -> bool:
    """Whether values made anew might lead to a shorter schedule, or to one at all.

    What several blocks take together is not known.
    """
    if blocks is None:
        return True
    from vliw_mlir.schedule.search import TOO_LONG

    return len(blocks) == 1 and _cycles(blocks) > TOO_LONG * blocks[0].least_cycles


def _cycles(blocks: Sequence[ScheduledBlock]) -> int:
    return sum(len(block.bundles) for block in blocks)


SHARE_IN_ORDER = 3 / 4
"""The part of scratch that a function may take in the order of the program if more is spilled."""


def _schedule_spilled(
    function: MachineFunction, slots: SpillSlots, effort: Effort
) -> list[ScheduledBlock] | None:
    """Spill so that everything fits in the order of the program, with words to spare, and schedule
    on virtual registers; None if that does not do."""
    try:
        allocate_with_spilling(function, slots, int(function.target.scratch * SHARE_IN_ORDER))
    except CompileError:
        return None
    return _schedule_virtual(function, slots, effort)


SHARE_OF_FIXED = 3 / 4
"""The part of scratch that registers may take that live across blocks."""

FEWEST_LOCAL_VECTORS = 6
"""The least that is left for all others."""


def _most_fixed_words(target: Target) -> int:
    """How many words registers that live across blocks may take."""
    least_room = FEWEST_LOCAL_VECTORS * target.vlen
    return min(int(target.scratch * SHARE_OF_FIXED), target.scratch - least_room)


def _fixed_places(function: MachineFunction, slots: SpillSlots) -> Registers | None:
    """Places for the registers that live across blocks, None if scratch is too small."""
    words = _most_fixed_words(function.target)
    while words > 0:
        allocation = _allocate_fixed(function, words, slots.short_lived)
        if allocation is None:
            return None
        if not allocation.spilled:
            return allocation.addresses
        spill(function, allocation.spilled, slots)
    return None


def _allocate_fixed(
    function: MachineFunction, words: int, unspillable: Container[int]
) -> Allocation | None:
    """Places for the registers that live across blocks, or which of them to spill; None if that
    would not help."""
    intervals = sorted(
        (
            Interval(register, first, last + 1)
            for register, (first, last) in live_spans(function).items()
        ),
        key=lambda interval: (interval.start, interval.register),
    )
    try:
        return allocate(intervals, function.widths, words, unspillable)
    except CompileError:
        return None


def in_scratch(function: MachineFunction, allocation: Allocation) -> MachineFunction:
    """The function on scratch instead of registers: one register that is all of scratch."""

    def place(instruction: Instruction) -> Instruction:
        operands = tuple(
            Reg(0, allocation.addresses[operand.register] + operand.lane)
            if isinstance(operand, Reg)
            else operand
            for operand in instruction.operands
        )
        others = tuple(place(other) for other in instruction.others)
        return replace(instruction, operands=operands, others=others)

    def condition(block: MachineBlock) -> Reg | None:
        if block.condition is None:
            return None
        register, lane = block.condition
        return Reg(0, allocation.addresses[register] + lane)

    placed = MachineFunction(function.target, widths=[function.target.scratch])
    for block in function.blocks:
        instructions = [place(i) for i in block.instructions if i.mnemonic != UNDEFINED]
        instructions = [i for i in instructions if not is_empty_move(i)]
        placed.blocks.append(replace(block, instructions=instructions, condition=condition(block)))
    return placed


SHARE_FOR_STARTED, SHARE_FOR_NEW = 48, 10
"""Which parts of scratch strands leave for older ones, see `Limits`."""


def _limits(scratch: int) -> Iterator[int]:
    """Words to make do with, less and less: what fits by number may not fit side by side."""
    words = scratch
    while words > scratch // 2:
        yield words
        words -= max(scratch // 24, 1)


def _exact_scheduler() -> ExactScheduler:
    from vliw_mlir.schedule.exact import ExactScheduler

    return ExactScheduler()


class _Blocks:
    """Schedules the blocks of a function."""

    def __init__(self, function: MachineFunction, fixed: Registers, effort: Effort):
        self.function = function
        self.fixed = fixed
        self.effort = effort
        self.exact = _exact_scheduler() if effort.exact else None
        self.deadline = time.monotonic() + effort.seconds
        self.instructions = sum(len(block.instructions) for block in function.blocks)
        self.liveness = liveness_of(function)
        if function.widths == [function.target.scratch]:
            everywhere = dict.fromkeys(range(len(function.blocks)), (0,))
            self.liveness = [Liveness((0,), (0,), everywhere)] * len(function.blocks)

    def schedule(self) -> list[ScheduledBlock] | None:
        """The slots of each block, None if the values of a block do not fit in scratch."""
        blocks: list[ScheduledBlock] = []
        for number in range(len(self.function.blocks)):
            block = self._block(number)
            if block is None:
                return None
            blocks.append(block)
        return blocks

    def _block(self, number: int) -> ScheduledBlock | None:
        function, live = self.function, self.liveness[number]
        jumps = terminator(function, number)
        instructions = [*function.blocks[number].instructions, *jumps[:1]]
        fixed = {register: self.fixed[register] for register in live.registers()}
        # Either saves moves, or lets values be made before side exits and moved behind them.
        cycles = function.blocks[number].cycles
        choices = (True, False) if live.into else (True,)
        found: list[ScheduledBlock] = []
        for behind_exits in choices:
            block = rename(function, instructions, live)
            if cycles is None:
                # Otherwise moves have their place, too: leaving them out would take that of others.
                coalesce_moves(block, behind_exits=behind_exits)
            words = sum(function.widths[register] for register in fixed)
            graph = build_graph(block, function.target, words)
            scheduled = self._scheduled(graph, fixed, cycles, 1 / len(choices))
            if scheduled is not None:
                found.append(scheduled)
        if not found:
            return None
        scheduled = min(found, key=lambda scheduled: len(scheduled.bundles))
        bundles = scheduled.bundles
        if self.effort.verify:
            problems = check_block(function, instructions, live, fixed, bundles)
            if problems:
                raise AssertionError(f"block {number} is scheduled wrongly: {problems[0]}")
        for jump in jumps[1:]:
            way = Way(jump.engine, 1)
            bundles.append([PlacedSlot(jump.engine, jump.mnemonic, jump.operands, jump, way, 0)])
        return scheduled

    def _scheduled(
        self, graph: Graph, fixed: Registers, cycles: int | None, share: float
    ) -> ScheduledBlock | None:
        """Schedule a graph, in the cycles that are known for it; `share` is that of the effort
        for a block that may go into it."""
        # Import numba, which takes longer than anything else about a small program.
        from vliw_mlir.schedule.known_schedule import known_schedule
        from vliw_mlir.schedule.place import place_values

        target = self.function.target
        if cycles is not None and (known := known_schedule(graph, target, cycles)) is not None:
            places = place_values(graph, known, fixed, target.scratch)
            if places is not None:
                bundles = emit_block(graph, known, places, cycles)
                return ScheduledBlock(graph, known, target.scratch, bundles)
        found: list[ScheduledBlock] = []
        for stage in reversed(range(self.effort.stages)):
            # What a shorter search finds is kept: a longer one may end with a schedule for which
            # there are no places.
            part = STAGE_FACTOR**stage
            placements = self.effort.placements // part * len(graph.nodes)
            placements = int(placements // max(self.instructions, 1) * share)
            placements = min(placements, self.effort.rounds // part * len(graph.nodes))
            deadline = math.inf if stage else self.deadline
            scheduled = self._searched(graph, fixed, placements, deadline)
            if scheduled is not None:
                found.append(scheduled)
        return min(found, key=lambda scheduled: len(scheduled.bundles), default=None)

    def _searched(
        self, graph: Graph, fixed: Registers, placements: int, deadline: float
    ) -> ScheduledBlock | None:
        """The best schedule found for a graph for which there are places."""
        from vliw_mlir.schedule.list_schedule import Limits
        from vliw_mlir.schedule.place import place_values
        from vliw_mlir.schedule.search import search_schedule

        target = self.function.target
        for words in _limits(target.scratch):
            started, new = words // SHARE_FOR_STARTED, words // SHARE_FOR_NEW
            limits = Limits(words, started, new, len(graph.nodes), len(graph.nodes))
            found = search_schedule(graph, target, limits, placements, deadline)
            if found is None:
                return None
            if self.exact is not None:
                found = self.exact.shorten(graph, limits, found)
            places = place_values(graph, found.schedule, fixed, target.scratch)
            if places is not None:
                bundles = emit_block(graph, found.schedule, places, found.cycles)
                return ScheduledBlock(graph, found.schedule, words, bundles, found.least_cycles)
            placements //= 2
        return None


def _emit(function: MachineFunction, blocks: Sequence[ScheduledBlock]) -> Emitted:
    """All bundles, jumps to blocks resolved; empty bundles left out."""
    rows: list[list[PlacedSlot]] = []
    starts: list[int] = []
    for block in blocks:
        starts.append(len(rows))
        rows += [bundle_order(b, function.target) for b in block.bundles if b]
    emitted = Emitted([], [], dict(zip(starts, blocks, strict=True)))
    for row in rows:
        bundle: Bundle = {}
        for slot in row:
            operands = (starts[o.block] if isinstance(o, BlockRef) else o for o in slot.operands)
            bundle.setdefault(slot.engine, []).append((slot.mnemonic, *operands))
        emitted.bundles.append(bundle)
        emitted.sources.append([slot.instruction.source for slot in row])
    return emitted
