"""Random programs through the whole compiler, on several machines."""

from __future__ import annotations

import pytest

from support.fuzz import check, machine, main
from support.random_programs import KINDS, Options, generate

ODD_MACHINES = ("vlen4", "vlen16", "one-slot", "small-scratch", "few-instructions")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first", range(0, 60, 15))
def test_default_machine(kind: str, first: int) -> None:
    # The first ones also after each pass.
    _check_all(kind, range(first, first + 15), "default", between=first == 0)


@pytest.mark.parametrize("name", ODD_MACHINES)
def test_odd_machines(name: str) -> None:
    first = 1000 + 25 * ODD_MACHINES.index(name)
    for kind in KINDS:
        _check_all(kind, range(first, first + 8), name)


def _check_all(kind: str, seeds: range, name: str, *, between: bool = False) -> None:
    target = machine(name)
    for seed in seeds:
        program = generate(seed, Options(kind))
        failure = check(program, "-O0", target, between=between)
        assert failure is None, f"{failure}\n{program}"


def test_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--seeds", "3:5", "--kinds", "plain", "--machines", "default,vlen4"]
    assert main(arguments) == 0
    assert capsys.readouterr().out.startswith("4 runs in ")
    assert main([*arguments, "--pipeline", "inline-calls", "--show"]) == 1
    output = capsys.readouterr().out
    assert "=== 4 times (plain 3 default; plain 3 vlen4;" in output
    assert "func.func @kernel" in output
