"""`-O2` in two parts: to the end of the SSA level, and from there to bundles."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from vliw_mlir.api import parse_pipeline
from vliw_mlir.formats.vliw_json import program_op
from vliw_mlir.instrument import run_pipeline
from vliw_mlir.pipelines import pipeline_text
from vliw_mlir.sim.program import Program
from vliw_mlir.source import make_context, parse_module

_OPTIMIZER, _BACK_END = pipeline_text("O2").split(",convert-word-scf-to-cf,")


def optimized(text: str) -> ModuleOp:
    """A kernel as it leaves the SSA level with structured control flow."""
    context = make_context()
    module = parse_module(context, text, "k.mlir")
    run_pipeline(context, module, parse_pipeline(_OPTIMIZER))
    return module


def to_program(module: ModuleOp) -> Program:
    """The program of an optimized module, which is changed."""
    run_pipeline(make_context(), module, parse_pipeline(f"convert-word-scf-to-cf,{_BACK_END}"))
    return program_op(module).to_program()
