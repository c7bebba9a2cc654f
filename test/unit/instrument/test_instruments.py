import io
import json
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, StringAttr, i32
from xdsl.ir import Block, Region
from xdsl.passes import ModulePass

from vliw_mlir.errors import CompileError
from vliw_mlir.instrument import (
    Instrument,
    InternalError,
    PassRun,
    Remark,
    RemarkKind,
    Statistics,
    StatisticsTable,
    collecting_statistics,
    emitting_remarks,
    phase,
    pipeline_to_text,
    remark,
    remarks_enabled,
    run_pipeline,
)
from vliw_mlir.instrument.printing import IRPrinting
from vliw_mlir.instrument.reproducer import Configuration, CrashReproducer
from vliw_mlir.instrument.timing import PassTiming, TimingTree, measuring
from vliw_mlir.instrument.verification import Verification
from vliw_mlir.pipeline_parser import parse_passes
from vliw_mlir.source import make_context, parse_module


@dataclass(frozen=True)
class Nothing(ModulePass):
    name = "nothing"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pass


@dataclass(frozen=True)
class Mark(ModulePass):
    """Marks the module, and says and counts so."""

    name = "mark"
    value: str = "x"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        Statistics(self).count("num-marked")
        remark(op, self.name, lambda: f"marked with {self.value}", RemarkKind.PASSED)
        with phase("inner"):
            op.attributes["mark"] = StringAttr(self.value)


@dataclass(frozen=True)
class Reject(ModulePass):
    name = "reject"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise CompileError("unsupported", "k.mlir:1:2")


@dataclass(frozen=True)
class Crash(ModulePass):
    name = "crash"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        op.attributes["half"] = StringAttr("done")
        raise KeyError("oops")


@dataclass(frozen=True)
class Break(ModulePass):
    """Leaves a use before its definition."""

    name = "break"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        definition = test.TestOp(result_types=[i32])
        body = Block([test.TestOp(definition.results), definition, test.TestTermOp()])
        op.body.block.add_op(test.TestOp(regions=[Region(body)]))


PASSES = {p.name: (lambda p=p: p) for p in (Nothing, Mark, Reject, Crash, Break)}


def run(*passes: ModulePass, instruments: list[Instrument] | None = None) -> ModuleOp:
    module = ModuleOp([])
    run_pipeline(Context(), module, passes, instruments or [])
    return module


class Log(Instrument):
    def __init__(self, name: str, log: list[str]):
        self.name, self.log = name, log

    def before_pass(self, run: PassRun) -> None:
        self.log.append(f"{self.name} before {run.name}")

    def after_pass(self, run: PassRun) -> None:
        self.log.append(f"{self.name} after {run.name}")

    def pass_failed(self, run: PassRun, error: Exception) -> None:
        self.log.append(f"{self.name} failed {run.name}: {type(error).__name__}")


def test_hooks_nest():
    log: list[str] = []
    run(Nothing(), Mark(), instruments=[Log("outer", log), Log("inner", log)])
    assert log == [
        f"{who} {when} {name}"
        for name in ("nothing", "mark")
        for who, when in (
            ("outer", "before"),
            ("inner", "before"),
            ("inner", "after"),
            ("outer", "after"),
        )
    ]


def test_a_rejected_input_is_passed_on():
    log: list[str] = []
    with pytest.raises(CompileError, match=r"k.mlir:1:2: unsupported"):
        run(Reject(), Mark(), instruments=[Log("log", log)])
    assert log == ["log before reject", "log failed reject: CompileError"]


def test_a_crash_names_the_pass():
    with pytest.raises(InternalError, match=r"pass 'crash' crashed: KeyError: 'oops'") as e:
        run(Crash())
    assert e.value.pass_name == "crash"
    assert isinstance(e.value.__cause__, KeyError)


def test_verification_blames_the_pass():
    with pytest.raises(InternalError, match=r"pass 'break' produced invalid IR: .*dominate"):
        run(Mark(), Break(), instruments=[Verification()])
    run(Break())


def test_pipeline_text_parses_back():
    passes = [Nothing(), Mark(), Mark("a b")]
    text = pipeline_to_text(passes)
    assert text == 'nothing,mark,mark{value="a b"}'
    assert parse_passes(text, PASSES) == passes


def printed(*passes: ModulePass, **options: Any) -> list[str]:
    stream = io.StringIO()
    with suppress(CompileError):
        run(*passes, instruments=[IRPrinting(stream=stream, **options)])
    return re.findall(r"// -----// IR Dump (.*) //----- //", stream.getvalue())


