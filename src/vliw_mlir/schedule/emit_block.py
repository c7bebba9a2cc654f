"""The bundles of a scheduled block whose values have places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vliw_mlir.schedule.graph import Graph
from vliw_mlir.schedule.machine import Instruction, Reg
from vliw_mlir.schedule.renaming import Node, Value, home_of
from vliw_mlir.schedule.ways import Way, slots_of
from vliw_mlir.target import Target
from vliw_mlir.target.isa import Role

if TYPE_CHECKING:
    # Imports numba, which takes long.
    from vliw_mlir.schedule.list_schedule import Schedule


@dataclass(frozen=True, slots=True)
class PlacedSlot:
    """One slot of a bundle and what it does."""

    engine: str
    mnemonic: str
    operands: tuple[Any, ...]
    """Scratch addresses, immediates and the like; jump targets are `BlockRef` still."""
    instruction: Instruction
    way: Way
    """The way in which the instruction runs."""
    lane: int
    """Which slot of the way it is."""


@dataclass(frozen=True, slots=True)
class ScheduledBlock:
    """A block, when its instructions run, and the bundles that this makes."""

    graph: Graph
    schedule: Schedule
    words: int
    """The words of scratch that the schedule was allowed to take."""
    bundles: list[list[PlacedSlot]]
    """The slots of each bundle. Bundles of jumps that do not fit in are at the end."""
    least_cycles: int = 0
    """What no schedule is shorter than."""


def bundle_order(slots: Iterable[PlacedSlot], target: Target) -> list[PlacedSlot]:
    """The slots of a bundle in the order in which programs have them: by engine."""
    order = {engine: number for number, engine in enumerate(target.slots)}
    return sorted(slots, key=lambda slot: order[slot.engine])


def emit_block(
    graph: Graph, schedule: Schedule, places: Mapping[Value, int], cycles: int
) -> list[list[PlacedSlot]]:
    """The slots of each bundle."""
    bundles: list[list[PlacedSlot]] = [[] for _ in range(cycles)]
    target = graph.block.function.target
    starts: list[int] = schedule.start.tolist()
    chosen: list[int] = schedule.way.tolist()
    firsts: list[int] = schedule.first_slots.tolist()
    way_start: list[int] = graph.forward.way_start.tolist()
    for number, node in enumerate(graph.nodes):
        way = graph.ways[number][chosen[number] - way_start[number]]
        cycle, room = starts[number], firsts[number]
        for lane, (mnemonic, operands) in enumerate(slots_of(node.instruction, way, target)):
            if room == 0:
                cycle, room = cycle + 1, target.slots[way.engine]
            room -= 1
            roles = target.formats[way.engine, mnemonic].roles
            addresses = _addresses(node, roles, operands, places)
            slot = PlacedSlot(way.engine, mnemonic, addresses, node.instruction, way, lane)
            bundles[cycle].append(slot)
    return bundles


def _addresses(
    node: Node, roles: tuple[Role, ...], operands: tuple[Any, ...], places: Mapping[Value, int]
) -> tuple[Any, ...]:
    """The operands with scratch addresses in place of registers."""
    resolved: list[Any] = []
    for role, operand in zip(roles, operands, strict=True):
        if isinstance(operand, Reg):
            values = node.written if role.is_def else node.read
            value, lane = home_of(values[operand.register], operand.lane)
            operand = places[value] + lane
        resolved.append(operand)
    return tuple(resolved)
