"""Simplification keeps what programs do, is done after one application, and takes linear time."""

from random import Random

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.dialects.func import FuncOp, ReturnOp

from support.differential import KERNEL_NAMES, Subject, difference, kernel, native, standard
from support.random_patterns import patterns
from support.work import growth
from vliw_mlir.api import parse_pipeline
from vliw_mlir.dialects import word
from vliw_mlir.instrument import StatisticsTable, collecting_statistics, run_pipeline
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.target import Target
from vliw_mlir.target.encodings import Encoding, encoding_of
from vliw_mlir.transforms.simplify import Simplify, available_functions
from vliw_mlir.verifier import verify

TO_BLOCKS = "convert-word-scf-to-cf,legalize-vectors,expand-word-ops"


def simplified(text):
    module = parse_module(make_context(), text, "k.mlir")
    Simplify().apply(Context(), module)
    verify(module)
    return module


@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_kernels_do_the_same(name):
    assert difference(kernel(name), "simplify") is None


@pytest.mark.parametrize("first", range(0, 20, 10))
def test_programs_full_of_patterns_do_the_same(first):
    for seed in range(first, first + 10):
        assert difference(patterns(seed), "simplify") is None, seed


@pytest.mark.parametrize("make", [standard, native, lambda s: standard(s, "traps")])
def test_random_programs_do_the_same(make):
    for seed in range(6):
        assert difference(make(seed), "simplify") is None, seed


def test_programs_of_blocks_do_the_same():
    for seed in range(6):
        assert difference(patterns(seed), f"{TO_BLOCKS},simplify") is None, seed


def programs():
    yield from (patterns(seed, size) for seed in range(5) for size in (10, 60))
    yield from map(kernel, KERNEL_NAMES)


def test_a_second_application_finds_nothing():
    for subject in programs():
        once = str(simplified(subject.text))
        assert str(simplified(once)) == once, subject.name


def operations(module):
    """How many operations there are, constants aside: those are loaded once."""
    return sum(not isinstance(op, word.ConstantOp) for op in module.walk())


def test_programs_do_not_grow():
    for subject in programs():
        before = operations(subject.parse())
        assert operations(simplified(subject.text)) <= before, subject.name


def test_program_stays_legal_for_the_machine():
    """After `expand-word-ops`, no function comes back that the machine lacks."""
    target = Target.default()
    for seed in range(6):
        module = patterns(seed).parse()
        run_pipeline(make_context(), module, parse_pipeline(TO_BLOCKS))
        for op in simplified(str(module)).walk():
            if isinstance(op, word.ArithmeticOp):
                vector = word.lanes_of(op.result.type) is not None
                encoding = encoding_of(target, op.function.name, vector=vector)
                assert encoding is not Encoding.NONE, (seed, op.function.name)


def test_available_functions_are_those_of_the_machine():
    available = available_functions(Target.default())
    assert {"add", "mul", "divu", "ult", "eq", "select"} <= available
    assert available.isdisjoint({"ne", "minu", "shrs", "rotl", "divs", "mulhu"})
    # There is none for words.
    assert "multiply_add" not in available


def straight_line(count):
    """Operations on what came shortly before, a third of them with patterns to rewrite."""
    rng = Random(count)
    function = FuncOp("kernel", ([word.BufferType(64)], []))
    block = function.body.block

    def add(op):
        block.add_op(op)
        return op.results[0]

    values = [add(word.LoadOp(block.args[0], add(word.ConstantOp(n)))) for n in range(16)]
    constants = [add(word.ConstantOp(n)) for n in (5, 9, 12, 0x7ED55D16, 0xC761C23C)]
    types = (word.XorOp, word.AddOp, word.ShruOp)
    for number in range(count):
        other = rng.choice(constants) if number % 3 else values[-8]
        op = types[number % 3].create(operands=(values[-16], other), result_types=(i32,))
        values.append(add(op))
    for n, value in enumerate(values[-16:]):
        offset = add(word.ConstantOp(n))
        block.add_op(word.StoreOp(value, block.args[0], offset))
    block.add_op(ReturnOp())
    return ModuleOp([function])


