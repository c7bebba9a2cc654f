"""The records of schedules that are made while a pipeline runs.

    with collecting_schedules() as schedules: run_pipeline(…)

Nothing is recorded unless somebody collects.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

from vliw_mlir.schedule.record import ScheduleRecord

_records: ContextVar[list[ScheduleRecord] | None] = ContextVar("schedule_records", default=None)


def keep_schedule(record: Callable[[], ScheduleRecord]) -> None:
    """Keep the record of a schedule; it is made only when someone collects."""
    records = _records.get()
    if records is not None:
        records.append(record())


@contextmanager
def collecting_schedules() -> Generator[list[ScheduleRecord]]:
    """The list that schedules made within the `with` block are appended to."""
    records: list[ScheduleRecord] = []
    token = _records.set(records)
    try:
        yield records
    finally:
        _records.reset(token)
