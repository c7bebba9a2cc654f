"""Remarks: what a pass did, could not do, or found out, at a place in the source.

Off by default, and then cheap:

    remark(loop, self.name, "unrolled by 4", kind=RemarkKind.PASSED)
    remark(loop, self.name, lambda: f"not pipelined: {explain(loop)}", kind=RemarkKind.MISSED)

    with emitting_remarks(print): run_pipeline(…)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum

from xdsl.ir import Operation

from vliw_mlir.errors import op_location


class RemarkKind(StrEnum):
    """What a remark reports."""

    PASSED = "passed"
    """A transformation was made."""
    MISSED = "missed"
    """A transformation was not made; the message says why."""
    ANALYSIS = "analysis"
    """Something was found out, for instance a bound."""


@dataclass(frozen=True)
class Remark:
    """One remark. `location` is `file:line:col`, None when unknown."""

    kind: RemarkKind
    pass_name: str
    message: str
    location: str | None

    @property
    def text(self) -> str:
        """The message with the pass and the kind, without the location."""
        return f"{self.message} [{self.pass_name}: {self.kind}]"


@dataclass(frozen=True)
class _Sink:
    handler: Callable[[Remark], None]
    pattern: re.Pattern[str]


_sink: ContextVar[_Sink | None] = ContextVar("remark_sink", default=None)


def remarks_enabled(pass_name: str) -> bool:
    """Whether anybody wants the remarks of this pass; to skip work done only for them."""
    sink = _sink.get()
    return sink is not None and sink.pattern.search(pass_name) is not None


def remark(
    at: Operation | str,
    pass_name: str,
    message: str | Callable[[], str],
    kind: RemarkKind = RemarkKind.ANALYSIS,
) -> None:
    """Emit a remark about an operation, or about what comes from a place in the source: its
    `file:line:col`, '' if unknown. A callable `message` is only called when someone listens."""
    sink = _sink.get()
    if sink is None or not sink.pattern.search(pass_name):
        return
    text = message if isinstance(message, str) else message()
    location = (at or None) if isinstance(at, str) else op_location(at)
    sink.handler(Remark(kind, pass_name, text, location))


@contextmanager
def emitting_remarks(handler: Callable[[Remark], None], pattern: str = "") -> Generator[None]:
    """Within the `with` block `handler` gets each remark of the passes whose name `pattern`,
    a regular expression, matches anywhere. Raises `re.error` for a malformed pattern."""
    token = _sink.set(_Sink(handler, re.compile(pattern)))
    try:
        yield
    finally:
        _sink.reset(token)
