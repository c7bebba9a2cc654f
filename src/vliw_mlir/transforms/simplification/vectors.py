"""What operations on the lanes of vectors are equal to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import VectorType, i32
from xdsl.ir import Attribute, Operation

from vliw_mlir.dialects import word
from vliw_mlir.transforms.rules.matcher import CONSTANT, Words
from vliw_mlir.transforms.simplification.expressions import Expression, Expressions

BROADCAST, FROM_ELEMENTS = word.BroadcastOp.name, word.FromElementsOp.name
EXTRACT, INSERT = word.ExtractOp.name, word.InsertOp.name
CONCAT, SLICE = word.ConcatOp.name, word.SliceOp.name


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
    source, lane = _source_of_lane(vector, number)
    match source.function:
        case _ if _lanes(source) is None:
            return source
        case "constant":
            words = source.constant
            assert words is not None
            return e.constant(words if isinstance(words, int) else words[lane])
        case word.BroadcastOp.name:
            return source.args[0]
        case word.FromElementsOp.name:
            return source.args[lane]
        case _ if source is vector:
            return None
        case _:
            key = (EXTRACT, source, lane)
            return e.find(key) or _make(e, key, word.ExtractOp(source.value, lane), (source,))


def _source_of_lane(vector: Expression, number: int) -> tuple[Expression, int]:
    """Where a lane of a vector comes from: a word, or a lane of another vector."""
    while _lanes(vector) is not None:
        match vector.function:
            case word.InsertOp.name if _lane_of(vector) == number:
                return vector.args[0], 0
            case word.InsertOp.name:
                vector = vector.args[1]
            case word.SliceOp.name:
                number += _lane_of(vector)
                vector = vector.args[0]
            case word.ConcatOp.name:
                vector, number = _part_at(vector.args, number)
            case _:
                break
    return vector, number


def _part_at(parts: Sequence[Expression], number: int) -> tuple[Expression, int]:
    """The part that holds a lane of a concatenation, and the number of the lane there."""
    for part in parts:
        lanes = _lanes(part) or 1
        if number < lanes:
            return part, number
        number -= lanes
    raise IndexError(number)


def sliced(e: Expressions, vector: Expression, lane: int, lanes: int) -> Expression | None:
    """What consecutive lanes of a vector are equal to, None when they have to be taken out."""
    source, first = vector, lane
    while (inner := _around(source, first, lanes)) is not None:
        source, first = inner
    type = VectorType(i32, [lanes])
    if source.value.type == type:
        return source
    words = source.constant
    if words is not None:
        return e.constant(_uniform(words, first, lanes), type)
    if source.function == BROADCAST:
        return broadcast(e, source.args[0], type)
    if source.function == FROM_ELEMENTS:
        return put_together(e, source.args[first : first + lanes])
    return None if source is vector else slice_of(e, source, first, lanes)


def _around(vector: Expression, lane: int, lanes: int) -> tuple[Expression, int] | None:
    """The vector that lanes of another one are taken from, and the first of them there."""
    match vector.function:
        case word.SliceOp.name:
            return vector.args[0], lane + _lane_of(vector)
        case word.InsertOp.name if not lane <= _lane_of(vector) < lane + lanes:
            return vector.args[1], lane
        case word.ConcatOp.name:
            part, first = _part_at(vector.args, lane)
            return (part, first) if first + lanes <= (_lanes(part) or 0) else None
        case _:
            return None


def slice_of(e: Expressions, vector: Expression, lane: int, lanes: int) -> Expression:
    """Consecutive lanes of a vector."""
    key = (SLICE, vector, lane, lanes)
    return e.find(key) or _make(e, key, word.SliceOp(vector.value, lane, lanes), (vector,))


def _uniform(words: Words, first: int, lanes: int) -> Words:
    """Some lanes of a constant, as one word if they are equal."""
    row = (words,) * lanes if isinstance(words, int) else words[first : first + lanes]
    return row[0] if len(set(row)) == 1 else row


def concatenated(e: Expressions, parts: Sequence[Expression]) -> Expression | None:
    """What words and vectors one after the other are equal to; None when they are to be put
    together as they are."""
    simpler = _joined([inner for part in parts for inner in _inner_parts(part)], e)
    if len(simpler) == 1 and _lanes(simpler[0]) is not None:
        return simpler[0]
    if all(_lanes(part) is None for part in simpler):
        return put_together(e, simpler)
    if all(part.constant is not None for part in simpler):
        words = [w for part in simpler for w in _all_words(part)]
        return e.constant(_uniform(tuple(words), 0, len(words)), VectorType(i32, [len(words)]))
    if simpler == list(parts):
        return None
    key = (CONCAT, *simpler)
    found = e.find(key)
    if found is not None:
        return found
    return _make(e, key, word.ConcatOp([part.value for part in simpler]), tuple(simpler))


def _inner_parts(part: Expression) -> Sequence[Expression]:
    return part.args if part.function == CONCAT else (part,)


def _all_words(constant: Expression) -> tuple[int, ...]:
    words = constant.constant
    if isinstance(words, int):
        return (words,) * (_lanes(constant) or 1)
    assert words is not None
    return words


def _joined(parts: Sequence[Expression], e: Expressions) -> list[Expression]:
    """Parts, in which slices are one that are neighbours in the same vector."""
    joined: list[Expression] = []
    for part in parts:
        last = _window(joined[-1]) if joined else None
        window = _window(part)
        if last is None or window is None:
            joined.append(part)
            continue
        vector, lane, lanes = last
        if vector is not window[0] or lane + lanes != window[1]:
            joined.append(part)
            continue
        whole = lanes + window[2]
        joined[-1] = sliced(e, vector, lane, whole) or slice_of(e, vector, lane, whole)
    return joined


def _window(part: Expression) -> tuple[Expression, int, int] | None:
    """The vector that a slice or a word is taken from, the first lane, and how many."""
    if part.function not in (SLICE, EXTRACT):
        return None
    return part.args[0], _lane_of(part), _lanes(part) or 1


def put_together(e: Expressions, elements: Sequence[Expression]) -> Expression:
    """A vector of the given words."""
    type = VectorType(i32, [len(elements)])
    simpler = from_elements(e, elements, type)
    if simpler is not None:
        return simpler
    key = (FROM_ELEMENTS, *elements)
    op = word.FromElementsOp([element.value for element in elements])
    return e.find(key) or _make(e, key, op, tuple(elements))


def from_elements(
    e: Expressions, elements: Sequence[Expression], type: Attribute
) -> Expression | None:
    """What a vector of the given words is equal to, None when it has to be put together."""
    first = elements[0]
    if all(element is first for element in elements):
        return broadcast(e, first, type)
    if all(element.word is not None for element in elements):
        return e.constant(tuple(cast(int, element.word) for element in elements), type)
    if first.function != EXTRACT:
        return None
    vector, lane = first.args[0], _lane_of(first)
    in_place = all(
        element.function == EXTRACT and element.args[0] is vector and _lane_of(element) == number
        for number, element in enumerate(elements, lane)
    )
    if not in_place:
        return None
    return vector if vector.value.type == type else slice_of(e, vector, lane, len(elements))


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
    """The lane that an extract, insert or slice is about."""
    op = expression.value.owner
    assert isinstance(op, word.ExtractOp | word.InsertOp | word.SliceOp)
    return op.lane.value.data


def _lanes(expression: Expression) -> int | None:
    return word.lanes_of(expression.value.type)


__all__ = ["BROADCAST", "CONCAT", "CONSTANT", "EXTRACT", "FROM_ELEMENTS", "INSERT", "SLICE"]
