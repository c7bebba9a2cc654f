"""What the word functions compute, said a second time: on bits and on exact numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import ceil, floor, trunc
from random import Random

from vliw_mlir.semantics import FUNCTIONS

MODULUS = 2**32

EDGES = (
    *(0, 1, 2, 3, 7, 16, 30, 31, 32, 33, 63, 64, 0xFFFF, 0x10000, 0x10001),
    *(0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFF0000, 0xFFFFFFE0),
    *(0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFF),
)


def signed(word: int) -> int:
    return word - MODULUS if word >= MODULUS // 2 else word


def _quotient(a: int, b: int) -> Fraction:
    return Fraction(signed(a), signed(b))


def _rotate_left(word: int, count: int) -> int:
    bits = f"{word:032b}"
    count %= 32
    return int(bits[count:] + bits[:count], 2)


def _bitwise(table: Callable[[bool, bool], bool]) -> Callable[[int, int], int]:
    def function(a: int, b: int) -> int:
        pairs = zip(f"{a:032b}", f"{b:032b}", strict=True)
        return int("".join(str(int(table(x == "1", y == "1"))) for x, y in pairs), 2)

    return function


REFERENCE: dict[str, Callable[..., int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": _bitwise(lambda x, y: x and y),
    "or": _bitwise(lambda x, y: x or y),
    "xor": _bitwise(lambda x, y: x != y),
    "shl": lambda a, b: a * 2 ** min(b, 32),
    "shru": lambda a, b: a // 2 ** min(b, 32),
    "shrs": lambda a, b: floor(Fraction(signed(a), 2 ** min(b, 32))),
    "rotl": _rotate_left,
    "rotr": lambda a, b: _rotate_left(a, -b),
    "divu": lambda a, b: floor(Fraction(a, b)),
    "remu": lambda a, b: a - floor(Fraction(a, b)) * b,
    "ceildivu": lambda a, b: ceil(Fraction(a, b)),
    "divs": lambda a, b: trunc(_quotient(a, b)),
    "rems": lambda a, b: signed(a) - trunc(_quotient(a, b)) * signed(b),
    "floordivs": lambda a, b: floor(_quotient(a, b)),
    "ceildivs": lambda a, b: ceil(_quotient(a, b)),
    "minu": lambda a, b: sorted((a, b))[0],
    "maxu": lambda a, b: sorted((a, b))[1],
    "mins": lambda a, b: sorted((a, b), key=signed)[0],
    "maxs": lambda a, b: sorted((a, b), key=signed)[1],
    "mulhu": lambda a, b: floor(Fraction(a * b, MODULUS)),
    "mulhs": lambda a, b: floor(Fraction(signed(a) * signed(b), MODULUS)),
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "ult": lambda a, b: a < b,
    "ule": lambda a, b: a <= b,
    "ugt": lambda a, b: a > b,
    "uge": lambda a, b: a >= b,
    "slt": lambda a, b: signed(a) < signed(b),
    "sle": lambda a, b: signed(a) <= signed(b),
    "sgt": lambda a, b: signed(a) > signed(b),
    "sge": lambda a, b: signed(a) >= signed(b),
    "select": lambda c, a, b: a if c else b,
    "multiply_add": lambda a, b, c: a * b + c,
}
"""Every word function by name. The result counts modulo 2**32."""


def expected(name: str, *operands: int) -> int:
    """The word that a word function gives. Raises ZeroDivisionError where it traps."""
    return REFERENCE[name](*operands) % MODULUS


def samples(name: str, random: Random, count: int = 100) -> Iterator[tuple[int, ...]]:
    """Operands to try a function on: all pairs of edge values, and `count` random ones.

    A divisor is never zero.
    """
    function = FUNCTIONS[name]
    if function.arity == 2:
        yield from (pair for pair in product(EDGES, EDGES) if pair[1] or not function.traps)
    for _ in range(count if function.arity == 2 else 4 * count):
        operands = [
            random.choice(EDGES) if random.random() < 0.3 else random.getrandbits(32)
            for _ in range(function.arity)
        ]
        if operands[-1] or not function.traps:
            yield tuple(operands)
