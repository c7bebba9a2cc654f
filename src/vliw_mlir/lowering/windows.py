"""Which values lie next to each other in scratch, so that windows over them need no moves.

`word.concat` and `word.from_elements` say that values are adjacent, `word.slice` and
`word.extract` that a value is a part of another one. Values that are adjacent, directly or
through others, get fixed places in one *row*, which is one register: coalescing of registers
with distances. A value has one place only; where a second one is asked for, and where a row would
get too long, a copy is made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Block, Region, SSAValue

from vliw_mlir.analysis.cfg import block_of
from vliw_mlir.analysis.dominance import RegionDominators
from vliw_mlir.dialects import word

SHARE_OF_SCRATCH = 6
"""Rows grow up to one part of so many of scratch: they need adjacent words, and where nothing is
scheduled they take all of them as long as one of their values is needed."""

MOST_PLACES = 4
"""How many places are tried for one concatenation."""


@dataclass(eq=False)
class Row:
    """Words at fixed distances from each other, numbered from anywhere."""

    low: int
    high: int
    """Words are used from `low` up to `high - 1`."""
    taken: set[int] = field(default_factory=set[int])
    """The words that something is written to."""
    values: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """The values that are in the row, and their first words."""
    blocks: set[Block] = field(default_factory=set[Block])
    """Where its words are written."""

    @property
    def words(self) -> int:
        return self.high - self.low


@dataclass(frozen=True)
class Place:
    """Where a value is."""

    row: Row
    word: int
    """Its first word."""


class Windows:
    """The places of values of a function of the SSA level, its control flow in blocks."""

    def __init__(self, region: Region, order: Sequence[Block], scratch: int):
        """`order` has the blocks of `region` such that definitions precede uses."""
        self._most_words = scratch // SHARE_OF_SCRATCH
        self._dominators = RegionDominators(region)
        self._rows: dict[SSAValue, Row] = {}
        for block in order:
            for op in block.ops:
                if isinstance(op, word.ConcatOp | word.FromElementsOp):
                    self._place_parts(op.results[0], list(parts_of(op)), block)

    def place(self, value: SSAValue) -> Place | None:
        """Where a value is; None if it has a register of its own."""
        source, lane = source_of(value)
        row = self._rows.get(source)
        return None if row is None else Place(row, row.values[source] + lane)

    def begins_with(self, row: Row, value: SSAValue) -> bool:
        """Whether nothing is written to a row before `value`, the first of its values in the
        order of the blocks, on any path."""
        block = block_of(value)
        return all(self._dominators.dominates(block, other) for other in row.blocks)

    # One concatenation

    def _place_parts(
        self, whole: SSAValue, parts: Sequence[tuple[int, SSAValue]], block: Block
    ) -> None:
        """Find a place for a concatenation, and for its parts there."""
        best = self._best_place(parts, words_of(whole))
        row, base = best.row, best.word
        self._grow(row, base, words_of(whole))
        self._set(whole, best)
        claim = range(base, base + words_of(whole))
        for number, part in parts:
            self._bring(part, Place(row, base + number), claim, parts)
        for number, part in parts:
            start = base + number
            if self.place(part) != Place(row, start):
                row.taken.update(range(start, start + words_of(part)))
                row.blocks.add(block)

    def _best_place(self, parts: Sequence[tuple[int, SSAValue]], words: int) -> Place:
        """The place at which most parts are already, if the others have room there."""
        counts: dict[tuple[Row, int], int] = {}
        for number, part in parts:
            found = self.place(part)
            if found is not None:
                key = found.row, found.word - number
                counts[key] = counts.get(key, 0) + words_of(part)
        for row, base in sorted(counts, key=lambda key: -counts[key])[:MOST_PLACES]:
            if self._has_room(row, base, parts, words):
                return Place(row, base)
        return Place(Row(0, words), 0)

    def _has_room(
        self, row: Row, base: int, parts: Sequence[tuple[int, SSAValue]], words: int
    ) -> bool:
        if not self._may_grow(row, base, words):
            return False
        return all(
            self.place(part) == Place(row, base + number)
            or row.taken.isdisjoint(range(base + number, base + number + words_of(part)))
            for number, part in parts
        )

    def _bring(
        self,
        part: SSAValue,
        to: Place,
        claim: range,
        parts: Sequence[tuple[int, SSAValue]],
    ) -> None:
        """Let a part be computed at a place if that is possible. Nothing else may get into the
        words that the concatenation claims."""
        found = self.place(part)
        if found is not None:
            if found.row is not to.row:
                self._merge(found.row, to.word - found.word, to.row, claim, parts)
            return
        source, lane = source_of(part)
        if not _is_movable(source):
            return
        own = range(to.word, to.word + words_of(part))
        start = to.word - lane
        span = range(start, start + words_of(source))
        if not self._may_grow(to.row, start, len(span)) or not to.row.taken.isdisjoint(span):
            return
        if any(number in claim and number not in own for number in span):
            return
        self._grow(to.row, start, len(span))
        to.row.taken.update(span)
        to.row.blocks.add(block_of(source))
        self._set(source, Place(to.row, start))

    def _merge(
        self,
        old: Row,
        shift: int,
        row: Row,
        claim: range,
        parts: Sequence[tuple[int, SSAValue]],
    ) -> None:
        """Move what is in a row to another one, if there is room for it."""
        if not self._may_grow(row, old.low + shift, old.words):
            return
        moved = {number + shift for number in old.taken}
        allowed = self._brought_into_place(old, shift, claim.start, parts)
        if not row.taken.isdisjoint(moved) or any(n in claim and n not in allowed for n in moved):
            return
        self._grow(row, old.low + shift, old.words)
        row.taken |= moved
        row.blocks |= old.blocks
        for value, start in old.values.items():
            self._set(value, Place(row, start + shift))

    def _brought_into_place(
        self, old: Row, shift: int, base: int, parts: Sequence[tuple[int, SSAValue]]
    ) -> Collection[int]:
        """The words of the parts that a shift of their row brings to their places."""
        words: set[int] = set()
        for number, part in parts:
            if self.place(part) == Place(old, base + number - shift):
                words.update(range(base + number, base + number + words_of(part)))
        return words

    # Rows

    def _set(self, value: SSAValue, place: Place) -> None:
        self._rows[value] = place.row
        place.row.values[value] = place.word

    def _may_grow(self, row: Row, start: int, words: int) -> bool:
        """Whether a row may have words from `start` on."""
        total = max(row.high, start + words) - min(row.low, start)
        return total <= max(self._most_words, row.words)

    def _grow(self, row: Row, start: int, words: int) -> None:
        row.low = min(row.low, start)
        row.high = max(row.high, start + words)


def source_of(value: SSAValue) -> tuple[SSAValue, int]:
    """The value that `value` is a part of, and the lane with which it begins there."""
    lane = 0
    while isinstance(value.owner, word.SliceOp | word.ExtractOp):
        lane += value.owner.lane.value.data
        value = value.owner.vector
    return value, lane


def parts_of(op: word.ConcatOp | word.FromElementsOp) -> Iterator[tuple[int, SSAValue]]:
    """The parts that are put together, with the lane of the result at which each begins."""
    number = 0
    for part in op.operands:
        yield number, part
        number += words_of(part)


def words_of(value: SSAValue) -> int:
    """Words of a register that a word or a vector takes."""
    return word.lanes_of(value.type) or 1


def _is_movable(value: SSAValue) -> bool:
    """Whether a value can be computed at any place.

    Constants are shared with others: a row would be needed as long as they are.
    """
    return isinstance(
        value.owner,
        word.ArithmeticOp | word.BroadcastOp | word.InsertOp | word.LoadOp | word.GatherOp,
    )
