"""The table of word functions: its two forms against what the functions should compute."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from support.word_reference import EDGES, REFERENCE, expected, samples
from vliw_mlir.semantics import (
    COMPARISONS,
    FUNCTIONS,
    REDUCTIONS,
    SIGN_BIT,
    WORD_MASK,
    to_signed,
)

TRAPPING = {"divu", "divs", "ceildivu", "ceildivs", "floordivs", "remu", "rems"}


def test_the_reference_knows_every_function() -> None:
    assert REFERENCE.keys() == FUNCTIONS.keys()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_scalar_form(name: str) -> None:
    scalar = FUNCTIONS[name].scalar
    for operands in samples(name, Random(name)):
        result = scalar(*operands)
        assert type(result) is int
        assert result == expected(name, *operands), operands


@pytest.mark.parametrize("name", FUNCTIONS)
def test_array_form(name: str) -> None:
    cases = list(samples(name, Random(name)))
    columns = [np.array(column, np.uint32) for column in zip(*cases, strict=True)]
    copies = [column.copy() for column in columns]
    result = FUNCTIONS[name].array(*columns)
    assert result.dtype == np.uint32
    assert result.tolist() == [expected(name, *operands) for operands in cases]
    for column, copy in zip(columns, copies, strict=True):
        assert np.array_equal(column, copy)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arrays_broadcast_against_each_other(name: str) -> None:
    rows = np.array([[1], [2], [0xFFFFFFFF]], np.uint32)
    row = np.array([1, 33, 0x80000000], np.uint32)
    others = [row] * (FUNCTIONS[name].arity - 1)
    result = FUNCTIONS[name].array(rows, *others)
    assert result.tolist() == [
        [expected(name, int(a), *[int(b)] * len(others)) for b in row] for a in rows[:, 0]
    ]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arrays_that_are_not_contiguous(name: str) -> None:
    words = np.array(EDGES[1:], np.uint32)
    operands = [words[::-2], words[::2][: len(words[::-2])], words[::-2]][: FUNCTIONS[name].arity]
    result = FUNCTIONS[name].array(*operands)
    assert result.tolist() == [
        expected(name, *map(int, row)) for row in zip(*operands, strict=True)
    ]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_traps(name: str) -> None:
    function = FUNCTIONS[name]
    assert function.traps == (name in TRAPPING)
    operands = [5] * (function.arity - 1) + [0]
    lanes = [np.array([7, word], np.uint32) for word in operands]
    if not function.traps:
        function.scalar(*operands)
        function.array(*lanes)
        return
    with pytest.raises(ZeroDivisionError):
        function.scalar(*operands)
    with pytest.raises(ZeroDivisionError):
        function.array(*lanes)


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if FUNCTIONS[n].arity == 2])
def test_commutative_means_that_operands_may_be_swapped(name: str) -> None:
    swaps = all(
        expected(name, a, b) == expected(name, b, a) for a in EDGES for b in EDGES if a and b
    )
    assert FUNCTIONS[name].commutative == swaps


def test_comparisons_give_truth_values() -> None:
    assert set(COMPARISONS) < FUNCTIONS.keys()
    assert {FUNCTIONS[n].scalar(a, b) for n in COMPARISONS for a in EDGES for b in EDGES} == {0, 1}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_are_associative_and_have_a_neutral_element(name: str) -> None:
    apply = FUNCTIONS[name].scalar
    assert FUNCTIONS[name].commutative
    random = Random(name)
    for word in EDGES:
        assert apply(word, REDUCTIONS[name]) == word
        b, c = random.choice(EDGES), random.getrandbits(32)
        assert apply(apply(word, b), c) == apply(word, apply(b, c))


@pytest.mark.parametrize(
    ("word", "bits", "value"),
    [
        (0, 32, 0),
        (SIGN_BIT - 1, 32, 2**31 - 1),
        (SIGN_BIT, 32, -(2**31)),
        (WORD_MASK, 32, -1),
        (0x7F, 8, 127),
        (0x80, 8, -128),
        (0x1FF, 8, -1),
        (1, 1, -1),
    ],
)
def test_to_signed(word: int, bits: int, value: int) -> None:
    assert to_signed(word, bits) == value
