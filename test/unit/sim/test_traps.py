"""Every trap: its fields, its message, and the state that it leaves."""

from typing import Any

import pytest

from support.machine_code import machine
from vliw_mlir.errors import CompileError
from vliw_mlir.sim.machine import Machine
from vliw_mlir.sim.outcome import Status, Trap, TrapReason
from vliw_mlir.sim.program import Bundle
from vliw_mlir.target import Target

MANY_JUMPS = Target.from_dict({"engines": {"flow": 3}})


def trap_of(made: Machine) -> Trap:
    with pytest.raises(Trap) as info:
        made.run()
    assert made.status is Status.TRAPPED
    assert made.trap is info.value
    return info.value


# The bundle runs second, with words 0..15 of scratch holding their own numbers, word 16
# holding 18 and 100 words of memory.
@pytest.mark.parametrize(
    ("engine", "slot", "reason", "address", "what"),
    [
        (
            "load",
            ("load", 40, 20),
            TrapReason.MEMORY,
            100,
            "access to word 100 of memory, which has 100",
        ),
        (
            "load",
            ("load_offset", 40, 12, 9),
            TrapReason.MEMORY,
            2**32 - 1,
            "access to word 4294967295 of memory, which has 100",
        ),
        (
            "load",
            ("vload", 40, 22),
            TrapReason.MEMORY,
            100,
            "access to words 93..100 of memory, which has 100",
        ),
        (
            "store",
            ("store", 21, 20),
            TrapReason.MEMORY,
            2**32 - 1,
            "access to word 4294967295 of memory, which has 100",
        ),
        (
            "store",
            ("vstore", 22, 0),
            TrapReason.MEMORY,
            100,
            "access to words 93..100 of memory, which has 100",
        ),
        ("alu", ("//", 40, 1, 0), TrapReason.DIVISION, None, "division by zero"),
        ("alu", ("%", 40, 1, 0), TrapReason.DIVISION, None, "division by zero"),
        ("alu", ("cdiv", 40, 1, 0), TrapReason.DIVISION, None, "division by zero"),
        ("valu", ("//", 40, 1, 23), TrapReason.DIVISION, None, "division by zero"),
        ("flow", ("jump_indirect", 16), TrapReason.JUMP, None, "jump to bundle 18 of 3"),
    ],
)
def test_a_slot_that_traps(
    engine: str, slot: tuple[Any, ...], reason: TrapReason, address: int | None, what: str
):
    bundle: Bundle = {
        "alu": [("+", 1, 2, 3), ("^", 50, 1, 2)],
        "load": [("const", 30, 9)],
        "store": [("store", 1, 2)],
        "valu": [],
        "flow": [],
    }
    bundle[engine] = [*bundle[engine], slot]
    position = len(bundle[engine]) - 1
    bundles = [{"load": [("const", 31, 1)]}, bundle, {}]
    sources = [[f"k.mlir:{n}:{i}" for i in range(sum(map(len, b.values())))]
               for n, b in enumerate(bundles)]  # fmt: skip
    made = machine(bundles, 100, sources=sources)
    made.scratch[:24] = [*range(16), 18, 0, 0, 0, 100, 2**32 - 1, 93, 1]
    before = made.scratch.copy()
    before[31] = 1

    trap = trap_of(made)
    assert (trap.reason, trap.bundle, trap.cycle) == (reason, 1, 1)
    assert (trap.engine, trap.slot, trap.address) == (engine, position, address)
    number = [e for e, slots in bundle.items() for _ in slots].index(engine) + position
    assert trap.source == f"k.mlir:1:{number}"
    assert str(trap) == (
        f"k.mlir:1:{number}: trap at bundle 1, cycle 1, {engine} slot {position}: {what}"
    )
    assert made.scratch.tolist() == before.tolist()
    assert not made.memory.any()
    assert (made.pc, made.cycles, made.executed.tolist()) == (1, 1, [1, 0, 0])
    with pytest.raises(Trap) as again:
        made.run()
    assert again.value is trap
    with pytest.raises(Trap):
        made.step()


def test_without_sources_a_trap_names_no_place():
    trap = trap_of(machine([{"alu": [("%", 0, 1, 2)]}]))
    assert isinstance(trap, CompileError)
    assert (trap.source, trap.location) == (None, None)
    assert str(trap) == "trap at bundle 0, cycle 0, alu slot 0: division by zero"


