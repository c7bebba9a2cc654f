"""What this project adds to xDSL: dialects, passes and output targets.

Every entry is a factory that imports its module only when asked, so that a tool starts fast.
To add a dialect, a pass or a target: write `def _name(): from … import …; return …` and one
line in the dictionary. The `xdsl.universe` entry point in pyproject.toml makes plain `xdsl-opt`
see them too.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.target import Target


def _kernel() -> Dialect:
    from vliw_mlir.dialects.kernel import Kernel

    return Kernel


def _word() -> Dialect:
    from vliw_mlir.dialects.word import Word

    return Word


def _interpret_target() -> type[Target]:
    from vliw_mlir.interp.target import InterpretTarget

    return InterpretTarget


DIALECTS: dict[str, Callable[[], Dialect]] = {
    "kernel": _kernel,
    "word": _word,
}
"""Dialects by name."""

PASSES: dict[str, Callable[[], type[ModulePass]]] = {}
"""Passes by the name used in a pipeline."""

TARGETS: dict[str, Callable[[], type[Target]]] = {
    "interpret": _interpret_target,
}
"""Output formats by the name given to `vliw-opt -t`."""

VLIW_UNIVERSE = Universe(all_dialects=DIALECTS, all_passes=PASSES, all_targets=TARGETS)
"""What the `xdsl.universe` entry point loads."""
