"""Splitting multiply-adds: the bound gets as low as it can, results stay."""

from __future__ import annotations

import pytest

from support.differential import difference, kernel
from vliw_mlir.analysis.bounds import function_bound
from vliw_mlir.api import parse_pipeline
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.instrument import run_pipeline
from vliw_mlir.source import make_context, parse_module


def _bound(text: str, pipeline: str) -> float | None:
    module = parse_module(make_context(), text)
    run_pipeline(make_context(), module, parse_pipeline(pipeline))
    return function_bound(kernel_function(module)).cycles


def _products(count: int) -> str:
    lines = [f"%{n + 1} = word.multiply_add %{n}, %w, %v : vector<8xi32>" for n in range(count)]
    return "\n".join(
        [
            "func.func @k(%w: vector<8xi32>, %v: vector<8xi32>, %x: i32) {",
            "%0 = word.add %v, %w : vector<8xi32>",
            *lines,
            f"%e = word.extract %{count}[0] : vector<8xi32>",
            "word.trace_write %e",
            "func.return",
            "}",
        ]
    )


def test_the_bound_is_that_of_the_best_mix() -> None:
    """In T cycles, 6T multiply-adds run on one engine and 12T / 16 on the lanes."""
    before = _bound(_products(600), "simplify")
    after = _bound(_products(600), "split-multiply-adds")
    assert before is not None
    assert after is not None
    assert before == pytest.approx(100, abs=0.5)
    assert after == pytest.approx(600 / 6.75, abs=0.5)


@pytest.mark.parametrize("name", ["murmur3_batch", "fir"])
def test_behaviour_stays(name: str) -> None:
    passes = "simplify,vectorize-loops,simplify,form-multiply-add,split-multiply-adds"
    assert difference(kernel(name), passes) is None
