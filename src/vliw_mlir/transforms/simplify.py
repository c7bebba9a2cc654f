"""Algebraic simplification, constant folding, common subexpressions and dead code."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from vliw_mlir.dialects.facts import target_of
from vliw_mlir.instrument import Statistics
from vliw_mlir.semantics import FUNCTIONS
from vliw_mlir.target import Target
from vliw_mlir.target.encodings import Encoding, encoding_of
from vliw_mlir.transforms.dead_code import eliminate_dead_code
from vliw_mlir.transforms.rules import RULES
from vliw_mlir.transforms.rules.matcher import Matcher, matcher_for
from vliw_mlir.transforms.simplification import control, values
from vliw_mlir.transforms.simplification.walk import Walk

_HANDLERS = {**values.HANDLERS, **control.HANDLERS}


@dataclass(frozen=True)
class Simplify(ModulePass):
    """Fold constants, apply the rewrite rules, merge equal computations, drop dead code.

    Works on the SSA level, with structured control flow or blocks; operations of other levels
    stay as they are. One walk in dominance order does it all: each operation, with its operands
    already simplified, is folded, rewritten by the rules (`vliw_mlir.transforms.rules`), or
    replaced by an equal one that dominates it. On the way

    - branches with a known condition and loops that run never or once are taken apart, and what
      a branch's condition says of values is used in its regions;
    - carried values that never change become the value they start with;
    - constants move to the start of the function, each there once.

    Then what no effect depends on goes, carried values that only feed themselves included: a
    trap of an operation whose result is not used may get lost, and so may a loop without effects
    that does not end. The walk is repeated while it finds something, `max_iterations` times at
    most; each takes time linear in the number of operations. Loads are left alone.

    Rules lead to functions that the machine would have to compose only from other such
    functions, so the pass keeps a program legal for the machine.

    The scheme is that of Cranelift's mid-end: hash-consing in dominance order with rewriting as
    values are made (Fallin, "ægraphs: Acyclic E-graphs for Efficient Optimization", EGRAPHS
    2023), with one representative per value.

    Statistics: `num-folded`, `num-rewritten`, `num-merged`, `num-dead`, `num-control`.
    """

    name = "simplify"

    max_iterations: int = 4
    """How often to walk each function at most."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        matcher = matcher_for(RULES, available_functions(target_of(op)))
        for function in op.ops:
            if isinstance(function, FuncOp) and not function.is_declaration:
                self._simplify(function, matcher, statistics)

    def _simplify(self, function: FuncOp, matcher: Matcher, statistics: Statistics) -> None:
        for _ in range(self.max_iterations):
            statistics.count("num-dead", eliminate_dead_code(function.body))
            walk = Walk(function.body, matcher, _HANDLERS)
            e = walk.expressions
            statistics.count("num-folded", e.folded)
            statistics.count("num-rewritten", e.rewritten)
            statistics.count("num-merged", e.merged)
            statistics.count("num-control", walk.control_changes)
            if not walk.changes + walk.control_changes:
                break
        statistics.count("num-dead", eliminate_dead_code(function.body))


def available_functions(target: Target) -> frozenset[str]:
    """The word functions that a machine need not compose, of words and of vectors."""
    return frozenset(
        name
        for name in FUNCTIONS
        if all(
            encoding_of(target, name, vector=vector) is not Encoding.NONE
            for vector in (False, True)
        )
    )
