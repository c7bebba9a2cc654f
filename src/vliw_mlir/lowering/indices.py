"""Arithmetic on values that may be known at compile time."""

from __future__ import annotations

from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import Emitter, Index
from vliw_mlir.semantics import to_signed


def word_or_constant(value: SSAValue) -> Index:
    """A word, or its signed value where it is a constant."""
    if isinstance(value.owner, word.ConstantOp) and value.type == i32:
        return to_signed(value.owner.word())
    return value


def add(e: Emitter, a: Index, b: Index) -> Index:
    """`a + b`, computed now where possible."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if a == 0:
        return b
    if b == 0:
        return a
    return _function(e, "add", a, b)


def multiply(e: Emitter, a: Index, b: Index) -> Index:
    """`a * b`, computed now where possible."""
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if a == 0 or b == 0:
        return 0
    if a == 1:
        return b
    if b == 1:
        return a
    return _function(e, "mul", a, b)


def floor_divide(e: Emitter, a: Index, b: Index) -> Index:
    """The largest integer not above the signed `a / b`, computed now where possible."""
    if isinstance(a, int) and isinstance(b, int) and b != 0:
        return a // b
    return a if b == 1 else _function(e, "floordivs", a, b)


def ceil_divide(e: Emitter, a: Index, b: Index) -> Index:
    """The smallest integer not below the signed `a / b`, computed now where possible."""
    if isinstance(a, int) and isinstance(b, int) and b != 0:
        return -(-a // b)
    return a if b == 1 else _function(e, "ceildivs", a, b)


def divide(e: Emitter, a: Index, b: int) -> Index:
    """The quotient of an `a` that is not negative, computed now where possible."""
    return a // b if isinstance(a, int) else _function(e, "divu", a, b)


def remainder(e: Emitter, a: Index, b: int) -> Index:
    """The remainder of an `a` that is not negative, computed now where possible."""
    return a % b if isinstance(a, int) else _function(e, "remu", a, b)


def _function(e: Emitter, name: str, a: Index, b: Index) -> SSAValue:
    """Apply a word function; a known value takes the type of the other, if that is computed."""
    if isinstance(a, int):
        a = e.as_word(a) if isinstance(b, int) else e.splat(a, b)
    return e.function(name, a, e.splat(b, a) if isinstance(b, int) else b)
