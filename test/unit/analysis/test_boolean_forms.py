"""Affine forms over booleans, against the word functions for all values of the booleans."""

from itertools import product
from random import Random

import pytest

from vliw_mlir.analysis.boolean_forms import BooleanForm, BooleanForms, apply
from vliw_mlir.analysis.ranges import Ranges
from vliw_mlir.analysis.word_sets import BOOLEAN, constant, hull, words
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.semantics import FUNCTIONS
from vliw_mlir.source import make_context, parse_module

M32 = (1 << 32) - 1
BOOLEANS = 4


def evaluate(form, values):
    return (form.constant + sum(a * values[number] for number, a in form.terms)) & M32


def random_form(rng):
    numbers = sorted(rng.sample(range(BOOLEANS), rng.choice((0, 1, 1, 2, 3))))
    style = rng.randrange(3)
    if style == 0:
        # Summands of bits of their own, some negated.
        bits = rng.sample(range(32), len(numbers) + 1)
        form = BooleanForm(rng.choice((0, 1 << bits[0])))
        for number, bit in zip(numbers, bits[1:], strict=True):
            term = BooleanForm(0, ((number, 1 << bit),))
            negated = BooleanForm(1 << bit).minus(term)
            form = form.plus(rng.choice((term, term, negated)))
        return form
    top = 8 if style == 1 else 32
    terms = ((number, rng.randrange(1, 1 << top)) for number in numbers)
    return BooleanForm(rng.getrandbits(rng.choice((3, 32))), tuple(terms))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_forms_of_functions_have_the_right_values(name):
    rng = Random(name)
    function = FUNCTIONS[name]
    found = 0
    for _ in range(400):
        operands = [random_form(rng) for _ in range(function.arity)]
        form = apply(function, operands)
        if form is None:
            continue
        found += 1
        for values in product((0, 1), repeat=BOOLEANS):
            expected = function.scalar(*(evaluate(operand, values) for operand in operands))
            assert evaluate(form, values) == expected, f"{name}{operands} = {form} at {values}"
    assert found


def test_sets_contain_all_values():
    rng = Random(3)
    for _ in range(500):
        form = random_form(rng)
        values = form.values()
        assert values == [form.value(true) for true in range(1 << len(form.terms))]
        assert set(values) == {evaluate(form, v) for v in product((0, 1), repeat=BOOLEANS)}
        assert all(value in form.to_set() for value in values)
        if form.is_carry_free:
            assert form.to_set().possible == form.possible_bits
            assert form.to_set() == hull(values)


@pytest.mark.parametrize(
    ("name", "operands", "expected"),
    [
        ("add", ("1+b0", "2b1"), "1+b0+2b1"),
        ("sub", ("4", "b0"), "4-b0"),
        ("multiply_add", ("1+b0", "2", "1+b1"), "3+2b0+b1"),
        ("eq", ("b0", "0"), "1-b0"),
        ("xor", ("b0", "1"), "1-b0"),
        ("select", ("b0", "1", "2"), "2-b0"),
        ("select", ("b0", "4+b1", "7+b1"), "7+b1-3b0"),
        ("select", ("b0", "b0+b1", "b1"), "b1+b0"),
        ("select", ("1", "b0", "b1"), "b0"),
        ("and", ("8+4b0+2b1+b2", "6"), "4b0+2b1"),
        ("and", ("7-4b0-2b1", "6"), "6-4b0-2b1"),
        ("or", ("8+4b0", "2b1"), "8+4b0+2b1"),
        ("or", ("4b0+2b1", "4"), "4+2b1"),
        ("xor", ("4b0+2b1", "6"), "6-4b0-2b1"),
        ("shru", ("8+4b0+2b1", "2"), "2+b0"),
        ("divu", ("8+4b0+2b1", "4"), "2+b0"),
        ("remu", ("8+4b0+2b1", "4"), "2b1"),
        ("shl", ("1+b0+b1", "31"), "2147483648+2147483648b0+2147483648b1"),
        # Products of booleans, carries, counts that vary.
        ("mul", ("b0", "b1"), None),
        ("and", ("1+b0+b1", "2"), None),
        ("xor", ("b0", "b1"), None),
        ("shl", ("b0", "b1"), None),
        ("select", ("b0", "b1", "b2"), None),
        ("select", ("b0+b1", "1", "2"), None),
        ("divu", ("1", "b0"), None),
    ],
)
def test_rules(name, operands, expected):
    result = apply(FUNCTIONS[name], [form_of(text) for text in operands])
    assert result == (None if expected is None else form_of(expected))


