"""Conversion of the `vector` ops that access memory.

The lanes of an access are a fixed distance apart, or each has its own offset; a mask may
leave out lanes, whose memory is then not touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.dialects import scf, vector
from xdsl.dialects.builtin import MemRefType, VectorType, i32
from xdsl.ir import Block, Region, SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.dialects.upstream import vector as upstream
from vliw_mlir.lowering.std.converter import Converter, Handler, Index, Memref
from vliw_mlir.lowering.std.indexing import element_offset
from vliw_mlir.lowering.std.integers import sign_extend
from vliw_mlir.lowering.std.lanes import lane_count, lane_numbers, split

Transfer: TypeAlias = vector.TransferReadOp | vector.TransferWriteOp


def convert_load(c: Converter, op: vector.LoadOp) -> None:
    lanes = lane_count(c, op.result)
    view = _contiguous(c, op.base)
    c.replace(_load(c, view, op.indices, lanes))


def convert_store(c: Converter, op: vector.StoreOp) -> None:
    _store(c, c.get(op.vector), _contiguous(c, op.base), op.indices)


def convert_masked_load(c: Converter, op: vector.MaskedLoadOp) -> None:
    lanes = lane_count(c, op.result)
    view = _contiguous(c, op.base)
    c.replace(_load(c, view, op.indices, lanes, c.get(op.mask), c.get(op.pass_thru)))


def convert_masked_store(c: Converter, op: vector.MaskedStoreOp) -> None:
    view = _contiguous(c, op.base)
    _store(c, c.get(op.value_to_store), view, op.indices, c.get(op.mask))


def convert_transfer_read(c: Converter, op: vector.TransferReadOp) -> None:
    lanes = lane_count(c, op.result)
    view, mask = _transfer(c, op, lanes)
    if mask is None:
        c.replace(_load(c, view, op.indices, lanes))
        return
    padding = c.emit(word.BroadcastOp(c.get(op.padding), lanes))
    c.replace(_load(c, view, op.indices, lanes, mask, padding))


def convert_transfer_write(c: Converter, op: vector.TransferWriteOp) -> None:
    view, mask = _transfer(c, op, lane_count(c, op.vector))
    _store(c, c.get(op.vector), view, op.indices, mask)


def _transfer(c: Converter, op: Transfer, lanes: int) -> tuple[Memref, SSAValue | None]:
    """The memref of a transfer, and the mask of the lanes to transfer, None if all are."""
    if not isinstance(op.source.type, MemRefType):
        c.fail(f"'{op.name}' is not supported on tensors; use memrefs")
    if not op.permutation_map.data.is_minor_identity():
        c.fail(f"'{op.name}' is supported along the innermost dimension only")
    view = c.memref(op.source)
    mask = None if op.mask is None else c.get(op.mask)
    if op.in_bounds.data[0].value.data:
        return view, mask
    inside = _inside(c, view, c.index(op.indices[-1]), lanes)
    if inside is None or mask is None:
        return view, mask or inside
    return view, c.function("and", mask, inside)


def _inside(c: Converter, view: Memref, first: Index, lanes: int) -> SSAValue | None:
    """A mask of the lanes within the innermost dimension, None if all are known to be."""
    size = view.sizes[-1]
    if size is None:
        c.fail("the innermost size is not known; mark the transfer as in_bounds = [true]")
    if isinstance(first, int) and isinstance(size, int) and 0 <= first <= size - lanes:
        return None
    numbers = lane_numbers(c, lanes)
    positions = c.function("add", numbers, c.broadcast(c.as_word(first), numbers))
    return c.function("ult", positions, c.broadcast(c.as_word(size), numbers))


def convert_gather(c: Converter, op: upstream.GatherOp) -> None:
    view, offsets = _indexed(c, op)
    c.replace(_load_lanes(c, view.buffer, offsets, c.get(op.mask), c.get(op.pass_thru)))


def convert_scatter(c: Converter, op: upstream.ScatterOp) -> None:
    view, offsets = _indexed(c, op)
    _store_lanes(c, c.get(op.valueToStore), view.buffer, offsets, c.get(op.mask))


def _indexed(c: Converter, op: upstream.GatherOp | upstream.ScatterOp) -> tuple[Memref, SSAValue]:
    """The memref of an indexed access and the offset of each lane."""
    if not isinstance(op.base.type, MemRefType):
        c.fail(f"'{op.name}' is not supported on tensors; use memrefs")
    view = c.memref(op.base)
    start = element_offset(c, view, [c.index(i) for i in op.offsets])
    indices = sign_extend(c, c.get(op.indices), c.width(op.indices))
    return view, _offsets(c, start, _stride(c, view), indices)


# Accesses


def _contiguous(c: Converter, base: SSAValue) -> Memref:
    """The view that `base` has become; its innermost stride must be 1."""
    view = c.memref(base)
    if _stride(c, view) != 1:
        c.fail(f"a vector access needs an innermost stride of 1, not {base.type}")
    return view


def _stride(c: Converter, view: Memref) -> Index:
    """Words between elements that follow each other along the innermost dimension."""
    stride = view.strides[-1] if view.strides else 1
    if stride is None:
        c.fail("a vector access needs a known innermost stride")
    return stride


def _load(
    c: Converter,
    view: Memref,
    indices: Sequence[SSAValue],
    lanes: int,
    mask: SSAValue | None = None,
    otherwise: SSAValue | None = None,
) -> SSAValue:
    start = element_offset(c, view, [c.index(i) for i in indices])
    stride = _stride(c, view)
    if stride == 1 and _is_all_true(mask):
        return c.emit(word.LoadOp(view.buffer, start, VectorType(i32, [lanes])))
    offsets = _offsets(c, start, stride, lane_numbers(c, lanes))
    return _load_lanes(c, view.buffer, offsets, mask, otherwise)


def _store(
    c: Converter,
    value: SSAValue,
    view: Memref,
    indices: Sequence[SSAValue],
    mask: SSAValue | None = None,
) -> None:
    start = element_offset(c, view, [c.index(i) for i in indices])
    stride = _stride(c, view)
    if stride == 1 and _is_all_true(mask):
        c.append(word.StoreOp(value, view.buffer, start))
        return
    offsets = _offsets(c, start, stride, lane_numbers(c, lane_count(c, value)))
    _store_lanes(c, value, view.buffer, offsets, mask)


def _offsets(c: Converter, start: SSAValue, stride: Index, numbers: SSAValue) -> SSAValue:
    """`start + numbers * stride` for each lane."""
    if stride != 1:
        numbers = c.function("mul", numbers, c.broadcast(c.as_word(stride), numbers))
    return c.function("add", c.broadcast(start, numbers), numbers)


def _is_all_true(mask: SSAValue | None) -> bool:
    if mask is None:
        return True
    return isinstance(mask.owner, word.ConstantOp) and all(mask.owner.words())


def _load_lanes(
    c: Converter,
    buffer: SSAValue,
    offsets: SSAValue,
    mask: SSAValue | None,
    otherwise: SSAValue | None,
) -> SSAValue:
    """Load each lane from its own offset; where `mask` is 0, take the lane of `otherwise`."""
    if mask is None or otherwise is None or _is_all_true(mask):
        return c.emit(word.GatherOp(buffer, offsets))
    outer = c.block
    loaded: list[SSAValue] = []
    for lane, kept in enumerate(split(c, otherwise)):
        test = c.emit(word.TestOp(c.emit(word.ExtractOp(mask, lane))))
        c.block = Block()
        value = c.emit(word.LoadOp(buffer, c.emit(word.ExtractOp(offsets, lane))))
        c.append(scf.YieldOp(value))
        on_true, on_false = Region(c.block), Region(Block([scf.YieldOp(kept)]))
        c.block = outer
        loaded.append(c.emit(scf.IfOp(test, [kept.type], on_true, on_false)))
    return c.emit(word.FromElementsOp(loaded))


def _store_lanes(
    c: Converter, value: SSAValue, buffer: SSAValue, offsets: SSAValue, mask: SSAValue | None
) -> None:
    """Store each lane to its own offset, in order, unless `mask` is 0."""
    if mask is None or _is_all_true(mask):
        c.append(word.ScatterOp(value, buffer, offsets))
        return
    outer = c.block
    for lane, element in enumerate(split(c, value)):
        test = c.emit(word.TestOp(c.emit(word.ExtractOp(mask, lane))))
        c.block = Block()
        c.append(word.StoreOp(element, buffer, c.emit(word.ExtractOp(offsets, lane))))
        c.append(scf.YieldOp())
        on_true, c.block = Region(c.block), outer
        c.append(scf.IfOp(test, [], on_true))


HANDLERS: dict[type, Handler] = {
    vector.LoadOp: convert_load,
    vector.StoreOp: convert_store,
    vector.MaskedLoadOp: convert_masked_load,
    vector.MaskedStoreOp: convert_masked_store,
    vector.TransferReadOp: convert_transfer_read,
    vector.TransferWriteOp: convert_transfer_write,
    upstream.GatherOp: convert_gather,
    upstream.ScatterOp: convert_scatter,
}
