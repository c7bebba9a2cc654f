"""The whole way from the SSA level to bundles, on functions made at random.

What the simulator computes must be what the interpreter of the SSA level computes on the
function as it was.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

import vliw_mlir
from support.random_word import random_case
from vliw_mlir.abi import build_image
from vliw_mlir.interp import compile_kernel
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.target import Target

PIPELINE = "convert-word-scf-to-cf,legalize-vectors,expand-word-ops,convert-word-to-vliw"

STEP_LIMIT = 1_000_000
"""Far more than a random function takes, but a loop that should have ended ends the test."""

MACHINES = Path(__file__).parents[2] / "support" / "machines"

ARITHMETIC = ["+", "-", "*", "//", "cdiv", "^", "&", "|", "<<", ">>", "%", "<", "=="]
CONTROL = [
    "cond_jump",
    "cond_jump_rel",
    "jump",
    "jump_indirect",
    "halt",
    "pause",
    "coreid",
    "trace_write",
]

TARGETS: dict[str, Target] = {
    "default": Target.default(),
    **{path.stem: Target.load(path) for path in sorted(MACHINES.glob("*.toml"))},
    "scratch 64": Target.from_dict({"scratch": 64}),
    "scratch 64 of vlen 4": Target.from_dict({"scratch": 64, "vlen": 4}),
    "scratch 96 of vlen 16": Target.from_dict({"scratch": 96, "vlen": 16}),
    "one lane": Target.from_dict({"vlen": 1}),
    "three lanes": Target.from_dict({"vlen": 3, "scratch": 128}),
    "no vector arithmetic": Target.from_dict({"engines": {"valu": {"instructions": []}}}),
    "no vector division": Target.from_dict(
        {
            "engines": {
                "valu": {"instructions": [m for m in ARITHMETIC if m not in ("//", "cdiv", "%")]}
            }
        }
    ),
    "no vector memory": Target.from_dict(
        {
            "scratch": 96,
            "engines": {
                "load": {"instructions": ["load", "const"]},
                "store": {"instructions": ["store"]},
            },
        }
    ),
    "little": Target.from_dict(
        {
            "scratch": 80,
            "engines": {
                "alu": {"instructions": ["+", "*", "//", "^", "&", "|", "<<", ">>", "<", "=="]},
                "valu": {"instructions": ["+", "^", "&", "<<", ">>"]},
                "load": {"instructions": ["load", "const"]},
                "store": {"instructions": ["store"]},
                "flow": {"instructions": CONTROL},
            },
        }
    ),
}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("machine", TARGETS)
def test_simulator_agrees_with_interpreter(machine: str, seed: int) -> None:
    check(TARGETS[machine], Random(f"{machine} {seed}"))


def check(target: Target, random: Random, statements: int = 25) -> None:
    case = random_case(random, statements=statements)
    module = parse_module(make_context(), case.text, "random.mlir")
    kernel = compile_kernel(module)
    image = build_image(kernel.interface, case.args)
    interpretation = kernel.run(image, step_limit=STEP_LIMIT)
    program = vliw_mlir.compile(module, PIPELINE, target)
    result = program.run(*case.args, step_limit=STEP_LIMIT)
    assert result.trace.tolist() == list(interpretation.trace)
    assert result.results == image.results()
    for have, want in zip(result.outputs, image.outputs(), strict=True):
        assert np.array_equal(have, want)
