"""The resource bound of a kernel, seen while it is compiled."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from vliw_mlir.analysis.bounds import RegionBound, function_bound
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.errors import CompileError
from vliw_mlir.instrument.runner import Instrument, PassRun


class BoundAtSsa(Instrument):
    """Keeps the resource bound of the kernel at the end of the SSA level.

    That is, before structured control flow becomes blocks: trip counts are known until then.
    """

    def __init__(self, before: str = "convert-word-scf-to-cf"):
        self.bound: RegionBound | None = None
        """None until the pass is reached, and for what has no bound."""
        self._before = before

    def before_pass(self, run: PassRun) -> None:
        if run.name == self._before:
            self.bound = _bound(run.module)


def _bound(module: ModuleOp) -> RegionBound | None:
    try:
        return function_bound(kernel_function(module))
    except (CompileError, ValueError):
        # Of another level, or work that the machine cannot do: later passes will say so.
        return None
