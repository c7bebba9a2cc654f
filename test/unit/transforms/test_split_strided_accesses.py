"""split-strided-accesses keeps what programs do, and lowers the bound."""

import random

import pytest

from support import differential
from vliw_mlir.abi import build_image
from vliw_mlir.analysis.bounds import function_bound
from vliw_mlir.api import parse_pipeline
from vliw_mlir.dialects.facts import interface_of, kernel_function, set_target
from vliw_mlir.instrument import run_pipeline
from vliw_mlir.interp import interpret
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.target import Target
from vliw_mlir.verifier import verify

BEFORE = (
    "simplify,vectorize-loops,simplify,unroll-loops{factor=8 max-trips=8},simplify,"
    "simplify-with-ranges,simplify"
)
SPLIT = "split-strided-accesses"
MERGE = f"{SPLIT},vectorize-accesses,simplify"


@pytest.mark.parametrize("name", differential.KERNEL_NAMES)
def test_kernels(name):
    assert differential.difference(differential.kernel(name), f"{BEFORE},{MERGE}") is None


@pytest.mark.parametrize("kind", differential.MAKERS)
@pytest.mark.parametrize("seed", range(3))
def test_random_programs(kind, seed):
    subject = differential.MAKERS[kind](seed)
    assert differential.difference(subject, f"{BEFORE},{MERGE}") is None
    assert differential.difference(subject, SPLIT) is None


@pytest.mark.parametrize("name", ["murmur3_batch", "crc32_streams"])
def test_the_bound_becomes_lower(name):
    module = differential.kernel(name).parse()
    run_pipeline(make_context(), module, parse_pipeline(BEFORE))
    before = function_bound(kernel_function(module)).cycles
    run_pipeline(make_context(), module, parse_pipeline(MERGE))
    after = function_bound(kernel_function(module)).cycles
    assert before is not None
    assert after is not None
    assert after < 0.7 * before


TRANSPOSED = """
func.func @f(%x: memref<400xi32>, %y: memref<400xi32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c{n} = arith.constant {n} : index
  %stride = arith.constant {stride} : index
  %first = arith.constant {first} : index
  %three = arith.constant 3 : i32
  scf.for %i = %c0 to %c{n} step %c1 {{
    %row = arith.muli %i, %stride : index
    %at = arith.addi %row, %first : index
    %next = arith.addi %at, %c1 : index
    %a = memref.load %x[%at] : memref<400xi32>
    %b = memref.load %x[%next] : memref<400xi32>
    %c = arith.muli %a, %three : i32
    %d = arith.xori %c, %b : i32
    %e = arith.addi %d, %a : i32
    memref.store %d, %{to}[%next] : memref<400xi32>
    memref.store %e, %{to}[%at] : memref<400xi32>
  }}
  return
}}
"""


@pytest.mark.parametrize("vlen", [4, 8, 16])
@pytest.mark.parametrize("to", ["x", "y"])
@pytest.mark.parametrize(("stride", "first"), [(2, 0), (3, 1), (-1, 100), (-2, 200), (5, 0)])
def test_strides(vlen, to, stride, first):
    text = TRANSPOSED.format(n=37, stride=stride, first=first, to=to)
    rng = random.Random(1)
    args = [[rng.getrandbits(32) for _ in range(400)] for _ in range(2)]
    results = []
    for pipeline in ("", f",{BEFORE},{MERGE}"):
        ctx = make_context()
        module = parse_module(ctx, text)
        set_target(module, Target.from_dict({"vlen": vlen}))
        run_pipeline(ctx, module, parse_pipeline(differential.TO_SSA + pipeline))
        verify(module)
        image = build_image(interface_of(kernel_function(module)), args)
        interpret(module, image)
        results.append(image.memory.tolist())
    assert results[0] == results[1]
