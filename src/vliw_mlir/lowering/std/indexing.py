"""Offsets into memrefs."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import SSAValue

from vliw_mlir.lowering.indices import add, multiply
from vliw_mlir.lowering.std.converter import Converter, Index, Memref


def product(c: Converter, values: Sequence[Index]) -> Index:
    """The product of `values`, computed now where possible."""
    result: Index = 1
    for value in values:
        result = multiply(c, result, value)
    return result


def mixed(c: Converter, static: Sequence[int], dynamic: Sequence[SSAValue]) -> list[Index]:
    """The entries of an MLIR list that mixes constants and operands."""
    operands = iter(dynamic)
    return [c.index(next(operands)) if v == DYNAMIC_INDEX else v for v in static]


def linear_offset(
    c: Converter, start: Index, indices: Sequence[Index], strides: Sequence[Index | None]
) -> Index:
    """`start + indices[0] * strides[0] + …`; fails when a stride that matters is not known."""
    known, computed = (start, 0) if isinstance(start, int) else (0, start)
    for dim, (index, stride) in enumerate(zip(indices, strides, strict=True)):
        if index == 0:
            continue
        if stride is None:
            c.fail(
                f"the stride of dimension {dim} is not known;"
                " all sizes but the first must be static or computed by the function"
            )
        step = multiply(c, index, stride)
        if isinstance(step, int):
            known += step
        else:
            computed = add(c, computed, step)
    return add(c, computed, known)


def element_offset(c: Converter, memref: Memref, indices: Sequence[Index]) -> SSAValue:
    """Words from the start of the buffer of `memref` to one of its elements."""
    return c.as_word(linear_offset(c, memref.offset, indices, memref.strides))
