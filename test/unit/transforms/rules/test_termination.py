"""Every rewrite rule makes a term smaller by one measure, so rewriting with them ends."""

import pytest

from vliw_mlir.semantics import FUNCTIONS
from vliw_mlir.transforms.rules import RULES
from vliw_mlir.transforms.rules.rule import computed
from vliw_mlir.transforms.rules.term import Apply, Variable, is_constant, subterms

# Ten for each slot on a machine that has to compose what has no instruction; more for what the
# canonical form avoids.
COSTS = {
    **dict.fromkeys(FUNCTIONS, 10),
    **{"shl": 9.9, "or": 10.2, "xor": 10.3, "sub": 10.4, "eq": 10.5, "ult": 10.55, "mul": 10.6},
    **{"divu": 11, "remu": 11, "select": 12, "ceildivu": 11.5, "multiply_add": 20.7},
    **{"ugt": 10.7, "ne": 20.9, "uge": 20.9, "ule": 20.9, "minu": 22.5, "maxu": 22.5},
    **{"slt": 30, "sgt": 30.1, "sge": 40.5, "sle": 40.5, "mins": 43, "maxs": 43},
    **{"shrs": 45, "rotl": 40, "rotr": 40.1, "mulhu": 150, "mulhs": 200},
    **{"divs": 100, "rems": 100, "floordivs": 130, "ceildivs": 130},
}
# Of two operations, which one comes outside: sums, then shifts to the left, masks, shifts to the
# right.
DEPTHS = {"add": 0, "shl": 1, "mul": 1, "and": 2, "shru": 3}


def cost(term):
    return round(sum(COSTS[t.function] for t in computed(term)), 3)


def inversions(term):
    """How many operations are inside of one that belongs into them."""
    return sum(
        DEPTHS.get(outer.function, 0) > DEPTHS.get(inner.function, 4)
        for outer in computed(term)
        for inner in outer.args
        if isinstance(inner, Apply) and not is_constant(inner)
    )


def constant_factors_first(term):
    return sum(t.function == "multiply_add" and is_constant(t.args[0]) for t in computed(term))


def variables(term):
    return sum(isinstance(t, Variable) for t in subterms(term))


def measure(term):
    return cost(term), inversions(term), constant_factors_first(term), variables(term)


# These keep the operations and make a constant smaller.
REDUCES_A_CONSTANT = ("rotl-constant", "shrs-all", "and-difference-from-constant")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_rule_makes_terms_smaller(rule):
    before, after = measure(rule.pattern), measure(rule.result)
    assert after == before if rule.name in REDUCES_A_CONSTANT else after < before


def test_there_are_no_two_rules_of_a_name():
    names = [rule.name for rule in RULES]
    assert len(names) == len(set(names))


def test_rules_never_add_operations():
    """Counted as if nothing inside of the pattern was used elsewhere."""
    grown = [
        rule.name
        for rule in RULES
        if len(list(computed(rule.result))) > len(list(computed(rule.pattern)))
    ]
    # All for functions that the machine composes of at least as many.
    composed = {"ne", "ule", "uge", "sle", "sge", "sign-extension", "slt-of-minus-one", "maxu-one"}
    assert set(grown) == composed
