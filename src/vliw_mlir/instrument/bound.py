"""The resource bound of a kernel, seen while it is compiled."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from vliw_mlir.analysis.bounds import RegionBound, function_bound
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.errors import CompileError
from vliw_mlir.instrument.runner import Instrument, PassRun


class BoundAtSsa(Instrument):
    """Keeps the resource bound of the kernel at the end of the SSA level.

    Trip counts are known only until structured control flow becomes blocks; what is one block
    then may still get better.
    """

    def __init__(self) -> None:
        self.bound: RegionBound | None = None
        """None until control flow is lowered, and for what has no bound."""

    def before_pass(self, run: PassRun) -> None:
        if run.name == "convert-word-scf-to-cf":
            self.bound = _bound(run.module)
        elif run.name == "legalize-vectors":
            bound = _bound(run.module)
            self.bound = bound if bound is not None and bound.cycles is not None else self.bound


def _bound(module: ModuleOp) -> RegionBound | None:
    try:
        return function_bound(kernel_function(module))
    except (CompileError, ValueError):
        # Of another level, or work that the machine cannot do: later passes will say so.
        return None
