"""Conversion of `arith` on integers; on vectors and tensors it works element-wise."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    MemRefType,
    TensorType,
    VectorType,
    i32,
)
from xdsl.ir import Block, Region, SSAValue

from vliw_mlir.dialects import kernel, word
from vliw_mlir.dialects.upstream.arith import IndexCastUIOp, SubUIExtendedOp
from vliw_mlir.lowering.std.converter import Converter, Handler, constant_word
from vliw_mlir.lowering.std.integers import binary, multiply_wide, sign_extend, truncate

FUNCTION_OF: dict[type[arith.SignlessIntegerBinaryOperation], str] = {
    arith.AddiOp: "add",
    arith.SubiOp: "sub",
    arith.MuliOp: "mul",
    arith.DivUIOp: "divu",
    arith.DivSIOp: "divs",
    arith.CeilDivUIOp: "ceildivu",
    arith.CeilDivSIOp: "ceildivs",
    arith.FloorDivSIOp: "floordivs",
    arith.RemUIOp: "remu",
    arith.RemSIOp: "rems",
    arith.AndIOp: "and",
    arith.OrIOp: "or",
    arith.XOrIOp: "xor",
    arith.ShLIOp: "shl",
    arith.ShRUIOp: "shru",
    arith.ShRSIOp: "shrs",
    arith.MinUIOp: "minu",
    arith.MaxUIOp: "maxu",
    arith.MinSIOp: "mins",
    arith.MaxSIOp: "maxs",
}
"""The word function of each op on two integers, comparisons aside."""


def convert_constant(c: Converter, op: arith.ConstantOp) -> None:
    width = c.width(op.result)
    match op.value:
        case IntegerAttr():
            c.replace(c.constant(_element(c, op.value.value.data, width)))
        case DenseIntOrFPElementsAttr():
            c.replace(_dense(c, op.value, width))
        case _:
            c.fail(f"{op.value.name} constants are not supported; use a dense constant")


def _dense(c: Converter, value: DenseIntOrFPElementsAttr, width: int) -> SSAValue:
    words = dense_words(c, value, width)
    if isinstance(value.type, VectorType):
        return c.emit(word.ConstantOp(words))
    type = TensorType(i32, value.get_shape())
    return c.emit(kernel.ConstantOp(DenseIntOrFPElementsAttr.from_list(type, words)))


def dense_words(c: Converter, value: DenseIntOrFPElementsAttr, width: int) -> list[int]:
    """The elements of a dense attribute as words, zero-extended from `width` bits."""
    return [_element(c, cast(int, v), width) for v in value.iter_values()]


def _element(c: Converter, value: int, width: int) -> int:
    return constant_word(c, value) & ((1 << width) - 1)


def _convert_binary(function: str) -> Handler:
    def convert(c: Converter, op: arith.SignlessIntegerBinaryOperation) -> None:
        c.replace(binary(c, function, c.get(op.lhs), c.get(op.rhs), c.width(op.result)))

    return convert


def convert_addui_extended(c: Converter, op: arith.AddUIExtendedOp) -> None:
    """The sum overflowed when it is less than an operand."""
    lhs = c.get(op.lhs)
    sum = binary(c, "add", lhs, c.get(op.rhs), c.width(op.sum))
    c.replace(sum, c.function("ult", sum, lhs))


def convert_subui_extended(c: Converter, op: SubUIExtendedOp) -> None:
    lhs, rhs = c.get(op.lhs), c.get(op.rhs)
    difference = binary(c, "sub", lhs, rhs, c.width(op.diff))
    c.replace(difference, c.function("ult", lhs, rhs))


def convert_mului_extended(c: Converter, op: arith.MulUIExtendedOp) -> None:
    width = c.width(op.low)
    c.replace(*multiply_wide(c, c.get(op.lhs), c.get(op.rhs), width, signed=False))


def convert_mulsi_extended(c: Converter, op: arith.MulSIExtendedOp) -> None:
    width = c.width(op.low)
    c.replace(*multiply_wide(c, c.get(op.lhs), c.get(op.rhs), width, signed=True))


def convert_cmpi(c: Converter, op: arith.CmpiOp) -> None:
    predicate = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
    c.replace(binary(c, predicate, c.get(op.lhs), c.get(op.rhs), c.width(op.lhs)))


def convert_select(c: Converter, op: arith.SelectOp) -> None:
    condition = c.get(op.cond)
    if isinstance(op.result.type, MemRefType):
        c.replace(_select_buffer(c, condition, op.lhs, op.rhs))
        return
    c.convert_type(op.result.type)
    on_true, on_false = c.get(op.lhs), c.get(op.rhs)
    if condition.type != on_true.type:
        condition = c.broadcast(condition, on_true)
    c.replace(c.function("select", condition, on_true, on_false))


def _select_buffer(
    c: Converter, condition: SSAValue, on_true: SSAValue, on_false: SSAValue
) -> SSAValue:
    first, second = c.passable(on_true), c.passable(on_false)
    test = c.emit(word.TestOp(condition))
    then_region = Region(Block([scf.YieldOp(first)]))
    else_region = Region(Block([scf.YieldOp(second)]))
    return c.emit(scf.IfOp(test, [first.type], then_region, else_region))


def convert_zero_extension(c: Converter, op: arith.ExtUIOp) -> None:
    c.width(op.result)
    c.replace(c.get(op.input))


def convert_sign_extension(c: Converter, op: arith.ExtSIOp) -> None:
    extended = sign_extend(c, c.get(op.input), c.width(op.input))
    c.replace(truncate(c, extended, c.width(op.result)))


def convert_truncation(c: Converter, op: arith.TruncIOp) -> None:
    c.replace(truncate(c, c.get(op.input), c.width(op.result)))


def convert_index_cast(c: Converter, op: arith.IndexCastOp) -> None:
    """An extension by the sign or a truncation, depending on the direction."""
    from_width, to_width = c.width(op.input), c.width(op.result)
    value = c.get(op.input)
    if from_width < to_width:
        c.replace(sign_extend(c, value, from_width))
    else:
        c.replace(truncate(c, value, to_width))


def convert_index_castui(c: Converter, op: IndexCastUIOp) -> None:
    """As `index_cast`, but extending by zeros, which the value already is."""
    c.replace(truncate(c, c.get(op.input), min(c.width(op.input), c.width(op.result))))


def convert_bitcast(c: Converter, op: arith.BitcastOp) -> None:
    if c.width(op.input) != c.width(op.result):
        c.fail(f"cannot bitcast {op.input.type} to {op.result.type}: the widths differ")
    c.replace(c.values[op.input])


HANDLERS: dict[type, Handler] = {
    arith.ConstantOp: convert_constant,
    **{op: _convert_binary(function) for op, function in FUNCTION_OF.items()},
    arith.AddUIExtendedOp: convert_addui_extended,
    SubUIExtendedOp: convert_subui_extended,
    arith.MulUIExtendedOp: convert_mului_extended,
    arith.MulSIExtendedOp: convert_mulsi_extended,
    arith.CmpiOp: convert_cmpi,
    arith.SelectOp: convert_select,
    arith.ExtUIOp: convert_zero_extension,
    arith.ExtSIOp: convert_sign_extension,
    arith.TruncIOp: convert_truncation,
    arith.IndexCastOp: convert_index_cast,
    IndexCastUIOp: convert_index_castui,
    arith.BitcastOp: convert_bitcast,
}
