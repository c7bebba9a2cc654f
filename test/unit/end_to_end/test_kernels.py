"""Every kernel on every case of its data, at every level and on several machines."""

import functools
import json
from itertools import cycle, product, repeat
from pathlib import Path

import pytest

import vliw_mlir
from support.plain_machine import PlainMachine
from vliw_mlir.abi import build_image
from vliw_mlir.abi.datafile import load_cases
from vliw_mlir.api import parse_pipeline
from vliw_mlir.instrument import run_pipeline
from vliw_mlir.interp import interpret
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.target import Target

KERNELS = Path(__file__).parents[3] / "kernels"
NAMES = sorted(path.stem for path in KERNELS.glob("*.mlir"))
MACHINES = Path(__file__).parents[2] / "support" / "machines"

TO_TENSOR = "inline-calls,convert-std-to-kernel"
TO_SSA = f"{TO_TENSOR},convert-kernel-to-word"
TO_BLOCKS = f"{TO_SSA},convert-word-scf-to-cf,legalize-vectors,expand-word-ops"


@functools.cache
def source(name):
    return (KERNELS / f"{name}.mlir").read_text()


@functools.cache
def cases(name):
    return load_cases(KERNELS / f"{name}.json")


@functools.cache
def program(name, target=None, level="-O0"):
    return vliw_mlir.compile(source(name), level, target)


def lowered(name, pipeline):
    ctx = make_context()
    module = parse_module(ctx, source(name), name)
    run_pipeline(ctx, module, parse_pipeline(pipeline))
    return module


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("level", [TO_TENSOR, TO_SSA, TO_BLOCKS], ids=["tensor", "ssa", "blocks"])
def test_interpreters_give_what_is_expected(name, level):
    module = lowered(name, level)
    for case in cases(name):
        image = build_image(program(name).interface, case.args)
        interpret(module, image)
        assert case.mismatches(image) == []


@pytest.mark.parametrize("name", NAMES)
def test_simulator_gives_what_is_expected(name):
    for case in cases(name):
        result = program(name).run(*case.args)
        assert case.mismatches(result.image) == []


@pytest.mark.parametrize("name", NAMES)
def test_simplified_programs_give_what_is_expected(name):
    for case in cases(name):
        result = program(name, level="-O1").run(*case.args)
        assert case.mismatches(result.image) == []


@pytest.mark.parametrize("name", NAMES)
def test_optimized_programs_give_what_is_expected(name):
    """The program, and what is written of it, loaded by nothing but its `bundles`."""
    optimized = program(name, level="-O2")
    results = [optimized.run(*case.args) for case in cases(name)]
    for case, result in zip(cases(name), results, strict=True):
        assert case.mismatches(result.image) == []
    bundles = json.loads(optimized.dumps())["bundles"]
    image = build_image(optimized.interface, cases(name)[0].args)
    machine = PlainMachine(bundles, image.memory.tolist())
    assert machine.run() == "halted"
    assert machine.memory == results[0].image.memory.tolist()
    assert machine.cycles == results[0].cycles


@pytest.mark.parametrize(
    ("name", "machine", "level"),
    [
        *product(NAMES, ("vlen4", "vlen16", "one-slot", "small-scratch"), ("-O0",)),
        # Optimized for one of them each.
        *zip(NAMES, cycle(sorted(path.stem for path in MACHINES.glob("*.toml"))), repeat("-O2")),
    ],
)
def test_other_machines_give_what_is_expected(name, machine, level):
    target = Target.load(MACHINES / f"{machine}.toml")
    case = cases(name)[-1]
    result = program(name, target, level).run(*case.args)
    assert case.mismatches(result.image) == []
