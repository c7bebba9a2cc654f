"""Words that lookups share, loaded once."""

from __future__ import annotations

from collections.abc import Container, Iterable

from xdsl.dialects.builtin import VectorType, i32
from xdsl.ir import SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.target import Target
from vliw_mlir.transforms.lookups.lookup import Lookup, Place, needed_words


class SharedLoads:
    """The words that lookups select among, each loaded once per place."""

    count: int
    """How many loads there are."""

    def __init__(self, lookups: Iterable[Lookup], target: Target):
        self.count = 0
        self._words: dict[tuple[Place, int], SSAValue] = {}
        self._broadcasts: dict[tuple[SSAValue, int], SSAValue] = {}
        for place, offsets in needed_words(lookups).items():
            for start, lanes in plan_loads(place[1], offsets, target):
                self._load(place, start, lanes, offsets)

    def value(self, lookup: Lookup, offset: int) -> SSAValue:
        """The word at an offset, in all lanes if the lookup has several."""
        found = self._words[lookup.place, offset]
        lanes = lookup.lanes
        if lanes is None:
            return found
        key = (found, lanes)
        if key not in self._broadcasts:
            broadcast = word.BroadcastOp(found, lanes)
            self._broadcasts[key] = BeforeOp(lookup.anchor).emit(broadcast)
        return self._broadcasts[key]

    def _load(self, place: Place, start: int, lanes: int | None, needed: Container[int]) -> None:
        anchor, buffer = place
        e = BeforeOp(anchor)
        type = i32 if lanes is None else VectorType(i32, [lanes])
        loaded = e.emit(word.LoadOp(buffer, e.constant(start), type))
        self.count += 1
        if lanes is None:
            self._words[place, start] = loaded
            return
        for lane in range(lanes):
            if start + lane in needed:
                self._words[place, start + lane] = e.emit(word.ExtractOp(loaded, lane))


def plan_loads(
    buffer: SSAValue, offsets: Iterable[int], target: Target
) -> list[tuple[int, int | None]]:
    """Loads that cover words of a buffer: the first offset and the lanes, None for a word.

    Vectors serve where they give more than one word and stay within the buffer.
    """
    size = buffer.type.words if isinstance(buffer.type, word.BufferType) else None
    has_vectors = size is not None and size >= target.vlen and bool(target.engines_for("vload"))
    plan: list[tuple[int, int | None]] = []
    rest = sorted(offsets)
    while rest:
        start = rest[0]
        if has_vectors and size is not None:
            start = min(start, size - target.vlen)
        covered = sum(offset < start + target.vlen for offset in rest)
        if has_vectors and covered > 1:
            plan.append((start, target.vlen))
            del rest[:covered]
        else:
            plan.append((rest.pop(0), None))
    return plan
