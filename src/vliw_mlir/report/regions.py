"""The regions of a program, with what binds them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from vliw_mlir.analysis.resource_bound import Bound
from vliw_mlir.errors import split_location
from vliw_mlir.report.flow import Chains, SlotFlow, chains, followers
from vliw_mlir.report.losses import Occupancy, find_losses
from vliw_mlir.report.model import EngineWork, Loss, Region, Step
from vliw_mlir.report.view import View
from vliw_mlir.schedule.bounds import bound_of_ways
from vliw_mlir.schedule.machine import Instruction
from vliw_mlir.schedule.record import BlockRecord, binding
from vliw_mlir.schedule.ways import Way, ways_of
from vliw_mlir.sim.verify import enumerate_slots

ROUNDING = 1e-6
"""Cycles by which a resource bound may be off."""


class _Span(NamedTuple):
    """The bundles of a region."""

    first: int
    end: int
    record: BlockRecord | None


def find_regions(view: View, blocks: Sequence[BlockRecord]) -> list[Region]:
    """The regions of a program: scheduled blocks, and the basic blocks of all else."""
    return [_Builder(view, span).region() for span in _spans(view, blocks)]


def _spans(view: View, blocks: Sequence[BlockRecord]) -> Iterator[_Span]:
    by_first = {block.first: block for block in blocks}
    beginnings = _beginnings(view) | set(by_first)
    first, count = 0, len(view.program.bundles)
    while first < count:
        block = by_first.get(first)
        if block is not None:
            end = first + block.bundles
        else:
            end = next((n for n in range(first + 1, count) if n in beginnings), count)
        yield _Span(first, end, block)
        first = end


def _beginnings(view: View) -> set[int]:
    """The first bundles of basic blocks."""
    beginnings: set[int] = set()
    for number, after in enumerate(followers(view.program)):
        if isinstance(after, range):
            # Where an indirect jump led to shows in how often bundles ran.
            beginnings.add(number + 1)
        elif after != [number + 1]:
            beginnings.update(after, (number + 1,))
    runs = view.executed
    return beginnings | {n for n in range(1, len(runs)) if runs[n] != runs[n - 1]}


class _Builder:
    """Makes one region."""

    def __init__(self, view: View, span: _Span):
        self.view = view
        self.first, self.end, self.record = span
        self.timed = [n for n in range(self.first, self.end) if view.is_timed[n]]
        self.places = [
            (number, slot, engine)
            for number in self.timed
            for slot, (engine, _, _) in enumerate(enumerate_slots(view.program.bundles[number]))
            if engine in view.capacity
        ]
        """Bundle, number there and engine of each slot, in the order of the chains."""
        flows: dict[int, list[SlotFlow]] = {number: [] for number in self.timed}
        for number, slot, _ in self.places:
            flows[number].append(view.flows[number][slot])
        self.chains: Chains = chains(list(flows.values()), view.program.target.scratch)
        self.bound = self._bound() if self.record is None else self.record.slots

    def region(self) -> Region:
        view, record, bound = self.view, self.record, self.bound
        path = self._path()
        path_cycles = path[-1].earliest + 1 if path else 0
        least = max(math.ceil(bound.cycles - ROUNDING), path_cycles)
        if record is not None:
            least = record.least_cycles
        total = sum(view.executed[number] for number in self.timed)
        used: Counter[str] = Counter()
        for number in self.timed:
            used.update(view.used[number])
        peak = max(range(self.first, self.end), key=view.words.__getitem__)
        return Region(
            first=self.first,
            last=self.end - 1,
            is_scheduled=record is not None,
            lines=self._lines(),
            executed=view.executed[self.first],
            cycles=len(self.timed),
            total_cycles=total,
            slot_cycles=round(bound.cycles, 3),
            path_cycles=path_cycles,
            least_cycles=least,
            total_least_cycles=self._total_least(least),
            binds=list(binding(bound, path_cycles)),
            engines={
                engine: EngineWork(
                    slots, used[engine], round(bound.fixed.get(engine, 0) / slots, 3)
                )
                for engine, slots in view.capacity.items()
                if used[engine]
            },
            peak_words=view.words[peak],
            peak_bundle=peak,
            losses=self._losses(path_cycles),
            path=path,
        )

    def _total_least(self, least: int) -> int:
        """The lower bound of all runs: of those to the end, and to the jumps in the midst."""
        exits: dict[int, int] = {}
        for step in () if self.record is None else self.record.exits:
            exits[step.bundle] = min(step.earliest + 1, exits.get(step.bundle, least))
        # Whoever leaves in the last bundle has run to the end.
        exits.pop(self.end - 1, None)
        runs = self.view.executed
        left = sum((runs[bundle] - runs[bundle + 1]) * n for bundle, n in exits.items())
        return left + runs[self.end - 1] * least

    def _bound(self) -> Bound:
        """The resource bound of the instructions as they are."""
        target = self.view.program.target
        kinds = Counter(
            (engine, slot[0])
            for number in self.timed
            for engine, slot, _ in self.view.slots(number)
        )
        work: Counter[tuple[Way, ...]] = Counter()
        for kind, count in kinds.items():
            work[ways_of(Instruction(*kind, ()), target)] += count
        return bound_of_ways(work, target)

    def _lines(self) -> dict[str, list[int]]:
        lines: dict[str, set[int]] = {}
        for number in self.timed:
            for _, _, place in self.view.slots(number):
                if found := split_location(place):
                    lines.setdefault(found[0], set()).add(found[1])
        return {name: sorted(numbers) for name, numbers in sorted(lines.items())}

    # Chains

    def _path(self) -> list[Step]:
        """The longest path of dependences."""
        if self.record is not None:
            steps = self.record.path
            return [self.view.step(step.bundle, step.slot, step.earliest) for step in steps]
        before = self.chains.before
        last = max(range(len(before)), key=before.__getitem__, default=-1)
        return self._chain(last, self.chains.producer)[::-1]

    def _chain(self, slot: int, link: Sequence[int]) -> list[Step]:
        """A slot and those that it is linked to, one after the other; empty for -1."""
        steps: list[Step] = []
        while slot >= 0:
            bundle, number, _ = self.places[slot]
            steps.append(self.view.step(bundle, number, self.chains.before[slot]))
            slot = link[slot]
        return steps

    # Losses

    def _losses(self, path_cycles: int) -> list[Loss]:
        view, record = self.view, self.record
        words = [max(view.words[n : n + 2]) for n in self.timed]
        occupancy = Occupancy(self.timed, [view.used[n] for n in self.timed], words)
        limit = view.program.target.scratch if record is None else record.words
        is_by_path = "path" in binding(self.bound, path_cycles)
        most = 0 if is_by_path else path_cycles
        losses = find_losses(occupancy, self.bound, limit, most)
        return [self._explained(loss) for loss in losses]

    def _explained(self, loss: Loss) -> Loss:
        """Start-up and drain with the chain that takes the time."""
        if loss.kind == "start-up" and loss.last is not None:
            slot = self._longest(self.timed[self.timed.index(loss.last) + 1], self.chains.before)
            return replace(loss, chain=self._chain(slot, self.chains.producer)[::-1])
        if loss.kind == "drain" and loss.first is not None:
            slot = self._longest(self.timed[self.timed.index(loss.first) - 1], self.chains.behind)
            return replace(loss, chain=self._chain(slot, self.chains.consumer))
        return loss

    def _longest(self, bundle: int, length: Sequence[int]) -> int:
        """The slot of a bundle with the longest chain on an engine that binds, -1 for none."""
        binding = [
            number
            for number, (place, _, engine) in enumerate(self.places)
            if place == bundle and engine in self.bound.prices
        ]
        return max(binding, key=length.__getitem__, default=-1)
