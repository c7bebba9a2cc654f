"""Printing what the range analysis finds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.entry_loads import sharp_ranges
from vliw_mlir.dialects import word
from vliw_mlir.transforms.value_report import Name, ValueReport


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
                print(*_lines(func), sep="\n", file=sys.stderr)


def _lines(func: FuncOp) -> Iterator[str]:
    ranges = sharp_ranges(func)

    def describe(name: Name, value: SSAValue) -> str | None:
        if isinstance(value.type, word.BufferType):
            return f" holds: {ranges.content(value)}"
        is_words = value.type == i32 or word.lanes_of(value.type) is not None
        return f": {ranges.of(value)}" if is_words else None

    def enter(name: Name, block: Block) -> Iterator[str]:
        for value, known in ranges.refinements(block).items():
            yield f"{name(value)} here: {known}"

    return ValueReport(describe, enter).lines(func)
