"""Arithmetic on values that may be known at compile time."""

from __future__ import annotations

from xdsl.ir import SSAValue

from vliw_mlir.dialects.emitter import Emitter, Index


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


def _function(e: Emitter, name: str, a: Index, b: Index) -> SSAValue:
    """Apply a word function; a known value takes the type of the other, if that is computed."""
    if isinstance(a, int):
        a = e.as_word(a) if isinstance(b, int) else e.splat(a, b)
    return e.function(name, a, e.splat(b, a) if isinstance(b, int) else b)
