"""How counters of loops move from one iteration to another, whatever the bounds."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, SSAValue

from vliw_mlir.abi.interface import SLACK_WORDS
from vliw_mlir.analysis.affine import Affine
from vliw_mlir.analysis.alias import Access, AliasAnalysis
from vliw_mlir.analysis.loops import (
    constant_bounds,
    constant_signed,
    counter_of,
    is_defined_in,
)
from vliw_mlir.analysis.strided_interval import StridedInterval, single
from vliw_mlir.dialects import word
from vliw_mlir.semantics import WORD_BITS

MODULUS = 1 << WORD_BITS

LARGEST_BUFFER = MODULUS - SLACK_WORDS
"""Words of the largest buffer: all of memory has addresses, and there is slack behind it."""


@dataclass(frozen=True)
class LoopFacts:
    """What is known of the iterations of a counted loop."""

    counter: SSAValue
    counters: StridedInterval
    """A superset of what the counter is."""
    step: int | None
    """By how much it grows, signed; None if that is not known."""
    wraps: bool
    """Whether the counter may wrap around."""
    most: int
    """The most iterations from one to another."""

    @property
    def ends(self) -> bool:
        """Whether the loop surely ends."""
        return self.step == 1 or not self.wraps

    def difference(self, first: int, second: int, distances: tuple[int, int]) -> StridedInterval:
        """What `second` times the counter of an iteration may be more than `first` times that
        of another one, which comes a number of iterations from `distances` before it.

        No distance is larger than `most`.
        """
        low, high = distances
        if low == high == 0:
            return self.counters.scaled(second - first)
        if self.step is not None and first == second:
            moved = StridedInterval(low, high, 1 if high > low else 0)
            return moved.scaled(second * self.step)
        if self.step is None or self.wraps:
            return self.counters.scaled(second) + self.counters.scaled(-first)
        step = self.step
        # The distance and the counter at first form a polygon, which has its corners here.
        corners: list[int] = []
        for distance in {low, high, max(low, min(0, high))}:
            start, end = self.counters.low, self.counters.high
            move = distance * step
            for counter in (max(start, start - move), min(end, end - move)):
                corners.append(second * (counter + move) - first * counter)
        stride = gcd((second - first) * self.counters.step, second * step)
        return _strided(min(corners), max(corners), stride, corners[0])


def _strided(low: int, high: int, step: int, member: int) -> StridedInterval:
    """The numbers from `low` to `high` that are steps away from `member`."""
    if step == 0 or low == high:
        return single(member) if step == 0 else StridedInterval(low, high, 0)
    low += (member - low) % step
    high -= (high - member) % step
    return StridedInterval(low, high, step if high > low else 0)


def loop_facts(loop: scf.ForOp, aliases: AliasAnalysis) -> LoopFacts:
    """What is known of the iterations of `loop`."""
    counter = counter_of(loop)
    counters = aliases.interval(Affine(0, {counter: 1}))
    step = constant_signed(loop.step)
    bounds = constant_bounds(loop)
    if bounds is not None:
        return LoopFacts(counter, counters, step, False, max(bounds.trips - 1, 0))
    if step is None or step == 0:
        return LoopFacts(counter, counters, step, True, MODULUS)
    span = counters.high - counters.low
    wraps = step < 0 or span + step >= MODULUS
    most = min([MODULUS if wraps else span // step, *_bounds_by_accesses(loop, step, aliases)])
    return LoopFacts(counter, counters, step, wraps, most)


def _bounds_by_accesses(loop: scf.ForOp, step: int, aliases: AliasAnalysis) -> list[int]:
    """Bounds of how many iterations there are besides one, since subscripts stay in buffers.

    An offset that moves in each iteration by less than what a buffer leaves of all addresses
    cannot wrap around without leaving the buffer.
    """
    bounds: list[int] = []
    for op in _always_executed(loop):
        access = aliases.access(op)
        moved = abs(_advance(access, loop) * step)
        type = access.buffer.type
        assert isinstance(type, word.BufferType)
        size = LARGEST_BUFFER if type.words is None else type.words
        if 0 < moved <= MODULUS - size:
            bounds.append(max(size - access.words, 0) // moved)
    return bounds


def _always_executed(loop: scf.ForOp) -> list[word.AccessOp]:
    """Accesses that happen in every iteration of `loop`."""
    found: list[word.AccessOp] = []
    pending = [loop]
    while pending:
        for op in pending.pop().body.block.ops:
            if isinstance(op, word.AccessOp):
                found.append(op)
            elif isinstance(op, scf.ForOp):
                bounds = constant_bounds(op)
                if bounds is not None and bounds.trips:
                    pending.append(op)
    return found


def _advance(access: Access, loop: scf.ForOp) -> int:
    """What an offset moves by when the counter of `loop` grows by 1, as seen in the first
    iteration of all loops within; 0 if that is not known."""
    if access.offset is None or is_defined_in(access.buffer, loop):
        return 0
    if any(is_defined_in(v, loop) and not _is_counter(v) for v in access.offset.terms):
        return 0
    return access.offset.coefficient(counter_of(loop))


def _is_counter(value: SSAValue) -> bool:
    return (
        isinstance(value, BlockArgument)
        and value.index == 0
        and isinstance(value.block.parent_op(), scf.ForOp)
    )
