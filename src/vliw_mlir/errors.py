"""The errors a user can cause, and how they name a place in the source.

Everything a user can do wrong ends as a `CompileError`, `TrapError` or one of xDSL's
`DiagnosticException`s, so that a tool needs one handler to turn it into one message.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn, cast

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
)
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import PassFailedException


class CompileError(PassFailedException):
    """Input that cannot be compiled, loaded or run as asked.

    `location` is `file:line:col` when the place is known, else None.
    """

    location: str | None

    def __init__(self, message: str, location: str | None = None):
        super().__init__(message)
        self.location = location

    @property
    def message(self) -> str:
        """The message without its location."""
        return str(self.args[0])

    def __str__(self) -> str:
        return f"{self.location}: {self.message}" if self.location else self.message


class TrapError(CompileError):
    """A run that stops where the machine traps: division by zero, access outside memory."""


class LimitError(CompileError):
    """A run that was stopped because it took longer than allowed."""


def format_location(loc: Attribute) -> str | None:
    """`file:line:col` of an MLIR location attribute, or None when it holds none.

    Of a fused location the first known part counts, of a call site the callee.
    """
    match loc:
        case FileLineColLoc():
            return f"{loc.filename.data}:{loc.line.data}:{loc.column.data}"
        case CallSiteLoc():
            return format_location(loc.callee) or format_location(loc.caller)
        case NameLoc():
            return format_location(loc.location)
        case FusedLoc() if isinstance(loc.locations, ArrayAttr):
            parts = cast(ArrayAttr[Attribute], loc.locations)
            return next((text for part in parts if (text := format_location(part))), None)
        case _:
            return None


def fuse_locations(texts: Sequence[str]) -> LocationAttr:
    """One location for things from several places, each `file:line:col` or ''."""
    return FusedLoc(ArrayAttr([_parse_location(text) for text in texts]), NoneAttr())


def _parse_location(text: str) -> LocationAttr:
    """The inverse of `format_location`."""
    place = split_location(text)
    if place is None:
        return UNKNOWN_LOC
    name, line, column = place
    return FileLineColLoc(StringAttr(name), IntAttr(line), IntAttr(column))


def split_location(location: str | None) -> tuple[str, int, int] | None:
    """File, line and column of `file:line:col`."""
    parts = (location or "").rsplit(":", 2)
    if len(parts) != 3 or not (parts[1].isdecimal() and parts[2].isdecimal()):
        return None
    return parts[0], int(parts[1]), int(parts[2])


def op_location(op: Operation) -> str | None:
    """`file:line:col` of the nearest enclosing operation whose place is known."""
    current: Operation | None = op
    while current is not None:
        if text := format_location(current.location):
            return text
        current = current.parent_op()
    return None


def fail(op: Operation, message: str) -> NoReturn:
    """Raise a `CompileError` that points at `op`."""
    raise CompileError(message, op_location(op))
