"""Lists of nodes scheduled on arrays, coalesced moves, strands, places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from support.machine_functions import emit
from vliw_mlir.schedule.coalesce import coalesce_moves
from vliw_mlir.schedule.graph import Graph, build_graph
from vliw_mlir.schedule.list_schedule import (
    Limits,
    Schedule,
    list_schedule,
    new_schedule,
    new_state,
)
from vliw_mlir.schedule.liveness import Liveness
from vliw_mlir.schedule.machine import MachineFunction, Reg
from vliw_mlir.schedule.place import place_values
from vliw_mlir.schedule.renaming import rename
from vliw_mlir.schedule.search import search_schedule
from vliw_mlir.schedule.strands import find_strands
from vliw_mlir.target import Target

DEFAULT = Target.default()
VLEN = 8
PLENTY = 1_000


def function(words: int = 0, vectors: int = 0) -> MachineFunction:
    made = MachineFunction(DEFAULT, widths=[1] * words + [VLEN] * vectors)
    made.new_block()
    return made


def graph_of(
    made: MachineFunction, live_in: tuple[int, ...] = (), live_out: tuple[int, ...] = ()
) -> Graph:
    block = rename(made, made.blocks[0].instructions, Liveness(live_in, live_out, {}))
    coalesce_moves(block)
    words = sum(made.widths[register] for register in {*live_in, *live_out})
    return build_graph(block, made.target, words)


@dataclass
class Listed:
    """A schedule in the order of the program."""

    cycles: int
    schedule: Schedule

    @property
    def starts(self) -> list[int]:
        return self.schedule.start.tolist()


def listed(graph: Graph, words: int = PLENTY, most_cycles: int = PLENTY) -> Listed:
    order = np.arange(len(graph.nodes), dtype=np.int32)
    out = new_schedule(len(order))
    limits = Limits(words, 0, 0, PLENTY, PLENTY)
    state = new_state(graph.forward)
    return Listed(list_schedule(graph.forward, state, order, order, limits, most_cycles, out), out)


# Slots


def test_as_many_as_there_are_slots() -> None:
    made = function(words=5)
    for register in range(5):
        emit(made, 0, "const", Reg(register), register)
    found = listed(graph_of(made, live_out=tuple(range(5))))
    assert found.cycles == 3
    assert found.starts == [0, 0, 1, 1, 2]


def test_lanes_go_on_in_the_next_cycle() -> None:
    """Six vector functions on the vector engine; the next on eight of twelve scalar slots, one
    more on the four that are left and on four of the next cycle."""
    made = function(vectors=9)
    for register in range(8):
        emit(made, 0, "+", Reg(register), Reg(8), Reg(8), vector=True)
    found = listed(graph_of(made, (8,), tuple(range(8))))
    assert found.cycles == 2
    assert found.starts == [0] * 8
    assert found.schedule.finish.tolist() == [0] * 7 + [1]
    assert found.schedule.first_slots.tolist() == [1] * 6 + [8, 4]


def test_room_is_made_for_what_has_no_other_engine() -> None:
    made = function(vectors=8)
    for register in range(6):
        emit(made, 0, "+", Reg(register), Reg(7), Reg(7), vector=True)
    emit(made, 0, "multiply_add", Reg(6), Reg(7), Reg(7), Reg(7))
    graph = graph_of(made, (7,), tuple(range(7)))
    found = listed(graph)
    assert found.cycles == 1
    counts = [int(graph.forward.way_count[way]) for way in found.schedule.way]
    assert sorted(counts) == [1] * 6 + [8]
    assert counts[6] == 1


def test_too_many_cycles() -> None:
    made = function(words=5)
    for register in range(5):
        emit(made, 0, "const", Reg(register), register)
    graph = graph_of(made, live_out=tuple(range(5)))
    assert listed(graph, most_cycles=3).cycles == 3
    assert listed(graph, most_cycles=2).cycles == -1


# Edges


def test_result_is_read_in_the_next_cycle() -> None:
    made = function(words=2)
    emit(made, 0, "const", Reg(0), 1)
    emit(made, 0, "+", Reg(1), Reg(0), Reg(0))
    assert listed(graph_of(made, live_out=(1,))).starts == [0, 1]


def test_word_is_read_and_written_in_one_cycle() -> None:
    made = function(words=2)
    emit(made, 0, "+", Reg(1), Reg(0), Reg(0))
    emit(made, 0, "const", Reg(0), 1)
    assert listed(graph_of(made, (0,), (0, 1))).starts == [0, 0]


def test_lanes_are_ordered_one_by_one() -> None:
    """What reads the first lane does not wait for what writes the second."""
    made = function(words=2, vectors=1)
    emit(made, 0, "undefined", Reg(2))
    emit(made, 0, "const", Reg(2, 0), 1)
    emit(made, 0, "+", Reg(2, 1), Reg(2, 0), Reg(2, 0))
    emit(made, 0, "+", Reg(0), Reg(2, 0), Reg(2, 0))
    emit(made, 0, "+", Reg(1), Reg(2, 1), Reg(2, 1))
    assert listed(graph_of(made, live_out=(0, 1))).starts == [0, 1, 1, 2]


def test_register_that_is_written_anew_holds_another_value() -> None:
    made = function(words=3)
    for result in (1, 2):
        emit(made, 0, "const", Reg(0), result)
        emit(made, 0, "+", Reg(result), Reg(0), Reg(0))
    assert listed(graph_of(made, live_out=(1, 2))).starts == [0, 1, 0, 1]


def test_instruction_that_nothing_needs_is_left_out() -> None:
    made = function(words=2)
    emit(made, 0, "const", Reg(0), 1)
    emit(made, 0, "+", Reg(1), Reg(0), Reg(0))
    assert graph_of(made).nodes == []
    assert len(graph_of(made, live_out=(0,)).nodes) == 1


# Moves


def mnemonics(graph: Graph) -> list[str]:
    return [node.instruction.mnemonic for node in graph.nodes]


def test_source_is_made_where_it_is_moved_to() -> None:
    made = function(words=2)
    emit(made, 0, "+", Reg(1), Reg(0), Reg(0))
    emit(made, 0, "|", Reg(0), Reg(1), Reg(1))
    assert mnemonics(graph_of(made, (0,), (0,))) == ["+"]


def test_two_values_that_change_places_take_moves() -> None:
    made = function(words=3)
    for to, source in ((2, 0), (0, 1), (1, 2)):
        emit(made, 0, "|", Reg(to), Reg(source), Reg(source))
    assert len(graph_of(made, (0, 1), (0, 1)).nodes) >= 2


def test_old_value_that_is_still_needed_keeps_the_move() -> None:
    """The second sum needs both the new and the old value."""
    made = function(words=3)
    emit(made, 0, "+", Reg(1), Reg(0), Reg(0))
    emit(made, 0, "+", Reg(2), Reg(1), Reg(0))
    emit(made, 0, "|", Reg(0), Reg(1), Reg(1))
    assert mnemonics(graph_of(made, (0,), (0, 2))) == ["+", "+", "|"]


def test_parts_are_made_at_their_place() -> None:
    made = function(words=VLEN, vectors=1)
    for lane in range(VLEN):
        emit(made, 0, "const", Reg(lane), lane)
    emit(made, 0, "undefined", Reg(VLEN))
    for lane in range(VLEN):
        emit(made, 0, "|", Reg(VLEN, lane), Reg(lane), Reg(lane))
    assert mnemonics(graph_of(made, live_out=(VLEN,))) == ["const"] * VLEN


def test_lane_is_read_where_it_is() -> None:
    made = function(words=2, vectors=1)
    emit(made, 0, "|", Reg(0), Reg(2, 3), Reg(2, 3))
    emit(made, 0, "+", Reg(1), Reg(0), Reg(0))
    assert mnemonics(graph_of(made, (2,), (1,))) == ["+"]


# Words


def chains(count: int) -> MachineFunction:
    """Vectors that are made, added to themselves and stored, each apart from the others."""
    made = function(words=1, vectors=2 * count)
    emit(made, 0, "const", Reg(0), 0)
    for number in range(1, count + 1):
        emit(made, 0, "vload", Reg(number), Reg(0))
        emit(made, 0, "multiply_add", Reg(count + number), *[Reg(number)] * 3)
        emit(made, 0, "vstore", Reg(0), Reg(count + number))
    return made


@pytest.mark.parametrize("vectors", [1, 2, 5])
def test_what_takes_too_many_words_waits(vectors: int) -> None:
    graph = graph_of(chains(12))
    words = 1 + VLEN * vectors
    found = search_schedule(graph, DEFAULT, Limits(words, 0, 0, PLENTY, PLENTY), 0)
    assert found is not None
    places = place_values(graph, found.schedule, {}, words)
    assert places is not None
    assert all(place >= 0 and place + value.words <= words for value, place in places.items())


def test_too_few_words() -> None:
    graph = graph_of(chains(2))
    assert search_schedule(graph, DEFAULT, Limits(VLEN, 0, 0, PLENTY, PLENTY), 0) is None
    found = search_schedule(graph, DEFAULT, Limits(PLENTY, 0, 0, PLENTY, PLENTY), 0)
    assert found is not None
    assert place_values(graph, found.schedule, {}, VLEN) is None


def test_fixed_places_are_kept() -> None:
    made = function(words=2)
    emit(made, 0, "+", Reg(1), Reg(0), Reg(0))
    graph = graph_of(made, (0,), (1,))
    places = place_values(graph, listed(graph).schedule, {0: 5, 1: 7}, 10)
    assert places is not None
    assert {value.register: place for value, place in places.items()} == {0: 5, 1: 7}


# Strands and the search


def test_strands_end_in_stores() -> None:
    assert find_strands(graph_of(chains(4))).tolist() == [
        -1,
        *[0] * 3,
        *[1] * 3,
        *[2] * 3,
        *[3] * 3,
    ]


def test_one_strand() -> None:
    made = function(words=3)
    emit(made, 0, "const", Reg(0), 1)
    emit(made, 0, "+", Reg(1), Reg(0), Reg(0))
    emit(made, 0, "store", Reg(0), Reg(1))
    assert find_strands(graph_of(made)).tolist() == [0, 0, 0]


def test_search_is_deterministic_and_no_worse_than_its_beginning() -> None:
    graph = graph_of(chains(30))
    limits = Limits(200, 0, 0, PLENTY, PLENTY)
    first = search_schedule(graph, DEFAULT, limits, 0)
    results = [search_schedule(graph, DEFAULT, limits, 50_000) for _ in range(2)]
    assert first is not None
    assert results[0] is not None
    assert results[1] is not None
    assert results[0].cycles <= first.cycles
    for one, other in zip(results[0].schedule, results[1].schedule, strict=True):
        assert one.tolist() == other.tolist()
