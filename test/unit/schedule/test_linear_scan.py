"""Allocation of intervals to scratch words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vliw_mlir.errors import CompileError
from vliw_mlir.schedule.linear_scan import Allocation, allocate
from vliw_mlir.schedule.liveness import Interval


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[Interval], list[int]]:
    """Intervals sorted by start, and the width of each register."""
    count = draw(st.integers(0, 25))
    intervals: list[Interval] = []
    for register in range(count):
        start = draw(st.integers(-1, 30))
        intervals.append(Interval(register, start, start + draw(st.integers(0, 12))))
    widths = draw(st.lists(st.sampled_from((1, 1, 4)), min_size=count, max_size=count))
    return sorted(intervals, key=lambda i: (i.start, i.register)), widths


def owners(
    intervals: list[Interval], widths: list[int], allocation: Allocation, position: int
) -> list[int]:
    """The scratch words that hold something right after `position`, with repetitions."""
    words: list[int] = []
    for interval in intervals:
        if interval.start <= position < interval.end and interval.register in allocation.addresses:
            address = allocation.addresses[interval.register]
            words += range(address, address + widths[interval.register])
    return words


@given(problems(), st.integers(4, 24))
def test_no_word_holds_two_live_registers(
    problem: tuple[list[Interval], list[int]], scratch: int
) -> None:
    intervals, widths = problem
    allocation = allocate(intervals, widths, scratch)
    for position in range(-1, 45):
        words = owners(intervals, widths, allocation, position)
        assert len(words) == len(set(words))
        assert all(0 <= word < scratch for word in words)


@given(problems(), st.integers(4, 24))
def test_every_register_lives_in_scratch_or_is_spilled(
    problem: tuple[list[Interval], list[int]], scratch: int
) -> None:
    intervals, widths = problem
    allocation = allocate(intervals, widths, scratch)
    assert not allocation.spilled & allocation.addresses.keys()
    assert allocation.spilled | allocation.addresses.keys() == {i.register for i in intervals}


@given(problems(), st.integers(4, 24), st.sets(st.integers(0, 24)))
def test_unspillable_registers_stay_or_it_fails(
    problem: tuple[list[Interval], list[int]], scratch: int, unspillable: set[int]
) -> None:
    intervals, widths = problem
    try:
        allocation = allocate(intervals, widths, scratch, unspillable)
    except CompileError:
        assert unspillable
        return
    assert not allocation.spilled & unspillable


@given(problems())
def test_no_spills_when_words_suffice(problem: tuple[list[Interval], list[int]]) -> None:
    """Single words never leave a gap that is too short: the most that live at once is enough."""
    intervals, _ = problem
    widths = [1] * len(intervals)
    pressure = max(
        # A register that is never read takes a word at its position all the same.
        (sum(i.start <= p < max(i.end, i.start + 1) for i in intervals) for p in range(-1, 45)),
        default=0,
    )
    assert not allocate(intervals, widths, max(pressure, 1)).spilled


def test_life_that_ends_where_another_starts_gives_its_words() -> None:
    allocation = allocate([Interval(0, 0, 3), Interval(1, 3, 5)], [4, 4], 4)
    assert allocation.addresses == {0: 0, 1: 0}


def test_the_one_that_ends_last_is_spilled() -> None:
    intervals = [Interval(0, 0, 9), Interval(1, 1, 20), Interval(2, 2, 5)]
    assert allocate(intervals, [1, 1, 1], 2).spilled == {1}


def test_a_new_one_is_spilled_itself_when_it_ends_last() -> None:
    intervals = [Interval(0, 0, 9), Interval(1, 1, 8), Interval(2, 2, 30)]
    assert allocate(intervals, [1, 1, 1], 2).spilled == {2}


def test_words_are_evicted_until_a_vector_fits() -> None:
    intervals = [*(Interval(n, n, 40) for n in range(4)), Interval(4, 5, 9)]
    allocation = allocate(intervals, [1, 1, 1, 1, 4], 4)
    assert allocation.spilled == {0, 1, 2, 3}
    assert allocation.addresses == {4: 0}


def test_vector_wider_than_scratch_fails_when_it_must_stay() -> None:
    with pytest.raises(CompileError, match="4 words of scratch are too few"):
        allocate([Interval(0, 0, 1)], [8], 4, {0})


def test_nothing() -> None:
    assert allocate([], [], 8) == Allocation({}, set())
