"""Reports: how good the schedule of a program is, what binds it, and where its cycles go.

with collecting_schedules() as schedules:
    program = compile_file("kernel.mlir")
result = program.run(…)
report = make_report(program, result.executed, schedules[-1])
print(report_text(report), report.to_dict(), report_page(report, program))
"""

from vliw_mlir.report.build import make_report
from vliw_mlir.report.model import Report
from vliw_mlir.report.page import report_page
from vliw_mlir.report.text import report_tables, report_text

__all__ = ["Report", "make_report", "report_page", "report_tables", "report_text"]
