"""Integer arithmetic of 1, 8, 16 and 32 bits on words.

An integer of `width` bits is a word that holds its value zero-extended. Each function here
takes and gives such words, or vectors or tensors of them, and applies a word function of
`vliw_mlir.semantics` as if words had `width` bits. Shift counts of `width` or more give
what they give on words.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from vliw_mlir.lowering.std.converter import Converter
from vliw_mlir.semantics import UNSIGNED_ORDER, WORD_BITS

_WRAPPING = ("add", "sub", "mul", "shl")
"""The low bits of the result depend on the low bits of the operands only."""

_SIGNED = ("divs", "ceildivs", "floordivs", "rems")


def truncate(c: Converter, value: SSAValue, width: int) -> SSAValue:
    """The low `width` bits of a word."""
    if width == WORD_BITS:
        return value
    return c.function("and", value, c.splat((1 << width) - 1, value))


def sign_extend(c: Converter, value: SSAValue, width: int) -> SSAValue:
    """An integer of `width` bits sign-extended to a word."""
    if width == WORD_BITS:
        return value
    sign = c.splat(1 << (width - 1), value)
    return c.function("sub", c.function("xor", value, sign), sign)


def binary(c: Converter, name: str, lhs: SSAValue, rhs: SSAValue, width: int) -> SSAValue:
    """Apply the word function `name`, a comparison or not, to integers of `width` bits."""
    if width == WORD_BITS:
        return c.function(name, lhs, rhs)
    if name in _WRAPPING:
        return truncate(c, c.function(name, lhs, rhs), width)
    if name in _SIGNED:
        lhs, rhs = sign_extend(c, lhs, width), sign_extend(c, rhs, width)
        return truncate(c, c.function(name, lhs, rhs), width)
    if name == "shrs":
        return truncate(c, c.function(name, sign_extend(c, lhs, width), rhs), width)
    if name in UNSIGNED_ORDER:
        return _by_unsigned_order(c, name, lhs, rhs, width)
    return c.function(name, lhs, rhs)


def _by_unsigned_order(
    c: Converter, name: str, lhs: SSAValue, rhs: SSAValue, width: int
) -> SSAValue:
    sign = c.splat(1 << (width - 1), lhs)
    lhs, rhs = c.function("xor", lhs, sign), c.function("xor", rhs, sign)
    result = c.function(UNSIGNED_ORDER[name], lhs, rhs)
    return c.function("xor", result, sign) if name in ("mins", "maxs") else result


def multiply_wide(
    c: Converter, lhs: SSAValue, rhs: SSAValue, width: int, *, signed: bool
) -> tuple[SSAValue, SSAValue]:
    """The low and the high half of the product of `2 * width` bits."""
    if width == WORD_BITS:
        high = c.function("mulhs" if signed else "mulhu", lhs, rhs)
        return c.function("mul", lhs, rhs), high
    if signed:
        lhs, rhs = sign_extend(c, lhs, width), sign_extend(c, rhs, width)
    product = c.function("mul", lhs, rhs)
    high = c.function("shru", product, c.splat(width, product))
    return truncate(c, product, width), truncate(c, high, width)
