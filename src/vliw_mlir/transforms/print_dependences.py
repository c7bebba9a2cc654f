"""Printing the dependences that loops carry."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.analysis.dependence import Vector, carried_dependence, direction_vectors
from vliw_mlir.analysis.loops import loops_in
from vliw_mlir.errors import op_location

_SIGNS = {0: "=", 1: "<", -1: ">"}


@dataclass(frozen=True)
class PrintDependences(ModulePass):
    """Print to stderr the memory dependences that each counted loop carries.

    `loop at k.mlir:5:3: parallel`, or how many iterations are at least between two accesses that
    depend on each other, with an example. For a loop with one loop right inside of it also the
    directions of the dependences of both, `(<, >)` if the later iteration of the outer loop
    goes with an earlier one of the inner loop. Expects the SSA level; changes nothing.
    """

    name = "print-dependences"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                print(f"@{func.sym_name.data}", file=sys.stderr)
                for line in _lines(func):
                    print(f"  {line}", file=sys.stderr)


def _lines(func: FuncOp) -> Iterator[str]:
    aliases = AliasAnalysis(func)
    for loop in loops_in(func.body):
        carried = carried_dependence(loop, aliases)
        yield (
            f"loop at {op_location(loop)}: "
            + ("parallel" if carried.is_parallel else f"distance {carried.nearest} or more, ")
            + str(carried.reason)
        )
        inner = [op for op in loop.body.block.ops if isinstance(op, scf.ForOp)]
        if len(inner) == 1:
            for vector, reason in direction_vectors([loop, inner[0]], aliases).items():
                yield f"  {_describe(vector)}: {reason}"


def _describe(vector: Vector) -> str:
    return f"({', '.join(_SIGNS[sign] for sign in vector)})"
