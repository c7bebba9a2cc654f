"""Places for the values of a scheduled block.

A sweep over the cycles gives each value words when it is first touched, and takes each word back
after it is last read, so that what is written in the same cycle may use it. Single words are
looked for from the end of scratch, others from the beginning, so that long gaps remain.
"""

from __future__ import annotations

from collections.abc import Mapping

from vliw_mlir.schedule.graph import Graph, Segment
from vliw_mlir.schedule.list_schedule import Schedule
from vliw_mlir.schedule.renaming import Value


def place_values(
    graph: Graph, schedule: Schedule, fixed: Mapping[int, int], scratch: int
) -> dict[Value, int] | None:
    """The first word of each value that has words of its own, None if there are too few.

    `fixed` has the places of all registers that are live into the block or out of it.
    """
    return _Sweep(graph, schedule, fixed, scratch).run()


class _Sweep:
    def __init__(self, graph: Graph, schedule: Schedule, fixed: Mapping[int, int], scratch: int):
        self.graph = graph
        self.start: list[int] = schedule.start.tolist()
        self.finish: list[int] = schedule.finish.tolist()
        self.places: dict[Value, int] = {}
        self.taken = bytearray(scratch)
        widths = graph.block.function.widths
        for register, address in fixed.items():
            self.taken[address : address + widths[register]] = b"\1" * widths[register]
        for value in graph.block.homes():
            if value.is_fixed:
                self.places[value] = fixed[value.register]

    def run(self) -> dict[Value, int] | None:
        begins, ends = self._events()
        for cycle in sorted({*begins, *ends}):
            for group in ends.get(cycle, ()):
                address = self.places[group.value] + group.lane
                self.taken[address : address + group.words] = bytes(group.words)
            for value in sorted(begins.get(cycle, ()), key=lambda value: -value.words):
                if not self._place(value):
                    return None
        return self.places

    def _events(self) -> tuple[dict[int, list[Value]], dict[int, list[Segment]]]:
        """The values that begin and the groups that end, by cycle.

        What ends in a cycle is free for what begins in it.
        """
        first: dict[Value, int] = {}
        ends: dict[int, list[Segment]] = {}
        for group in self.graph.groups:
            value = group.value
            touching = group.readers | group.writers
            if not value.is_fixed:
                start = min(self.start[node] for node in touching)
                first[value] = min(start, first.get(value, start))
            if value.is_live_out or self.graph.block.successor_in_place(value) is not None:
                continue
            # Words that are written last are not free before the end of that cycle.
            last_read = max((self.finish[node] for node in group.readers), default=-1)
            last_write = max((self.finish[node] + 1 for node in group.writers), default=-1)
            ends.setdefault(max(last_read, last_write), []).append(group)
        begins: dict[int, list[Value]] = {}
        for value, cycle in first.items():
            begins.setdefault(cycle, []).append(value)
        return begins, ends

    def _place(self, value: Value) -> bool:
        words = value.words
        address = self.taken.rfind(0) if words == 1 else self.taken.find(bytes(words))
        if address < 0:
            return False
        self.places[value] = address
        self.taken[address : address + words] = b"\1" * words
        return True
