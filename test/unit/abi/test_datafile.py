"""Cases of a data file: what differs from what they expect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from vliw_mlir.abi import Argument, Interface, MemoryImage, Result, build_image
from vliw_mlir.abi.datafile import Case, load_cases
from vliw_mlir.errors import CompileError

KERNELS = Path(__file__).parents[3] / "kernels"


def image() -> MemoryImage:
    """As after a run: results 5 and [1, 2], a scalar and an array [7, 8, 9]."""
    arguments = (Argument("scalar"), Argument("memref", shape=(3,)))
    results = (Result("scalar"), Result("tensor", shape=(2,)))
    made = build_image(Interface("k", arguments, results), [0, [7, 8, 9]])
    made.memory[2] = 5
    made.memory[7:9] = [1, 2]
    return made


@pytest.mark.parametrize(
    ("results", "expected", "lines"),
    [
        (None, None, []),
        ((5, [1, 2]), (None, [7, 8, 9]), []),
        ((5, [1, 2]), (None, None), []),
        ((6, [1, 2]), None, ["result 0: 5, expected 6"]),
        ((-1, [1, 2]), None, ["result 0: 5, expected 4294967295"]),
        ((5, [1, 3]), None, ["result 1[1]: 2, expected 3 (1 of 2 words differ)"]),
        ((5, [1]), None, ["result 1: 2 words, expected 1"]),
        (None, (None, [0, 8, 0]), ["argument 1[0]: 7, expected 0 (2 of 3 words differ)"]),
        (
            (6, [0, 2]),
            (None, [7, 8, 8]),
            [
                "result 0: 5, expected 6",
                "result 1[0]: 1, expected 0 (1 of 2 words differ)",
                "argument 1[2]: 9, expected 8 (1 of 3 words differ)",
            ],
        ),
    ],
)
def test_mismatches(results: Any, expected: Any, lines: list[str]) -> None:
    assert Case((), results, expected).mismatches(image()) == lines


@pytest.mark.parametrize(
    ("results", "expected", "message"),
    [
        ((5,), None, "expect of 1 results, the kernel has 2"),
        (None, (None,), "expect of 1 arguments, the kernel has 2"),
        (None, ([1], [7, 8, 9]), "argument 0 is a scalar, which no run changes"),
        (([5], [1, 2]), None, r"result 0 is one word, the case expects \[5\]"),
        ((5, 1), None, "result 1 is an array, the case expects 1"),
    ],
)
def test_case_that_does_not_fit_the_kernel(results: Any, expected: Any, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        Case((), results, expected).mismatches(image())


def test_cases_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "k.json"
    path.write_text(
        '{"kernel": "k", "cases": [{"args": [1, [2, -3]], "results": [], "expected": [null, [4]]},'
        ' {"args": []}]}'
    )
    assert load_cases(path) == (
        Case((1, [2, -3]), (), (None, [4])),
        Case((), None, None),
    )


@pytest.mark.parametrize(
    "case",
    [
        '{"args": [1.5]}',
        '{"args": [true]}',
        '{"args": [4294967296]}',
        '{"args": [[-2147483649]]}',
        '{"args": [[[1]]]}',
        '{"args": [null]}',
        '{"args": [], "results": [null]}',
        '{"args": [], "results": 3}',
        '{"args": [], "expected": [1]}',
        '{"args": [], "expected": {}}',
    ],
)
def test_malformed_case(tmp_path: Path, case: str) -> None:
    path = tmp_path / "k.json"
    path.write_text(f'{{"cases": [{case}]}}')
    with pytest.raises(CompileError, match=r"k\.json', case 0: "):
        load_cases(path)


@pytest.mark.parametrize("path", sorted(KERNELS.glob("*.json")), ids=lambda path: path.stem)
def test_every_kernel_has_cases(path: Path) -> None:
    assert path.with_suffix(".mlir").exists()
    assert all(case.expected or case.results for case in load_cases(path))
