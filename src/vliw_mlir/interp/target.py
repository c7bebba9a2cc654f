"""The output target that runs a kernel on a data file and checks what it leaves behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Protocol

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from vliw_mlir.abi import Interface, MemoryImage, build_image
from vliw_mlir.abi.datafile import Case, load_cases
from vliw_mlir.dialects.vliw import ProgramOp
from vliw_mlir.errors import CompileError
from vliw_mlir.formats.vliw_json import program_op
from vliw_mlir.interp.bundles import BundleKernel
from vliw_mlir.interp.interpreter import Interpretation, compile_kernel
from vliw_mlir.semantics import Words

SHOWN_WORDS = 16
"""How many words of an array are printed."""

STEP_LIMIT = 100_000_000
"""Steps after which a run is taken to be endless; all levels take some seconds for them."""


class Runnable(Protocol):
    """A kernel of any level that can run on memory images."""

    @property
    def interface(self) -> Interface:
        """What an image for it is built from."""
        ...

    def run(self, image: MemoryImage, *, step_limit: int | None = None) -> Interpretation:
        """Run on `image`, changing its memory; raises `CompileError` when that fails."""
        ...


def load_kernel(module: ModuleOp) -> Runnable:
    """The kernel of `module` at whatever level it is.

    The one place that tells levels apart: a new level is one more case here.
    """
    if any(isinstance(op, ProgramOp) for op in module.ops):
        return BundleKernel(program_op(module))
    return compile_kernel(module)


@dataclass(frozen=True)
class InterpretTarget(Target):
    """Runs the kernel on the cases of a data file, or on one of them (`case`, from 0).

    Prints the results, the arrays that the kernel changed and the trace. Without `data`, a
    kernel without arguments runs once.

    Raises `CompileError` when a case leaves behind something other than the data file expects,
    and when a run traps or exceeds `step_limit`.
    """

    name = "interpret"

    data: str | None = None
    case: int | None = None
    step_limit: int = STEP_LIMIT

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        kernel = load_kernel(module)
        cases = self._cases(kernel.interface)
        differing: list[str] = []
        for number, case in cases.items():
            try:
                lines, mismatches = self._run(kernel, case)
            except CompileError as e:
                raise CompileError(f"case {number}: {e.message}", e.location) from e
            print("\n  ".join([f"case {number}", *lines]), file=output)
            if mismatches:
                differing.append(f"case {number}: {', '.join(mismatches)}")
        if differing:
            raise CompileError(
                f"{len(differing)} of {len(cases)} cases differ from the data file: "
                + "; ".join(differing)
            )

    def _run(self, kernel: Runnable, case: Case) -> tuple[list[str], list[str]]:
        """What a run left behind, and how that differs from what the case expects."""
        image = build_image(kernel.interface, case.args)
        before = image.outputs()
        run = kernel.run(image, step_limit=self.step_limit)
        return _state(image, before, run), case.mismatches(image)

    def _cases(self, interface: Interface) -> dict[int, Case]:
        """The cases to run, by number."""
        if self.data is None:
            if interface.arguments:
                raise CompileError(
                    f"kernel '{interface.kernel}' takes {len(interface.arguments)} arguments; "
                    f'give a data file: {self.name}{{data="FILE.json"}}'
                )
            return {0: Case((), None, None)}
        cases = load_cases(self.data)
        if self.case is None:
            return dict(enumerate(cases))
        if not 0 <= self.case < len(cases):
            raise CompileError(f"'{self.data}' has {len(cases)} cases, there is no {self.case}")
        return {self.case: cases[self.case]}


def _state(image: MemoryImage, before: Sequence[Words | None], run: Interpretation) -> list[str]:
    """One line for each result, each array that is not as `before`, and the trace."""
    lines = [f"result {n}: {_text(value)}" for n, value in enumerate(image.results())]
    for number, (old, new) in enumerate(zip(before, image.outputs(), strict=True)):
        if old is not None and new is not None and (old != new).any():
            lines.append(f"argument {number}: {_text(new)}")
    if run.trace:
        lines.append(f"trace: {_text(run.trace)}")
    return lines


def _text(value: int | Words | Sequence[int]) -> str:
    if isinstance(value, int):
        return str(value)
    words = [int(word) for word in value[:SHOWN_WORDS]]
    more = f", … {len(value)} words]" if len(value) > SHOWN_WORDS else "]"
    return str(words)[:-1] + more
