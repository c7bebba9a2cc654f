"""The generator of random programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.random_ast import walk_program
from support.random_evaluate import BINARY_OPS, EXTENDED_OPS
from support.random_programs import KINDS, Options, expectation, generate
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.verifier import verify

SEEDS = range(30)


@pytest.mark.parametrize("kind", KINDS)
def test_programs_parse_and_verify(kind: str) -> None:
    ctx = make_context()
    for seed in SEEDS:
        program = generate(seed, Options(kind))
        verify(parse_module(ctx, program.text, f"seed {seed}"))


def test_a_seed_always_gives_the_same_program() -> None:
    here = str(generate(11)) + str(generate(12, Options("traps")))
    code = (
        "from support.random_programs import Options, generate;"
        "print(str(generate(11)) + str(generate(12, Options('traps'))), end='')"
    )
    environment = {
        **os.environ,
        "PYTHONHASHSEED": "7",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    command = [sys.executable, "-c", code]
    there = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert there.stdout == here


def test_programs_of_the_kind_traps_do() -> None:
    for seed in range(8):
        program = generate(seed, Options("traps"))
        assert None in [expectation(program, args) for args in program.inputs]


def test_statements_can_be_left_out() -> None:
    left_out = {"vector", "functions", "graph", "execute_region"}
    options = Options(without=frozenset(left_out))
    names = {op.name for seed in SEEDS for _, op in walk_program(generate(seed, options))}
    assert not any(name.startswith("vector.") for name in names)
    assert not {"func.call", "cf.cond_br"} & names


def test_programs_are_diverse() -> None:
    programs = [generate(seed) for seed in range(150)]
    names = {op.name for program in programs for _, op in walk_program(program)}
    assert names >= {*BINARY_OPS, *EXTENDED_OPS}
    assert names >= {
        "scf.for",
        "scf.while",
        "scf.if",
        "scf.index_switch",
        "scf.execute_region",
        "scf.parallel",
        "cf.cond_br",
        "cf.switch",
        "func.call",
        "memref.alloca",
        "memref.get_global",
        "memref.subview",
        "memref.copy",
        "memref.cast",
        "memref.dim",
        "vector.load",
        "vector.store",
        "vector.extract",
        "vector.insert",
        "vector.reduction",
    }
