"""vliw-opt in the same process, with passes made to misbehave; test/lit/tools runs the program."""

import argparse
import io
import re
import runpy
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from xdsl.context import Context
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Block, Region
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.exceptions import ShrinkException
from xdsl.xdsl_opt_main import xDSLOptMain

from vliw_mlir.errors import fail
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.source import multiverse
from vliw_mlir.tools import vliw_opt

GOOD = "func.func @f(%a: i32) -> i32 {\n  return %a : i32\n}\n"
BAD = 'func.func @g() {\n  "arith.addi"() : () -> ()\n  return\n}\n'


@dataclass(frozen=True)
class Crash(ModulePass):
    name = "test-crash"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise KeyError("oops")


@dataclass(frozen=True)
class Reject(ModulePass):
    name = "test-reject"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        last = op.body.block.last_op
        assert last is not None
        fail(last, "not supported")


@dataclass(frozen=True)
class Break(ModulePass):
    name = "test-break"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        definition = test.TestOp(result_types=[i32])
        body = Block([test.TestOp(definition.results), definition, test.TestTermOp()])
        op.body.block.add_op(test.TestOp(regions=[Region(body)]))


@dataclass(frozen=True)
class Talk(ModulePass):
    """Emits a remark on every operation.

    Also counts them.
    """

    name = "test-talk"
    loud: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for nested in op.body.block.ops:
            statistics.count("num-ops")
            remark(nested, self.name, f"saw {nested.name}", RemarkKind.ANALYSIS)


@dataclass(frozen=True)
class Shrink(ModulePass):
    name = "test-shrink"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise ShrinkException


class Outcome:
    def __init__(self, status: int, out: str, err: str):
        self.status, self.out, self.err = status, out, err


class Runner:
    """Runs vliw-opt on a text."""

    def __init__(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ):
        self.monkeypatch, self.capsys = monkeypatch, capsys
        monkeypatch.chdir(tmp_path)
        installed = multiverse()
        passes = {p.name: (lambda p=p: p) for p in (Crash, Reject, Break, Talk, Shrink)}
        universe = Universe(
            all_dialects=installed.all_dialects,
            all_passes=installed.all_passes | passes,
            all_targets=installed.all_targets,
            all_frontends=installed.all_frontends,
        )
        monkeypatch.setattr(vliw_opt, "multiverse", lambda: universe)

    def __call__(self, text: str | None, *arguments: str) -> Outcome:
        files = []
        if text is not None:
            Path("k.mlir").write_text(text)
            files = ["k.mlir"]
        try:
            status = vliw_opt.main([*arguments, *files])
        except SystemExit as e:
            status = cast(int, e.code)
        captured = self.capsys.readouterr()
        assert ("Traceback" in captured.err) == ("--debug" in arguments and status != 0)
        return Outcome(status, captured.out, captured.err)


@pytest.fixture
def opt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Runner:
    return Runner(tmp_path, monkeypatch, capsys)


def test_has_all_options_of_xdsl_opt():
    theirs = argparse.ArgumentParser()
    main = xDSLOptMain.__new__(xDSLOptMain)
    main.available_frontends = main.available_passes = main.available_targets = {}
    main.register_all_arguments(theirs)
    ours = vliw_opt.make_parser([], [], "")
    options = {o for a in ours._actions for o in a.option_strings}
    assert {o for a in theirs._actions for o in a.option_strings} <= options


def test_error_of_a_pass(opt: Runner):
    result = opt(GOOD, "-p", "test-reject")
    assert (result.status, result.out) == (1, "")
    assert result.err == ("k.mlir:1:1: error: not supported\nfunc.func @f(%a: i32) -> i32 {\n^\n")


def test_crash_of_a_pass(opt: Runner):
    result = opt(GOOD, "-p", "test-crash")
    assert (result.status, result.out) == (1, "")
    assert result.err.startswith(
        "vliw-opt: error: internal error: pass 'test-crash' crashed: KeyError: 'oops' (a bug"
    )
    assert "--debug" in result.err
    assert "--crash-reproducer" in result.err
    assert result.err.count("\n") == 1
    assert opt(GOOD, "-p", "test-crash", "--debug").err.startswith("Traceback")


def test_invalid_ir_after_a_pass(opt: Runner):
    result = opt(GOOD, "-p", "test-break,canonicalize")
    assert result.status == 1
    assert "pass 'test-break' produced invalid IR: 'test.op' op operand #0" in result.err
    for switch in ("--verify-each=0", "--no-verify-each"):
        assert opt(GOOD, "-p", "test-break", switch).status == 0


def test_reproducer(opt: Runner):
    result = opt(GOOD, "-p", "canonicalize,test-crash,cse", "--crash-reproducer", "bug.mlir")
    assert result.status == 1
    text = Path("bug.mlir").read_text()
    assert text.startswith('// configuration: {"passes": "test-crash,cse", ')
    again = opt(None, "--run-reproducer", "bug.mlir")
    assert again.status == 1
    assert "pass 'test-crash' crashed" in again.err
    assert "must begin with" in opt(GOOD, "--run-reproducer").err


