"""Division by constants without dividing, where that costs the machine less."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.costs import function_cycles
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import Emitter
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.semantics import SIGN_BIT, WORD_BITS, WORD_MASK
from vliw_mlir.target import Target
from vliw_mlir.transforms.rewriting import replace_op, uniform_constant


@dataclass(frozen=True)
class DivideByConstant(ModulePass):
    """Replace divisions and remainders by constants, if the machine does something else faster.

    Works on the SSA level, on words and vectors. For each such operation the ways to compute it
    are compared by their cost on the machine (`analysis/costs.py`): the operation itself or what
    `expand-word-ops` makes of it, multiplication by a reciprocal, shifts, comparisons, and for
    signed division an unsigned one of magnitudes. A machine that divides in one slot keeps its
    unsigned divisions; one without division gets programs that divide by constants only.

    Reciprocals are those of Granlund and Montgomery, "Division by Invariant Integers using
    Multiplication" (PLDI 1994); the signed forms follow Warren, "Hacker's Delight", chapter 10.

    Statistics: `num-replaced`.
    """

    name = "divide-by-constant"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        target = target_of(op)
        for inner in list(op.walk()):
            if isinstance(inner, word.BinaryOp) and inner.FUNCTION in WAYS:
                statistics.count("num-replaced", _replace(inner, target))


@dataclass
class _Recorder(Emitter):
    """Collects operations that may be put somewhere later."""

    ops: list[Operation] = field(default_factory=list[Operation])

    def append(self, op: Operation) -> None:
        self.ops.append(op)

    def discard(self) -> None:
        """Erase the operations, so that they use nothing any more."""
        for op in reversed(self.ops):
            op.erase()


def _replace(op: word.BinaryOp, target: Target) -> int:
    """Compute `op` in the cheapest way; whether that is another one, 0 or 1."""
    divisor = uniform_constant(op.rhs)
    if not divisor:
        return 0
    e = _Recorder()
    value = _Division(target, e, op.lhs, divisor).cheapest(op.FUNCTION)
    if any(type(new) is type(op) for new in e.ops):
        e.discard()
        return 0
    remark(op, DivideByConstant.name, f"divides by {divisor} in another way", RemarkKind.PASSED)
    block = op.parent
    assert block is not None
    for new in e.ops:
        new.location = op.location
        block.insert_op_before(new, op)
    replace_op(op, [value])
    return 1


@dataclass
class _Division:
    """The division of a value by a constant, with what its ways have in common."""

    target: Target
    e: _Recorder
    x: SSAValue
    divisor: int

    def cheapest(self, name: str) -> SSAValue:
        """Emit the cheapest way to compute a function of dividend and divisor."""
        best = _Recorder()
        value = replace(self, e=best).function(name, self.x, self.divisor)
        least = self._cycles(best)
        for way in WAYS[name]:
            e = _Recorder()
            found = way(replace(self, e=e))
            cycles = self._cycles(e)
            if found is not None and cycles < least:
                least, best, value, e = cycles, e, found, best
            e.discard()
        self.e.ops += best.ops
        return value

    def _cycles(self, e: _Recorder) -> float:
        vector = word.lanes_of(self.x.type) is not None
        functions = (op.function.name for op in e.ops if isinstance(op, word.ArithmeticOp))
        return sum(function_cycles(self.target, name, vector=vector) for name in functions)

    def of(self, x: SSAValue) -> _Division:
        """The division of another value by the same constant."""
        return replace(self, x=x)

    @property
    def shift(self) -> int | None:
        """The logarithm of the divisor, None if it is no power of two."""
        d = self.divisor
        return d.bit_length() - 1 if d.bit_count() == 1 else None

    def function(self, name: str, *operands: SSAValue | int) -> SSAValue:
        """A word function of values and constants."""
        values = [self.e.splat(v, self.x) if isinstance(v, int) else v for v in operands]
        return self.e.function(name, *values)

    def sign(self) -> SSAValue:
        """1 when the dividend is negative, else 0."""
        return self.function("shru", self.x, WORD_BITS - 1)

    def sign_mask(self) -> SSAValue:
        """All ones when the dividend is negative, else zero."""
        return self.function("sub", 0, self.sign())

    def rounding(self) -> SSAValue:
        """What makes a power of two truncate: `divisor - 1` when the dividend is negative."""
        if self.divisor == 2:
            return self.sign()
        return self.function("and", self.sign_mask(), self.divisor - 1)

    def remainder(self, quotient: SSAValue) -> SSAValue:
        return self.function("sub", self.x, self.function("mul", quotient, self.divisor))


Way: TypeAlias = Callable[[_Division], SSAValue | None]
"""Emits a way to divide; None where it cannot be used."""


# Unsigned


def _shift(d: _Division) -> SSAValue | None:
    return None if d.shift is None else d.function("shru", d.x, d.shift)


def _mask(d: _Division) -> SSAValue | None:
    return None if d.shift is None else d.function("and", d.x, d.divisor - 1)


def _compare(d: _Division) -> SSAValue | None:
    """The quotient of a divisor of more than half of all words is 0 or 1."""
    return d.function("ult", d.divisor - 1, d.x) if d.divisor > SIGN_BIT else None


def _reciprocal(d: _Division) -> SSAValue | None:
    if d.divisor == 1 or d.shift is not None:
        return None
    multiplier, shift = _choose_multiplier(d.divisor, WORD_BITS)
    if multiplier <= WORD_MASK:
        return d.function("shru", d.function("mulhu", d.x, multiplier), shift)
    zeros = (d.divisor & -d.divisor).bit_length() - 1
    if zeros:
        # With the zeros shifted out, fewer bits are left to get right.
        multiplier, shift = _choose_multiplier(d.divisor >> zeros, WORD_BITS - zeros)
        shifted = d.function("shru", d.x, zeros)
        return d.function("shru", d.function("mulhu", shifted, multiplier), shift)
    # The multiplier has a bit more than a word: average the dividend with the product.
    high = d.function("mulhu", d.x, multiplier - (1 << WORD_BITS))
    half = d.function("shru", d.function("sub", d.x, high), 1)
    return d.function("shru", d.function("add", half, high), shift - 1)


def _choose_multiplier(divisor: int, precision: int) -> tuple[int, int]:
    """`m` and `s` such that `x // divisor` is `x * m >> WORD_BITS + s` for x < 2**precision."""
    shift = (divisor - 1).bit_length()
    scaled = 1 << (WORD_BITS + shift)
    low, high = scaled // divisor, (scaled + (scaled >> precision)) // divisor
    while low >> 1 < high >> 1 and shift:
        low, high, shift = low >> 1, high >> 1, shift - 1
    return high, shift


def _remainder_of_quotient(d: _Division) -> SSAValue | None:
    quotient = _compare(d) or _reciprocal(d)
    return None if quotient is None else d.remainder(quotient)


def _round_up(d: _Division) -> SSAValue | None:
    """One more than the quotient of the predecessor, if there is one."""
    positive = d.function("ult", 0, d.x)
    predecessor = d.of(d.function("sub", d.x, positive))
    return d.function("add", predecessor.cheapest("divu"), positive)


# Signed, for divisors that are positive


def _positive(way: Way) -> Way:
    """A way for positive divisors only."""
    return lambda d: way(d) if d.divisor < SIGN_BIT else None


def _shift_signed(d: _Division) -> SSAValue | None:
    return None if d.shift is None else d.function("shrs", d.x, d.shift)


def _shift_rounded(d: _Division) -> SSAValue | None:
    if not d.shift:
        return None
    return d.function("shrs", d.function("add", d.x, d.rounding()), d.shift)


def _mask_rounded(d: _Division) -> SSAValue | None:
    if not d.shift:
        return None
    multiple = d.function("and", d.function("add", d.x, d.rounding()), -d.divisor)
    return d.function("sub", d.x, multiple)


def _complement(d: _Division) -> SSAValue | None:
    """The floor of a negative quotient is the complement of the complement's quotient."""
    mask = d.sign_mask()
    magnitude = d.of(d.function("xor", d.x, mask))
    return d.function("xor", magnitude.cheapest("divu"), mask)


