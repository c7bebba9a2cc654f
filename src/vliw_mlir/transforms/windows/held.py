"""What was loaded and waits for further uses."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

from vliw_mlir.analysis.alias import Access, AliasAnalysis
from vliw_mlir.analysis.memory_cells import shape_of
from vliw_mlir.semantics import to_signed
from vliw_mlir.transforms.windows.segments import Segment

MOST_SEGMENTS = 24
"""Of how many segments blocks are held at a time. This bounds the comparisons."""

T = TypeVar("T")


class HeldBlocks(Generic[T]):
    """Blocks of segments with something known of each; a cache with the last used ones."""

    def __init__(self, analysis: AliasAnalysis, most_blocks: int):
        self._analysis = analysis
        self._most_blocks = most_blocks
        self._blocks: OrderedDict[tuple[Segment, int], T] = OrderedDict()
        self._numbers: OrderedDict[Segment, set[int]] = OrderedDict()

    def use(self, segment: Segment, number: int) -> T | None:
        """What is known of a block, which counts as used now; None if it is not held."""
        found = self._blocks.get((segment, number))
        if found is not None:
            self._blocks.move_to_end((segment, number))
        return found

    def add(self, segment: Segment, number: int, known: T) -> None:
        """Hold a block."""
        self._blocks[segment, number] = known
        self._numbers.setdefault(segment, set()).add(number)

    def shrink(self) -> None:
        """Drop blocks that were not used for long, if there are too many."""
        while len(self._blocks) > self._most_blocks:
            self._drop(*next(iter(self._blocks)))
        while len(self._numbers) > MOST_SEGMENTS:
            self._drop_all(next(iter(self._numbers)))

    def forget(self, access: Access) -> None:
        """Drop the blocks with words that an access may change."""
        for segment in list(self._numbers):
            if access.offset is not None and shape_of(access) == segment.shape:
                first = to_signed(access.offset.constant)
                for number in segment.blocks(first, first + access.words):
                    if (segment, number) in self._blocks:
                        self._drop(segment, number)
            elif self._analysis.may_overlap(access, segment.hull()):
                self._drop_all(segment)

    def _drop(self, segment: Segment, number: int) -> None:
        del self._blocks[segment, number]
        self._numbers[segment].remove(number)
        if not self._numbers[segment]:
            del self._numbers[segment]

    def _drop_all(self, segment: Segment) -> None:
        for number in list(self._numbers[segment]):
            self._drop(segment, number)
