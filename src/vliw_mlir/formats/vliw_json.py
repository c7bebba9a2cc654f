"""The program file (`vliw-json`): the public interchange form, out and in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.frontend import Frontend
from xdsl.utils.target import Target

from vliw_mlir.dialects.facts import set_target
from vliw_mlir.dialects.vliw import ProgramOp
from vliw_mlir.errors import CompileError, fail
from vliw_mlir.sim.program import Program
from vliw_mlir.target import Target as Machine


def program_op(module: ModuleOp) -> ProgramOp:
    """The one program of a module at the bundle level. Raises `CompileError` otherwise."""
    ops = list(module.ops)
    programs = [op for op in ops if isinstance(op, ProgramOp)]
    if len(programs) == 1 and len(ops) == 1:
        return programs[0]
    if programs:
        fail(ops[1], "expected nothing beside one vliw.program in the module")
    fail(module, "the module is not at the bundle level (no vliw.program); lower it with -O0")


@dataclass(frozen=True)
class VliwJsonTarget(Target):
    """The program file: `{"bundles": […], "abi": {…}, "target": {…}, "sources": […]}`.

    `bundles` holds the slots as `[mnemonic, operand, …]` lists per engine; as tuples they
    run on any machine that takes the public interchange form. `abi` tells a loader the
    arguments, results, facts and the spill area.
    """

    name = "vliw-json"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(program_op(module).to_program().dumps())


@dataclass(frozen=True)
class VliwJsonFrontend(Frontend):
    """Reads a program file, or a bare list of bundles, into the bundle level."""

    name = "json"

    def parse(self, ctx: Context, input: IO[bytes], input_name: str) -> ModuleOp:
        try:
            text = input.read().decode("utf-8")
        except UnicodeDecodeError as e:
            raise CompileError(f"cannot read '{input_name}': not UTF-8 text") from e
        program = Program.loads(text, name=f"program file '{input_name}'")
        module = ModuleOp([ProgramOp.from_program(program)])
        if program.target != Machine.default():
            set_target(module, program.target)
        return module
