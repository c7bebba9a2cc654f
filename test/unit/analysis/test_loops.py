"""Counted loops: bounds, and what is in them."""

import pytest
from xdsl.dialects import scf

from vliw_mlir.analysis.loops import (
    constant_bounds,
    count_ops,
    counter_of,
    is_defined_in,
    is_innermost,
    loops_in,
)
from vliw_mlir.source import make_context, parse_module

LEAST, MOST = -(2**31), 2**31 - 1


def loop(low, high, step):
    text = f"""func.func @k(%x: i32) {{
      %low = word.constant {low} : i32
      %high = word.constant {high} : i32
      %step = word.constant {step} : i32
      scf.for %i = %low to %high step %step : i32 {{ }}
      func.return
    }}"""
    module = parse_module(make_context(), text, "k")
    return next(op for op in module.walk() if isinstance(op, scf.ForOp))


@pytest.mark.parametrize(
    ("low", "high", "step", "trips", "last"),
    [
        (0, 3, 1, 3, 2),
        (-2, 5, 3, 3, 4),
        (LEAST, 0, 1 << 30, 2, -(1 << 30)),
        (MOST - 3, MOST, 3, 1, MOST - 3),
        (3, 3, 1, 0, None),
        (MOST, LEAST, 1, 0, None),
        (4, 3, 0, 0, None),
        (4, 3, -1, 0, None),
    ],
)
def test_constant_bounds(low, high, step, trips, last):
    bounds = constant_bounds(loop(low, high, step))
    assert bounds is not None
    assert bounds.trips == trips == len(bounds.counters)
    if trips:
        assert bounds.last == last


@pytest.mark.parametrize(
    ("low", "high", "step"),
    [(0, 1, 0), (0, 1, -1), (0, MOST, MOST - 1), (MOST - 1, MOST, 2), (0, MOST, 2)],
)
def test_no_bounds_if_the_counter_wraps_or_stays(low, high, step):
    assert constant_bounds(loop(low, high, step)) is None


def test_what_is_in_a_loop():
    text = """func.func @k(%x: i32, %n: i32) {
      %c1 = word.constant 1 : i32
      scf.for %i = %x to %n step %c1 : i32 {
        %a = word.add %i, %x : i32
        scf.for %j = %x to %a step %c1 : i32 {
          %c2 = word.constant 2 : i32
          %b = word.add %j, %c2 : i32
        }
      }
      func.return
    }"""
    module = parse_module(make_context(), text, "k")
    func = module.body.block.first_op
    outer, inner = loops_in(func.body)
    assert counter_of(outer).name_hint == "i"
    assert (is_innermost(outer), is_innermost(inner)) == (False, True)
    assert (count_ops(outer.body), count_ops(inner.body)) == (3, 1)
    assert constant_bounds(outer) is None
    assert is_defined_in(inner.ub, outer)
    assert is_defined_in(counter_of(inner), outer)
    assert not is_defined_in(inner.ub, inner)
    assert not is_defined_in(func.body.block.args[0], outer)
    assert not is_defined_in(counter_of(outer), inner)
