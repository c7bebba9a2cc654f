"""Printing register pressure."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from vliw_mlir.analysis.pressure import function_pressure, report
from vliw_mlir.dialects.facts import kernel_function


@dataclass(frozen=True)
class PrintPressure(ModulePass):
    """Print to stderr how many words of scratch are live at each op of the kernel, and the
    peak. Expects the SSA level; changes nothing."""

    name = "print-pressure"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        func = kernel_function(op)
        print(f"@{func.sym_name.data}", file=sys.stderr)
        for line in report(function_pressure(func)):
            print(f"  {line}", file=sys.stderr)
