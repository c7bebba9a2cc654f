"""Conversion of `tensor`, apart from slices and padding."""

from __future__ import annotations

from math import prod

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType, i32
from xdsl.ir import Operation, SSAValue

from vliw_mlir.dialects import kernel, word
from vliw_mlir.dialects.kernel import shape_of
from vliw_mlir.dialects.upstream.tensor import BitcastOp, RankOp
from vliw_mlir.lowering.std import tensor_slice
from vliw_mlir.lowering.std.converter import Converter, Handler
from vliw_mlir.semantics import to_signed


def convert_empty(c: Converter, op: tensor.EmptyOp) -> None:
    c.replace(c.emit(kernel.EmptyOp(c.convert_type(op.tensor.type))))


def convert_splat(c: Converter, op: tensor.SplatOp) -> None:
    c.replace(c.emit(kernel.SplatOp(c.get(op.input), c.convert_type(op.result.type))))


def convert_from_elements(c: Converter, op: tensor.FromElementsOp) -> None:
    type = c.convert_type(op.result.type)
    elements = c.get_all(op.elements)
    if len(elements) != prod(shape_of(type)):
        c.fail(f"{len(elements)} elements for {op.result.type}")
    words = [e.owner.word() for e in elements if isinstance(e.owner, word.ConstantOp)]
    if len(words) == len(elements):
        signed = [to_signed(w) for w in words]
        dense = DenseIntOrFPElementsAttr.from_list(TensorType(i32, shape_of(type)), signed)
        c.replace(c.emit(kernel.ConstantOp(dense)))
        return
    if all(e is elements[0] for e in elements):
        c.replace(c.emit(kernel.SplatOp(elements[0], type)))
        return
    flat = c.emit(kernel.EmptyOp(TensorType(i32, [len(elements)])))
    for number, element in enumerate(elements):
        flat = c.emit(kernel.InsertOp(element, flat, [c.constant(number)]))
    c.replace(tensor_slice.reshape(c, flat, shape_of(type)))


def convert_extract(c: Converter, op: tensor.ExtractOp) -> None:
    """A word, or a gather when the indices are tensors (in a body over whole tensors)."""
    source, indices = c.get(op.tensor), c.get_all(op.indices)
    if any(isinstance(index.type, TensorType) for index in indices):
        c.replace(c.emit(kernel.GatherOp(source, indices)))
    else:
        c.replace(c.emit(kernel.ExtractOp(source, indices)))


def convert_insert(c: Converter, op: tensor.InsertOp) -> None:
    indices = c.get_all(op.indices)
    c.replace(c.emit(kernel.InsertOp(c.get(op.scalar), c.get(op.dest), indices)))


def convert_dim(c: Converter, op: tensor.DimOp) -> None:
    shape = shape_of(c.get(op.source))
    index = c.index(op.index)
    if isinstance(index, int):
        if not 0 <= index < len(shape):
            c.fail(f"dimension {index} of {op.source.type}")
        c.replace(c.constant(shape[index]))
        return
    size = c.constant(shape[0])
    for number in range(1, len(shape)):
        is_this = c.function("eq", index, c.constant(number))
        size = c.function("select", is_this, c.constant(shape[number]), size)
    c.replace(size)


def convert_rank(c: Converter, op: RankOp) -> None:
    c.replace(c.constant(len(shape_of(c.get(op.tensor)))))


def convert_same_words(c: Converter, op: Operation) -> None:
    """An op whose result holds the words of its first operand, perhaps in another shape."""
    source: SSAValue = c.get(op.operands[0])
    shape = shape_of(c.convert_type(op.results[0].type))
    if prod(shape) != prod(shape_of(source)):
        c.fail(f"{op.operands[0].type} and {op.results[0].type} differ in size")
    if c.width(op.operands[0]) != c.width(op.results[0]):
        c.fail(f"{op.operands[0].type} and {op.results[0].type} differ in element width")
    c.replace(tensor_slice.reshape(c, source, shape))


HANDLERS: dict[type[Operation], Handler] = {
    BitcastOp: convert_same_words,
    RankOp: convert_rank,
    tensor.CastOp: convert_same_words,
    tensor.CollapseShapeOp: convert_same_words,
    tensor.DimOp: convert_dim,
    tensor.EmptyOp: convert_empty,
    tensor.ExpandShapeOp: convert_same_words,
    tensor.ExtractOp: convert_extract,
    tensor.FromElementsOp: convert_from_elements,
    tensor.InsertOp: convert_insert,
    tensor.ReshapeOp: convert_same_words,
    tensor.SplatOp: convert_splat,
    **tensor_slice.HANDLERS,
}
