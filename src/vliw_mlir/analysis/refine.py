"""What the outcome of a condition says about the words it was computed from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from xdsl.ir import SSAValue

from vliw_mlir.analysis.transfer import SIGN, transfer
from vliw_mlir.analysis.word_sets import NONZERO, WordSet, constant, meet, words
from vliw_mlir.dialects import word
from vliw_mlir.semantics import WORD_MASK

Lookup: TypeAlias = Callable[[SSAValue], WordSet]
"""The set that is known of a value so far."""

Fact: TypeAlias = tuple[SSAValue, WordSet]

MAX_DEPTH = 6
"""How many operations back facts are followed."""

NEGATED: dict[str, str] = {
    "eq": "ne",
    "ne": "eq",
    "ult": "uge",
    "uge": "ult",
    "ule": "ugt",
    "ugt": "ule",
    "slt": "sge",
    "sge": "slt",
    "sle": "sgt",
    "sgt": "sle",
}
"""The comparison that holds where another one does not."""

ZERO = constant(0)


def implied(condition: SSAValue, truth: bool, lookup: Lookup) -> Iterator[Fact]:
    """What follows for values where `condition` is not zero (`truth`), or is zero.

    The facts hold one beside the other: a user keeps what is common to all of them and to what
    `lookup` says. On vectors they hold for the lanes where the condition is as said.
    """
    return _value_is(condition, NONZERO if truth else ZERO, lookup, MAX_DEPTH)


def refine(predicate: str, a: WordSet, b: WordSet) -> tuple[WordSet, WordSet]:
    """The members of `a` and `b` for which a comparison of the two may hold.

    The sets themselves where it never does.
    """
    narrowed = _REFINE[predicate](a, b)
    new_a, new_b = meet(a, narrowed[0]), meet(b, narrowed[1])
    if new_a is None or new_b is None:
        return a, b
    return new_a, new_b


def _value_is(value: SSAValue, known: WordSet, lookup: Lookup, depth: int) -> Iterator[Fact]:
    """Facts from `value` being a member of `known`."""
    new = meet(lookup(value), known)
    if new is None or depth == 0:
        # The condition never has this outcome: anything follows, and nothing is needed.
        return
    yield value, new
    op = value.owner
    if isinstance(op, word.ArithmeticOp) and (handler := _BACKWARD.get(op.function.name)):
        yield from handler(op, new, lookup, depth - 1)
    elif isinstance(op, word.CmpOp) and new.constant is not None:
        yield from _comparison(op, new.constant != 0, lookup, depth - 1)


def _comparison(op: word.CmpOp, truth: bool, lookup: Lookup, depth: int) -> Iterator[Fact]:
    predicate = str(op.predicate.data)
    if not truth:
        predicate = NEGATED[predicate]
    a, b = refine(predicate, lookup(op.lhs), lookup(op.rhs))
    yield from _value_is(op.lhs, a, lookup, depth)
    yield from _value_is(op.rhs, b, lookup, depth)


def _and(op: word.ArithmeticOp, known: WordSet, lookup: Lookup, depth: int) -> Iterator[Fact]:
    for value, other in _both_orders(op):
        bits = lookup(other)
        # Where the other operand has ones, the result shows the bit.
        sharper = words(known.lo, WORD_MASK, known.zeros & bits.ones, known.ones)
        yield from _value_is(value, sharper, lookup, depth)


def _or(op: word.ArithmeticOp, known: WordSet, lookup: Lookup, depth: int) -> Iterator[Fact]:
    for value, other in _both_orders(op):
        sharper = words(0, known.hi, known.zeros, known.ones & lookup(other).zeros)
        yield from _value_is(value, sharper, lookup, depth)


def _mul(op: word.ArithmeticOp, known: WordSet, lookup: Lookup, depth: int) -> Iterator[Fact]:
    if 0 in known:
        return
    for value in op.operands:
        yield from _value_is(value, NONZERO, lookup, depth)


def _invertible(
    op: word.ArithmeticOp, known: WordSet, lookup: Lookup, depth: int
) -> Iterator[Fact]:
    """Of a function that a constant operand makes invertible, the other operand."""
    function = op.function.name
    a, b = op.operands
    inverse = {"add": "sub", "sub": "add", "xor": "xor"}[function]
    if lookup(b).constant is not None:
        yield from _value_is(a, transfer(inverse, known, lookup(b)), lookup, depth)
    elif lookup(a).constant is not None:
        operands = (lookup(a), known) if function == "sub" else (known, lookup(a))
        again = "sub" if function == "sub" else inverse
        yield from _value_is(b, transfer(again, *operands), lookup, depth)


def _both_orders(op: word.ArithmeticOp) -> tuple[tuple[SSAValue, SSAValue], ...]:
    a, b = op.operands
    return (a, b), (b, a)


_BACKWARD: dict[str, Callable[[word.ArithmeticOp, WordSet, Lookup, int], Iterator[Fact]]] = {
    "and": _and,
    "or": _or,
    "mul": _mul,
    "add": _invertible,
    "sub": _invertible,
    "xor": _invertible,
}
"""What a function's result says about its operands."""


# Comparisons: supersets of the members of `a` and `b` for which they may hold.

_Comparison: TypeAlias = Callable[[WordSet, WordSet], tuple[WordSet, WordSet]]


def _eq(a: WordSet, b: WordSet) -> tuple[WordSet, WordSet]:
    return b, a


def _ne(a: WordSet, b: WordSet) -> tuple[WordSet, WordSet]:
    return _without(a, b), _without(b, a)


def _without(a: WordSet, b: WordSet) -> WordSet:
    """`a` without the only member of `b`, as far as that shows."""
    excluded = b.constant
    if excluded is None or a.constant is not None:
        return a
    return words(a.lo + (a.lo == excluded), a.hi - (a.hi == excluded), a.zeros, a.ones)


def _ult(a: WordSet, b: WordSet) -> tuple[WordSet, WordSet]:
    if a.lo >= b.hi:
        return a, b
    return words(0, b.hi - 1), words(a.lo + 1, WORD_MASK)


def _ule(a: WordSet, b: WordSet) -> tuple[WordSet, WordSet]:
    return words(0, b.hi), words(a.lo, WORD_MASK)


def _slt(a: WordSet, b: WordSet) -> tuple[WordSet, WordSet]:
    return _signed(_ult, a, b)


def _sle(a: WordSet, b: WordSet) -> tuple[WordSet, WordSet]:
    return _signed(_ule, a, b)


def _signed(compare: _Comparison, a: WordSet, b: WordSet) -> tuple[WordSet, WordSet]:
    """A signed comparison is the unsigned one of words with their sign bits flipped."""
    flipped = compare(transfer("xor", a, SIGN), transfer("xor", b, SIGN))
    return transfer("xor", flipped[0], SIGN), transfer("xor", flipped[1], SIGN)


def _swapped(compare: _Comparison) -> _Comparison:
    def swapped(a: WordSet, b: WordSet) -> tuple[WordSet, WordSet]:
        new_b, new_a = compare(b, a)
        return new_a, new_b

    return swapped


_REFINE: dict[str, _Comparison] = {
    "eq": _eq,
    "ne": _ne,
    "ult": _ult,
    "ule": _ule,
    "ugt": _swapped(_ult),
    "uge": _swapped(_ule),
    "slt": _slt,
    "sle": _sle,
    "sgt": _swapped(_slt),
    "sge": _swapped(_sle),
}
