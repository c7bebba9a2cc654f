"""Taking vectors apart into lanes."""

from __future__ import annotations

from xdsl.ir import SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.lowering.std.converter import Converter


def lane_count(c: Converter, vector: SSAValue) -> int:
    """The number of lanes of a vector; fails for vectors that are not supported."""
    lanes = word.lanes_of(c.convert_type(vector.type))
    assert lanes is not None
    return lanes


def split(c: Converter, vector: SSAValue) -> list[SSAValue]:
    """The lanes of a converted vector as words."""
    return [c.emit(word.ExtractOp(vector, lane)) for lane in range(lane_count(c, vector))]


def lane_numbers(c: Converter, lanes: int) -> SSAValue:
    """The vector 0, 1, 2, …"""
    return c.emit(word.ConstantOp(range(lanes)))
