"""What operations cost a machine that is bound by slots."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from vliw_mlir.dialects.expansions import EXPANSIONS, functions_used
from vliw_mlir.target import Target
from vliw_mlir.target.encodings import Usage, alternatives


def throughput_cycles(ways: Sequence[Usage], target: Target) -> float:
    """Cycles per item when all engines share many items, each item being done in one of `ways`.

    Engines may have to be shared with other work; so this says only which of two things is
    likely to be cheaper. Infinite when there is no way.
    """
    rate = sum(min(target.slots[engine] / count for engine, count in way) for way in ways)
    return 1 / rate if rate else float("inf")


@lru_cache(maxsize=1024)
def function_cycles(target: Target, function: str, *, vector: bool) -> float:
    """Cycles per application of a word function to words or vectors, see `throughput_cycles`.

    A function that the target lacks costs what it is composed of.
    """
    ways = alternatives(target, function, vector=vector)
    if ways or function not in EXPANSIONS:
        return throughput_cycles(ways, target)
    return sum(function_cycles(target, part, vector=vector) for part in functions_used(function))
