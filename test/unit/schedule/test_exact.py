"""Shortest schedules, and how far the search is from them."""

from __future__ import annotations

import sys
from copy import deepcopy
from itertools import product
from pathlib import Path
from random import Random

import pytest

import vliw_mlir
from support.machine_functions import emit, random_function
from support.random_blocks import SHAPES, random_graph
from vliw_mlir.errors import CompileError
from vliw_mlir.schedule.back_end import Effort, schedule_function
from vliw_mlir.schedule.exact import ExactScheduler
from vliw_mlir.schedule.graph import Graph, build_graph
from vliw_mlir.schedule.list_schedule import Limits
from vliw_mlir.schedule.liveness import Liveness
from vliw_mlir.schedule.machine import Instruction, MachineFunction, Reg
from vliw_mlir.schedule.place import place_values
from vliw_mlir.schedule.renaming import rename
from vliw_mlir.schedule.search import Found, search_schedule
from vliw_mlir.schedule.spill import SpillSlots
from vliw_mlir.target import Target

VLEN = 4
TARGETS = {
    "default": Target.default(),
    "narrow": Target.from_dict(
        {
            "vlen": VLEN,
            "scratch": 400,
            "engines": {"alu": 4, "valu": 1, "load": 1, "store": 1, "flow": 1},
        }
    ),
    "uneven": Target.from_dict(
        {"scratch": 1000, "engines": {"alu": 5, "valu": 2, "load": 1, "store": 1, "flow": 2}}
    ),
}
ROUNDS = 3_000
"""How often the search schedules a block: as often as at -O2 at most."""


def limits(graph: Graph, words: int) -> Limits:
    return Limits(words, 0, 0, len(graph.nodes), len(graph.nodes))


def searched(graph: Graph, target: Target, words: int | None = None, rounds: int = ROUNDS) -> Found:
    budget = rounds * len(graph.nodes)
    given = limits(graph, target.scratch if words is None else words)
    found = search_schedule(graph, target, given, budget)
    assert found is not None
    return found


def exact(graph: Graph, target: Target, words: int | None = None) -> Found:
    """A shortest schedule, from a start that is made to look longer than it is."""
    start = searched(graph, target, words, rounds=0)
    start = start._replace(cycles=start.cycles + 1, least_cycles=0)
    given = limits(graph, target.scratch if words is None else words)
    found = ExactScheduler().shorten(graph, given, start)
    assert found.cycles == found.least_cycles
    return found


# The search, judged

LOOPS_KEPT = (
    "inline-calls,convert-std-to-kernel,convert-kernel-to-word,simplify,convert-word-scf-to-cf,"
    "simplify-cfg,legalize-vectors,expand-word-ops,convert-word-to-vliw"
)
BLOCKS_OF_SHAPE = 8
FEWEST_SHORTEST = 0.9
MOST_CYCLES_ABOVE = 1


@pytest.mark.parametrize("machine", TARGETS)
def test_search_is_seldom_longer(machine: str) -> None:
    target = TARGETS[machine]
    gaps: list[int] = []
    for shape, seed in product(SHAPES, range(BLOCKS_OF_SHAPE)):
        random = Random(f"{shape} {machine} {seed}")
        graph = random_graph(random, target, SHAPES[shape], random.randint(5, 60))
        found, shortest = searched(graph, target), exact(graph, target)
        assert found.least_cycles <= shortest.cycles
        gaps.append(found.cycles - shortest.cycles)
    assert min(gaps) >= 0
    assert max(gaps) <= MOST_CYCLES_ABOVE
    assert gaps.count(0) >= FEWEST_SHORTEST * len(gaps)


KERNELS = sorted((Path(__file__).parents[3] / "kernels").glob("*.mlir"))


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda path: path.stem)
def test_small_blocks_of_kernels_are_shortest(kernel: Path) -> None:
    """With all loops kept, so that all blocks are small."""
    lengths = [
        len(vliw_mlir.compile_file(kernel, f"{LOOPS_KEPT}{{schedule={schedule}}}").bundles)
        for schedule in ("search", "exact")
    ]
    assert lengths[1] <= lengths[0] <= lengths[1] + MOST_CYCLES_ABOVE


