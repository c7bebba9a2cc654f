"""Random pipelines: the straight path of `-O0` with optimizations in any order in between."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from vliw_mlir.pipelines import pipeline_text
from vliw_mlir.universe import PASSES

NO_OPTIMIZATIONS = ("convert-", "print-", "inline-calls", "legalize-", "expand-", "form-strands")
"""How the names of passes begin that do not belong here; the last works on tensors."""

OPTIONS = (
    "simplify{max-iterations=1}",
    "unroll-loops{max-trips=4 factor=2}",
    "unroll-loops{factor=3 inner-only=true}",
    "unroll-and-jam{factor=3}",
    "gather-to-select{max-words=64 limit=8}",
    "if-conversion{max-cycles=1000}",
    "if-conversion{max-cycles=1000 mask-stores}",
)
"""Passes with options other than the usual ones."""

OPTIMIZATIONS = (*(name for name in PASSES if not name.startswith(NO_OPTIMIZATIONS)), *OPTIONS)
"""All optimizations of the SSA level."""


def random_pipeline(seed: int, names: Sequence[str] = ()) -> str:
    """The pipeline of a number; with `names`, of these passes only."""
    rng = Random(f"pipeline {seed}")
    before, after = pipeline_text("O0").split(",convert-word-scf-to-cf,")
    passes = [text for text in OPTIMIZATIONS if not names or text.split("{")[0] in names]
    first = rng.choices(passes, k=rng.randint(1, 8))
    # They also work on blocks, or leave them alone.
    second = rng.choices(passes, k=rng.choice((0, 0, 1, 2)))
    return ",".join([before, *first, "convert-word-scf-to-cf", *second, after])
