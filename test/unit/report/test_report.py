"""Whole reports: of programs written by hand, and of a compiled kernel with its record."""

from __future__ import annotations

import json
import re
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

import pytest

from support.machine_code import program
from support.reports import compiled, report_of
from support.work import growth
from vliw_mlir.analysis.resource_bound import Bound
from vliw_mlir.report import Report, make_report, report_text
from vliw_mlir.report.model import EngineWork, Line, Loop, Loss, Pipelining, Region, Step
from vliw_mlir.schedule import machine
from vliw_mlir.schedule.record import BlockRecord, PathStep, ScheduleRecord, loop_summary
from vliw_mlir.schedule.software_pipelining import LoopOutcome
from vliw_mlir.sim.program import Bundle, Program
from vliw_mlir.sim.run import run_program

# Three rounds of a loop, in each of which one of two ways is taken.
LOOP: list[Bundle] = [
    {"load": [("const", 0, 3), ("const", 1, 1)]},
    {"alu": [("-", 0, 0, 1), ("&", 2, 0, 1)], "debug": [("comment", "round")]},
    {"flow": [("cond_jump", 2, 4)]},
    {"alu": [("+", 3, 1, 1), ("+", 4, 1, 1)], "valu": [("vbroadcast", 8, 1)]},
    {"debug": [("comment", "nothing")]},
    {"flow": [("cond_jump", 0, 1)]},
]
SOURCES = [["k:1:1", "k:1:2"], ["k:2:1", "k:3:1", "k:9:9"], ["k:3:1"], ["", "k:4:1", "k:4:2"],
           [""], ["k:2:7"]]  # fmt: skip


def report(bundles: list[Bundle], **fields: Any) -> Report:
    made = program(bundles, **fields)
    return make_report(made, run_program(made, ()), texts={"k": "one\ntwo\nthree"})


def test_regions_of_a_program_without_record():
    found = report(LOOP, sources=SOURCES)
    regions = [(r.first, r.last, r.executed, r.cycles, r.total_cycles) for r in found.regions]
    assert regions == [(0, 0, 1, 1, 1), (1, 2, 3, 2, 6), (3, 3, 1, 1, 1), (4, 5, 3, 1, 3)]
    assert [region.binds for region in found.regions][:3] == [["load"], ["path"], ["alu", "valu"]]
    assert [region.least_cycles for region in found.regions] == [1, 2, 1, 1]
    assert (found.cycles, found.least_cycles, found.ratio) == (11, 11, 1.0)
    assert found.spilled_words is None
    assert not any(region.is_scheduled for region in found.regions)


def test_lines_share_the_cycles_of_their_bundles():
    found = report(LOOP, sources=SOURCES)
    costs = {line.line: line.cycles for line in found.lines}
    # A third of the fourth bundle has no place.
    assert costs == {2: 1.5 + 3, 3: 1.5 + 3, 1: 1, 4: pytest.approx(2 / 3, abs=1e-3)}
    assert [line.text for line in found.lines] == ["two", "three", "one", None]
    assert found.lines[1].slots == {"alu": 3, "flow": 3}


def test_loops():
    (loop,) = report(LOOP, sources=SOURCES).loops
    assert astuple(loop)[:7] == (1, 5, "k:2:7", 1, 3, 10, 10)


def test_profile():
    profile = report(LOOP).profile
    assert profile.executed == [1, 3, 3, 1, 3, 3]
    assert profile.used["alu"] == [0, 2, 0, 2, 0, 0]
    assert profile.words == [0, 2, 3, 2, 2, 2]
    assert "debug" not in profile.used


def test_path_of_bundles():
    (region,) = report(
        [
            {"load": [("const", 0, 1)]},
            {"load": [("const", 5, 1), ("const", 6, 1)]},
            {"load": [("load", 1, 0)], "alu": [("+", 7, 5, 6)]},
        ]
    ).regions
    steps = [(step.earliest, step.bundle, step.engine, step.instruction) for step in region.path]
    assert steps == [(0, 1, "load", "const s5, #1"), (1, 2, "alu", "+ s7, s5, s6")] or steps == [
        (0, 0, "load", "const s0, #1"),
        (1, 2, "load", "load s1, s0"),
    ]
    assert (region.path_cycles, region.slot_cycles, region.least_cycles) == (2, 2, 2)


def test_debug_slots_do_not_count():
    (region,) = report(
        [
            {"load": [("const", 0, 1)]},
            {"debug": [("compare", 0, "key")]},
            {"alu": [("+", 1, 2, 2)], "debug": [("compare", 0, "key")]},
        ]
    ).regions
    assert (region.cycles, region.path_cycles, region.peak_words) == (2, 1, 1)


def test_an_empty_program():
    found = report([])
    assert (found.regions, found.cycles, found.ratio) == ([], 0, 1.0)
    assert "0 cycles" in report_text(found)


def test_ways_out_in_the_midst_of_a_region():
    """The bound of the whole region does not hold for runs that leave it early."""
    made = program(
        [
            {"load": [("const", 0, 1)]},
            {"flow": [("cond_jump", 0, 4)]},
            *[{"flow": [("pause",)]}] * 2,
        ]
    )
    result = run_program(made, ())
    block = BlockRecord(
        0, 4, "", Bound(3, ("flow",), {}, {}, {"flow": 1}), (), 2, 4, 1536, (PathStep(1, 1, 0),)
    )
    found = make_report(made, result, ScheduleRecord((block,), (), 0))
    assert (found.cycles, found.least_cycles) == (2, 2)


