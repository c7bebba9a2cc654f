"""Conversion of `memref`: accesses and allocations; views are in `memref_view`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
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
from vliw_mlir.lowering.std import memref_view
from vliw_mlir.lowering.std.arith import dense_words
from vliw_mlir.lowering.std.converter import (
    Converter,
    Handler,
    Index,
    Memref,
    row_major_strides,
)
from vliw_mlir.lowering.std.escape import escaping_use
from vliw_mlir.lowering.std.indexing import element_offset, product
from vliw_mlir.lowering.std.integers import binary
from vliw_mlir.lowering.std.loops import bounds_from_zero, loop_nest
from vliw_mlir.lowering.std.memref_view import either, known_size

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
    sizes = [known_size(c, either(a, b), dim) for dim, (a, b) in enumerate(both)]
    if _is_contiguous(source, sizes) and _is_contiguous(target, sizes):
        sizes = [product(c, sizes)]
        source = replace(source, sizes=sizes, strides=[1])
        target = replace(target, sizes=sizes, strides=[1])

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
    c.replace(Memref(buffer, 0, sizes, strides))


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
    **memref_view.HANDLERS,
}
