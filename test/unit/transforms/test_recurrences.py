"""Vectorized recurrences of all kinds do what they did, also on machines of other widths."""

from random import Random

import pytest

import vliw_mlir
from support import differential
from support.fuzz import machine
from support.random_recurrences import random_case
from vliw_mlir.abi import build_image
from vliw_mlir.interp import compile_kernel

PASSES = "simplify,vectorize-loops,simplify,derive-vector-constants,open-selections"
TO_BUNDLES = "convert-word-scf-to-cf,legalize-vectors,expand-word-ops,convert-word-to-vliw"


@pytest.mark.parametrize("seed", range(40))
def test_interpreted(seed):
    case = random_case(Random(seed))
    subject = differential.Subject(f"seed {seed}", case.text, [case.args])
    assert differential.difference(subject, "vectorize-loops") is None


@pytest.mark.parametrize("name", ["default", "vlen4", "vlen16", "minimal"])
@pytest.mark.parametrize("seed", range(3))
def test_simulated(seed, name):
    case = random_case(Random(seed))
    subject = differential.Subject(f"seed {seed}", case.text, [case.args])
    compiled = compile_kernel(subject.parse())
    image = build_image(compiled.interface, case.args)
    trace = compiled.run(image).trace
    program = vliw_mlir.compile(case.text, f"{PASSES},{TO_BUNDLES}", machine(name))
    result = program.run(*case.args)
    assert tuple(map(int, result.trace)) == tuple(trace)
    assert list(map(int, result.outputs[2])) == image.outputs()[2].tolist()
