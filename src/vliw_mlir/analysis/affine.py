"""Affine forms of words: a constant plus multiples of other values, modulo 2^32.

Addition, subtraction and multiplication by constants form a ring modulo 2^32, so a form is
exact whatever wraps.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.semantics import WORD_MASK, to_signed

MOST_TERMS = 16
"""A form of more terms is a term of its own: else a long sum would take quadratic time."""


@dataclass(frozen=True)
class Affine:
    """`constant + Σ coefficient * value`, all modulo 2^32."""

    constant: int = 0
    terms: Mapping[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """The coefficient of each value, in [1, 2**32)."""

    def __add__(self, other: Affine) -> Affine:
        terms = dict(self.terms)
        for value, coefficient in other.terms.items():
            terms[value] = (terms.get(value, 0) + coefficient) & WORD_MASK
        return _make(self.constant + other.constant, terms)

    def __sub__(self, other: Affine) -> Affine:
        return self + other.scaled(-1)

    def scaled(self, factor: int) -> Affine:
        """Each part times `factor`."""
        terms = {value: c * factor & WORD_MASK for value, c in self.terms.items()}
        return _make(self.constant * factor, terms)

    def coefficient(self, value: SSAValue) -> int:
        """The coefficient of `value` as a signed number, 0 if it does not occur."""
        return to_signed(self.terms.get(value, 0))

    def without(self, value: SSAValue) -> Affine:
        """The form with the term of `value` left out."""
        return Affine(self.constant, {v: c for v, c in self.terms.items() if v is not value})

    @property
    def is_constant(self) -> bool:
        return not self.terms


def _make(constant: int, terms: dict[SSAValue, int]) -> Affine:
    return Affine(constant & WORD_MASK, {value: c for value, c in terms.items() if c})


class AffineForms:
    """The affine forms of the scalar values of a function, found when asked for."""

    def __init__(self) -> None:
        self._forms: dict[SSAValue, Affine] = {}

    def of(self, value: SSAValue) -> Affine:
        """The form of `value`, a word; what is not affine is a term of its own."""
        pending = [value]
        while pending:
            current = pending[-1]
            if current in self._forms:
                pending.pop()
                continue
            parts = _parts(current)
            missing = [part for part in parts if part not in self._forms]
            if missing:
                pending += missing
                continue
            pending.pop()
            self._forms[current] = self._combine(current, parts)
        return self._forms[value]

    def _combine(self, value: SSAValue, parts: list[SSAValue]) -> Affine:
        op = value.owner
        if isinstance(op, word.ConstantOp) and word.lanes_of(value.type) is None:
            return Affine(op.word())
        combine = _COMBINE.get(type(op)) if parts else None
        form = combine(*(self._forms[part] for part in parts)) if combine else None
        if form is None or len(form.terms) > MOST_TERMS:
            return Affine(0, {value: 1})
        return form


def _parts(value: SSAValue) -> list[SSAValue]:
    """The values that the form of `value` is combined from, none if it is a term itself."""
    op = value.owner
    if type(op) not in _COMBINE or word.lanes_of(value.type) is not None:
        return []
    assert isinstance(op, word.ArithmeticOp)
    return list(op.operands)


def _mul(a: Affine, b: Affine) -> Affine | None:
    if b.is_constant:
        return a.scaled(b.constant)
    return b.scaled(a.constant) if a.is_constant else None


def _shl(a: Affine, b: Affine) -> Affine | None:
    if not b.is_constant:
        return None
    return a.scaled(1 << b.constant) if b.constant < 32 else Affine(0)


def _multiply_add(a: Affine, b: Affine, c: Affine) -> Affine | None:
    product = _mul(a, b)
    return None if product is None else product + c


_COMBINE: dict[type, Callable[..., Affine | None]] = {
    word.AddOp: operator.add,
    word.SubOp: operator.sub,
    word.MulOp: _mul,
    word.ShlOp: _shl,
    word.MultiplyAddOp: _multiply_add,
}


def combine(op: word.ArithmeticOp, parts: Sequence[Affine]) -> Affine | None:
    """The form of what `op` computes from words of the given forms; None if it is not affine."""
    function = _COMBINE.get(type(op))
    return None if function is None else function(*parts)
