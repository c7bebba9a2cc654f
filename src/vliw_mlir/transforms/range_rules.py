"""What ranges and known bits make superfluous, function by function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from xdsl.ir import SSAValue

from vliw_mlir.analysis.word_sets import WordSet
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp

Rule: TypeAlias = Callable[..., SSAValue | None]
"""Takes an emitter, an operation and what each of its operands can be; gives a simpler value in
place of the result, None if there is none."""


def _and(e: BeforeOp, op: word.ArithmeticOp, a: WordSet, b: WordSet) -> SSAValue | None:
    if not a.possible & ~b.ones:
        return op.operands[0]
    return op.operands[1] if not b.possible & ~a.ones else None


def _or(e: BeforeOp, op: word.ArithmeticOp, a: WordSet, b: WordSet) -> SSAValue | None:
    if not b.possible & ~a.ones:
        return op.operands[0]
    if not a.possible & ~b.ones:
        return op.operands[1]
    return _disjoint(e, op, a, b)


def _disjoint(e: BeforeOp, op: word.ArithmeticOp, a: WordSet, b: WordSet) -> SSAValue | None:
    return None if a.possible & b.possible else e.function("add", *op.operands)


def _remu(e: BeforeOp, op: word.ArithmeticOp, a: WordSet, b: WordSet) -> SSAValue | None:
    return op.operands[0] if a.hi < b.lo else None


def _shrs(e: BeforeOp, op: word.ArithmeticOp, a: WordSet, count: WordSet) -> SSAValue | None:
    return e.function("shru", *op.operands) if a.is_nonnegative else None


def _select(
    e: BeforeOp, op: word.ArithmeticOp, condition: WordSet, a: WordSet, b: WordSet
) -> SSAValue | None:
    if condition.hi == 0:
        return op.operands[2]
    return op.operands[1] if condition.lo else None


def _minimum(e: BeforeOp, op: word.ArithmeticOp, a: WordSet, b: WordSet) -> SSAValue | None:
    if a.hi <= b.lo:
        return op.operands[0]
    return op.operands[1] if b.hi <= a.lo else None


def _maximum(e: BeforeOp, op: word.ArithmeticOp, a: WordSet, b: WordSet) -> SSAValue | None:
    if a.lo >= b.hi:
        return op.operands[0]
    return op.operands[1] if b.lo >= a.hi else None


def _signed_extreme(unsigned: str, better: Callable[[int, int], bool]) -> Rule:
    def rule(e: BeforeOp, op: word.ArithmeticOp, a: WordSet, b: WordSet) -> SSAValue | None:
        (a_lo, a_hi), (b_lo, b_hi) = a.signed_bounds, b.signed_bounds
        if better(a_lo, b_hi) and better(a_hi, b_lo):
            return op.operands[0]
        if better(b_lo, a_hi) and better(b_hi, a_lo):
            return op.operands[1]
        return e.function(unsigned, *op.operands) if _have_same_sign(a, b) else None

    return rule


def _have_same_sign(a: WordSet, b: WordSet) -> bool:
    return (a.is_nonnegative and b.is_nonnegative) or (a.is_negative and b.is_negative)


def _if_nonnegative(unsigned: str) -> Rule:
    def rule(e: BeforeOp, op: word.ArithmeticOp, a: WordSet, b: WordSet) -> SSAValue | None:
        if a.is_nonnegative and b.is_nonnegative:
            return e.function(unsigned, *op.operands)
        return None

    return rule


def _if_same_sign(unsigned: str) -> Rule:
    def rule(e: BeforeOp, op: word.ArithmeticOp, a: WordSet, b: WordSet) -> SSAValue | None:
        return e.function(unsigned, *op.operands) if _have_same_sign(a, b) else None

    return rule


RULES: dict[str, Rule] = {
    "and": _and,
    "or": _or,
    "xor": _disjoint,
    "remu": _remu,
    "shrs": _shrs,
    "select": _select,
    "minu": _minimum,
    "maxu": _maximum,
    "mins": _signed_extreme("minu", int.__le__),
    "maxs": _signed_extreme("maxu", int.__ge__),
    "mulhs": _if_nonnegative("mulhu"),
    "divs": _if_nonnegative("divu"),
    "floordivs": _if_nonnegative("divu"),
    "ceildivs": _if_nonnegative("ceildivu"),
    "rems": _if_nonnegative("remu"),
    "slt": _if_same_sign("ult"),
    "sle": _if_same_sign("ule"),
    "sgt": _if_same_sign("ugt"),
    "sge": _if_same_sign("uge"),
}
"""The rule of each function that has one."""
