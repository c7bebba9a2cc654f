"""Conversion of `vector` on vectors of one dimension; memory accesses are in `vector_memory`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import vector
from xdsl.ir import SSAValue

from vliw_mlir.dialects import word
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


# Single lanes


def convert_extract(c: Converter, op: vector.ExtractOp) -> None:
    source = c.get(op.vector)
    positions = mixed(c, op.static_position.get_values(), op.dynamic_position)
    c.replace(_extract(c, source, positions[0]) if positions else source)


def convert_insert(c: Converter, op: vector.InsertOp) -> None:
    source, dest = c.get(op.source), c.get(op.dest)
    positions = mixed(c, op.static_position.get_values(), op.dynamic_position)
    c.replace(_insert(c, source, dest, positions[0]) if positions else source)


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
    width = c.width(op.vector)
    function = REDUCTION_FUNCTION.get(op.kind.data)
    if function is None:
        c.fail(f"a reduction of kind {op.kind.data} is not supported on {op.vector.type}")
    result = _reduce(c, function, split(c, c.get(op.vector)), width)
    if op.acc is not None:
        result = binary(c, function, result, c.get(op.acc), width)
    c.replace(result)


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


def convert_bitcast(c: Converter, op: vector.BitcastOp) -> None:
    if c.width(op.source) != c.width(op.result):
        c.fail(f"cannot bitcast {op.source.type} to {op.result.type}: the widths differ")
    c.replace(c.get(op.source))


HANDLERS: dict[type, Handler] = {
    vector.BroadcastOp: convert_broadcast,
    vector.ExtractOp: convert_extract,
    vector.InsertOp: convert_insert,
    vector.ShuffleOp: convert_shuffle,
    vector.ReductionOp: convert_reduction,
    vector.CreateMaskOp: convert_create_mask,
    vector.BitcastOp: convert_bitcast,
    **vector_memory.HANDLERS,
}
