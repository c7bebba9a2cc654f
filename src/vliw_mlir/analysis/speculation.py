"""What the operations of a region do when they are executed whatever the condition for it is.

What a condition around them says of values then holds no longer, so that they are looked at
anew, from what is known outside of the region.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from vliw_mlir.analysis.affine import AffineForms
from vliw_mlir.analysis.alias import Access, access_of, words_within
from vliw_mlir.analysis.iterations import LARGEST_BUFFER, MODULUS
from vliw_mlir.analysis.ranges import Ranges
from vliw_mlir.analysis.strided_interval import StridedInterval, from_words, single
from vliw_mlir.analysis.transfer import transfer
from vliw_mlir.analysis.word_sets import TOP, WordSet, hull
from vliw_mlir.dialects import word
from vliw_mlir.semantics import to_signed


class Speculation:
    """What is known of values when the regions of `op`, which have no regions inside, are
    executed without its condition."""

    def __init__(self, op: Operation, ranges: Ranges, forms: AffineForms):
        self._block = op.parent
        self._ranges = ranges
        self._forms = forms
        self._sets: dict[SSAValue, WordSet] = {}
        for region in op.regions:
            for inner in region.walk():
                for result in inner.results:
                    self._sets[result] = self._computed(inner)

    def words(self, value: SSAValue) -> WordSet:
        """The words that a value, or the lanes of one, can be."""
        found = self._sets.get(value)
        return self._ranges.at(value, self._block) if found is None else found

    def _computed(self, op: Operation) -> WordSet:
        match op:
            case word.ConstantOp():
                return hull(op.words())
            case word.ArithmeticOp():
                return transfer(op.function.name, *map(self.words, op.operands))
            case word.BroadcastOp() | word.ExtractOp() | word.SliceOp():
                return self.words(op.operands[0])
            case word.LoadOp() | word.GatherOp():
                return self._ranges.content(op.buffer)
            case _:
                return TOP

    def is_nonzero(self, value: SSAValue) -> bool:
        """Whether a value, or each lane of it, is never 0."""
        return 0 not in self.words(value)

    def is_in_bounds(self, op: word.AccessOp) -> bool:
        """Whether an access lies within its buffer, of which the size is known."""
        access = access_of(op, self._forms)
        size = size_of(access)
        if size is None:
            return False
        places = self._places(access)
        return places is not None and places.low >= 0 and places.high + access.words <= size

    def _places(self, access: Access) -> StridedInterval | None:
        """The offsets from its root at which an access may begin."""
        if access.offset is None:
            op = access.op
            assert isinstance(op, word.GatherOp | word.ScatterOp)
            is_root = op.buffer is access.buffer and op.absolute is None
            return from_words(self.words(op.offsets)) if is_root else None
        total = single(to_signed(access.offset.constant))
        for value, factor in access.offset.terms.items():
            total += from_words(self.words(value)).scaled(to_signed(factor))
        return total


def size_of(access: Access) -> int | None:
    """The words of the buffer that an access goes to, if that is known."""
    type = access.buffer.type
    assert isinstance(type, word.BufferType)
    return type.words


Place = tuple[SSAValue, frozenset[tuple[SSAValue, int]]]
"""A buffer, and the terms of an offset within it."""


@dataclass
class ValidPlaces:
    """Words that can be accessed: because they are, before or behind, in all cases."""

    outer: ValidPlaces | None = None
    """What is valid around."""
    spans: dict[Place, tuple[int, int]] = field(default_factory=dict[Place, tuple[int, int]])
    """For each place, the constants that may be added: all from the first up to the second."""

    def add(self, access: Access) -> None:
        """Let the words of an access be valid, and those between it and others."""
        if access.offset is None:
            return
        place = access.buffer, frozenset(access.offset.terms.items())
        low = to_signed(access.offset.constant)
        high = low + words_within(access)
        known = self.spans.get(place, (low, high))
        span = min(low, known[0]), max(high, known[1])
        # What lies between two words of a buffer does, unless they lie around its ends.
        size = size_of(access) or LARGEST_BUFFER
        self.spans[place] = span if span[1] - span[0] <= MODULUS - size else (low, high)

    def contains(self, access: Access) -> bool:
        """Whether all words of an access are valid."""
        if access.offset is None:
            return False
        place = access.buffer, frozenset(access.offset.terms.items())
        low = to_signed(access.offset.constant)
        span = self.spans.get(place)
        if span is not None and span[0] <= low and low + access.words <= span[1]:
            return True
        return self.outer is not None and self.outer.contains(access)


def valid_places(ops: Iterable[Operation], forms: AffineForms) -> ValidPlaces:
    """What a sequence of operations accesses if it is executed."""
    found = ValidPlaces()
    for op in ops:
        if isinstance(op, word.AccessOp):
            found.add(access_of(op, forms))
    return found
