"""Which accesses of memory in a loop may touch words that earlier iterations touch.

For loops of one block. Where offsets advance by a constant in each iteration, the number of
iterations between two accesses of the same word is known.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from xdsl.ir import Block

from vliw_mlir.analysis.advances import Advances
from vliw_mlir.analysis.alias import Access, AliasAnalysis
from vliw_mlir.analysis.cfg import block_of
from vliw_mlir.analysis.memory_cells import shape_of
from vliw_mlir.dialects import word
from vliw_mlir.semantics import SIGN_BIT, to_signed

MOST_ACCESSES = 512
"""With more accesses in a loop nothing is found out."""

MOST_PAIRS = 20_000
"""Nor if more of them may touch the same words."""

FURTHEST = 1 << 10
"""So many iterations apart, accesses have nothing to do with each other: that many are never
under way at once."""


class CarriedAccess(NamedTuple):
    """Two accesses that may touch the same word, the second one some iterations later."""

    first: Access
    second: Access
    distance: int
    """The fewest iterations that may be between them, at least 1."""


def carried_accesses(block: Block, aliases: AliasAnalysis) -> list[CarriedAccess] | None:
    """The pairs of accesses in a block that branches to itself, of which one or both write, that
    may touch the same word in different iterations; None if there are too many."""
    groups: dict[Hashable, list[Access]] = {}
    for op in block.ops:
        if isinstance(op, word.AccessOp) or (isinstance(op, word.AllocOp) and op.init):
            access = aliases.access(op)
            groups.setdefault(shape_of(access), []).append(access)
    if sum(map(len, groups.values())) > MOST_ACCESSES:
        return None
    finder = _Finder(block, aliases)
    found: list[CarriedAccess] = []
    for group, other in product(groups.values(), repeat=2):
        found += finder.between(group, other)
        if len(found) > MOST_PAIRS:
            return None
    return found


class _Finder:
    def __init__(self, block: Block, aliases: AliasAnalysis):
        self._block = block
        self._aliases = aliases
        self._advances = Advances(block, aliases)

    def between(self, group: Sequence[Access], other: Sequence[Access]) -> Iterator[CarriedAccess]:
        """The pairs of accesses of two groups, each of which is of one shape."""
        if not any(access.writes for access in (*group, *other)) or self._are_distinct(
            group[0], other[0]
        ):
            return
        is_same = self._is_same_buffer(group[0], other[0])
        advance = self._common_advance(group[0], other[0]) if is_same else None
        for first, second in product(group, other):
            if not first.writes and not second.writes:
                continue
            distance = self._distance(first, second, advance)
            if distance == 1 and is_same and self._aliases.are_apart(first, second):
                distance = None
            if distance is not None:
                yield CarriedAccess(first, second, distance)

    def _are_distinct(self, first: Access, second: Access) -> bool:
        return self._aliases.is_distinct(first.buffer, second.buffer)

    def _is_same_buffer(self, first: Access, second: Access) -> bool:
        """Whether both go to the same buffer, and it is the same in all iterations."""
        buffer = first.buffer
        is_fixed = block_of(buffer) is not self._block or isinstance(buffer.owner, word.AllocOp)
        return buffer is second.buffer and is_fixed

    def _common_advance(self, first: Access, second: Access) -> int | None:
        """By how much both offsets grow in each iteration if they differ by a constant; None if
        they do not, or if that is not known."""
        if first.offset is None or second.offset is None:
            return None
        is_same_shape = (second.offset - first.offset).is_constant
        return self._advances.of(first.offset) if is_same_shape else None

    def _distance(self, first: Access, second: Access, advance: int | None) -> int | None:
        """After how many iterations `second` may touch a word that `first` has touched, if both
        offsets grow by `advance`; None for never."""
        if advance is None or first.offset is None or second.offset is None:
            return 1
        start = to_signed(second.offset.constant - first.offset.constant)
        words = max(first.words, second.words)
        if abs(start) + FURTHEST * abs(advance) >= SIGN_BIT - words:
            return 1
        return _first_meeting(start, advance, 1 - second.words, first.words - 1)


def _first_meeting(start: int, advance: int, low: int, high: int) -> int | None:
    """The least number d of iterations from 1 on for which `start + d * advance` is in low..high,
    None if there is none that matters."""
    if advance == 0:
        return 1 if low <= start <= high else None
    if advance < 0:
        start, advance, low, high = -start, -advance, -high, -low
    distance = max(1, -((start - low) // advance))
    is_met = low <= start + distance * advance <= high
    return distance if is_met and distance <= FURTHEST else None
