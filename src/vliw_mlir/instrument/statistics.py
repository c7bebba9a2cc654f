"""Counters that passes keep about what they did.

A pass makes a `Statistics` when it is applied and counts; nothing is kept unless somebody
collects:

    statistics = Statistics(self)
    statistics.count("num-hoisted")

    with collecting_statistics(StatisticsTable()) as table: run_pipeline(…)
"""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from xdsl.passes import ModulePass


@dataclass
class StatisticsTable:
    """The counters of a run, by pass and name; runs of the same pass add up."""

    counters: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])

    def to_json(self) -> str:
        """The counters as one JSON object of objects."""
        return json.dumps(self.counters, indent=2)

    def to_text(self) -> str:
        """The counters as a table, passes in the order in which they first ran."""
        rule = "===" + "-" * 73 + "==="
        title = "... Pass statistics report ...".center(len(rule)).rstrip()
        lines = [rule, title, rule]
        for pass_name, counters in self.counters.items():
            lines.append(pass_name)
            lines += [f"  {value:10}  {name}" for name, value in counters.items()]
        return "\n".join(lines)


_table: ContextVar[StatisticsTable | None] = ContextVar("statistics_table", default=None)


class Statistics:
    """The counters of one pass. `pass_` is the pass or its name."""

    _counters: dict[str, int]

    def __init__(self, pass_: ModulePass | str):
        name = pass_ if isinstance(pass_, str) else pass_.name
        table = _table.get()
        self._counters = {} if table is None else table.counters.setdefault(name, {})

    def count(self, name: str, amount: int = 1) -> None:
        """Add `amount` to the counter `name`, such as `num-folded`."""
        self._counters[name] = self._counters.get(name, 0) + amount


@contextmanager
def collecting_statistics(table: StatisticsTable) -> Generator[StatisticsTable]:
    """Passes that start within the `with` block count into `table`."""
    token = _table.set(table)
    try:
        yield table
    finally:
        _table.reset(token)
