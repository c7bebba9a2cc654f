"""The SSA level into bundles, the plain way: one instruction after the other."""

from __future__ import annotations

from dataclasses import astuple, dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from vliw_mlir.dialects.facts import interface_of, kernel_function, target_of
from vliw_mlir.dialects.vliw import ProgramOp
from vliw_mlir.errors import CompileError, fail
from vliw_mlir.lowering.select_instructions import select_instructions
from vliw_mlir.schedule.emit import allocate_with_spilling, emit_sequential
from vliw_mlir.schedule.spill import SpillSlots
from vliw_mlir.semantics import WORD_BITS
from vliw_mlir.sim.program import Program


@dataclass(frozen=True)
class ConvertWordToVliw(ModulePass):
    """Select instructions, allocate scratch and emit one slot per bundle.

    Expects the SSA level with control flow in blocks (convert-word-scf-to-cf), vectors of
    VLEN lanes (legalize-vectors) and arithmetic that the target has (expand-word-ops).
    Leaves one `vliw.program`. Values that do not fit in scratch are spilled to memory.
    Fails when the program is longer than `max-bundles`.
    """

    name = "convert-word-to-vliw"

    max_bundles: int = 1_000_000
    """The longest program to emit, in bundles."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        func = kernel_function(op)
        target = target_of(op)
        interface = interface_of(func)
        try:
            machine, allocated = select_instructions(func, interface, target)
            spill_slots = SpillSlots(interface.spill_address() + allocated)
            allocation = allocate_with_spilling(machine, spill_slots)
            emitted = emit_sequential(machine, allocation)
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
        block = op.body.block
        for old in list(block.ops):
            block.erase_op(old)
        block.add_op(ProgramOp.from_program(program))
