"""Conversion of `vector`."""

from __future__ import annotations

from vliw_mlir.lowering.std.converter import Handler

HANDLERS: dict[type, Handler] = {}
