"""Every rewrite rule, proven for all words with an SMT solver.

Variables and captured constants are bit vectors, constrained by the condition of the rule. For
all values on which the pattern does not trap the result must not trap and be equal.
"""

import random
import re

import pytest
import z3

from vliw_mlir.semantics import FUNCTIONS
from vliw_mlir.transforms.rules import RULES
from vliw_mlir.transforms.rules.term import (
    CONSTANT_FUNCTIONS,
    Apply,
    Captured,
    Literal,
    Variable,
    subterms,
)

FULL_WIDTH = 32
TIMEOUT_MS = 60_000

# Solvers cannot decide these on full words in reasonable time: products and divisions of two
# unknowns. They are proven for all words of the given width instead.
NARROW = {
    "mask-of-masked-product": 8,
    "rotl-constants": 16,
    "floordivs-power-of-two": 16,
    "divu-constants": 8,
    "remu-of-multiple": 6,
    "divu-exact": 8,
    "divs-exact": 8,
    "remainder": 8,
    "remainder-by-constant": 8,
    "division-and-remainder": 8,
}
# Rules that hold whatever the function in their name computes: that function is not interpreted.
ANY_FUNCTION = re.compile(r"(\w+)-(of|by)-selected-constant|select-of-(\w+?)(-by)?")


def bool_word(condition, bits):
    return z3.If(condition, z3.BitVecVal(1, bits), z3.BitVecVal(0, bits))


def rotate(left):
    def rotated(bits, x, n):
        count = z3.URem(n, bits)
        rest = bits - count
        there, back = (x << count, z3.LShR(x, rest)) if left else (z3.LShR(x, count), x << rest)
        return there | back

    return rotated


def floor_division(bits, x, y):
    quotient, remainder = x / y, z3.SRem(x, y)
    return z3.If(z3.And(remainder != 0, (remainder < 0) != (y < 0)), quotient - 1, quotient)


def ceil_division(bits, x, y):
    quotient, remainder = x / y, z3.SRem(x, y)
    return z3.If(z3.And(remainder != 0, (remainder < 0) == (y < 0)), quotient + 1, quotient)


def high_product(extend):
    def high(bits, x, y):
        return z3.Extract(2 * bits - 1, bits, extend(bits, x) * extend(bits, y))

    return high


MEANING = {
    "add": lambda bits, x, y: x + y,
    "sub": lambda bits, x, y: x - y,
    "mul": lambda bits, x, y: x * y,
    "and": lambda bits, x, y: x & y,
    "or": lambda bits, x, y: x | y,
    "xor": lambda bits, x, y: x ^ y,
    "shl": lambda bits, x, y: x << y,
    "shru": lambda bits, x, y: z3.LShR(x, y),
    "shrs": lambda bits, x, y: x >> y,
    "rotl": rotate(left=True),
    "rotr": rotate(left=False),
    "divu": lambda bits, x, y: z3.UDiv(x, y),
    "remu": lambda bits, x, y: z3.URem(x, y),
    "ceildivu": lambda bits, x, y: z3.UDiv(x, y) + bool_word(z3.URem(x, y) != 0, bits),
    "divs": lambda bits, x, y: x / y,
    "rems": lambda bits, x, y: z3.SRem(x, y),
    "floordivs": floor_division,
    "ceildivs": ceil_division,
    "minu": lambda bits, x, y: z3.If(z3.ULT(x, y), x, y),
    "maxu": lambda bits, x, y: z3.If(z3.ULT(x, y), y, x),
    "mins": lambda bits, x, y: z3.If(x < y, x, y),
    "maxs": lambda bits, x, y: z3.If(x < y, y, x),
    "mulhu": high_product(z3.ZeroExt),
    "mulhs": high_product(z3.SignExt),
    "eq": lambda bits, x, y: bool_word(x == y, bits),
    "ne": lambda bits, x, y: bool_word(x != y, bits),
    "ult": lambda bits, x, y: bool_word(z3.ULT(x, y), bits),
    "ule": lambda bits, x, y: bool_word(z3.ULE(x, y), bits),
    "ugt": lambda bits, x, y: bool_word(z3.UGT(x, y), bits),
    "uge": lambda bits, x, y: bool_word(z3.UGE(x, y), bits),
    "slt": lambda bits, x, y: bool_word(x < y, bits),
    "sle": lambda bits, x, y: bool_word(x <= y, bits),
    "sgt": lambda bits, x, y: bool_word(x > y, bits),
    "sge": lambda bits, x, y: bool_word(x >= y, bits),
    "select": lambda bits, c, x, y: z3.If(c != 0, x, y),
    "multiply_add": lambda bits, x, y, z: x * y + z,
}
"""What each word function means on bit vectors."""


