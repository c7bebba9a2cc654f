"""Random pipelines: the straight path of `-O0` with optimizations in any order in between."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from vliw_mlir.pipelines import pipeline_text
from vliw_mlir.source import multiverse

STRUCTURED = (
    "simplify",
    "simplify{max-iterations=1}",
    "simplify-with-ranges",
    "specialize-arguments",
    "unroll-loops",
    "unroll-loops{max-trips=4 factor=2}",
    "unroll-loops{factor=3 inner-only=true}",
    "unroll-and-jam",
    "unroll-and-jam{factor=3}",
    "promote-loop-memory",
    "vectorize-loops",
    "hoist-loop-invariants",
    "interchange-loops",
    "forward-stores",
    "eliminate-dead-stores",
    "reassociate",
    "absorb-constants",
    "divide-by-constant",
    "form-multiply-add",
    "gather-to-select",
    "gather-to-select{max-words=64 limit=8}",
)
"""Optimizations of the SSA level with structured control flow."""

BLOCKS = (
    "simplify",
    "simplify-with-ranges",
    "reassociate",
    "absorb-constants",
    "divide-by-constant",
    "form-multiply-add",
    "forward-stores",
    "eliminate-dead-stores",
)
"""Those that also work on blocks."""


def random_pipeline(seed: int, names: Sequence[str] = ()) -> str:
    """The pipeline of a number; with `names`, of these passes only."""
    rng = Random(f"pipeline {seed}")
    before, after = pipeline_text("O0").split(",convert-word-scf-to-cf,")
    structured = _known(STRUCTURED, names)
    blocks = _known(BLOCKS, names)
    first = [rng.choice(structured) for _ in range(rng.randint(1, 6))] if structured else []
    second = [rng.choice(blocks) for _ in range(rng.choice((0, 0, 1, 2)))] if blocks else []
    return ",".join([before, *first, "convert-word-scf-to-cf", *second, after])


def _known(passes: Sequence[str], names: Sequence[str]) -> list[str]:
    known = multiverse().all_passes
    bases = {text: text.split("{")[0] for text in passes}
    return [text for text, base in bases.items() if base in known and (not names or base in names)]
