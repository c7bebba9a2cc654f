"""From a program, a run of it and the record of its schedule to a report."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from vliw_mlir.errors import split_location
from vliw_mlir.report.model import (
    Instruction,
    Line,
    Loop,
    Machine,
    Pipelining,
    Profile,
    Region,
    Report,
)
from vliw_mlir.report.regions import find_regions
from vliw_mlir.report.view import View
from vliw_mlir.schedule.record import ScheduleRecord
from vliw_mlir.schedule.software_pipelining import LoopOutcome
from vliw_mlir.sim.program import Program
from vliw_mlir.sim.run import Result
from vliw_mlir.sim.statistics import LoopUse


def make_report(
    program: Program,
    result: Result,
    record: ScheduleRecord | None = None,
    texts: Mapping[str, str] | None = None,
) -> Report:
    """The report of a run.

    `record` is what the compiler recorded of the program. Without it, regions are found by
    jumps, and bounds take the instructions as they are: no other engines for what was moved, no
    order of memory accesses. `texts` are source texts by the file names that places mention.
    """
    view, target = View(program, result.executed.tolist()), program.target
    regions = find_regions(view, () if record is None else record.blocks)
    return Report(
        kernel=program.interface.kernel,
        machine=Machine(target.name, target.vlen, target.scratch, view.capacity),
        cycles=result.cycles,
        least_cycles=sum(region.total_least_cycles for region in regions),
        spilled_words=None if record is None else record.spilled_words,
        regions=regions,
        loops=[_loop(use, view, regions) for use in result.stats.loops if use.iterations],
        pipelining=[] if record is None else [_pipelining(loop) for loop in record.loops],
        lines=_lines(view, texts or {}),
        profile=Profile(
            view.executed,
            {engine: [used.get(engine, 0) for used in view.used] for engine in view.capacity},
            view.words,
        ),
    )


def _loop(use: LoopUse, view: View, regions: Sequence[Region]) -> Loop:
    within = [region for region in regions if use.first <= region.first and region.last <= use.last]
    runs = view.executed[use.first]
    return Loop(
        first=use.first,
        last=use.last,
        source=use.source,
        entered=runs - use.iterations,
        iterations=runs,
        cycles=use.cycles,
        least_cycles=sum(region.total_least_cycles for region in within),
    )


def _pipelining(loop: LoopOutcome) -> Pipelining:
    return Pipelining(
        source=loop.source,
        reason=loop.reason,
        block_cycles=loop.block_cycles,
        ii=loop.interval,
        res_mii=loop.resource_bound and round(loop.resource_bound, 3),
        binds=list(loop.binding),
        rec_mii=loop.recurrence_bound,
        recurrence=[Instruction(each.mnemonic, each.source) for each in loop.recurrence],
        stages=loop.stages,
        copies=loop.unroll,
        words=loop.words,
    )


def _lines(view: View, texts: Mapping[str, str]) -> list[Line]:
    """What each source line costs, most cycles first."""
    cycles: defaultdict[tuple[str, int], float] = defaultdict(float)
    slots: dict[tuple[str, int], Counter[str]] = {}
    for number, executed in enumerate(view.executed):
        bundle = list(view.slots(number))
        for engine, _, place in bundle if executed else ():
            if found := split_location(place):
                line = found[:2]
                cycles[line] += executed / len(bundle)
                slots.setdefault(line, Counter())[engine] += executed
    split = {name: text.splitlines() for name, text in texts.items()}

    def text(name: str, number: int) -> str | None:
        rows = split.get(name, ())
        return rows[number - 1] if 1 <= number <= len(rows) else None

    ordered = sorted(cycles, key=lambda line: (-cycles[line], line))
    return [Line(*line, round(cycles[line], 3), dict(slots[line]), text(*line)) for line in ordered]
