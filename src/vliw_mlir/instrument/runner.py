"""Runs passes one by one and tells instruments about each.

An instrument observes a pipeline (prints IR, measures time, verifies, …) without the passes
knowing. Instruments are told of the start of a pass in order and of its end in reverse order,
so that the last one is closest to the pass.
"""

from __future__ import annotations

import gc
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException, ShrinkException


class InternalError(Exception):
    """A pass crashed or produced invalid IR: a bug in the compiler, not in its input.

    `pass_name` is the pass at fault, `location` the `file:line:col` concerned, if known.
    """

    def __init__(self, pass_name: str, message: str, location: str | None = None):
        super().__init__(f"pass '{pass_name}' {message}")
        self.pass_name = pass_name
        self.location = location


@dataclass(frozen=True)
class PassRun:
    """One pass of a pipeline being run on a module."""

    passes: tuple[ModulePass, ...]
    """The whole pipeline."""
    index: int
    """The position of this pass in it."""
    module: ModuleOp

    @property
    def name(self) -> str:
        """The name of the pass, as in a pipeline."""
        return self.passes[self.index].name

    @property
    def remaining(self) -> str:
        """The text of the pipeline from this pass on."""
        return pipeline_to_text(self.passes[self.index :])


class Instrument:
    """An observer of a pipeline; each method may be overridden and does nothing by default."""

    def before_pass(self, run: PassRun) -> None:
        """The pass of `run` is about to start."""

    def after_pass(self, run: PassRun) -> None:
        """The pass of `run` has returned. To raise an `InternalError` is to fail the pass."""

    def pass_failed(self, run: PassRun, error: Exception) -> None:
        """The pass of `run` has raised `error`, or an instrument has after it."""


def run_pipeline(
    ctx: Context,
    module: ModuleOp,
    passes: Sequence[ModulePass],
    instruments: Sequence[Instrument] = (),
) -> None:
    """Apply `passes` to `module` in order.

    Raises what a pass raises to reject its input (`CompileError` and xDSL's other
    `DiagnosticException`s), and an `InternalError` for anything else a pass or an instrument
    raises.
    """
    with _rare_collections():
        for index in range(len(passes)):
            _run_pass(ctx, PassRun(tuple(passes), index, module), instruments)


YOUNG_OBJECTS = 100_000
"""After so many new objects Python looks for garbage, while passes run."""


@contextmanager
def _rare_collections() -> Generator[None]:
    """Passes make many objects that live on, which takes a sixth of their time to look through at
    Python's own rate."""
    thresholds = gc.get_threshold()
    gc.set_threshold(max(thresholds[0], YOUNG_OBJECTS) if thresholds[0] else 0, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


def _run_pass(ctx: Context, run: PassRun, instruments: Sequence[Instrument]) -> None:
    for instrument in instruments:
        instrument.before_pass(run)
    try:
        run.passes[run.index].apply(ctx, run.module)
        for instrument in reversed(instruments):
            instrument.after_pass(run)
    except ShrinkException:
        raise
    except (DiagnosticException, InternalError) as error:
        _tell_failure(run, instruments, error)
        raise
    except Exception as error:
        _tell_failure(run, instruments, error)
        message = f"crashed: {type(error).__name__}: {' '.join(str(error).split())}"
        raise InternalError(run.name, message) from error


def _tell_failure(run: PassRun, instruments: Sequence[Instrument], error: Exception) -> None:
    for instrument in reversed(instruments):
        instrument.pass_failed(run, error)


def pipeline_to_text(passes: Sequence[ModulePass]) -> str:
    """The text of a pipeline, as given to `-p`; options at their default are left out."""
    return ",".join(str(p.spec()) for p in passes)
