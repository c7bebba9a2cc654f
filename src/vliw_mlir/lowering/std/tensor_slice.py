"""Conversion of the `tensor` ops that cut, join and pad tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Operation, SSAValue

from vliw_mlir.dialects import kernel
from vliw_mlir.dialects.kernel import shape_of
from vliw_mlir.dialects.upstream.tensor import GatherOp, GenerateOp
from vliw_mlir.lowering.std.converter import Converter, Handler, Index
from vliw_mlir.lowering.std.indexing import mixed
from vliw_mlir.lowering.std.tensor_body import tensor_by_body

Slice: TypeAlias = tensor.ExtractSliceOp | tensor.InsertSliceOp


def reshape(c: Converter, value: SSAValue, shape: Sequence[int]) -> SSAValue:
    """`value` in another shape of the same number of elements."""
    if shape_of(value) == tuple(shape):
        return value
    return c.emit(kernel.ReshapeOp(value, TensorType(i32, shape)))


def convert_extract_slice(c: Converter, op: tensor.ExtractSliceOp) -> None:
    source = c.get(op.source)
    shape = shape_of(c.convert_type(op.result.type))
    offsets, sizes, strides = _slice(c, op, shape_of(source), shape)
    type = TensorType(i32, sizes)
    words = [c.as_word(offset) for offset in offsets]
    part = c.emit(kernel.ExtractSliceOp(source, words, strides, type))
    c.replace(reshape(c, part, shape))


def convert_insert_slice(c: Converter, op: tensor.InsertSliceOp) -> None:
    source, dest = c.get(op.source), c.get(op.dest)
    offsets, sizes, strides = _slice(c, op, shape_of(dest), shape_of(source))
    part = reshape(c, source, sizes)
    words = [c.as_word(offset) for offset in offsets]
    c.replace(c.emit(kernel.InsertSliceOp(part, dest, words, strides)))


def _slice(
    c: Converter, op: Slice, whole: tuple[int, ...], part: tuple[int, ...]
) -> tuple[list[Index], list[int], list[int]]:
    """Offsets, sizes and strides of a slice of a tensor of shape `whole`.

    The slice is seen as shape `part`, which may lack dimensions of size 1.
    """
    offsets = mixed(c, op.static_offsets.get_values(), op.offsets)
    sizes = _known(c, "size", mixed(c, op.static_sizes.get_values(), op.sizes))
    strides = _known(c, "stride", mixed(c, op.static_strides.get_values(), op.strides))
    if not len(offsets) == len(sizes) == len(strides) == len(whole):
        c.fail(f"expected one offset, size and stride for each of {len(whole)} dimensions")
    if [s for s in sizes if s != 1] != [s for s in part if s != 1]:
        c.fail(f"a slice of sizes {sizes} does not have the shape {list(part)}")
    for dim, (offset, size, stride) in enumerate(zip(offsets, sizes, strides, strict=True)):
        first = offset if isinstance(offset, int) else 0
        last = first + (size - 1) * stride
        if size > 0 and not (0 <= first < whole[dim] and 0 <= last < whole[dim]):
            c.fail(f"the slice reaches outside dimension {dim} of size {whole[dim]}")
    return offsets, sizes, strides


def _known(c: Converter, what: str, values: Sequence[Index]) -> list[int]:
    numbers = [v for v in values if isinstance(v, int)]
    if len(numbers) != len(values):
        c.fail(f"each {what} of a slice must be a constant")
    return numbers


def convert_concat(c: Converter, op: tensor.ConcatOp) -> None:
    result = c.emit(kernel.EmptyOp(c.convert_type(op.result.type)))
    shape = shape_of(result)
    dim = op.dim.value.data
    ones = [1] * len(shape)
    offset = 0
    for part in c.get_all(op.inputs):
        offsets = [c.constant(offset if d == dim else 0) for d in range(len(shape))]
        result = c.emit(kernel.InsertSliceOp(part, result, offsets, ones))
        offset += shape_of(part)[dim]
    c.replace(result)


def convert_pad(c: Converter, op: tensor.PadOp) -> None:
    type = c.convert_type(op.result.type)
    source = c.get(op.source)
    low = _known(c, "padding", mixed(c, op.static_low.get_values(), op.low))
    high = _known(c, "padding", mixed(c, op.static_high.get_values(), op.high))
    if min((*low, *high), default=0) < 0:
        c.fail("negative padding is not supported")
    expected = [a + b + s for a, b, s in zip(low, high, shape_of(source), strict=True)]
    if expected != list(shape_of(type)):
        c.fail(f"padding gives the shape {expected}, not {op.result.type}")
    padding = tensor_by_body(c, op.region.block, shape_of(type))
    offsets = [c.constant(offset) for offset in low]
    ones = [1] * len(low)
    c.replace(c.emit(kernel.InsertSliceOp(source, padding, offsets, ones)))


def convert_generate(c: Converter, op: GenerateOp) -> None:
    shape = shape_of(c.convert_type(op.result.type))
    c.replace(tensor_by_body(c, op.body.block, shape))


def convert_gather(c: Converter, op: GatherOp) -> None:
    """The leading dimensions of the result pick coordinates, the others an element of a slice."""
    source, coordinates = c.get(op.source), c.get(op.indices)
    shape, picks = shape_of(source), shape_of(coordinates)[:-1]
    dims = op.gather_dims.get_values()
    slice_ = [1 if dim in dims else size for dim, size in enumerate(shape)]
    space = TensorType(i32, [*picks, *slice_])
    zero = c.constant(0)
    indices: list[SSAValue] = []
    for dim in range(len(shape)):
        if dim not in dims:
            indices.append(c.emit(kernel.IotaOp(len(picks) + dim, space)))
            continue
        offsets = [*[zero] * len(picks), c.constant(dims.index(dim))]
        column = kernel.ExtractSliceOp(
            coordinates, offsets, [1] * len(offsets), TensorType(i32, [*picks, 1])
        )
        column = reshape(c, c.emit(column), picks)
        indices.append(c.emit(kernel.BroadcastOp(column, range(len(picks)), space)))
    c.replace(reshape(c, c.emit(kernel.GatherOp(source, indices)), shape_of(op.result)))


HANDLERS: dict[type[Operation], Handler] = {
    tensor.ConcatOp: convert_concat,
    tensor.ExtractSliceOp: convert_extract_slice,
    tensor.InsertSliceOp: convert_insert_slice,
    tensor.PadOp: convert_pad,
    GatherOp: convert_gather,
    GenerateOp: convert_generate,
}
