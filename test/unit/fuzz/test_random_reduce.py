"""Shrinking random programs."""

from __future__ import annotations

from support.random_ast import Program, count_ops, walk_program
from support.random_evaluate import Invalid, evaluate
from support.random_programs import Options, generate
from support.random_reduce import reduce


def _has(program: Program, name: str) -> bool:
    return any(op.name == name for _, op in walk_program(program))


def test_only_the_cause_is_left() -> None:
    seeds = [seed for seed in range(20) if _has(generate(seed), "arith.remsi")]
    for seed in seeds[:3]:
        reduced = reduce(generate(seed), lambda program: _has(program, "arith.remsi"))
        assert count_ops(reduced) <= 4
        assert not reduced.kernel.args


def test_reduction_is_deterministic() -> None:
    seed = next(seed for seed in range(20) if _has(generate(seed), "scf.while"))

    def fails(program: Program) -> bool:
        return _has(program, "scf.while")

    assert str(reduce(generate(seed), fails)) == str(reduce(generate(seed), fails))


def test_reduced_programs_are_well_defined() -> None:
    def fails(program: Program) -> bool:
        """Some word changes, in a loop."""
        try:
            outcomes = [evaluate(program, args) for args in program.inputs]
        except Invalid as e:
            raise AssertionError from e
        return _has(program, "scf.for") and any(
            output != args[number]
            for args, outcome in zip(program.inputs, outcomes, strict=True)
            for number, output in enumerate(outcome.outputs)
            if output is not None
        )

    programs = [generate(seed, Options(size=30)) for seed in range(6)]
    for program in filter(fails, programs):
        reduced = reduce(program, fails)
        assert fails(reduced)
        assert count_ops(reduced) <= 4