@pytest.mark.parametrize(
    ("bundle", "reason", "engine", "slot", "address", "what"),
    [
        (
            {"alu": [("+", 9, 0, 0)], "valu": [("vbroadcast", 20, 0), ("vbroadcast", 2, 0)]},
            TrapReason.SCRATCH_CONFLICT,
            "valu",
            1,
            9,
            "scratch word 9 is written, and by alu slot 0 too",
        ),
        (
            {"store": [("store", 0, 1), ("store", 0, 1)]},
            TrapReason.MEMORY_CONFLICT,
            "store",
            1,
            0,
            "memory word 0 is written, and by store slot 0 too",
        ),
        (
            {"store": [("vstore", 3, 16), ("store", 10, 1)]},
            TrapReason.MEMORY_CONFLICT,
            "store",
            1,
            10,
            "memory word 10 is written, and by store slot 0 too",
        ),
        (
            {"store": [("vstore", 8, 16), ("vstore", 1, 16)]},
            TrapReason.MEMORY_CONFLICT,
            "store",
            1,
            8,
            "memory word 8 is written, and by store slot 0 too",
        ),
        (
            {"flow": [("cond_jump", 0, 1), ("cond_jump", 1, 1), ("jump", 2)]},
            TrapReason.JUMP_CONFLICT,
            "flow",
            2,
            None,
            "a jump is taken, and by flow slot 1 too",
        ),
    ],
)
def test_conflicts(
    bundle: Bundle, reason: TrapReason, engine: str, slot: int, address: int | None, what: str
):
    made = machine([bundle, {}], 20, scratch={n: n for n in range(24)}, target=MANY_JUMPS)
    trap = trap_of(made)
    assert (trap.reason, trap.engine, trap.slot, trap.address) == (reason, engine, slot, address)
    assert trap.message == f"trap at bundle 0, cycle 0, {engine} slot {slot}: {what}"
    assert made.scratch[:24].tolist() == list(range(24))
    assert not made.memory.any()
    machine(
        [bundle, {}], 20, scratch={n: n for n in range(24)}, target=MANY_JUMPS, strict=False
    ).run()


def test_neighbours_are_no_conflict():
    bundle: Bundle = {
        "alu": [("+", 9, 0, 0)],
        "valu": [("vbroadcast", 1, 0), ("vbroadcast", 10, 0)],
        "store": [("vstore", 2, 16), ("store", 10, 1)],
    }
    machine([bundle], 20, scratch={n: n for n in range(24)}).run()


def test_a_conflict_that_is_not_executed_is_no_trap():
    machine([{"flow": [("jump", 2)]}, {"alu": [("+", 9, 0, 0), ("+", 9, 0, 0)]}]).run()


def test_not_strict_the_later_slot_wins():
    made = machine(
        [
            {
                "load": [("const", 40, 1), ("const", 41, 1)],
                "alu": [("+", 40, 2, 2)],
                "store": [("vstore", 0, 8), ("store", 3, 5)],
                "flow": [("jump", 1), ("jump", 2)],
            },
            {"flow": [("halt",)]},
            {"load": [("const", 50, 1)]},
        ],
        20,
        scratch={n: n for n in range(24)},
        strict=False,
        target=MANY_JUMPS,
    )
    made.run()
    assert made.scratch[[40, 41, 50]].tolist() == [4, 1, 1]
    assert made.memory[:9].tolist() == [8, 9, 10, 5, 12, 13, 14, 15, 0]


def test_compare():
    bundle: Bundle = {
        "load": [("const", 1, 1)],
        "debug": [("comment", 0), ("compare", 1, ("k", 2))],
    }
    made = machine([{"load": [("const", 0, 1)]}, bundle], debug_values={("k", 2): 9})
    trap = trap_of(made)
    assert (trap.reason, trap.engine, trap.slot) == (TrapReason.COMPARE, "debug", 1)
    assert trap.message == (
        "trap at bundle 1, cycle 1, debug slot 1: scratch word 1 is 0, expected 9 (('k', 2))"
    )
    bundle = {"debug": [("vcompare", 10, list("abcdefgh"))]}
    trap = trap_of(machine([bundle], scratch={13: 6}, debug_values={"a": 0, "d": 7}))
    assert trap.message == (
        "trap at bundle 0, cycle 0, debug slot 0: scratch word 13 is 6, expected 7 ('d')"
    )


def test_step_limit():
    endless: list[Bundle] = [{"alu": [("+", 0, 0, 1)]}, {}, {"flow": [("jump", 0)]}]
    made = machine(endless, scratch={1: 1}, step_limit=10)
    trap = trap_of(made)
    assert (trap.reason, trap.bundle, trap.cycle) == (TrapReason.STEP_LIMIT, 1, 7)
    assert (trap.engine, trap.slot, trap.address, trap.source) == (None, None, None, None)
    assert str(trap) == "trap at bundle 1, cycle 7: more than 10 bundles executed"
    assert made.scratch[0] == 4


def test_step_limit_allows_as_many_bundles():
    assert machine([{}, {}, {}], step_limit=3).run() is Status.HALTED
    assert machine([], step_limit=0).run() is Status.HALTED
    assert trap_of(machine([{}, {}, {}], step_limit=2)).reason is TrapReason.STEP_LIMIT
    assert trap_of(machine([{}], step_limit=0)).bundle == 0


def test_step_limit_counts_over_pauses_and_steps():
    made = machine([{"flow": [("pause",)]}, {}, {}], step_limit=2)
    assert made.run() is Status.PAUSED
    assert made.step() is Status.RUNNING
    with pytest.raises(Trap):
        made.step()


def test_illegal_programs_do_not_start():
    with pytest.raises(CompileError, match="illegal program: bundle 1: alu slot 0: engine 'alu'"):
        machine([{}, {"alu": [("load", 0, 1)]}])
