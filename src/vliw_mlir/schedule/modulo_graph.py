"""The dependence graph of a loop: what its iterations have to respect when they overlap.

An edge says how many cycles after its beginning has finished in one iteration its end may start
in the iteration that comes `distance` later. The initiation interval II, the cycles from one
iteration to the next, is at least what the slots of the machine allow (ResMII) and what a circle
of edges allows: its cycles, divided by its distance (RecMII). See Rau, "Iterative Modulo
Scheduling" (MICRO 1994), section 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vliw_mlir.schedule.coalesce import coalesce_moves
from vliw_mlir.schedule.graph import Graph, Ints, build_graph
from vliw_mlir.schedule.liveness import Liveness
from vliw_mlir.schedule.loop_iteration import Iteration
from vliw_mlir.schedule.machine import Carried, may_run_early
from vliw_mlir.schedule.renaming import RenamedBlock, Touch, Value, rename


class Edge(NamedTuple):
    """An edge between nodes, given by their numbers."""

    first: int
    second: int
    cycles: int
    distance: int
    """How many iterations later the second one is."""


class Edges(NamedTuple):
    """Edges on arrays, by the node that they begin at, and by the one that they end at.

    Those of node n begin at entry n of a `…_start` array and end before that of n + 1.
    """

    out_start: Ints
    out_node: Ints
    out_cycles: Ints
    out_distance: Ints
    in_start: Ints
    in_node: Ints
    in_cycles: Ints
    in_distance: Ints


@dataclass(eq=False, slots=True)
class LoopValue:
    """What an iteration computes, and the nodes that write and read it."""

    value: Value
    writers: list[int]
    readers: list[tuple[int, int]]
    """Nodes, and in how many iterations later."""
    results: list[int]
    """How many iterations before the last one it is computed to be read after the loop."""


@dataclass
class ModuloGraph:
    """The dependence graph of a loop."""

    iteration: Iteration
    graph: Graph
    """That of one iteration; the last of its nodes is the jump."""
    edges: list[Edge]
    arrays: Edges
    values: list[LoopValue]
    by_register: Mapping[int, Value]
    """The value of each register of the iteration."""

    @property
    def jump(self) -> int:
        """The number of the jump."""
        return len(self.graph.nodes) - 1


def build_modulo_graph(iteration: Iteration, carried: Sequence[Carried]) -> ModuloGraph:
    """The graph of a loop; `carried` is the order of what accesses memory."""
    function = iteration.function
    origins = [*iteration.entries.values(), *iteration.results.values()]
    computed = {origin.register for origin in origins} - iteration.invariants
    live_in = {*iteration.invariants, *iteration.entries}
    block = rename(function, iteration.instructions, Liveness(live_in, computed, {}))
    coalesce_moves(block)
    graph = build_graph(block, function.target, 0, is_iteration=True)
    numbers = {id(node): number for number, node in enumerate(graph.nodes)}
    touched = [numbers.get(id(node), -1) for node in block.nodes]
    by_register = {value.register: value for value in block.values}
    values = _values(iteration, block, by_register, touched)
    edges = [
        *_edges_within(graph),
        *_carried_values(iteration, by_register, touched),
        *_carried_orders(graph, carried),
        *_speculation(graph),
    ]
    edges = sorted(_strongest(edges))
    return ModuloGraph(
        iteration, graph, edges, edge_arrays(edges, len(graph.nodes)), values, by_register
    )


def _values(
    iteration: Iteration,
    block: RenamedBlock,
    by_register: Mapping[int, Value],
    numbers: Sequence[int],
) -> list[LoopValue]:
    live_in = {*iteration.invariants, *iteration.entries}
    values = {
        value: LoopValue(
            value,
            [numbers[touch.node] for touch in value.writes],
            [(numbers[touch.node], 0) for touch in value.reads],
            [],
        )
        for value in block.homes()
        if value.register not in live_in and (value.writes or value.reads)
    }
    for entry, origin in iteration.entries.items():
        reads = by_register[entry].reads if entry in by_register else ()
        found = values[by_register[origin.register]]
        found.readers += [(numbers[touch.node], origin.distance) for touch in reads]
    for origin in iteration.results.values():
        if origin.register not in iteration.invariants:
            values[by_register[origin.register]].results.append(origin.distance)
    return list(values.values())


def _edges_within(graph: Graph) -> Iterator[Edge]:
    """The edges between nodes of one iteration."""
    p = graph.forward
    begins = np.repeat(np.arange(len(graph.nodes)), np.diff(p.edge_start))
    for first, second, cycles in zip(
        begins.tolist(), p.edge_node.tolist(), p.edge_cycles.tolist(), strict=True
    ):
        yield Edge(first, second, cycles, 0)
    nodes = np.repeat(np.arange(len(graph.nodes)), np.diff(p.way_start))
    for node, need in zip(nodes.tolist(), p.way_need.tolist(), strict=True):
        if need >= 0:
            yield Edge(need, node, 1, 0)


def _carried_values(
    iteration: Iteration, by_register: Mapping[int, Value], numbers: Sequence[int]
) -> Iterator[Edge]:
    """From what computes values to what reads them in later iterations."""
    for entry, origin in iteration.entries.items():
        if entry not in by_register:
            continue
        reads = by_register[entry].reads
        for write in by_register[origin.register].writes:
            for node in {r.node for r in reads if _overlap(r, write)}:
                yield Edge(numbers[write.node], numbers[node], 1, origin.distance)


def _overlap(touch: Touch, other: Touch) -> bool:
    return touch.overlaps(other.lane, other.words)


def _carried_orders(graph: Graph, carried: Sequence[Carried]) -> Iterator[Edge]:
    numbers = {node.instruction.key: number for number, node in enumerate(graph.nodes)}
    for first, second, distance, cycles in carried:
        if first in numbers and second in numbers:
            yield Edge(numbers[first], numbers[second], cycles, distance)


def _speculation(graph: Graph) -> Iterator[Edge]:
    """From the jump to what must not run before it is known that the next iteration does, or
    that one some iterations before it does."""
    jump = len(graph.nodes) - 1
    for number, node in enumerate(graph.nodes):
        if number != jump and not may_run_early(node.instruction):
            yield Edge(jump, number, 1, 1 + node.instruction.iterations_ahead)


def _strongest(edges: Iterable[Edge]) -> list[Edge]:
    """Of edges between the same nodes and iterations the one of the most cycles."""
    cycles: dict[tuple[int, int, int], int] = {}
    for edge in edges:
        key = edge.first, edge.second, edge.distance
        cycles[key] = max(edge.cycles, cycles.get(key, 0))
    return [Edge(a, b, c, distance) for (a, b, distance), c in cycles.items()]


def edge_arrays(edges: Sequence[Edge], count: int) -> Edges:
    """Edges in order between `count` nodes, on arrays."""
    table = np.array(edges, np.int32).reshape(-1, 4)
    by_end = table[np.argsort(table[:, 1], kind="stable")]

    def starts(nodes: Ints) -> Ints:
        counts = np.bincount(nodes, minlength=count)
        return np.concatenate([np.zeros(1, np.int32), np.cumsum(counts)]).astype(np.int32)

    def columns(rows: Ints, *numbers: int) -> tuple[Ints, Ints, Ints]:
        first, second, third = (np.ascontiguousarray(rows[:, number]) for number in numbers)
        return first, second, third

    return Edges(
        starts(table[:, 0]),
        *columns(table, 1, 2, 3),
        starts(by_end[:, 1]),
        *columns(by_end, 0, 2, 3),
    )
