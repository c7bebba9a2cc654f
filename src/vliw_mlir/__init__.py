"""vliw-mlir: a multi-level optimizing compiler and simulator for VLIW SIMD machines.

The names here are the Python API (`vliw_mlir.api`); they are imported when first used, so
that the command-line tools start fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vliw_mlir.api import compile, compile_file, parse_pipeline
    from vliw_mlir.errors import CompileError
    from vliw_mlir.sim.program import Program
    from vliw_mlir.sim.run import Result
    from vliw_mlir.target import Target

_HOMES = {
    "compile": "vliw_mlir.api",
    "compile_file": "vliw_mlir.api",
    "parse_pipeline": "vliw_mlir.api",
    "CompileError": "vliw_mlir.errors",
    "Program": "vliw_mlir.sim.program",
    "Result": "vliw_mlir.sim.run",
    "Target": "vliw_mlir.target",
}

__all__ = [
    "CompileError",
    "Program",
    "Result",
    "Target",
    "compile",
    "compile_file",
    "parse_pipeline",
]


def __getattr__(name: str) -> Any:
    """Import a name of the API when it is first used (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'vliw_mlir' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
