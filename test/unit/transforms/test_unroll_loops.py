"""Unrolling keeps what loops do, for any bounds, and copies in linear time."""

import pytest
from xdsl.context import Context
from xdsl.dialects import scf

from support.differential import KERNEL_NAMES, difference, kernel, native, standard
from support.work import growth
from vliw_mlir.abi import build_image
from vliw_mlir.analysis.loops import count_ops
from vliw_mlir.dialects.facts import set_target
from vliw_mlir.interp import compile_kernel
from vliw_mlir.semantics import to_signed
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.target import Target
from vliw_mlir.transforms.unroll_loops import UnrollLoops
from vliw_mlir.verifier import verify

PIPELINES = [
    "unroll-loops",
    "unroll-loops{factor=3 max-trips=0}",
    "unroll-loops{factor=4 max-trips=2}",
    "unroll-loops{factor=2 max-trips=6 inner-only=true}",
    "unroll-loops{by-cost=true max-code=2000}",
    "unroll-loops{by-cost=true max-code=200}",
]


def parse(text):
    return parse_module(make_context(), text, "k.mlir")


def unroll(module, **options):
    UnrollLoops(**options).apply(Context(), module)
    verify(module)


def loops(module):
    return [op for op in module.walk() if isinstance(op, scf.ForOp)]


@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_kernels(name):
    subject = kernel(name)
    for pipeline in (*PIPELINES[:2], PIPELINES[4]):
        assert difference(subject, pipeline) is None


@pytest.mark.parametrize("seed", range(5))
def test_random_programs(seed):
    for subject in (standard(seed), native(seed)):
        for pipeline in PIPELINES:
            assert difference(subject, pipeline) is None


LEAST, MOST = -(2**31), 2**31 - 1

BOUNDS = [
    *((0, n) for n in range(10)),
    *((LEAST, LEAST + n) for n in range(8)),
    *((MOST - n, MOST) for n in range(8)),
    (-3, 4),
    (5, -5),
    (MOST, LEAST),
    (LEAST, LEAST),
]


def counters(low, high, step):
    """What the counter of a loop is; like the machine's, it wraps around. None if forever."""
    found = []
    while low < high:
        found.append(low & 0xFFFFFFFF)
        low = to_signed((low + step) & 0xFFFFFFFF)
        if len(found) > 40:
            return None
    return found


def loop(step, low="%low", high="%high"):
    return f"""func.func @k(%low: i32, %high: i32, %x: i32) -> i32 {{
      %step = word.constant {step} : i32
      %sum = scf.for %i = {low} to {high} step %step iter_args(%s = %x) -> (i32) : i32 {{
        word.trace_write %i
        %next = word.add %s, %i : i32
        scf.yield %next : i32
      }}
      func.return %sum : i32
    }}"""


@pytest.mark.parametrize("factor", [2, 3, 5])
@pytest.mark.parametrize("step", [1, 2, 3, 1000])
def test_computed_bounds(factor, step):
    module = parse(loop(step))
    unroll(module, factor=factor)
    assert len(loops(module)) == 2
    compiled = compile_kernel(module)
    for low, high in BOUNDS:
        expected = counters(low, high, step)
        if expected is None:
            continue
        image = build_image(compiled.interface, [low & 0xFFFFFFFF, high & 0xFFFFFFFF, 7])
        assert list(compiled.run(image, step_limit=100).trace) == expected
        assert image.results() == [(sum(expected) + 7) & 0xFFFFFFFF]


@pytest.mark.parametrize(("low", "high"), BOUNDS)
@pytest.mark.parametrize("step", [1, 2, 3, 1 << 29])
def test_constant_bounds(low, high, step):
    expected = counters(low, high, step)
    text = loop(step, "%a", "%b").replace(
        "%step =", f"%a = word.constant {low} : i32 %b = word.constant {high} : i32 %step ="
    )
    for options in ({}, {"factor": 2, "max_trips": 0}, {"factor": 3, "max_trips": 0}):
        module = parse(text)
        unroll(module, **options)
        if expected is None:
            continue
        if not options:
            wraps = low < high and to_signed(expected[-1]) + step > MOST
            assert len(loops(module)) == (1 if wraps else 0)
        compiled = compile_kernel(module)
        image = build_image(compiled.interface, [0, 0, 7])
        assert list(compiled.run(image, step_limit=100).trace) == expected
        assert image.results() == [(sum(expected) + 7) & 0xFFFFFFFF]


