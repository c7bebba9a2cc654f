"""Guesses of how often loops run whose bounds are data."""

import pytest

from vliw_mlir.analysis.bounds import expected_trips
from vliw_mlir.analysis.guessed_trips import guessed_trips, note_expected_trips
from vliw_mlir.analysis.loops import loops_in
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.source import make_context, parse_module

TEXT = """
func.func @f(%n: i32, %p: !word.buffer<17>, %x: !word.buffer<96>, %y: !word.buffer<?>)
    attributes {{vliw.signature = (i32, memref<17xi32>, memref<96xi32>, memref<?xi32>) -> ()}} {{
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c16 = word.constant 16 : i32
  scf.for %i = %c0 to {rows} step %c1 : i32 {{
    %j = word.add %i, %c1 : i32
    %low = word.load %p[%i] : !word.buffer<17> -> i32
    %high = word.load %p[%j] : !word.buffer<17> -> i32
    %s = scf.for %k = {low} to %high step %c1 iter_args(%t = %c0) -> (i32) : i32 {{
      %v = word.load %x[{at}] : !word.buffer<96> -> i32
      %w = word.load %y[%v] : !word.buffer<?> -> i32
      scf.yield %w : i32
    }}
  }}
  func.return
}}
"""


@pytest.mark.parametrize(
    ("rows", "low", "at", "trips"),
    [
        ("%c16", "%low", "%k", 6),
        ("%n", "%low", "%k", None),
        ("%c16", "%c0", "%k", None),
        ("%c16", "%low", "%i", None),
    ],
)
def test_guesses(rows, low, at, trips):
    func = kernel_function(parse_module(make_context(), TEXT.format(rows=rows, low=low, at=at)))
    outer, inner = loops_in(func.body)
    assert guessed_trips(inner) == trips
    assert guessed_trips(outer) is None
    note_expected_trips(inner)
    assert expected_trips(inner) == (trips or 64)
