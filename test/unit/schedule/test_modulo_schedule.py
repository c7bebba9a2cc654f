"""Bounds of the initiation interval, and modulo schedules."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from support.machine_loops import LoopFunction, graph, loop_function, random_loop_function
from vliw_mlir.schedule.bounds import slot_bound
from vliw_mlir.schedule.list_schedule import Schedule
from vliw_mlir.schedule.machine import UNDEFINED, Carried, Reg
from vliw_mlir.schedule.modulo_graph import Edge, ModuloGraph
from vliw_mlir.schedule.modulo_schedule import modulo_schedule
from vliw_mlir.schedule.recurrence import recurrence_bound, recurrence_bound_by_slots
from vliw_mlir.schedule.stage_schedule import Lives, shorten_lives
from vliw_mlir.target import Target

NARROW = Target.from_dict(
    {"vlen": 4, "engines": {"alu": 3, "valu": 1, "load": 1, "store": 1, "flow": 1}}
)


# Bounds


def test_recurrences() -> None:
    assert recurrence_bound([Edge(0, 1, 1, 0)], 2).interval == 1
    circle = [Edge(0, 1, 1, 0), Edge(1, 2, 1, 0), Edge(2, 0, 1, 1)]
    bound = recurrence_bound(circle, 3)
    assert bound.interval == 3
    assert sorted(bound.nodes) == [0, 1, 2]
    # Twice as many iterations for the same way around.
    assert recurrence_bound([*circle[:2], Edge(2, 0, 1, 2)], 3).interval == 2
    # The slower of two circles; the other one is not told of.
    slower = [*circle, Edge(3, 4, 1, 0), Edge(4, 3, 1, 2)]
    assert sorted(recurrence_bound(slower, 5).nodes) == [0, 1, 2]


def chain(length: int) -> LoopFunction:
    """A value that is computed from itself by so many instructions."""
    made = loop_function(5)
    (value,) = made.registers(1)
    for _ in range(length):
        made.emit("^", Reg(value), Reg(value), Reg(made.counter))
    made.close(Reg(value))
    return made


@pytest.mark.parametrize("length", [1, 2, 5])
def test_reduction(length: int) -> None:
    loop = graph(chain(length).function)
    assert recurrence_bound(loop.edges, len(loop.graph.nodes)).interval == length
    assert scheduled(loop) == length


def test_loads_wait_for_the_jump_before() -> None:
    """What may trap must not run in an iteration that does not take place."""
    made = loop_function(5)
    pointer, value = made.registers(4, 0)
    made.emit("load", Reg(pointer), Reg(pointer))
    made.emit("+", Reg(value), Reg(value), Reg(pointer))
    made.close(Reg(value))
    loop_block = made.function.blocks[1]
    loop_block.condition = Reg(pointer)
    loop = graph(made.function)
    bound = recurrence_bound(loop.edges, len(loop.graph.nodes))
    # load, jump, load, …
    assert bound.interval == 2
    assert {loop.graph.nodes[n].instruction.mnemonic for n in bound.nodes} == {"load", "cond_jump"}
    loop_block.instructions[0].never_traps = True
    assert recurrence_bound(graph(made.function).edges, len(loop.graph.nodes)).interval == 1


def test_order_of_memory_from_one_iteration_to_another() -> None:
    made = loop_function(5)
    address, value = made.registers(0, 0)
    made.emit("load", Reg(value), Reg(address))
    made.emit("+", Reg(value), Reg(value), Reg(made.counter))
    made.emit("store", Reg(address), Reg(value))
    load, _, store = made.function.blocks[1].instructions
    load.key, store.key = 0, 1
    for distance, interval in ((1, 3), (2, 2), (3, 1)):
        made.function.blocks[1].condition = Reg(made.counter)
        made.function.blocks[1].successors = (1, 2)
        made.function.blocks[1].carried = (Carried(1, 0, distance, 1),)
        loop = graph(made.function)
        assert recurrence_bound(loop.edges, len(loop.graph.nodes)).interval == interval


def test_gathers_wait_for_slots() -> None:
    """Eight loads on a circle take four cycles, not one."""
    made = loop_function(5)
    address, value = (made.function.new_register(8) for _ in range(2))
    made.function.blocks[0].instructions += made.function.copy_register(address, address)
    made.emit(UNDEFINED, Reg(value))
    for lane in range(8):
        made.emit("load", Reg(value, lane), Reg(address, lane))
        made.function.blocks[1].instructions[-1].never_traps = True
    made.emit("+", Reg(address), Reg(value), Reg(address), vector=True)
    loop = graph(made.close(Reg(address)))
    assert recurrence_bound(loop.edges, len(loop.graph.nodes)).interval == 2
    bound = recurrence_bound_by_slots(loop, 4, 20)
    assert bound.interval == 5
    names = Counter(loop.graph.nodes[n].instruction.mnemonic for n in bound.nodes)
    assert names["load"] == 8
    assert scheduled(loop) == 5


# Schedules


def least_interval(loop: ModuloGraph) -> int:
    slots = slot_bound(loop.graph, loop.iteration.function.target)
    recurrence = recurrence_bound(loop.edges, len(loop.graph.nodes))
    least = max(recurrence.interval, int(-(-slots.cycles // 1)))
    return recurrence_bound_by_slots(loop, least, 1000).interval


def scheduled(loop: ModuloGraph) -> int:
    """The least interval for which a schedule is found, which is checked."""
    interval = least_interval(loop)
    while (schedule := modulo_schedule(loop, interval)) is None:
        interval += 1
    check(loop, schedule, interval)
    before = sum(map(Lives(loop, schedule, interval).words, loop.values))
    shorten_lives(loop, schedule, interval)
    check(loop, schedule, interval)
    assert sum(map(Lives(loop, schedule, interval).words, loop.values)) <= before
    return interval


def check(loop: ModuloGraph, schedule: Schedule, interval: int) -> None:
    start, finish = schedule.start.tolist(), schedule.finish.tolist()
    for first, second, cycles, distance in loop.edges:
        assert start[second] + distance * interval >= finish[first] + cycles
    assert start[loop.jump] % interval == interval - 1
    used = Counter[tuple[str, int]]()
    problem = loop.graph.forward
    for node, ways in enumerate(loop.graph.ways):
        way = ways[schedule.way[node] - problem.way_start[node]]
        used[way.engine, start[node] % interval] += int(schedule.first_slots[node])
        if finish[node] > start[node]:
            assert finish[node] == start[node] + 1
            assert finish[node] % interval > 0
            used[way.engine, finish[node] % interval] += way.count - schedule.first_slots[node]
    slots = loop.iteration.function.target.slots
    assert all(count <= slots[engine] for (engine, _), count in used.items())


RANDOM_LOOPS = 60


def test_random_loops_reach_their_bound() -> None:
    random = Random(1)
    above = 0
    for number in range(RANDOM_LOOPS):
        target = NARROW if number % 2 else Target.default()
        loop = graph(random_loop_function(random, 3, target, instructions=number // 2 + 1))
        interval = scheduled(loop)
        assert interval <= least_interval(loop) + 1
        above += interval > 1.05 * least_interval(loop)
    assert above <= 0.05 * RANDOM_LOOPS


def test_engines_are_shared() -> None:
    """Vector functions on both engines, lanes over two cycles: 7.5 a cycle."""
    made = loop_function(5)
    first = made.function.new_register(8)
    made.function.blocks[0].instructions += made.function.copy_register(first, first)
    results: list[int] = []
    for _ in range(15):
        results.append(made.function.new_register(8))
        made.emit("^", Reg(results[-1]), Reg(first), Reg(first), vector=True)
    made.close(*(Reg(register) for register in results))
    assert scheduled(graph(made.function)) == 3