def test_reproducer_keeps_the_settings(opt: Runner):
    unknown = 'func.func @f() {\n  "no.op"() : () -> ()\n  return\n}\n'
    arguments = ("--allow-unregistered-dialect", "--no-verify-each", "-p", "test-break,test-crash")
    assert opt(unknown, *arguments, "--crash-reproducer=bug.mlir").status == 1
    again = opt(None, "--run-reproducer", "bug.mlir")
    assert "pass 'test-crash' crashed" in again.err


def test_remarks(opt: Runner):
    assert opt(GOOD, "-p", "test-talk").err == ""
    line = "k.mlir:1:1: remark: saw func.func [test-talk: analysis]"
    for option in ("--remarks", "--remarks=talk"):
        assert opt(GOOD, "-p", "test-talk", option).err.splitlines()[0] == line
    assert opt(GOOD, "-p", "test-talk", "--remarks=^talk").err == ""
    assert opt(GOOD, "--remarks=(").status == 2


def test_expected_remarks(opt: Runner):
    text = "// expected-remark@below {{saw func.func}}\n" + GOOD
    arguments = ("-p", "test-talk", "--verify-diagnostics", "--remarks")
    assert opt(text, *arguments).status == 0
    result = opt(text.replace("saw", "heard"), *arguments)
    assert result.status == 1
    assert "k.mlir:1:1: error: expected remark was not produced: heard func.func" in result.err
    assert "k.mlir:2:1: error: unexpected remark: saw func.func" in result.err


def test_statistics(opt: Runner):
    text = GOOD + "// -----\n" + GOOD
    result = opt(text, "--split-input-file", "-p", "test-talk", "--pass-statistics")
    assert re.search(r"test-talk\n +2 +num-ops", result.err)
    result = opt(text, "-p", "test-talk", "--split-input-file", "--pass-statistics=json")
    assert result.err == '{\n  "test-talk": {\n    "num-ops": 2\n  }\n}\n'


def test_timing(opt: Runner):
    result = opt(GOOD, "-p", "canonicalize,cse", "--timing")
    names = re.findall(r"%\)  ( *\S.*)", result.err)
    wanted = ["Parser", "Verifier", "canonicalize", "(verify)", "cse", "Output", "Rest", "Total"]
    assert names == wanted
    assert re.search(
        r"Pass cse took [0-9.e-]+ seconds", opt(GOOD, "-p", "cse", "--time-passes").out
    )


def headers(result: Outcome) -> list[str]:
    return re.findall(r"// -----// IR Dump (.*) //----- //", result.err)


def test_printing_ir(opt: Runner):
    passes = ("-p", "test-talk,canonicalize")
    assert headers(opt(GOOD, *passes, "--print-ir-after-all")) == [
        "After test-talk",
        "After canonicalize",
    ]
    assert headers(opt(GOOD, *passes, "--print-ir-before")) == [
        "Before test-talk",
        "Before canonicalize",
    ]
    assert headers(
        opt(GOOD, *passes, "--print-ir-before-all", "--print-ir-after=canonicalize")
    ) == [
        "Before test-talk",
        "Before canonicalize",
        "After canonicalize",
    ]
    assert headers(opt(GOOD, *passes, "--print-ir-after-change")) == []
    dead = GOOD.replace("{\n", "{\n  %x = arith.addi %a, %a : i32\n")
    assert headers(opt(dead, *passes, "--print-ir-after-change")) == ["After canonicalize"]
    assert (
        headers(opt(dead, *passes, "--print-ir-after=test-talk", "--print-ir-after-change")) == []
    )
    between = opt(GOOD, *passes, "--print-between-passes").out
    assert between.startswith("IR after test-talk:\nbuiltin.module")
    assert opt(GOOD, "--print-ir-after=canonicalise").status == 2


def test_split_input_goes_on_after_an_error(opt: Runner):
    result = opt(f"{BAD}// -----\n{GOOD}// -----\n{BAD}", "--split-input-file")
    assert result.status == 1
    assert "func.func @f" in result.out
    assert [line for line in result.err.splitlines() if "error" in line] == [
        "k.mlir:2:3: error: 'arith.addi' op Expected 2 operands, but got 0",
        "k.mlir:11:3: error: 'arith.addi' op Expected 2 operands, but got 0",
    ]


def test_diagnostics_as_xdsl_opt_understands_them(opt: Runner):
    result = opt(BAD, "--verify-diagnostics")
    assert (result.status, result.err) == (0, "")
    assert "Expected 2 operands" in result.out
    result = opt("foo", "--parsing-diagnostics")
    assert (result.status, result.err) == (0, "")
    assert "k.mlir:1:1: error: operation 'foo' is not registered" in result.out
    assert opt("foo", "--verify-diagnostics").status == 1


def test_expected_errors(opt: Runner):
    text = BAD.replace("  return", "  // expected-error@-1 {{2 oper}}\n  return")
    assert opt(text, "--verify-diagnostics").status == 0
    assert opt(text + "// -----\nfoo", "--verify-diagnostics", "--split-input-file").status == 1
    parse_error = "foo // expected-error {{operation 'foo' is not registered}}"
    assert opt(parse_error, "--verify-diagnostics").status == 0


