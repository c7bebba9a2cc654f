"""Inner loops that lanes leave at different times.

Such a loop goes on as long as a lane does; what it carries for the others stays as it is. So
they would stop again whenever they were asked, and get the same results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Block, Operation, Region, SSAValue

from vliw_mlir.analysis.bounds import EXPECTED_TRIPS, expected_trips
from vliw_mlir.dialects import word
from vliw_mlir.transforms.vectorize.lanes import combine_all, lanes_of
from vliw_mlir.transforms.vectorize.widen import AtEnd, Widener

Vectors = list[list[SSAValue]]
"""The vectors of some values."""


class MaskingWidener(Widener):
    """Emits the wide form of loops that lanes leave at different times, too."""

    def widen(self, op: Operation, e: AtEnd) -> None:
        if isinstance(op, scf.WhileOp):
            _widen_while(self, op, e)
        elif isinstance(op, scf.ForOp) and op in self.shapes.uneven:
            _widen_uneven_for(self, op, e)
        else:
            super().widen(op, e)


def _widen_while(widener: Widener, op: scf.WhileOp, e: AtEnd) -> None:
    """Emit the wide form of an `scf.while` that each lane leaves when it likes."""
    before, after = op.before_region.block, op.after_region.block
    *asking, condition = before.ops
    *doing, end = after.ops
    assert isinstance(condition, scf.ConditionOp)
    assert isinstance(condition.condition.owner, word.TestOp)
    asked = condition.condition.owner.word

    def ask(state: Sequence[SSAValue], e: AtEnd) -> tuple[list[SSAValue], Vectors]:
        widener.take(before.args, state)
        _widen_all(widener, asking, e)
        return widener.vectors(asked, e), [widener.vectors(v, e) for v in condition.args]

    def go_on(passed: Sequence[SSAValue], e: AtEnd) -> Vectors:
        widener.take(after.args, passed)
        _widen_all(widener, doing, e)
        return [widener.vectors(value, e) for value in end.operands]

    initial = [widener.vectors(value, e) for value in op.arguments]
    results = _masked_loop(widener, initial, ask, go_on, e)
    widener.take(op.results, results)


def _widen_uneven_for(widener: Widener, op: scf.ForOp, e: AtEnd) -> None:
    """Emit the wide form of an `scf.for` whose bounds differ between lanes."""
    body = op.body.block
    *doing, end = body.ops
    upper, step = widener.vectors(op.ub, e), widener.vectors(op.step, e)

    def ask(state: Sequence[SSAValue], e: AtEnd) -> tuple[list[SSAValue], Vectors]:
        parts = widener.parts
        values = [list(state[n : n + parts]) for n in range(0, len(state), parts)]
        return [e.function("slt", *pair) for pair in zip(values[0], upper, strict=True)], values

    def go_on(passed: Sequence[SSAValue], e: AtEnd) -> Vectors:
        widener.take(body.args, passed)
        _widen_all(widener, doing, e)
        counters = passed[: widener.parts]
        moved = [e.function("add", *pair) for pair in zip(counters, step, strict=True)]
        return [moved, *(widener.vectors(value, e) for value in end.operands)]

    initial = [widener.vectors(value, e) for value in (op.lb, *op.iter_args)]
    results = _masked_loop(widener, initial, ask, go_on, e)
    loop = results[0].owner
    assert isinstance(loop, scf.WhileOp)
    loop.attributes[EXPECTED_TRIPS] = IntegerAttr(expected_trips(op), i64)
    widener.take(op.results, results[widener.parts :])


def _widen_all(widener: Widener, ops: Sequence[Operation], e: AtEnd) -> None:
    for op in ops:
        widener.widen(op, AtEnd(e.block, op))


def _masked_loop(
    widener: Widener,
    initial: Vectors,
    ask: Callable[[Sequence[SSAValue], AtEnd], tuple[list[SSAValue], Vectors]],
    go_on: Callable[[Sequence[SSAValue], AtEnd], Vectors],
    e: AtEnd,
) -> Sequence[SSAValue]:
    """Emit a loop that carries vectors; what it hands on in the end.

    `ask` emits which lanes go on, and what is handed on, from what is carried; `go_on` what is
    carried then.
    """
    first = _flat(initial)
    before = Block(arg_types=[value.type for value in first])
    here = AtEnd(before, e.source)
    with widener.scope():
        going, passed = ask(before.args, here)
        if widener.mask is not None:
            going = [
                here.function("select", mask, lane, here.splat(0, lane))
                for mask, lane in zip(widener.mask, going, strict=True)
            ]
        any_lane = combine_all(here, "or", lanes_of(here, combine_all(here, "or", going)))
        # A value that is carried and handed on as it is shall be known to be the same.
        values = [*dict.fromkeys((*_flat(passed), *going, *before.args))]
        here.append(scf.ConditionOp(here.emit(word.TestOp(any_lane)), *values))
    types = [value.type for value in values]
    after = Block(arg_types=types)
    inside: dict[SSAValue, SSAValue] = dict(zip(values, after.args, strict=True))
    here = AtEnd(after, e.source)
    masks = [inside[value] for value in going]
    with widener.scope(), widener.masked(masks):
        changed = _flat(go_on([inside[value] for value in _flat(passed)], here))
        chosen = [
            here.function("select", mask, new, inside[old])
            for mask, new, old in zip(masks * len(initial), changed, before.args, strict=True)
        ]
        here.append(scf.YieldOp(*chosen))
    loop = scf.WhileOp(first, types, Region(before), Region(after))
    e.append(loop)
    outside = dict(zip(values, loop.results, strict=True))
    return [outside[value] for value in _flat(passed)]


def _flat(vectors: Vectors) -> list[SSAValue]:
    return [vector for vectors_of_one in vectors for vector in vectors_of_one]
