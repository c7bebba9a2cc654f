import json

from support.machine_code import machine
from vliw_mlir.sim.program import Bundle
from vliw_mlir.sim.statistics import EngineUse, LoopUse, collect_statistics

# Two nested loops: 3 times (2 times an inner bundle).
NESTED: list[Bundle] = [
    {"load": [("const", 0, 3), ("const", 1, 1)]},
    {"load": [("const", 2, 2)]},
    {"alu": [("-", 2, 2, 1), ("+", 3, 3, 1)], "load": [("load", 4, 5), ("vload", 8, 5)]},
    {"flow": [("cond_jump", 2, 2)], "store": [("store", 5, 4)], "debug": [("comment", "inner")]},
    {"debug": [("comment", "nothing")]},
    {"alu": [("-", 0, 0, 1)]},
    {"flow": [("cond_jump_rel", 0, -6)], "store": [("vstore", 5, 8)]},
    {"flow": [("jump", 9)]},
    {"flow": [("jump", 0)]},
    {"flow": [("jump_indirect", 6)]},
    {},
]
SOURCES = [
    ["a", "a"],
    [""],
    ["b", "c", "b", "b"],
    ["c", "b", ""],
    [""],
    ["d"],
    ["a", "d"],
    [""],
    [""],
    [""],
    [],
]


def test_statistics_of_nested_loops():
    made = machine(NESTED, scratch={6: 10}, sources=SOURCES)
    made.run()
    statistics = collect_statistics(made)
    assert statistics.cycles == 1 + 3 * (1 + 2 * 2 + 2) + 2
    assert statistics.bundles == statistics.cycles + 3 + 1
    assert statistics.engines == {
        "alu": EngineUse(12, 6 * 2 + 3, 15 / (24 * 12)),
        "valu": EngineUse(6, 0, 0.0),
        "load": EngineUse(2, 2 + 3 + 6 * 2, 17 / 48),
        "store": EngineUse(2, 6 + 3, 9 / 48),
        "flow": EngineUse(1, 6 + 3 + 2, 11 / 24),
    }
    assert (statistics.loads, statistics.stores) == (12, 9)
    assert (statistics.branches, statistics.branches_taken) == (11, 3 + 2 + 2)
    assert statistics.sources == {"a": 4, "b": 12, "c": 12, "d": 6}
    assert statistics.loops == (
        LoopUse(first=2, last=3, iterations=3, bundles=12, cycles=12, source="c"),
        LoopUse(first=1, last=6, iterations=2, bundles=24, cycles=21, source="a"),
        LoopUse(first=0, last=8, iterations=0, bundles=26, cycles=23, source=""),
    )


def test_statistics_before_the_run():
    statistics = collect_statistics(machine(NESTED))
    assert (statistics.cycles, statistics.bundles, statistics.sources) == (0, 0, {})
    assert statistics.engines["alu"].utilization == 0.0


def test_statistics_are_plain_data():
    made = machine(NESTED, scratch={6: 10}, sources=SOURCES)
    made.run()
    data = json.loads(json.dumps(collect_statistics(made).to_dict()))
    assert data["engines"]["flow"] == {"slots": 1, "used": 11, "utilization": 11 / 24}
    assert data["loops"][0]["source"] == "c"
