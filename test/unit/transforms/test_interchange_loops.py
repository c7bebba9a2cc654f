"""Interchange keeps what programs do, and happens where it should."""

import pytest
from xdsl.context import Context

from support.differential import KERNEL_NAMES, difference, kernel, loops
from vliw_mlir.instrument import StatisticsTable, collecting_statistics
from vliw_mlir.transforms.interchange_loops import InterchangeLoops

INTERCHANGED = {"tree_hash", "tree_hash_tensor", "tree_hash_general"}


@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_kernels(name):
    subject = kernel(name)
    assert difference(subject, "interchange-loops") is None
    module = subject.parse()
    with collecting_statistics(StatisticsTable()) as table:
        InterchangeLoops().apply(Context(), module)
    assert table.counters["interchange-loops"].get("num-interchanged", 0) == (name in INTERCHANGED)


@pytest.mark.parametrize("seed", range(30))
def test_random_loops(seed):
    options = ("", "{order=1,0}", "{order=2,1,0}", "{order=1,2,0}")
    subject = loops(seed)
    assert difference(subject, f"interchange-loops{options[seed % 4]}") is None
    assert difference(subject, f"interchange-loops{options[1]}") is None


def test_a_second_time_changes_nothing():
    module = kernel("tree_hash").parse()
    InterchangeLoops().apply(Context(), module)
    once = str(module)
    InterchangeLoops().apply(Context(), module)
    assert str(module) == once
