"""What `vliw-run` prints: tables, or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from vliw_mlir.report import Report, report_tables
from vliw_mlir.report.text import WIDTH, figures_table, without_padding
from vliw_mlir.sim.program import Program
from vliw_mlir.sim.run import Result


@dataclass(frozen=True)
class CaseReport:
    """The run of one case."""

    number: int
    result: Result
    problems: list[str]
    """How the outcome differs from what is expected; empty if it is right."""
    checked: bool
    """Whether the data file says what to expect."""
    baseline_cycles: int | None


@dataclass(frozen=True)
class RunReport:
    """The runs of a program."""

    program: Program
    compile_seconds: float | None
    """None for a program that was compiled before."""
    cases: Sequence[CaseReport]
    schedule: Report | None
    """How good the program is for the first case; None if that is not asked for."""


def run_text(report: RunReport) -> str:
    """The report as tables, with colours if stdout is a terminal."""
    console = Console(highlight=False, width=WIDTH)
    program, seconds = report.program, report.compile_seconds
    interface = program.interface
    compiled = "" if seconds is None else f", compiled in {seconds:.2f} s"
    # Captured: rich ends the process by itself when it writes to a closed pipe.
    with console.capture() as text:
        console.print(
            f"[bold]{escape(interface.kernel)}[/bold] on the {escape(program.target.name)} "
            f"machine: {len(program.bundles)} bundles{compiled}"
        )
        if interface.spill is not None:
            console.print(f"own memory: {interface.spill.words} words")
        console.print(_case_table(report.cases))
        console.print()
        console.print(_engine_table(report.cases[0]))
        for part in () if report.schedule is None else ("", *report_tables(report.schedule)):
            console.print(part)
    return without_padding(text.get()).removesuffix("\n")


def _case_table(reports: Sequence[CaseReport]) -> Table:
    compared = () if reports[0].baseline_cycles is None else ("baseline", "speed-up")
    table = figures_table("case", "cycles", *compared, "loads", "stores", "branches", "result")
    for report in reports:
        stats = report.result.stats
        row = [str(report.number), f"{stats.cycles:,}"]
        if report.baseline_cycles is not None:
            speedup = report.baseline_cycles / stats.cycles if stats.cycles else 1.0
            row += [f"{report.baseline_cycles:,}", f"{speedup:.2f}x"]
        row += [f"{stats.loads:,}", f"{stats.stores:,}", f"{stats.branches:,}"]
        table.add_row(*row, _verdict(report))
    return table


def _verdict(report: CaseReport) -> str:
    if report.problems:
        return "[red]WRONG[/red]"
    return "[green]right[/green]" if report.checked else "not checked"


def _engine_table(report: CaseReport) -> Table:
    table = figures_table(
        "engine", "slots/cycle", f"slots used in case {report.number}", "utilization"
    )
    for name, use in report.result.stats.engines.items():
        table.add_row(name, str(use.slots), f"{use.used:,}", f"{use.utilization:.1%}")
    return table


def run_json(report: RunReport) -> dict[str, Any]:
    """The report as plain data for JSON."""
    program, spill = report.program, report.program.interface.spill
    schedule = {} if report.schedule is None else {"report": report.schedule.to_dict()}
    return {
        "kernel": program.interface.kernel,
        "target": program.target.name,
        "bundles": len(program.bundles),
        "compile_seconds": round(report.compile_seconds or 0.0, 4),
        "spill_words": spill.words if spill else 0,
        "cases": [_case_json(case) for case in report.cases],
    } | schedule


def _case_json(case: CaseReport) -> dict[str, Any]:
    return {
        "case": case.number,
        "cycles": case.result.cycles,
        "baseline_cycles": case.baseline_cycles,
        "checked": case.checked,
        "right": not case.problems,
        "problems": case.problems,
        "results": [
            value if isinstance(value, int) else value.tolist() for value in case.result.results
        ],
        "statistics": case.result.stats.to_dict(),
    }
