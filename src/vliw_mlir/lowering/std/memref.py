"""Conversion of `memref`: views become offsets and strides, allocations become buffers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    MemRefType,
    NoneAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.traits import SymbolTable

from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import width_of
from vliw_mlir.errors import op_location
from vliw_mlir.lowering.indices import multiply
from vliw_mlir.lowering.std.arith import dense_words
from vliw_mlir.lowering.std.converter import (
    Converter,
    Handler,
    Index,
    Memref,
    row_major_strides,
)
from vliw_mlir.lowering.std.escape import escaping_use
from vliw_mlir.lowering.std.indexing import element_offset, linear_offset, mixed
from vliw_mlir.lowering.std.integers import binary
from vliw_mlir.lowering.std.loops import bounds_from_zero, loop_nest

# Accesses


def convert_load(c: Converter, op: memref.LoadOp) -> None:
    view = c.memref(op.memref)
    offset = element_offset(c, view, [c.index(i) for i in op.indices])
    c.replace(c.emit(word.LoadOp(view.buffer, offset)))


def convert_store(c: Converter, op: memref.StoreOp) -> None:
    view = c.memref(op.memref)
    offset = element_offset(c, view, [c.index(i) for i in op.indices])
    c.append(word.StoreOp(c.get(op.value), view.buffer, offset))


ATOMIC_KINDS: dict[int, str] = {
    1: "add",
    4: "maxs",
    5: "maxu",
    7: "mins",
    8: "minu",
    10: "mul",
    11: "or",
    12: "and",
    15: "xor",
}
"""The word function of MLIR's `arith::AtomicRMWKind` values on integers, `assign` aside."""

ATOMIC_ASSIGN = 2


def convert_atomic_rmw(c: Converter, op: memref.AtomicRMWOp) -> None:
    """A load and a store: there is one core. The result is what the memory held before."""
    view, value, width = c.memref(op.memref), c.get(op.value), c.width(op.value)
    offset = element_offset(c, view, [c.index(i) for i in op.indices])
    kind = op.kind.value.data
    if kind != ATOMIC_ASSIGN and kind not in ATOMIC_KINDS:
        c.fail(f"atomic kind {kind} is not supported on integers")
    old = c.emit(word.LoadOp(view.buffer, offset))
    new = value if kind == ATOMIC_ASSIGN else binary(c, ATOMIC_KINDS[kind], old, value, width)
    c.append(word.StoreOp(new, view.buffer, offset))
    c.replace(old)


