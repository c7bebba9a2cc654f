"""The named pipelines behind `-O0` to `-O3`."""

from __future__ import annotations

PIPELINES: dict[str, str] = {"O0": "", "O1": "", "O2": "", "O3": ""}
"""Pipeline text by level name."""


def pipeline_text(level: str) -> str:
    """The pipeline of `level` (`O0` to `O3`), as text for `-p`.

    Raises `KeyError` for an unknown level.
    """
    return PIPELINES[level]
