"""When strands run, and what is needed for some ways of nodes."""

from __future__ import annotations

import numpy as np
import pytest

from support.machine_functions import emit
from vliw_mlir.schedule.coalesce import coalesce_moves
from vliw_mlir.schedule.graph import Graph, build_graph
from vliw_mlir.schedule.justify import heights, hurry_helpers, topological_order
from vliw_mlir.schedule.list_schedule import Limits
from vliw_mlir.schedule.liveness import Liveness
from vliw_mlir.schedule.machine import Instruction, MachineFunction, Reg
from vliw_mlir.schedule.renaming import rename
from vliw_mlir.schedule.search import search_schedule
from vliw_mlir.schedule.strand_timing import (
    CONVERGENCES,
    SKEWS,
    Floats,
    Strands,
    Timing,
    apply_timing,
    orders,
    strands_of,
    timings,
)
from vliw_mlir.schedule.strands import find_strands
from vliw_mlir.target import Target

DEFAULT = Target.default()
VLEN = 8


def graph_of(made: MachineFunction) -> Graph:
    block = rename(made, made.blocks[0].instructions, Liveness((), (), {}))
    coalesce_moves(block)
    return build_graph(block, made.target, 0)


def strands_in(graph: Graph) -> Strands:
    release, height = heights(graph.backward), heights(graph.forward)
    return strands_of(find_strands(graph), release, height)


def chains(selections: list[int]) -> Graph:
    """Vectors to which so many selections are applied, one after the other, and then stored."""
    made = MachineFunction(DEFAULT, widths=[1])
    made.new_block()
    emit(made, 0, "const", Reg(0), 3)
    for count in selections:
        value = made.new_register(VLEN)
        emit(made, 0, "vbroadcast", Reg(value), Reg(0))
        for _ in range(count):
            new = made.new_register(VLEN)
            emit(made, 0, "vselect", Reg(new), Reg(value), Reg(value), Reg(value))
            value = new
        emit(made, 0, "vstore", Reg(0), Reg(value))
    return graph_of(made)


def keys_of(graph: Graph, timing: Timing) -> list[int]:
    strands = strands_in(graph)
    keys = np.empty(len(graph.nodes), np.int32)
    forward = graph.forward._replace(strand=strands.of.copy())
    backward = graph.backward._replace(strand=strands.of.copy())
    apply_timing(forward, backward, strands, timing, keys)
    return keys.tolist()


def floats(*numbers: float) -> Floats:
    return np.array(numbers, np.float32)


def test_orders_put_what_an_engine_has_little_to_do_for_at_both_ends_or_between() -> None:
    graph = chains([3, 1, 2, 4])
    found = [order.tolist() for order in orders(strands_in(graph), graph.forward)]
    assert found[0] == [0, 1, 2, 3]
    assert [1, 0, 3, 2] in found
    assert [3, 2, 1, 0] in found


def test_equal_strands_have_one_order() -> None:
    graph = chains([2, 2, 2])
    assert [order.tolist() for order in orders(strands_in(graph), graph.forward)] == [[0, 1, 2]]


def test_timings_begin_in_order() -> None:
    found = list(timings(np.array([2, 0, 1]), 100))
    assert len(found) == len(SKEWS) * len(CONVERGENCES)
    for timing in found:
        assert timing.begin[2] == 0
        assert 0 < timing.begin[0] < timing.begin[1]
        assert (timing.end <= timing.begin).all()
    assert found[0].begin[1] == pytest.approx(SKEWS[0] * 100)


def test_timing_of_one_strand() -> None:
    (timing,) = timings(np.array([0]), 100)
    assert timing.begin.tolist() == timing.end.tolist() == [0]


