"""The named pipelines behind `-O0` to `-O3`."""

from __future__ import annotations

_TO_WORD = "inline-calls,convert-std-to-kernel,convert-kernel-to-word"
_TO_BLOCKS = "convert-word-scf-to-cf,legalize-vectors,expand-word-ops"
_TO_BUNDLES = "convert-word-to-vliw"
_STRAIGHT = f"{_TO_WORD},{_TO_BLOCKS},{_TO_BUNDLES}"

PIPELINES: dict[str, str] = {
    "O0": _STRAIGHT,
    # No optimization exists yet: all levels take the straight path.
    "O1": _STRAIGHT,
    "O2": _STRAIGHT,
    "O3": _STRAIGHT,
}
"""Pipeline text by level name."""


def pipeline_text(level: str) -> str:
    """The pipeline of `level` (`O0` to `O3`), as text for `-p`.

    Raises `KeyError` for an unknown level.
    """
    return PIPELINES[level]
