"""A report as one HTML page that needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from importlib import resources
from string import Template
from typing import Any

from vliw_mlir.report.model import Report
from vliw_mlir.report.view import instruction_text
from vliw_mlir.sim.program import Program

MOST_SLOTS = 30_000
"""How many slots are given with their instructions, so that pages stay below 2 MB."""


def report_page(report: Report, program: Program, texts: Mapping[str, str] | None = None) -> str:
    """The page. `texts` are source texts by the file names that places mention."""
    places: dict[str, int] = {}
    data = {
        "report": report.to_dict(),
        "slots": _slots(report, program, places),
        "places": list(places),
        "texts": {name: text.splitlines() for name, text in (texts or {}).items()},
    }
    # The text of a script element would end at what looks like a tag.
    written = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    template = resources.files("vliw_mlir.report").joinpath("page.html").read_text("utf-8")
    return Template(template).substitute(title=escape(report.kernel), data=written)


def _slots(report: Report, program: Program, places: dict[str, int]) -> list[list[list[Any]]]:
    """Of each bundle, and each engine of the report: instructions, each followed by the number of
    its source place in `places`, which is extended. The last bundles are missing when there are
    too many."""
    bundles: list[list[list[Any]]] = []
    left = MOST_SLOTS
    for number, bundle in enumerate(program.bundles):
        left -= sum(map(len, bundle.values()))
        if left < 0:
            break
        row: dict[str, list[Any]] = {engine: [] for engine in report.machine.slots}
        position = 0
        for engine, slots in bundle.items():
            for slot in slots:
                place = program.source(number, position)
                position += 1
                if engine in row:
                    text = instruction_text(program.target, engine, slot)
                    row[engine] += [text, places.setdefault(place, len(places))]
        bundles.append(list(row.values()))
    return bundles
