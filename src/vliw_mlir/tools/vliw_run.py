"""`vliw-run`: compile a kernel, run it on its data on the simulator, check the result."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from xdsl.passes import ModulePass

from vliw_mlir.abi import build_image
from vliw_mlir.abi.datafile import Case, load_cases
from vliw_mlir.api import compile_file, parse_pipeline, read_source
from vliw_mlir.errors import CompileError
from vliw_mlir.instrument.schedules import collecting_schedules
from vliw_mlir.instrument.timing import PassTiming, TimingTree, measuring
from vliw_mlir.report import Report, make_report, report_page
from vliw_mlir.schedule.record import ScheduleRecord
from vliw_mlir.sim.decode import DecodedProgram, decode
from vliw_mlir.sim.program import Program
from vliw_mlir.sim.run import Result, run_program
from vliw_mlir.sim.trace import DEFAULT_LIMIT, write_trace
from vliw_mlir.target import Target
from vliw_mlir.tools.command_line import ToolParser
from vliw_mlir.tools.diagnostics import run_tool
from vliw_mlir.tools.vliw_run_output import CaseReport, RunReport, run_json, run_text

TOOL = "vliw-run"

Passes = tuple[ModulePass, ...]

EPILOG = """\
examples:
  vliw-run kernel.mlir                           all cases of kernel.json, if there is one
  vliw-run kernel.mlir -O0 --data k.json --case 2
  vliw-run kernel.mlir --target small.toml       another machine
  vliw-run kernel.mlir --baseline -O0            how much faster than straight code
  vliw-run kernel.mlir --report                  how good the schedule is and what binds it
  vliw-run kernel.mlir --report-html out.html    the same to look at in a browser
  vliw-run kernel.mlir --trace out.json          then open out.json in ui.perfetto.dev
  vliw-run kernel.mlir -O2 --save k.prog.json && vliw-run k.prog.json --data kernel.json

