"""A kernel to report on."""

from __future__ import annotations

import vliw_mlir
from vliw_mlir.instrument.schedules import collecting_schedules
from vliw_mlir.report import Report, make_report
from vliw_mlir.schedule.record import ScheduleRecord
from vliw_mlir.sim.program import Program

SCALE = """\
func.func @scale(%n: i32, %a: i32, %x: memref<64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.index_cast %n : i32 to index
  scf.for %i = %c0 to %end step %c1 {
    %v = memref.load %x[%i] : memref<64xi32>
    %p = arith.muli %v, %a : i32  // </script><b>
    memref.store %p, %x[%i] : memref<64xi32>
  }
  return
}
"""


def compiled(level: str = "-O2") -> tuple[Program, ScheduleRecord]:
    """The kernel, with the record of its schedule."""
    with collecting_schedules() as schedules:
        program = vliw_mlir.compile(SCALE, level, name="scale.mlir")
    return program, schedules[-1]


def report_of(program: Program, record: ScheduleRecord | None) -> Report:
    """The report of a run for 50 words."""
    result = program.run(50, 3, range(64))
    return make_report(program, result, record, {"scale.mlir": SCALE})
