"""Printing dependence graphs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.analysis.dependence_graph import DependenceGraph, Kind, function_graph
from vliw_mlir.errors import op_location

_STYLES = {
    Kind.DATA: "solid",
    Kind.FLOW: "bold",
    Kind.ANTI: "bold",
    Kind.OUTPUT: "bold",
    Kind.ORDER: "dashed",
    Kind.CONTROL: "dotted",
}


@dataclass(frozen=True)
class PrintDependenceGraph(ModulePass):
    """Print to stderr the dependence graph of each function, in the language of Graphviz.

    A node per operation, an edge from what has to come first, labelled with the reason: `data`,
    `flow`, `anti` or `output` for memory, `order` for other effects, `control`. Memory is looked
    at within blocks; dependences between iterations are printed by `print-dependences`.
    Expects the SSA level; changes nothing.
    """

    name = "print-dependence-graph"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                graph = function_graph(func, AliasAnalysis(func))
                for line in dot_lines(func.sym_name.data, graph):
                    print(line, file=sys.stderr)


def dot_lines(name: str, graph: DependenceGraph) -> Iterator[str]:
    """The lines of a graph in the DOT language."""
    numbers = {op: number for number, op in enumerate(graph.nodes)}
    yield f'digraph "{name}" {{'
    yield "  node [shape=box];"
    for op, number in numbers.items():
        yield f'  n{number} [label="{_label(op)}"];'
    for edge in graph.edges:
        style = f'label="{edge.kind.value}", style={_STYLES[edge.kind]}'
        yield f"  n{numbers[edge.first]} -> n{numbers[edge.second]} [{style}];"
    yield "}"


def _label(op: Operation) -> str:
    """What an operation is called: its results, its name and where it comes from."""
    results = ", ".join(f"%{r.name_hint}" for r in op.results if r.name_hint)
    parts = [f"{results} = {op.name}" if results else op.name, op_location(op) or ""]
    return "\\n".join(part.replace('"', "'") for part in parts if part)
