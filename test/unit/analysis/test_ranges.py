"""The range analysis against what values turn out to be, its facts, and its work."""

from pathlib import Path

import pytest

from support.check_ranges import Watch
from support.random_programs import generate
from support.work import growth
from vliw_mlir.abi.datafile import load_cases
from vliw_mlir.analysis.buffers import base_buffer
from vliw_mlir.analysis.ranges import Ranges
from vliw_mlir.analysis.word_sets import TOP, constant, words
from vliw_mlir.api import parse_pipeline
from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.errors import CompileError
from vliw_mlir.instrument import run_pipeline
from vliw_mlir.source import make_context, parse_module

KERNELS = Path(__file__).parents[3] / "kernels"
TO_SSA = parse_pipeline("inline-calls,convert-std-to-kernel,convert-kernel-to-word")
STEP_LIMIT = 1_000_000


def lowered(text):
    context = make_context()
    module = parse_module(context, text, "k.mlir")
    run_pipeline(context, module, TO_SSA)
    return module


def function(text):
    return kernel_function(parse_module(make_context(), text, "k.mlir"))


def values(func):
    """The values of a function by their names."""
    blocks = [block for op in func.walk() for region in op.regions for block in region.blocks]
    found = {arg.name_hint: arg for block in blocks for arg in block.args}
    return found | {result.name_hint: result for op in func.walk() for result in op.results}


@pytest.mark.parametrize("name", sorted(path.stem for path in KERNELS.glob("*.mlir")))
def test_values_of_kernels_are_as_claimed(name):
    watch = Watch(lowered((KERNELS / f"{name}.mlir").read_text()))
    case = load_cases(KERNELS / f"{name}.json")[0]
    assert watch.violations(case.args, STEP_LIMIT) == []


@pytest.mark.parametrize("seed", range(12))
def test_values_of_random_programs_are_as_claimed(seed):
    program = generate(seed)
    watch = Watch(lowered(program.text))
    for args in program.inputs:
        assert watch.violations(args, STEP_LIMIT) == []


def test_a_false_claim_is_found():
    """Of the test above."""
    watch = Watch(lowered((KERNELS / "prefix_sum.mlir").read_text()))
    watch.claims = [(name, constant(claim.lo)) for name, claim in watch.claims]
    case = load_cases(KERNELS / "prefix_sum.json")[0]
    assert watch.violations(case.args, STEP_LIMIT) != []


def test_conditions_count_where_asked():
    func = function(
        """
        func.func @k(%x: i32) {
          %c8 = word.constant 8 : i32
          %low = word.cmp ult, %x, %c8 : i32
          %t = word.test %low
          scf.if %t {
            %c1 = word.constant 1 : i32
            scf.if %t {
              %y = word.add %x, %c1 : i32
            }
          }
          func.return
        }"""
    )
    ranges, value = Ranges(func), values(func)
    inner = value["y"].owner.parent
    assert ranges.of(value["x"]) is TOP
    assert ranges.at(value["x"], inner) == words(0, 7)
    assert ranges.at(value["x"], func.body.block) is TOP
    assert ranges.of(value["y"]) == words(1, 8)


def test_a_product_that_is_not_zero_has_no_zero_factor():
    func = function(
        """
        func.func @k(%x: i32, %n: i32) {
          %low = word.cmp ult, %x, %n : i32
          %p = word.mul %low, %n : i32
          %t = word.test %p
          scf.if %t {
            %y = word.add %x, %n : i32
          } else {
            %z = word.add %x, %n : i32
          }
          func.return
        }"""
    )
    ranges, value = Ranges(func), values(func)
    inner, other = value["y"].owner.parent, value["z"].owner.parent
    assert ranges.at(value["low"], inner) == constant(1)
    assert ranges.at(value["n"], inner) == words(1, 0xFFFFFFFF)
    assert ranges.at(value["x"], inner) == words(0, 0xFFFFFFFE)
    assert ranges.at(value["x"], other) is TOP


def test_stores_to_unknown_buffers_count_for_all():
    func = function(
        """
        func.func @k(%r: !word.buffer<8> {vliw.range = array<i32: 0, 9>}, %i: i32)
            attributes {vliw.signature = (memref<8xi32>, i32) -> ()} {
          %c0 = word.constant 0 : i32
          %c8 = word.constant 8 : i32
          scf.for %j = %c0 to %c8 step %c8 iter_args(%b = %r) -> (!word.buffer<8>) : i32 {
            word.store %i, %b[%j] : i32, !word.buffer<8>
            scf.yield %b : !word.buffer<8>
          }
          %x = word.load %r[%c0] : !word.buffer<8> -> i32
          func.return
        }"""
    )
    value = values(func)
    assert base_buffer(value["b"]) is None
    assert Ranges(func).of(value["x"]) is TOP


def test_private_functions_have_no_facts():
    module = parse_module(
        make_context(),
        """
        func.func private @p(%x: i32 {vliw.value = 3 : i32}) { func.return }
        func.func @k() { func.return }""",
    )
    func = module.body.block.first_op
    assert Ranges(func).of(func.body.block.args[0]) is TOP


def test_malformed_facts_are_reported():
    with pytest.raises(CompileError, match=r"k\.mlir:1:1: argument 0: vliw.value must be"):
        Ranges(function('func.func @k(%x: i32 {vliw.value = "3"}) { func.return }'))


def nested_loops(depth):
    head = "".join(
        f"%r{n} = scf.for %i{n} = %c0 to %m step %c1 iter_args(%x{n} = %x{n - 1}) -> (i32) : i32 {{"
        for n in range(1, depth)
    )
    tail = "".join(f"scf.yield %r{n} : i32 }}" for n in reversed(range(2, depth)))
    return function(
        f"""
        func.func @k(%m: i32, %x0: i32 {{vliw.range = array<i32: 0, 7>}}) -> i32 {{
          %c0 = word.constant 0 : i32
          %c1 = word.constant 1 : i32
          {head} %up = word.add %x{depth - 1}, %c1 : i32 scf.yield %up : i32 }} {tail[:-1]}
          }}
          func.return %r1 : i32
        }}"""
    )


def straight_line(count):
    func = function("func.func @k(%k: i32, %x: i32) { func.return }")
    block = func.body.block
    k, value = block.args
    for _ in range(count):
        op = word.XorOp(value, k)
        block.insert_op_before(op, block.last_op)
        value = op.result
    return func


def counted(function):
    def prepare(size):
        func = function(size)
        return lambda: Ranges(func)

    return prepare


def test_depth_of_loops_does_not_multiply_rounds():
    """Each loop is entered from what it held before: what all do grows with the depth squared."""
    assert growth(counted(nested_loops), 5) < 4**2


def test_takes_linear_time():
    assert growth(counted(straight_line), 500) < 5
