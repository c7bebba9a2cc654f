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
    # How many copies still have to read each register.
    readers: dict[int, int] = {}
    for source in source_of.values():
        readers[source] = readers.get(source, 0) + 1
    ready = [to for to in source_of if to not in readers]
    while source_of:
        while ready:
            to = ready.pop()
            source = source_of.pop(to)
            yield to, source
            readers[source] -= 1
            if readers[source] == 0 and source in source_of:
                ready.append(source)
        if not source_of:
            return
        # Only cycles are left: free one register by moving its value away.
        to = next(iter(source_of))
        temporary = new_temporary(to)
        yield temporary, to
        for other, source in source_of.items():
            if source == to:
                source_of[other] = temporary
        readers[temporary] = readers.pop(to)
        ready.append(to)
