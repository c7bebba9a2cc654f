"""The instrumentation that `xdsl-opt` has, with its exact output."""

from __future__ import annotations

import time

from vliw_mlir.instrument.printing import module_text
from vliw_mlir.instrument.runner import Instrument, PassRun


class PrintBetweenPasses(Instrument):
    """Prints the IR on stdout after every pass but the last."""

    def after_pass(self, run: PassRun) -> None:
        if run.index + 1 < len(run.passes):
            print(f"IR after {run.name}:\n{module_text(run.module)}\n\n\n")


class TimePasses(Instrument):
    """Prints the wall time of every pass on stdout."""

    def __init__(self) -> None:
        self._began = 0.0

    def before_pass(self, run: PassRun) -> None:
        self._began = time.perf_counter()

    def after_pass(self, run: PassRun) -> None:
        print(f"Pass {run.name} took {time.perf_counter() - self._began} seconds")
