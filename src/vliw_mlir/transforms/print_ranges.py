"""Printing what the range analysis finds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.printer import Printer

from vliw_mlir.analysis.ranges import Ranges
from vliw_mlir.dialects import word


@dataclass(frozen=True)
class PrintRanges(ModulePass):
    """Print to stderr which words the values of each function can be.

    One line per value, `%i: 0..248 step 8`, in the order of the text; a value of which more is
    known within a region than around it gets a line `%i here: 0..7` there. `%b holds: 0..9` tells
    the words that a buffer has at any time. Expects the SSA level; changes nothing.
    """

    name = "print-ranges"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in op.ops:
            if isinstance(func, FuncOp):
                print(f"@{func.sym_name.data}", file=sys.stderr)
                for line in _Report(func).lines():
                    print(f"  {line}", file=sys.stderr)


class _Report:
    def __init__(self, func: FuncOp):
        self._func = func
        self._ranges = Ranges(func)
        # Gives values the names that they have in the text, if asked in the order of the text.
        self._printer = Printer(stream=StringIO())

    def lines(self) -> Iterator[str]:
        for block in self._func.body.blocks:
            yield from self._block(block, "")

    def _block(self, block: Block, indent: str) -> Iterator[str]:
        for value, known in self._ranges.refinements(block).items():
            yield f"{indent}{self._name(value)} here: {known}"
        for arg in block.args:
            yield from self._value(arg, indent)
        for op in block.ops:
            for result in op.results:
                yield from self._value(result, indent)
            for region in op.regions:
                for inner in region.blocks:
                    yield from self._block(inner, f"{indent}  ")

    def _value(self, value: SSAValue, indent: str) -> Iterator[str]:
        name = self._name(value)
        if isinstance(value.type, word.BufferType):
            yield f"{indent}{name} holds: {self._ranges.content(value)}"
        elif value.type == i32 or word.lanes_of(value.type) is not None:
            yield f"{indent}{name}: {self._ranges.of(value)}"

    def _name(self, value: SSAValue) -> str:
        return f"%{self._printer.print_ssa_value(value)}"