def test_takes_linear_time():
    def prepare(count):
        module = straight_line(count)
        return lambda: Simplify().apply(Context(), module)

    assert growth(prepare, 500) < 5


def test_many_loops_in_a_row_and_deep_chains_are_fine():
    """Nothing recurses along chains of operations."""
    loops = "\n".join(
        f"%r{n + 1} = scf.for %i{n} = %c0 to %n step %c1 iter_args(%x{n} = %r{n}) -> (i32) : i32 {{"
        f" %y{n} = word.mul %x{n}, %x{n} : i32 scf.yield %y{n} : i32 }}"
        for n in range(1500)
    )
    module = simplified(
        f"""func.func @k(%n: i32, %r0: i32) -> i32 {{
          %c0 = word.constant 0 : i32
          %c1 = word.constant 1 : i32
          {loops}
          func.return %r1500 : i32
        }}"""
    )
    assert operations(module) == 2 + 1500 * 3 + 1


def test_statistics_count_what_was_done():
    text = """
    func.func @k(%a: i32, %b: !word.buffer<4>) {
      %c0 = word.constant 0 : i32
      %c1 = word.constant 1 : i32
      %c2 = word.add %c1, %c1 : i32
      %x = word.add %a, %c0 : i32
      %y = word.mul %x, %a : i32
      %z = word.mul %a, %a : i32
      %dead = word.sub %z, %a : i32
      %t = word.test %c1
      scf.if %t {
        word.store %y, %b[%c2] : i32, !word.buffer<4>
        word.store %z, %b[%c1] : i32, !word.buffer<4>
      }
      func.return
    }"""
    with collecting_statistics(StatisticsTable()) as table:
        simplified(text)
    counters = table.counters["simplify"]
    # The two dead ones: %dead, and the constant 0 that nothing uses any more.
    assert counters["num-folded"] == 1
    assert counters["num-rewritten"] == 1
    assert counters["num-merged"] == 1
    assert counters["num-control"] == 1
    assert counters["num-dead"] >= 1


def test_ops_of_other_levels_stay():
    text = """
    func.func @k(%t: tensor<4xi32>) -> tensor<4xi32> {
      %c = word.constant 3 : i32
      %s = kernel.splat %c : tensor<4xi32>
      %r = kernel.add %t, %s : tensor<4xi32>
      func.return %r : tensor<4xi32>
    }"""
    assert "kernel.add" in str(simplified(text))


def test_max_iterations_bounds_the_walks():
    subject: Subject = patterns(3, 60)
    one, four = subject.parse(), subject.parse()
    Simplify(max_iterations=1).apply(Context(), one)
    Simplify().apply(Context(), four)
    verify(one)
    assert operations(four) <= operations(one)


def test_leaves_no_concatenation_behind():
    text = """func.func @f(%x: !word.buffer<64>) {
      %c = word.constant 0 : i32
      %v = word.load %x[%c] : !word.buffer<64> -> vector<8xi32>
      %s = word.slice %v[0] : vector<8xi32> -> vector<4xi32>
      %t = word.slice %v[4] : vector<8xi32> -> vector<2xi32>
      %0 = word.concat %s, %t, %v : vector<4xi32>, vector<2xi32>, vector<8xi32> -> vector<14xi32>
      %1 = word.concat %s, %t, %v : vector<4xi32>, vector<2xi32>, vector<8xi32> -> vector<14xi32>
      word.store %0, %x[%c] : vector<14xi32>, !word.buffer<64>
      word.store %1, %x[%c] : vector<14xi32>, !word.buffer<64>
      func.return
    }"""
    module = parse_module(make_context(), text, "k")
    Simplify().apply(Context(), module)
    verify(module)
    assert sum(op.name == "word.concat" for op in module.walk()) == 1
