"""Prints the IR before and after passes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from io import StringIO
from typing import TextIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from vliw_mlir.instrument.runner import Instrument, PassRun


def module_text(module: ModuleOp, *, generic: bool = False, debuginfo: bool = False) -> str:
    """The text of a module, in the generic form or with locations if asked."""
    output = StringIO()
    Printer(stream=output, print_generic_format=generic, print_debuginfo=debuginfo).print_op(module)
    return output.getvalue()


PassSelection = Collection[str] | None
"""Names of passes; None selects every pass."""


class IRPrinting(Instrument):
    """Dumps the module around the selected passes, each dump under a header as in MLIR.

    With `only_changes`, a dump after a pass is left out when the pass changed nothing.
    """

    def __init__(
        self,
        *,
        before: PassSelection = (),
        after: PassSelection = (),
        only_changes: bool = False,
        print_module: Callable[[ModuleOp], str] = module_text,
        stream: TextIO | None = None,
    ):
        self._before = before
        self._after = after
        self._only_changes = only_changes
        self._print_module = print_module
        self._stream = stream or sys.stderr
        self._text_before = ""

    def before_pass(self, run: PassRun) -> None:
        dumped = _selects(self._before, run.name)
        compared = self._only_changes and _selects(self._after, run.name)
        if not dumped and not compared:
            return
        self._text_before = self._print_module(run.module)
        if dumped:
            self._dump(f"Before {run.name}", self._text_before)

    def after_pass(self, run: PassRun) -> None:
        if not _selects(self._after, run.name):
            return
        text = self._print_module(run.module)
        if not self._only_changes or text != self._text_before:
            self._dump(f"After {run.name}", text)

    def pass_failed(self, run: PassRun, error: Exception) -> None:
        if _selects(self._after, run.name):
            self._dump(f"After {run.name} Failed", self._print_module(run.module))

    def _dump(self, what: str, text: str) -> None:
        print(f"// -----// IR Dump {what} //----- //\n{text}\n", file=self._stream, flush=True)


def _selects(selection: PassSelection, name: str) -> bool:
    return selection is None or name in selection