def form_of(text):
    """`7-2b0+b1` as a form."""
    form = BooleanForm(0)
    for part in text.replace("-", "+-").split("+"):
        coefficient, _, number = part.partition("b")
        factor = int(coefficient) if coefficient.strip("-") else int(f"{coefficient}1")
        form = form.plus(
            BooleanForm(0, ((int(number), 1),)).scaled(factor)
            if number
            else BooleanForm(factor & M32)
        )
    return form


def analysed(text, **options):
    func = kernel_function(parse_module(make_context(), text, "k.mlir"))
    forms = BooleanForms(func, Ranges(func), **options)
    values = {result.name_hint: result for op in func.walk() for result in op.results}
    return forms, values


WALK = """
func.func @k(%x: vector<4xi32>, %y: vector<4xi32>) {
  %c0 = word.constant dense<0> : vector<4xi32>
  %c1 = word.constant dense<1> : vector<4xi32>
  %c2 = word.constant dense<2> : vector<4xi32>
  %lanes = word.constant dense<[0, 1, 2, 3]> : vector<4xi32>
  %p0 = word.and %x, %c1 : vector<4xi32>
  %even0 = word.cmp eq, %p0, %c0 : vector<4xi32>
  %step0 = word.select %even0, %c1, %c2 : vector<4xi32>
  %p1 = word.remu %y, %c2 : vector<4xi32>
  %even1 = word.cmp eq, %p1, %c0 : vector<4xi32>
  %step1 = word.select %even1, %c1, %c2 : vector<4xi32>
  %idx = word.multiply_add %step0, %c2, %step1 : vector<4xi32>
  %high = word.cmp ugt, %idx, %c2 : vector<4xi32>
  %odd = word.cmp eq, %idx, %x : vector<4xi32>
  %mixed = word.add %idx, %lanes : vector<4xi32>
  func.return
}"""


def test_values_of_a_function():
    forms, value = analysed(WALK)
    assert forms.booleans == [value["p0"], value["p1"], value["odd"]]
    assert forms.of(value["even0"]) == form_of("1-b0")
    assert forms.of(value["step1"]) == form_of("1+b1")
    assert forms.of(value["idx"]) == form_of("3+2b0+b1")
    assert forms.of(value["high"]) == form_of("1")
    assert forms.of(value["mixed"]) is None
    assert forms.set_of(value["idx"]) == words(3, 6)
    assert forms.set_of(value["odd"]) == BOOLEAN
    assert forms.set_of(value["c2"]) == constant(2)


def test_number_of_terms_is_limited():
    forms, value = analysed(WALK, max_terms=1)
    assert forms.of(value["step1"]) == form_of("1+b1")
    assert forms.of(value["idx"]) is None


def test_loops_and_branches():
    forms, value = analysed(
        """
        func.func @k(%n: i32, %x: i32) {
          %c0 = word.constant 0 : i32
          %c1 = word.constant 1 : i32
          %last = scf.for %i = %c0 to %n step %c1 iter_args(%flag = %c0) -> (i32) : i32 {
            %not = word.xor %flag, %c1 : i32
            scf.yield %not : i32
          }
          %two = word.add %last, %last : i32
          func.return
        }"""
    )
    flag = value["not"].owner.operands[0]
    assert forms.booleans == [flag, value["last"]]
    assert forms.of(value["not"]) == form_of("1-b0")
    assert forms.of(value["two"]) == form_of("2b1")
