"""Whether passes of the SSA level keep what programs do: run them before and after on data.

    python test/support/differential.py --pipeline 'unroll-loops{factor=3}' --seeds 0:1000

Programs are the kernels and random ones: of standard MLIR lowered to the SSA level, some of
which trap, and of the SSA level itself, some of which are all loop nests.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from random import Random

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from support import random_loops, random_windows, random_word
from support.random_ast import Argument
from support.random_programs import Options, generate
from vliw_mlir.abi import build_image
from vliw_mlir.abi.datafile import load_cases
from vliw_mlir.api import parse_pipeline
from vliw_mlir.errors import LimitError, TrapError
from vliw_mlir.instrument import run_pipeline
from vliw_mlir.interp import CompiledKernel, compile_kernel
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.verifier import verify

KERNELS = Path(__file__).parents[2] / "kernels"
KERNEL_NAMES = sorted(path.stem for path in KERNELS.glob("*.mlir"))
TO_SSA = "inline-calls,convert-std-to-kernel,convert-kernel-to-word"
STEP_LIMIT = 1_000_000


Behaviour = tuple[tuple[int, ...], list[int]]
"""The trace, and all of memory."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A program of the SSA level, as text, and arguments to run it on."""

    name: str
    text: str
    runs: Sequence[Sequence[Argument]]

    def parse(self) -> ModuleOp:
        return self._module.clone()

    @cached_property
    def _module(self) -> ModuleOp:
        return parse_module(make_context(), self.text, self.name)

    @cached_property
    def behaviour(self) -> list[Behaviour | str | None]:
        """What each run does; why it stops if it does not end, None if it takes too long."""
        compiled = compile_kernel(self._module)
        return [_behaviour(compiled, args) for args in self.runs]


# One program goes through many pipelines: what it is and does need not be found each time.


@cache
def kernel(name: str) -> Subject:
    """A kernel of the project, with all of its data."""
    cases = load_cases(KERNELS / f"{name}.json")
    text = _lowered((KERNELS / f"{name}.mlir").read_text(), name)
    return Subject(name, text, [case.args for case in cases])


@lru_cache(256)
def standard(seed: int, kind: str = "plain") -> Subject:
    """A random program of standard MLIR, `plain` or `traps`."""
    program = generate(seed, Options(kind))
    return Subject(f"{kind} {seed}", _lowered(program.text, f"{kind} {seed}"), program.inputs)


@lru_cache(256)
def native(seed: int) -> Subject:
    """A random program of the SSA level."""
    case = random_word.random_case(Random(seed), statements=30, lengths=(1, 4, 8))
    return Subject(f"ssa {seed}", case.text, [case.args])


@lru_cache(256)
def loops(seed: int) -> Subject:
    """A random program of the SSA level that is all loop nests over arrays."""
    case = random_loops.random_case(Random(seed))
    return Subject(f"loops {seed}", case.text, [case.args])


@lru_cache(256)
def windows(seed: int) -> Subject:
    """A random program of the SSA level in which vectors in memory overlap."""
    case = random_windows.random_case(Random(seed))
    return Subject(f"windows {seed}", case.text, [case.args])


MAKERS: dict[str, Callable[[int], Subject]] = {
    "plain": standard,
    "traps": lambda seed: standard(seed, "traps"),
    "ssa": native,
    "loops": loops,
    "windows": windows,
}


def _lowered(text: str, name: str) -> str:
    ctx = make_context()
    module = parse_module(ctx, text, name)
    run_pipeline(ctx, module, parse_pipeline(TO_SSA))
    return str(module)


def difference(subject: Subject, passes: str | Sequence[ModulePass]) -> str | None:
    """What the passes change in the behaviour of a program, None if nothing.

    A program that traps may do anything else afterwards, since traps of unused results may
    get lost.
    """
    module = subject.parse()
    pipeline = parse_pipeline(passes) if isinstance(passes, str) else tuple(passes)
    run_pipeline(make_context(), module, pipeline)
    verify(module)
    if stray := stray_use(module):
        return stray
    compiled = compile_kernel(module)
    for number, (args, old) in enumerate(zip(subject.runs, subject.behaviour, strict=True)):
        if not isinstance(old, tuple):
            continue
        new = _behaviour(compiled, args)
        if old != new:
            return f"run {number}: {_describe(old, new)}"
    return None


def stray_use(module: ModuleOp) -> str | None:
    """A use that the verifier does not see: by an operation that is not in the module."""
    ops = set(module.walk())
    for op in ops:
        values = [
            *op.results,
            *(arg for region in op.regions for b in region.blocks for arg in b.args),
        ]
        users = {use.operation for value in values for use in value.uses}
        for user in users - ops:
            return f"{op.name} is used by {user.name}, which is nowhere"
    return None


def _behaviour(compiled: CompiledKernel, args: Sequence[Argument]) -> Behaviour | str | None:
    image = build_image(compiled.interface, args)
    try:
        trace = compiled.run(image, step_limit=STEP_LIMIT).trace
    except LimitError:
        return None
    except TrapError as e:
        return e.message
    return trace, image.memory.tolist()


def _describe(old: Behaviour, new: Behaviour | str | None) -> str:
    if new is None or isinstance(new, str):
        return new or "takes longer"
    if old[0] != new[0]:
        return f"trace {old[0]} becomes {new[0]}"
    at = next(n for n, (a, b) in enumerate(zip(old[1], new[1], strict=True)) if a != b)
    return f"word {at} of memory is {new[1][at]}, not {old[1][at]}"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns 1 when something differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pipeline", required=True, help="pipelines, separated by ;")
    parser.add_argument("--seeds", default="0:100", help="first:end")
    parser.add_argument("--kinds", default=",".join(MAKERS))
    parser.add_argument("--no-kernels", action="store_true")
    options = parser.parse_args(arguments)
    first, end = (int(n) for n in options.seeds.split(":"))
    makers = [MAKERS[kind] for kind in options.kinds.split(",")]
    names = [] if options.no_kernels else KERNEL_NAMES
    programs = [lambda name=name: kernel(name) for name in names]
    programs += [lambda s=s, make=make: make(s) for s in range(first, end) for make in makers]
    start, failures = time.monotonic(), 0
    for make in programs:
        subject = make()
        for pipeline in options.pipeline.split(";"):
            try:
                found = difference(subject, pipeline)
            except Exception as e:
                found = f"{type(e).__name__}: {e}"
            if found is not None:
                failures += 1
                print(f"{subject.name}, {pipeline}: {found}", flush=True)
    print(f"{len(programs)} programs in {time.monotonic() - start:.1f} s, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
