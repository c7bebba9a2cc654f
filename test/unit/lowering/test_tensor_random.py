"""Random programs on tensors: both levels must return what numpy computes."""

from __future__ import annotations

import numpy as np
import pytest

from support.random_tensors import generate
from support.tensors import run

PROGRAMS, BATCH = 100, 20


@pytest.mark.parametrize("first", range(0, PROGRAMS, BATCH))
def test_random_programs(first: int):
    for seed in range(first, first + BATCH):
        program = generate(seed)
        found = run(program.text, *program.arguments)
        for number, (value, expected) in enumerate(zip(found, program.expected, strict=True)):
            message = f"result {number} of program {seed}:\n{program.text}"
            np.testing.assert_array_equal(np.ravel(value), expected, message)
