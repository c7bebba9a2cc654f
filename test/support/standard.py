"""Running a kernel of the standard dialects as what it is converted to."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from xdsl.dialects.builtin import ModuleOp

from vliw_mlir.abi import MemoryImage
from vliw_mlir.interp import interpret_case
from vliw_mlir.lowering.convert_std_to_kernel import ConvertStdToKernel
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.transforms.inline_calls import InlineCalls
from vliw_mlir.verifier import verify


def convert(text: str) -> ModuleOp:
    """MLIR text with calls inlined and standard dialects converted."""
    context = make_context()
    module = parse_module(context, text)
    verify(module)
    for pass_ in (InlineCalls(), ConvertStdToKernel()):
        pass_.apply(context, module)
        verify(module)
    return module


def run(text: str, *args: int | ArrayLike) -> MemoryImage:
    """The memory after running the kernel of `text`."""
    return interpret_case(convert(text), args)


def array(image: MemoryImage, number: int) -> NDArray[np.uint32]:
    """The words of a memref argument after the run."""
    return np.asarray(image.array(number))
