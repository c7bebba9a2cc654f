"""Forming multiply-adds keeps what programs do, and never costs the machine more."""

from random import Random

import pytest
from xdsl.context import Context

from support.differential import KERNEL_NAMES, Subject, difference, kernel
from support.random_patterns import patterns
from support.work import growth
from vliw_mlir.analysis.costs import function_cycles
from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import set_target
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.target import Target
from vliw_mlir.transforms.form_multiply_add import FormMultiplyAdd
from vliw_mlir.transforms.simplify import Simplify
from vliw_mlir.verifier import verify

LANES = 8


def parse(text):
    return parse_module(make_context(), text, "k.mlir")


def affine_program(seed, count=14):
    """Vectors that are sums, multiples and the like of two others, and some that are not."""
    rng = Random(seed)
    constants = (0, 1, 2, 3, 5, 9, 12, 33, 255, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
    type = f"vector<{LANES}xi32>"
    lines, values = [], ["%x", "%y"]
    for n in range(count):
        a = rng.choice(values[-4:])
        b = f"%c{n}" if rng.random() < 0.7 else rng.choice(values[-4:])
        value = rng.choice(constants)
        lines.append(f"%c{n} = word.constant dense<{value}> : {type}")
        name = rng.choice(("add", "add", "sub", "mul", "shl", "xor", "multiply_add"))
        operands = [a, b] if rng.random() < 0.8 else [b, a]
        if name == "multiply_add":
            operands.append(rng.choice(values[-3:]))
        lines.append(f"%v{n} = word.{name} {', '.join(operands)} : {type}")
        values.append(f"%v{n}")
        if rng.random() < 0.3:
            lines.append(f"word.store %v{n}, %b[%o{n % 8}] : {type}, !word.buffer<64>")
    offsets = "\n".join(f"%o{n} = word.constant {8 * n} : i32" for n in range(8))
    body = "\n".join(lines)
    return f"""
    func.func @k(%b: !word.buffer<64>) attributes {{vliw.signature = (memref<64xi32>) -> ()}} {{
      {offsets}
      %x = word.load %b[%o0] : !word.buffer<64> -> {type}
      %y = word.load %b[%o1] : !word.buffer<64> -> {type}
      {body}
      word.store %v{count - 1}, %b[%o2] : {type}, !word.buffer<64>
      func.return
    }}"""


def cost(module):
    target = Target.default()
    return sum(
        function_cycles(target, op.function.name, vector=word.lanes_of(op.result.type) is not None)
        for op in module.walk()
        if isinstance(op, word.ArithmeticOp)
    )


def test_affine_programs_do_the_same_for_less():
    for seed in range(10):
        text = affine_program(seed)
        rng = Random(seed)
        runs = [[[rng.getrandbits(32) for _ in range(64)]] for _ in range(2)]
        subject = Subject(str(seed), text, runs)
        assert difference(subject, "form-multiply-add") is None, text
        assert difference(subject, "simplify,form-multiply-add,simplify") is None, text
        plain, formed = parse(text), parse(text)
        Simplify().apply(Context(), plain)
        Simplify().apply(Context(), formed)
        FormMultiplyAdd().apply(Context(), formed)
        verify(formed)
        assert cost(formed) <= cost(plain) + 1e-9, text


@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_kernels_do_the_same(name):
    assert difference(kernel(name), "vectorize-loops,form-multiply-add") is None


def test_programs_full_of_patterns_do_the_same():
    for seed in range(8):
        assert difference(patterns(seed), "form-multiply-add") is None, seed


def test_machine_without_the_instruction_gets_none():
    instructions = ["+", "-", "*", "^", "&", "|", "<<", ">>", "<", "==", "vbroadcast"]
    target = Target.from_dict({"engines": {"valu": {"instructions": instructions}}})
    for seed in range(5):
        module = parse(affine_program(seed))
        set_target(module, target)
        before = str(module)
        count = before.count("multiply_add")
        FormMultiplyAdd().apply(Context(), module)
        assert str(module).count("multiply_add") <= count


def test_takes_linear_time():
    def prepare(count):
        module = parse(affine_program(1, count))
        return lambda: FormMultiplyAdd().apply(Context(), module)

    assert growth(prepare, 50) < 5