def test_a_second_time_changes_nothing():
    for options in ({}, {"factor": 4, "max_trips": 0}, {"factor": 3, "max_trips": 2}):
        module = parse(loop(1))
        unroll(module, **options)
        once = str(module)
        unroll(module, **options)
        assert str(module) == once


def test_the_limit_of_ops_bounds_the_factor():
    module = parse(loop(1))
    unroll(module, factor=100, max_ops=8)
    main, _rest = loops(module)
    assert sum(op.name == "word.trace_write" for op in main.walk()) == 4


def nest(count, body):
    lines = [f"%v{n} = word.xor %v{n - 1}, %v{max(n - 2, 0)} : i32" for n in range(1, body + 1)]
    return f"""func.func @k(%x: i32) -> i32 {{
      %zero = word.constant 0 : i32
      %one = word.constant 1 : i32
      %count = word.constant {count} : i32
      %r = scf.for %i = %zero to %count step %one iter_args(%v0 = %x) -> (i32) : i32 {{
        {chr(10).join(lines)}
        scf.yield %v{body} : i32
      }}
      func.return %r : i32
    }}"""


@pytest.mark.parametrize("sizes", [lambda n: (n, 50), lambda n: (8, n)], ids=["trips", "ops"])
def test_takes_linear_time(sizes):
    def prepare(size):
        module = parse(nest(*sizes(size)))
        return lambda: UnrollLoops(max_trips=1 << 30, max_ops=1 << 30).apply(Context(), module)

    assert 3 < growth(prepare, 20) < 5


@pytest.mark.parametrize("max_code", [100, 1000, 5000])
def test_unrolling_by_cost_keeps_to_the_limit(max_code):
    for name in ("matmul", "conv2d_3x3", "jacobi1d"):
        module = kernel(name).parse()
        unroll(module, by_cost=True, max_code=max_code)
        (func,) = module.ops
        assert count_ops(func.body) <= max_code


def test_a_long_loop_is_unrolled_until_it_pays_no_more():
    module = parse("""func.func @k(%a: !word.buffer<65536>, %b: !word.buffer<65536>)
        attributes {vliw.signature = (memref<65536xi32>, memref<65536xi32>) -> ()} {
      %c0 = word.constant 0 : i32
      %c8 = word.constant 8 : i32
      %n = word.constant 65536 : i32
      scf.for %i = %c0 to %n step %c8 : i32 {
        %x = word.load %a[%i] : !word.buffer<65536> -> vector<8xi32>
        %y = word.add %x, %x : vector<8xi32>
        word.store %y, %b[%i] : vector<8xi32>, !word.buffer<65536>
      }
      func.return
    }""")
    unroll(module, by_cost=True)
    (loop,) = loops(module)
    copies = sum(op.name == "word.store" for op in loop.body.walk())
    assert 64 <= copies <= 256
    assert 8192 % copies == 0
    once = str(module)
    unroll(module, by_cost=True)
    assert str(module) == once


@pytest.mark.parametrize(("scratch", "is_unrolled"), [(1536, True), (512, False)])
def test_copies_need_room_to_overlap(scratch, is_unrolled):
    """A sum of words that are all loaded before."""
    count = 30
    constants = [f"%c{n} = word.constant {n} : i32" for n in range(count)]
    loads = [
        f"%x{n} = word.gather %a[%o{n}] : !word.buffer<99> -> vector<8xi32>" for n in range(count)
    ]
    offsets = [f"%o{n} = word.broadcast %c{n} : vector<8xi32>" for n in range(count)]
    sums = [f"%s{n + 1} = word.add %s{n}, %x{n} : vector<8xi32>" for n in range(count)]
    module = parse(f"""func.func @k(%a: !word.buffer<99>, %b: !word.buffer<64>)
        attributes {{vliw.signature = (memref<99xi32>, memref<64xi32>) -> ()}} {{
      {chr(10).join(constants + offsets)}
      %n = word.constant 64 : i32
      scf.for %i = %c0 to %n step %c8 : i32 {{
        {chr(10).join(loads)}
        %s0 = word.load %b[%i] : !word.buffer<64> -> vector<8xi32>
        {chr(10).join(sums)}
        word.store %s{count}, %b[%i] : vector<8xi32>, !word.buffer<64>
      }}
      func.return
    }}""")
    set_target(module, Target.from_dict({"name": "t", "scratch": scratch}))
    unroll(module, by_cost=True)
    assert (not loops(module)) == is_unrolled
