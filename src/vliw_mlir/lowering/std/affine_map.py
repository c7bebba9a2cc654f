"""Computing the results of affine maps."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from vliw_mlir.lowering.indices import add, ceil_divide, floor_divide, multiply
from vliw_mlir.lowering.std.converter import Converter, Index


def projected_dims(map: AffineMap) -> list[int] | None:
    """The dimensions a map picks, each at most once; None for any other map."""
    dims = [e.position for e in map.results if isinstance(e, AffineDimExpr)]
    if len(dims) < len(map.results) or len(set(dims)) < len(dims):
        return None
    return dims


def evaluate(
    c: Converter, expr: AffineExpr, dims: Sequence[Index], symbols: Sequence[Index] = ()
) -> Index:
    """The value of an affine expression, for words or tensors of one shape."""
    match expr:
        case AffineConstantExpr():
            return expr.value
        case AffineDimExpr():
            return dims[expr.position]
        case AffineSymExpr():
            return symbols[expr.position]
        case AffineBinaryOpExpr():
            lhs, rhs = (evaluate(c, e, dims, symbols) for e in (expr.lhs, expr.rhs))
            return _BINARY[expr.kind](c, lhs, rhs)
        case _:
            c.fail(f"affine expression {expr} is not supported")


def _modulo(c: Converter, lhs: Index, rhs: Index) -> Index:
    """What is left of `lhs`, not negative for a positive `rhs`."""
    multiple = multiply(c, floor_divide(c, lhs, rhs), rhs)
    return add(c, lhs, multiply(c, multiple, -1))


_BINARY = {
    AffineBinaryOpKind.Add: add,
    AffineBinaryOpKind.Mul: multiply,
    AffineBinaryOpKind.FloorDiv: floor_divide,
    AffineBinaryOpKind.CeilDiv: ceil_divide,
    AffineBinaryOpKind.Mod: _modulo,
}
