"""Vectorization of counted loops, inner and outer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.analysis.bounds import block_estimate
from vliw_mlir.analysis.dependence import carried_dependence
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.target import Target
from vliw_mlir.transforms.vectorize.reductions import reduction_function
from vliw_mlir.transforms.vectorize.shapes import VARYING, Illegal, Shapes
from vliw_mlir.transforms.vectorize.widen import WIDENED, widen_loop


@dataclass(frozen=True)
class VectorizeLoops(ModulePass):
    """Let VLEN iterations of a counted loop become the lanes of one, in each loop nest where
    that gives the lowest resource bound: the outer loop or loops inside of it.

    A loop is widened when its iterations do not depend on each other through memory (or only
    VLEN or more apart), what it carries are reductions, and all control flow inside is the
    same for all lanes. Consecutive accesses become vector accesses, others gathers and
    scatters. A loop over the iterations that are left stays behind.

    Expects the SSA level with scf. Statistics: `num-vectorized-loops`.
    """

    name = "vectorize-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for func in op.ops:
            if isinstance(func, FuncOp):
                run = _Run(target_of(op), self.name, statistics, AliasAnalysis(func))
                for block in func.body.blocks:
                    _vectorize_block(block, run)


def _vectorize_block(block: Block, run: _Run) -> None:
    """Vectorize the outermost loops of `block`, or loops inside of them."""
    for op in list(block.ops):
        if isinstance(op, scf.ForOp):
            _vectorize_nest(op, run)
            continue
        for region in op.regions:
            for inner in region.blocks:
                _vectorize_block(inner, run)


@dataclass
class _Run:
    """What one application of the pass shares."""

    target: Target
    name: str
    statistics: Statistics
    aliases: AliasAnalysis

    def legal_reductions(self, loop: scf.ForOp) -> list[str]:
        """The reductions of a loop that can be widened. Raises `Illegal` for any other."""
        if WIDENED in loop.attributes:
            raise Illegal("it is widened already")
        carried = carried_dependence(loop, self.aliases)
        if carried.nearest is not None and carried.nearest < self.target.vlen:
            raise Illegal(f"iterations depend on each other: {carried.reason}")
        reductions = [reduction_function(loop, n) for n in range(len(loop.iter_args))]
        for number, function in enumerate(reductions):
            if function is None:
                raise Illegal(f"carried value {number} is not a reduction")
        Shapes(loop, [VARYING] * len(reductions))
        return [function for function in reductions if function is not None]

    def widen(self, loop: scf.ForOp, reductions: list[str]) -> scf.ForOp:
        shapes = Shapes(loop, [VARYING] * len(reductions))
        return widen_loop(loop, shapes, reductions, self.target.vlen)


def _vectorize_nest(loop: scf.ForOp, run: _Run) -> None:
    plan, cost = _plan(loop, run)
    if not plan or cost >= _cost(loop, {}, run):
        return
    for chosen, reductions in plan.items():
        wide = run.widen(chosen, reductions)
        run.statistics.count("num-vectorized-loops")
        remark(wide, run.name, f"widened to {run.target.vlen} lanes", RemarkKind.PASSED)


Plan: TypeAlias = dict[scf.ForOp, list[str]]
"""The loops to widen, with their reductions."""


def _plan(loop: scf.ForOp, run: _Run) -> tuple[Plan, float]:
    """The cheapest way to widen `loop` or loops inside of it, and what `loop` costs then."""
    inner: Plan = {}
    for op in loop.body.block.walk():
        if isinstance(op, scf.ForOp) and _nearest_loop(op) is loop:
            inner |= _plan(op, run)[0]
    inner_cost = _cost(loop, inner, run)
    try:
        outer: Plan = {loop: run.legal_reductions(loop)}
        outer_cost = _cost(loop, outer, run)
    except Illegal as reason:
        remark(loop, run.name, f"not widened: {reason}", RemarkKind.MISSED)
        return inner, inner_cost
    return (outer, outer_cost) if outer_cost <= inner_cost else (inner, inner_cost)


def _nearest_loop(op: Operation) -> Operation | None:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, scf.ForOp):
        parent = parent.parent_op()
    return parent


def _cost(loop: scf.ForOp, plan: Plan, run: _Run) -> float:
    """What `loop` costs once `plan` is carried out, tried on a copy. Raises `Illegal`."""
    copy = loop.clone()
    block = Block([copy])
    copies = {
        old: new
        for old, new in zip(loop.walk(), copy.walk(), strict=True)
        if isinstance(new, scf.ForOp)
    }
    try:
        for chosen, reductions in plan.items():
            run.widen(copies[chosen], reductions)
        return block_estimate(block, run.target)
    finally:
        # The copy must not be left as a user of the values around the loop.
        block.erase()
