"""Work across the lanes of a vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import Emitter
from vliw_mlir.semantics import REDUCTIONS


def lanes_of(e: Emitter, vector: SSAValue) -> list[SSAValue]:
    """The words of a vector."""
    return [e.emit(word.ExtractOp(vector, lane)) for lane in range(word.lanes_of(vector.type) or 0)]


def combine_all(e: Emitter, function: str, values: Sequence[SSAValue]) -> SSAValue:
    """All values combined by an associative function, as a balanced tree."""
    while len(values) > 1:
        pairs = zip(values[::2], values[1::2], strict=False)
        odd = values[len(values) // 2 * 2 :]
        values = [*(e.function(function, a, b) for a, b in pairs), *odd]
    return values[0]


def shift_in(e: Emitter, vector: SSAValue, *words: SSAValue) -> SSAValue:
    """The words, then the lanes of `vector` as far as there is room."""
    lanes = lanes_of(e, vector)
    return e.emit(word.FromElementsOp([*words, *lanes[: len(lanes) - len(words)]]))


@dataclass(frozen=True)
class Scanned:
    """A vector of which each lane combines the lanes up to it, and its last lane."""

    vector: SSAValue
    last: SSAValue


def scan_lanes(e: Emitter, function: str, vector: SSAValue, *, as_vector: bool) -> Scanned:
    """Combine the lanes of a vector, each with all before it, by an associative function.

    Either lane by lane, or by vector operations on shifted vectors (Hillis and Steele, "Data
    parallel algorithms", 1986): fewer of these, but more work in all.
    """
    if as_vector:
        return _scan_by_shifting(e, function, vector)
    lanes = lanes_of(e, vector)
    for lane in range(1, len(lanes)):
        lanes[lane] = e.function(function, lanes[lane - 1], lanes[lane])
    return Scanned(e.emit(word.FromElementsOp(lanes)), lanes[-1])


def _scan_by_shifting(e: Emitter, function: str, vector: SSAValue) -> Scanned:
    lanes = word.lanes_of(vector.type) or 1
    neutral = e.constant(REDUCTIONS[function])
    distance = 1
    while distance < lanes:
        vector = e.function(function, shift_in(e, vector, *[neutral] * distance), vector)
        distance *= 2
    return Scanned(vector, e.emit(word.ExtractOp(vector, lanes - 1)))
