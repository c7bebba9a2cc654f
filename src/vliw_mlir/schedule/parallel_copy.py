"""Moves that happen all at once, as moves one after the other.

See Boissinot et al., "Revisiting Out-of-SSA Translation for Correctness, Code Quality, and
Efficiency" (CGO 2009), algorithm 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence


def sequentialize(
    copies: Sequence[tuple[int, int]], new_temporary: Callable[[int], int]
) -> Iterator[tuple[int, int]]:
    """Order the copies `(to, source)`, all reading before any writes.

    Destinations are distinct. A cycle is broken by `new_temporary(like)`, a register to
    hold the value of `like` meanwhile.
    """
    source_of = {to: source for to, source in copies if to != source}
    # Where the value that each source had at first can be read.
    location = {source: source for source in source_of.values()}
    ready = [to for to in source_of if to not in location]
    while source_of:
        while ready:
            to = ready.pop()
            source = source_of.pop(to)
            yield to, location[source]
            # The first copy of a value frees its source: others read the copy.
            if location[source] == source and source in source_of:
                ready.append(source)
            location[source] = to
        if source_of:
            # Only cycles are left: free one register by moving its value away.
            to = next(iter(source_of))
            location[to] = new_temporary(to)
            yield location[to], to
            ready.append(to)
