"""`vliw-run`: every option, every way to use it wrongly, and what it says then."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest

from vliw_mlir.tools.vliw_run import main

KERNEL = """\
func.func @scale(%m: memref<4xi32>, %n: i32) -> i32 {
  %i = arith.constant 1 : index
  %x = memref.load %m[%i] : memref<4xi32>
  %y = arith.divui %x, %n : i32
  memref.store %y, %m[%i] : memref<4xi32>
  return %y : i32
}
"""
CASE = {"args": [[1, 8, 3, 4], 2], "results": [4], "expected": [[1, 4, 3, 4], None]}
OTHER_CASE = {"args": [[1, 30, 3, 4], 3], "results": [10], "expected": [[1, 10, 3, 4], None]}
FIVE = "func.func @five() -> i32 {\n  %c = arith.constant 5 : i32\n  return %c : i32\n}\n"
LOOP = "func.func @loop() {\n  cf.br ^a\n^a:\n  cf.br ^a\n}\n"
STRAIGHT = (
    "inline-calls,convert-std-to-kernel,convert-kernel-to-word,convert-word-scf-to-cf,"
    "legalize-vectors,expand-word-ops,convert-word-to-vliw"
)


class Outcome(NamedTuple):
    """What a run of the tool returned and printed."""

    status: int
    out: str
    err: str


class Tool:
    """Runs `vliw-run` in this process, in a directory of its own."""

    def __init__(self, capsys: pytest.CaptureFixture[str]):
        self._capsys = capsys

    def run(self, *arguments: str) -> Outcome:
        try:
            status = main(arguments)
        except SystemExit as e:
            status = cast(int, e.code)
        captured = self._capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    def output(self, *arguments: str) -> str:
        """The output of a run that succeeds without a word on stderr."""
        outcome = self.run(*arguments)
        assert (outcome.status, outcome.err) == (0, "")
        return outcome.out

    def report(self, *arguments: str) -> dict[str, Any]:
        return json.loads(self.output(*arguments, "--json"))

    def fails(self, *arguments: str, status: int = 1) -> str:
        """The one message of a run that fails before it prints anything else."""
        outcome = self.run(*arguments)
        assert (outcome.status, outcome.out) == (status, ""), outcome.err
        assert outcome.err.count("\n") == 1
        assert outcome.err.endswith("\n")
        return outcome.err.strip()

    def misused(self, *arguments: str) -> str:
        """The message about a wrong command line."""
        message = self.fails(*arguments, status=2)
        prefix, suffix = "vliw-run: error: ", " (see vliw-run --help)"
        assert message.startswith(prefix)
        assert message.endswith(suffix)
        return message.removeprefix(prefix).removesuffix(suffix)


@pytest.fixture
def tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Tool:
    """The tool in a directory with the kernel `k.mlir` and its data file."""
    monkeypatch.chdir(tmp_path)
    write("k.mlir", KERNEL)
    write_data(CASE, OTHER_CASE)
    return Tool(capsys)


def write(name: str, content: str | bytes) -> None:
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)


def write_data(*cases: Mapping[str, Any], name: str = "k.json") -> None:
    write(name, json.dumps({"kernel": "scale", "cases": cases}))


def read_json(name: str) -> Any:
    return json.loads(Path(name).read_text())


# What to compile.


@pytest.mark.parametrize("level", [(), ("-O0",), ("-O1",), ("-O", "2"), ("-O3",), ("-p", STRAIGHT)])
def test_levels_and_pipelines(tool: Tool, level: Sequence[str]):
    out = tool.output("k.mlir", *level)
    assert out.startswith("scale on the default machine: ")
    assert out.count("right") == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-O"], "argument -O: expected one argument"),
        (["-O4"], "argument -O: invalid choice: '4' (choose from '0', '1', '2', '3')"),
        (["-O1", "-p", "x"], "argument -p/--passes: not allowed with argument -O"),
        (["-p"], "argument -p/--passes: expected one argument"),
        (["-p", "inline-call"], "-p: unknown pass 'inline-call'; did you mean 'inline-calls'?"),
        (["-p", "inline-calls{deep=1}"], "-p: pass 'inline-calls' has no option 'deep'"),
        (["-p", "inline-calls{"], "-p: malformed pipeline: "),
        (["--bogus"], "unrecognized arguments: --bogus"),
        (["other.mlir"], "unrecognized arguments: other.mlir"),
        (["--case", "x"], "argument --case: 'x' is not a number of at least 0"),
        (["--case", "-1"], "argument --case: '-1' is not a number of at least 0"),
        (["--case", "2"], "--case: there is no case 2, the last is 1"),
        (["--step-limit", "0"], "argument --step-limit: '0' is not a number of at least 1"),
        (["--trace-limit", "1.5"], "argument --trace-limit: '1.5' is not a number of at least 1"),
        (["--baseline"], "argument --baseline: expected one argument"),
        (["--baseline", "--json"], "argument --baseline: expected one argument"),
        (["--baseline", "nope"], "--baseline: unknown pass 'nope'"),
        (["--save", "k.mlir"], "--save would overwrite the input 'k.mlir'"),
        (["--save", "./k.json"], "--save would overwrite the input './k.json'"),
        (["--trace", "k.json"], "--trace would overwrite the input 'k.json'"),
        (["--report=text"], "argument --report: ignored explicit argument 'text'"),
        (["--report-json"], "argument --report-json: expected one argument"),
        (["--report-json", "k.json"], "--report-json would overwrite the input 'k.json'"),
        (["--report-html", "k.mlir"], "--report-html would overwrite the input 'k.mlir'"),
    ],
)
def test_wrong_command_lines(tool: Tool, arguments: Sequence[str], message: str):
    before = [Path(name).read_bytes() for name in ("k.mlir", "k.json")]
    assert tool.misused("k.mlir", *arguments).startswith(message)
    assert before == [Path(name).read_bytes() for name in ("k.mlir", "k.json")]


def test_no_kernel_is_named(tool: Tool):
    assert tool.misused() == "the following arguments are required: kernel"


def test_help(tool: Tool):
    assert tool.output("--help").startswith("usage: vliw-run [options] KERNEL\n")


def test_a_level_as_pipeline(tool: Tool):
    assert tool.report("k.mlir", "-p", "-O0")["cases"][0]["right"]


def test_kernels_that_cannot_be_read(tool: Tool):
    write("bytes.mlir", b"func.func @f() { return } // \xff")
    assert (
        tool.fails("none.mlir")
        == "vliw-run: error: cannot read 'none.mlir': No such file or directory"
    )
    assert tool.fails(".") == "vliw-run: error: cannot read '.': Is a directory"
    assert tool.fails("bytes.mlir") == "vliw-run: error: cannot read 'bytes.mlir': not UTF-8 text"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: error: the module has no public function"),
        ("func.func private @f() { return }", "1:1: error: the module has no public function"),
        ("func.func @f()", "1:1: error: the module has no public function"),
        ("func.func @f() { return }\n}", "2:1: error: "),
        (
            "func.func @f() {\n  %x = arith.addi %y, %y : i32\n  return\n}",
            "2:19: error: value %y is",
        ),
        ("func.func @f() {\n  foo.bar\n  return\n}", "2:3: error: operation 'foo.bar' is not"),
        ("func.func @f() {\n  func.return %\n}", "2:15: error: "),
        (f"{FIVE}func.func @six() {{ return }}", "5:1: error: a module holds one kernel"),
        ("func.func @f(%x: f32) {\n  return\n}", "1:1: error: argument 0: f32 is not supported"),
        ("func.func @f(%x: i64) {\n  return\n}", "1:1: error: argument 0: i64 is not supported"),
        (
            "func.func @f() {\n  %x = arith.constant 4294967296 : i32\n  return\n}",
            "2:3: error: Integer value 4294967296 is out of range for type i32",
        ),
        (
            "func.func @f() {\n  %x = arith.constant 1.0 : f32\n  return\n}",
            "2:3: error: f32: floating point is not supported",
        ),
        (
            'func.func @f(%n: i32 {vliw.value = "x"}) {\n  return\n}',
            "1:1: error: argument 0: vliw.value must be an integer",
        ),
        (
            'func.func @f() {\n  "test.op"() : () -> ()\n  return\n}',
            "2:3: error: 'test.op'",
        ),
    ],
)
def test_kernels_that_do_not_compile(tool: Tool, text: str, message: str):
    write("bad.mlir", text)
    assert tool.fails("bad.mlir").startswith(f"bad.mlir:{message}")


def test_pipeline_that_does_not_reach_bundles(tool: Tool):
    message = "k.mlir:1:1: error: the module is not at the bundle level"
    assert tool.fails("k.mlir", "-p", "").startswith(message)
    message = "k.mlir:1:1: error: baseline: the module is not at the bundle level"
    assert tool.fails("k.mlir", "--baseline", "inline-calls").startswith(message)


def test_deeply_nested_kernel(tool: Tool):
    depth = 200
    text = f"func.func @deep() -> i32 {{\n{'scf.execute_region {' * depth}"
    write(
        "deep.mlir",
        f"{text}{'scf.yield } ' * depth}\n  %c = arith.constant 7 : i32\n  return %c : i32\n}}",
    )
    assert tool.report("deep.mlir")["cases"][0]["results"] == [7]


# Machines.


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("narrow.toml", 'name = "narrow"\nscratch = 64\n[engines]\nalu = 1\n'),
        ("narrow.json", '{"name": "narrow", "scratch": 64, "engines": {"alu": 1}}'),
    ],
)
@pytest.mark.parametrize("option", ["--target", "--machine"])
def test_machines(tool: Tool, name: str, text: str, option: str):
    write(name, text)
    report = tool.report("k.mlir", option, name)
    assert report["target"] == "narrow"
    assert report["cases"][0]["statistics"]["engines"]["alu"]["slots"] == 1
    assert tool.output("k.mlir", option, name).startswith("scale on the narrow machine: ")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.toml", None, "cannot read target file 'none.toml': No such file or directory"),
        ("t.txt", "", "target file 't.txt' must end in .toml or .json"),
        ("t.toml", b"\xff", "cannot read target file 't.toml': not UTF-8 text"),
        ("t.toml", "x", "malformed target file 't.toml': "),
        ("t.json", "{", "malformed target file 't.json': "),
        ("t.json", "[" * 100_000, "malformed target file 't.json': "),
        ("t.json", "[3]", "t.json: the description of a machine must be a table"),
        ("t.toml", "vlen = 0", "t.toml: 'vlen' must be an integer in 1..1048576, not 0"),
        (
            "t.toml",
            "scratch = true",
            "t.toml: 'scratch' must be an integer in 1..1048576, not True",
        ),
        ("t.toml", f"scratch = {1 << 60}", "t.toml: 'scratch' must be an integer in 1.."),
        ("t.toml", "color = 1", "t.toml: unknown key 'color' (known: "),
        ("t.toml", "name = 3", "t.toml: 'name' must be a string, not 3"),
        ("t.toml", "engines = 3", "t.toml: 'engines' must be a table"),
        ("t.toml", "[engines]\nalu = -1", "t.toml: engine 'alu': 'slots' must be"),
        ("t.toml", "[engines]\nalu = 1.5", "t.toml: engine 'alu' must be a table or a slot count"),
        ("t.toml", "[engines.alu]\nx = 1", "t.toml: engine 'alu': unknown key 'x' (known: "),
        ("t.toml", '[engines.alu]\ninstructions = ["x"]', "t.toml: engine 'alu': unknown inst"),
    ],
)
def test_malformed_machines(tool: Tool, name: str, content: str | bytes | None, message: str):
    if content is not None:
        write(name, content)
    assert tool.fails("k.mlir", "--target", name).startswith(f"vliw-run: error: {message}")


def test_machine_that_cannot_run_the_kernel(tool: Tool):
    write("t.toml", "[engines]\nalu = 0\nvalu = 0\n")
    message = tool.fails("k.mlir", "--target", "t.toml")
    assert message.startswith("k.mlir:4:3: error: the target 'default' has no instruction for")


# Data.


def test_data_is_found_beside_the_kernel(tool: Tool):
    Path("sub").mkdir()
    for name in ("k.mlir", "k.json"):
        Path(name).rename(f"sub/{name}")
    assert tool.output("sub/k.mlir").count("right") == 2
    write_data(CASE, name="other.json")
    assert tool.output("sub/k.mlir", "--data", "other.json").count("right") == 1


def test_a_kernel_without_arguments_needs_no_data(tool: Tool):
    write("five.mlir", FIVE)
    (case,) = tool.report("five.mlir")["cases"]
    assert (case["results"], case["checked"], case["right"]) == ([5], False, True)
    assert "not checked" in tool.output("five.mlir")


def test_a_kernel_with_arguments_needs_data(tool: Tool):
    Path("k.json").unlink()
    message = "vliw-run: error: kernel 'scale' takes 2 arguments; give a data file with --data"
    assert tool.fails("k.mlir") == message


def test_one_case(tool: Tool):
    (case,) = tool.report("k.mlir", "--case", "1")["cases"]
    assert (case["case"], case["results"]) == (1, [10])


def test_a_case_may_expect_nothing(tool: Tool):
    write_data({"args": CASE["args"]}, {**CASE, "results": None, "expected": [None, None]})
    first, second = tool.report("k.mlir")["cases"]
    assert (first["checked"], second["checked"]) == (False, True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff", "cannot read data file 'k.json': not UTF-8 text"),
        ("", "malformed data file 'k.json': Expecting value: line 1 column 1 (char 0)"),
        ('{"cases": [', "malformed data file 'k.json': "),
        ("[" * 100_000, "malformed data file 'k.json': "),
        ("[]", "malformed data file 'k.json': expected an object with 'cases'"),
        ("{}", "malformed data file 'k.json': expected an object with 'cases'"),
        ('{"cases": {}}', "malformed data file 'k.json': expected an object with 'cases'"),
        ('{"cases": []}', "malformed data file 'k.json': 'cases' is empty"),
        ('{"cases": [3]}', "data file 'k.json', case 0: expected an object"),
        ('{"cases": [{}]}', "data file 'k.json', case 0: 'args' must be a list"),
        ('{"cases": [{"args": 3}]}', "data file 'k.json', case 0: 'args' must be a list"),
    ],
)
def test_malformed_data_files(tool: Tool, content: str | bytes, message: str):
    write("k.json", content)
    assert tool.fails("k.mlir").startswith(f"vliw-run: error: {message}")


def test_data_files_that_cannot_be_read(tool: Tool):
    message = tool.fails("k.mlir", "--data", "none.json")
    assert message.endswith("cannot read data file 'none.json': No such file or directory")
    message = tool.fails("k.mlir", "--data", ".")
    assert message.endswith("cannot read data file '.': Is a directory")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"args": [[1, 2, 3, None], 2]}, "args[0][3]: null is not a 32-bit integer"),
        ({"args": [[1, 2, 3, 1.5], 2]}, "args[0][3]: 1.5 is not a 32-bit integer"),
        ({"args": [[1, 2, 3, True], 2]}, "args[0][3]: true is not a 32-bit integer"),
        ({"args": [[[1, 2], [3, 4]], 2]}, "args[0][0]: [1, 2] is not a 32-bit integer"),
        ({"args": [[1, 2, 3, 4], "x"]}, 'args[1]: "x" is not a 32-bit integer'),
        ({"args": [[1, 2, 3, 4], 1 << 32]}, "args[1]: 4294967296 is not a 32-bit integer"),
        ({"args": [[1, 2, 3, 4], float("nan")]}, "args[1]: NaN is not a 32-bit integer"),
        ({"results": 3}, "'results' must be a list"),
        ({"results": [None]}, "results[0]: null is not a 32-bit integer"),
        ({"expected": "x"}, "'expected' must be a list"),
        ({"expected": [3, None]}, "expected[0]: 3 is neither a list nor null"),
    ],
)
def test_values_that_are_no_words(tool: Tool, change: dict[str, Any], message: str):
    write_data(CASE, {**OTHER_CASE, **change})
    assert tool.fails("k.mlir") == f"vliw-run: error: data file 'k.json', case 1: {message}"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"args": [2]}, "kernel 'scale' takes 2 arguments, 1 given"),
        ({"args": [[1, 2, 3], 2]}, "argument 0: expected 4 words, 3 given"),
        ({"args": [2, 2]}, "argument 0: expected an array"),
        ({"args": [[1, 2, 3, 4], [2]]}, "argument 1: expected one integer"),
        ({"results": []}, "the case says what to expect of 0 results, the kernel has 1"),
        ({"results": [[4]]}, "result 0 is one word, the case expects [4]"),
        ({"expected": [None]}, "the case says what to expect of 1 arguments, the kernel has 2"),
        ({"expected": [None, [2]]}, "argument 1 is a scalar, which no run changes: the case must"),
    ],
)
def test_cases_that_do_not_fit_the_kernel(tool: Tool, change: dict[str, Any], message: str):
    write_data(CASE, {**OTHER_CASE, **change})
    assert tool.fails("k.mlir").startswith(f"vliw-run: error: case 1: {message}")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([4, [1, 9]], "argument 0: declared fact violated: vliw.value = 3, the data have 4"),
        (
            [3, [1, 10]],
            "argument 1: declared fact violated: vliw.range = 1..9, the data have 10 at element 1",
        ),
    ],
)
def test_violated_facts(tool: Tool, args: Any, message: str):
    write(
        "facts.mlir",
        "func.func @f(%n: i32 {vliw.value = 3 : i32}, "
        "%m: memref<2xi32> {vliw.range = array<i32: 1, 9>}) {\n  return\n}",
    )
    write_data({"args": [3, [1, 9]]}, name="facts.json")
    assert tool.output("facts.mlir")
    write_data({"args": args}, name="facts.json")
    assert tool.fails("facts.mlir") == f"vliw-run: error: case 0: {message}"


def test_wrong_results(tool: Tool):
    write_data(CASE, {**OTHER_CASE, "results": [11], "expected": [[1, 10, 0, 0], None]})
    outcome = tool.run("k.mlir")
    assert outcome.status == 1
    assert outcome.out.count("right") == 1
    assert outcome.out.count("WRONG") == 1
    assert outcome.err.splitlines() == [
        "vliw-run: error: case 1: result 0: 10, expected 11",
        "vliw-run: error: case 1: argument 0[2]: 3, expected 0 (2 of 4 words differ)",
    ]
    outcome = tool.run("k.mlir", "--json", "--case", "1")
    (case,) = json.loads(outcome.out)["cases"]
    assert outcome.status == 1
    assert (case["right"], case["problems"][0]) == (False, "result 0: 10, expected 11")
    assert tool.run("k.mlir", "--case", "0").status == 0


def test_expected_array_of_another_size(tool: Tool):
    write_data({**CASE, "expected": [[1, 4, 3], None]})
    outcome = tool.run("k.mlir")
    assert (outcome.status, outcome.err) == (
        1,
        "vliw-run: error: case 0: argument 0: 4 words, expected 3\n",
    )


def test_tensor_results(tool: Tool):
    write(
        "t.mlir",
        "func.func @t(%a: tensor<3xi32>) -> tensor<3xi32> {\n"
        "  %b = arith.addi %a, %a : tensor<3xi32>\n  return %b : tensor<3xi32>\n}",
    )
    case: dict[str, Any] = {"args": [[1, 2, 3]], "results": [[2, 4, 6]]}
    write_data(case, name="t.json")
    assert tool.report("t.mlir")["cases"][0]["results"] == [[2, 4, 6]]
    write_data({**case, "results": [[2, 4, 7]]}, name="t.json")
    assert "case 0: result 0[2]: 6, expected 7" in tool.run("t.mlir").err
    write_data({**case, "results": [2]}, name="t.json")
    assert tool.fails("t.mlir").endswith("case 0: result 0 is an array, the case expects 2")


# The run.


def test_traps_name_the_case_and_the_source(tool: Tool):
    write_data(CASE, {**OTHER_CASE, "args": [[1, 2, 3, 4], 0]})
    message = tool.fails("k.mlir")
    assert message.startswith("k.mlir:4:3: error: case 1: trap at bundle ")
    assert message.endswith("division by zero")


def test_access_outside_memory(tool: Tool):
    write("far.mlir", KERNEL.replace("constant 1 :", "constant 100000 :"))
    write_data(CASE, name="far.json")
    message = tool.fails("far.mlir")
    assert message.startswith("far.mlir:3:3: error: case 0: trap at bundle ")
    assert "outside" in message or "access to word" in message


def test_endless_loops(tool: Tool):
    write("loop.mlir", LOOP)
    message = tool.fails("loop.mlir", "--step-limit", "5000")
    assert "case 0: trap at bundle " in message
    assert message.endswith("more than 5000 bundles executed")
    assert tool.output("k.mlir", "--step-limit", "9" * 30)


TWO_WRITES = [{"load": [["const", 0, 5], ["const", 0, 6]]}, {"flow": [["halt"]]}]


def test_conflicting_writes(tool: Tool):
    write("two.json", json.dumps(TWO_WRITES))
    message = tool.fails("two.json")
    assert "case 0: trap at bundle 0" in message
    assert "scratch word 0 is written, and by load slot" in message
    assert tool.report("two.json", "--no-strict")["cases"][0]["cycles"] == 2


# Reports.


def test_report(tool: Tool):
    lines = tool.output("k.mlir").splitlines()
    assert lines[1].split() == ["case", "cycles", "loads", "stores", "branches", "result"]
    assert [line.split()[0] for line in lines[2:4]] == ["0", "1"]
    assert lines[5].split()[:2] == ["engine", "slots/cycle"]
    assert {line.split()[0] for line in lines[6:]} == {"alu", "valu", "load", "store", "flow"}


def test_report_is_not_shortened_to_fit(tool: Tool, monkeypatch: pytest.MonkeyPatch):
    wide = tool.output("k.mlir", "--baseline", STRAIGHT)
    monkeypatch.setenv("COLUMNS", "20")
    narrow = tool.output("k.mlir", "--baseline", STRAIGHT)
    assert narrow.splitlines()[1:] == wide.splitlines()[1:]
    assert "…" not in narrow


def test_json_report(tool: Tool):
    report = tool.report("k.mlir")
    assert (report["kernel"], report["target"], report["spill_words"]) == ("scale", "default", 0)
    assert report["bundles"] > 0
    assert report["compile_seconds"] >= 0
    first, second = report["cases"]
    assert (first["case"], first["results"], second["results"]) == (0, [4], [10])
    assert (first["right"], first["checked"], first["problems"]) == (True, True, [])
    assert first["baseline_cycles"] is None
    assert first["cycles"] == first["statistics"]["cycles"] == second["cycles"]
    assert first["statistics"]["loads"] == 3, "two arguments and an element"


def test_schedule_report(tool: Tool):
    out = tool.output("k.mlir", "--report")
    for part in ("schedule: ", "at least", "where they go", "k.mlir:3:3", "arith.divui"):
        assert part in out
    assert "schedule: " not in tool.output("k.mlir")


def test_schedule_report_as_json(tool: Tool):
    printed = tool.report("k.mlir", "--report", "--report-json", "r.json")["report"]
    assert printed == read_json("r.json")
    assert printed["cycles"] >= printed["least_cycles"] > 0
    assert "report" not in tool.report("k.mlir", "--report-json", "r.json")


def test_schedule_report_as_page(tool: Tool):
    assert "schedule: " not in tool.output("k.mlir", "--report-html", "r.html")
    page = Path("r.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "arith.divui" in page


def test_schedule_report_of_a_program(tool: Tool):
    """Without the compiler, bundles and places are known, and no text of the source."""
    tool.output("k.mlir", "--save", "p.json")
    out = tool.output("p.json", "--data", "k.json", "--report", "--report-html", "r.html")
    assert "as far as bundles show" in out
    assert "k.mlir:3:3" in out
    assert "arith.divui" not in out


def test_schedule_report_is_about_the_first_case_run(tool: Tool):
    write_data(CASE, OTHER_CASE)
    report = tool.report("k.mlir", "--case", "1", "--report")
    assert report["report"]["cycles"] == report["cases"][0]["cycles"]


def test_baseline(tool: Tool):
    case, _ = tool.report("k.mlir", "-O0", "--baseline", "-O0")["cases"]
    assert case["baseline_cycles"] == case["cycles"]
    lines = tool.output("k.mlir", "-O0", "--baseline", STRAIGHT).splitlines()
    assert lines[1].split()[1:4] == ["cycles", "baseline", "speed-up"]
    assert "1.00x" in lines[2]


def test_baseline_is_checked_too(tool: Tool):
    write_data({**CASE, "results": [5]})
    outcome = tool.run("k.mlir", "--baseline", "-O0")
    assert outcome.status == 1
    assert outcome.err.splitlines()[1:] == [
        "vliw-run: error: case 0: baseline: result 0: 4, expected 5"
    ]


def test_timing(tool: Tool):
    outcome = tool.run("k.mlir", "--timing")
    assert outcome.status == 0
    names = [line.split()[-1] for line in outcome.err.splitlines() if "%)" in line]
    assert names[:3] == ["Parser", "Verifier", "inline-calls"]
    assert names[-1] == "Total"
    assert "Parser" not in outcome.out


def test_trace(tool: Tool):
    tool.output("k.mlir", "--trace", "trace.json", "--case", "1")
    trace = read_json("trace.json")
    names = {event["name"] for event in trace["traceEvents"] if event["ph"] == "X"}
    assert {"load", "store", "//"} <= names
    cycles = tool.report("k.mlir", "--case", "1")["cases"][0]["cycles"]
    assert trace["otherData"]["cycles"] == cycles


def test_trace_limit(tool: Tool):
    outcome = tool.run("k.mlir", "--trace", "trace.json", "--trace-limit", "2")
    assert outcome.status == 0
    note = "vliw-run: note: the trace holds the first 2 cycles; --trace-limit records more\n"
    assert outcome.err == note
    assert read_json("trace.json")["otherData"]["cycles"] == 2


def test_trace_up_to_a_trap(tool: Tool):
    write_data({**CASE, "args": [[1, 2, 3, 4], 0]})
    assert "division by zero" in tool.fails("k.mlir", "--trace", "trace.json")
    assert "division by zero" in read_json("trace.json")["otherData"]["trap"]


def test_trace_of_conflicting_writes(tool: Tool):
    write("two.json", json.dumps(TWO_WRITES))
    tool.output("two.json", "--no-strict", "--trace", "trace.json")
    assert read_json("trace.json")["otherData"]["trap"] is None


def test_outputs_that_cannot_be_written(tool: Tool):
    message = tool.fails("k.mlir", "--save", "none/p.json")
    assert message == "vliw-run: error: cannot write 'none/p.json': No such file or directory"
    assert tool.fails("k.mlir", "--save", ".").endswith("cannot write '.': Is a directory")
    message = tool.fails("k.mlir", "--trace", "none/t.json")
    assert message.endswith("cannot write trace file 'none/t.json': No such file or directory")
    for option in ("--report-json", "--report-html"):
        message = tool.fails("k.mlir", option, "none/r")
        assert message == "vliw-run: error: cannot write 'none/r': No such file or directory"


def test_debug(tool: Tool):
    write_data({**CASE, "args": []})
    outcome = tool.run("k.mlir", "--debug")
    assert outcome.status == 1
    assert outcome.err.startswith("Traceback (most recent call last):\n")
    last = outcome.err.splitlines()[-1]
    assert last == "vliw-run: error: case 0: kernel 'scale' takes 2 arguments, 0 given"


# Programs.


def test_saved_programs(tool: Tool):
    write("narrow.toml", 'name = "narrow"\n[engines]\nalu = 1\n')
    compiled = tool.report("k.mlir", "--save", "k.prog.json", "--target", "narrow.toml")
    loaded = tool.report("k.prog.json", "--data", "k.json")
    for report in (compiled, loaded):
        del report["compile_seconds"]
    assert loaded == compiled
    assert loaded["target"] == "narrow"
    first = tool.output("k.prog.json", "--data", "k.json").splitlines()[0]
    assert first == f"scale on the narrow machine: {loaded['bundles']} bundles"
    tool.output("k.prog.json", "--data", "k.json", "--save", "again.json")
    assert read_json("again.json") == read_json("k.prog.json")


def test_saved_even_if_wrong(tool: Tool):
    write_data({**CASE, "results": [5]})
    assert tool.run("k.mlir", "--save", "k.prog.json").status == 1
    assert read_json("k.prog.json")["abi"]["kernel"] == "scale"


def test_program_on_another_machine(tool: Tool):
    tool.output("k.mlir", "--save", "p.json")
    write("t.toml", "[engines]\nstore = 0\n")
    message = tool.fails("p.json", "--data", "k.json", "--target", "t.toml")
    assert message.startswith("vliw-run: error: illegal program: bundle ")


@pytest.mark.parametrize(
    ("option", "value"), [("-O", "0"), ("-p", "inline-calls"), ("--baseline", "-O0")]
)
def test_programs_are_not_compiled(tool: Tool, option: str, value: str):
    write("p.json", "[]")
    message = tool.misused("p.json", option, value)
    assert message == f"{option}: 'p.json' is a program, compiled already"


def test_names_are_printed_as_they_are(tool: Tool):
    program: dict[str, Any] = {
        "bundles": [],
        "abi": {"kernel": "[bold]x[/y]", "args": [], "results": [], "spill": None},
        "target": {"name": "[red]"},
    }
    write("p.json", json.dumps(program))
    first = tool.output("p.json").splitlines()[0]
    assert first == "[bold]x[/y] on the [red] machine: 0 bundles"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot read program file 'p.json': No such file or directory"),
        (b"\xff", "cannot read program file 'p.json': not UTF-8 text"),
        ("", "malformed program file 'p.json': "),
        ("[" * 100_000, "malformed program file 'p.json': "),
        ("3", "malformed program file: 'bundles' must be a list"),
        ('{"cases": []}', "malformed program file: 'bundles' must be a list"),
        ("[3]", "malformed program file: bundle 0 is not an object"),
        ('[{"alu": 3}]', "malformed program file: bundle 0: 'alu' is not a list"),
        ('[{"alu": [[]]}]', "malformed program file: bundle 0: alu slot [] is not"),
        ('{"bundles": [], "target": 3}', "program file: the description of a machine must be"),
        ('{"bundles": [{}], "sources": []}', "malformed program file: 'sources' must have a list"),
        ('[{"fpu": []}]', "illegal program: bundle 0: unknown engine 'fpu'"),
        ('[{"alu": [["?", 0, 1, 2]]}]', "illegal program: bundle 0: alu slot 0: engine 'alu' does"),
        ('[{"alu": [["+", 0, 1]]}]', "illegal program: bundle 0: alu slot 0: '+' takes 3 operands"),
        ('[{"alu": [["+", 0, 1, 1536]]}]', "illegal program: bundle 0: alu slot 0: '+' operand 3"),
        ('[{"flow": [["jump", 9]]}]', "illegal program: bundle 0: flow slot 0: 'jump' operand 1"),
    ],
)
def test_malformed_programs(tool: Tool, content: str | bytes | None, message: str):
    if content is not None:
        write("p.json", content)
    assert tool.fails("p.json").startswith(f"vliw-run: error: {message}")


MEMREF: dict[str, Any] = {"kind": "memref", "width": 32, "shape": [4]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kernel": 3}, "'kernel' must be a string, not 3"),
        ({"args": 3}, ""),
        ({"args": ["x"]}, ""),
        ({"args": [{**MEMREF, "kind": "pointer"}]}, "'pointer' is not one of the kinds scalar,"),
        ({"args": [{**MEMREF, "width": 33}]}, "33 is not an integer in 1..32"),
        ({"args": [{**MEMREF, "shape": [-1]}]}, "-1 is not an integer in 0..4294967295"),
        ({"args": [{**MEMREF, "shape": 4}]}, ""),
        ({"args": [{"kind": "memref", "width": 32}]}, "'shape' is missing"),
        ({"args": [{**MEMREF, "range": [1]}]}, ""),
        ({"args": [{**MEMREF, "range": ["a", 2]}]}, "'a' is not an integer in -2147483648.."),
        ({"args": [{**MEMREF, "address": "x"}]}, "'x' is not an integer in 0..4294967295"),
        ({"results": [MEMREF]}, "'memref' is not one of the kinds scalar, tensor"),
        ({"results": [{"kind": "tensor", "width": 32, "shape": [None]}]}, "None is not an integer"),
        ({"spill": {"address": 9}}, "'words' is missing"),
        ({"spill": {"address": 9, "words": "x"}}, "'x' is not an integer in 0..4294967295"),
    ],
)
def test_malformed_interfaces(tool: Tool, change: dict[str, Any], message: str):
    abi = {"kernel": "k", "args": [MEMREF], "results": [], "spill": None, **change}
    write("p.json", json.dumps({"bundles": [], "abi": abi}))
    write_data({"args": [[1, 2, 3, 4]]})
    message = f"vliw-run: error: malformed 'abi' in program file: {message}"
    assert tool.fails("p.json", "--data", "k.json").startswith(message)


# As a process.


@pytest.mark.parametrize("module", [("vliw_mlir.tools.vliw_run",), ("vliw_mlir", "run")])
def test_as_a_module(tmp_path: Path, module: Sequence[str]):
    command = [sys.executable, "-m", *module, "none.mlir", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "vliw-run: error: cannot read 'none.mlir': No such file or directory\n"


def test_the_reader_goes_away(tmp_path: Path):
    (tmp_path / "five.mlir").write_text(FIVE)
    command = f"'{sys.executable}' -m vliw_mlir run five.mlir; echo $? >&2"
    done = subprocess.run(
        ["sh", "-c", f"({command}) | true"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == "141\n"
