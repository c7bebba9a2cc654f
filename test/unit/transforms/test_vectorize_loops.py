"""Vectorized loops do what they did before."""

import random
from pathlib import Path

import pytest

from vliw_mlir.abi import build_image
from vliw_mlir.abi.datafile import load_cases
from vliw_mlir.api import parse_pipeline
from vliw_mlir.dialects.facts import interface_of, kernel_function, set_target
from vliw_mlir.instrument import StatisticsTable, collecting_statistics, run_pipeline
from vliw_mlir.interp import interpret
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.target import Target
from vliw_mlir.verifier import verify

KERNELS = Path(__file__).parents[3] / "kernels"
TO_SSA = "inline-calls,convert-std-to-kernel,convert-kernel-to-word"


def vectorized(text, vlen=8, name="<string>"):
    """The SSA level of `text` before and after, and how many loops were widened."""
    modules = []
    with collecting_statistics(StatisticsTable()) as table:
        for pipeline in (TO_SSA, f"{TO_SSA},vectorize-loops"):
            ctx = make_context()
            module = parse_module(ctx, text, name)
            set_target(module, Target.from_dict({"vlen": vlen}))
            run_pipeline(ctx, module, parse_pipeline(pipeline))
            verify(module)
            modules.append(module)
    counters = table.counters.get("vectorize-loops", {})
    return *modules, counters.get("num-vectorized-loops", 0)


def memory_after(module, args):
    image = build_image(interface_of(kernel_function(module)), args)
    interpret(module, image)
    return image.memory.tolist()


@pytest.mark.parametrize("path", sorted(KERNELS.glob("*.mlir")), ids=lambda p: p.stem)
@pytest.mark.parametrize("vlen", [4, 8, 16])
def test_kernels(path, vlen):
    _, after, _ = vectorized(path.read_text(), vlen, str(path))
    for case in load_cases(path.with_suffix(".json")):
        image = build_image(interface_of(kernel_function(after)), case.args)
        interpret(after, image)
        assert case.mismatches(image) == []


LOOP = """
func.func @f(%n: i32, %m: i32, %x: memref<200xi32>, %y: memref<200xi32>) -> i32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c50 = arith.constant 50 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %low = arith.index_cast %n : i32 to index
  %high = arith.index_cast %m : i32 to index
  {body}
}}
"""

BODIES = {
    "dynamic bounds": """
  scf.for %i = %low to %high step %c1 {
    %v = memref.load %x[%i] : memref<200xi32>
    %w = arith.muli %v, %seven : i32
    memref.store %w, %y[%i] : memref<200xi32>
  }
  return %zero : i32""",
    "step and stride": """
  scf.for %i = %c3 to %c50 step %c2 {
    %v = memref.load %x[%i] : memref<200xi32>
    %j = arith.muli %i, %c3 : index
    memref.store %v, %y[%j] : memref<200xi32>
  }
  return %zero : i32""",
    "backwards": """
  scf.for %i = %c0 to %c50 step %c1 {
    %v = memref.load %x[%i] : memref<200xi32>
    %j = arith.subi %c50, %i : index
    memref.store %v, %y[%j] : memref<200xi32>
  }
  return %zero : i32""",
    "counter as a value": """
  scf.for %i = %low to %high step %c1 {
    %v = arith.index_cast %i : index to i32
    %w = arith.xori %v, %seven : i32
    memref.store %w, %y[%i] : memref<200xi32>
  }
  return %zero : i32""",
    "inner loop": """
  scf.for %i = %c0 to %c50 step %c1 {
    %first = memref.load %x[%i] : memref<200xi32>
    %last:2 = scf.for %j = %c0 to %high step %c1 iter_args(%v = %first, %k = %i) -> (i32, index) {
      %a = memref.load %x[%j] : memref<200xi32>
      %b = memref.load %x[%k] : memref<200xi32>
      %s = arith.addi %v, %a : i32
      %t = arith.xori %s, %b : i32
      %l = arith.addi %k, %c1 : index
      scf.yield %t, %l : i32, index
    }
    memref.store %last#0, %y[%i] : memref<200xi32>
  }
  return %zero : i32""",
    "reduction through an inner loop": """
  %sum = scf.for %i = %c0 to %c50 step %c1 iter_args(%s = %n) -> (i32) {
    %t = scf.for %j = %c0 to %c3 step %c1 iter_args(%u = %s) -> (i32) {
      %k = arith.addi %i, %j : index
      %a = memref.load %x[%k] : memref<200xi32>
      %v = arith.addi %u, %a : i32
      scf.yield %v : i32
    }
    scf.yield %t : i32
  }
  return %sum : i32""",
    "uniform condition": """
  %even = arith.cmpi ult, %n, %m : i32
  scf.for %i = %c0 to %c50 step %c1 {
    %v = memref.load %x[%i] : memref<200xi32>
    %w = scf.if %even -> (i32) {
      %a = arith.addi %v, %seven : i32
      scf.yield %a : i32
    } else {
      scf.yield %n : i32
    }
    memref.store %w, %y[%i] : memref<200xi32>
  }
  return %zero : i32""",
    "distance of eight": """
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c50 step %c1 {
    %v = memref.load %y[%i] : memref<200xi32>
    %w = arith.addi %v, %seven : i32
    %j = arith.addi %i, %c8 : index
    memref.store %w, %y[%j] : memref<200xi32>
  }
  return %zero : i32""",
}
BODIES["a partial sum is stored"] = """
  %r = scf.for %i = %c0 to %c50 step %c1 iter_args(%s = %n) -> (i32) {
    %a = memref.load %x[%i] : memref<200xi32>
    %t = arith.addi %s, %a : i32
    memref.store %t, %y[%i] : memref<200xi32>
    scf.yield %t : i32
  }
  return %r : i32"""
