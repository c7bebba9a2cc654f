"""Value numbering: scopes, folding, and what may be used where."""

import pytest

from vliw_mlir.dialects import word
from vliw_mlir.semantics import FUNCTIONS
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.transforms.rules import RULES
from vliw_mlir.transforms.rules.matcher import matcher_for
from vliw_mlir.transforms.simplification.expressions import Expressions

TEXT = """
func.func @k(%x: i32, %y: i32, %n: i32) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s = word.add %x, %y : i32
    word.trace_write %s
  }
  func.return
}"""


@pytest.fixture
def function():
    module = parse_module(make_context(), TEXT)
    return next(iter(module.ops))


@pytest.fixture
def expressions(function):
    e = Expressions(function.body.block, matcher_for(RULES, frozenset(FUNCTIONS)))
    e.anchor = function.body.block.last_op
    return e


def operands(e, function):
    return tuple(map(e.of, function.body.block.args[:2]))


def test_equal_values_are_one(function, expressions):
    e = expressions
    x, y = operands(e, function)
    product = e.apply("mul", (x, y))
    assert e.apply("mul", (y, x)) is product
    assert e.apply("sub", (x, y)) is not e.apply("sub", (y, x))


def test_what_is_found_in_a_scope_is_forgotten(function, expressions):
    e = expressions
    x, y = operands(e, function)
    with e.scope():
        inner = e.apply("mul", (x, y))
        e.assume(x, 3)
        assert e.of(x.value).word == 3
    assert e.apply("mul", (x, y)) is not inner
    assert e.of(x.value) is x


def test_constants_are_folded_and_unique(function, expressions):
    e = expressions
    seven = e.apply("add", (e.constant(3), e.constant(4)))
    assert seven is e.constant(7)
    assert seven.value.owner is function.body.block.first_op.next_op.next_op
    assert e.apply("divu", (seven, e.constant(0))).constant is None


def test_lanes_are_folded(expressions):
    e = expressions
    type = word.ConstantOp([0] * 4).result.type
    v = e.constant((1, 2, 3, 4), type)
    assert e.apply("mul", (v, e.constant(2, type))).constant == (2, 4, 6, 8)
    assert e.apply("sub", (v, v)) is e.constant(0, type)
    assert e.constant(0, type) is not e.constant(0)


def test_rules_apply_to_what_is_made(function, expressions):
    e = expressions
    x, y = operands(e, function)
    assert e.apply("sub", (e.apply("add", (x, y)), y)) is x
    assert e.apply("add", (e.constant(0), x)) is x


def test_values_of_erased_operations_are_not_found(function, expressions):
    e = expressions
    x, y = operands(e, function)
    product = e.apply("mul", (x, y))
    product.value.owner.parent.erase_op(product.value.owner)
    assert e.apply("mul", (x, y)) is not product


def test_hoisting_does_not_use_values_from_inside(function, expressions):
    e = expressions
    x, y = operands(e, function)
    loop = next(op for op in function.body.block.ops if op.regions)
    inside = loop.body.block.first_op
    e.anchor = loop.body.block.last_op
    found = e.define_function(inside.results[0], "add", (x, y))
    assert e.apply("add", (x, y)) is found
    with e.hoisting(loop):
        hoisted = e.apply("add", (x, y))
    assert hoisted is not found
    assert hoisted.value.owner.next_op is loop
    assert e.anchor is loop.body.block.last_op
