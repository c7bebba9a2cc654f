"""A report as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, RenderableType
from rich.markup import escape
from rich.table import Table

from vliw_mlir.report.model import Loop, Loss, Pipelining, Region, Report, Step
from vliw_mlir.schedule.record import chain_text

MOST_REGIONS = 12
"""How many regions, loops and source lines are listed."""

MOST_DETAILED = 2
"""How many regions are explained, those with the most cycles."""

MOST_STEPS = 16
"""How many instructions of the longest path are listed."""

LEAST_SHARE = 0.05
"""The part of the cycles that a region must take to be explained."""

LEAST_LOSS = 0.05
"""Cycles that are worth a line."""


def report_text(report: Report) -> str:
    """The report as plain text."""
    console = Console(highlight=False, width=WIDTH, color_system=None)
    with console.capture() as text:
        console.print(*report_tables(report), sep="\n")
    return without_padding(text.get())


def without_padding(text: str) -> str:
    """Text whose lines do not end in blanks, as those of tables do."""
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


WIDTH = 200
"""Columns: enough for every table, as rich would shorten numbers to fit a narrow terminal."""


def figures_table(*columns: str, left: Sequence[str] = (), title: str | None = None) -> Table:
    """An empty table of numbers; columns named in `left` hold text."""
    table = Table(box=None, pad_edge=False, header_style="bold", title=title, title_justify="left")
    for column in columns:
        table.add_column(column, justify="left" if column in left else "right", no_wrap=True)
    return table


def report_tables(report: Report) -> Iterator[RenderableType]:
    """What to print, one after the other."""
    regions = sorted(report.regions, key=lambda region: -region.total_cycles)
    executed = [region for region in regions if region.total_cycles]
    yield _summary(report)
    yield ""
    yield _regions(report, executed)
    for region in executed[:MOST_DETAILED]:
        if region.total_cycles >= LEAST_SHARE * report.cycles:
            yield ""
            yield from _details(region, report)
    if report.loops:
        yield ""
        yield _loops(report.loops)
    if report.pipelining:
        yield ""
        yield _pipelining(report.pipelining)
    if report.lines:
        yield ""
        yield _lines(report)


def _summary(report: Report) -> str:
    text = (
        f"[bold]schedule[/bold]: {report.cycles:,} cycles, at least {report.least_cycles:,} "
        f"for these instructions, ratio {report.ratio:.2f}"
    )
    if report.spilled_words:
        text += f"; {report.spilled_words:,} words spilled"
    if not any(region.is_scheduled for region in report.regions):
        text += " (as far as bundles show: the order of memory accesses is not known)"
    return text


# Regions


def _regions(report: Report, executed: Sequence[Region]) -> Table:
    table = figures_table(
        "bundles", "source", "runs", "cycles", "at least", "ratio", "binds", "by slots", "by path",
        *(f"{engine}/{slots}" for engine, slots in report.machine.slots.items()),
        "words", "share", left=("source", "binds"),
    )  # fmt: skip
    for region in executed[:MOST_REGIONS]:
        used = (region.engines.get(engine) for engine in report.machine.slots)
        table.add_row(
            _span(region.first, region.last),
            escape(_places(region.lines)),
            f"{region.executed:,}",
            f"{region.cycles:,}",
            f"{region.least_cycles:,}",
            f"{region.ratio:.2f}",
            ", ".join(region.binds),
            f"{region.slot_cycles:,.1f}",
            f"{region.path_cycles:,}",
            *(f"{work.used / work.slots / region.cycles:.0%}" if work else "-" for work in used),
            f"{region.peak_words:,}",
            _share(region.total_cycles, report.cycles),
        )
    rest = executed[MOST_REGIONS:]
    if rest:
        share = _share(sum(region.total_cycles for region in rest), report.cycles)
        table.caption = f"{len(rest)} more regions take {share} of the cycles"
        table.caption_justify = "left"
    return table


def _span(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}-{last}"


def _places(lines: dict[str, list[int]]) -> str:
    """The files and lines, without directories."""
    return ", ".join(
        f"{name.rpartition('/')[2]}:{_span(numbers[0], numbers[-1])}"
        for name, numbers in lines.items()
    )


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.1%}" if whole else "-"


# Details


def _details(region: Region, report: Report) -> Iterator[RenderableType]:
    span = f"bundles {_span(region.first, region.last)}"
    losses = figures_table("cycles", "where they go", left=("where they go",))
    losses.title = f"[bold]{span}[/bold]: {region.cycles:,} cycles"
    for loss in region.losses:
        if loss.cycles >= LEAST_LOSS:
            losses.add_row(f"{loss.cycles:,.1f}", escape(_explain(loss, region)))
    yield losses
    yield ""
    yield _engines(region)
    share = region.peak_words / report.machine.scratch
    yield (
        f"Most words of scratch in use: {region.peak_words:,} of {report.machine.scratch:,} "
        f"({share:.0%}), at bundle {region.peak_bundle}."
    )
    if region.path:
        yield ""
        yield _path(region, span)


def _engines(region: Region) -> Table:
    table = figures_table("engine", "slots/cycle", "used", "utilization", "alone at least")
    for engine, work in region.engines.items():
        table.add_row(
            engine,
            str(work.slots),
            f"{work.used:,}",
            f"{work.used / work.slots / region.cycles:.1%}",
            f"{work.least_cycles:,.1f}",
        )
    return table


def _explain(loss: Loss, region: Region) -> str:
    engines = ", ".join(name for name in region.binds if name != "path") or "the engines"
    match loss.kind:
        case "work":
            return "work: what the slots take at least, choices of engines made best"
        case "detours":
            return "detours: instructions that run on slots which others need more"
        case "start-up":
            chain = f"; the first full bundle waits for {_chain(loss.chain)}" if loss.chain else ""
            return f"start-up, bundles {_span_of(loss)}: {engines} not full yet{chain}"
        case "drain":
            chain = f"; behind the last full bundle comes {_chain(loss.chain)}" * bool(loss.chain)
            return f"drain, bundles {_span_of(loss)}: {engines} not full any more{chain}"
        case "scratch":
            return "scratch: slots left empty while it is nearly full"
        case _:
            return "waiting: slots left empty as operands are not ready"


def _span_of(loss: Loss) -> str:
    assert loss.first is not None
    assert loss.last is not None
    return _span(loss.first, loss.last)


def _chain(steps: Sequence[Step]) -> str:
    names = chain_text([step.instruction.split()[0] for step in steps])
    return f"{names} ({len(steps)} instructions)"


def _path(region: Region, span: str) -> Table:
    table = figures_table(
        "earliest", "bundle", "engine", "instruction", "source", left=("instruction", "source")
    )
    table.title = f"[bold]{span}[/bold]: longest path of dependences, {region.path_cycles:,} cycles"
    steps = region.path
    shown = [*steps[: MOST_STEPS // 2], *steps[-MOST_STEPS // 2 :]]
    for number, step in enumerate(steps if len(steps) <= MOST_STEPS else shown):
        if len(steps) > MOST_STEPS and number == MOST_STEPS // 2:
            table.add_row("…", "", "", f"{len(steps) - MOST_STEPS:,} more", "")
        table.add_row(
            f"{step.earliest:,}",
            f"{step.bundle:,}",
            step.engine,
            escape(step.instruction),
            escape(step.source),
        )
    return table


# Loops and lines


def _loops(loops: Sequence[Loop]) -> Table:
    table = figures_table(
        "loop", "source", "entered", "iterations", "cycles each", "at least", "cycles",
        left=("source",),
    )  # fmt: skip
    for loop in sorted(loops, key=lambda loop: -loop.cycles)[:MOST_REGIONS]:
        runs = max(loop.iterations, 1)
        table.add_row(
            _span(loop.first, loop.last),
            escape(loop.source),
            f"{loop.entered:,}",
            f"{loop.iterations:,}",
            f"{loop.cycles / runs:,.2f}",
            f"{loop.least_cycles / runs:,.2f}",
            f"{loop.cycles:,}",
        )
    return table


def _pipelining(loops: Sequence[Pipelining]) -> Table:
    table = figures_table(
        "pipelining", "II", "without", "by slots", "binds", "by recurrence", "stages", "copies",
        "words", "why not, or the recurrence",
        left=("pipelining", "binds", "why not, or the recurrence"),
    )  # fmt: skip
    for loop in loops[:MOST_REGIONS]:
        table.add_row(
            escape(loop.source),
            _known(loop.ii),
            _known(loop.block_cycles),
            "-" if loop.res_mii is None else f"{loop.res_mii:,.2f}",
            ", ".join(loop.binds),
            _known(loop.rec_mii),
            _known(loop.stages),
            _known(loop.copies),
            _known(loop.words),
            escape(loop.reason or chain_text([each.mnemonic for each in loop.recurrence])),
        )
    return table


def _known(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def _lines(report: Report) -> Table:
    table = figures_table(
        "line", "cycles", "share", *report.machine.slots, "source", left=("source",)
    )
    for line in report.lines[:MOST_REGIONS]:
        table.add_row(
            str(line.line),
            f"{line.cycles:,.1f}",
            _share(line.cycles, report.cycles),
            *(f"{line.slots.get(engine, 0):,}" for engine in report.machine.slots),
            escape(f"{line.file}" if line.text is None else line.text.rstrip()),
        )
    return table
