"""`vliw-bench`: compile and run kernels at several levels, and compare with an earlier run."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import geometric_mean
from typing import Any, cast

from rich.console import Console
from rich.table import Table

from vliw_mlir.abi.datafile import load_cases
from vliw_mlir.api import compile_file
from vliw_mlir.errors import CompileError
from vliw_mlir.instrument import InternalError
from vliw_mlir.instrument.bound import BoundAtSsa
from vliw_mlir.instrument.schedules import collecting_schedules
from vliw_mlir.report import make_report
from vliw_mlir.report.text import WIDTH, figures_table
from vliw_mlir.sim.decode import decode
from vliw_mlir.sim.run import run_program
from vliw_mlir.target import Target
from vliw_mlir.tools.command_line import ToolParser
from vliw_mlir.tools.diagnostics import diagnose, run_tool

TOOL = "vliw-bench"

EPILOG = """\
examples:
  vliw-bench kernels                             every kernel with data, -O0 to -O3
  vliw-bench kernels/dot.mlir kernels/fir.mlir -O2
  vliw-bench kernels -O2 --json before.json      keep the figures …
  vliw-bench kernels -O2 --compare before.json   … and compare with them later

Cycles are those of the first case; all cases run and are checked. `bound` is the least number of
cycles for which the slots of the machine suffice, for the operations that are left at the end of
the SSA level; `-` where it depends on the data. `schedule` is the least for the instructions of
the program as often as they ran, see vliw-run --report; `ratio` is that of the cycles to the bound,
or else to that. Compile times are CPU time. Means of ratios and changes are geometric.

