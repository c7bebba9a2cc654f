"""Schedules of blocks whose instructions say when they run."""

from __future__ import annotations

from collections import Counter

from vliw_mlir.schedule.graph import Graph
from vliw_mlir.schedule.list_schedule import Schedule, new_schedule
from vliw_mlir.schedule.machine import JUMPS, Instruction, Placement
from vliw_mlir.schedule.ways import ways_of
from vliw_mlir.target import Target


def known_schedule(graph: Graph, target: Target, cycles: int) -> Schedule | None:
    """The schedule of `cycles` cycles that the instructions of a block say, the jump being last.

    None if there are instructions without a place, as after spilling, or if the places are not
    possible.
    """
    out = new_schedule(len(graph.nodes))
    used = Counter[tuple[str, int]]()
    for number, node in enumerate(graph.nodes):
        placement = _placement(node.instruction, cycles)
        if placement is None:
            return None
        way = ways_of(node.instruction, target)[placement.way]
        if way not in graph.ways[number]:
            return None
        rest = way.count - placement.first_slots
        used[way.engine, placement.cycle] += placement.first_slots
        used[way.engine, placement.cycle + 1] += rest
        out.start[number] = placement.cycle
        out.finish[number] = placement.cycle + (rest > 0)
        out.first_slots[number] = placement.first_slots
        out.way[number] = graph.forward.way_start[number] + graph.ways[number].index(way)
    if any(count > target.slots[engine] for (engine, _), count in used.items()):
        return None
    is_possible = max(out.finish.tolist(), default=0) < cycles and _is_in_order(graph, out)
    return out if is_possible else None


def _placement(instruction: Instruction, cycles: int) -> Placement | None:
    if instruction.mnemonic in JUMPS:
        return Placement(cycles - 1, 0, 1)
    return instruction.placement


def _is_in_order(graph: Graph, schedule: Schedule) -> bool:
    p = graph.forward
    start: list[int] = schedule.start.tolist()
    finish: list[int] = schedule.finish.tolist()
    for node in range(len(start)):
        for i in range(p.edge_start[node], p.edge_start[node + 1]):
            if start[p.edge_node[i]] < finish[node] + p.edge_cycles[i]:
                return False
        need = p.way_need[schedule.way[node]]
        if need >= 0 and start[node] <= finish[need]:
            return False
    return True
