"""Sets of words, approximated by an interval and by known bits at once.

The abstract domain of the range analysis: the reduced product of unsigned intervals and known
bits, each of which sharpens the other. Plain Python objects, no IR.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from vliw_mlir.semantics import SIGN_BIT, WORD_BITS, WORD_MASK


@dataclass(frozen=True, slots=True)
class WordSet:
    """The words `x` with `lo <= x <= hi` (unsigned), `x & zeros == 0` and `x & ones == ones`.

    Never empty. Made by `words` and the functions below, which sharpen all four fields: both
    bounds are members, and the leading bits that they share are known bits. So there is one
    `WordSet` for what is known, and equality means that the same is known.
    """

    lo: int
    hi: int
    zeros: int
    """A mask of the bits that are 0 in every member."""
    ones: int
    """A mask of the bits that are 1 in every member."""

    @property
    def constant(self) -> int | None:
        """The only member, None when there may be several."""
        return self.lo if self.lo == self.hi else None

    @property
    def known(self) -> int:
        """A mask of the bits that are the same in every member."""
        return self.zeros | self.ones

    @property
    def possible(self) -> int:
        """A mask of the bits that may be 1."""
        return WORD_MASK ^ self.zeros

    @property
    def count(self) -> int:
        """How many words lie between the bounds, both included."""
        return self.hi - self.lo + 1

    @property
    def is_boolean(self) -> bool:
        """Whether every member is 0 or 1."""
        return self.hi <= 1

    @property
    def is_nonnegative(self) -> bool:
        """Whether no member is negative as a signed word."""
        return self.hi < SIGN_BIT

    @property
    def is_negative(self) -> bool:
        """Whether every member is negative as a signed word."""
        return self.lo >= SIGN_BIT

    @property
    def has_known_sign(self) -> bool:
        """Whether all members have the same sign bit."""
        return bool(self.known & SIGN_BIT)

    @property
    def signed_bounds(self) -> tuple[int, int]:
        """The least and the greatest member as signed words; may be wider than needed."""
        if self.hi < SIGN_BIT:
            return self.lo, self.hi
        if self.lo >= SIGN_BIT:
            return self.lo - (1 << WORD_BITS), self.hi - (1 << WORD_BITS)
        return -SIGN_BIT, SIGN_BIT - 1

    @property
    def trailing_zeros(self) -> int:
        """How many low bits are known to be 0."""
        return _trailing_ones(self.zeros)

    @property
    def trailing_known(self) -> int:
        """How many low bits are known, up to the first unknown one."""
        return _trailing_ones(self.zeros | self.ones)

    def __contains__(self, word: int) -> bool:
        return (
            self.lo <= word <= self.hi and not word & self.zeros and word & self.ones == self.ones
        )

    def is_subset(self, other: WordSet) -> bool:
        """Whether all that is known of `other` is known of this set, too."""
        return (
            other.lo <= self.lo
            and self.hi <= other.hi
            and not other.zeros & ~self.zeros
            and not other.ones & ~self.ones
        )

    def __str__(self) -> str:
        """Like `7`, `0..255`, `0..248 step 8` or `1..4294967295 bits ?…?1`."""
        if self.lo == self.hi:
            return str(self.lo)
        text = f"{self.lo}..{self.hi}"
        implied = _shared_prefix(self.lo, self.hi)
        low = self.trailing_known
        if not self.known & ~implied:
            return text
        if self.known & ~implied == (1 << low) - 1:
            return f"{text} step {1 << low}"
        bits = (self._bit(i) for i in range(self.hi.bit_length() - 1, -1, -1))
        return f"{text} bits {''.join(bits)}"

    def _bit(self, number: int) -> str:
        if self.zeros >> number & 1:
            return "0"
        return "1" if self.ones >> number & 1 else "?"


TOP = WordSet(0, WORD_MASK, 0, 0)
"""All words."""

BOOLEAN = WordSet(0, 1, WORD_MASK ^ 1, 0)
"""0 and 1."""

NONZERO = WordSet(1, WORD_MASK, 0, 0)
"""All words but 0."""


def words(lo: int, hi: int, zeros: int = 0, ones: int = 0) -> WordSet:
    """The sharpest set for an interval and known bits that have a word in common.

    Raises `ValueError` when they have none.
    """
    found = _reduce(lo, hi, zeros, ones)
    if found is None:
        raise ValueError(f"no word lies in {lo}..{hi} with zeros {zeros:#x} and ones {ones:#x}")
    return found


def constant(word: int) -> WordSet:
    """The set of one word."""
    return WordSet(word, word, WORD_MASK ^ word, word)


def with_bits(zeros: int, ones: int) -> WordSet:
    """All words with these bits; the masks must not overlap."""
    return words(ones, WORD_MASK ^ zeros, zeros, ones)


def from_signed(lo: int, hi: int) -> WordSet:
    """The words for the integers `lo` to `hi`, modulo 2**32. Expects `lo <= hi`."""
    wraps = lo >> WORD_BITS
    if wraps != hi >> WORD_BITS:
        return TOP
    return words(lo & WORD_MASK, hi & WORD_MASK)


def hull(members: Iterable[int]) -> WordSet:
    """The sharpest set with these members, of which there is at least one."""
    all_words = list(members)
    zeros, ones = 0, WORD_MASK
    for word in all_words:
        zeros |= word
        ones &= word
    return words(min(all_words), max(all_words), WORD_MASK ^ zeros, ones)


def join(a: WordSet, b: WordSet) -> WordSet:
    """The words of either set."""
    if a is b or a == b:
        return a
    if a is TOP or b is TOP:
        return TOP
    # The bounds are members of a or b, so they need no sharpening; the bits they share are known
    # in both sets.
    lo = a.lo if a.lo < b.lo else b.lo
    hi = a.hi if a.hi > b.hi else b.hi
    zeros, ones = a.zeros & b.zeros, a.ones & b.ones
    if hi == WORD_MASK and not (lo or zeros or ones):
        return TOP
    return WordSet(lo, hi, zeros, ones)


def meet(a: WordSet, b: WordSet) -> WordSet | None:
    """The words of both sets, None when there are none."""
    if a is b or b is TOP:
        return a
    if a is TOP:
        return b
    return _reduce(max(a.lo, b.lo), min(a.hi, b.hi), a.zeros | b.zeros, a.ones | b.ones)


def widen(old: WordSet, new: WordSet) -> WordSet:
    """A superset of both sets, such that no sequence of widenings grows for long.

    Of the bits, those below the first that is no longer known stay.
    """
    joined = join(old, new)
    if joined == old:
        return old
    lo = old.lo if joined.lo == old.lo else 0
    hi = joined.hi
    if hi != old.hi:
        hi = SIGN_BIT - 1 if hi < SIGN_BIT else WORD_MASK
    kept = joined.known
    lost = old.known ^ kept
    if lost:
        kept &= (lost & -lost) - 1
    return words(lo, hi, joined.zeros & kept, joined.ones & kept)


def split_by_sign(a: WordSet) -> list[WordSet]:
    """The members that are not negative and those that are, as one or two sets."""
    if a.known & SIGN_BIT:
        return [a]
    parts = (
        _reduce(a.lo, SIGN_BIT - 1, a.zeros | SIGN_BIT, a.ones),
        _reduce(SIGN_BIT, a.hi, a.zeros, a.ones | SIGN_BIT),
    )
    return [part for part in parts if part is not None]


def _reduce(lo: int, hi: int, zeros: int, ones: int) -> WordSet | None:
    known = zeros | ones
    if known:
        if zeros & ones:
            return None
        least = _least_match(lo, zeros, ones)
        # The greatest match is the least one with all bits flipped.
        greatest = _least_match(WORD_MASK ^ hi, ones, zeros)
        if least is None or greatest is None:
            return None
        lo, hi = least, WORD_MASK ^ greatest
    if lo > hi:
        return None
    free = (1 << (lo ^ hi).bit_length()) - 1
    if free == WORD_MASK:
        return WordSet(lo, hi, zeros, ones) if known or lo or hi != WORD_MASK else TOP
    prefix = WORD_MASK ^ free
    return WordSet(lo, hi, zeros | (prefix & ~lo), ones | (prefix & lo))


def _least_match(bound: int, zeros: int, ones: int) -> int | None:
    """The least word of at least `bound` that has the known bits, None when there is none."""
    wrong = (bound & zeros) | (~bound & ones)
    if not wrong:
        return bound
    top = wrong.bit_length()
    if ones >> (top - 1) & 1:
        # Setting the wrong bit makes the word greater: all below it can be least.
        return (bound >> top << top) | (ones & ((1 << top) - 1))
    # That bit has to be 0: the lowest free 0 bit above it becomes 1 instead.
    raised = ~(bound | zeros | ones) & (WORD_MASK >> top << top)
    if not raised:
        return None
    bit = raised & -raised
    return (bound & ~(bit | (bit - 1))) | bit | (ones & (bit - 1))


def _shared_prefix(lo: int, hi: int) -> int:
    """A mask of the leading bits in which two words agree."""
    return WORD_MASK ^ ((1 << (lo ^ hi).bit_length()) - 1)


def _trailing_ones(mask: int) -> int:
    return (~mask & (mask + 1)).bit_length() - 1
