"""The interpreters of the tensor and the SSA level: a function becomes Python source and runs."""

from vliw_mlir.interp.interpreter import (
    CompiledKernel,
    Interpretation,
    compile_kernel,
    interpret,
    interpret_case,
)

__all__ = ["CompiledKernel", "Interpretation", "compile_kernel", "interpret", "interpret_case"]
