"""Matching and building, without any IR: expressions are tuples in disguise."""

from dataclasses import dataclass

import pytest

from vliw_mlir.transforms.rules.matcher import CONSTANT, Matcher, arrangements
from vliw_mlir.transforms.rules.rule import Rule
from vliw_mlir.transforms.rules.term import Literal, code, parse

MASK = 0xFFFFFFFF


@dataclass(frozen=True, eq=False)
class Node:
    function: str
    args: tuple = ()
    constant: object = None
    ones: int = MASK

    def __str__(self):
        if self.function == CONSTANT:
            return str(self.constant)
        return f"{self.function}({', '.join(map(str, self.args))})" if self.args else self.function


class Build:
    """Builds nodes; `shared` are used elsewhere, too."""

    def __init__(self, shared=()):
        self.shared = shared

    def apply(self, function, args):
        return Node(function, tuple(args))

    def constant_like(self, words, like):
        return constant(words)

    def is_used_elsewhere(self, node):
        return node in self.shared


def constant(words):
    return Node(CONSTANT, (), words, words if isinstance(words, int) else MASK)


def rewritten(rules, function, *args, shared=()):
    found = Matcher(rules).rewrite(Build(shared), function, args)
    return None if found is None else str(found[1])


X, Y = Node("x"), Node("y")


def test_constants_are_captured_and_computed():
    rule = Rule("r", "(x + C) + D", "x + (C + D)")
    inner = Node("add", (X, constant(3)))
    assert rewritten([rule], "add", inner, constant(MASK)) == "add(x, 2)"
    assert rewritten([rule], "add", inner, Y) is None
    assert rewritten([rule], "add", Node("sub", (X, constant(3))), constant(4)) is None


def test_constants_differ_among_lanes():
    rule = Rule("r", "(x ^ C) ^ D", "x ^ (C ^ D)")
    inner = Node("xor", (X, constant((1, 2, 3, 4))))
    assert rewritten([rule], "xor", inner, constant(1)) == "xor(x, (0, 3, 2, 5))"
    assert rewritten([rule], "xor", inner, constant((0, 3, 2, 5))) == "xor(x, 1)"


def test_condition_must_hold_in_all_lanes():
    rule = Rule("r", "x * C", "x << log2(C)", "is_power_of_two(C)")
    assert rewritten([rule], "mul", X, constant((1, 2, 4, 8))) == "shl(x, (0, 1, 2, 3))"
    assert rewritten([rule], "mul", X, constant((1, 2, 3, 8))) is None
    assert rewritten([rule], "mul", X, constant(3)) is None


def test_condition_may_ask_for_possible_bits():
    rule = Rule("r", "x & C", "x", "ones(x) & ~C == 0")
    byte = Node("byte", ones=0xFF)
    assert rewritten([rule], "and", byte, constant(0xFFF)) == "byte"
    assert rewritten([rule], "and", byte, constant(0xF)) is None


def test_literals_match_uniform_constants_only():
    rule = Rule("r", "x * -1", "0 - x")
    assert rewritten([rule], "mul", X, constant(MASK)) == "sub(0, x)"
    assert rewritten([rule], "mul", X, constant((MASK, 1))) is None


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("inner_first", [True, False])
def test_commutative_functions_match_either_way_round(first, inner_first):
    rule = Rule("r", "x & (x | y)", "x")
    inner = Node("or", (X, Y) if inner_first else (Y, X))
    args = (X, inner) if first else (inner, X)
    assert rewritten([rule], "and", *args) == "x"


def test_other_functions_match_as_written():
    rule = Rule("r", "x - (x - y)", "y")
    assert rewritten([rule], "sub", X, Node("sub", (X, Y))) == "y"
    assert rewritten([rule], "sub", X, Node("sub", (Y, X))) is None


def test_a_variable_is_one_value():
    rule = Rule("r", "x ^ x", "0")
    assert rewritten([rule], "xor", X, X) == "0"
    assert rewritten([rule], "xor", X, Node("x")) is None


def test_captured_twice_is_one_constant():
    rule = Rule("r", "(x << K) >> K", "x & (ONES >> K)")
    shifted = Node("shl", (X, constant(24)))
    assert rewritten([rule], "shru", shifted, constant(24)) == "and(x, 255)"
    assert rewritten([rule], "shru", shifted, constant(8)) is None


def test_two_new_operations_need_operands_without_other_uses():
    rule = Rule("r", "(x + C) * D", "x*D + C*D")
    inner = Node("add", (X, constant(2)))
    assert rewritten([rule], "mul", inner, constant(3)) == "add(mul(x, 3), 6)"
    assert rewritten([rule], "mul", inner, constant(3), shared=[inner]) is None


def test_one_new_operation_does_not():
    rule = Rule("r", "(x + C) + D", "x + (C + D)")
    inner = Node("add", (X, constant(2)))
    assert rewritten([rule], "add", inner, constant(3), shared=[inner]) == "add(x, 5)"


def test_first_rule_that_matches_is_applied():
    rules = [Rule("a", "x + 0", "x"), Rule("b", "x + C", "x - -C")]
    assert rewritten(rules, "add", X, constant(0)) == "x"
    assert rewritten(rules, "add", X, constant(1)) == f"sub(x, {MASK})"


def test_rule_may_lead_to_a_missing_function_only_from_another():
    native = frozenset({"add", "xor", "shru"})
    assert Rule("r", "x + x", "x << 1").suits(native) is False
    assert Rule("r", "shrs(x, 1)", "x << 1").suits(native) is True
    assert Rule("r", "x + 0", "x").suits(native) is True


def test_arrangements_leave_out_what_matches_the_same():
    count = {
        "x + y": 1,
        "x + 0": 1,
        "x + (y + z)": 2,
        "x & (x | y)": 4,
        "x - y": 1,
        "(x & y) + (x | y)": 4,
    }
    for text, wanted in count.items():
        assert len(arrangements(Rule("r", text, "x").pattern)) == wanted, text


@pytest.mark.parametrize("text", ["x.y", "f(x)", "x if y else z", "x < y < z", "'a'", "x @ y"])
def test_what_is_no_term_is_refused(text):
    with pytest.raises((ValueError, KeyError)):
        parse(text)


def test_conditions_are_truth_values():
    assert eval(code(parse("2 and 1"))) == 1
    assert eval(code(parse("0 or 4"))) == 1
    assert parse("ONES") == Literal(MASK, "ONES")
