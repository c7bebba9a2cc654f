"""Conversion of the `memref` ops that make views and tell shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, StridedLayoutAttr
from xdsl.ir import Attribute, SSAValue

from vliw_mlir.dialects.upstream.memref import TransposeOp
from vliw_mlir.lowering.indices import multiply
from vliw_mlir.lowering.std.converter import Converter, Handler, Index, Memref
from vliw_mlir.lowering.std.indexing import linear_offset, mixed, product


def convert_subview(c: Converter, op: memref.SubviewOp) -> None:
    source = c.memref(op.source)
    offsets = mixed(c, op.static_offsets.get_values(), op.offsets)
    sizes = mixed(c, op.static_sizes.get_values(), op.sizes)
    steps = mixed(c, op.static_strides.get_values(), op.strides)
    offset = linear_offset(c, source.offset, offsets, source.strides)
    type = op.result.type
    kept = _kept_dims(c, op.static_sizes.get_values(), type)
    strides = [_multiply(c, source.strides[dim], steps[dim]) for dim in kept]
    view = replace(source, offset=offset, sizes=[sizes[dim] for dim in kept], strides=strides)
    _check_layout(c, view, type)
    c.replace(_refine(c, view, type))


def _check_layout(c: Converter, view: Memref, type: MemRefType[Attribute]) -> None:
    """Check that a view has the offset and strides of its type, where both are constants."""
    layout = type.layout
    typed = layout.get_offset() if isinstance(layout, StridedLayoutAttr) else 0
    typed_strides = c.view(view.buffer, type).strides
    pairs: list[tuple[Index | None, Index | None]] = [
        *zip(view.strides, typed_strides, strict=True)
    ]
    if view.has_base:
        pairs.append((view.offset, typed))
    if any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in pairs):
        c.fail(f"a view with this offset and these strides does not have the type {type}")


def convert_transpose(c: Converter, op: TransposeOp) -> None:
    source = c.memref(op.source)
    sizes = [source.sizes[dim] for dim in op.order]
    strides = [source.strides[dim] for dim in op.order]
    view = replace(source, sizes=sizes, strides=strides)
    _check_layout(c, view, op.result.type)
    c.replace(_refine(c, view, op.result.type))


def _kept_dims(c: Converter, sizes: Sequence[int], type: MemRefType[Attribute]) -> list[int]:
    """The dimensions of a subview that its type has: it may leave out some of size 1."""
    kept: list[int] = []
    rest = list(type.get_shape())
    for dim, size in reversed(list(enumerate(sizes))):
        if rest and rest[-1] == size:
            rest.pop()
            kept.append(dim)
        elif size != 1:
            rest.append(0)
            break
    if rest:
        c.fail(f"a subview of these sizes does not have the type {type}")
    return kept[::-1]


def convert_cast(c: Converter, op: memref.CastOp | memref.MemorySpaceCastOp) -> None:
    c.convert_type(op.dest.type)
    type = cast(MemRefType[Attribute], op.dest.type)
    c.replace(_refine(c, c.memref(op.source), type))


def convert_same(c: Converter, op: memref.AssumeAlignmentOp) -> None:
    """Addresses are in words; an alignment in bytes says nothing about them."""
    c.replace(c.memref(op.memref))


def convert_reinterpret_cast(c: Converter, op: memref.ReinterpretCastOp) -> None:
    source = c.memref(op.source)
    _check_base(c, op.source)
    (offset,) = mixed(c, op.static_offsets.get_values(), op.offsets)
    sizes = mixed(c, op.static_sizes.get_values(), op.sizes)
    strides = mixed(c, op.static_strides.get_values(), op.strides)
    c.replace(replace(source, offset=offset, sizes=sizes, strides=strides))


def _check_base(c: Converter, value: SSAValue) -> None:
    if not c.memref(value).has_base:
        c.fail(f"the memref under this view of type {value.type} is not known")


def convert_collapse_shape(c: Converter, op: memref.CollapseShapeOp) -> None:
    source = c.memref(op.src)
    groups = [[i.value.data for i in group] for group in op.reassociation]
    sizes = [_size_product(c, [source.sizes[dim] for dim in group]) for group in groups]
    strides = [_collapsed_stride(c, source, group) for group in groups]
    view = replace(source, sizes=sizes, strides=strides)
    c.replace(_refine(c, view, op.result.type))


def _collapsed_stride(c: Converter, source: Memref, group: Sequence[int]) -> Index | None:
    """The innermost stride; the outer ones must follow from it, where they are known."""
    dims = [dim for dim in group if source.sizes[dim] != 1]
    for outer, inner in pairwise(dims):
        expected = _multiply(c, source.strides[inner], source.sizes[inner])
        stride = source.strides[outer]
        if isinstance(expected, int) and isinstance(stride, int) and stride != expected:
            c.fail(f"cannot collapse dimensions {outer} and {inner}: they are not contiguous")
    return source.strides[dims[-1]] if dims else 1


def convert_expand_shape(c: Converter, op: memref.ExpandShapeOp) -> None:
    source = c.memref(op.src)
    sizes = mixed(c, op.static_output_shape.get_values(), op.output_shape)
    strides: list[Index | None] = [1] * len(sizes)
    for stride, group in zip(source.strides, op.reassociation, strict=True):
        for dim in reversed([i.value.data for i in group]):
            strides[dim] = stride
            stride = _multiply(c, stride, sizes[dim])
    view = replace(source, sizes=sizes, strides=strides)
    c.replace(_refine(c, view, op.result.type))


def convert_extract_strided_metadata(c: Converter, op: memref.ExtractStridedMetaDataOp) -> None:
    view = c.memref(op.source)
    _check_base(c, op.source)
    sizes = [known_size(c, size, dim) for dim, size in enumerate(view.sizes)]
    strides = [_known_stride(c, stride, dim) for dim, stride in enumerate(view.strides)]
    words = [c.as_word(value) for value in (view.offset, *sizes, *strides)]
    c.replace(Memref(view.buffer, 0, (), ()), *words)


def convert_dim(c: Converter, op: memref.DimOp) -> None:
    sizes = c.memref(op.source).sizes
    dim = c.index(op.index)
    if not isinstance(dim, int):
        c.fail("memref.dim needs a constant dimension")
    if not 0 <= dim < len(sizes):
        c.fail(f"{op.source.type} has no dimension {dim}")
    c.replace(c.as_word(known_size(c, sizes[dim], dim)))


def convert_rank(c: Converter, op: memref.RankOp) -> None:
    c.replace(c.constant(len(c.memref(op.source).sizes)))


def known_size(c: Converter, size: Index | None, dim: int) -> Index:
    """`size`, the size of dimension `dim` of a memref; fails when it is not known."""
    if size is None:
        c.fail(
            f"the size of dimension {dim} is not known: memrefs are passed without their sizes;"
            " use a static size or pass it as an argument"
        )
    return size


def _known_stride(c: Converter, stride: Index | None, dim: int) -> Index:
    if stride is None:
        c.fail(f"the stride of dimension {dim} is not known")
    return stride


def _refine(c: Converter, view: Memref, type: MemRefType[Attribute]) -> Memref:
    """`view`, with what only its type says about sizes and strides."""
    typed = c.view(view.buffer, type)
    sizes = [either(a, b) for a, b in zip(view.sizes, typed.sizes, strict=True)]
    strides = [either(a, b) for a, b in zip(view.strides, typed.strides, strict=True)]
    return replace(view, sizes=sizes, strides=strides)


def either(a: Index | None, b: Index | None) -> Index | None:
    """The one of two equal values that is known, best as a constant."""
    return b if a is None or isinstance(b, int) else a


def _multiply(c: Converter, a: Index | None, b: Index | None) -> Index | None:
    return None if a is None or b is None else multiply(c, a, b)


def _size_product(c: Converter, sizes: Sequence[Index | None]) -> Index | None:
    known = [size for size in sizes if size is not None]
    return product(c, known) if len(known) == len(sizes) else None


HANDLERS: dict[type, Handler] = {
    memref.SubviewOp: convert_subview,
    TransposeOp: convert_transpose,
    memref.CastOp: convert_cast,
    memref.MemorySpaceCastOp: convert_cast,
    memref.AssumeAlignmentOp: convert_same,
    memref.ReinterpretCastOp: convert_reinterpret_cast,
    memref.CollapseShapeOp: convert_collapse_shape,
    memref.ExpandShapeOp: convert_expand_shape,
    memref.ExtractStridedMetaDataOp: convert_extract_strided_metadata,
    memref.DimOp: convert_dim,
    memref.RankOp: convert_rank,
}
