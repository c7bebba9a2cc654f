"""What every 32-bit word function means: the one table all levels share.

A *word function* maps words (integers in [0, 2**32)) to one word. The SSA level applies
them to words and lane-wise to vectors, the tensor level element-wise, the machine's
`alu` and `valu` engines execute some of them. Interpreters, folding and tests all take
the meaning from here.

Where MLIR leaves a result undefined, the machine's meaning holds: a shift count of 32 or
more gives 0 (all sign bits for `shrs`), division by zero traps, and the one overflowing
signed division wraps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

WORD_BITS = 32
WORD_MASK = 0xFFFFFFFF
SIGN_BIT = 0x80000000

Words = NDArray[np.uint32]


def to_signed(word: int, bits: int = WORD_BITS) -> int:
    """The two's complement value of the low `bits` bits of `word`."""
    sign = 1 << (bits - 1)
    return ((word & ((1 << bits) - 1)) ^ sign) - sign


@dataclass(frozen=True)
class WordFunction:
    """One function on words, in the forms that its users need."""

    name: str
    arity: int
    expr: str
    """A Python expression over `{0}`, `{1}`, … that are ints in [0, 2**32); its value is too.

    May use the names in `EXPR_NAMES`. Raises ZeroDivisionError where the function traps.
    """
    array: Callable[..., Words]
    """The same, lane-wise on uint32 arrays that broadcast against each other."""
    commutative: bool = False
    traps: bool = False
    """Whether some operands make it trap (division by zero)."""

    @cached_property
    def scalar(self) -> Callable[..., int]:
        """The expression as a function of `arity` ints."""
        params = [f"a{i}" for i in range(self.arity)]
        source = f"lambda {', '.join(params)}: {self.expr.format(*params)}"
        return eval(source, dict(EXPR_NAMES))


def _signed(a: Words) -> NDArray[np.int32]:
    return a.view(np.int32) if a.dtype == np.uint32 else a.astype(np.uint32).view(np.int32)


def _bool(a: NDArray[np.bool_]) -> Words:
    return a.astype(np.uint32)


def _check_nonzero(b: Words) -> None:
    if not np.all(b):
        raise ZeroDivisionError


def _shl(a: Words, b: Words) -> Words:
    return np.where(b < 32, a << (b & np.uint32(31)), np.uint32(0))


def _shru(a: Words, b: Words) -> Words:
    return np.where(b < 32, a >> (b & np.uint32(31)), np.uint32(0))


def _shrs(a: Words, b: Words) -> Words:
    count = np.minimum(b, np.uint32(31)).astype(np.int32)
    return (_signed(a) >> count).astype(np.uint32)


def _rotl(a: Words, b: Words) -> Words:
    left = b & np.uint32(31)
    return (a << left) | _shru(a, np.uint32(32) - left)


def _divu(a: Words, b: Words) -> Words:
    _check_nonzero(b)
    return a // b


def _remu(a: Words, b: Words) -> Words:
    _check_nonzero(b)
    return a % b


def _ceildivu(a: Words, b: Words) -> Words:
    _check_nonzero(b)
    return a // b + _bool(a % b != 0)


def _wide_signed(a: Words, b: Words) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return _signed(a).astype(np.int64), _signed(b).astype(np.int64)


def _low_word(a: NDArray[np.int64]) -> Words:
    return (a & np.int64(WORD_MASK)).astype(np.uint32)


