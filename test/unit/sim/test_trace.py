import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.machine_code import program
from vliw_mlir.errors import CompileError
from vliw_mlir.sim.program import Bundle
from vliw_mlir.sim.trace import TraceSummary, write_trace
from vliw_mlir.target import Target

BUNDLES: list[Bundle] = [
    {"load": [("const", 0, 5), ("const", 2, 1)]},
    {"debug": [("comment", {"free": True})]},
    {"load": [("load_offset", 8, -3, 3)], "store": [("store", 0, 2)], "flow": [("pause",)]},
    {"alu": [("+", 3, 0, 2), ("+", 4, 0, 2)], "load": [("vload", 16, 0)]},
    {"flow": [("jump", 3)]},
]


def trace(path: Path, bundles: list[Bundle], **options: Any) -> tuple[Any, TraceSummary]:
    memory = np.arange(20, dtype=np.uint32)
    sources = options.pop("sources", None)
    target = options.pop("target", None)
    made = program(bundles, target, sources=sources)
    summary = write_trace(made, memory, path / "trace.json", **options)
    assert memory.tolist() == list(range(20))
    data = json.loads((path / "trace.json").read_text())
    assert set(data) == {"displayTimeUnit", "traceEvents", "otherData"}
    for event in data["traceEvents"]:
        check_event(event)
    return data, summary


def check_event(event: dict[str, Any]) -> None:
    """What the trace event format asks for."""
    assert event["ph"] in ("M", "X", "C")
    assert isinstance(event["name"], str)
    assert isinstance(event["pid"], int)
    assert isinstance(event["args"], dict)
    if event["ph"] == "M":
        assert event["name"] in ("process_name", "process_sort_index", "thread_name")
        return
    assert event["ts"] >= 0
    if event["ph"] == "X":
        assert isinstance(event["tid"], int)
        assert event["dur"] in (0, 1)


def events(data: Any, phase: str) -> list[dict[str, Any]]:
    return [event for event in data["traceEvents"] if event["ph"] == phase]


def test_every_slot_of_every_engine_is_a_track(tmp_path: Path):
    target = Target.from_dict({"engines": {"alu": 2, "debug": 1}})
    data, _ = trace(tmp_path, [{}], target=target)
    metadata = events(data, "M")
    processes = {e["pid"]: e["args"]["name"] for e in metadata if e["name"] == "process_name"}
    assert list(processes.values()) == ["alu", "valu", "load", "store", "flow", "debug"]
    threads = [e for e in metadata if e["name"] == "thread_name"]
    assert len({(e["pid"], e["tid"]) for e in threads}) == len(threads) == 2 + 6 + 2 + 2 + 1 + 1
    names = [e["args"]["name"] for e in threads if processes[e["pid"]] == "alu"]
    assert names == ["alu 0", "alu 1"]


def test_slots_are_events(tmp_path: Path):
    sources = [["", ""], ["x"], ["k.mlir:1:2", "", ""], ["", "", ""], [""]]
    data, summary = trace(tmp_path, BUNDLES, limit=7, sources=sources)
    slots = events(data, "X")
    assert summary.events == len(slots) == 2 + 1 + 3 + (3 + 1) * 2 + 3
    assert [(e["name"], e["ts"], e["dur"]) for e in slots[:6]] == [
        ("const", 0, 1),
        ("const", 0, 1),
        ("comment", 1, 0),
        ("load_offset", 1, 1),
        ("store", 1, 1),
        ("pause", 1, 1),
    ]
    assert slots[0]["pid"] == slots[1]["pid"] == slots[3]["pid"]
    assert (slots[0]["tid"], slots[1]["tid"]) == (1, 2)
    assert slots[2]["args"] == {"bundle": 1, "operands": [{"free": True}], "source": "x"}
    assert slots[3]["args"] == {
        "bundle": 2,
        "operands": [8, -3, 3],
        "source": "k.mlir:1:2",
        "address": 5,
    }
    assert slots[4]["args"] == {"bundle": 2, "operands": [0, 2], "address": 5}
    assert slots[8]["args"] == {"bundle": 3, "operands": [16, 0], "address": 5}
    assert slots[9]["args"] == {"bundle": 4, "operands": [3]}


def test_occupancy_counters(tmp_path: Path):
    data, _ = trace(tmp_path, BUNDLES[:4])
    counters = [(e["name"], e["ts"], e["args"]["slots"]) for e in events(data, "C")]
    assert counters == [
        ("load occupancy", 0, 2),
        ("load occupancy", 1, 1),
        ("store occupancy", 1, 1),
        ("flow occupancy", 1, 1),
        ("alu occupancy", 2, 2),
        ("store occupancy", 2, 0),
        ("flow occupancy", 2, 0),
        ("alu occupancy", 3, 0),
        ("load occupancy", 3, 0),
    ]


@pytest.mark.parametrize(
    ("bundles", "limit", "cycles", "truncated"),
    [
        (BUNDLES, 7, 7, True),
        (BUNDLES[:4], 3, 3, False),
        (BUNDLES[:4], 2, 2, True),
        ([], 0, 0, False),
    ],
)
def test_truncation_is_told(
    tmp_path: Path, bundles: list[Bundle], limit: int, cycles: int, truncated: bool
):
    data, summary = trace(tmp_path, bundles, limit=limit)
    assert (summary.cycles, summary.truncated, summary.trap) == (cycles, truncated, None)
    assert data["otherData"] == vars(summary)


def test_a_halt_within_the_program_ends_the_trace(tmp_path: Path):
    _, summary = trace(tmp_path, [{"flow": [("halt",)]}, {"alu": [("+", 0, 0, 0)]}], limit=1)
    assert (summary.cycles, summary.truncated) == (1, False)


def test_a_trap_ends_the_trace(tmp_path: Path):
    data, summary = trace(tmp_path, [*BUNDLES[:2], {"alu": [("%", 0, 0, 1)]}])
    assert summary.trap == "trap at bundle 2, cycle 1, alu slot 0: division by zero"
    assert (summary.cycles, summary.truncated) == (1, False)
    assert data["otherData"]["trap"] == summary.trap
    assert [e["name"] for e in events(data, "X")] == ["const", "const", "comment"]


def test_a_file_that_cannot_be_written(tmp_path: Path):
    with pytest.raises(CompileError, match="cannot write trace file"):
        trace(tmp_path / "missing", BUNDLES)
