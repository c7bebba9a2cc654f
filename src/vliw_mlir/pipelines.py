"""The named pipelines behind `-O0` to `-O3`."""

from __future__ import annotations

from collections.abc import Sequence

_TO_SSA = ("inline-calls", "convert-std-to-kernel", "convert-kernel-to-word")
_TO_BUNDLES = (
    "convert-word-scf-to-cf",
    "legalize-vectors",
    "expand-word-ops",
    "convert-word-to-vliw",
)

_SIMPLIFY = ("specialize-arguments", "simplify")

_LOOPS = (
    # Cells that a loop goes on updating become values that it carries: reductions, and loops
    # whose iterations are independent, can only be seen then.
    "promote-loop-memory",
    "simplify",
    "vectorize-loops",
    "simplify",
    # The rounds of one vector of items, laid out: what differs between them can be used.
    "unroll-loops{inner-only max-trips=16}",
    "simplify",
)

_VALUES = (
    "simplify-with-ranges",
    "simplify",
    # Before lookups are replaced: their cost is weighed against that of all the rest.
    "form-multiply-add",
    "gather-to-select",
    "simplify-with-ranges",
    "simplify",
    "reassociate",
    "simplify",
)


def _pipeline(*parts: Sequence[str]) -> str:
    return ",".join(name for part in parts for name in part)


_OPTIMIZED = _pipeline(_TO_SSA, _SIMPLIFY, _LOOPS, _VALUES, _TO_BUNDLES)

PIPELINES: dict[str, str] = {
    "O0": _pipeline(_TO_SSA, _TO_BUNDLES),
    "O1": _pipeline(_TO_SSA, _SIMPLIFY, _TO_BUNDLES),
    "O2": _OPTIMIZED,
    # Nothing yet takes more time than -O2 is allowed to.
    "O3": _OPTIMIZED,
}
"""Pipeline text by level name."""


def pipeline_text(level: str) -> str:
    """The pipeline of `level` (`O0` to `O3`), as text for `-p`.

    Raises `KeyError` for an unknown level.
    """
    return PIPELINES[level]
