"""The SSA level into bundles: instruction selection, then scheduling and allocation."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass
from functools import cache
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from vliw_mlir.dialects.facts import interface_of, kernel_function, target_of
from vliw_mlir.dialects.vliw import ProgramOp
from vliw_mlir.errors import CompileError, fail
from vliw_mlir.instrument import RemarkKind, remark, remarks_enabled
from vliw_mlir.instrument.schedules import keep_schedule
from vliw_mlir.lowering.select_instructions import select_instructions
from vliw_mlir.schedule.back_end import Effort, schedule_function
from vliw_mlir.schedule.emit import Emitted, allocate_with_spilling, emit_sequential
from vliw_mlir.schedule.machine import MachineFunction
from vliw_mlir.schedule.record import loop_summary, record_schedule
from vliw_mlir.schedule.spill import SpillSlots
from vliw_mlir.semantics import WORD_BITS
from vliw_mlir.sim.program import Program
from vliw_mlir.target import Target


@dataclass(frozen=True)
class ConvertWordToVliw(ModulePass):
    """Select instructions, schedule them, give scratch to values and emit bundles.

    Expects the SSA level with control flow in blocks (convert-word-scf-to-cf), vectors of
    VLEN lanes (legalize-vectors) and arithmetic that the target has (expand-word-ops).
    Leaves one `vliw.program`. Values that do not fit in scratch are spilled to memory.
    Fails when the program is longer than `max-bundles`.

    Without a schedule every bundle has one slot, in the order of the program. Otherwise each
    block is scheduled as a whole: `list` takes what list scheduling finds at first, `search`
    looks for better schedules, as long as `placements` says. `exact` goes on from there in
    blocks of up to 128 instructions until nothing shorter exists; it needs OR-Tools, which comes
    with `vliw-mlir[exact]`.
    """

    name = "convert-word-to-vliw"

    max_bundles: int = 1_000_000
    """The longest program to emit, in bundles."""
    schedule: Literal["none", "list", "search", "exact"] = "none"
    """How bundles are filled."""
    placements: int = 10_000_000
    """How often instructions may be placed in search of a better schedule."""
    rounds: int = 2_400
    """How often a block may be scheduled for that: small ones do not need all placements."""
    search_seconds: float = 0.0
    """How long to search at most, 0 for as long as it takes. When time runs out, results may
    differ from one run to the next."""
    stages: int = 1
    """How many searches there are, each 16 times as long as the one before, and the last one as
    long as all of this says. The best schedule is kept: no stage makes it longer."""
    pipeline_loops: bool = True
    """Whether to overlap the iterations of loops, if bundles are scheduled."""
    verify_schedule: bool = False
    """Whether to prove that the bundles of each block do what its instructions do."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        func = kernel_function(op)
        target = target_of(op)
        interface = interface_of(func)
        try:
            machine, allocated = select_instructions(
                func, interface, target, for_scheduling=self.schedule != "none"
            )
            spill_slots = SpillSlots(interface.spill_address() + allocated)
            emitted = self._emit(machine, spill_slots)
        except CompileError as e:
            if e.location is None:
                fail(func, e.message)
            raise
        if len(emitted.bundles) > self.max_bundles:
            fail(
                func,
                f"the program takes {len(emitted.bundles)} bundles, more than max-bundles="
                f"{self.max_bundles}",
            )
        interface = interface.with_spill(allocated + spill_slots.words)
        if interface.spill and (end := sum(astuple(interface.spill))) > 1 << WORD_BITS:
            fail(func, f"the kernel takes {end} words of memory; addresses are {WORD_BITS} bits")
        program = Program(emitted.bundles, interface, target, emitted.sources)
        self._tell(emitted, target, spill_slots)
        block = op.body.block
        for old in list(block.ops):
            block.erase_op(old)
        block.add_op(ProgramOp.from_program(program))

    def _emit(self, machine: MachineFunction, slots: SpillSlots) -> Emitted:
        if self.schedule == "none":
            return emit_sequential(machine, allocate_with_spilling(machine, slots))
        effort = Effort(
            placements=0 if self.schedule == "list" else self.placements,
            rounds=self.rounds,
            seconds=self.search_seconds or math.inf,
            stages=self.stages,
            pipeline=self.pipeline_loops,
            exact=self.schedule == "exact",
            verify=self.verify_schedule,
        )
        return schedule_function(machine, slots, effort)

    def _tell(self, emitted: Emitted, target: Target, slots: SpillSlots) -> None:
        """Tell those who listen how good the schedule is."""
        record = cache(lambda: record_schedule(emitted, target, slots.words))
        keep_schedule(record)
        if not remarks_enabled(self.name):
            return
        for block in record().blocks:
            least = f"at least {block.least_cycles}: {', '.join(block.binds)} binds"
            remark(block.source, self.name, f"{block.bundles} cycles, {least}")
        for loop in record().loops:
            kind = RemarkKind.MISSED if loop.interval is None else RemarkKind.PASSED
            remark(loop.source, self.name, loop_summary(loop), kind)