def test_printing_selected_passes():
    assert printed(Nothing(), Mark(), before=["mark"], after=["nothing"]) == [
        "After nothing",
        "Before mark",
    ]
    assert printed(Nothing(), Mark(), after=None) == ["After nothing", "After mark"]
    assert printed(Nothing()) == []


def test_printing_only_changes():
    passes = (Nothing(), Mark(), Mark(), Mark("y"))
    assert printed(*passes, after=None, only_changes=True) == ["After mark", "After mark"]
    assert printed(*passes, after=["nothing"], only_changes=True) == []


def test_printing_a_failure():
    assert printed(Nothing(), Reject(), after=["reject"]) == ["After reject Failed"]


def test_timing_tree():
    tree = TimingTree()
    with measuring(tree):
        with phase("Parser"):
            time.sleep(0.002)
        run(Mark(), Mark("y"), instruments=[Verification(), PassTiming()])
    report = tree.report()
    names = re.findall(r"%\)  ( *\S.*)", report)
    assert names == ["Parser", "mark", "  inner", "(verify)", "Rest", "Total"]
    assert tree.root.children["Parser"].seconds >= 0.002
    shares = [float(s) for s in re.findall(r"\( *([0-9.]+)%\)  \S", report)]
    assert sum(shares[:-1]) == pytest.approx(100, abs=0.5)


def test_timing_survives_a_failure():
    tree = TimingTree()
    with measuring(tree), pytest.raises(InternalError):
        run(Crash(), instruments=[PassTiming()])
    assert list(tree.root.children) == ["crash"]
    assert "crash" in tree.report()


def test_phases_cost_nothing_without_a_tree():
    with phase("alone"):
        pass


def test_statistics_of_equal_passes_add_up():
    with collecting_statistics(StatisticsTable()) as table:
        run(Mark(), Nothing(), Mark())
    assert table.counters == {"mark": {"num-marked": 2}}
    assert json.loads(table.to_json()) == table.counters
    assert re.search(r"mark\n +2 +num-marked", table.to_text())


def test_statistics_are_off_by_default():
    counters = Statistics("somewhere")
    counters.count("num-things", 3)
    with collecting_statistics(StatisticsTable()) as table:
        counters.count("num-things")
    assert table.counters == {}


def test_remarks():
    remarks: list[Remark] = []
    module = parse_module(make_context(), "\n  module {}", "k.mlir")
    with emitting_remarks(remarks.append, "mar"):
        run_pipeline(Context(), module, [Mark()])
        remark(module, "other", "hidden")
        assert remarks_enabled("mark")
        assert not remarks_enabled("other")
    remark(module, "mark", "too late")
    assert remarks == [Remark(RemarkKind.PASSED, "mark", "marked with x", "k.mlir:2:3")]
    assert remarks[0].text == "marked with x [mark: passed]"


def test_a_remark_nobody_wants_is_not_built():
    def build() -> str:
        raise AssertionError

    with emitting_remarks(print, "^other$"):
        remark(ModuleOp([]), "mark", build)
    remark(ModuleOp([]), "mark", build)


def reproducer(path: Path) -> CrashReproducer:
    return CrashReproducer(path, verify_each=True, allow_unregistered_dialect=False)


def test_reproducer_of_a_crash(tmp_path: Path):
    path = tmp_path / "bug.mlir"
    with pytest.raises(InternalError):
        run(Mark(), Crash(), Mark("y"), instruments=[reproducer(path)])
    text = path.read_text()
    configuration = Configuration.from_text(text, str(path))
    assert configuration == Configuration('crash,mark{value="y"}')
    module = parse_module(make_context(), text)
    assert set(module.attributes) == {"mark"}, "the IR is that before the crash"


def test_reproducer_of_invalid_ir(tmp_path: Path):
    path = tmp_path / "bug.mlir"
    with pytest.raises(InternalError):
        run(Break(), instruments=[reproducer(path), Verification()])
    assert Configuration.from_text(path.read_text(), "").passes == "break"


def test_no_reproducer_without_failure(tmp_path: Path):
    path = tmp_path / "bug.mlir"
    run(Mark(), instruments=[reproducer(path), Verification()])
    assert not path.exists()


def test_reproducer_that_cannot_be_written(tmp_path: Path):
    with pytest.raises(CompileError, match="cannot write the reproducer"):
        run(Crash(), instruments=[reproducer(tmp_path / "no" / "where")])


@pytest.mark.parametrize("text", ["module {}", "// configuration: {", '// configuration: {"a": 1}'])
def test_what_is_not_a_reproducer(text: str):
    with pytest.raises(CompileError, match=r"bug.mlir:1:1: .*reproducer"):
        Configuration.from_text(text, "bug.mlir")
