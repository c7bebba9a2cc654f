"""Estimates of the time that a loop takes when it is unrolled.

A block takes about as long as its slots or the values that one iteration hands to the next
allow; and the time from its first to its last operation once more: in every iteration, unless the
iterations of the loop are going to overlap (software pipelining). Then a whole number of cycles
lies between them, which copies of the body may share.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TypeAlias

from xdsl.dialects import scf
from xdsl.ir import SSAValue

from vliw_mlir.analysis.affine import AffineForms
from vliw_mlir.analysis.alias import access_of
from vliw_mlir.analysis.bounds import counting_work, expected_trips, straight_line_work
from vliw_mlir.analysis.loops import constant_bounds, constant_signed, counter_of
from vliw_mlir.analysis.pressure import block_pressure
from vliw_mlir.analysis.resource_bound import Work, resource_bound
from vliw_mlir.dialects import word
from vliw_mlir.semantics import to_signed
from vliw_mlir.target import Target

BRANCH_CYCLES = 2
"""From the end of one iteration of a loop to the start of the next one: the counter is tested,
and the jump taken."""

RAMP_CYCLES = 10
"""What a block takes longer than its slots allow when there is no longer path through it: not
all engines have something to do at its start and at its end."""

COPIES_TO_OVERLAP = 3
"""So many copies of a body need room in scratch for what they compute, for copies to overlap:
one ends, one begins, and one is in between."""

DIVIDING_CYCLES = 8
"""What it takes to find out how many iterations of a loop belong together."""

LIKELY = (0.25, 1, 4, 16)
"""Where the number of iterations is not known, it may as well be so many times the expected."""

MANY = 64
"""Nor is it rare that a loop runs so many times as often; then it matters what an iteration takes
when iterations overlap."""

Factor: TypeAlias = int | None
"""How many iterations become one; None for all of them."""


@dataclass
class Shape:
    """Operations, as far as the time that they take is concerned."""

    ops: int = 0
    work: Work = field(default_factory=Work)
    path: int = 0
    """The time from the first to the last operation if there were slots for all."""
    chain: int = 0
    """Of that, the time from values carried into an iteration to those carried out of it."""
    updates: int = 0
    """How many updates of words of memory there are that may be the same, one after another."""
    update: int = 0
    """Cycles from the beginning of an update to that of the next one if it has to see it."""
    is_straight: bool = True
    """Whether all of them are, or are going to be, in one block."""


class Times:
    """Estimates for one loop."""

    def __init__(self, loop: scf.ForOp, body: Shape, target: Target, *, pipelined: bool):
        """`pipelined` tells whether the iterations of loops overlap where that is possible."""
        bounds = constant_bounds(loop)
        self._is_known = bounds is not None
        expected = expected_trips(loop)
        self._trips = [expected * n for n in LIKELY] if bounds is None else [bounds.trips]
        self._body = body
        self._target = target
        slots = resource_bound(body.work, target.slots).cycles
        self._each = max(slots, body.chain)
        self._once = max(body.path - self._each, min(body.path, RAMP_CYCLES))
        has_room = block_pressure(loop.body.block) * COPIES_TO_OVERLAP <= target.scratch
        if not has_room:
            self._each, self._once = self._each + self._once, 0
        # Chains are often shorter in the end: what comes later takes sums apart.
        is_open = bounds is None and body.chain <= max(slots, 1) and not _is_seen(loop)
        self.overlap = pipelined and has_room and is_open
        """Whether iterations are taken to overlap."""
        if self.overlap:
            self._trips.append(expected * MANY)
        self._rows = list(_rows(loop)) if self.overlap else []

    def ratios(self, factors: Sequence[Factor]) -> list[float]:
        """For each factor, how many times as long as with the best one it takes.

        The mean over the numbers of iterations that there may be; of all of them together if
        iterations overlap, as then even a few take little time without copies.
        """
        times = [[self._time(factor, trips) for trips in self._trips] for factor in factors]
        if self.overlap:
            totals = list(map(sum, times))
            return [total / min(totals) for total in totals]
        least = [min(column) for column in zip(*times, strict=True)]
        return [fmean(t / best for t, best in zip(row, least, strict=True)) for row in times]

    def _time(self, factor: Factor, trips: float) -> float:
        """Cycles of all iterations, if `factor` of them become one."""
        if factor is None:
            return self._block(trips)
        rest = trips % factor if self._is_known else min((factor - 1) / 2, trips)
        divide = 0 if self._is_known or factor == 1 else DIVIDING_CYCLES
        return divide + self._loop(factor, (trips - rest) / factor) + self._loop(1, rest)

    def _loop(self, factor: int, trips: float) -> float:
        """Cycles of a loop that runs `trips` times, with so many copies of the body."""
        if not self.overlap:
            return trips * (self._block(factor) + BRANCH_CYCLES)
        return trips * self._interval(factor) + min(trips, 1) * (self._once + BRANCH_CYCLES)

    def _block(self, copies: float) -> float:
        return copies * self._each + self._once

    def _interval(self, factor: int) -> int:
        """The cycles between overlapping iterations with so many copies of the body."""
        work = Work({ways: count * factor for ways, count in self._body.work.items()})
        for row in self._rows:
            for ways in straight_line_work([row.load], self._target):
                work[ways] = max(work[ways] - row.saved(factor), 0)
        work.update(counting_work(self._target))
        slots = resource_bound(work, self._target.slots).cycles
        chain = max(factor * self._body.chain, self._updates(factor))
        return max(1, math.ceil(slots - 1e-6), chain)

    def _updates(self, factor: int) -> int:
        """The cycles that updates of memory take in so many copies of the body.

        Those of one iteration overlap but for their stores, and wait for those of the last one.
        """
        updates = factor * self._body.updates
        return self._body.update + updates - 1 if updates else 0


def _is_seen(loop: scf.ForOp) -> bool:
    """Whether iterations of a loop cannot overlap, as what they do is seen from outside."""
    seen = (word.TraceWriteOp, word.PauseOp, word.CompareOp)
    return any(isinstance(op, seen) for op in loop.body.block.ops)


@dataclass
class _Row:
    """Loads of a loop from a row of words that it goes along. Copies of the body load each word
    of it once."""

    load: word.LoadOp
    """One of them."""
    words: int
    """Of each load."""
    advance: int
    """Words from one iteration to the next."""
    starts: set[int] = field(default_factory=set[int])
    """Where each begins."""

    def saved(self, copies: int) -> int:
        """How many loads fewer so many copies of the body take together."""
        spread = max(self.starts) - min(self.starts)
        if not 0 < self.advance <= self.words or spread > copies * self.advance:
            return 0
        needed = -(-((copies - 1) * self.advance + spread + self.words) // self.words)
        return max(copies * len(self.starts) - needed, 0)


def _rows(loop: scf.ForOp) -> Iterator[_Row]:
    """The rows that a loop loads from."""
    forms, counter, step = AffineForms(), counter_of(loop), constant_signed(loop.step)
    rows: dict[tuple[SSAValue, frozenset[tuple[SSAValue, int]], int], _Row] = {}
    for op in loop.body.block.ops:
        if not isinstance(op, word.LoadOp) or step is None:
            continue
        access = access_of(op, forms)
        if access.offset is None:
            continue
        key = access.buffer, frozenset(access.offset.terms.items()), access.words
        advance = access.offset.coefficient(counter) * step
        row = rows.setdefault(key, _Row(op, access.words, advance))
        row.starts.add(to_signed(access.offset.constant))
    yield from rows.values()