def highest_bit(bits, x):
    """The number of the highest bit set."""
    found = z3.BitVecVal(0, bits)
    for bit in range(bits):
        found = z3.If(z3.Extract(bit, bit, x) == 1, z3.BitVecVal(bit, bits), found)
    return found


def filled(bits, x):
    shift = 1
    while shift < bits:
        x = x | z3.LShR(x, shift)
        shift *= 2
    return x


CONSTANT_MEANING = {
    "log2": highest_bit,
    "fill": filled,
    "is_power_of_two": lambda bits, x: bool_word(z3.And(x != 0, x & (x - 1) == 0), bits),
    "is_mask": lambda bits, x: bool_word(x & (x + 1) == 0, bits),
}

ALL = MEANING | CONSTANT_MEANING


class Encoder:
    """Terms as bit vectors of a width."""

    def __init__(self, bits, meaning):
        self.bits = bits
        self.meaning = meaning
        self.constraints = []

    def encode(self, term):
        bits = self.bits
        match term:
            case Literal(name="BITS"):
                return z3.BitVecVal(bits, bits)
            case Literal(name="SIGN"):
                return z3.BitVecVal(1 << (bits - 1), bits)
            case Literal(name="ONES"):
                return z3.BitVecVal(-1, bits)
            case Literal(value=value):
                return z3.BitVecVal(value, bits)
            case Variable(name=name) | Captured(name=name):
                return z3.BitVec(name, bits)
            case Apply(function="ones", args=(variable,)):
                mask = z3.BitVec(f"ones_{variable.name}", bits)
                self.constraints.append(self.encode(variable) & ~mask == 0)
                return mask
            case Apply(function=function, args=args):
                return self.meaning[function](bits, *map(self.encode, args))

    def divisors(self, term):
        return [
            self.encode(t.args[1])
            for t in subterms(term)
            if isinstance(t, Apply) and t.function in FUNCTIONS and FUNCTIONS[t.function].traps
        ]


def uninterpreted(rule, bits):
    """The meaning of the function that a rule need not know."""
    match = ANY_FUNCTION.fullmatch(rule.name)
    if match is None:
        return {}
    name = match[1] or match[3]
    word = z3.BitVecSort(bits)
    function = z3.Function(name, word, word, word)
    return {name: lambda bits, x, y: function(x, y)}


def counterexample(rule, bits):
    """Values for which a rule is wrong, None if there are none."""
    encoder = Encoder(bits, ALL | uninterpreted(rule, bits))
    pattern, result = encoder.encode(rule.pattern), encoder.encode(rule.result)
    runs = [divisor != 0 for divisor in encoder.divisors(rule.pattern)]
    right = [pattern == result, *(divisor != 0 for divisor in encoder.divisors(rule.result))]
    if rule.where is not None:
        runs.append(encoder.encode(rule.where) != 0)
    solver = z3.SolverFor("QF_UFBV" if ANY_FUNCTION.fullmatch(rule.name) else "QF_BV")
    solver.set("timeout", TIMEOUT_MS)
    solver.add(*runs, *encoder.constraints, z3.Not(z3.And(right)))
    outcome = solver.check()
    assert outcome != z3.unknown, f"not decided at {bits} bits"
    return solver.model() if outcome == z3.sat else None


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_rule_holds_for_all_words(rule):
    model = counterexample(rule, NARROW.get(rule.name, FULL_WIDTH))
    assert model is None, f"{rule.pattern_text} is not {rule.result_text} for {model}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_proofs_and_programs_mean_the_same(name):
    """The bit-vector functions agree with the table that all levels share."""
    function, rng = FUNCTIONS[name], random.Random(name)
    corners = [0, 1, 2, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]
    tried = 0
    while tried < 100:
        words = [
            rng.choice((rng.choice(corners), rng.getrandbits(32), rng.getrandbits(5)))
            for _ in range(function.arity)
        ]
        if function.traps and words[1] == 0:
            continue
        tried += 1
        vectors = [z3.BitVecVal(word, FULL_WIDTH) for word in words]
        result = z3.simplify(MEANING[name](FULL_WIDTH, *vectors)).as_long()
        assert result == function.scalar(*words), words


@pytest.mark.parametrize("name", CONSTANT_FUNCTIONS)
def test_proofs_and_conditions_mean_the_same(name):
    rng = random.Random(name)
    powers = [1 << n for n in range(32)]
    for word in (*powers, *(p - 1 for p in powers), *(rng.getrandbits(32) for _ in range(50))):
        if word == 0 and name == "log2":
            continue
        result = z3.simplify(CONSTANT_MEANING[name](FULL_WIDTH, z3.BitVecVal(word, FULL_WIDTH)))
        assert result.as_long() == CONSTANT_FUNCTIONS[name](word), word