def test_strands_are_put_off_at_their_beginning_and_at_their_end() -> None:
    graph = chains([2, 2])
    at_once = keys_of(graph, Timing(floats(0, 0), floats(0, 0)))
    strands = strands_in(graph)
    late_begin = keys_of(graph, Timing(floats(0, 10), floats(0, 0)))
    late_end = keys_of(graph, Timing(floats(0, 0), floats(0, 10)))
    second = [node for node, strand in enumerate(strands.of.tolist()) if strand == 1]
    begins = [late_begin[node] - at_once[node] for node in second]
    ends = [late_end[node] - at_once[node] for node in second]
    assert begins == sorted(begins, reverse=True)
    assert begins[0] > begins[-1] == 0
    assert ends == sorted(ends)
    first = [node for node, strand in enumerate(strands.of.tolist()) if strand == 0]
    assert [late_begin[node] for node in first] == [at_once[node] for node in first]


def test_strands_are_numbered_by_their_beginning() -> None:
    graph = chains([2, 2, 2])
    strands = strands_in(graph)
    forward = graph.forward._replace(strand=strands.of.copy())
    backward = graph.backward._replace(strand=strands.of.copy())
    keys = np.empty(len(graph.nodes), np.int32)
    apply_timing(forward, backward, strands, Timing(floats(5, 0, 9), floats(0, 0, 0)), keys)
    numbers = {0: 1, 1: 0, 2: 2, -1: -1}
    assert forward.strand.tolist() == [numbers[strand] for strand in strands.of.tolist()]
    reversed_numbers = {0: 1, 1: 2, 2: 0, -1: -1}
    assert backward.strand.tolist() == [reversed_numbers[s] for s in strands.of.tolist()]


def with_another_way() -> Graph:
    """Selections that only one engine has a slot for each cycle, or else products on another;
    for these a difference is needed that nothing else asks for."""
    made = MachineFunction(DEFAULT, widths=[1, 1])
    made.new_block()
    emit(made, 0, "const", Reg(0), 3)
    emit(made, 0, "const", Reg(1), 5)
    a, b, difference = (made.new_register(VLEN) for _ in range(3))
    emit(made, 0, "vbroadcast", Reg(a), Reg(0))
    emit(made, 0, "vbroadcast", Reg(b), Reg(1))
    instructions = made.blocks[0].instructions
    instructions.append(Instruction("valu", "-", (Reg(difference), Reg(a), Reg(b))))
    for _ in range(20):
        new = made.new_register(VLEN)
        product = Instruction("valu", "multiply_add", (Reg(new), Reg(a), Reg(difference), Reg(b)))
        instructions.append(
            Instruction("flow", "vselect", (Reg(new), Reg(a), Reg(a), Reg(b)), others=(product,))
        )
        emit(made, 0, "vstore", Reg(0), Reg(new))
    return graph_of(made)


def test_what_some_ways_need_comes_before_those_that_may_take_them() -> None:
    graph = with_another_way()
    needs: set[int] = set(graph.forward.need.tolist())
    assert [graph.nodes[node].instruction.mnemonic for node in needs] == ["-"]
    numbers: list[int] = graph.forward.helpers.tolist()
    helpers = [graph.nodes[node].instruction.mnemonic for node in numbers]
    assert helpers == ["-", "vbroadcast", "vbroadcast", "const", "const"]
    keys = np.arange(len(graph.nodes), dtype=np.int32)
    (need,) = needs
    keys[need] = 1_000
    hurry_helpers(graph.forward, keys)
    assert keys[need] < min(keys[user] for user in graph.forward.need_user.tolist())


def test_search_has_what_other_ways_need_in_time() -> None:
    graph = with_another_way()
    found = search_schedule(graph, DEFAULT, Limits(1_000, 0, 0, 1_000, 1_000), 0)
    assert found is not None
    # A selection per cycle would take 20 cycles; two stores per cycle take 10.
    assert found.cycles <= 15


def test_circular_dependences_are_noticed() -> None:
    forward = chains([1]).forward
    waiting = forward.predecessors + np.int32(1)
    with pytest.raises(AssertionError, match="circular"):
        topological_order(forward._replace(predecessors=waiting))
