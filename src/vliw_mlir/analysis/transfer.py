"""What word functions make of sets of words: the transfer functions of the range analysis.

`transfer(name, *sets)` contains the function's value for all members on which it does not trap.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import TypeAlias

from vliw_mlir.analysis.word_sets import (
    BOOLEAN,
    TOP,
    WordSet,
    constant,
    from_signed,
    join,
    meet,
    split_by_sign,
    with_bits,
    words,
)
from vliw_mlir.semantics import FUNCTIONS, SIGN_BIT, WORD_BITS, WORD_MASK, to_signed

Transfer: TypeAlias = Callable[..., WordSet]

FALSE, TRUE, SIGN = constant(0), constant(1), constant(SIGN_BIT)


def transfer(name: str, *operands: WordSet) -> WordSet:
    """The set of values of a word function on members of the operands.

    Where the function traps for all of them, the result is any set.
    """
    for operand in operands:
        if operand.lo != operand.hi:
            return TRANSFERS[name](*operands)
    try:
        return constant(FUNCTIONS[name].scalar(*[operand.lo for operand in operands]))
    except ZeroDivisionError:
        return TOP


# Sums


def _interval(lo: int, hi: int, zeros: int, ones: int) -> WordSet:
    """The words with these bits for integers `lo` to `hi`, modulo 2**32."""
    wraps = lo >> WORD_BITS
    if wraps == hi >> WORD_BITS:
        return words(lo & WORD_MASK, hi & WORD_MASK, zeros, ones)
    return with_bits(zeros, ones) if zeros | ones else TOP


def _sum_bits(a: WordSet, zeros: int, ones: int, carry: int) -> tuple[int, int]:
    """Known bits of `a` plus something with the bits `zeros` and `ones`, plus `carry`.

    The sums of the least and of the greatest operands show which carries are certain.
    """
    least = a.ones + ones + carry
    greatest = (WORD_MASK ^ a.zeros) + (WORD_MASK ^ zeros) + carry
    carries_known = ~(greatest ^ a.zeros ^ zeros) | (least ^ a.ones ^ ones)
    known = a.known & (zeros | ones) & carries_known
    return ~greatest & known, least & known


def _add(a: WordSet, b: WordSet) -> WordSet:
    zeros, ones = _sum_bits(a, b.zeros, b.ones, 0)
    return _interval(a.lo + b.lo, a.hi + b.hi, zeros, ones)


def _sub(a: WordSet, b: WordSet) -> WordSet:
    # a + ~b + 1
    zeros, ones = _sum_bits(a, b.ones, b.zeros, 1)
    return _interval(a.lo - b.hi, a.hi - b.lo, zeros, ones)


# Products


def _mul(a: WordSet, b: WordSet) -> WordSet:
    if a is TOP and b is TOP:
        return TOP
    # A boolean selects: the other operand need not stay below 2**32 with its sign.
    if a.is_boolean:
        return _times_boolean(b, a)
    if b.is_boolean:
        return _times_boolean(a, b)
    zeros, ones = _product_bits(a, b)
    if a.hi * b.hi <= WORD_MASK:
        return words(a.lo * b.lo, a.hi * b.hi, zeros, ones)
    # A negative constant makes a small operand negative.
    for x, y in ((a, b), (b, a)):
        if x.lo == x.hi and x.lo >= SIGN_BIT:
            factor = to_signed(x.lo)
            return _interval(factor * y.hi, factor * y.lo, zeros, ones)
    return with_bits(zeros, ones)


def _times_boolean(a: WordSet, boolean: WordSet) -> WordSet:
    if boolean.lo:
        return a
    return join(FALSE, a) if boolean.hi else FALSE


def _product_bits(a: WordSet, b: WordSet) -> tuple[int, int]:
    """The low bits of a product depend on the low bits of its operands only."""
    a_zeros, b_zeros = a.trailing_zeros, b.trailing_zeros
    # Taking out the powers of two makes more low bits certain.
    known = a_zeros + b_zeros + min(a.trailing_known - a_zeros, b.trailing_known - b_zeros)
    mask = (1 << min(known, WORD_BITS)) - 1
    ones = (a.ones * b.ones) & mask
    return mask ^ ones, ones


def _multiply_add(a: WordSet, b: WordSet, c: WordSet) -> WordSet:
    if a.is_boolean:
        return _plus_if(a, b, c)
    if b.is_boolean:
        return _plus_if(b, a, c)
    return _add(_mul(a, b), c)


def _plus_if(boolean: WordSet, a: WordSet, c: WordSet) -> WordSet:
    if boolean.lo:
        return _add(a, c)
    return join(c, _add(a, c)) if boolean.hi else c


def _mulhu(a: WordSet, b: WordSet) -> WordSet:
    return words(a.lo * b.lo >> WORD_BITS, a.hi * b.hi >> WORD_BITS)


def _mulhs(a: WordSet, b: WordSet) -> WordSet:
    corners = [x * y for x in a.signed_bounds for y in b.signed_bounds]
    return from_signed(min(corners) >> WORD_BITS, max(corners) >> WORD_BITS)


# Bits


def _and(a: WordSet, b: WordSet) -> WordSet:
    if a is TOP and b is TOP:
        return TOP
    zeros, ones = a.zeros | b.zeros, a.ones & b.ones
    for x, y in ((a, b), (b, a)):
        # Clearing bits that are the same in all members keeps their order.
        if y.lo == y.hi and not y.zeros & ~x.known:
            return words(x.lo & y.lo, x.hi & y.lo, zeros, ones)
    return words(0, a.hi if a.hi < b.hi else b.hi, zeros, ones)


def _or(a: WordSet, b: WordSet) -> WordSet:
    zeros, ones = a.zeros & b.zeros, a.ones | b.ones
    if not a.possible & b.possible:
        return words(a.lo + b.lo, a.hi + b.hi, zeros, ones)
    for x, y in ((a, b), (b, a)):
        if y.lo == y.hi and not y.ones & ~x.known:
            return words(x.lo | y.lo, x.hi | y.lo, zeros, ones)
    return words(a.lo if a.lo > b.lo else b.lo, WORD_MASK, zeros, ones)


def _xor(a: WordSet, b: WordSet) -> WordSet:
    if a is TOP and b is TOP:
        return TOP
    zeros = (a.zeros & b.zeros) | (a.ones & b.ones)
    ones = (a.zeros & b.ones) | (a.ones & b.zeros)
    if not a.possible & b.possible:
        return words(a.lo + b.lo, a.hi + b.hi, zeros, ones)
    for x, y in ((a, b), (b, a)):
        if y.lo == WORD_MASK:
            return _not(x)
        if y.lo == y.hi and not y.ones & ~x.known:
            return words(x.lo ^ y.lo, x.hi ^ y.lo, zeros, ones)
    return with_bits(zeros, ones)


def _not(a: WordSet) -> WordSet:
    return WordSet(WORD_MASK ^ a.hi, WORD_MASK ^ a.lo, a.ones, a.zeros)


# Shifts


def _shl(a: WordSet, count: WordSet) -> WordSet:
    if count.lo >= WORD_BITS:
        return FALSE
    if count.lo == count.hi:
        return _shl_by(a, count.lo)
    low_zeros = (1 << min(a.trailing_zeros + count.lo, WORD_BITS)) - 1
    # A count of 32 or more gives 0.
    if count.hi < WORD_BITS and a.hi << count.hi <= WORD_MASK:
        return words(a.lo << count.lo, a.hi << count.hi, low_zeros)
    return with_bits(low_zeros, 0)


def _shl_by(a: WordSet, count: int) -> WordSet:
    zeros = ((a.zeros << count) & WORD_MASK) | ((1 << count) - 1)
    ones = (a.ones << count) & WORD_MASK
    return _interval(a.lo << count, a.hi << count, zeros, ones)


def _shru(a: WordSet, count: WordSet) -> WordSet:
    if count.lo == count.hi and count.lo < WORD_BITS:
        return _shru_by(a, count.lo)
    # Python shifts out everything where the machine gives 0.
    return words(a.lo >> min(count.hi, WORD_BITS), a.hi >> min(count.lo, WORD_BITS))


def _shru_by(a: WordSet, count: int) -> WordSet:
    filled = WORD_MASK ^ (WORD_MASK >> count)
    return words(a.lo >> count, a.hi >> count, (a.zeros >> count) | filled, a.ones >> count)


def _shrs(a: WordSet, count: WordSet) -> WordSet:
    limit = constant(WORD_BITS - 1)
    count = _minu(count, limit) if count.hi > limit.lo else count
    parts = [
        _not(_shru(_not(part), count)) if part.is_negative else _shru(part, count)
        for part in split_by_sign(a)
    ]
    return join(parts[0], parts[-1])


def _rotl(a: WordSet, count: WordSet) -> WordSet:
    by = _and(count, constant(WORD_BITS - 1)).constant
    if by is None:
        return a if a.constant in (0, WORD_MASK) else TOP
    return with_bits(_rotate(a.zeros, by), _rotate(a.ones, by)) if by else a


def _rotr(a: WordSet, count: WordSet) -> WordSet:
    return _rotl(a, _sub(FALSE, count))


def _rotate(mask: int, by: int) -> int:
    return ((mask << by) | (mask >> (WORD_BITS - by))) & WORD_MASK


# Division. A divisor of zero traps, so there is no result for it.


def _divu(a: WordSet, b: WordSet) -> WordSet:
    if b.hi == 0:
        return TOP
    if (divisor := b.constant) and divisor & (divisor - 1) == 0:
        return _shru_by(a, divisor.bit_length() - 1)
    return words(a.lo // b.hi, a.hi // max(b.lo, 1))


def _ceildivu(a: WordSet, b: WordSet) -> WordSet:
    if b.hi == 0:
        return TOP
    return words(-(-a.lo // b.hi), -(-a.hi // max(b.lo, 1)))


def _remu(a: WordSet, b: WordSet) -> WordSet:
    if b.hi == 0:
        return TOP
    if a.hi < b.lo:
        return a
    # Subtracting multiples of the divisor leaves the bits below its lowest possible one.
    low = (1 << b.trailing_zeros) - 1
    lo, hi = 0, min(a.hi, b.hi - 1)
    divisor = b.constant
    if divisor is not None and a.lo // divisor == a.hi // divisor:
        lo, hi = a.lo % divisor, a.hi % divisor
    return words(lo, hi, a.zeros & low, a.ones & low)


def _signed_quotients(
    divide: Callable[[int, int], int],
) -> Callable[[WordSet, WordSet], WordSet]:
    """The transfer function of a signed division that rounds the way `divide` does.

    With the signs of both operands fixed, a quotient is monotone in each of them, so its
    extremes are at the corners.
    """

    def quotients(a: WordSet, b: WordSet) -> WordSet:
        result: WordSet | None = None
        for x, y in product(split_by_sign(a), _nonzero_by_sign(b)):
            corners = [divide(n, d) for n in x.signed_bounds for d in y.signed_bounds]
            part = from_signed(min(corners), max(corners))
            result = part if result is None else join(result, part)
        return TOP if result is None else result

    return quotients


def _nonzero_by_sign(b: WordSet) -> list[WordSet]:
    nonzero = meet(b, words(1, WORD_MASK))
    return [] if nonzero is None else split_by_sign(nonzero)


def _truncate(a: int, b: int) -> int:
    return a // b if (a < 0) == (b < 0) else -(-a // b)


_divs = _signed_quotients(_truncate)
_floordivs = _signed_quotients(lambda a, b: a // b)
_ceildivs = _signed_quotients(lambda a, b: -(-a // b))


def _rems(a: WordSet, b: WordSet) -> WordSet:
    """The sign is that of the dividend; the magnitudes are as for unsigned words."""
    divisors = [_magnitude(part) for part in _nonzero_by_sign(b)]
    if not divisors:
        return TOP
    divisor = join(divisors[0], divisors[-1])
    parts = [
        _negate(_remu(_magnitude(part), divisor)) if part.is_negative else _remu(part, divisor)
        for part in split_by_sign(a)
    ]
    return join(parts[0], parts[-1])


def _magnitude(a: WordSet) -> WordSet:
    """Of a set without sign changes; -2**31 is its own magnitude."""
    return _negate(a) if a.is_negative else a


def _negate(a: WordSet) -> WordSet:
    return _sub(FALSE, a)


# Order


def _minu(a: WordSet, b: WordSet) -> WordSet:
    return words(min(a.lo, b.lo), min(a.hi, b.hi), a.zeros & b.zeros, a.ones & b.ones)


def _maxu(a: WordSet, b: WordSet) -> WordSet:
    return words(max(a.lo, b.lo), max(a.hi, b.hi), a.zeros & b.zeros, a.ones & b.ones)


def _flip(a: WordSet) -> WordSet:
    """Flipping the sign bit turns signed order into unsigned order."""
    return _xor(a, SIGN)


def _mins(a: WordSet, b: WordSet) -> WordSet:
    return _flip(_minu(_flip(a), _flip(b)))


def _maxs(a: WordSet, b: WordSet) -> WordSet:
    return _flip(_maxu(_flip(a), _flip(b)))


def _eq(a: WordSet, b: WordSet) -> WordSet:
    if a.lo == a.hi and a == b:
        return TRUE
    return FALSE if meet(a, b) is None else BOOLEAN


def _ne(a: WordSet, b: WordSet) -> WordSet:
    return _xor(_eq(a, b), TRUE)


def _truth(certain: bool, possible: bool) -> WordSet:
    if certain:
        return TRUE
    return BOOLEAN if possible else FALSE


def _ult(a: WordSet, b: WordSet) -> WordSet:
    return _truth(a.hi < b.lo, a.lo < b.hi)


def _ule(a: WordSet, b: WordSet) -> WordSet:
    return _truth(a.hi <= b.lo, a.lo <= b.hi)


def _slt(a: WordSet, b: WordSet) -> WordSet:
    (a_lo, a_hi), (b_lo, b_hi) = a.signed_bounds, b.signed_bounds
    return _truth(a_hi < b_lo, a_lo < b_hi)


def _sle(a: WordSet, b: WordSet) -> WordSet:
    (a_lo, a_hi), (b_lo, b_hi) = a.signed_bounds, b.signed_bounds
    return _truth(a_hi <= b_lo, a_lo <= b_hi)


def _swapped(function: Callable[[WordSet, WordSet], WordSet]) -> Transfer:
    def swapped(a: WordSet, b: WordSet) -> WordSet:
        return function(b, a)

    return swapped


def _select(condition: WordSet, a: WordSet, b: WordSet) -> WordSet:
    if condition.hi == 0:
        return b
    return a if condition.lo or condition.ones else join(a, b)


TRANSFERS: dict[str, Transfer] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "and": _and,
    "or": _or,
    "xor": _xor,
    "shl": _shl,
    "shru": _shru,
    "shrs": _shrs,
    "rotl": _rotl,
    "rotr": _rotr,
    "divu": _divu,
    "remu": _remu,
    "ceildivu": _ceildivu,
    "divs": _divs,
    "rems": _rems,
    "floordivs": _floordivs,
    "ceildivs": _ceildivs,
    "minu": _minu,
    "maxu": _maxu,
    "mins": _mins,
    "maxs": _maxs,
    "mulhu": _mulhu,
    "mulhs": _mulhs,
    "eq": _eq,
    "ne": _ne,
    "ult": _ult,
    "ule": _ule,
    "ugt": _swapped(_ult),
    "uge": _swapped(_ule),
    "slt": _slt,
    "sle": _sle,
    "sgt": _swapped(_slt),
    "sge": _swapped(_sle),
    "select": _select,
    "multiply_add": _multiply_add,
}
"""The transfer function of every word function, by name."""
