"""Diagnostics that a test input expects, in the notation of `mlir-opt --verify-diagnostics`.

A comment `// expected-error@+1 {{text}}` expects an error that contains `text` on the next line.
Instead of `@+1` there may be any `@+N` or `@-N`, `@below` or `@above` (the nearest line without
such a comment), `@unknown` (an error without a place), or nothing (the same line). With
`expected-remark` a remark is meant. In `expected-error-re {{text}}` the parts of the text
between `{{` and `}}` are regular expressions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vliw_mlir.errors import split_location
from vliw_mlir.tools.diagnostics import Diagnostic

_DESIGNATOR = re.compile(
    r"expected-(?P<severity>error|warning|note|remark)"
    r"(?P<regex>-re)?\s*(?P<place>@(?:[+-]\d+|above|below|unknown))?\s*"
    r"\{\{(?P<text>(?:\{\{.*?\}\}|(?!\}\}).)*)\}\}"
)


@dataclass(frozen=True)
class Expectation:
    """One expected diagnostic."""

    severity: str
    pattern: re.Pattern[str]
    text: str
    """The expected text as written."""
    line: int | None
    """The line where it is expected, None for a diagnostic without a place."""
    written_at: int
    """The line of the comment."""

    def matches(self, diagnostic: Diagnostic) -> bool:
        """Whether `diagnostic` is the expected one."""
        place = split_location(diagnostic.location)
        line = place[1] if place else None
        return (
            diagnostic.severity == self.severity
            and line == self.line
            and self.pattern.search(diagnostic.message) is not None
        )


def parse_expectations(lines: Sequence[str]) -> list[Expectation]:
    """The expectations in the comments of a file, given as lines."""
    designated = [bool(_DESIGNATOR.search(line)) for line in lines]
    return [
        _expectation(match, number, designated)
        for number, line in enumerate(lines, start=1)
        for match in _DESIGNATOR.finditer(line)
    ]


def _expectation(match: re.Match[str], number: int, designated: Sequence[bool]) -> Expectation:
    text = match["text"]
    return Expectation(
        match["severity"],
        re.compile(_mixed_pattern(text) if match["regex"] else re.escape(text)),
        text,
        _line(match["place"], number, designated),
        number,
    )


def _mixed_pattern(text: str) -> str:
    parts = re.split(r"\{\{(.*?)\}\}", text)
    return "".join(part if i % 2 else re.escape(part) for i, part in enumerate(parts))


def _line(place: str | None, number: int, designated: Sequence[bool]) -> int | None:
    match place:
        case None:
            return number
        case "@unknown":
            return None
        case "@above":
            return next((n for n in range(number - 1, 0, -1) if not designated[n - 1]), number)
        case "@below":
            later = range(number + 1, len(designated) + 1)
            return next((n for n in later if not designated[n - 1]), number)
        case _:
            return number + int(place[1:])


def mismatches(
    expectations: Iterable[Expectation], produced: Iterable[Diagnostic], name: str
) -> list[Diagnostic]:
    """The differences between what the file `name` expects and what was produced, as errors."""
    open_ = list(expectations)
    problems: list[Diagnostic] = []
    for diagnostic in produced:
        match = next((e for e in open_ if e.matches(diagnostic)), None)
        if match is not None:
            open_.remove(match)
            continue
        message = f"unexpected {diagnostic.severity}: {diagnostic.message}"
        problems.append(Diagnostic("error", message, diagnostic.location))
    for expectation in open_:
        message = f"expected {expectation.severity} was not produced: {expectation.text}"
        place = f"{name}:{expectation.written_at}:1"
        problems.append(Diagnostic("error", message, place))
    return problems