BODIES["a partial sum without the last is stored"] = """
  %r:2 = scf.for %i = %low to %high step %c1 iter_args(%s = %n, %q = %m) -> (i32, i32) {
    memref.store %s, %y[%i] : memref<200xi32>
    %j = arith.addi %i, %c50 : index
    memref.store %q, %y[%j] : memref<200xi32>
    %a = memref.load %x[%i] : memref<200xi32>
    %t = arith.xori %s, %a : i32
    %u = arith.xori %t, %seven : i32
    %v = arith.xori %i32, %u : i32
    scf.yield %v, %t : i32, i32
  }
  return %r#0 : i32""".replace("%i32", "%seven")
BODIES["neighbours carried"] = """
  %r:2 = scf.for %i = %c0 to %c50 step %c1 iter_args(%s = %n, %q = %m) -> (i32, i32) {
    %a = memref.load %x[%i] : memref<200xi32>
    %t = arith.addi %s, %q : i32
    %u = arith.xori %t, %a : i32
    memref.store %u, %y[%i] : memref<200xi32>
    scf.yield %q, %a : i32, i32
  }
  return %r#0 : i32"""
BODIES["overlapping tail"] = """
  %s = scf.for %i = %c0 to %c50 step %c1 iter_args(%t = %n) -> (i32) {
    %v = memref.load %x[%i] : memref<200xi32>
    %w = arith.addi %v, %seven : i32
    memref.store %w, %y[%i] : memref<200xi32>
    %u = arith.addi %t, %w : i32
    scf.yield %u : i32
  }
  return %s : i32"""
BODIES["lanes leave a while loop"] = """
  %r = scf.for %i = %c1 to %c50 step %c1 iter_args(%t = %zero) -> (i32) {
    %a = memref.load %x[%i] : memref<200xi32>
    %h = arith.index_cast %i : index to i32
    %w:2 = scf.while (%v = %a, %k = %h) : (i32, i32) -> (i32, i32) {
      %odd = arith.andi %v, %seven : i32
      %go = arith.cmpi ne, %odd, %zero : i32
      scf.condition(%go) %k, %v : i32, i32
    } do {
    ^bb0(%k: i32, %v: i32):
      %at = arith.andi %k, %seven : i32
      %j = arith.index_cast %at : i32 to index
      %b = memref.load %x[%j] : memref<200xi32>
      %least = arith.andi %v, %seven : i32
      // Zero for lanes that have left.
      %e = arith.divui %v, %least : i32
      %d = arith.shrui %e, %one : i32
      %s = arith.addi %k, %b : i32
      scf.yield %d, %s : i32, i32
    }
    memref.store %w#0, %y[%i] : memref<200xi32>
    %u = arith.addi %t, %w#1 : i32
    scf.yield %u : i32
  }
  return %r : i32"""
BODIES["uneven inner loops"] = """
  scf.for %i = %c0 to %high step %c1 {
    %a = memref.load %x[%i] : memref<200xi32>
    %b = arith.andi %a, %seven : i32
    %from = arith.index_cast %b : i32 to index
    %sum = scf.for %k = %from to %i step %c2 iter_args(%s = %a) -> (i32) {
      %v = memref.load %x[%k] : memref<200xi32>
      %n2 = arith.addi %i, %c3 : index
      %sum2 = scf.for %l = %k to %n2 step %c1 iter_args(%p = %v) -> (i32) {
        %l2 = arith.subi %c50, %l : index
        %w = memref.load %x[%l2] : memref<200xi32>
        %q = arith.xori %p, %w : i32
        scf.yield %q : i32
      }
      %t = arith.addi %s, %sum2 : i32
      scf.yield %t : i32
    }
    memref.store %sum, %y[%i] : memref<200xi32>
  }
  return %zero : i32"""
