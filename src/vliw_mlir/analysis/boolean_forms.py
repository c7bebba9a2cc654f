"""Values as affine forms over booleans: `c + a0*b0 + a1*b1 + …` modulo 2**32.

The coefficients are known, the `b` are values that are 0 or 1. Where a program branches by
arithmetic, such a form tells exactly which words a value can be and which comparison each of
them depends on: more than any range.

`BooleanForm` is plain data; `BooleanForms` finds the forms of a function's values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, Region, SSAValue

from vliw_mlir.analysis.cfg import reverse_postorder
from vliw_mlir.analysis.ranges import Ranges
from vliw_mlir.analysis.word_sets import WordSet, from_signed, meet, with_bits
from vliw_mlir.dialects import word
from vliw_mlir.semantics import WORD_BITS, WORD_MASK, WordFunction, to_signed

DEFAULT_MAX_TERMS = 16


@dataclass(frozen=True, slots=True)
class BooleanForm:
    """`constant` plus the coefficients of those booleans that are 1, modulo 2**32."""

    constant: int
    terms: tuple[tuple[int, int], ...] = ()
    """The number of each boolean and its coefficient, in [1, 2**32); numbers ascend."""

    @property
    def booleans(self) -> list[int]:
        """The numbers of the booleans."""
        return [number for number, _ in self.terms]

    @property
    def is_constant(self) -> bool:
        """Whether the value depends on no boolean."""
        return not self.terms

    def _summands(self) -> tuple[int, list[tuple[int, int]]]:
        """The least value, and what each term adds to it at most, negative if for a false boolean.

        That is the form without subtraction: `5 - 4*b` is `1 + 4*(1 - b)`.
        """
        signed = [(number, to_signed(coefficient)) for number, coefficient in self.terms]
        least = self.constant + sum(coefficient for _, coefficient in signed if coefficient < 0)
        return least & WORD_MASK, signed

    @property
    def possible_bits(self) -> int:
        """A mask of the bits that may be 1 if the form is carry-free."""
        mask, summands = self._summands()
        for _, coefficient in summands:
            mask |= abs(coefficient)
        return mask

    @property
    def is_carry_free(self) -> bool:
        """Whether the value is the bitwise or of summands that have no bit in common."""
        seen, summands = self._summands()
        for _, coefficient in summands:
            if seen & abs(coefficient):
                return False
            seen |= abs(coefficient)
        return True

    def value(self, true: int) -> int:
        """The value when the booleans whose bits are set in the mask `true` are 1.

        Bit `i` of the mask is for the `i`-th term.
        """
        total = self.constant
        for place, (_, coefficient) in enumerate(self.terms):
            if true >> place & 1:
                total += coefficient
        return total & WORD_MASK

    def values(self) -> list[int]:
        """The values for all masks `true` (see `value`), in their order: `2**len(terms)`."""
        values = [self.constant]
        for _, coefficient in self.terms:
            values += [(value + coefficient) & WORD_MASK for value in values]
        return values

    def to_set(self) -> WordSet:
        """The words that the form can be; the bounds are exact unless the sum wraps around."""
        lo = hi = self.constant
        for _, coefficient in self.terms:
            signed = to_signed(coefficient)
            lo, hi = lo + min(signed, 0), hi + max(signed, 0)
        known = from_signed(lo, hi)
        if not self.is_carry_free:
            return known
        least, _ = self._summands()
        return meet(known, with_bits(WORD_MASK ^ self.possible_bits, least)) or known

    def scaled(self, factor: int) -> BooleanForm:
        """This form times a constant."""
        return _make(self.constant * factor, {n: a * factor for n, a in self.terms})

    def plus(self, other: BooleanForm) -> BooleanForm:
        """The sum of two forms."""
        terms = dict(self.terms)
        for number, coefficient in other.terms:
            terms[number] = terms.get(number, 0) + coefficient
        return _make(self.constant + other.constant, terms)

    def minus(self, other: BooleanForm) -> BooleanForm:
        """The difference of two forms."""
        return self.plus(other.scaled(-1))

    def mapped(self, function: Callable[[int], int]) -> BooleanForm:
        """A function of the value that gives, for an or of bits, the or of what it gives for each.

        Expects a carry-free form.
        """
        constant, summands = self._summands()
        constant = function(constant)
        terms: dict[int, int] = {}
        for number, coefficient in summands:
            bits = function(abs(coefficient))
            terms[number] = bits if coefficient > 0 else -bits
            constant += 0 if coefficient > 0 else bits
        return _make(constant, terms)

    def given(self, number: int, value: int) -> BooleanForm:
        """The form when one of the booleans has a known value."""
        terms = dict(self.terms)
        coefficient = terms.pop(number, 0)
        return _make(self.constant + coefficient * value, terms)

    def to_text(self, name: Callable[[int], str]) -> str:
        """Like `3 + 2*b0 - b4`, with the names that the booleans are given."""
        text = str(self.constant)
        for number, coefficient in self.terms:
            signed = to_signed(coefficient)
            factor = "" if abs(signed) == 1 else f"{abs(signed)}*"
            text += f" {'-' if signed < 0 else '+'} {factor}{name(number)}"
        return text

    def __str__(self) -> str:
        return self.to_text(lambda number: f"b{number}")


def _make(constant: int, terms: dict[int, int]) -> BooleanForm:
    reduced = ((number, terms[number] & WORD_MASK) for number in sorted(terms))
    return BooleanForm(constant & WORD_MASK, tuple(term for term in reduced if term[1]))


Forms: TypeAlias = Sequence[BooleanForm]


def apply(function: WordFunction, operands: Forms) -> BooleanForm | None:
    """The form of a word function of forms, None when there is none or it may trap."""
    booleans = {number for form in operands for number in form.booleans}
    if len(booleans) <= 1:
        return _tabulate(function, operands, next(iter(booleans), 0))
    rule = _RULES.get(function.name)
    return None if rule is None else rule(*operands)


def _tabulate(function: WordFunction, operands: Forms, number: int) -> BooleanForm | None:
    """Any function of one boolean is affine."""
    try:
        zero, one = (
            function.scalar(*(form.given(number, value).constant for form in operands))
            for value in (0, 1)
        )
    except ZeroDivisionError:
        return None
    return _make(zero, {number: one - zero})


def _mul(a: BooleanForm, b: BooleanForm) -> BooleanForm | None:
    if a.is_constant:
        return b.scaled(a.constant)
    return a.scaled(b.constant) if b.is_constant else None


def _multiply_add(a: BooleanForm, b: BooleanForm, c: BooleanForm) -> BooleanForm | None:
    product = _mul(a, b)
    return None if product is None else product.plus(c)


def _shl(a: BooleanForm, count: BooleanForm) -> BooleanForm | None:
    if not count.is_constant:
        return None
    return a.scaled(1 << count.constant if count.constant < WORD_BITS else 0)


def _shru(a: BooleanForm, count: BooleanForm) -> BooleanForm | None:
    if not count.is_constant or not a.is_carry_free:
        return None
    return a.mapped(lambda bits: bits >> count.constant)


def _divu(a: BooleanForm, b: BooleanForm) -> BooleanForm | None:
    divisor = b.constant
    if not b.is_constant or not divisor or divisor & (divisor - 1):
        return None
    return _shru(a, BooleanForm(divisor.bit_length() - 1))


def _remu(a: BooleanForm, b: BooleanForm) -> BooleanForm | None:
    divisor = b.constant
    if not b.is_constant or not divisor or divisor & (divisor - 1):
        return None
    return _and(a, BooleanForm(divisor - 1))


def _and(a: BooleanForm, b: BooleanForm) -> BooleanForm | None:
    if a.is_constant:
        a, b = b, a
    if not a.is_carry_free:
        return None
    if b.is_constant:
        return a.mapped(lambda bits: bits & b.constant)
    disjoint = b.is_carry_free and not a.possible_bits & b.possible_bits
    return BooleanForm(0) if disjoint else None


def _or(a: BooleanForm, b: BooleanForm) -> BooleanForm | None:
    common = _and(a, b)
    return None if common is None else a.plus(b).minus(common)


def _xor(a: BooleanForm, b: BooleanForm) -> BooleanForm | None:
    common = _and(a, b)
    return None if common is None else a.plus(b).minus(common.scaled(2))


def _select(condition: BooleanForm, a: BooleanForm, b: BooleanForm) -> BooleanForm | None:
    if condition.is_constant:
        return a if condition.constant else b
    if len(condition.terms) > 1:
        return None
    number = condition.booleans[0]
    zero, one = (
        (a if condition.given(number, value).constant else b).given(number, value)
        for value in (0, 1)
    )
    # The result is zero + b * (one - zero): affine if that difference is known.
    difference = one.minus(zero)
    if not difference.is_constant:
        return None
    return zero.plus(_make(0, {number: difference.constant}))


_RULES: dict[str, Callable[..., BooleanForm | None]] = {
    "add": BooleanForm.plus,
    "sub": BooleanForm.minus,
    "mul": _mul,
    "multiply_add": _multiply_add,
    "shl": _shl,
    "shru": _shru,
    "divu": _divu,
    "remu": _remu,
    "and": _and,
    "or": _or,
    "xor": _xor,
    "select": _select,
}
"""The functions of several booleans that can be affine."""


class BooleanForms:
    """The forms of a function's values; stale once the function changes.

    A form holds wherever its value is available, and its booleans are available there, too. On
    vectors it holds lane by lane, over vectors of booleans.
    """

    booleans: list[SSAValue]
    """The values that forms are made of, by number: an older one comes before a younger one."""

    _forms: dict[SSAValue, BooleanForm]

    def __init__(self, func: FuncOp, ranges: Ranges, max_terms: int = DEFAULT_MAX_TERMS):
        self.booleans = []
        self._forms = {}
        self._ranges = ranges
        self._max_terms = max_terms
        self._region(func.body)

    def of(self, value: SSAValue) -> BooleanForm | None:
        """The form of a value, None when it has none of at most `max_terms` terms."""
        return self._forms.get(value)

    def set_of(self, value: SSAValue) -> WordSet:
        """What a value can be by its form and by its range."""
        known = self._ranges.of(value)
        form = self._forms.get(value)
        return known if form is None else meet(known, form.to_set()) or known

    def _region(self, region: Region) -> None:
        for block in reverse_postorder(region):
            for arg in block.args:
                self._opaque(arg)
            for op in block.ops:
                self._operation(op)

    def _operation(self, op: Operation) -> None:
        form: BooleanForm | None = None
        if isinstance(op, word.ArithmeticOp):
            form = self._apply(op)
        elif isinstance(op, word.ConstantOp):
            words = set(op.words())
            form = BooleanForm(words.pop()) if len(words) == 1 else None
        if form is not None:
            self._forms[op.results[0]] = form
            return
        # The results of loops and branches are younger than what is within.
        for region in op.regions:
            self._region(region)
        for result in op.results:
            self._opaque(result)

    def _apply(self, op: word.ArithmeticOp) -> BooleanForm | None:
        operands: list[BooleanForm] = []
        for operand in op.operands:
            form = self._forms.get(operand)
            if form is None:
                return None
            operands.append(form)
        form = apply(op.function, operands)
        return None if form is None or len(form.terms) > self._max_terms else form

    def _opaque(self, value: SSAValue) -> None:
        """A value of which only its range is known: a constant, a boolean, or neither."""
        known = self._ranges.of(value)
        if known.lo == known.hi:
            self._forms[value] = BooleanForm(known.lo)
        elif known.is_boolean:
            self._forms[value] = BooleanForm(0, ((len(self.booleans), 1),))
            self.booleans.append(value)
