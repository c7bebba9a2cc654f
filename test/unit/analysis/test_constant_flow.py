"""Constants that are found by following only what can be reached."""

from vliw_mlir.analysis.constant_flow import VARIES, ConstantFlow
from vliw_mlir.source import make_context, parse_module


def returned(body, arguments="%n: i32", count=1):
    types = ", ".join(["i32"] * count)
    text = f"func.func @k({arguments}) -> ({types}) {{ {body} }}"
    (func,) = parse_module(make_context(), text, "k.mlir").ops
    flow = ConstantFlow(func.body)
    last = next(op for op in func.walk() if op.name == "func.return")
    return flow.all_of(last.operands)


CONSTANTS = """
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c3 = word.constant 3 : i32
"""


def for_loop(low, high, step="%c1", yields="%c3"):
    body = f"""{CONSTANTS}
      %r, %s = scf.for %i = {low} to {high} step {step} iter_args(%v = %c1, %w = %c1)
          -> (i32, i32) : i32 {{
        %next = word.add %w, %i : i32
        scf.yield {yields}, %next : i32, i32
      }}
      func.return %r, %s : i32, i32"""
    return returned(body, count=2)


def test_loops_that_run_never_once_or_often():
    assert for_loop("%c1", "%c0") == [(1,), (1,)]
    assert for_loop("%c0", "%c1") == [(3,), (1,)]
    assert for_loop("%c1", "%c3", "%c3") == [(3,), (2,)]
    assert for_loop("%c0", "%c3") == [(3,), VARIES]
    assert for_loop("%c0", "%n") == [VARIES, VARIES]
    assert for_loop("%c0", "%n", yields="%c1") == [(1,), VARIES]


def test_a_step_that_wraps_around_runs_again():
    body = """
      %low = word.constant 2147483640 : i32
      %high = word.constant 2147483641 : i32
      %step = word.constant 100 : i32
      %r = scf.for %i = %low to %high step %step iter_args(%v = %low) -> (i32) : i32 {
        scf.yield %i : i32
      }
      func.return %r : i32"""
    assert returned(body) == [VARIES]


def test_while_that_never_runs_its_body():
    body = f"""{CONSTANTS}
      %never = word.test %c0
      %r = scf.while (%v = %c1) : (i32) -> i32 {{
        scf.condition(%never) %v : i32
      }} do {{
      ^bb0(%w: i32):
        scf.yield %n : i32
      }}
      func.return %r : i32"""
    assert returned(body) == [(1,)]


def test_a_select_with_a_known_condition():
    body = f"""{CONSTANTS}
      %a = word.select %c3, %c1, %n : i32
      %b = word.select %c0, %c1, %n : i32
      func.return %a, %b : i32, i32"""
    assert returned(body, count=2) == [(1,), VARIES]


def test_what_cannot_be_reached_has_no_state():
    text = """func.func @k() {
      %c0 = word.constant 0 : i32
      %t = word.test %c0
      cf.cond_br %t, ^a, ^b
    ^a:
      %x = word.add %c0, %c0 : i32
      cf.br ^b
    ^b:
      func.return
    }"""
    (func,) = parse_module(make_context(), text, "k.mlir").ops
    flow = ConstantFlow(func.body)
    entry, skipped, last = func.body.blocks
    assert flow.reached == {entry, last}
    assert flow.of(skipped.ops.first.results[0]) is None
