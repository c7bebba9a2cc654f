"""Windows over memory: what programs do stays, also through the back end of odd machines."""

from __future__ import annotations

from random import Random

import pytest

import vliw_mlir
from support import random_windows
from support.differential import difference, windows
from vliw_mlir.api import parse_pipeline
from vliw_mlir.dialects import word
from vliw_mlir.instrument import run_pipeline
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.target import Target

PIPELINES = (
    "form-windows",
    "forward-stores",
    "form-windows{max-words=16},simplify,forward-stores,eliminate-dead-stores,simplify",
)
BACK = "convert-word-scf-to-cf,legalize-vectors,expand-word-ops,convert-word-to-vliw"
MACHINES = {
    "default": Target.default(),
    "vlen 4, little scratch": Target.from_dict({"vlen": 4, "scratch": 64}),
    "vlen 16": Target.from_dict({"vlen": 16, "scratch": 200}),
    "vlen 3": Target.from_dict({"vlen": 3}),
}


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_behaviour_stays(pipeline: str) -> None:
    for seed in range(12):
        assert difference(windows(seed), pipeline) is None, seed


@pytest.mark.parametrize("machine", MACHINES)
def test_machines_do_as_the_interpreter(machine: str) -> None:
    for seed in range(3):
        case = random_windows.random_case(Random(seed), statements=25)
        runs = [
            vliw_mlir.compile(case.text, pipeline + BACK, MACHINES[machine]).run(*case.args)
            for pipeline in ("", f"{PIPELINES[2]},")
        ]
        assert runs[0].trace.tolist() == runs[1].trace.tolist()
        for before, after in zip(runs[0].outputs, runs[1].outputs, strict=True):
            assert before is None or before.tolist() == (after.tolist() if after is not None else 0)


def _loads(text: str, pipeline: str) -> int:
    module = parse_module(make_context(), text)
    run_pipeline(make_context(), module, parse_pipeline(pipeline))
    return sum(isinstance(op, word.LoadOp) for op in module.walk())


def _stencil(count: int) -> str:
    """A function that loads `count` vectors, each one word behind the one before."""
    lines: list[str] = []
    for number in range(count):
        lines += [
            f"%o{number} = word.constant {number} : i32",
            f"%v{number} = word.load %a[%o{number}] : !word.buffer<4096> -> vector<8xi32>",
            f"word.store %v{number}, %b[%o{number}] : vector<8xi32>, !word.buffer<4096>",
        ]
    return "\n".join(
        [
            "func.func @k(%a: !word.buffer<4096>, %b: !word.buffer<4096>) {",
            *lines,
            "func.return",
            "}",
        ]
    )


def test_many_windows_take_few_loads() -> None:
    assert _loads(_stencil(2000), "form-windows") == 251


def test_each_vector_is_dropped_when_others_take_its_place() -> None:
    """With room for one vector, each window loads another one, unless it is that vector."""
    assert _loads(_stencil(16), "form-windows{max-words=8}") == 15