def test_the_way_out_at_the_end_of_a_region():
    """What comes behind it is a loop that runs more often."""
    start: list[Bundle] = [
        {"load": [("const", 0, 2), ("const", 1, 1)]},
        {"flow": [("cond_jump", 2, 4)]},
    ]
    loop: list[Bundle] = [{"alu": [("-", 0, 0, 1)]}, {"flow": [("cond_jump", 0, 2)]}]
    made = program([*start, *loop])
    block = BlockRecord(
        0, 2, "", Bound(1, ("load",), {}, {}, {"load": 1}), (), 2, 2, 1536, (PathStep(1, 1, 0),)
    )
    found = make_report(made, run_program(made, ()), ScheduleRecord((block,), (), 0))
    assert (found.cycles, found.least_cycles) == (6, 6)


# A compiled kernel


@pytest.fixture(scope="module")
def kernel() -> tuple[Program, Report]:
    made, record = compiled()
    return made, report_of(made, record)


def test_bounds_of_the_compiler(kernel: tuple[Program, Report]):
    _, found = kernel
    scheduled = [region for region in found.regions if region.is_scheduled]
    assert scheduled
    for region in scheduled:
        assert region.cycles >= region.least_cycles >= max(region.slot_cycles, region.path_cycles)
        assert region.path[-1].earliest + 1 == region.path_cycles
        assert sum(loss.cycles for loss in region.losses) == pytest.approx(region.cycles)
        for step in region.path:
            assert region.first + step.earliest <= step.bundle <= region.last
    assert found.cycles == sum(region.total_cycles for region in found.regions)
    assert found.spilled_words == 0


def test_regions_cover_the_program(kernel: tuple[Program, Report]):
    made, found = kernel
    bundles = [n for region in found.regions for n in range(region.first, region.last + 1)]
    assert bundles == list(range(len(made.bundles)))


def test_lines_of_the_source(kernel: tuple[Program, Report]):
    _, found = kernel
    texts = {line.line: line.text for line in found.lines}
    assert "arith.muli" in (texts[7] or "")
    assert sum(line.cycles for line in found.lines) <= found.cycles


def test_json(kernel: tuple[Program, Report]):
    _, found = kernel
    data = json.loads(json.dumps(found.to_dict()))
    assert data["version"] == 1
    assert data["regions"][0]["losses"][0]["kind"] == "work"
    assert data["regions"][0]["path"][0]["engine"] == "load"


def test_without_optimization_bundles_are_all_there_is():
    made, record = compiled("-O0")
    found = report_of(made, record)
    assert record.blocks == ()
    assert found.spilled_words == 0
    assert "as far as bundles show" in report_text(found)


def test_text(kernel: tuple[Program, Report]):
    _, found = kernel
    text = report_text(found)
    for part in ("at least", "where they go", "longest path of dependences", "arith.muli"):
        assert part in text
    assert len(text) < 20_000


def test_pipelining():
    add = machine.Instruction("alu", "+", (), "k:3:3")
    taken = LoopOutcome("k:2:1", None, 9, 2.25, ("load",), 3, (add, add), 3, 4, 2, 80)
    refused = LoopOutcome("k:8:1", "there are branches inside")
    made = program([])
    record = ScheduleRecord((), (taken, refused), 0)
    found = make_report(made, run_program(made, ()), record)
    first, second = found.to_dict()["pipelining"]
    assert (first["ii"], first["res_mii"], first["rec_mii"]) == (3, 2.25, 3)
    assert first["recurrence"] == [{"mnemonic": "+", "source": "k:3:3"}] * 2
    assert (second["reason"], second["ii"]) == ("there are branches inside", None)
    text = report_text(found)
    assert "+ → +" in text
    assert "there are branches inside" in text
    assert loop_summary(taken) == (
        "pipelined: II 3 in place of 9 cycles, II at least 2.25 by slots of load, "
        "3 by the recurrence + → +; 4 stages, 2 copies, 80 words"
    )
    assert loop_summary(refused) == "not pipelined: there are branches inside"


def test_linear_time():
    def prepare(size: int):
        bundles: list[Bundle] = [{"load": [("const", 0, 1)]}]
        for n in range(size):
            bundles.append({"alu": [("+", n % 99, 0, n % 7)], "valu": [("+", 200, 200, 300)]})
        made = program(bundles, sources=[[""], *[["k:1:1", "k:2:1"]] * size])
        result = run_program(made, ())
        return lambda: make_report(made, result)

    assert growth(prepare, 200) < 5


# What docs/report.md says

DOCUMENT = (Path(__file__).parents[3] / "docs" / "report.md").read_text()


def test_json_is_as_described(kernel: tuple[Program, Report]):
    (text,) = re.findall(r"```json\n(.*?)```", DOCUMENT, re.DOTALL)
    expected, found = json.loads(text), kernel[1].to_dict()
    assert list(expected) == list(found)
    for part in ("machine", "profile"):
        assert expected[part].keys() == found[part].keys()
    region = expected["regions"][0]
    for described, cls in (
        (region, Region),
        (region["engines"]["load"], EngineWork),
        (region["losses"][0], Loss),
        (region["path"][0], Step),
        (expected["loops"][0], Loop),
        (expected["pipelining"][0], Pipelining),
        (expected["lines"][0], Line),
    ):
        assert list(described) == [field.name for field in fields(cls)]


def test_example_is_as_described(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    (example,) = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
    monkeypatch.chdir(Path(__file__).parents[3])
    exec(example, {})
    assert "longest path of dependences" in capsys.readouterr().out
