"""Splitting reductions, iterations and loops by conditions keeps what programs do."""

import pytest
from xdsl.context import Context

from support.differential import KERNEL_NAMES, difference, kernel, loops, native
from vliw_mlir.abi import build_image
from vliw_mlir.interp import compile_kernel
from vliw_mlir.semantics import REDUCTIONS
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.transforms.peel_loops import PeelLoops
from vliw_mlir.transforms.split_reductions import SplitReductions
from vliw_mlir.verifier import verify

PIPELINES = [
    "split-reductions{factor=3}",
    "peel-loops{first=1 last=2}",
    "peel-loops{conditions=true}",
    "hoist-loop-invariants,unswitch-loops",
]


@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_kernels(name):
    subject = kernel(name)
    for pipeline in PIPELINES:
        assert difference(subject, pipeline) is None


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_random_programs(seed, pipeline):
    assert difference(loops(seed), pipeline) is None
    assert difference(native(seed), pipeline) is None


def run(module, *args):
    verify(module)
    compiled = compile_kernel(module)
    image = build_image(compiled.interface, args)
    trace = compiled.run(image, step_limit=1000).trace
    return list(trace), image.results()


@pytest.mark.parametrize("function", REDUCTIONS)
def test_reductions(function):
    text = f"""func.func @k(%n: i32, %x: i32, %y: i32) -> i32 {{
      %c1 = word.constant 1 : i32
      %c0 = word.constant 0 : i32
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (i32) : i32 {{
        %a = word.mul %i, %y : i32
        %w = word.{function} %a, %v : i32
        scf.yield %w : i32
      }}
      func.return %r : i32
    }}"""
    before, after = (parse_module(make_context(), text, "k.mlir") for _ in range(2))
    SplitReductions(factor=5).apply(Context(), after)
    assert sum(op.name == "scf.for" for op in after.walk()) == 2
    for n in range(12):
        args = n, 0x9E3779B9, 0x85EBCA6B
        assert run(before, *args) == run(after, *args)


@pytest.mark.parametrize("first", [0, 1, 3])
@pytest.mark.parametrize("last", [0, 1, 2])
def test_peeling_with_computed_bounds(first, last):
    text = """func.func @k(%n: i32, %m: i32) {
      %c1 = word.constant 1 : i32
      scf.for %i = %n to %m step %c1 : i32 { word.trace_write %i }
      func.return
    }"""
    before, after = (parse_module(make_context(), text, "k.mlir") for _ in range(2))
    PeelLoops(first=first, last=last).apply(Context(), after)
    for n in (0, 1 << 31, (1 << 31) - 4, 0xFFFFFFFE):
        for trips in range(7):
            args = n, n + trips & 0xFFFFFFFF
            assert run(before, *args) == run(after, *args)
    assert run(after, 5, 2) == ([], [])
