"""A program and a run of it, as the parts of a report look at them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from vliw_mlir.formats.vliw_asm import slot_text
from vliw_mlir.report.flow import SlotFlow, slot_flows, words_in_use
from vliw_mlir.report.model import Step
from vliw_mlir.sim.program import Program, Slot
from vliw_mlir.sim.verify import enumerate_slots
from vliw_mlir.target import Target
from vliw_mlir.target.isa import DEBUG_ENGINE


@dataclass(frozen=True)
class View:
    """A legal program and how often each of its bundles ran."""

    program: Program
    executed: list[int]

    @cached_property
    def capacity(self) -> dict[str, int]:
        """Slots per bundle of the engines that cost cycles."""
        return {e: n for e, n in self.program.target.slots.items() if e != DEBUG_ENGINE}

    @cached_property
    def used(self) -> list[dict[str, int]]:
        """Slots of each bundle, by engine."""
        return [
            {engine: len(slots) for engine, slots in bundle.items() if engine in self.capacity}
            for bundle in self.program.bundles
        ]

    @cached_property
    def is_timed(self) -> list[bool]:
        """Whether each bundle costs a cycle."""
        return [any(used.values()) for used in self.used]

    @cached_property
    def flows(self) -> list[list[SlotFlow]]:
        """What each slot of each bundle reads and writes."""
        return slot_flows(self.program)

    @cached_property
    def words(self) -> list[int]:
        """Words of scratch in use, when each bundle begins."""
        return words_in_use(self.program, self.flows)

    def slots(self, bundle: int) -> Iterator[tuple[str, Slot, str]]:
        """Engine, slot and source place of each slot of a bundle that costs a cycle."""
        for number, (engine, _, slot) in enumerate(enumerate_slots(self.program.bundles[bundle])):
            if engine in self.capacity:
                yield engine, slot, self.program.source(bundle, number)

    def step(self, bundle: int, slot: int, earliest: int) -> Step:
        """The slot of that number, in bundle order, as a part of a chain."""
        engine, _, found = list(enumerate_slots(self.program.bundles[bundle]))[slot]
        text = instruction_text(self.program.target, engine, found)
        return Step(bundle, earliest, engine, text, self.program.source(bundle, slot))


def instruction_text(target: Target, engine: str, slot: Slot) -> str:
    """A slot in the notation of listings, without alignment."""
    return " ".join(slot_text(slot, target.formats[engine, slot[0]]).split())
