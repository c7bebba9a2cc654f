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
    scan = _LinearScan(widths, scratch, unspillable)
    for interval in intervals:
        scan.expire(interval.start)
        scan.place(interval)
    return Allocation(scan.addresses, scan.spilled)


class _LinearScan:
    def __init__(self, widths: Sequence[int], scratch: int, unspillable: Container[int]):
        self.widths = widths
        self.scratch = scratch
        self.unspillable = unspillable
        self.occupied = bytearray(scratch)
        self.addresses: dict[int, int] = {}
        self.spilled: set[int] = set()
        self.active: set[int] = set()
        """The registers whose intervals cover the current position."""
        self.by_end: list[tuple[int, int]] = []
        """Heap of `(end, register)`; a superset of the active ones."""
        self.candidates: list[tuple[int, int]] = []
        """Heap of `(-end, register)`; a superset of the active ones that may be spilled."""

    def expire(self, position: int) -> None:
        """Free the words of the intervals that end up to `position`."""
        while self.by_end and self.by_end[0][0] <= position:
            _, register = heapq.heappop(self.by_end)
            if register in self.active:
                self._release(register)

    def place(self, interval: Interval) -> None:
        """Give `interval` words, or spill it; may spill others to make room."""
        register = interval.register
        width = self.widths[register]
        self.active.add(register)
        if register not in self.unspillable:
            heapq.heappush(self.candidates, (-interval.end, register))
        while (address := self.occupied.find(bytes(width))) < 0:
            self._spill_one()
            if register in self.spilled:
                return
        self.addresses[register] = address
        self.occupied[address : address + width] = b"\1" * width
        heapq.heappush(self.by_end, (interval.end, register))

    def _spill_one(self) -> None:
        """Spill the active register whose interval ends last."""
        while self.candidates:
            _, register = heapq.heappop(self.candidates)
            if register in self.active:
                self.spilled.add(register)
                self._release(register)
                self.addresses.pop(register, None)
                return
        raise CompileError(
            f"{self.scratch} words of scratch are too few for the operands of one instruction"
        )

    def _release(self, register: int) -> None:
        self.active.remove(register)
        address = self.addresses.get(register)
        if address is not None:
            self.occupied[address : address + self.widths[register]] = bytes(self.widths[register])
