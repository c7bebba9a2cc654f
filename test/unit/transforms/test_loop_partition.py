"""Fusing, distributing and strip-mining loops keep what programs do."""

import pytest
from xdsl.context import Context
from xdsl.dialects import scf

from support.differential import KERNEL_NAMES, difference, kernel, loops, native, standard
from support.loop_sequences import loop_sequence
from vliw_mlir.abi import build_image
from vliw_mlir.interp import compile_kernel
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.transforms.distribute_loops import DistributeLoops
from vliw_mlir.transforms.fuse_loops import FuseLoops
from vliw_mlir.transforms.strip_mine import StripMine
from vliw_mlir.verifier import verify

PIPELINES = [
    "fuse-loops",
    "distribute-loops{all=true}",
    "distribute-loops",
    "strip-mine{size=3}",
]


@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_kernels(name):
    subject = kernel(name)
    for pipeline in PIPELINES:
        assert difference(subject, pipeline) is None


@pytest.mark.parametrize("seed", range(10))
def test_random_programs(seed):
    for subject in (standard(seed), native(seed), loops(seed)):
        for pipeline in PIPELINES:
            assert difference(subject, pipeline) is None


@pytest.mark.parametrize("seed", range(100))
def test_loop_sequence(seed):
    subject = loop_sequence(seed)
    for pipeline in PIPELINES:
        assert difference(subject, pipeline) is None


def test_that_something_happens():
    """Of the random loops, many are fused or distributed, and many are not."""
    changed = {FuseLoops: 0, DistributeLoops: 0}
    for seed in range(40):
        for type, options in ((FuseLoops, {}), (DistributeLoops, {"all": True})):
            module = loop_sequence(seed).parse()
            before = sum(isinstance(op, scf.ForOp) for op in module.walk())
            type(**options).apply(Context(), module)
            after = sum(isinstance(op, scf.ForOp) for op in module.walk())
            changed[type] += before != after
    assert all(3 < number < 37 for number in changed.values()), changed


@pytest.mark.parametrize("trips", range(9))
@pytest.mark.parametrize("low", [0, 2**31, 2**31 - 9, 2**32 - 3])
def test_strips_with_computed_bounds(low, trips):
    text = """func.func @k(%n: i32, %m: i32) -> i32 {
      %c1 = word.constant 1 : i32
      %r = scf.for %i = %n to %m step %c1 iter_args(%v = %n) -> (i32) : i32 {
        word.trace_write %i
        %w = word.add %v, %i : i32
        scf.yield %w : i32
      }
      func.return %r : i32
    }"""
    runs = []
    for size in (1, 4):
        module = parse_module(make_context(), text, "k.mlir")
        StripMine(size=size).apply(Context(), module)
        verify(module)
        assert sum(isinstance(op, scf.ForOp) for op in module.walk()) == (1 if size == 1 else 2)
        compiled = compile_kernel(module)
        image = build_image(compiled.interface, (low, low + trips & 0xFFFFFFFF))
        runs.append((compiled.run(image, step_limit=1000).trace, image.results()))
    assert runs[0] == runs[1]
