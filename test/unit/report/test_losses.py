"""Where the cycles of schedules written by hand go."""

from __future__ import annotations

from collections import Counter

import pytest

from vliw_mlir.analysis.resource_bound import Bound, Work, resource_bound
from vliw_mlir.report.losses import Occupancy, find_losses

SLOTS = {"load": 2, "alu": 4, "valu": 1}
LOAD = ((("load", 1),),)
EITHER = ((("alu", 2),), (("valu", 1),))


def losses(
    used: list[dict[str, int]], bound: Bound, words: list[int] | None = None, most: int = 3
) -> dict[str, float]:
    occupancy = Occupancy(range(10, 10 + len(used)), used, words or [0] * len(used))
    found = find_losses(occupancy, bound, 64, most)
    assert sum(loss.cycles for loss in found) == pytest.approx(len(used))
    return {loss.kind: pytest.approx(loss.cycles) for loss in found}


def loads(*counts: int) -> tuple[list[dict[str, int]], Bound]:
    work: Work = Counter({LOAD: sum(counts)})
    return [{"load": count} for count in counts], resource_bound(work, SLOTS)


def test_full_slots_lose_nothing():
    assert losses(*loads(2, 2, 2)) == {"work": 3}


def test_start_up_and_drain():
    assert losses(*loads(0, 1, 2, 2, 1)) == {"work": 3, "start-up": 1.5, "drain": 0.5}


def test_bundles_of_start_up_and_drain():
    used, bound = loads(0, 1, 2, 2, 0, 0)
    found = find_losses(Occupancy(range(10, 16), used, [0] * 6), bound, 64, 2)
    spans = {loss.kind: (loss.first, loss.last) for loss in found}
    assert spans == {"work": (None, None), "start-up": (10, 11), "drain": (14, 15)}


def test_waiting_and_scratch():
    used, bound = loads(2, 0, 1, 2)
    assert losses(used, bound, [0, 20, 60, 20]) == {"work": 2.5, "waiting": 1, "scratch": 0.5}


def test_no_start_up_is_longer_than_the_longest_path():
    assert losses(*loads(0, 0, 0, 0, 2, 2, 2, 2, 2)) == {"work": 5, "waiting": 4}


def test_where_the_path_binds_all_is_waiting():
    assert losses(*loads(0, 2, 0, 0), most=0) == {"work": 1, "waiting": 3}


def test_detours():
    """One of six vector functions on a dear engine more than need be."""
    bound = resource_bound(Counter({EITHER: 6}), SLOTS)
    assert bound.cycles == pytest.approx(2)
    # Lanes are half as dear as the vector slot: nothing is lost by either.
    assert losses([{"alu": 4, "valu": 1}, {"alu": 4, "valu": 1}], bound) == {"work": 2}
    worse = resource_bound(Counter({EITHER: 2, LOAD: 8}), SLOTS)
    assert losses([{"load": 2}] * 4, worse) == {"work": 4}
    dear = resource_bound(Counter({((("load", 1),), (("alu", 1),)): 2, LOAD: 6}), SLOTS)
    assert losses([{"load": 2}] * 4, dear) == {"work": 3, "detours": 1}


def test_nothing_at_all():
    assert losses([], resource_bound(Counter(), SLOTS)) == {}
