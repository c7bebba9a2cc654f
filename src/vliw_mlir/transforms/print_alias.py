"""Printing what the alias analysis finds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from itertools import combinations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.printer import Printer

from vliw_mlir.analysis.affine import Affine
from vliw_mlir.analysis.alias import Access, AliasAnalysis
from vliw_mlir.dialects import word
from vliw_mlir.semantics import to_signed


@dataclass(frozen=True)
class PrintAlias(ModulePass):
    """Print to stderr the memory accesses of each function, and which of them alias.

    First a line per access in the order of the text, `2: word.load %a[4*%i + 1] of 8 words`,
    marked `in bounds` if it can be executed anywhere. Then a line per pair of which one writes,
    `0 and 2: may`. Expects the SSA level; changes nothing.
    """

    name = "print-alias"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                print(f"@{func.sym_name.data}", file=sys.stderr)
                for line in _lines(func):
                    print(f"  {line}", file=sys.stderr)


def _lines(func: FuncOp) -> Iterator[str]:
    analysis = AliasAnalysis(func)
    # Gives values the names that they have in the text, if asked in the order of the text.
    printer = Printer(stream=StringIO())
    accesses: list[Access] = []
    for op in func.walk():
        for value in (*op.results, *(a for r in op.regions for b in r.blocks for a in b.args)):
            printer.print_ssa_value(value)
        if isinstance(op, word.AccessOp):
            accesses.append(analysis.access(op))
    for number, access in enumerate(accesses):
        bounds = ", in bounds" if analysis.is_in_bounds(access) else ""
        yield f"{number}: {_describe(access, printer)}{bounds}"
    for (i, a), (j, b) in combinations(enumerate(accesses), 2):
        if a.writes or b.writes:
            yield f"{i} and {j}: {analysis.relation(a, b).value}"


def _describe(access: Access, printer: Printer) -> str:
    def name(value: SSAValue) -> str:
        return f"%{printer.print_ssa_value(value)}"

    def text(form: Affine) -> str:
        terms = [
            name(value) if factor == 1 else f"{to_signed(factor)}*{name(value)}"
            for value, factor in form.terms.items()
        ]
        if form.constant or not terms:
            terms.append(str(to_signed(form.constant)))
        return " + ".join(terms)

    offset = "?" if access.offset is None else text(access.offset)
    words = f" of {access.words} words" if access.words > 1 else ""
    return f"{access.op.name} {name(access.buffer)}[{offset}]{words}"
