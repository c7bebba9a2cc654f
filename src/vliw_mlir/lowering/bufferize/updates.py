"""Ops that replace elements of a tensor: in its buffer if nobody else reads it, else in a copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from xdsl.ir import SSAValue

from vliw_mlir.dialects import kernel, word
from vliw_mlir.dialects.kernel import shape_of
from vliw_mlir.lowering.bufferize.cursor import Cursor
from vliw_mlir.lowering.bufferize.elements import Elements, in_slice
from vliw_mlir.lowering.bufferize.places import Place, at_indices, number_of, reshaped
from vliw_mlir.lowering.bufferize.storage import Storage
from vliw_mlir.lowering.bufferize.stores import buffers_read, element_loops, store
from vliw_mlir.lowering.indices import word_or_constant

Update: TypeAlias = kernel.InsertOp | kernel.ScatterOp | kernel.InsertSliceOp


def lower_insert(storage: Storage, op: kernel.InsertOp) -> None:
    buffer = _updatable(storage, op)
    cursor = Cursor(storage.entry, op)
    indices = [word_or_constant(index) for index in op.indices]
    _store(cursor, op.element, buffer, at_indices(shape_of(op.dest), indices))
    storage.put(op.result, buffer)


def lower_insert_slice(storage: Storage, op: kernel.InsertSliceOp) -> None:
    buffer = _updatable(storage, op)
    buffers = _unaffected(storage, op, buffer, [op.source])
    storage.put(op.result, buffer)
    if 0 in shape_of(op.source):
        return
    cursor = Cursor(storage.entry, op)
    with element_loops(cursor, shape_of(op.source)) as place:
        element = Elements(cursor, buffers).element(op.source, place)
        _store(cursor, element, buffer, in_slice(cursor, op, shape_of(op.dest), place))


def lower_scatter(storage: Storage, op: kernel.ScatterOp) -> None:
    """Elements are stored in row-major order: of equal indices the last stays."""
    tensors = [op.values, *op.indices]
    buffer = _updatable(storage, op)
    buffers = _unaffected(storage, op, buffer, tensors)
    storage.put(op.result, buffer)
    if 0 in shape_of(op.values):
        return
    cursor = Cursor(storage.entry, op)
    elements = Elements(cursor, buffers)
    with element_loops(cursor, elements.loop_shape(tensors)) as visited:
        place = reshaped(cursor, visited, shape_of(op.values))
        value, *indices = [elements.element(tensor, place) for tensor in tensors]
        _store(cursor, value, buffer, at_indices(shape_of(op.dest), indices))


def _updatable(storage: Storage, op: Update) -> SSAValue:
    """A buffer that holds the tensor to be updated, and may be written."""
    if storage.may_overwrite(op, op.dest):
        return storage.buffers[op.dest]
    buffer = storage.new_buffer(op.result)
    store(storage, op, [(op.dest, buffer)])
    return buffer


def _unaffected(
    storage: Storage, op: Update, buffer: SSAValue, tensors: Sequence[SSAValue]
) -> Mapping[SSAValue, SSAValue]:
    """Buffers to read `tensors` from while `buffer` is written."""
    if all(b is not buffer for tensor in tensors for b, _ in buffers_read(storage, tensor)):
        return storage.buffers
    pairs = [(tensor, storage.temporary(tensor)) for tensor in tensors]
    store(storage, op, pairs)
    return {**storage.buffers, **dict(pairs)}


def _store(cursor: Cursor, value: SSAValue, buffer: SSAValue, place: Place) -> None:
    offset = cursor.as_word(number_of(cursor, place))
    cursor.append(word.StoreOp(value, buffer, offset))
