"""Sets of integers that are the same number of steps apart.

The domain of value-set analysis (Balakrishnan and Reps, "Analyzing Memory Accesses in x86
Executables", CC 2004), for differences of addresses. Plain Python objects, no IR.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from vliw_mlir.analysis.word_sets import WordSet
from vliw_mlir.semantics import WORD_BITS

_MODULUS = 1 << WORD_BITS


@dataclass(frozen=True, slots=True)
class StridedInterval:
    """The integers `low`, `low + step`, … up to `high`. They may be negative or large; modulo
    2^32 they stand for words."""

    low: int
    high: int
    step: int
    """Divides `high - low`; 0 if that is 0."""

    def __add__(self, other: StridedInterval) -> StridedInterval:
        """The sums of a member of each set."""
        step = gcd(self.step, other.step)
        return StridedInterval(self.low + other.low, self.high + other.high, step)

    def scaled(self, factor: int) -> StridedInterval:
        """Each member times `factor`."""
        ends = self.low * factor, self.high * factor
        return StridedInterval(min(ends), max(ends), self.step * abs(factor))

    def meets(self, first: int, last: int) -> bool:
        """Whether a member is a number from `first` to `last`, modulo 2^32."""
        if self.high - self.low >= _MODULUS:
            # All words are covered, but for what every step leaves alone.
            fixed = gcd(self.step, _MODULUS)
            return first + (self.low - first) % fixed <= last
        wraps = range(-((last - self.low) // _MODULUS), (self.high - first) // _MODULUS + 1)
        return any(self._has_from(first + n * _MODULUS, last + n * _MODULUS) for n in wraps)

    def _has_from(self, first: int, last: int) -> bool:
        if not self.step:
            return first <= self.low <= last
        steps = max(0, -(-(first - self.low) // self.step))
        return self.low + steps * self.step <= min(last, self.high)


def single(number: int) -> StridedInterval:
    """The set of one number."""
    return StridedInterval(number, number, 0)


def from_words(known: WordSet) -> StridedInterval:
    """A superset of a set of words, as signed numbers unless unsigned ones are closer together."""
    low, high = known.lo, known.hi
    signed_low, signed_high = known.signed_bounds
    if signed_high - signed_low <= high - low:
        low, high = signed_low, signed_high
    if low == high:
        return single(low)
    step = 1 << min(known.trailing_known, WORD_BITS - 1)
    low += (known.ones - low) % step
    high -= (high - low) % step
    return StridedInterval(low, high, step if high > low else 0)
