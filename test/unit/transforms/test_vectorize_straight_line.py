"""vectorize-straight-line keeps what programs do, and finds what loops had."""

import pytest
from xdsl.dialects.builtin import ModuleOp, VectorType, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from support import differential
from support.work import growth
from vliw_mlir.analysis.bounds import function_bound
from vliw_mlir.api import parse_pipeline
from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.instrument import run_pipeline
from vliw_mlir.source import make_context
from vliw_mlir.transforms.vectorize_straight_line import VectorizeStraightLine

UNROLLED = "simplify,unroll-loops,simplify,vectorize-accesses,simplify"
PASS = "vectorize-straight-line"


@pytest.mark.parametrize("name", ["saxpy", "dot", "fir", "conv2d_3x3", "jacobi1d"])
def test_kernels(name):
    pipeline = f"unroll-loops{{factor=16 max-trips=16}},simplify,vectorize-accesses,simplify,{PASS}"
    assert differential.difference(differential.kernel(name), pipeline) is None


@pytest.mark.parametrize("kind", differential.MAKERS)
@pytest.mark.parametrize("seed", range(4))
def test_random_programs(kind, seed):
    subject = differential.MAKERS[kind](seed)
    assert differential.difference(subject, PASS) is None
    assert differential.difference(subject, f"{UNROLLED},{PASS},simplify") is None


@pytest.mark.parametrize("name", ["saxpy", "dot"])
def test_unrolled_loops_become_as_good_as_vectorized_ones(name):
    cycles = []
    for passes in (
        "vectorize-loops",
        f"unroll-loops{{factor=64}},simplify,vectorize-accesses,{PASS}",
    ):
        module = differential.kernel(name).parse()
        run_pipeline(make_context(), module, parse_pipeline(f"simplify,{passes},simplify"))
        cycles.append(function_bound(kernel_function(module)).cycles)
    assert cycles[1] <= cycles[0] * 1.1 + 8


def many_packs(count):
    block = Block(arg_types=[word.BufferType(8), VectorType(i32, [8])])
    buffer, vector = block.args
    zero = word.ConstantOp(0)
    block.add_op(zero)
    for _ in range(count):
        lanes = [word.ExtractOp(vector, lane) for lane in range(8)]
        for _ in range(4):
            lanes = [*lanes, *(word.MulOp(lane, lane) for lane in lanes[-8:])]
        made = word.FromElementsOp(lanes[-8:])
        block.add_ops([*lanes, made, word.StoreOp(made, buffer, zero)])
    block.add_op(ReturnOp())
    func = FuncOp("f", (list(block.arg_types), []), Region(block))
    return ModuleOp([func])


def test_takes_linear_time():
    module = many_packs(10)
    VectorizeStraightLine().apply(make_context(), module)
    assert sum(isinstance(op, word.MulOp) for op in module.walk()) == 10 * 4

    def prepare(count):
        module = many_packs(count)
        return lambda: VectorizeStraightLine().apply(make_context(), module)

    assert growth(prepare, 10) < 5
