"""Traces of a run for the viewers of the Chrome trace event format, such as Perfetto.

Each engine is a process, each of its slots a thread, each slot executed an event of one
cycle, which is shown as one microsecond. The program is run anew, bundle by bundle.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vliw_mlir.errors import CompileError
from vliw_mlir.semantics import Words
from vliw_mlir.sim.decode import LOAD, STORE, A, DecodedProgram
from vliw_mlir.sim.machine import Machine
from vliw_mlir.sim.outcome import Status, Trap
from vliw_mlir.sim.program import Program
from vliw_mlir.sim.verify import enumerate_slots
from vliw_mlir.target.isa import DEBUG_ENGINE

DEFAULT_LIMIT = 20_000
"""Cycles recorded when nothing else is said: about what a viewer opens at once."""

Event = dict[str, Any]


@dataclass(frozen=True)
class TraceSummary:
    """What a trace file holds."""

    cycles: int
    """Cycles recorded, from the start."""
    events: int
    """Slots recorded."""
    truncated: bool
    """Whether the program goes on after the last cycle recorded."""
    trap: str | None
    """The trap that ended the run, if one did."""


def write_trace(
    program: Program | DecodedProgram,
    memory: Words,
    path: str | Path,
    *,
    limit: int = DEFAULT_LIMIT,
    strict: bool = True,
    debug_values: Mapping[Hashable, int] | None = None,
) -> TraceSummary:
    """Run `program` on a copy of `memory` and write a trace of up to `limit` cycles.

    Pauses are resumed. A trap ends the trace and is named in it, it is not raised. The file
    says under `otherData` what the summary says.

    Raises `CompileError` when the program is not legal or the file cannot be written.
    """
    machine = Machine(program, memory.copy(), strict=strict, debug_values=debug_values)
    recorder = _Recorder(machine, limit)
    try:
        with Path(path).open("w", encoding="utf-8") as file:
            file.write('{"displayTimeUnit": "ms", "traceEvents": [\n')
            separator = ""
            for event in recorder.record():
                file.write(separator + json.dumps(event, default=str))
                separator = ",\n"
            summary = recorder.summary()
            file.write('\n], "otherData": ' + json.dumps(vars(summary)) + "}\n")
    except OSError as e:
        raise CompileError(f"cannot write trace file '{path}': {e.strerror}") from e
    return summary


class _Recorder:
    """Runs a machine and turns what its slots do into events."""

    def __init__(self, machine: Machine, limit: int):
        self.machine = machine
        self.decoded = machine.decoded
        self.limit = limit
        self.cycle = 0
        self.events = 0
        self.processes = {name: n for n, name in enumerate(self.decoded.target.slots, start=1)}
        self.occupancy = dict.fromkeys(self.processes, 0)

    def record(self) -> Iterator[Event]:
        """Run to the end, a trap or the limit."""
        yield from self.name_tracks()
        while self.machine.status is not Status.HALTED and self.cycle < self.limit:
            if self.machine.pc == self.decoded.n_bundles:
                break
            timed = bool(self.decoded.timed[self.machine.pc])
            counters = list(self.counters()) if timed else []
            slots = list(self.slots(timed))
            try:
                self.machine.step()
            except Trap:
                break
            yield from counters
            yield from slots
            self.events += len(slots)
            self.cycle += timed
        yield from self.final_counters()

    def summary(self) -> TraceSummary:
        machine = self.machine
        at_end = machine.status is Status.HALTED or machine.pc == self.decoded.n_bundles
        trap = str(machine.trap) if machine.trap else None
        return TraceSummary(self.cycle, self.events, not at_end and trap is None, trap)

    def name_tracks(self) -> Iterator[Event]:
        for engine, slots in self.decoded.target.slots.items():
            process = self.processes[engine]
            yield _metadata("process_name", process, 0, {"name": engine})
            yield _metadata("process_sort_index", process, 0, {"sort_index": process})
            for position in range(slots):
                yield _metadata(
                    "thread_name", process, position + 1, {"name": f"{engine} {position}"}
                )

    def slots(self, timed: bool) -> Iterator[Event]:
        """The slots of the bundle at the pc, before it is executed."""
        pc, code, scratch = self.machine.pc, self.decoded.code, self.machine.scratch
        program, first = self.decoded.program, int(self.decoded.first[pc])
        for number, (engine, position, slot) in enumerate(enumerate_slots(program.bundles[pc])):
            args: dict[str, Any] = {"bundle": pc, "operands": list(slot[1:])}
            if source := program.source(pc, number):
                args["source"] = source
            if self.decoded.opcode[first + number] in (LOAD, STORE):
                args["address"] = int(scratch[code[first + number, A]])
            yield {
                "ph": "X",
                "name": slot[0],
                "pid": self.processes[engine],
                "tid": position + 1,
                "ts": self.cycle,
                "dur": int(timed and engine != DEBUG_ENGINE),
                "args": args,
            }

    def counters(self) -> Iterator[Event]:
        """How many slots of each engine the bundle at the pc uses, where that changes."""
        bundle = self.decoded.program.bundles[self.machine.pc]
        for engine in self.processes:
            used = len(bundle.get(engine, ()))
            if engine != DEBUG_ENGINE and used != self.occupancy[engine]:
                self.occupancy[engine] = used
                yield self.counter(engine, used)

    def final_counters(self) -> Iterator[Event]:
        for engine, used in self.occupancy.items():
            if used:
                yield self.counter(engine, 0)

    def counter(self, engine: str, used: int) -> Event:
        return {
            "ph": "C",
            "name": f"{engine} occupancy",
            "pid": self.processes[engine],
            "ts": self.cycle,
            "args": {"slots": used},
        }


def _metadata(name: str, process: int, thread: int, args: dict[str, Any]) -> Event:
    return {"ph": "M", "name": name, "pid": process, "tid": thread, "args": args}
