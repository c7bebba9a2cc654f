"""Vectorization of counted loops, inner and outer."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.analysis.bounds import (
    block_estimate,
    function_work,
    open_select_ways,
    straight_line_work,
)
from vliw_mlir.analysis.dependence import ANY, DependenceTest, accesses_of, carried_dependence
from vliw_mlir.analysis.guessed_trips import note_expected_trips
from vliw_mlir.analysis.loops import constant_bounds, is_innermost, loops_in
from vliw_mlir.analysis.resource_bound import resource_bound
from vliw_mlir.dialects import word
from vliw_mlir.dialects.expansions import EXPANSIONS, functions_used
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.target import Target
from vliw_mlir.target.encodings import alternatives
from vliw_mlir.transforms.vectorize.recurrences import (
    Best,
    Previous,
    Recurrence,
    Reduction,
    Scan,
    find_recurrences,
)
from vliw_mlir.transforms.vectorize.shapes import VARYING, Illegal, Shapes
from vliw_mlir.transforms.vectorize.wide_loop import WIDENED, Form, widen_loop

MOST_PARTS = 8
"""How many vectors of iterations one wide iteration does at most."""


@dataclass(frozen=True)
class VectorizeLoops(ModulePass):
    """Let VLEN iterations of a counted loop become the lanes of one, in each loop nest where
    that gives the lowest resource bound: the outer loop or loops inside of it.

    A loop is widened when its iterations do not depend on each other through memory (or only
    VLEN or more apart), and all control flow inside is the same for all lanes, except for inner
    loops without stores: such a loop goes on as long as a lane does, and what it carries for the
    others stays as it is. Consecutive accesses become vector accesses, others gathers and
    scatters. What it carries may be

    - reductions: each lane has a partial value;
    - values chosen with the best key so far, such as the index of a maximum, or whenever a
      condition holds: each lane has its choice, and of equal keys the first or last one wins
      as before;
    - values that every iteration combines something into, used on the way, by an associative
      function (prefix sums): shifted vectors are combined;
    - what the iteration before has computed, not from itself.

    Where these would make a chain that takes longer than the rest, one iteration does several
    vectors with partial values of their own. Iterations that are left over are done by vectors
    behind the loop, and by a loop. If that does no harm, the last vector does iterations again
    that were done before.

    Expects the SSA level with scf. Statistics: `num-vectorized-loops`.
    """

    name = "vectorize-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for func in op.ops:
            if isinstance(func, FuncOp):
                run = _Run(target_of(op), self.name, statistics, AliasAnalysis(func))
                for loop in loops_in(func.body):
                    note_expected_trips(loop)
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


Plan: TypeAlias = Mapping[scf.ForOp, Form]
"""The loops to widen, and how."""


@dataclass
class _Run:
    """What one application of the pass shares."""

    target: Target
    name: str
    statistics: Statistics
    aliases: AliasAnalysis

    def widen(self, loop: scf.ForOp, form: Form) -> scf.ForOp:
        return widen_loop(loop, form, self.aliases, self.target.vlen)

    def form(self, loop: scf.ForOp) -> Form:
        """The best way to widen a loop. Raises `Illegal` if there is none."""
        if WIDENED in loop.attributes:
            raise Illegal("it is widened already")
        carried = carried_dependence(loop, self.aliases)
        nearest = carried.nearest
        if nearest is not None and nearest < self.target.vlen:
            raise Illegal(f"iterations depend on each other: {carried.reason}")
        recurrences = find_recurrences(loop)
        is_ordered = any(isinstance(r, Scan | Previous) for r in recurrences)
        may_repeat = not (nearest or is_ordered or self._reads_what_it_writes(loop))
        return Form(self._parts(loop, recurrences, nearest), may_repeat)

    def _reads_what_it_writes(self, loop: scf.ForOp) -> bool:
        """Whether a loop may load a word that it stores to in any iteration."""
        groups = accesses_of([loop], self.aliases)
        test = DependenceTest(self.aliases, [loop])
        stores = [group for group in groups if group.writes]
        loads = [group for group in groups if not group.writes]
        return test.find(stores, loads, [ANY]) is not None

    def _parts(self, loop: scf.ForOp, recurrences: list[Recurrence], nearest: int | None) -> int:
        """How many vectors a wide iteration should do, so that its slots bind rather than the
        latency of what it carries."""
        bounds, vlen = constant_bounds(loop), self.target.vlen
        if bounds is None:
            return 1
        most = min(bounds.trips, nearest or bounds.trips) // vlen
        if self._waits_for_lanes(loop):
            # How long the slowest lane takes counts, and not how much a step has to do.
            return max(1, min(most, MOST_PARTS))
        if not recurrences or not is_innermost(loop):
            return 1
        with _tried(loop, {loop: Form()}, self) as (_, wide):
            cycles = self._cycles(wide[loop].body.block)
        latency = max(self._latency(recurrence) for recurrence in recurrences)
        wanted = ceil(latency / cycles) if cycles else 1
        return max(1, min(most, MOST_PARTS, wanted))

    def _waits_for_lanes(self, loop: scf.ForOp) -> bool:
        """Whether all loops within are left by lanes at different times."""
        inner = [op for op in loop.body.walk() if isinstance(op, scf.ForOp | scf.WhileOp)]
        uneven = Shapes(loop, [VARYING] * len(loop.iter_args)).uneven
        return bool(inner) and all(isinstance(op, scf.WhileOp) or op in uneven for op in inner)

    def _cycles(self, body: Block) -> float:
        """The bound of the ops of a wide iteration, when selections are left open."""
        slots = self.target.slots
        selections = [op for op in body.ops if isinstance(op, word.SelectOp)]
        others = [op for op in body.ops if not isinstance(op, word.SelectOp)]
        ways = open_select_ways(self.target, vector=True)
        if not ways or not selections:
            return resource_bound(straight_line_work(body.ops, self.target), slots).cycles
        work = straight_line_work(others, self.target)
        work[ways] += len(selections)
        difference = function_work(self.target, "sub", vector=True)
        work.update({ways: count * len(selections) for ways, count in difference.items()})
        return resource_bound(work, slots).cycles

    def _latency(self, recurrence: Recurrence) -> int:
        """Cycles from what a wide iteration gets to what it hands on."""
        match recurrence:
            case Reduction() | Scan():
                return self._depth(recurrence.function)
            case Best():
                # Keys are compared as unsigned words.
                compared = 0 if recurrence.better is None else self._depth("ult")
                return compared + self._depth("select")
            case _:
                return 0

    def _depth(self, function: str) -> int:
        """Cycles that a function takes at most."""
        is_direct = function not in EXPANSIONS or alternatives(self.target, function, vector=True)
        return 1 if is_direct else sum(map(self._depth, functions_used(function)))


def _vectorize_nest(loop: scf.ForOp, run: _Run) -> None:
    plan, cost = _plan(loop, run)
    if not plan or cost >= _cost(loop, {}, run):
        return
    for chosen, form in plan.items():
        wide = run.widen(chosen, form)
        run.statistics.count("num-vectorized-loops")
        times = f", {form.parts} vectors at a time" if form.parts > 1 else ""
        remark(wide, run.name, f"widened to {run.target.vlen} lanes{times}", RemarkKind.PASSED)


def _plan(loop: scf.ForOp, run: _Run) -> tuple[Plan, float]:
    """The cheapest way to widen `loop` or loops inside of it, and what `loop` costs then."""
    inner: dict[scf.ForOp, Form] = {}
    for op in loop.body.block.walk():
        if isinstance(op, scf.ForOp) and _nearest_loop(op) is loop:
            inner |= _plan(op, run)[0]
    inner_cost = _cost(loop, inner, run)
    try:
        outer = {loop: run.form(loop)}
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
    """What `loop` costs once `plan` is carried out. Raises `Illegal`."""
    with _tried(loop, plan, run) as (block, _):
        return block_estimate(block, run.target)


@contextmanager
def _tried(
    loop: scf.ForOp, plan: Plan, run: _Run
) -> Generator[tuple[Block, dict[scf.ForOp, scf.ForOp]]]:
    """A block with a copy of `loop` on which `plan` is carried out, and the wide loops in it.

    Raises `Illegal`.
    """
    copy = loop.clone()
    block = Block([copy])
    copies = {
        old: new
        for old, new in zip(loop.walk(), copy.walk(), strict=True)
        if isinstance(new, scf.ForOp)
    }
    try:
        yield block, {old: run.widen(copies[old], form) for old, form in plan.items()}
    finally:
        # The copy must not be left as a user of the values around the loop.
        block.erase()
