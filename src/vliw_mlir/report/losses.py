"""Where the cycles of a region go: into work, and why slots stay empty.

Slots have prices, which add up to one cycle for all slots of a cycle, and at which all work costs
what the resource bound says (the dual solution of its linear program). So the cycles of a region
are the price of what it does and of the slots that it leaves empty, exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vliw_mlir.analysis.resource_bound import Bound
from vliw_mlir.report.model import Loss

FULL = 3 / 4
"""The part of a cycle's worth of slots that is used where a region runs at full speed."""

NEARLY_FULL = 7 / 8
"""The part of scratch in use where instructions may have to wait for words."""

NOTHING = 1e-6
"""Cycles that come of rounding."""


@dataclass(frozen=True)
class Occupancy:
    """What a region does, bundle by bundle; bundles that cost no cycle are left out."""

    bundles: Sequence[int]
    """Their numbers in the program."""
    used: Sequence[Mapping[str, int]]
    """Slots used, by engine."""
    words: Sequence[int]
    """Words of scratch in use."""


def find_losses(occupancy: Occupancy, bound: Bound, words: int, most: int) -> list[Loss]:
    """The parts of the cycles of a region, which add up to all of them.

    `bound` is its resource bound, `words` the words of scratch that it may take, `most` the
    number of cycles that start-up and drain may take each: the longest path of dependences, or
    none where that takes longer than the bound.
    """
    worth = [_worth(used, bound.prices) for used in occupancy.used]
    empty = [1 - value for value in worth]
    first, last = _full_speed(worth, most)
    scarce = {
        number
        for number in range(first, last + 1)
        if occupancy.words[number] >= NEARLY_FULL * words
    }
    between = range(first, last + 1)
    parts = [
        Loss("work", bound.cycles),
        Loss("detours", sum(worth) - bound.cycles),
        Loss("start-up", sum(empty[:first]), *_span(occupancy, range(first))),
        Loss("scratch", sum(empty[number] for number in between if number in scarce)),
        Loss("waiting", sum(empty[number] for number in between if number not in scarce)),
        Loss("drain", sum(empty[last + 1 :]), *_span(occupancy, range(last + 1, len(worth)))),
    ]
    return [part for part in parts if part.cycles > NOTHING]


def _full_speed(worth: Sequence[float], most: int) -> tuple[int, int]:
    """The first and the last cycle of those between start-up and drain, each of which takes
    `most` cycles; beyond that it is not the first or the last instructions that are waited for."""
    full = [number for number, value in enumerate(worth) if value >= FULL]
    first, last = (full[0], full[-1]) if full else (0, len(worth) - 1)
    behind = len(worth) - 1 - last
    return first if first <= most else 0, last if behind <= most else len(worth) - 1


def _worth(used: Mapping[str, int], prices: Mapping[str, float]) -> float:
    return sum(price * used.get(engine, 0) for engine, price in prices.items())


def _span(occupancy: Occupancy, numbers: range) -> tuple[int | None, int | None]:
    """The first and the last of the bundles."""
    if not numbers:
        return None, None
    return occupancy.bundles[numbers[0]], occupancy.bundles[numbers[-1]]
