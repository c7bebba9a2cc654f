"""Work across the lanes of vectors."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import Emitter


def lanes_of(e: Emitter, vector: SSAValue) -> list[SSAValue]:
    """The words of a vector."""
    return [e.emit(word.ExtractOp(vector, lane)) for lane in range(_count(vector))]


def last_lane(e: Emitter, vector: SSAValue) -> SSAValue:
    """The last word of a vector."""
    return e.emit(word.ExtractOp(vector, _count(vector) - 1))


def combine_all(e: Emitter, function: str, values: Sequence[SSAValue]) -> SSAValue:
    """All values combined by an associative function, as a balanced tree."""
    while len(values) > 1:
        pairs = zip(values[::2], values[1::2], strict=False)
        odd = values[len(values) // 2 * 2 :]
        values = [*(e.function(function, a, b) for a, b in pairs), *odd]
    return values[0]


def earlier_lanes(
    e: Emitter, before: SSAValue, vectors: Sequence[SSAValue], distance: int
) -> list[SSAValue]:
    """For each lane of some vectors, which follow a vector `before`, the one `distance` before
    it: windows, which take no instructions."""
    found: list[SSAValue] = []
    for vector in vectors:
        both = e.emit(word.ConcatOp([before, vector]))
        lanes = _count(vector)
        found.append(e.emit(word.SliceOp(both, lanes - distance, lanes)))
        before = vector
    return found


def _count(vector: SSAValue) -> int:
    lanes = word.lanes_of(vector.type)
    assert lanes is not None
    return lanes
