"""Compile random programs, run them, and compare with what they mean.

    python test/support/fuzz.py --seeds 0:2000 --pipeline -O0 --machines default,vlen4

Failures are grouped by what went wrong; `--reduce` shrinks the first program of each group.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import vliw_mlir
from support.random_ast import Argument, Program
from support.random_evaluate import Outcome
from support.random_pipelines import random_pipeline
from support.random_programs import KINDS, Options, expectation, generate
from support.random_reduce import reduce
from vliw_mlir.abi import MemoryImage
from vliw_mlir.errors import CompileError, TrapError
from vliw_mlir.instrument import Instrument, PassRun
from vliw_mlir.interp.interpreter import compile_kernel
from vliw_mlir.sim.outcome import Trap, TrapReason
from vliw_mlir.target import Target

MACHINES = Path(__file__).parent / "machines"
BUNDLE_LIMIT = 10_000_000
INTERPRETER_STEP_LIMIT = 1_000_000


@dataclass(frozen=True)
class Failure:
    """How a program failed."""

    kind: str
    """`rejected` by a message, `crash` of the compiler, or `wrong` after a run."""
    message: str

    @property
    def signature(self) -> str:
        """What failures of the same cause have in common."""
        text = re.sub(r"[\w<>/.-]*:\d+:\d+|%\w+|0x[0-9a-f]+|\d+", "N", self.message)
        return f"{self.kind}: {text.splitlines()[0][:160]}"

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


def machine(name: str) -> Target:
    """A machine by name: the default one or one of `machines/`."""
    return Target.default() if name == "default" else Target.load(MACHINES / f"{name}.toml")


def check(
    program: Program, pipeline: str, target: Target, *, between: bool = False
) -> Failure | None:
    """Compile and run `program` on all of its inputs; what went wrong, None if nothing did.

    With `between`, the IR is interpreted after each pass where it can be, too.
    """
    expected = [expectation(program, args) for args in program.inputs]
    watch = _Interpretation(program.inputs, expected)
    instruments = [watch] if between else []
    try:
        compiled = vliw_mlir.compile(program.text, pipeline, target, instruments=instruments)
    except CompileError as e:
        return watch.failure or Failure("rejected", str(e))
    except Exception as e:
        frame = traceback.extract_tb(e.__traceback__)[-1]
        place = f"{Path(frame.filename).name}, {frame.name}"
        return watch.failure or Failure("crash", f"{type(e).__name__} in {place}: {e}")
    if watch.failure:
        return watch.failure
    for args, outcome in zip(program.inputs, expected, strict=True):
        try:
            result = compiled.run(*args, step_limit=BUNDLE_LIMIT)
        except Trap as e:
            if outcome is None and e.reason is TrapReason.DIVISION:
                continue
            return Failure("wrong", f"{e}")
        except CompileError as e:
            return Failure("rejected", f"by the simulator: {e}")
        if message := _difference(result.image, outcome):
            return Failure("wrong", message)
    return None


class _Interpretation(Instrument):
    """Interprets the IR after each pass, and keeps the first difference."""

    def __init__(self, inputs: Sequence[list[Argument]], expected: Sequence[Outcome | None]):
        self.failure: Failure | None = None
        self._runs = list(zip(inputs, expected, strict=True))

    def after_pass(self, run: PassRun) -> None:
        if self.failure:
            return
        try:
            kernel = compile_kernel(run.module)
        except CompileError:
            # Not at a level that can be interpreted.
            return
        for args, outcome in self._runs:
            if message := _interpret(kernel, args, outcome):
                self.failure = Failure("wrong", f"after {run.name}: {message}")
                return


def _interpret(kernel: Any, args: Sequence[Argument], outcome: Outcome | None) -> str | None:
    from vliw_mlir.abi import build_image

    image = build_image(kernel.interface, args)
    try:
        kernel.run(image, step_limit=INTERPRETER_STEP_LIMIT)
    except TrapError as e:
        return None if outcome is None and "division" in str(e) else str(e)
    except CompileError as e:
        return str(e)
    return _difference(image, outcome)


def _difference(image: MemoryImage, outcome: Outcome | None) -> str | None:
    """How memory differs from what is expected, None if it does not."""
    if outcome is None:
        return "does not trap"
    results = [r if isinstance(r, int) else r.tolist() for r in image.results()]
    for number, (got, want) in enumerate(zip(results, outcome.results, strict=True)):
        if got != want:
            return f"result {number} is {got}, not {want}"
    for number, (got, want) in enumerate(zip(image.outputs(), outcome.outputs, strict=True)):
        words = None if got is None else got.tolist()
        if words != want:
            assert words is not None
            assert want is not None
            at = next(n for n in range(len(want)) if words[n] != want[n])
            return f"argument {number}[{at}] is {words[at]}, not {want[at]}"
    return None


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", default="0:100", help="first:end")
    parser.add_argument(
        "--pipeline",
        default="-O0",
        help="levels or passes, separated by ;, or 'random', or 'random:pass,pass,…'",
    )
    parser.add_argument("--machines", default="default", help="names, separated by commas")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--without", default="", help="statements to leave out")
    parser.add_argument("--size", type=int, help="about how many ops")
    parser.add_argument("--between", action="store_true", help="interpret after each pass")
    parser.add_argument("--reduce", action="store_true", help="shrink one program of a group")
    parser.add_argument("--show", action="store_true", help="print one program of a group")
    return parser.parse_args(arguments)


def _pipelines(text: str, seed: int) -> list[str]:
    if not text.startswith("random"):
        return text.split(";")
    _, _, names = text.partition(":")
    return [random_pipeline(seed, names.split(",") if names else ())]


@dataclass
class _Group:
    """The failures of one signature."""

    program: Program
    failure: Failure
    pipeline: str
    target: Target
    where: list[str]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns 1 when a program failed."""
    options = _parse(arguments)
    first, end = (int(n) for n in options.seeds.split(":"))
    targets = {name: machine(name) for name in options.machines.split(",")}
    without = frozenset(options.without.split(",")) - {""}
    groups: dict[str, _Group] = {}
    runs, start = 0, time.monotonic()
    for seed in range(first, end):
        for kind in options.kinds.split(","):
            program = generate(seed, Options(kind, without, options.size))
            for pipeline in _pipelines(options.pipeline, seed):
                for name, target in targets.items():
                    runs += 1
                    failure = check(program, pipeline, target, between=options.between)
                    if failure is None:
                        continue
                    where = f"{kind} {seed} {name}"
                    group = _Group(program, failure, pipeline, target, [])
                    group = groups.setdefault(failure.signature, group)
                    group.where.append(where)
    print(f"{runs} runs in {time.monotonic() - start:.1f} s, {len(groups)} kinds of failures")
    for group in sorted(groups.values(), key=lambda g: -len(g.where)):
        _report(group, options)
    return 1 if groups else 0


def _report(group: _Group, options: argparse.Namespace) -> None:
    program, pipeline = group.program, group.pipeline
    if options.reduce:
        program, pipeline = _reduce(group, between=options.between)
    places = "; ".join(group.where[:4])
    print(f"\n=== {len(group.where)} times ({places})\n{pipeline}\n{group.failure}")
    if options.reduce or options.show:
        print(program)


def _reduce(group: _Group, *, between: bool) -> tuple[Program, str]:
    """A smaller program that fails in the same way, with as few passes as it takes."""

    def still_fails(candidate: Program, passes: Sequence[str]) -> bool:
        failure = check(candidate, ",".join(passes), group.target, between=between)
        return failure is not None and failure.signature == group.failure.signature

    passes = group.pipeline.split(",")
    for name in list(passes):
        fewer = list(passes)
        fewer.remove(name)
        if still_fails(group.program, fewer):
            passes = fewer
    program = reduce(group.program, lambda candidate: still_fails(candidate, passes))
    return program, ",".join(passes)


if __name__ == "__main__":
    sys.exit(main())