def _floordivs(a: Words, b: Words) -> Words:
    _check_nonzero(b)
    x, y = _wide_signed(a, b)
    return _low_word(x // y)


def _ceildivs(a: Words, b: Words) -> Words:
    _check_nonzero(b)
    x, y = _wide_signed(a, b)
    return _low_word(-((-x) // y))


def _divs(a: Words, b: Words) -> Words:
    _check_nonzero(b)
    x, y = _wide_signed(a, b)
    return _low_word(np.sign(x) * np.sign(y) * (np.abs(x) // np.abs(y)))


def _rems(a: Words, b: Words) -> Words:
    _check_nonzero(b)
    x, y = _wide_signed(a, b)
    return _low_word(np.sign(x) * (np.abs(x) % np.abs(y)))


def _mulhu(a: Words, b: Words) -> Words:
    return ((a.astype(np.uint64) * b.astype(np.uint64)) >> np.uint64(32)).astype(np.uint32)


def _mulhs(a: Words, b: Words) -> Words:
    x, y = _wide_signed(a, b)
    return _low_word((x * y) >> np.int64(32))


def py_divs(a: int, b: int) -> int:
    """Signed division of words, truncating towards zero; -2**31 / -1 wraps."""
    x, y = to_signed(a), to_signed(b)
    quotient = abs(x) // abs(y)
    return (quotient if (x < 0) == (y < 0) else -quotient) & WORD_MASK


def py_rems(a: int, b: int) -> int:
    """Signed remainder of words; its sign is that of the dividend."""
    x, y = to_signed(a), to_signed(b)
    remainder = abs(x) % abs(y)
    return (-remainder if x < 0 else remainder) & WORD_MASK


def _binary(
    name: str,
    expr: str,
    array: Callable[[Words, Words], Words],
    *,
    commutative: bool = False,
    traps: bool = False,
) -> WordFunction:
    return WordFunction(name, 2, expr, array, commutative, traps)


def _ternary(name: str, expr: str, array: Callable[[Words, Words, Words], Words]) -> WordFunction:
    return WordFunction(name, 3, expr, array)


EXPR_NAMES: dict[str, Callable[..., int]] = {
    "divs": py_divs,
    "rems": py_rems,
    "min": min,
    "max": max,
}
"""The names a `WordFunction.expr` may use."""

_S = "(({0} ^ 0x80000000) - 0x80000000)"
_T = "(({1} ^ 0x80000000) - 0x80000000)"
# Signed order is unsigned order with the sign bit flipped.
_FLIP0, _FLIP1 = "({0} ^ 0x80000000)", "({1} ^ 0x80000000)"

FUNCTIONS: dict[str, WordFunction] = {
    f.name: f
    for f in (
        _binary("add", "({0} + {1}) & 0xFFFFFFFF", lambda a, b: a + b, commutative=True),
        _binary("sub", "({0} - {1}) & 0xFFFFFFFF", lambda a, b: a - b),
        _binary("mul", "({0} * {1}) & 0xFFFFFFFF", lambda a, b: a * b, commutative=True),
        _binary("and", "{0} & {1}", lambda a, b: a & b, commutative=True),
        _binary("or", "{0} | {1}", lambda a, b: a | b, commutative=True),
        _binary("xor", "{0} ^ {1}", lambda a, b: a ^ b, commutative=True),
        _binary("shl", "({0} << {1}) & 0xFFFFFFFF if {1} < 32 else 0", _shl),
        _binary("shru", "{0} >> {1} if {1} < 32 else 0", _shru),
        _binary("shrs", f"({_S} >> min({{1}}, 31)) & 0xFFFFFFFF", _shrs),
        _binary(
            "rotl",
            "(({0} << ({1} & 31)) | ({0} >> (32 - ({1} & 31)))) & 0xFFFFFFFF",
            _rotl,
        ),
        _binary(
            "rotr",
            "(({0} >> ({1} & 31)) | ({0} << (32 - ({1} & 31)))) & 0xFFFFFFFF",
            lambda a, b: _rotl(a, np.uint32(0) - b),
        ),
        _binary("divu", "{0} // {1}", _divu, traps=True),
        _binary("remu", "{0} % {1}", _remu, traps=True),
        _binary("ceildivu", "-(-{0} // {1})", _ceildivu, traps=True),
        _binary("divs", "divs({0}, {1})", _divs, traps=True),
        _binary("rems", "rems({0}, {1})", _rems, traps=True),
        _binary("floordivs", f"({_S} // {_T}) & 0xFFFFFFFF", _floordivs, traps=True),
        _binary("ceildivs", f"(-((-{_S}) // {_T})) & 0xFFFFFFFF", _ceildivs, traps=True),
        _binary("minu", "min({0}, {1})", np.minimum, commutative=True),
        _binary("maxu", "max({0}, {1})", np.maximum, commutative=True),
        _binary(
            "mins",
            f"min({_FLIP0}, {_FLIP1}) ^ 0x80000000",
            lambda a, b: np.minimum(_signed(a), _signed(b)).astype(np.uint32),
            commutative=True,
        ),
        _binary(
            "maxs",
            f"max({_FLIP0}, {_FLIP1}) ^ 0x80000000",
            lambda a, b: np.maximum(_signed(a), _signed(b)).astype(np.uint32),
            commutative=True,
        ),
        _binary("mulhu", "({0} * {1}) >> 32", _mulhu, commutative=True),
        _binary("mulhs", f"(({_S} * {_T}) >> 32) & 0xFFFFFFFF", _mulhs, commutative=True),
        _binary("eq", "int({0} == {1})", lambda a, b: _bool(a == b), commutative=True),
        _binary("ne", "int({0} != {1})", lambda a, b: _bool(a != b), commutative=True),
        _binary("ult", "int({0} < {1})", lambda a, b: _bool(a < b)),
        _binary("ule", "int({0} <= {1})", lambda a, b: _bool(a <= b)),
        _binary("ugt", "int({0} > {1})", lambda a, b: _bool(a > b)),
        _binary("uge", "int({0} >= {1})", lambda a, b: _bool(a >= b)),
        _binary("slt", f"int({_FLIP0} < {_FLIP1})", lambda a, b: _bool(_signed(a) < _signed(b))),
        _binary("sle", f"int({_FLIP0} <= {_FLIP1})", lambda a, b: _bool(_signed(a) <= _signed(b))),
        _binary("sgt", f"int({_FLIP0} > {_FLIP1})", lambda a, b: _bool(_signed(a) > _signed(b))),
        _binary("sge", f"int({_FLIP0} >= {_FLIP1})", lambda a, b: _bool(_signed(a) >= _signed(b))),
        _ternary(
            "select",
            "({1} if {0} else {2})",
            lambda c, a, b: np.where(c != 0, a, b).astype(np.uint32),
        ),
        _ternary("multiply_add", "({0} * {1} + {2}) & 0xFFFFFFFF", lambda a, b, c: a * b + c),
    )
}
"""Every word function by name."""

COMPARISONS = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")
"""The functions that compare two words; their result is 0 or 1."""

REDUCTIONS: dict[str, int] = {
    "add": 0,
    "mul": 1,
    "and": WORD_MASK,
    "or": 0,
    "xor": 0,
    "minu": WORD_MASK,
    "maxu": 0,
    "mins": SIGN_BIT - 1,
    "maxs": SIGN_BIT,
}
"""The associative and commutative functions, with their neutral element."""

UNSIGNED_ORDER = {
    "slt": "ult",
    "sle": "ule",
    "sgt": "ugt",
    "sge": "uge",
    "mins": "minu",
    "maxs": "maxu",
}
"""Functions of the signed order, and what they are once all sign bits are flipped."""
