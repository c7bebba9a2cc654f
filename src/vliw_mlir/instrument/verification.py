"""Verifies the IR after every pass."""

from __future__ import annotations

from vliw_mlir.errors import CompileError
from vliw_mlir.instrument.runner import Instrument, InternalError, PassRun
from vliw_mlir.instrument.timing import phase
from vliw_mlir.verifier import verify


class Verification(Instrument):
    """Fails a pass that leaves invalid IR behind; the time is that of the phase `(verify)`."""

    def after_pass(self, run: PassRun) -> None:
        with phase("(verify)"):
            try:
                verify(run.module)
            except CompileError as e:
                raise InternalError(
                    run.name, f"produced invalid IR: {e.message}", e.location
                ) from e