# Correctness


@pytest.mark.parametrize("seed", range(15))
def test_bundles_do_what_instructions_do(seed: int) -> None:
    """Raises what the independent check of bundles finds."""
    random = Random(seed)
    target = TARGETS[random.choice(list(TARGETS))]
    made = random_function(random, target, blocks=4, words=6, vectors=3, per_block=20)
    lengths: list[int] = []
    for is_exact in (False, True):
        effort = Effort(2_000, exact=is_exact, verify=True)
        emitted = schedule_function(deepcopy(made), SpillSlots(10), effort)
        lengths.append(len(emitted.bundles))
    assert lengths[1] <= lengths[0]


def chains(count: int) -> Graph:
    """Vectors that are made, added to themselves and stored, each apart from the others."""
    made = MachineFunction(Target.default(), widths=[1] + [8] * count)
    made.new_block()
    emit(made, 0, "const", Reg(0), 0)
    for number in range(1, count + 1):
        emit(made, 0, "vload", Reg(number), Reg(0))
        emit(made, 0, "multiply_add", *[Reg(number)] * 4)
        emit(made, 0, "vstore", Reg(0), Reg(number))
    block = rename(made, made.blocks[0].instructions, Liveness((), (), {}))
    return build_graph(block, made.target, 0)


def test_words_are_not_exceeded() -> None:
    """One vector at a time takes two cycles each: it is loaded while the one before is stored."""
    graph = chains(6)
    target = Target.default()
    lengths: list[int] = []
    for vectors in (1, 2, 4, 6):
        words = 1 + 8 * vectors
        found = exact(graph, target, words)
        assert place_values(graph, found.schedule, {}, words) is not None
        lengths.append(found.cycles)
    assert lengths == [14, 8, 6, 6]


def test_shortest_schedule_is_the_same_each_time() -> None:
    target = TARGETS["narrow"]
    graph = random_graph(Random(1), target, SHAPES["mixed"], 40)
    one, other = exact(graph, target), exact(graph, target)
    for left, right in zip(one.schedule, other.schedule, strict=True):
        assert left.tolist() == right.tolist()


def test_missing_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    made = MachineFunction(Target.default())
    made.new_block()
    with pytest.raises(CompileError, match=r"pip install 'vliw-mlir\[exact\]'"):
        schedule_function(made, SpillSlots(10), Effort(exact=True))


# Lower bounds


def test_words_that_are_loaded_one_by_one_take_their_cycles() -> None:
    """Eight loads take four cycles on two slots, whatever else there is to load meanwhile."""
    target = Target.default()
    made = MachineFunction(target, widths=[8, 8])
    made.new_block()
    rounds = 3
    for _ in range(rounds):
        emit(made, 0, "undefined", Reg(1))
        for lane in range(8):
            emit(made, 0, "load", Reg(1, lane), Reg(0, lane))
        emit(made, 0, "+", Reg(0), Reg(1), Reg(1), vector=True)
    block = rename(made, made.blocks[0].instructions, Liveness((0,), (0,), {}))
    found = searched(build_graph(block, target, 16), target, rounds=0)
    assert found.least_cycles == found.cycles == 5 * rounds


def test_engine_that_waits_for_what_it_needs() -> None:
    """Of six constants, flow makes those that are sums with the zero that is loaded first."""
    target = Target.from_dict({"engines": {"load": 1, "flow": 1, "store": 1}})
    made = MachineFunction(target, widths=[1] * 6)
    made.new_block()
    for register in range(6):
        emit(made, 0, "const", Reg(register), register)
    for register in range(1, 6):
        other = Instruction("flow", "add_imm", (Reg(register), Reg(0), register))
        made.blocks[0].instructions[register].others = (other,)
    block = rename(made, made.blocks[0].instructions, Liveness((), tuple(range(6)), {}))
    found = searched(build_graph(block, target, 6), target, rounds=0)
    assert found.least_cycles == found.cycles == 4
