"""Segments of memory that the loads in straight-line code read."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from vliw_mlir.abi.interface import SLACK_WORDS
from vliw_mlir.analysis.affine import Affine
from vliw_mlir.analysis.alias import Access, AliasAnalysis
from vliw_mlir.analysis.buffers import has_slack
from vliw_mlir.analysis.memory_cells import shape_of
from vliw_mlir.dialects import word
from vliw_mlir.semantics import to_signed


@dataclass(frozen=True)
class Read:
    """A load of words of a segment."""

    op: word.LoadOp
    access: Access
    first: int
    """The constant part of the offset, a signed number."""

    @property
    def end(self) -> int:
        """The number of the first word behind it."""
        return self.first + self.access.words


@dataclass(eq=False)
class Segment:
    """Adjacent words that are loaded, divided into blocks of VLEN words.

    Words are numbered by the constant parts of offsets, blocks from the first word on.
    """

    reads: list[Read]
    """By the first word."""
    end: int
    """The number of the first word behind the segment."""
    vlen: int

    @property
    def low(self) -> int:
        """The number of the first word."""
        return self.reads[0].first

    @property
    def shape(self) -> Hashable:
        return shape_of(self.reads[0].access)

    def blocks(self, first: int, end: int) -> range:
        """The blocks with words from `first` up to `end - 1`, be they in the segment or not."""
        return range((first - self.low) // self.vlen, -((self.low - end) // self.vlen))

    def start(self, block: int) -> int:
        """The number of the first word of a block."""
        return self.low + block * self.vlen

    def access(self, first: int, words: int) -> Access:
        """Words of this shape as an access."""
        like = self.reads[0].access
        assert like.offset is not None
        offset = like.offset + Affine(first - self.low)
        return Access(like.op, False, like.buffer, offset, words)

    def hull(self) -> Access:
        """All words of the blocks."""
        last = self.blocks(self.low, self.end)[-1]
        return self.access(self.low, self.start(last + 1) - self.low)


def segments_of(reads: Iterable[Read], vlen: int) -> list[Segment]:
    """Segments with a vector load at least, as long as possible."""
    shapes: dict[Hashable, list[Read]] = {}
    for read in reads:
        shapes.setdefault(shape_of(read.access), []).append(read)
    found: list[Segment] = []
    for members in shapes.values():
        segment: Segment | None = None
        for read in sorted(members, key=lambda read: read.first):
            if segment is None or read.first > segment.end:
                segment = Segment([], read.end, vlen)
                found.append(segment)
            segment.reads.append(read)
            segment.end = max(segment.end, read.end)
    return [s for s in found if any(read.access.words > 1 for read in s.reads)]


def read_of(op: word.LoadOp, analysis: AliasAnalysis) -> Read | None:
    """What a load reads, None if it cannot be part of a segment."""
    access = analysis.access(op)
    if access.offset is None:
        return None
    return Read(op, access, to_signed(access.offset.constant))


def may_load_beyond(segment: Segment, analysis: AliasAnalysis) -> bool:
    """Whether the last block may be loaded although the segment ends within it.

    There is slack behind the data of the caller.
    """
    last = segment.blocks(segment.low, segment.end)[-1]
    access = segment.access(segment.start(last), segment.vlen)
    if segment.start(last + 1) <= segment.end or analysis.is_in_bounds(access):
        return True
    return has_slack(access.buffer) and segment.vlen <= SLACK_WORDS
