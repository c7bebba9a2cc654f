"""Jamming keeps what programs do, and happens where it should."""

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, i64

from support.differential import KERNEL_NAMES, difference, kernel, loops
from vliw_mlir.api import parse_pipeline
from vliw_mlir.instrument import StatisticsTable, collecting_statistics, run_pipeline
from vliw_mlir.source import make_context
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


@pytest.mark.parametrize("seed", range(30))
def test_random_loops(seed):
    assert difference(loops(seed), f"unroll-and-jam{{factor={seed % 3 + 2}}}") is None
    assert difference(loops(seed), "unroll-and-jam") is None


@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_factors_by_cost(name):
    subject = kernel(name)
    assert difference(subject, "simplify,vectorize-loops,simplify,unroll-and-jam") is None


def test_matrix_product_is_bound_by_multiplications():
    """Rows and columns are done together so that loads bind no more; sums stay in registers."""
    module = kernel("matmul").parse()
    passes = "simplify,vectorize-loops,simplify,unroll-and-jam,simplify"
    run_pipeline(make_context(), module, parse_pipeline(passes))
    loops_left = [op for op in module.walk() if op.name == "scf.for"]
    assert len(loops_left) == 2
    assert len(loops_left[1].results) == 16
    names = [op.name for op in loops_left[1].walk()]
    assert names.count("word.load") == 8
    assert names.count("word.broadcast") == 4
    once = str(module)
    UnrollAndJam().apply(Context(), module)
    assert str(module) == once


def test_nests_deeper_than_two():
    """By an attribute, loops around loops around innermost ones can be jammed, too."""
    for seed in range(30):
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
