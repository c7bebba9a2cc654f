"""Random programs through the whole compiler, on several machines."""

from __future__ import annotations

import pytest

from support.fuzz import MACHINES, check, machine, main
from support.random_ast import Program
from support.random_pipelines import random_pipeline
from support.random_programs import KINDS, Options, generate

ODD_MACHINES = sorted(path.stem for path in MACHINES.glob("*.toml"))


@pytest.mark.parametrize("kind", KINDS)
def test_straight_path(kind: str) -> None:
    for seed in range(10):
        _check(generate(seed, Options(kind)), "-O0", between=seed < 4)


@pytest.mark.parametrize("name", ODD_MACHINES)
def test_odd_machines(name: str) -> None:
    first = 1000 + 10 * ODD_MACHINES.index(name)
    for kind in KINDS:
        for seed in range(first, first + 2):
            _check(generate(seed, Options(kind)), "-O2" if seed % 2 else "-O0", name)


@pytest.mark.parametrize("kind", KINDS)
def test_optimizations_in_any_order(kind: str) -> None:
    for seed in range(2000, 2012):
        _check(generate(seed, Options(kind, size=30)), random_pipeline(seed), between=True)


def _check(
    program: Program, pipeline: str, name: str = "default", *, between: bool = False
) -> None:
    failure = check(program, pipeline, machine(name), between=between)
    assert failure is None, f"{failure}\nof {pipeline} for {name}\n{program}"


def test_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--seeds", "3:5", "--kinds", "plain", "--machines", "default,vlen4"]
    assert main(arguments) == 0
    assert capsys.readouterr().out.startswith("4 runs in ")
    assert main([*arguments, "--pipeline", "inline-calls", "--show"]) == 1
    output = capsys.readouterr().out
    assert "=== 4 times (plain 3 default; plain 3 vlen4;" in output
    assert "func.func @kernel" in output