def test_output_file_is_written_only_on_success(opt: Runner):
    assert opt(GOOD, "-o", "out.mlir").out == ""
    assert "func.func @f" in Path("out.mlir").read_text()
    assert opt(BAD, "-o", "out.mlir").status == 1
    assert "func.func @f" in Path("out.mlir").read_text()
    result = opt(GOOD, "-o", "no/where.mlir")
    assert result.status == 1
    assert result.err.startswith("vliw-opt: error: cannot access 'no/where.mlir'")


def test_in_place(opt: Runner):
    assert opt(GOOD, "-o", "k.mlir").status == 0
    assert Path("k.mlir").read_text().startswith("builtin.module")


def test_pipelines(opt: Runner):
    level = opt(None, "-O1", "--print-pipeline")
    assert level.status == 0
    both = opt(None, "-p", "cse,test-talk{loud}", "-O1", "--print-pipeline").out
    assert both == ",".join(filter(None, [level.out.strip(), "cse,test-talk{loud=true}"])) + "\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-p", "canonicalise"], "unknown pass 'canonicalise'; did you mean 'canonicalize'?"),
        (["-p", "test-talk{lout}"], "has no option 'lout'; did you mean 'loud'?"),
        (["-p", "a,,b"], "malformed pipeline"),
        (["--timming"], "unknown argument '--timming'; did you mean '--timing'?"),
        (["-t", "mlit"], "-t/--target: unknown name 'mlit'; did you mean 'mlir'?"),
        (["-t", "mlir{"], "-t/--target: malformed value 'mlir{'"),
        (["-t", "mlir{x=1}"], "-t/--target: "),
        (["-f", "mlirr"], "-f/--frontend: unknown name 'mlirr'"),
        (["-O4"], "invalid choice: '4'"),
        (["--verify-each=2"], "must be 0 or 1, not '2'"),
        (["--machine", "gone.toml"], "cannot read target file 'gone.toml'"),
    ],
)
def test_usage_errors(opt: Runner, arguments: list[str], message: str):
    result = opt(GOOD, *arguments)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("vliw-opt: error: ")
    assert message in result.err
    assert result.err.count("\n") == 1


def test_machine(opt: Runner):
    Path("m.toml").write_text("scratch = 64\n")
    assert "scratch = 64" in opt(GOOD, "--machine", "m.toml").out


def test_list_of_passes(opt: Runner):
    result = opt(None, "--list-passes")
    assert result.status == 0
    assert re.search(
        r"\n  test-talk +Emits a remark on every operation\.\n      loud: bool = false\n",
        result.out,
    )
    assert re.search(r"^  test-crash$", result.out, re.MULTILINE)


def test_help_is_readable(opt: Runner):
    result = opt(None, "--help")
    assert result.status == 0
    assert "examples:" in result.out
    assert "canonicalize-dmp" not in result.out
    assert "test-talk" not in result.out


def test_bad_input_files(opt: Runner):
    result = opt(None, "gone.mlir")
    assert result.status == 1
    assert result.err == ("vliw-opt: error: cannot access 'gone.mlir': No such file or directory\n")
    Path("binary.mlir").write_bytes(b"\xff\xfe")
    result = opt(None, "binary.mlir")
    assert result.status == 1
    assert result.err.startswith("binary.mlir: error: not UTF-8 text")


def test_stdin(opt: Runner):
    for name in ([], ["-"]):
        data = io.TextIOWrapper(io.BytesIO(b"\nfoo"))
        opt.monkeypatch.setattr(sys, "stdin", data)
        result = opt(None, *name)
        assert result.err.startswith("<stdin>:2:1: error: operation 'foo' is not registered")


def test_other_suffixes_are_read_as_mlir(opt: Runner):
    Path("k.txt").write_text(GOOD)
    assert opt(None, "k.txt").status == 0


def test_shrink(opt: Runner):
    assert opt(GOOD, "-p", "test-shrink", "--shrink").status == 0
    assert opt(GOOD, "--shrink").status == 1


def test_generic_output(opt: Runner):
    assert '"func.func"' in opt(GOOD, "--print-op-generic").out
    assert 'loc("k.mlir":1:1)' in opt(GOOD, "--print-debuginfo").out


def test_deep_nesting_is_read(opt: Runner):
    depth = 400
    text = "func.func @f(%c: i1) {" + "scf.if %c {" * depth + "}" * depth + "return }"
    assert opt(text).status == 0


def test_module_entry_point(opt: Runner):
    Path("k.mlir").write_text(GOOD)
    for arguments, status in ((["opt", "k.mlir"], 0), (["--help"], 0), (["bake"], 2), ([], 2)):
        opt.monkeypatch.setattr(sys, "argv", ["vliw_mlir", *arguments])
        with pytest.raises(SystemExit) as e:
            runpy.run_module("vliw_mlir", run_name="__main__")
        assert e.value.code == status
