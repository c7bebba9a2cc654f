"""Affine forms against evaluation of the values."""

from random import Random

import pytest

from vliw_mlir.analysis.affine import Affine, AffineForms
from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.semantics import WORD_MASK
from vliw_mlir.source import make_context, parse_module

OPS = ["add", "sub", "mul", "shl", "multiply_add", "xor", "and"]


def random_function(random, length):
    """Words computed from two arguments and constants."""
    lines = [
        f"%c{n} = word.constant {random.choice((0, 1, 2, 3, 31, 32, random.getrandbits(32)))} : i32"
        for n in range(4)
    ]
    names = ["%x", "%y", *(f"%c{n}" for n in range(4))]
    for n in range(length):
        op = random.choice(OPS)
        operands = [random.choice(names) for _ in range(3 if op == "multiply_add" else 2)]
        lines.append(f"%v{n} = word.{op} {', '.join(operands)} : i32")
        names.append(f"%v{n}")
    return "func.func @k(%x: i32, %y: i32) {\n" + "\n".join(lines) + "\nfunc.return\n}"


@pytest.mark.parametrize("seed", range(40))
def test_forms_are_what_the_values_are(seed):
    random = Random(seed)
    func = kernel_function(parse_module(make_context(), random_function(random, 12), "k"))
    forms = AffineForms()
    values = {arg: random.getrandbits(32) for arg in func.body.block.args}
    for op in func.body.block.ops:
        if isinstance(op, word.ConstantOp):
            values[op.result] = op.word()
        elif isinstance(op, word.ArithmeticOp):
            values[op.result] = op.function.scalar(*(values[v] for v in op.operands))
    for value, found in values.items():
        form = forms.of(value)
        total = form.constant + sum(c * values[v] for v, c in form.terms.items())
        assert total & WORD_MASK == found
        assert all(0 < c <= WORD_MASK for c in form.terms.values())


def test_what_is_not_affine_is_a_term():
    text = """func.func @k(%x: i32, %y: i32) {
      %c5 = word.constant 5 : i32
      %p = word.mul %x, %y : i32
      %q = word.shl %p, %c5 : i32
      %r = word.sub %q, %p : i32
      %v = word.broadcast %x : vector<4xi32>
      %w = word.add %v, %v : vector<4xi32>
      func.return
    }"""
    block = kernel_function(parse_module(make_context(), text, "k")).body.block
    p, r, w = (
        next(op for op in block.ops if op.results and op.results[0].name_hint == name)
        for name in "prw"
    )
    forms = AffineForms()
    assert forms.of(r.results[0]) == Affine(0, {p.results[0]: 31})
    assert forms.of(w.results[0]) == Affine(0, {w.results[0]: 1})


def test_a_long_chain_needs_no_recursion():
    lines = ["%v0 = word.add %x, %x : i32"]
    lines += [f"%v{n} = word.add %v{n - 1}, %x : i32" for n in range(1, 5000)]
    text = "func.func @k(%x: i32) {\n" + "\n".join(lines) + "\nfunc.return\n}"
    block = kernel_function(parse_module(make_context(), text, "k")).body.block
    last = block.last_op.prev_op.results[0]
    assert AffineForms().of(last) == Affine(0, {block.args[0]: 5001})
