"""Printing which values are affine over booleans."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.boolean_forms import DEFAULT_MAX_TERMS, BooleanForms
from vliw_mlir.analysis.ranges import Ranges
from vliw_mlir.transforms.value_report import Name, ValueReport


@dataclass(frozen=True)
class PrintBooleanForms(ModulePass):
    """Print to stderr the values that are affine forms over booleans, one line for each.

    A line is like `%idx = 3 + 2*%p0 + %p1` or, for a boolean that forms are made of, `%p0 is
    boolean`. Constants are left out. Expects the SSA level; changes nothing.
    """

    name = "print-boolean-forms"

    max_terms: int = DEFAULT_MAX_TERMS
    """The most booleans in a form."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in op.ops:
            if isinstance(func, FuncOp):
                print(*self._lines(func), sep="\n", file=sys.stderr)

    def _lines(self, func: FuncOp) -> Iterator[str]:
        forms = BooleanForms(func, Ranges(func), self.max_terms)
        booleans = set(forms.booleans)

        def describe(name: Name, value: SSAValue) -> str | None:
            form = forms.of(value)
            if form is None or form.is_constant:
                return None
            if value in booleans:
                return " is boolean"
            return f" = {form.to_text(lambda number: name(forms.booleans[number]))}"

        return ValueReport(describe).lines(func)