Exit status: 0 if every kernel compiled and gave the right results, and none takes more cycles
than in the run compared with; else 1; 2 for an error in the command line.
"""


@dataclass(frozen=True)
class Measurement:
    """One kernel at one level."""

    kernel: str
    level: str
    cycles: int | None
    """Of the first case; None if it could not run."""
    bound: float | None
    """Cycles that the operations of the SSA level take at least; None if that is not known at
    compile time."""
    schedule_bound: int | None
    """Cycles that the instructions of the program take at least, as often as they ran."""
    bundles: int
    compile_seconds: float
    problem: str | None
    """The first thing wrong, None if all cases are right."""

    @property
    def ratio(self) -> float | None:
        """Cycles per cycle of the bound that is known."""
        bound = self.bound or self.schedule_bound
        return None if self.cycles is None or not bound else self.cycles / bound


def measure(path: Path, level: str, target: Target | None = None) -> Measurement:
    """Compile the kernel in `path`, run all cases of the data file beside it."""
    bound, started = BoundAtSsa(), time.process_time()
    try:
        with collecting_schedules() as schedules:
            program = compile_file(path, level, target, instruments=[bound])
        seconds = time.process_time() - started
        decoded = decode(program)
        cases = load_cases(path.with_suffix(".json"))
        results = [run_program(decoded, case.args) for case in cases]
    except (CompileError, InternalError) as error:
        seconds = time.process_time() - started
        problem = diagnose(error).message
        return Measurement(path.stem, level, None, None, None, 0, round(seconds, 3), problem)
    problems = [
        f"case {number}: {problem}"
        for number, (case, result) in enumerate(zip(cases, results, strict=True))
        for problem in case.mismatches(result.image)
    ]
    cycles = bound.bound.cycles if bound.bound else None
    record = schedules[-1] if schedules else None
    return Measurement(
        path.stem,
        level,
        results[0].cycles,
        None if cycles is None else round(cycles, 1),
        make_report(program, results[0], record).least_cycles,
        len(program.bundles),
        round(seconds, 3),
        problems[0] if problems else None,
    )


def _make_parser() -> ToolParser:
    parser = ToolParser(
        TOOL,
        "[options] KERNEL|DIRECTORY …",
        "Compiles and runs kernels at several levels.",
        EPILOG,
    )
    parser.add_argument("paths", nargs="+", help="MLIR files with data beside, or directories")
    parser.add_argument(
        "-O",
        dest="levels",
        action="append",
        choices=("0", "1", "2", "3"),
        help="a level; may be repeated (default: all)",
    )
    parser.add_argument("--target", metavar="FILE", help="the machine (default: the standard one)")
    parser.add_argument("--json", metavar="FILE", help="write the figures; `-` for stdout")
    parser.add_argument("--compare", metavar="FILE", help="figures of an earlier run")
    parser.add_argument("--debug", action="store_true", help="print tracebacks of errors")
    return parser


def kernels_in(paths: Sequence[str]) -> list[Path]:
    """The kernels that have data beside them, each once. Raises `CompileError` for a path without
    any."""
    found: list[Path] = []
    for name in paths:
        path = Path(name)
        if not path.exists():
            raise CompileError(f"there is no '{name}'")
        files = sorted(path.glob("*.mlir")) if path.is_dir() else [path]
        kernels = [
            file for file in files if file.suffix == ".mlir" and file.with_suffix(".json").exists()
        ]
        if not kernels:
            what = "no kernel" if path.is_dir() else "it is no kernel"
            raise CompileError(f"'{name}': {what} with a data file beside it")
        found += kernels
    return list(dict.fromkeys(found))


def read_figures(path: str) -> dict[tuple[str, str], dict[str, Any]]:
    """The figures of an earlier run by kernel and level. Raises `CompileError` if malformed."""
    try:
        rows = cast("list[dict[str, Any]]", json.loads(Path(path).read_text())["measurements"])
        return {(row["kernel"], row["level"]): row for row in rows}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CompileError(f"cannot read figures from '{path}': {error}") from error


def _execute(args: argparse.Namespace) -> int:
    target = Target.load(args.target) if args.target else None
    before = read_figures(args.compare) if args.compare else {}
    levels = [f"-O{level}" for level in dict.fromkeys(args.levels or "0123")]
    kernels = kernels_in(args.paths)
    measurements: list[Measurement] = []
    console = Console(stderr=True)
    with console.status("") as status:
        for path in kernels:
            for level in levels:
                status.update(f"{path.stem} {level}")
                measurements.append(measure(path, level, target))
    if args.json != "-":
        out = Console(highlight=False, width=WIDTH)
        with out.capture() as captured:
            out.print(_table(measurements, before))
        print(captured.get(), end="")
    if args.json:
        text = json.dumps({"measurements": [asdict(m) for m in measurements]}, indent=2) + "\n"
        _write(args.json, text)
    failed = False
    for m in measurements:
        for problem in _problems(m, before):
            print(f"{TOOL}: error: {m.kernel} {m.level}: {problem}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


def _problems(m: Measurement, before: dict[tuple[str, str], dict[str, Any]]) -> Iterator[str]:
    if m.problem:
        yield m.problem
    old = before.get((m.kernel, m.level), {}).get("cycles")
    if old is not None and m.cycles is not None and m.cycles > old:
        yield f"takes {m.cycles:,} cycles, {old:,} before"


def _write(path: str, text: str) -> None:
    if path == "-":
        print(text, end="")
        return
    try:
        Path(path).write_text(text)
    except OSError as error:
        raise CompileError(f"cannot write '{path}': {error.strerror}") from error


def _table(measurements: Sequence[Measurement], before: dict[tuple[str, str], Any]) -> Table:
    compared = ("before", "change") if before else ()
    table = figures_table(
        "kernel", "level", "cycles", *compared, "bound", "schedule", "ratio", "bundles",
        "compile s", "result", left=("kernel",),
    )  # fmt: skip
    for m in measurements:
        row = [m.kernel, m.level, _known(m.cycles)]
        if compared:
            row += _change(m, before.get((m.kernel, m.level), {}).get("cycles"))
        row += [
            _known(m.bound),
            _known(m.schedule_bound),
            "-" if m.ratio is None else f"{m.ratio:.2f}",
            f"{m.bundles:,}",
            f"{m.compile_seconds:.2f}",
            "[red]WRONG[/red]" if m.problem else "[green]right[/green]",
        ]
        table.add_row(*row)
    for level in dict.fromkeys(m.level for m in measurements):
        _add_means(table, [m for m in measurements if m.level == level], before)
    return table


def _add_means(
    table: Table, measurements: Sequence[Measurement], before: dict[tuple[str, str], Any]
) -> None:
    """A row with the means of a level, if there are several kernels."""
    if len(measurements) < 2:
        return
    level = measurements[0].level
    ratios = [m.ratio for m in measurements if m.ratio]
    seconds = math.fsum(m.compile_seconds for m in measurements) / len(measurements)
    change: list[str] = []
    if before:
        old = [before.get((m.kernel, level), {}).get("cycles") for m in measurements]
        now = [m.cycles for m in measurements]
        changes = [a / b for a, b in zip(now, old, strict=True) if a and b]
        change = ["", f"{geometric_mean(changes) - 1:+.1%}" if changes else "-"]
    ratio = f"{geometric_mean(ratios):.2f}" if ratios else "-"
    table.add_row("mean", level, "", *change, "", "", ratio, "", f"{seconds:.2f}", "")


def _known(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:,.0f}"


def _change(m: Measurement, old: int | None) -> list[str]:
    if old is None:
        return ["-", "-"]
    if m.cycles is None or not old:
        return [f"{old:,}", "-"]
    return [f"{old:,}", f"{m.cycles / old - 1:+.1%}"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `vliw-bench` with `arguments`, by default those of the process. Returns the exit
    status; raises `SystemExit` for a wrong command line."""
    args = _make_parser().parse_args(arguments)
    return run_tool(TOOL, lambda: _execute(args), debug=args.debug)


if __name__ == "__main__":
    sys.exit(main())
