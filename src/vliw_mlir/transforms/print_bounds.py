"""Printing resource lower bounds."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from vliw_mlir.analysis.bounds import function_bound, report
from vliw_mlir.dialects.facts import kernel_function


@dataclass(frozen=True)
class PrintBounds(ModulePass):
    """Print the resource lower bound of the kernel to stderr: in all, and per loop iteration
    with the engines that bind it. Expects the SSA level; changes nothing."""

    name = "print-bounds"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        func = kernel_function(op)
        print(f"@{func.sym_name.data}", file=sys.stderr)
        for line in report(function_bound(func), depth=0):
            print(f"  {line}", file=sys.stderr)
