"""Conversion of `vector` on vectors of one dimension; memory accesses are in `vector_memory`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import vector
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr
from xdsl.ir import SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.dialects.upstream import vector as upstream
from vliw_mlir.lowering.std import vector_memory
from vliw_mlir.lowering.std.converter import Converter, Handler, Index
from vliw_mlir.lowering.std.indexing import mixed
from vliw_mlir.lowering.std.integers import binary
from vliw_mlir.lowering.std.lanes import lane_count, lane_numbers, split
from vliw_mlir.semantics import WORD_BITS


def convert_broadcast(c: Converter, op: vector.BroadcastOp) -> None:
    lanes = lane_count(c, op.vector)
    source = c.get(op.source)
    source_lanes = word.lanes_of(source.type)
    if source_lanes == lanes:
        c.replace(source)
        return
    if source_lanes is not None:
        if source_lanes != 1:
            c.fail(f"cannot broadcast {op.source.type} to {op.vector.type}")
        (source,) = split(c, source)
    c.replace(c.emit(word.BroadcastOp(source, lanes)))


def convert_splat(c: Converter, op: upstream.SplatOp) -> None:
    c.replace(c.emit(word.BroadcastOp(c.get(op.input), lane_count(c, op.aggregate))))


def convert_step(c: Converter, op: upstream.StepOp) -> None:
    c.replace(lane_numbers(c, lane_count(c, op.result)))


def convert_same(c: Converter, op: upstream.ShapeCastOp | upstream.TransposeOp) -> None:
    """With one dimension there is one shape for the same elements in the same order."""
    c.convert_type(op.result.type)
    c.replace(c.get(op.operands[0]))


def convert_bitcast(c: Converter, op: vector.BitcastOp) -> None:
    if c.width(op.source) != c.width(op.result):
        c.fail(f"cannot bitcast {op.source.type} to {op.result.type}: the widths differ")
    c.replace(c.get(op.source))


# Single lanes


def convert_extract(c: Converter, op: vector.ExtractOp) -> None:
    source = c.get(op.vector)
    positions = mixed(c, op.static_position.get_values(), op.dynamic_position)
    c.replace(_extract(c, source, positions[0]) if positions else source)


def convert_insert(c: Converter, op: vector.InsertOp) -> None:
    source, dest = c.get(op.source), c.get(op.dest)
    positions = mixed(c, op.static_position.get_values(), op.dynamic_position)
    c.replace(_insert(c, source, dest, positions[0]) if positions else source)


def convert_extractelement(c: Converter, op: upstream.ExtractElementOp) -> None:
    c.replace(_extract(c, c.get(op.vector), _position(c, op.position)))


def convert_insertelement(c: Converter, op: upstream.InsertElementOp) -> None:
    position = _position(c, op.position)
    c.replace(_insert(c, c.get(op.source), c.get(op.dest), position))


def _position(c: Converter, value: SSAValue | None) -> Index:
    return 0 if value is None else c.index(value)


def _extract(c: Converter, vector: SSAValue, position: Index) -> SSAValue:
    if isinstance(position, int):
        return c.emit(word.ExtractOp(vector, _checked(c, vector, position)))
    # No memory: the lane that the position names, all others 0, and no lane outside.
    chosen = c.function("select", _is_lane(c, vector, position), vector, c.splat(0, vector))
    return _reduce(c, "or", split(c, chosen), WORD_BITS)


def _insert(c: Converter, element: SSAValue, vector: SSAValue, position: Index) -> SSAValue:
    if isinstance(position, int):
        return c.emit(word.InsertOp(element, vector, _checked(c, vector, position)))
    spread = c.broadcast(element, vector)
    return c.function("select", _is_lane(c, vector, position), spread, vector)


def _is_lane(c: Converter, vector: SSAValue, position: SSAValue) -> SSAValue:
    """A mask that holds at the lane of `vector` with the number `position`."""
    numbers = lane_numbers(c, lane_count(c, vector))
    return c.function("eq", numbers, c.broadcast(position, numbers))


def _checked(c: Converter, vector: SSAValue, lane: int) -> int:
    lanes = lane_count(c, vector)
    if not 0 <= lane < lanes:
        c.fail(f"there is no lane {lane} in a vector of {lanes} lanes")
    return lane


# All lanes


def convert_from_elements(c: Converter, op: upstream.FromElementsOp) -> None:
    c.convert_type(op.dest.type)
    c.replace(c.emit(word.FromElementsOp(c.get_all(op.elements))))


def convert_to_elements(c: Converter, op: upstream.ToElementsOp) -> None:
    c.replace(*split(c, c.get(op.source)))


def convert_extract_strided_slice(c: Converter, op: upstream.ExtractStridedSliceOp) -> None:
    first, count = _only(op.offsets), lane_count(c, op.result)
    lanes = split(c, c.get(op.vector))[first : first + count]
    c.replace(c.emit(word.FromElementsOp(lanes)))


def convert_insert_strided_slice(c: Converter, op: upstream.InsertStridedSliceOp) -> None:
    first, lanes = _only(op.offsets), split(c, c.get(op.dest))
    part = split(c, c.get(op.valueToStore))
    lanes[first : first + len(part)] = part
    c.replace(c.emit(word.FromElementsOp(lanes)))


def _only(values: ArrayAttr[IntegerAttr]) -> int:
    """The entry of a list with one entry per dimension of a vector; 0 when it is left out."""
    return values.data[0].value.data if values.data else 0


def convert_shuffle(c: Converter, op: vector.ShuffleOp) -> None:
    lanes = [*split(c, c.get(op.v1)), *split(c, c.get(op.v2))]
    # A lane of -1 may hold anything.
    picked = [lanes[max(number, 0)] for number in op.mask.get_values()]
    c.replace(c.emit(word.FromElementsOp(picked)))


REDUCTION_FUNCTION: dict[vector.CombiningKindFlag, str] = {
    vector.CombiningKindFlag.ADD: "add",
    vector.CombiningKindFlag.MUL: "mul",
    vector.CombiningKindFlag.MINUI: "minu",
    vector.CombiningKindFlag.MINSI: "mins",
    vector.CombiningKindFlag.MAXUI: "maxu",
    vector.CombiningKindFlag.MAXSI: "maxs",
    vector.CombiningKindFlag.AND: "and",
    vector.CombiningKindFlag.OR: "or",
    vector.CombiningKindFlag.XOR: "xor",
}
"""The word function of each kind of reduction of integers."""


def convert_reduction(c: Converter, op: vector.ReductionOp) -> None:
    c.replace(_reduction(c, op.kind.data, op.vector, op.acc))


def convert_multi_reduction(c: Converter, op: upstream.MultiDimReductionOp) -> None:
    if op.reduction_dims:
        c.replace(_reduction(c, op.kind.data, op.source, op.acc))
        return
    function, width = _reduction_function(c, op.kind.data, op.source), c.width(op.source)
    c.replace(binary(c, function, c.get(op.source), c.get(op.acc), width))


def _reduction(
    c: Converter, kind: vector.CombiningKindFlag, source: SSAValue, acc: SSAValue | None
) -> SSAValue:
    function, width = _reduction_function(c, kind, source), c.width(source)
    result = _reduce(c, function, split(c, c.get(source)), width)
    return result if acc is None else binary(c, function, result, c.get(acc), width)


def _reduction_function(c: Converter, kind: vector.CombiningKindFlag, source: SSAValue) -> str:
    function = REDUCTION_FUNCTION.get(kind)
    if function is None:
        c.fail(f"a reduction of kind {kind} is not supported on {source.type}")
    return function


def _reduce(c: Converter, function: str, values: Sequence[SSAValue], width: int) -> SSAValue:
    """Combine values pairwise, so that few combinations wait for each other."""
    while len(values) > 1:
        pairs = zip(values[::2], values[1::2], strict=False)
        combined = [binary(c, function, a, b, width) for a, b in pairs]
        values = [*combined, *values[len(combined) * 2 :]]
    return values[0]


def convert_create_mask(c: Converter, op: vector.CreateMaskOp) -> None:
    numbers = lane_numbers(c, lane_count(c, op.mask_vector))
    (size,) = c.get_all(op.mask_dim_sizes)
    c.replace(c.function("slt", numbers, c.broadcast(size, numbers)))


def convert_constant_mask(c: Converter, op: upstream.ConstantMaskOp) -> None:
    lanes, (size,) = lane_count(c, op.result), op.mask_dim_sizes.get_values()
    c.replace(c.emit(word.ConstantOp([int(lane < size) for lane in range(lanes)])))


HANDLERS: dict[type, Handler] = {
    vector.BroadcastOp: convert_broadcast,
    upstream.SplatOp: convert_splat,
    upstream.StepOp: convert_step,
    upstream.ShapeCastOp: convert_same,
    upstream.TransposeOp: convert_same,
    vector.BitcastOp: convert_bitcast,
    vector.ExtractOp: convert_extract,
    vector.InsertOp: convert_insert,
    upstream.ExtractElementOp: convert_extractelement,
    upstream.InsertElementOp: convert_insertelement,
    upstream.FromElementsOp: convert_from_elements,
    upstream.ToElementsOp: convert_to_elements,
    upstream.ExtractStridedSliceOp: convert_extract_strided_slice,
    upstream.InsertStridedSliceOp: convert_insert_strided_slice,
    vector.ShuffleOp: convert_shuffle,
    vector.ReductionOp: convert_reduction,
    upstream.MultiDimReductionOp: convert_multi_reduction,
    vector.CreateMaskOp: convert_create_mask,
    upstream.ConstantMaskOp: convert_constant_mask,
    **vector_memory.HANDLERS,
}
