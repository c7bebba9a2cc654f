"""Running a kernel on tensors at the tensor level and, lowered, at the SSA level."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block

from vliw_mlir.abi import MemoryImage
from vliw_mlir.interp import interpret_case
from vliw_mlir.lowering.convert_kernel_to_word import ConvertKernelToWord
from vliw_mlir.lowering.convert_std_to_kernel import ConvertStdToKernel
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.verifier import verify

Words = NDArray[np.uint32]


def to_kernel(text: str) -> ModuleOp:
    """MLIR text at the tensor level."""
    context = make_context()
    module = parse_module(context, text)
    verify(module)
    ConvertStdToKernel().apply(context, module)
    verify(module)
    return module


def to_word(module: ModuleOp) -> None:
    """Lower a module from the tensor to the SSA level."""
    ConvertKernelToWord().apply(Context(), module)
    verify(module)
    assert not [op for op in module.walk() if op.dialect_name() == "kernel"]
    blocks = [block for op in module.walk() for region in op.regions for block in region.blocks]
    assert not [value for block in blocks for value in _values(block) if _is_tensor(value)]


def _values(block: Block):
    yield from block.args
    for op in block.ops:
        yield from op.results


def _is_tensor(value: object) -> bool:
    return isinstance(getattr(value, "type", None), TensorType)


def run(text: str, *args: int | ArrayLike) -> list[int | Words]:
    """What a kernel of MLIR text returns, checked to be the same at both levels.

    Arrays that are arguments are checked to be left alike, too.
    """
    module = to_kernel(text)
    tensor_level = interpret_case(module, args)
    to_word(module)
    word_level = interpret_case(module, args)
    _check_same(tensor_level, word_level)
    return word_level.results()


def _check_same(first: MemoryImage, second: MemoryImage) -> None:
    for a, b in zip(first.results(), second.results(), strict=True):
        np.testing.assert_array_equal(a, b)
    for a, b in zip(first.outputs(), second.outputs(), strict=True):
        np.testing.assert_array_equal(a, b)


def outputs(text: str, *args: int | ArrayLike) -> list[Words | None]:
    """The array arguments of a kernel after its run, checked to be the same at both levels."""
    module = to_kernel(text)
    tensor_level = interpret_case(module, args)
    to_word(module)
    word_level = interpret_case(module, args)
    _check_same(tensor_level, word_level)
    return word_level.outputs()


def words(values: ArrayLike) -> Words:
    """Integers modulo 2**32, flat."""
    return (np.asarray(values, np.int64) & 0xFFFFFFFF).astype(np.uint32).ravel()


def check(text: str, args: Sequence[int | ArrayLike], expected: Sequence[ArrayLike]) -> None:
    """Check what a kernel returns at both levels."""
    for found, value in zip(run(text, *args), expected, strict=True):
        np.testing.assert_array_equal(np.ravel(found), words(value))
