"""How much work is done, counted rather than timed: the same on any machine under any load."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def calls(function: Callable[[], object]) -> int:
    """How many calls of Python and C functions `function()` makes, numba's compiler excluded."""
    count = 0
    compiler: FrameType | None = None

    def observe(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count, compiler
        if compiler is not None:
            if frame is compiler and event == "return":
                compiler = None
        elif event == "call" and frame.f_globals.get("__name__", "").startswith("numba."):
            compiler = frame
        elif event in ("call", "c_call"):
            count += 1

    previous = sys.getprofile()
    sys.setprofile(observe)
    try:
        function()
    finally:
        sys.setprofile(previous)
    return count


def growth(prepare: Callable[[int], Callable[[], object]], size: int) -> float:
    """By what the calls multiply when the size becomes four times `size`: near 4 if linear.

    `prepare(size)` sets up what is not counted, and returns the function that is. What only
    the first use of a function does (imports, caches) is not counted either.
    """
    prepare(size)()
    small, large = (calls(prepare(n)) for n in (size, 4 * size))
    return large / small
