"""Simplification of operations on words, vectors and addresses."""

from __future__ import annotations

from xdsl.ir import Operation

from vliw_mlir.dialects import word
from vliw_mlir.transforms.simplification import vectors
from vliw_mlir.transforms.simplification.expressions import Expression, Expressions, ordered
from vliw_mlir.transforms.simplification.walk import Handler, Walk

TEST = word.TestOp.name


def _constant(walk: Walk, op: word.ConstantOp) -> None:
    expression = walk.expressions.define_constant(op)
    if expression.value is not op.result:
        walk.become(op, expression)


def simplify_arithmetic(walk: Walk, op: word.ArithmeticOp) -> None:
    """A word function of words or vectors."""
    e = walk.expressions
    function = op.FUNCTION or op.function.name
    args = e.operands(op)
    in_order = ordered(function, args)
    if in_order is not args:
        op.operands = [arg.value for arg in in_order]
    (result,) = op.results
    simpler = e.simplify(function, in_order)
    if simpler is None and word.lanes_of(result.type) is not None:
        simpler = vectors.uniform(e, function, in_order, result.type)
    if simpler is None:
        e.define_function(result, function, in_order)
    else:
        walk.become(op, simpler)


def _broadcast(walk: Walk, op: word.BroadcastOp) -> None:
    (element,) = walk.expressions.operands(op)
    type = op.result.type
    if element.constant is not None:
        walk.become(op, walk.expressions.constant(element.constant, type))
    else:
        walk.merge(op, (element,), (vectors.BROADCAST, type, element))


def _from_elements(walk: Walk, op: word.FromElementsOp) -> None:
    elements = walk.expressions.operands(op)
    simpler = vectors.from_elements(walk.expressions, elements, op.result.type)
    if simpler is None:
        walk.merge(op, elements, (vectors.FROM_ELEMENTS, *elements))
    else:
        walk.become(op, simpler)


def _extract(walk: Walk, op: word.ExtractOp) -> None:
    (vector,) = walk.expressions.operands(op)
    number = op.lane.value.data
    element = vectors.known_lane(walk.expressions, vector, number)
    if element is None:
        walk.merge(op, (vector,), (vectors.EXTRACT, vector, number))
    else:
        walk.become(op, element)


def _insert(walk: Walk, op: word.InsertOp) -> None:
    element, vector = walk.expressions.operands(op)
    number = op.lane.value.data
    simpler = vectors.inserted(walk.expressions, element, vector, number)
    if simpler is None:
        walk.merge(op, (element, vector), (vectors.INSERT, element, vector, number))
    else:
        walk.become(op, simpler)


def _concat(walk: Walk, op: word.ConcatOp) -> None:
    parts = walk.expressions.operands(op)
    simpler = vectors.concatenated(walk.expressions, parts)
    if simpler is None:
        walk.merge(op, parts, (vectors.CONCAT, *parts))
    else:
        walk.become(op, simpler)


def _slice(walk: Walk, op: word.SliceOp) -> None:
    (vector,) = walk.expressions.operands(op)
    lane, lanes = op.lane.value.data, word.lanes_of(op.result.type) or 1
    simpler = vectors.sliced(walk.expressions, vector, lane, lanes)
    if simpler is None:
        walk.merge(op, (vector,), (vectors.SLICE, vector, lane, lanes))
    else:
        walk.become(op, simpler)


def _test(walk: Walk, op: word.TestOp) -> None:
    (tested,) = walk.expressions.operands(op)
    truth = _without_nonzero(tested)
    if truth is not tested:
        op.operands[0] = truth.value
        walk.changes += 1
    walk.merge(op, (truth,), (TEST, truth))


def _without_nonzero(condition: Expression) -> Expression:
    """What is not zero when `condition` is not: `x` for `0 < x`."""
    while condition.function == "ult" and condition.args[0].word == 0:
        condition = condition.args[1]
    return condition


def _pure(walk: Walk, op: Operation) -> None:
    args = walk.expressions.operands(op)
    walk.merge(op, args, (op.name, op.results[0].type, *args))


def _subbuffer(walk: Walk, op: word.SubbufferOp) -> None:
    buffer, offset = walk.expressions.operands(op)
    if offset.word == 0 and buffer.value.type == op.result.type:
        walk.become(op, buffer)
    else:
        _pure(walk, op)


def truth_of(e: Expressions, condition: Expression) -> Expression:
    """The `i1` that says whether a word is not zero."""
    key = (TEST, condition)
    found = e.find(key)
    if found is not None:
        return found
    test = word.TestOp(condition.value)
    e.insert(test)
    return e.define(test.result, TEST, (condition,), key)


HANDLERS: dict[type[Operation], Handler] = {
    word.ConstantOp: _constant,
    word.ArithmeticOp: simplify_arithmetic,
    word.BroadcastOp: _broadcast,
    word.FromElementsOp: _from_elements,
    word.ExtractOp: _extract,
    word.InsertOp: _insert,
    word.ConcatOp: _concat,
    word.SliceOp: _slice,
    word.TestOp: _test,
    word.AddressOp: _pure,
    word.SubbufferOp: _subbuffer,
    word.CoreIdOp: _pure,
}
