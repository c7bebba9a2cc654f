"""How word functions are composed of simpler ones.

One entry per function that a machine may lack. An expansion is written over an `Emitter`,
so it serves words, vectors and tensors alike, and the tests check each entry against the
function's meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Operation, SSAValue

from vliw_mlir.dialects.emitter import Emitter
from vliw_mlir.dialects.word import ArithmeticOp
from vliw_mlir.semantics import FUNCTIONS, SIGN_BIT, WORD_MASK

Expansion: TypeAlias = Callable[..., SSAValue]
"""Takes an emitter and the operands, gives the result."""

HALF = 16
HALF_MASK = 0xFFFF


def _flip(e: Emitter, x: SSAValue) -> SSAValue:
    """Flipping the sign bit turns signed order into unsigned order.

    Done by adding, as sums with other constants become one.
    """
    return e.function("add", x, e.splat(SIGN_BIT, x))


def _not(e: Emitter, truth: SSAValue) -> SSAValue:
    return e.function("xor", truth, e.splat(1, truth))


def _sign_mask(e: Emitter, x: SSAValue) -> SSAValue:
    """All ones when `x` is negative, else zero."""
    sign = e.function("shru", x, e.splat(31, x))
    return e.function("sub", e.splat(0, x), sign)


def _negate_if(e: Emitter, mask: SSAValue, x: SSAValue) -> SSAValue:
    """`-x` where the mask is all ones, `x` where it is zero."""
    return e.function("sub", e.function("xor", x, mask), mask)


def _ne(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    return _not(e, e.function("eq", a, b))


def _ugt(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    return e.function("ult", b, a)


def _ule(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    return _not(e, e.function("ult", b, a))


def _uge(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    return _not(e, e.function("ult", a, b))


def _slt(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    return e.function("ult", _flip(e, a), _flip(e, b))


def _sgt(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    return _slt(e, b, a)


def _sle(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    return _not(e, _slt(e, b, a))


def _sge(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    return _not(e, _slt(e, a, b))


def _minu(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    return e.function("select", e.function("ult", a, b), a, b)


def _maxu(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    return e.function("select", e.function("ult", a, b), b, a)


def _mins(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    return e.function("select", _slt(e, a, b), a, b)


def _maxs(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    return e.function("select", _slt(e, a, b), b, a)


def _shrs(e: Emitter, x: SSAValue, count: SSAValue) -> SSAValue:
    """Shift with the sign bit flipped, then flip it back where it has come to (Hacker's Delight
    2-7).

    Counts over 31 act as 31.
    """
    limit = e.splat(31, count)
    count = e.function("select", e.function("ult", count, limit), count, limit)
    sign = e.function("shru", e.splat(SIGN_BIT, x), count)
    return e.function("sub", e.function("shru", _flip(e, x), count), sign)


def _rotate(e: Emitter, x: SSAValue, count: SSAValue, there: str, back: str) -> SSAValue:
    """A count of 0 shifts back by 32, which gives 0."""
    count = e.function("and", count, e.splat(31, count))
    rest = e.function("sub", e.splat(32, count), count)
    return e.function("or", e.function(there, x, count), e.function(back, x, rest))


def _rotl(e: Emitter, x: SSAValue, count: SSAValue) -> SSAValue:
    return _rotate(e, x, count, "shl", "shru")


def _rotr(e: Emitter, x: SSAValue, count: SSAValue) -> SSAValue:
    return _rotate(e, x, count, "shru", "shl")


def _mulhu(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    """Schoolbook multiplication on half words; no sum overflows (Hacker's Delight 8-2)."""
    half, mask = e.splat(HALF, a), e.splat(HALF_MASK, a)
    a_low, a_high = e.function("and", a, mask), e.function("shru", a, half)
    b_low, b_high = e.function("and", b, mask), e.function("shru", b, half)
    low = e.function("mul", a_low, b_low)
    middle = e.function("mul", a_high, b_low)
    middle = e.function("add", middle, e.function("shru", low, half))
    other = e.function("mul", a_low, b_high)
    other = e.function("add", other, e.function("and", middle, mask))
    high = e.function("mul", a_high, b_high)
    high = e.function("add", high, e.function("shru", middle, half))
    return e.function("add", high, e.function("shru", other, half))


def _mulhs(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    """Correct the unsigned high word for negative operands (Hacker's Delight 8-3)."""
    high = e.function("mulhu", a, b)
    high = e.function("sub", high, e.function("and", b, _sign_mask(e, a)))
    return e.function("sub", high, e.function("and", a, _sign_mask(e, b)))


def _divs(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    """Divide magnitudes. -2^31 is its own magnitude, so -2^31 / -1 wraps as it should."""
    a_sign, b_sign = _sign_mask(e, a), _sign_mask(e, b)
    quotient = e.function("divu", _negate_if(e, a_sign, a), _negate_if(e, b_sign, b))
    return _negate_if(e, e.function("xor", a_sign, b_sign), quotient)


def _rems(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    a_sign, b_sign = _sign_mask(e, a), _sign_mask(e, b)
    remainder = e.function("remu", _negate_if(e, a_sign, a), _negate_if(e, b_sign, b))
    return _negate_if(e, a_sign, remainder)


def _inexact(e: Emitter, a: SSAValue, b: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
    """Truncated quotient, whether there is a remainder, whether its sign differs from `b`'s."""
    quotient = e.function("divs", a, b)
    remainder = e.function("sub", a, e.function("mul", quotient, b))
    inexact = e.function("ne", remainder, e.splat(0, a))
    differs = e.function("shru", e.function("xor", remainder, b), e.splat(31, a))
    return quotient, inexact, differs


def _floordivs(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    quotient, inexact, differs = _inexact(e, a, b)
    return e.function("sub", quotient, e.function("and", inexact, differs))


def _ceildivs(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    quotient, inexact, differs = _inexact(e, a, b)
    return e.function("add", quotient, e.function("and", inexact, _not(e, differs)))


def _ceildivu(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    inexact = e.function("ne", e.function("remu", a, b), e.splat(0, a))
    return e.function("add", e.function("divu", a, b), inexact)


def _remu(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    return e.function("sub", a, e.function("mul", e.function("divu", a, b), b))


def _multiply_add(e: Emitter, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
    return e.function("add", e.function("mul", a, b), c)


def _select(e: Emitter, c: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
    """Mask the difference: the mask is all ones unless `c` is zero."""
    mask = e.function("sub", e.function("eq", c, e.splat(0, c)), e.splat(1, c))
    difference = e.function("and", e.function("xor", a, b), mask)
    return e.function("xor", b, difference)


def _sub(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    """`a + ~b + 1`."""
    negated = e.function("add", e.function("xor", b, e.splat(WORD_MASK, b)), e.splat(1, b))
    return e.function("add", a, negated)


EXPANSIONS: dict[str, Expansion] = {
    "ne": _ne,
    "ugt": _ugt,
    "ule": _ule,
    "uge": _uge,
    "slt": _slt,
    "sgt": _sgt,
    "sle": _sle,
    "sge": _sge,
    "minu": _minu,
    "maxu": _maxu,
    "mins": _mins,
    "maxs": _maxs,
    "shrs": _shrs,
    "rotl": _rotl,
    "rotr": _rotr,
    "mulhu": _mulhu,
    "mulhs": _mulhs,
    "divs": _divs,
    "rems": _rems,
    "floordivs": _floordivs,
    "ceildivs": _ceildivs,
    "ceildivu": _ceildivu,
    "remu": _remu,
    "multiply_add": _multiply_add,
    "select": _select,
    "sub": _sub,
}
"""The expansion of each word function that has one."""


class _Counter(Emitter):
    """Collects the functions of the ops it is given."""

    def __init__(self) -> None:
        self.functions: list[str] = []

    def append(self, op: Operation) -> None:
        if isinstance(op, ArithmeticOp):
            self.functions.append(op.function.name)


@cache
def functions_used(function: str) -> tuple[str, ...]:
    """The word functions that the expansion of `function` applies, constants aside.

    Raises `KeyError` for a function without expansion.
    """
    counter = _Counter()
    operands = Block(arg_types=[i32] * FUNCTIONS[function].arity).args
    EXPANSIONS[function](counter, *operands)
    return tuple(counter.functions)
