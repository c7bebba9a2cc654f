"""Linear-scan allocation of scratch words.

Poletto and Sarkar, "Linear Scan Register Allocation" (TOPLAS 1999), with intervals of one
or VLEN words: an interval takes the first gap that is long enough. When there is none, the
interval that ends last is spilled.
"""

from __future__ import annotations

import heapq
from collections.abc import Container, Sequence
from dataclasses import dataclass

from vliw_mlir.errors import CompileError
from vliw_mlir.schedule.liveness import Interval


@dataclass(frozen=True)
class Allocation:
    """Where registers live."""

    addresses: dict[int, int]
    """First scratch word of each register that has one."""
    spilled: set[int]
    """Registers that must live in memory; none if the allocation is complete."""
    used: int
    """Words of scratch that are used at all."""


def allocate(
    intervals: Sequence[Interval],
    widths: Sequence[int],
    scratch: int,
    unspillable: Container[int] = (),
) -> Allocation:
    """Assign scratch words to intervals, sorted by start.

    An interval that ends where another one starts shares its words: an instruction reads
    before it writes. Raises `CompileError` when even spilling does not make room.
    """
    occupied = bytearray(scratch)
    addresses: dict[int, int] = {}
    active: list[tuple[int, int]] = []  # heap of (end, register)
    live: dict[int, int] = {}  # end of each active register
    spilled: set[int] = set()
    used = 0

    def release(register: int) -> None:
        address = addresses[register]
        occupied[address : address + widths[register]] = bytes(widths[register])

    for interval in intervals:
        while active and active[0][0] <= interval.start:
            end, register = heapq.heappop(active)
            if live.get(register) == end:
                del live[register]
                release(register)
        width = widths[interval.register]
        gap = bytes(width)
        while (address := occupied.find(gap)) < 0:
            candidates = [(end, r) for r, end in live.items() if r not in unspillable]
            if interval.register not in unspillable:
                candidates.append((interval.end, interval.register))
            if not candidates:
                raise CompileError(
                    f"{scratch} words of scratch are too few for the operands of one instruction"
                )
            _, victim = max(candidates)
            spilled.add(victim)
            if victim == interval.register:
                break
            del live[victim]
            release(victim)
            del addresses[victim]
        if interval.register in spilled:
            continue
        addresses[interval.register] = address
        occupied[address : address + width] = b"\1" * width
        used = max(used, address + width)
        live[interval.register] = interval.end
        heapq.heappush(active, (interval.end, interval.register))
    return Allocation(addresses, spilled, used)
