"""Nests of counted loops with nothing but moveable code between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue
from xdsl.traits import NoMemoryEffect, Pure

from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.analysis.buffers import root_of
from vliw_mlir.analysis.cfg import terminator
from vliw_mlir.analysis.dependence import unordered_effects
from vliw_mlir.analysis.iterations import loop_facts
from vliw_mlir.analysis.loops import counter_of, is_defined_in
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.transforms.loop_building import loop_like
from vliw_mlir.transforms.rewriting import inline_block, move_before, replace_op

MOST_LOOPS = 8
"""The most loops of a nest that are looked at together: directions of dependences are many."""


@dataclass
class LoopNest:
    """Loops of which each is all that the one before does, apart from code that can move.

    The number of iterations of each loop is the same whenever it runs, and finite. What the
    loops carry goes through all of them.
    """

    loops: list[scf.ForOp]
    """The loops, outermost first."""
    hoisted: list[Operation] = field(default_factory=list[Operation])
    """What can move in front of the nest, in this order."""
    sunk: list[Operation] = field(default_factory=list[Operation])
    """What can move to the start of the innermost body, in this order."""


def find_nest(loop: scf.ForOp, aliases: AliasAnalysis) -> LoopNest:
    """The longest nest that starts with `loop`, of at most `MOST_LOOPS` loops; only `loop` if
    there is none."""
    nest = LoopNest([loop])
    if _inner_loop(loop) is None or not loop_facts(loop, aliases).ends:
        return nest
    is_read_only = read_only_test(loop, aliases)
    while len(nest.loops) < MOST_LOOPS and (inner := _inner_loop(nest.loops[-1])) is not None:
        if not loop_facts(inner, aliases).ends or not _carries_the_same(nest.loops[-1], inner):
            break
        hoisted, sunk = _split(inner, nest, is_read_only)
        if hoisted is None or sunk is None:
            break
        nest.hoisted += hoisted
        nest.sunk += sunk
        nest.loops.append(inner)
    return nest


def _inner_loop(loop: scf.ForOp) -> scf.ForOp | None:
    """The loop that ends the body of `loop`."""
    last = terminator(loop.body).prev_op
    return last if isinstance(last, scf.ForOp) else None


def _carries_the_same(outer: scf.ForOp, inner: scf.ForOp) -> bool:
    """Whether what the outer loop carries goes through the inner one and nowhere else."""
    arguments = outer.body.block.args[1:]
    return (
        list(inner.iter_args) == list(arguments)
        and list(terminator(outer.body).operands) == list(inner.results)
        and all(value.has_one_use() for value in (*arguments, *inner.results))
    )


def _split(
    inner: scf.ForOp, nest: LoopNest, is_read_only: Callable[[Operation], bool]
) -> tuple[list[Operation] | None, list[Operation] | None]:
    """What is in front of `inner` as what can move out of the nest and what can move into
    `inner`; None and None if something can do neither, or the bounds are not the same in all
    iterations."""
    nothing = None, None
    outermost = nest.loops[0]
    block = inner.parent
    assert block is not None
    ops = list(block.ops)[:-2]
    outside: set[SSAValue] = {result for op in nest.hoisted for result in op.results}
    hoisted: list[Operation] = []

    def is_outside(value: SSAValue) -> bool:
        return value in outside or not is_defined_in(value, outermost)

    for op in ops:
        if op.has_trait(Pure) and not op.regions and all(map(is_outside, op.operands)):
            hoisted.append(op)
            outside.update(op.results)
    if not all(map(is_outside, (inner.lb, inner.ub, inner.step))):
        return nothing
    sunk: list[Operation] = []
    for op in reversed([op for op in ops if op not in set(hoisted)]):
        can_move = not op.regions and (op.has_trait(NoMemoryEffect) or is_read_only(op))
        if not can_move or not all(_is_used_inside(r, inner, sunk) for r in op.results):
            return nothing
        sunk.append(op)
    return hoisted, sunk[::-1]


def _is_used_inside(value: SSAValue, inner: scf.ForOp, sunk: Sequence[Operation]) -> bool:
    """Whether all uses of `value` are in the body of `inner` or among what moves there."""
    return all(use.operation in sunk or _is_inside(use.operation, inner) for use in value.uses)


def _is_inside(op: Operation, loop: scf.ForOp) -> bool:
    parent = op.parent_op()
    while parent is not None and parent is not loop:
        parent = parent.parent_op()
    return parent is loop


def read_only_test(loop: scf.ForOp, aliases: AliasAnalysis) -> Callable[[Operation], bool]:
    """Whether an operation is a load of memory that `loop` does not store to."""
    if unordered_effects(loop):
        return lambda op: False
    stores = (op for op in loop.walk() if isinstance(op, word.StoreOp | word.ScatterOp))
    written = set(map(root_of, (op.buffer for op in stores)))

    def is_read_only(op: Operation) -> bool:
        if not isinstance(op, word.LoadOp | word.GatherOp):
            return False
        buffer = root_of(op.buffer)
        return all(aliases.is_distinct(buffer, other) for other in written)

    return is_read_only


def permute_nest(nest: LoopNest, order: Sequence[int]) -> scf.ForOp:
    """Put the loops of `nest` into the order of their numbers given; the new innermost loop."""
    outermost, innermost = nest.loops[0], nest.loops[-1]
    for op in nest.hoisted:
        move_before(op, outermost)
    body = innermost.body.block
    first = body.first_op
    assert first is not None
    for op in nest.sunk:
        move_before(op, first)
    values: Sequence[SSAValue] = outermost.iter_args
    before: Operation = outermost
    made: list[scf.ForOp] = []
    for number in order:
        loop = nest.loops[number]
        new = loop_like(loop, initial=values)
        BeforeOp(before).append(new)
        made.append(new)
        counter_of(loop).replace_all_uses_with(counter_of(new))
        before, values = terminator(new.body), new.body.block.args[1:]
    ends = inline_block(body, [counter_of(innermost), *values], before)
    for new in reversed(made):
        terminator(new.body).operands = ends
        ends = new.results
    replace_op(outermost, ends)
    return made[-1]
