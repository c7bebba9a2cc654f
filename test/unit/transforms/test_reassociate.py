"""Reassociation keeps what programs do, costs nothing in loops, and takes linear time."""

from random import Random

import pytest
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp

from support.differential import KERNEL_NAMES, Subject, difference, kernel, native, standard
from support.random_patterns import patterns
from support.work import growth
from vliw_mlir.dialects import word
from vliw_mlir.instrument import StatisticsTable, collecting_statistics
from vliw_mlir.semantics import REDUCTIONS
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.transforms.reassociate import Reassociate
from vliw_mlir.transforms.simplify import Simplify
from vliw_mlir.verifier import verify


@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_kernels_do_the_same(name):
    assert difference(kernel(name), "reassociate") is None


@pytest.mark.parametrize("first", range(0, 20, 10))
def test_programs_full_of_patterns_do_the_same(first):
    for seed in range(first, first + 10):
        assert difference(patterns(seed), "reassociate") is None, seed


@pytest.mark.parametrize("make", [standard, native])
def test_random_programs_do_the_same(make):
    for seed in range(4):
        assert difference(make(seed), "reassociate") is None, seed


def loop(function, seed):
    """A loop over a random tree of a function and of values from all around."""
    rng = Random(f"{function} {seed}")
    values = ["%p", "%q", "%x", "%i", "%c5", "%c9", "%c1"]
    lines = []
    for number in range(rng.randrange(3, 9)):
        name = "sub" if function == "add" and rng.random() < 0.3 else function
        operands = (
            rng.choices(values, k=2) if number < 2 else (f"%t{number - 1}", rng.choice(values))
        )
        lines.append(f"%t{number} = word.{name} {operands[0]}, {operands[1]} : i32")
        if rng.random() < 0.3:
            values.append(f"%t{number}")
    body = "\n".join(lines)
    return f"""
    func.func @k(%p: i32, %q: i32, %b: !word.buffer<8>)
        attributes {{vliw.signature = (i32, i32, memref<8xi32>) -> ()}} {{
      %c0 = word.constant 0 : i32
      %c1 = word.constant 1 : i32
      %c5 = word.constant 5 : i32
      %c8 = word.constant 8 : i32
      %c9 = word.constant 9 : i32
      scf.for %i = %c0 to %c8 step %c1 : i32 {{
        %x = word.load %b[%i] : !word.buffer<8> -> i32
        {body}
        word.store %t{number}, %b[%i] : i32, !word.buffer<8>
      }}
      func.return
    }}"""


def parse(text):
    return parse_module(make_context(), text, "k.mlir")


def in_loops(module):
    return sum(
        isinstance(op, word.ArithmeticOp)
        for op in module.walk()
        if isinstance(op.parent_op(), scf.ForOp)
    )


@pytest.mark.parametrize("function", REDUCTIONS)
def test_trees_in_loops(function):
    """They compute the same in no more operations, and come to rest."""
    for seed in range(25):
        text = loop(function, seed)
        rng = Random(seed)
        runs = [
            [rng.getrandbits(32), rng.getrandbits(32), [rng.getrandbits(32) for _ in range(8)]]
            for _ in range(2)
        ]
        assert difference(Subject(str(seed), text, runs), "reassociate") is None, text
        plain, better = parse(text), parse(text)
        Simplify().apply(Context(), plain)
        Reassociate().apply(Context(), better)
        verify(better)
        assert in_loops(better) <= in_loops(plain), text
        # What was moved may leave more to move, but not for long.
        Reassociate().apply(Context(), better)
        Reassociate().apply(Context(), better)
        settled = str(better)
        Reassociate().apply(Context(), better)
        assert str(better) == settled


def test_distribution_is_an_option():
    text = """
    func.func @k(%p: i32, %q: i32, %b: !word.buffer<8>) {
      %c0 = word.constant 0 : i32
      %c1 = word.constant 1 : i32
      %c8 = word.constant 8 : i32
      scf.for %i = %c0 to %c8 step %c1 : i32 {
        %x = word.load %b[%i] : !word.buffer<8> -> i32
        %t = word.select %x, %p, %q : i32
        %u = word.xor %x, %c8 : i32
        %v = word.xor %u, %t : i32
        word.store %v, %b[%i] : i32, !word.buffer<8>
      }
      func.return
    }"""
    for option, count in ((True, 2), (False, 3)):
        module = parse(text)
        with collecting_statistics(StatisticsTable()) as table:
            Reassociate(distribute_over_selects=option).apply(Context(), module)
        assert in_loops(module) == count
        assert table.counters["reassociate"].get("num-distributed", 0) == option


def chain(count):
    function = FuncOp("kernel", ([word.BufferType(64)], []))
    block = function.body.block
    constants = [word.ConstantOp(n) for n in range(64)]
    loads = [word.LoadOp(block.args[0], constant) for constant in constants]
    block.add_ops([*constants, *loads])
    total = loads[0].result
    for n in range(count):
        other = loads[n % 64] if n % 5 else constants[n % 64]
        op = (word.AddOp, word.SubOp)[n % 2](total, other)
        block.add_op(op)
        total = op.result
    block.add_ops([word.StoreOp(total, block.args[0], constants[0]), ReturnOp()])
    return ModuleOp([function])


def test_long_chains_take_linear_time():
    def prepare(count):
        module = chain(count)
        return lambda: Reassociate().apply(Context(), module)

    assert growth(prepare, 1000) < 5


def test_long_chains_become_short():
    module = chain(1000)
    Reassociate().apply(Context(), module)
    verify(module)
    # Multiples of 64 loads and a constant.
    assert sum(isinstance(op, word.ArithmeticOp) for op in module.walk()) < 3 * 64
