"""Jamming keeps what programs do, and happens where it should."""

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, i64

from support.differential import difference, kernel, loops
from vliw_mlir.instrument import StatisticsTable, collecting_statistics
from vliw_mlir.transforms.unroll_and_jam import UnrollAndJam
from vliw_mlir.verifier import verify


@pytest.mark.parametrize(
    ("name", "jammed"),
    [("matmul", 1), ("fir", 1), ("conv2d_3x3", 0), ("tree_hash", 1), ("jacobi1d", 0)],
)
def test_kernels(name, jammed):
    subject = kernel(name)
    assert difference(subject, "unroll-and-jam{factor=3}") is None
    module = subject.parse()
    with collecting_statistics(StatisticsTable()) as table:
        UnrollAndJam(factor=3).apply(Context(), module)
    assert table.counters["unroll-and-jam"].get("num-jammed", 0) == jammed


@pytest.mark.parametrize("seed", range(60))
def test_random_loops(seed):
    assert difference(loops(seed), f"unroll-and-jam{{factor={seed % 3 + 2}}}") is None


def test_nests_deeper_than_two():
    """By an attribute, loops around loops around innermost ones can be jammed, too."""
    for seed in range(60):
        subject = loops(seed)
        module = subject.parse()
        for op in module.walk():
            if op.name == "scf.for":
                op.attributes["vliw.unroll_and_jam"] = IntegerAttr(2, i64)
        text = str(module)
        changed = type(subject)(subject.name, text, subject.runs)
        assert difference(changed, "unroll-and-jam") is None


def test_a_second_time_changes_nothing():
    module = kernel("matmul").parse()
    UnrollAndJam(factor=3).apply(Context(), module)
    verify(module)
    once = str(module)
    UnrollAndJam(factor=3).apply(Context(), module)
    assert str(module) == once
