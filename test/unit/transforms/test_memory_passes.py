"""The passes that move, merge and remove memory accesses keep what programs do."""

from __future__ import annotations

from random import Random

import pytest

from support.differential import KERNEL_NAMES, Subject, difference, kernel
from support.loop_sequences import loop_sequence
from support.random_memory import random_case

PASSES = (
    "promote-loop-memory",
    "forward-stores",
    "forward-stores{words-only}",
    "eliminate-dead-stores",
    "hoist-loop-invariants",
    "scalar-replacement",
    "vectorize-accesses",
    "forward-recurrences",
)


@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_kernels(name: str) -> None:
    subject = kernel(name)
    for pipeline in PASSES:
        assert difference(subject, pipeline) is None


@pytest.mark.parametrize("pipeline", PASSES)
def test_random_programs(pipeline: str) -> None:
    for seed in range(10):
        case = random_case(Random(seed))
        assert difference(Subject(f"seed {seed}", case.text, [case.args]), pipeline) is None


@pytest.mark.parametrize("pipeline", [*PASSES, "convert-word-scf-to-cf,eliminate-dead-stores"])
def test_memory_of_the_program(pipeline: str) -> None:
    for seed in range(25):
        assert difference(loop_sequence(seed, local=True), pipeline) is None
