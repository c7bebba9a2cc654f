"""Transfer functions of the range analysis against the word functions themselves."""

from itertools import product
from random import Random

import pytest

from vliw_mlir.analysis.transfer import TRANSFERS, transfer
from vliw_mlir.analysis.word_sets import BOOLEAN, TOP, constant, from_signed, hull, words
from vliw_mlir.semantics import FUNCTIONS

M32 = (1 << 32) - 1
EDGES = (0, 1, 2, 3, 7, 8, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, M32)
SMALL = tuple(range(-6, 7))


def random_word(rng):
    match rng.randrange(5):
        case 0:
            return rng.choice(EDGES)
        case 1:
            return rng.randrange(40)
        case 2:
            return -rng.randrange(40) & M32
        case 3:
            return (1 << rng.randrange(32)) * rng.randrange(1, 4) & M32
        case _:
            return rng.getrandbits(32) >> rng.randrange(32)


def random_set(rng):
    """A set, and some of its members: not those alone from which it was made."""
    members = [random_word(rng) for _ in range(rng.choice((1, 2, 2, 3, 4)))]
    s = hull(members)
    free = ~(s.zeros | s.ones) & M32
    tries = [s.lo, s.hi, *members]
    for _ in range(4):
        tries.append(rng.getrandbits(32) & free | s.ones)
        tries.append(rng.randint(s.lo, s.hi) & ~s.zeros | s.ones)
    return s, sorted({word for word in tries if word in s})


def apply(function, values):
    try:
        return function.scalar(*values)
    except ZeroDivisionError:
        return None


def check(name, sets, samples):
    result = transfer(name, *sets)
    assert words(result.lo, result.hi, result.zeros, result.ones) == result
    for values in product(*samples):
        value = apply(FUNCTIONS[name], values)
        assert value is None or value in result, (
            f"{name}({', '.join(map(str, sets))}) = {result} lacks {name}{values} = {value}"
        )


def test_every_word_function_has_one():
    assert TRANSFERS.keys() == FUNCTIONS.keys()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_contains_all_values(name):
    rng = Random(name)
    arity = FUNCTIONS[name].arity
    for _ in range(400 if arity == 2 else 100):
        pairs = [random_set(rng) for _ in range(arity)]
        check(name, [s for s, _ in pairs], [members for _, members in pairs])


@pytest.mark.parametrize("name", [n for n, f in FUNCTIONS.items() if f.arity == 2])
def test_contains_all_values_of_small_intervals(name):
    """All pairs of intervals around 0, every member tried."""
    intervals = [(lo, hi) for lo in SMALL for hi in SMALL if lo <= hi and (hi < 0 or lo >= 0)]
    for (a, b), (c, d) in product(intervals, repeat=2):
        sets = [from_signed(a, b), from_signed(c, d)]
        check(name, sets, [_members(a, b), _members(c, d)])


def _members(lo, hi):
    return [value & M32 for value in range(lo, hi + 1)]


@pytest.mark.parametrize(
    ("name", "operands", "expected"),
    [
        ("add", (words(1, 4), words(10, 20)), words(11, 24)),
        ("add", (words(0, 248, 7), constant(3)), words(3, 251, 4, 3)),
        ("add", (from_signed(-4, -1), constant(4)), words(0, 3)),
        ("sub", (words(10, 20), words(1, 4)), words(6, 19)),
        ("mul", (words(3, 5), words(2, 4)), words(6, 20)),
        ("mul", (BOOLEAN, constant(M32)), hull([0, M32])),
        ("mul", (TOP, constant(12)), words(0, M32, 3)),
        ("multiply_add", (BOOLEAN, constant(M32), constant(2)), words(1, 2)),
        ("multiply_add", (words(7, 14), constant(2), words(1, 2)), words(15, 30)),
        ("and", (TOP, constant(0xFF)), words(0, 255)),
        ("or", (words(0, 28, 3), words(0, 3)), words(0, 31)),
        ("xor", (words(0, 28, 3), words(1, 2)), words(1, 30)),
        ("xor", (words(5, 9), constant(1 << 31)), from_signed(5 - (1 << 31), 9 - (1 << 31))),
        ("and", (words(0x105, 0x109), constant(0xFF)), words(5, 9)),
        ("or", (words(0x105, 0x109), constant(0x200)), words(0x305, 0x309)),
        ("shl", (words(1, 3), constant(4)), words(16, 48, 15)),
        ("shl", (constant(2), words(0, 5)), words(2, 64, 1)),
        ("shru", (TOP, constant(28)), words(0, 15)),
        ("shrs", (from_signed(-16, -8), constant(2)), from_signed(-4, -2)),
        ("divu", (words(10, 100), words(2, 5)), words(2, 50)),
        ("remu", (TOP, constant(10)), words(0, 9)),
        ("remu", (words(3, 6), words(7, 9)), words(3, 6)),
        ("remu", (words(21, 25), constant(10)), words(1, 5)),
        ("divs", (from_signed(-9, -6), constant(3)), from_signed(-3, -2)),
        ("floordivs", (from_signed(-9, -7), constant(3)), constant(-3 & M32)),
        ("rems", (words(0, 100), from_signed(-7, -3)), words(0, 6)),
        ("maxs", (TOP, constant(0)), words(0, 0x7FFFFFFF)),
        ("mins", (words(0, 0x7FFFFFFF), constant(255)), words(0, 255)),
        ("minu", (TOP, constant(255)), words(0, 255)),
        ("mulhu", (TOP, constant(10)), words(0, 9)),
        ("eq", (words(0, 4, 1), words(1, 5, 0, 1)), constant(0)),
        ("ult", (words(0, 7), words(8, 9)), constant(1)),
        ("uge", (words(0, 7), words(8, 9)), constant(0)),
        ("slt", (from_signed(-3, -1), words(0, 9)), constant(1)),
        ("select", (words(1, 2), constant(5), constant(6)), constant(5)),
        ("select", (BOOLEAN, constant(5), constant(6)), words(5, 6)),
        ("rotl", (words(0, 1), constant(31)), hull([0, 1 << 31])),
        ("rotr", (words(0, 2, 1), constant(1)), words(0, 1)),
    ],
)
def test_precision(name, operands, expected):
    assert transfer(name, *operands) == expected


def test_division_by_zero_alone_has_no_value():
    assert transfer("divu", constant(4), constant(0)) is TOP
    assert transfer("rems", words(1, 4), constant(0)) is TOP