Exit status: 0 if every case ran and gave what the data file expects, 1 if not, or when the
kernel does not compile, 2 for an error in the command line.
"""


def _make_parser() -> ToolParser:
    parser = ToolParser(
        TOOL,
        "[options] KERNEL",
        "Compiles a kernel, runs it on the simulator and checks the result.",
        EPILOG,
    )
    parser.add_argument("kernel", help="an MLIR file, or a program file ending in .json")
    compiling = parser.add_argument_group("compiling")
    passes = compiling.add_mutually_exclusive_group()
    passes.add_argument(
        "-O", dest="level", choices=("0", "1", "2", "3"), help="optimization level (default: 2)"
    )
    passes.add_argument("-p", "--passes", metavar="PIPELINE", help="passes to run instead")
    compiling.add_argument(
        "--target",
        "--machine",
        dest="target",
        metavar="FILE",
        help="the machine, a TOML or JSON description (default: the standard machine)",
    )
    compiling.add_argument("--save", metavar="FILE", help="write the program file")
    running = parser.add_argument_group("running")
    running.add_argument(
        "--data",
        metavar="FILE",
        help="inputs and expected results (default: KERNEL.json beside KERNEL.mlir)",
    )
    running.add_argument("--case", type=_count, metavar="N", help="run only case N, from 0")
    running.add_argument(
        "--step-limit",
        type=_positive,
        metavar="N",
        default=1_000_000_000,
        help="bundles after which a run is taken to be endless (default: %(default)s)",
    )
    running.add_argument(
        "--no-strict",
        action="store_true",
        help="let the later of two conflicting writes of a bundle win, instead of trapping",
    )
    reports = parser.add_argument_group("reports")
    reports.add_argument(
        "--baseline",
        metavar="PIPELINE",
        help="compile this way too (-O0, or passes) and print the speed-up over it",
    )
    reports.add_argument("--json", action="store_true", help="print everything as JSON on stdout")
    reports.add_argument(
        "--report",
        action="store_true",
        help="print how good the schedule is, for the first case run: lower bounds, what binds "
        "each region, where its cycles go, its longest path, loops, source lines",
    )
    reports.add_argument("--report-json", metavar="FILE", help="write that report as JSON")
    reports.add_argument(
        "--report-html",
        metavar="FILE",
        help="write it as a page with charts of slots and scratch, which needs nothing else",
    )
    reports.add_argument(
        "--trace",
        metavar="FILE",
        help="write a Perfetto/Chrome trace of the first case run, up to a trap if there is one",
    )
    reports.add_argument(
        "--trace-limit", type=_positive, metavar="N", help="cycles to record in the trace"
    )
    reports.add_argument("--timing", action="store_true", help="print where compile time went")
    parser.add_argument("--debug", action="store_true", help="print tracebacks of errors")
    return parser


def _count(text: str, least: int = 0) -> int:
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of at least {least}")
    return int(text)


def _positive(text: str) -> int:
    return _count(text, 1)


class VliwRun:
    """One run of the tool. Raises `SystemExit` with status 2 for a wrong command line."""

    def __init__(self, arguments: Sequence[str]):
        self.parser = _make_parser()
        self.args = self.parser.parse_args(_attach_levels(arguments))
        self.kernel = Path(self.args.kernel)
        self.is_program = self.kernel.suffix == ".json"
        self.wants_report = bool(self.args.report or self.args.report_json or self.args.report_html)
        self._check_arguments()

    def _check_arguments(self) -> None:
        args = self.args
        if not self.is_program:
            return
        for option, value in (
            ("-O", args.level),
            ("-p", args.passes),
            ("--baseline", args.baseline),
        ):
            if value is not None:
                self.parser.error(f"{option}: '{self.kernel}' is a program, compiled already")

    def execute(self) -> int:
        """Do what the command line says. Returns the exit status."""
        args = self.args
        passes = self._parse_pipeline(args.passes, f"-O{args.level or 2}", "-p")
        baseline_passes = self._parse_pipeline(args.baseline, "", "--baseline")
        target = Target.load(args.target) if args.target else None
        timing = TimingTree()
        with measuring(timing):
            program, record = self._scheduled_program(passes, target)
        times = timing.report()
        seconds = timing.root.seconds
        data = self._data_path()
        self._protect_inputs(data)
        if args.save:
            _write(args.save, program.dumps())
        cases = self._cases(program, data)
        decoded = decode(program)
        if args.trace:
            self._trace(decoded, *next(iter(cases.items())))
        baseline = None
        if args.baseline is not None:
            with _naming("baseline"):
                baseline = decode(self._program(baseline_passes, target))
        reports = [self._run(decoded, baseline, number, case) for number, case in cases.items()]
        schedule = self._report(program, record, reports[0].result) if self.wants_report else None
        if schedule is not None:
            self._write_report(program, schedule)
        compile_seconds = None if self.is_program else seconds
        shown = RunReport(program, compile_seconds, reports, schedule if args.report else None)
        print(json.dumps(run_json(shown), indent=2) if args.json else run_text(shown))
        if args.timing:
            print(times, file=sys.stderr)
        for report in reports:
            for problem in report.problems:
                print(f"{TOOL}: error: case {report.number}: {problem}", file=sys.stderr)
        return 1 if any(report.problems for report in reports) else 0

    def _parse_pipeline(self, text: str | None, default: str, option: str) -> Passes:
        try:
            return parse_pipeline(default if text is None else text)
        except CompileError as e:
            self.parser.error(f"{option}: {e.message}")

    def _program(self, passes: Passes, target: Target | None) -> Program:
        if self.is_program:
            return Program.load(self.kernel, target=target)
        return compile_file(self.kernel, passes, target, instruments=[PassTiming()])

    def _scheduled_program(
        self, passes: Passes, target: Target | None
    ) -> tuple[Program, ScheduleRecord | None]:
        """The program, with the record of its schedule if that is known and asked for."""
        if not self.wants_report:
            return self._program(passes, target), None
        with collecting_schedules() as records:
            program = self._program(passes, target)
        return program, records[-1] if records else None

    def _data_path(self) -> Path | None:
        """The data file to use, if there is one."""
        if self.args.data is not None:
            return Path(self.args.data)
        beside = self.kernel.with_suffix(".json")
        return beside if beside.exists() and not self.is_program else None

    def _protect_inputs(self, data: Path | None) -> None:
        """Refuse to write where something was read from."""
        inputs = [str(path) for path in (self.kernel, data, self.args.target) if path is not None]
        outputs = ("save", "trace", "report_json", "report_html")
        for name in outputs:
            option, output = f"--{name.replace('_', '-')}", getattr(self.args, name)
            if output is not None and os.path.realpath(output) in map(os.path.realpath, inputs):
                self.parser.error(f"{option} would overwrite the input '{output}'")

    def _cases(self, program: Program, data: Path | None) -> dict[int, Case]:
        """The cases to run, by number."""
        if data is None and program.interface.arguments:
            raise CompileError(
                f"kernel '{program.interface.kernel}' takes "
                f"{len(program.interface.arguments)} arguments; give a data file with --data"
            )
        cases = (Case((), None, None),) if data is None else load_cases(data)
        number = self.args.case
        if number is None:
            return dict(enumerate(cases))
        if number >= len(cases):
            self.parser.error(f"--case: there is no case {number}, the last is {len(cases) - 1}")
        return {number: cases[number]}

    def _run(
        self, program: DecodedProgram, baseline: DecodedProgram | None, number: int, case: Case
    ) -> CaseReport:
        with _naming(f"case {number}"):
            result = self._simulate(program, case)
            problems = case.mismatches(result.image)
            before = None if baseline is None else self._simulate(baseline, case)
            if before is not None:
                problems += [f"baseline: {p}" for p in case.mismatches(before.image)]
        checked = case.results is not None or case.expected is not None
        return CaseReport(number, result, problems, checked, before.cycles if before else None)

    def _simulate(self, program: DecodedProgram, case: Case) -> Result:
        return run_program(
            program,
            case.args,
            strict=not self.args.no_strict,
            step_limit=self.args.step_limit,
        )

    def _trace(self, program: DecodedProgram, number: int, case: Case) -> None:
        with _naming(f"case {number}"):
            memory = build_image(program.program.interface, case.args).memory
        summary = write_trace(
            program,
            memory,
            self.args.trace,
            limit=self.args.trace_limit or DEFAULT_LIMIT,
            strict=not self.args.no_strict,
        )
        if summary.truncated:
            print(
                f"{TOOL}: note: the trace holds the first {summary.cycles} cycles; "
                "--trace-limit records more",
                file=sys.stderr,
            )

    def _report(self, program: Program, record: ScheduleRecord | None, result: Result) -> Report:
        return make_report(program, result, record, self._texts())

    def _texts(self) -> dict[str, str]:
        """The text of the source file, by name."""
        return {} if self.is_program else {str(self.kernel): read_source(self.kernel)}

    def _write_report(self, program: Program, report: Report) -> None:
        if self.args.report_json:
            _write(self.args.report_json, json.dumps(report.to_dict()) + "\n")
        if self.args.report_html:
            _write(self.args.report_html, report_page(report, program, self._texts()))


@contextmanager
def _naming(what: str) -> Generator[None]:
    """Errors raised inside are about `what`."""
    try:
        yield
    except CompileError as e:
        e.args = (f"{what}: {e.message}",)
        raise


def _attach_levels(arguments: Sequence[str]) -> list[str]:
    """`--baseline -O0` as one word: to argparse, the value looks like an option."""
    attached: list[str] = []
    for argument in arguments:
        if attached and attached[-1] in ("--baseline", "-p", "--passes") and argument[:2] == "-O":
            attached[-1] += f"={argument}"
        else:
            attached.append(argument)
    return attached


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as e:
        raise CompileError(f"cannot write '{path}': {e.strerror}") from e


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `vliw-run` with `arguments`, by default those of the process. Returns the exit
    status; raises `SystemExit` for a wrong command line."""
    arguments = sys.argv[1:] if arguments is None else arguments
    return run_tool(TOOL, lambda: VliwRun(arguments).execute(), debug="--debug" in arguments)


if __name__ == "__main__":
    sys.exit(main())
