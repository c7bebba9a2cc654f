"""Running a program on arguments: load, simulate, read the results back."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vliw_mlir.abi.image import MemoryImage, build_image
from vliw_mlir.sim.decode import DecodedProgram, decode
from vliw_mlir.sim.machine import Machine
from vliw_mlir.sim.outcome import Status
from vliw_mlir.sim.program import Program
from vliw_mlir.sim.statistics import Statistics, collect_statistics


@dataclass(frozen=True)
class Result:
    """What a run left behind."""

    cycles: int
    results: list[int | NDArray[np.uint32]]
    """The kernel's results: ints, tensors as flat arrays."""
    outputs: list[NDArray[np.uint32] | None]
    """The words of each array argument after the run, None for scalars."""
    stats: Statistics
    executed: NDArray[np.int64]
    """How often each bundle was executed."""
    trace: NDArray[np.uint32]
    """The words written by `trace_write`."""
    image: MemoryImage
    """The whole memory after the run."""


def run_program(
    program: Program | DecodedProgram,
    args: Sequence[int | ArrayLike],
    *,
    strict: bool = True,
    step_limit: int | None = None,
    debug_values: Mapping[Hashable, int] | None = None,
) -> Result:
    """Load `args` (one int or array per argument), run to the end, resuming pauses.

    The options are those of `Machine`. Raises `CompileError` for arguments that do not fit
    the kernel or break a declared fact, and for programs that are not legal; `Trap` when the
    machine traps.
    """
    decoded = program if isinstance(program, DecodedProgram) else decode(program)
    image = build_image(decoded.program.interface, args)
    machine = Machine(
        decoded, image.memory, strict=strict, step_limit=step_limit, debug_values=debug_values
    )
    while machine.run() is not Status.HALTED:
        pass
    return Result(
        machine.cycles,
        image.results(),
        image.outputs(),
        collect_statistics(machine),
        machine.executed,
        machine.trace_buffer,
        image,
    )
