"""Sets of words as an interval and known bits."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vliw_mlir.analysis.word_sets import (
    BOOLEAN,
    TOP,
    constant,
    from_signed,
    hull,
    join,
    meet,
    split_by_sign,
    widen,
    with_bits,
    words,
)

M32 = (1 << 32) - 1
EDGES = (0, 1, 2, 7, 31, 32, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, M32)
WORDS = st.one_of(
    st.sampled_from(EDGES),
    st.integers(0, 40),
    st.integers(0, M32),
    st.integers(0, 31).map(lambda bit: 1 << bit),
)
MEMBERS = st.lists(WORDS, min_size=1, max_size=4)
MASKS = st.integers(0, M32)


def is_normal(s):
    """Whether nothing more follows from what the set says."""
    return s.lo in s and s.hi in s and words(s.lo, s.hi, s.zeros, s.ones) == s


@given(MEMBERS)
def test_a_hull_contains_its_members_and_is_normal(members):
    s = hull(members)
    assert all(word in s for word in members)
    assert is_normal(s)


@given(WORDS, WORDS, MASKS, MASKS, WORDS)
def test_sharpening_keeps_all_members(a, b, known, ones, probe):
    lo, hi = min(a, b), max(a, b)
    zeros, ones = known & ~ones & M32, known & ones
    said = [w for w in (a, b, probe, probe & ~zeros | ones) if _fits(w, lo, hi, zeros, ones)]
    try:
        s = words(lo, hi, zeros, ones)
    except ValueError:
        assert not said
        return
    assert all(word in s for word in said)
    assert is_normal(s)


def _fits(word, lo, hi, zeros, ones):
    return lo <= word <= hi and not word & zeros and word & ones == ones


def test_bounds_are_the_extreme_members():
    """All small intervals with all known bits among the lowest three."""
    for lo in range(12):
        for hi in range(lo, 12):
            for known in range(8):
                for ones in range(8):
                    if ones & ~known:
                        continue
                    zeros = known & ~ones
                    members = [w for w in range(lo, hi + 1) if _fits(w, lo, hi, zeros, ones)]
                    if not members:
                        with pytest.raises(ValueError, match="no word lies in"):
                            words(lo, hi, zeros, ones)
                        continue
                    s = words(lo, hi, zeros, ones)
                    assert (s.lo, s.hi) == (members[0], members[-1])


@given(MEMBERS, MEMBERS)
def test_join_and_widen(a, b):
    x, y = hull(a), hull(b)
    assert join(x, y) == hull(a + b) == join(y, x)
    assert join(x, y).is_subset(widen(x, y))
    assert is_normal(widen(x, y))


@given(MEMBERS, MEMBERS)
def test_meet_keeps_common_members(a, b):
    s = meet(hull(a), hull(b))
    both = [word for word in (*a, *b) if word in hull(a) and word in hull(b)]
    assert s is not None or not both
    if s is not None:
        assert all(word in s for word in both)
        assert is_normal(s)
        assert s.is_subset(hull(a))
        assert s.is_subset(hull(b))


@given(MEMBERS, st.lists(WORDS, min_size=1, max_size=200))
@settings(max_examples=50)
def test_widening_ends_soon(start, others):
    s = hull(start)
    changes = 0
    for word in others:
        wider = widen(s, constant(word))
        changes += wider != s
        s = wider
    assert changes <= 36


@given(MEMBERS)
def test_split_by_sign(members):
    parts = split_by_sign(hull(members))
    assert all(any(word in part for part in parts) for word in members)
    assert all(part.has_known_sign for part in parts)


def test_multiples():
    s = words(0, 255, 7)
    assert (s.lo, s.hi) == (0, 248)
    assert str(s) == "0..248 step 8"
    assert str(words(3, 250, 6, 1)) == "9..249 step 8"


def test_text():
    assert str(constant(7)) == "7"
    assert str(BOOLEAN) == "0..1"
    assert str(with_bits(2, 0)) == "0..4294967293 bits " + "?" * 30 + "0?"


def test_signed_integers():
    assert from_signed(-3, -1) == words(M32 - 2, M32)
    assert from_signed(-1, 1) is TOP
    assert from_signed(2, 5).signed_bounds == (2, 5)
    assert from_signed(-5, -2).signed_bounds == (-5, -2)


def test_no_member_raises():
    with pytest.raises(ValueError, match="no word lies in"):
        words(8, 15, 8)
