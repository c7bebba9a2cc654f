"""fold-offsets keeps what programs do, and leaves a bound that is no higher."""

import pytest

from support import differential
from vliw_mlir.analysis.bounds import function_bound
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.instrument import run_pipeline
from vliw_mlir.source import make_context
from vliw_mlir.transforms.fold_offsets import FoldOffsets
from vliw_mlir.transforms.hoist_loop_invariants import HoistLoopInvariants
from vliw_mlir.transforms.simplify import Simplify
from vliw_mlir.transforms.vectorize_loops import VectorizeLoops

BEFORE = (Simplify(), VectorizeLoops(), Simplify(), HoistLoopInvariants())
PASSES = (FoldOffsets(), Simplify())


@pytest.mark.parametrize("name", differential.KERNEL_NAMES)
def test_kernels(name):
    assert differential.difference(differential.kernel(name), (*BEFORE, *PASSES)) is None


@pytest.mark.parametrize("kind", differential.MAKERS)
@pytest.mark.parametrize("seed", range(4))
def test_random_programs(kind, seed):
    assert differential.difference(differential.MAKERS[kind](seed), PASSES) is None


@pytest.mark.parametrize("name", ["matmul", "conv2d_3x3", "fir", "bitonic_sort"])
def test_the_bound_gets_no_worse(name):
    module = differential.kernel(name).parse()
    run_pipeline(make_context(), module, BEFORE)
    before = function_bound(kernel_function(module))
    run_pipeline(make_context(), module, PASSES)
    after = function_bound(kernel_function(module))
    # A part of a buffer that is taken outside of a loop adds at most a slot there.
    assert (after.cycles or 0) <= (before.cycles or 0) + 2
