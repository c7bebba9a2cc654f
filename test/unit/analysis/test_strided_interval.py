"""Strided intervals, against the sets of integers that they stand for."""

from __future__ import annotations

from random import Random

import pytest

from vliw_mlir.analysis.strided_interval import StridedInterval, from_words, single
from vliw_mlir.analysis.word_sets import from_signed, hull, with_bits

MODULUS = 1 << 32


def members(interval: StridedInterval) -> set[int]:
    if not interval.step:
        return {interval.low}
    return set(range(interval.low, interval.high + 1, interval.step))


def random_interval(rng: Random) -> StridedInterval:
    low = rng.choice((0, -MODULUS, MODULUS, 3 * MODULUS)) + rng.randrange(-40, 40)
    step = rng.choice((0, 1, 2, 3, 8, 12))
    return StridedInterval(low, low + step * rng.randrange(1, 9), step)


def test_sums_and_multiples() -> None:
    rng = Random(1)
    for _ in range(300):
        a, b, factor = random_interval(rng), random_interval(rng), rng.randrange(-3, 4)
        assert members(a + b) >= {x + y for x in members(a) for y in members(b)}
        assert members(a.scaled(factor)) == {x * factor for x in members(a)}


def test_meets() -> None:
    rng = Random(2)
    for _ in range(2000):
        interval = random_interval(rng)
        first = rng.randrange(-40, 40)
        last = first + rng.randrange(6)
        words = {x % MODULUS for x in members(interval)}
        expected = any(x % MODULUS in words for x in range(first, last + 1))
        assert interval.meets(first, last) == expected


@pytest.mark.parametrize(("step", "fixed"), [(8, 8), (6, 2), (12, 4), (1, 1)])
def test_large_sets_leave_only_what_no_step_changes(step: int, fixed: int) -> None:
    """Numbers that go around more than once: what is left are factors of 2 in the step."""
    interval = StridedInterval(3, 3 + step * MODULUS, step)
    for word in range(20):
        assert interval.meets(word, word) == ((word - 3) % fixed == 0)


def test_from_words() -> None:
    assert from_words(hull([7])) == single(7)
    assert from_words(hull([4, 12, 20])) == StridedInterval(4, 20, 8)
    assert from_words(from_signed(-6, -2)) == StridedInterval(-6, -2, 1)
    assert from_words(with_bits(zeros=2, ones=1)) == StridedInterval(1, MODULUS - 3, 4)
