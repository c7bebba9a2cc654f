"""Control flow and data flow of programs written by hand."""

from __future__ import annotations

import pytest

from support.machine_code import program
from vliw_mlir.report.flow import chains, followers, slot_flows, words_in_use
from vliw_mlir.sim.program import Bundle
from vliw_mlir.target import Target

SCRATCH = Target.default().scratch


def flow_of(*slots: tuple[str, tuple[object, ...]]) -> list[tuple[object, object]]:
    bundle: Bundle = {}
    for engine, slot in slots:
        bundle.setdefault(engine, []).append(slot)
    (flows,) = slot_flows(program([bundle]))
    return [(flow.reads, flow.writes) for flow in flows]


def test_reads_and_writes():
    assert flow_of(("valu", ("multiply_add", 0, 8, 16, 24)), ("store", ("vstore", 3, 40))) == [
        ([(8, 8), (16, 8), (24, 8)], [(0, 8)]),
        ([(3, 1), (40, 8)], []),
    ]


def test_offsets_count():
    assert flow_of(("load", ("load_offset", 8, 20, 3))) == [([(23, 1)], [(11, 1)])]


@pytest.mark.parametrize(
    ("slot", "expected"),
    [
        (("cond_jump", 0, 0), [1, 0]),
        (("cond_jump_rel", 0, -1), [1, 0]),
        (("jump", 2), [2]),
        (("halt",), []),
        (("pause",), [1]),
        (("jump_indirect", 0), [0, 1, 2, 3]),
    ],
)
def test_followers(slot: tuple[object, ...], expected: list[int]):
    made = program([{"flow": [slot]}, {"flow": [("pause",)]}, {}])
    assert [list(after) for after in followers(made)] == [expected, [2], [3]]


# A chain of three, beside an instruction of its own; the last bundle reads what the first wrote.
CHAIN: list[Bundle] = [
    {"load": [("const", 0, 1), ("const", 9, 1)]},
    {"alu": [("+", 1, 0, 0)]},
    {"alu": [("+", 2, 1, 0), ("+", 0, 0, 0)]},
    {"store": [("store", 2, 0)]},
]


def test_chains():
    found = chains(slot_flows(program(CHAIN)), SCRATCH)
    assert found.before == [0, 0, 1, 2, 1, 3]
    assert found.behind == [3, 0, 2, 1, 1, 0]
    assert found.producer == [-1, -1, 0, 2, 0, 3]
    assert found.consumer == [2, -1, 3, 5, 5, -1]


def test_a_bundle_does_not_see_what_it_writes():
    bundles: list[Bundle] = [{"alu": [("+", 0, 1, 1), ("+", 1, 0, 0)]}]
    assert chains(slot_flows(program(bundles)), SCRATCH).before == [0, 0]


def words(bundles: list[Bundle]) -> list[int]:
    made = program(bundles)
    return words_in_use(made, slot_flows(made))


def test_words_in_use():
    assert words(CHAIN) == [0, 1, 2, 2]


def test_words_are_in_use_around_a_loop():
    assert words(
        [
            {"load": [("const", 0, 9), ("const", 1, 1)]},
            {"valu": [("vbroadcast", 8, 1)]},
            {"alu": [("-", 0, 0, 1)], "store": [("vstore", 1, 8)]},
            {"flow": [("cond_jump", 0, 2)]},
            {"store": [("store", 1, 0)]},
        ]
    ) == [0, 2, 10, 10, 2]


def test_words_in_use_where_an_indirect_jump_may_lead():
    assert words(
        [
            {"flow": [("jump_indirect", 0)]},
            {"store": [("store", 1, 2)]},
        ]
    ) == [3, 2]