for _function in ("addi", "muli", "andi", "ori", "xori", "minui", "maxui", "minsi", "maxsi"):
    BODIES[f"reduction {_function}"] = f"""
  %r = scf.for %i = %low to %high step %c1 iter_args(%s = %n) -> (i32) {{
    %a = memref.load %x[%i] : memref<200xi32>
    %t = arith.{_function} %a, %s : i32
    scf.yield %t : i32
  }}
  return %r : i32"""

for _predicate in ("slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"):
    _bounds = [("c1", "c50"), ("c3", "c50")] + [("low", "high")] * (_predicate[-1] == "t")
    for _low, _high in _bounds:
        BODIES[f"best {_predicate} {_low}"] = f"""
  %r:3 = scf.for %i = %{_low} to %{_high} step %c1
      iter_args(%best = %n, %at = %m, %e = %seven) -> (i32, i32, i32) {{
    %a = memref.load %x[%i] : memref<200xi32>
    %o = memref.load %y[%i] : memref<200xi32>
    %v = arith.remui %a, %seven : i32
    %p = arith.cmpi {_predicate}, %v, %best : i32
    %h = arith.index_cast %i : index to i32
    %b = arith.select %p, %v, %best : i32
    %k = arith.select %p, %h, %at : i32
    %f = arith.select %p, %o, %e : i32
    scf.yield %b, %k, %f : i32, i32, i32
  }}
  %q = arith.xori %r#0, %r#2 : i32
  %s = arith.muli %q, %r#1 : i32
  return %s : i32"""


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_loops(body):
    rng = random.Random(1)
    before, after, count = vectorized(LOOP.format(body=body))
    assert count == 1
    for low, high in [(0, 0), (5, 3), (0, 1), (0, 8), (3, 20), (7, 40), (1, 49), (16, 32)]:
        bits = rng.choice((2, 32))
        x, y = ([rng.getrandbits(bits) for _ in range(200)] for _ in range(2))
        args = (low, high, x, y)
        assert memory_after(after, args) == memory_after(before, args)


MISSES = {
    "a recurrence": """
  %r = scf.for %i = %c0 to %c50 step %c1 iter_args(%s = %n) -> (i32) {
    %a = memref.load %x[%i] : memref<200xi32>
    %p = arith.muli %s, %seven : i32
    %t = arith.addi %p, %a : i32
    scf.yield %t : i32
  }
  return %r : i32""",
    "the next element is overwritten": """
  scf.for %i = %c0 to %c50 step %c1 {
    %v = memref.load %y[%i] : memref<200xi32>
    %j = arith.addi %i, %c1 : index
    memref.store %v, %y[%j] : memref<200xi32>
  }
  return %zero : i32""",
    "data-dependent stores": """
  scf.for %i = %c0 to %c50 step %c1 {
    %v = memref.load %x[%i] : memref<200xi32>
    %w = arith.remui %v, %seven : i32
    %j = arith.index_cast %w : i32 to index
    memref.store %v, %y[%j] : memref<200xi32>
  }
  return %zero : i32""",
    "one word for all": """
  scf.for %i = %c0 to %c50 step %c1 {
    %v = memref.load %x[%i] : memref<200xi32>
    memref.store %v, %y[%c3] : memref<200xi32>
  }
  return %zero : i32""",
    "an inner loop that lanes leave stores": """
  scf.for %i = %c0 to %c50 step %c1 {
    %a = memref.load %x[%i] : memref<200xi32>
    %end = arith.index_cast %a : i32 to index
    scf.for %k = %i to %end step %c50 {
      memref.store %a, %y[%i] : memref<200xi32>
    }
  }
  return %zero : i32""",
    "too few iterations": """
  scf.for %i = %c0 to %c3 step %c1 {
    %v = memref.load %x[%i] : memref<200xi32>
    memref.store %v, %y[%i] : memref<200xi32>
  }
  return %zero : i32""",
    "a condition per element": """
  scf.for %i = %c0 to %c50 step %c1 {
    %v = memref.load %x[%i] : memref<200xi32>
    %p = arith.cmpi ult, %v, %n : i32
    scf.if %p {
      memref.store %v, %y[%i] : memref<200xi32>
    }
  }
  return %zero : i32""",
}


@pytest.mark.parametrize("body", MISSES.values(), ids=MISSES.keys())
def test_what_must_not_be_widened(body):
    before, after, count = vectorized(LOOP.format(body=body))
    assert count == 0
    assert str(after) == str(before)


def test_twice_is_once():
    ctx = make_context()
    module = parse_module(ctx, LOOP.format(body=BODIES["dynamic bounds"]))
    run_pipeline(ctx, module, parse_pipeline(f"{TO_SSA},vectorize-loops"))
    once = str(module)
    run_pipeline(ctx, module, parse_pipeline("vectorize-loops"))
    # The loop over what is left may be tried again; it must not be.
    assert str(module) == once
