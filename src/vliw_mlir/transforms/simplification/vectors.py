"""What operations on the lanes of vectors are equal to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.ir import Attribute, Operation

from vliw_mlir.dialects import word
from vliw_mlir.transforms.rules.matcher import CONSTANT, Words
from vliw_mlir.transforms.simplification.expressions import Expression, Expressions

BROADCAST, FROM_ELEMENTS = word.BroadcastOp.name, word.FromElementsOp.name
EXTRACT, INSERT = word.ExtractOp.name, word.InsertOp.name


def broadcast(e: Expressions, element: Expression, type: Attribute) -> Expression:
    """A vector full of a word."""
    if element.constant is not None:
        return e.constant(element.constant, type)
    key = (BROADCAST, type, element)
    lanes = word.lanes_of(type)
    assert lanes is not None
    return e.find(key) or _make(e, key, word.BroadcastOp(element.value, lanes), (element,))


def known_lane(e: Expressions, vector: Expression, number: int) -> Expression | None:
    """What one lane of a vector is equal to, None when it has to be taken out."""
    if vector.function not in (CONSTANT, BROADCAST, FROM_ELEMENTS, INSERT):
        return None
    while vector.function == INSERT:
        if _lane_of(vector) == number:
            return vector.args[0]
        vector = vector.args[1]
    match vector.function:
        case "constant":
            words = vector.constant
            assert words is not None
            return e.constant(words if isinstance(words, int) else words[number])
        case word.BroadcastOp.name:
            return vector.args[0]
        case word.FromElementsOp.name:
            return vector.args[number]
        case _:
            key = (EXTRACT, vector, number)
            return e.find(key) or _make(e, key, word.ExtractOp(vector.value, number), (vector,))


def from_elements(
    e: Expressions, elements: Sequence[Expression], type: Attribute
) -> Expression | None:
    """What a vector of the given words is equal to, None when it has to be put together."""
    first = elements[0]
    if all(element is first for element in elements):
        return broadcast(e, first, type)
    if all(element.word is not None for element in elements):
        return e.constant(tuple(cast(int, element.word) for element in elements), type)
    if first.function != EXTRACT or first.args[0].value.type != type:
        return None
    vector = first.args[0]
    in_place = all(
        element.function == EXTRACT and element.args[0] is vector and _lane_of(element) == number
        for number, element in enumerate(elements)
    )
    return vector if in_place else None


def inserted(
    e: Expressions, element: Expression, vector: Expression, number: int
) -> Expression | None:
    """What a vector with one lane replaced is equal to, None when it has to be made."""
    if lane_is(vector, number, element):
        return vector
    if element.word is None or vector.constant is None:
        return None
    lanes = word.lanes_of(vector.value.type)
    assert lanes is not None
    words = vector.constant
    row = [words] * lanes if isinstance(words, int) else list(words)
    row[number] = element.word
    uniform: Words = row[0] if len(set(row)) == 1 else tuple(row)
    return e.constant_like(uniform, vector)


def lane_is(vector: Expression, number: int, element: Expression) -> bool:
    """Whether a lane of a vector is known to be `element`."""
    if element.function == EXTRACT and element.args[0] is vector:
        return _lane_of(element) == number
    if vector.function == BROADCAST:
        return vector.args[0] is element
    return vector.function == FROM_ELEMENTS and vector.args[number] is element


def uniform(
    e: Expressions, function: str, args: Sequence[Expression], type: Attribute
) -> Expression | None:
    """`function(*args)` of vectors full of one word each, computed on that word.

    None when the vectors are not that, or when nothing would be gained.
    """
    if any(arg.function != BROADCAST and arg.word is None for arg in args):
        return None
    scalars = [arg.args[0] if arg.word is None else e.constant(arg.word) for arg in args]
    return broadcast(e, e.apply(function, scalars), type)


def _make(
    e: Expressions, key: tuple[object, ...], op: Operation, args: tuple[Expression, ...]
) -> Expression:
    e.insert(op)
    return e.define(op.results[0], op.name, args, key)


def _lane_of(expression: Expression) -> int:
    """The lane that an extract or insert is about."""
    op = expression.value.owner
    assert isinstance(op, word.ExtractOp | word.InsertOp)
    return op.lane.value.data


__all__ = ["BROADCAST", "CONSTANT", "EXTRACT", "FROM_ELEMENTS", "INSERT"]