def _of_magnitude(unsigned: str) -> Way:
    """Divide the magnitude, and give the result the sign of the dividend."""

    def way(d: _Division) -> SSAValue:
        mask = d.sign_mask()
        magnitude = d.function("sub", d.function("xor", d.x, mask), mask)
        result = d.of(magnitude).cheapest(unsigned)
        return d.function("sub", d.function("xor", result, mask), mask)

    return way


def _up(d: _Division) -> SSAValue:
    """The magnitude of a negative dividend, `x + divisor - 1` of another one, divided."""
    sign = d.sign()
    mask = d.function("sub", 0, sign)
    extra = d.function("sub", d.divisor - 1, d.function("mul", sign, d.divisor - 2))
    magnitude = d.function("add", d.function("xor", d.x, mask), extra)
    quotient = d.of(magnitude).cheapest("divu")
    return d.function("sub", d.function("xor", quotient, mask), mask)


# Signed, for divisors that are negative


def _negated_quotient(d: _Division) -> SSAValue | None:
    if d.divisor <= SIGN_BIT:
        return None
    return d.function("sub", 0, replace(d, divisor=-d.divisor & WORD_MASK).cheapest("divs"))


def _same_remainder(d: _Division) -> SSAValue | None:
    if d.divisor <= SIGN_BIT:
        return None
    return replace(d, divisor=-d.divisor & WORD_MASK).cheapest("rems")


def _is_smallest(d: _Division) -> SSAValue | None:
    """Only the smallest word has a quotient by the smallest word."""
    return d.function("eq", d.x, SIGN_BIT) if d.divisor == SIGN_BIT else None


def _ways() -> Iterator[tuple[str, tuple[Way, ...]]]:
    yield "divu", (_shift, _compare, _reciprocal)
    yield "remu", (_mask, _remainder_of_quotient)
    yield "ceildivu", (_round_up,)
    magnitude = _positive(_of_magnitude("divu"))
    yield "divs", (_positive(_shift_rounded), magnitude, _negated_quotient, _is_smallest)
    remainder = _positive(_of_magnitude("remu"))
    yield "rems", (_positive(_mask_rounded), remainder, _same_remainder)
    yield "floordivs", (_positive(_shift_signed), _positive(_complement))
    yield "ceildivs", (_positive(_up),)


WAYS: dict[str, tuple[Way, ...]] = dict(_ways())
"""The ways to compute each function, besides the function itself."""
