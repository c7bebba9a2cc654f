"""Dividing by constants in other ways: right for all words, cheaper, and only then."""

from random import Random

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, MemRefType, ModuleOp, i32
from xdsl.dialects.func import FuncOp, ReturnOp

import vliw_mlir
from support.differential import stray_use
from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import SIGNATURE, set_target
from vliw_mlir.interp import interpret_case
from vliw_mlir.semantics import FUNCTIONS
from vliw_mlir.target import Target
from vliw_mlir.transforms.divide_by_constant import WAYS, DivideByConstant, _choose_multiplier

ALU = ["+", "-", "*", "^", "&", "|", "<<", ">>", "<", "=="]
NO_DIVISION = Target.from_dict(
    {
        "name": "no-division",
        "engines": {
            "alu": {"instructions": ALU},
            "valu": {"instructions": [*ALU, "vbroadcast", "multiply_add"]},
        },
    }
)
DIVISORS = (
    *(1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 14, 25, 28, 64, 100, 125, 625, 641, 1000, 3600, 65536),
    *(0x10001, 0x12345, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xC0000000, 0xFFFFFFFE, 0xFFFFFFFF),
)
DIVIDENDS = (
    *(0, 1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 27, 63, 64, 99, 100, 641, 65535, 65536),
    *(0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFF5, 0xFFFFFFFE, 0xFFFFFFFF),
)
SIZE = 48


def dividends(divisor, seed):
    """Words around multiples of a divisor, and others."""
    rng = Random(seed)
    multiples = [divisor * rng.randrange(1 << 32) // rng.choice((1, divisor)) for _ in range(5)]
    near = [(m + d) & 0xFFFFFFFF for m in multiples for d in (-1, 0, 1)]
    words = [*DIVIDENDS, *near]
    return words + [rng.getrandbits(32) for _ in range(SIZE - len(words))]


def division(name, divisor, target, lanes=None):
    """A kernel that replaces the words of its argument by their quotients; its division."""
    function = FuncOp("kernel", ([word.BufferType(SIZE)], []))
    function.attributes[SIGNATURE] = FunctionType.from_lists([MemRefType(i32, [SIZE])], [])
    block = function.body.block
    step = lanes or 1
    type = i32 if lanes is None else word.ConstantOp([0] * lanes).result.type
    d = word.ConstantOp(divisor if lanes is None else [divisor] * lanes)
    block.add_op(d)
    for start in range(0, SIZE, step):
        offset = word.ConstantOp(start)
        x = word.LoadOp(block.args[0], offset, type)
        q = word.BINARY_OP_BY_FUNCTION[name](x, d)
        block.add_ops([offset, x, q, word.StoreOp(q, block.args[0], offset)])
    block.add_op(ReturnOp())
    module = ModuleOp([function])
    set_target(module, target)
    return module


def functions(module):
    return {op.function.name for op in module.walk() if isinstance(op, word.ArithmeticOp)}


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("target", [Target.default(), NO_DIVISION], ids=lambda t: t.name)
def test_quotients_are_right(name, target):
    rng = Random(name)
    for divisor in (*DIVISORS, *(rng.getrandbits(rng.randrange(2, 33)) | 1 for _ in range(4))):
        module = division(name, divisor, target, lanes=8)
        DivideByConstant().apply(Context(), module)
        # Of the ways that were weighed, nothing is left but the cheapest.
        assert stray_use(module) is None
        words = dividends(divisor, name)
        found = interpret_case(module, [words]).array(0).tolist()
        assert found == [FUNCTIONS[name].scalar(x, divisor) for x in words], divisor
        if target is NO_DIVISION and divisor < 0x80000000:
            assert functions(module).isdisjoint(WAYS), divisor


def test_machine_that_divides_in_one_slot_keeps_unsigned_divisions():
    for name in ("divu", "remu", "ceildivu"):
        for divisor in (3, 7, 10, 641):
            module = division(name, divisor, Target.default())
            DivideByConstant().apply(Context(), module)
            assert functions(module) == {name}


def test_signed_divisions_become_unsigned_ones():
    module = division("floordivs", 10, Target.default(), lanes=8)
    DivideByConstant().apply(Context(), module)
    assert functions(module) == {"shru", "sub", "xor", "divu"}
    module = division("rems", 8, Target.default())
    DivideByConstant().apply(Context(), module)
    assert functions(module) == {"shru", "sub", "and", "add"}


def test_division_by_zero_and_by_unknowns_stays():
    module = division("divu", 0, NO_DIVISION)
    DivideByConstant().apply(Context(), module)
    assert functions(module) == {"divu"}


def test_program_runs_on_a_machine_without_division():
    text = """
    func.func @k(%a: memref<16xi32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %c10 = arith.constant 10 : i32
      %m3 = arith.constant -3 : i32
      scf.for %i = %c0 to %c16 step %c1 {
        %x = memref.load %a[%i] : memref<16xi32>
        %q = arith.divui %x, %c10 : i32
        %r = arith.remsi %x, %m3 : i32
        %s = arith.addi %q, %r : i32
        memref.store %s, %a[%i] : memref<16xi32>
      }
      func.return
    }"""
    pipeline = (
        "inline-calls,convert-std-to-kernel,convert-kernel-to-word,divide-by-constant,simplify,"
        "convert-word-scf-to-cf,legalize-vectors,expand-word-ops,simplify,convert-word-to-vliw"
    )
    words = dividends(10, 1)[16:32]
    result = vliw_mlir.compile(text, pipeline, NO_DIVISION).run(words)
    rems, m3 = FUNCTIONS["rems"].scalar, 0xFFFFFFFD
    assert result.outputs[0].tolist() == [(x // 10 + rems(x, m3)) & 0xFFFFFFFF for x in words]


def test_multiplier_is_exact():
    """The bound by which Granlund and Montgomery prove their reciprocals right."""
    for divisor in (3, 5, 7, 9, 641, 0x7FFFFFFF, 0xFFFFFFFF):
        multiplier, shift = _choose_multiplier(divisor, 32)
        scaled = 1 << (32 + shift)
        assert scaled <= multiplier * divisor <= scaled + (1 << shift)
