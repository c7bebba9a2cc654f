"""Upstream dialects where xDSL's definition falls short of what MLIR reads and prints.

Each replaces the whole dialect of the same name in this project's tools, and only there:
operations that are fine are xDSL's own, the others are subclasses of xDSL's where one exists,
so that passes written for xDSL's classes keep working.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Dialect

OVERRIDES: dict[str, Callable[[], Dialect]] = {}
"""Replacement dialects by name."""
