"""Carrying functions of counters keeps what loops do, in fewer operations."""

from random import Random

import pytest
from xdsl.context import Context
from xdsl.dialects import scf

from support.differential import KERNEL_NAMES, Subject, difference, kernel
from support.random_patterns import patterns
from vliw_mlir.dialects import word
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.transforms.simplify import Simplify
from vliw_mlir.transforms.strength_reduction import StrengthReduction
from vliw_mlir.verifier import verify

PIPELINES = ("strength-reduction", "strength-reduction{carry-cost=0},simplify")


@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_kernels_do_the_same(name):
    assert difference(kernel(name), PIPELINES[1]) is None


def program(seed):
    """Nested loops that store functions of their counters; bounds that may wrap around."""
    rng = Random(seed)
    lines, values = [], ["%i", "%j", "%p"]
    for n in range(9):
        a, b = rng.choice(values[-4:]), rng.choice((*values[-4:], "%q", "%c3", "%c12", "%m1"))
        name = rng.choice(("add", "add", "mul", "sub", "shl", "xor"))
        if name in ("mul", "shl"):
            b = rng.choice(("%c3", "%c12"))
        lines.append(f"%v{n} = word.{name} {a}, {b} : i32")
        values.append(f"%v{n}")
        if rng.random() < 0.4:
            lines.append(f"word.trace_write %v{n}")
    body = "\n".join(lines)
    start = rng.choice(("%c0", "%p", "%i", "%m1"))
    step = rng.choice(("%c1", "%c3", "%q7"))
    return f"""
    func.func @k(%p: i32, %q: i32) attributes {{vliw.signature = (i32, i32) -> ()}} {{
      %c0 = word.constant 0 : i32
      %c1 = word.constant 1 : i32
      %c3 = word.constant 3 : i32
      %c12 = word.constant 12 : i32
      %m1 = word.constant -1 : i32
      %q7 = word.and %q, %c12 : i32
      %step = word.or %q7, %c1 : i32
      scf.for %i = %c0 to %c12 step %c3 : i32 {{
        %end = word.add {start}, %c12 : i32
        scf.for %j = {start} to %end step {step.replace("%q7", "%step")} : i32 {{
          {body}
          word.trace_write %v8
        }}
      }}
      func.return
    }}"""


def in_inner_loop(module):
    loops = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    return sum(isinstance(op, word.ArithmeticOp) for op in loops[-1].body.block.ops)


def test_random_nests():
    reduced = 0
    for seed in range(30):
        text, rng = program(seed), Random(seed)
        runs = [[rng.choice((0, 5, 1 << 31, rng.getrandbits(32))), rng.getrandbits(32)]]
        for pipeline in PIPELINES:
            assert difference(Subject(str(seed), text, runs), pipeline) is None, text
        module = parse_module(make_context(), text, "k.mlir")
        Simplify().apply(Context(), module)
        before = in_inner_loop(module)
        StrengthReduction().apply(Context(), module)
        verify(module)
        assert in_inner_loop(module) <= before
        reduced += in_inner_loop(module) < before
    assert reduced


def test_programs_full_of_patterns_do_the_same():
    for seed in range(6):
        assert difference(patterns(seed), PIPELINES[1]) is None, seed