def convert_copy(c: Converter, op: memref.CopyOp) -> None:
    source, target = c.memref(op.source), c.memref(op.destination)
    both = zip(source.sizes, target.sizes, strict=True)
    sizes = [_size(c, _either(a, b), dim) for dim, (a, b) in enumerate(both)]
    if _is_contiguous(source, sizes) and _is_contiguous(target, sizes):
        sizes = [_product(c, sizes)]
        source = Memref(source.buffer, source.offset, tuple(sizes), (1,))
        target = Memref(target.buffer, target.offset, tuple(sizes), (1,))

    def copy_element(
        indices: Sequence[SSAValue], carried: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        value = c.emit(word.LoadOp(source.buffer, element_offset(c, source, indices)))
        c.append(word.StoreOp(value, target.buffer, element_offset(c, target, indices)))
        return carried

    loop_nest(c, bounds_from_zero(c, sizes), [], copy_element)


def _is_contiguous(view: Memref, sizes: Sequence[Index]) -> bool:
    return tuple(view.strides) == row_major_strides(sizes)


# Allocations


def convert_alloc(c: Converter, op: memref.AllocOp | memref.AllocaOp) -> None:
    type = op.memref.type
    c.convert_type(type)
    dynamic = iter(op.dynamic_sizes)
    sizes = [c.index(next(dynamic)) if d == DYNAMIC_INDEX else d for d in type.get_shape()]
    strides = row_major_strides(sizes)
    known = [size for size in sizes if isinstance(size, int)]
    if len(known) < len(sizes):
        c.fail("an allocation needs constant sizes; there is no memory management at run time")
    if min(known, default=0) < 0:
        c.fail(f"cannot allocate {min(known)} elements")
    if not isinstance(type.layout, NoneAttr):
        strides = _allocated_layout(c, type)
    if (use := escaping_use(op)) is not None:
        c.fail(
            "allocation escapes its loop: each iteration gets the same buffer,"
            f" but '{use.name}' at {op_location(use) or 'an unknown place'} passes it on"
        )
    steps = [(n - 1) * cast(int, stride) for n, stride in zip(known, strides, strict=True)]
    words = 0 if 0 in known else 1 + sum(steps)
    buffer = c.emit(word.AllocOp(words))
    c.replace(Memref(buffer, 0, tuple(sizes), tuple(strides)))


def _allocated_layout(c: Converter, type: MemRefType[Attribute]) -> tuple[int, ...]:
    """The strides of a layout that an allocation can have."""
    strides, offset = type.get_strides(), type.get_offset()
    if strides is None or offset != 0 or any(s is None or s < 0 for s in strides):
        c.fail(f"cannot allocate {type}: the layout needs constant strides and no offset")
    return cast(tuple[int, ...], tuple(strides))


def convert_nothing(c: Converter, op: memref.DeallocOp) -> None:
    """Buffers live as long as the kernel runs."""


def convert_get_global(c: Converter, op: memref.GetGlobalOp) -> None:
    c.convert_type(op.memref.type)
    name = op.name_.string_value()
    if name not in c.globals:
        c.globals[name] = _allocate_global(c, op)
    c.replace(c.globals[name])


def _allocate_global(c: Converter, op: memref.GetGlobalOp) -> SSAValue:
    found = SymbolTable.lookup_symbol(op, op.name_)
    if not isinstance(found, memref.GlobalOp):
        c.fail(f"there is no memref.global {op.name_}")
    if found.type != op.memref.type:
        c.fail(f"the global {op.name_} is a {found.type}, not a {op.memref.type}")
    buffer = c.convert_type(found.type)
    assert isinstance(buffer, word.BufferType)
    if buffer.words is None:
        c.fail(f"the global {op.name_} needs a static shape, not {found.type}")
    return c.emit_at_entry(word.AllocOp(buffer.words, _initial_words(c, found, buffer.words)))


def _initial_words(c: Converter, op: memref.GlobalOp, count: int) -> list[int] | None:
    """The words that a global starts with, None when it starts with anything."""
    value = op.properties.get("initial_value")
    if isinstance(value, UnitAttr):
        return None
    if not isinstance(value, DenseIntOrFPElementsAttr):
        c.fail(f"the global @{op.sym_name.data} has no value; give one or `uninitialized`")
    width = width_of(op.type.element_type)
    assert width is not None
    words = dense_words(c, cast(DenseIntOrFPElementsAttr, value), width)
    if len(words) != count:
        c.fail(f"the global @{op.sym_name.data} of {count} words has {len(words)} values")
    return words


def convert_alloca_scope(c: Converter, op: memref.AllocaScopeOp) -> None:
    """The region runs once, in place."""
    *body, end = op.scope.block.ops
    for inner in body:
        c.convert_op(inner)
    c.replace(*[c.values[value] for value in end.operands])


# Views


def convert_subview(c: Converter, op: memref.SubviewOp) -> None:
    source = c.memref(op.source)
    offsets = mixed(c, op.static_offsets.get_values(), op.offsets)
    sizes = mixed(c, op.static_sizes.get_values(), op.sizes)
    steps = mixed(c, op.static_strides.get_values(), op.strides)
    offset = linear_offset(c, source.offset, offsets, source.strides)
    type = op.result.type
    kept = _kept_dims(c, op.static_sizes.get_values(), type)
    strides = [_multiply(c, source.strides[dim], steps[dim]) for dim in kept]
    view = Memref(source.buffer, offset, tuple(sizes[dim] for dim in kept), tuple(strides))
    c.replace(_refine(c, view, type))


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
    c.replace(Memref(source.buffer, offset, tuple(sizes), tuple(strides)))


def _check_base(c: Converter, value: SSAValue) -> None:
    """Fail when the start of the memref under a view is not known.

    A view that came through a block argument or result starts at its own buffer, so its
    offset in the memref that it is a part of is lost.
    """
    type = cast(MemRefType[Attribute], value.type)
    if c.memref(value).offset == 0 and type.get_offset() != 0:
        c.fail(f"the memref under this view of type {type} is not known")


def convert_collapse_shape(c: Converter, op: memref.CollapseShapeOp) -> None:
    source = c.memref(op.src)
    groups = [[i.value.data for i in group] for group in op.reassociation]
    sizes = [_size_product(c, [source.sizes[dim] for dim in group]) for group in groups]
    strides = [_collapsed_stride(c, source, group) for group in groups]
    view = Memref(source.buffer, source.offset, tuple(sizes), tuple(strides))
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
    view = Memref(source.buffer, source.offset, tuple(sizes), tuple(strides))
    c.replace(_refine(c, view, op.result.type))


def convert_extract_strided_metadata(c: Converter, op: memref.ExtractStridedMetaDataOp) -> None:
    view = c.memref(op.source)
    _check_base(c, op.source)
    sizes = [_size(c, size, dim) for dim, size in enumerate(view.sizes)]
    strides = [_known_stride(c, stride, dim) for dim, stride in enumerate(view.strides)]
    words = [c.as_word(value) for value in (view.offset, *sizes, *strides)]
    c.replace(Memref(view.buffer, 0, (), ()), *words)


# Shapes


def convert_dim(c: Converter, op: memref.DimOp) -> None:
    sizes = c.memref(op.source).sizes
    dim = c.index(op.index)
    if not isinstance(dim, int):
        c.fail("memref.dim needs a constant dimension")
    if not 0 <= dim < len(sizes):
        c.fail(f"{op.source.type} has no dimension {dim}")
    c.replace(c.as_word(_size(c, sizes[dim], dim)))


def convert_rank(c: Converter, op: memref.RankOp) -> None:
    c.replace(c.constant(len(c.memref(op.source).sizes)))


def _size(c: Converter, size: Index | None, dim: int) -> Index:
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
    sizes = [_either(a, b) for a, b in zip(view.sizes, typed.sizes, strict=True)]
    strides = [_either(a, b) for a, b in zip(view.strides, typed.strides, strict=True)]
    return Memref(view.buffer, view.offset, tuple(sizes), tuple(strides))


def _either(a: Index | None, b: Index | None) -> Index | None:
    """The one of two equal values that is known, best as a constant."""
    return b if a is None or isinstance(b, int) else a


def _multiply(c: Converter, a: Index | None, b: Index | None) -> Index | None:
    return None if a is None or b is None else multiply(c, a, b)


def _product(c: Converter, values: Sequence[Index]) -> Index:
    product: Index = 1
    for value in values:
        product = multiply(c, product, value)
    return product


def _size_product(c: Converter, sizes: Sequence[Index | None]) -> Index | None:
    known = [size for size in sizes if size is not None]
    return _product(c, known) if len(known) == len(sizes) else None


HANDLERS: dict[type, Handler] = {
    memref.LoadOp: convert_load,
    memref.StoreOp: convert_store,
    memref.AtomicRMWOp: convert_atomic_rmw,
    memref.CopyOp: convert_copy,
    memref.AllocOp: convert_alloc,
    memref.AllocaOp: convert_alloc,
    memref.DeallocOp: convert_nothing,
    memref.GetGlobalOp: convert_get_global,
    memref.AllocaScopeOp: convert_alloca_scope,
    memref.SubviewOp: convert_subview,
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
