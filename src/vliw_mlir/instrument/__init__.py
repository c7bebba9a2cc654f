"""Instrumentation of pass pipelines, independent of any tool.

`run_pipeline` runs passes and tells `Instrument`s; passes themselves only know `Statistics`,
`remark` and `phase`.
"""

from vliw_mlir.instrument.remarks import (
    Remark,
    RemarkKind,
    emitting_remarks,
    remark,
    remarks_enabled,
)
from vliw_mlir.instrument.runner import (
    Instrument,
    InternalError,
    PassRun,
    pipeline_to_text,
    run_pipeline,
)
from vliw_mlir.instrument.statistics import Statistics, StatisticsTable, collecting_statistics
from vliw_mlir.instrument.timing import phase

__all__ = [
    "Instrument",
    "InternalError",
    "PassRun",
    "Remark",
    "RemarkKind",
    "Statistics",
    "StatisticsTable",
    "collecting_statistics",
    "emitting_remarks",
    "phase",
    "pipeline_to_text",
    "remark",
    "remarks_enabled",
    "run_pipeline",
]
