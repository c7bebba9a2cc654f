"""Choosing how often to do something by what it costs."""

from __future__ import annotations

from collections.abc import Callable


def least_argument(function: Callable[[int], float], last: int) -> int:
    """The least argument in `0..last` at which a convex function is least."""
    low, high = 0, last
    while low < high:
        middle = (low + high) // 2
        if function(middle + 1) < function(middle) - 1e-6:
            low = middle + 1
        else:
            high = middle
    return low
