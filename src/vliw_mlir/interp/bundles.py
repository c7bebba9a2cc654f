"""The bundle level for those who run kernels of any level: the simulator."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import cast

from vliw_mlir.abi import Interface, MemoryImage
from vliw_mlir.dialects.vliw import ProgramOp
from vliw_mlir.errors import LimitError
from vliw_mlir.interp.interpreter import Interpretation
from vliw_mlir.sim.decode import decode
from vliw_mlir.sim.machine import Machine
from vliw_mlir.sim.outcome import Status, Trap, TrapReason


class BundleKernel:
    """A program as a kernel that runs on memory images."""

    interface: Interface

    def __init__(self, op: ProgramOp):
        program = op.to_program()
        self.interface = program.interface
        self._decoded = decode(program)

    def run(
        self,
        image: MemoryImage,
        *,
        step_limit: int | None = None,
        debug_values: Mapping[str, int] | None = None,
    ) -> Interpretation:
        """Run on `image`; a step is a bundle. Raises `TrapError` and `LimitError`."""
        values = cast("Mapping[Hashable, int] | None", debug_values)
        machine = Machine(self._decoded, image.memory, step_limit=step_limit, debug_values=values)
        try:
            while machine.run() is not Status.HALTED:
                pass
        except Trap as e:
            if e.reason is TrapReason.STEP_LIMIT:
                raise LimitError(e.message, e.location) from e
            raise
        return Interpretation(tuple(machine.trace_buffer.tolist()), int(machine.executed.sum()))
