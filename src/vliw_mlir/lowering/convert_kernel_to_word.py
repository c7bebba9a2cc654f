"""Tensors into buffers and loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    TensorType,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.dialects.facts import RESULT, SIGNATURE, argument_attributes, kernel_function
from vliw_mlir.dialects.kernel import shape_of
from vliw_mlir.dialects.word import BufferType
from vliw_mlir.errors import fail
from vliw_mlir.lowering.bufferize.cursor import Entry
from vliw_mlir.lowering.bufferize.lower import Lowering
from vliw_mlir.lowering.bufferize.plan import Plan, is_tensor
from vliw_mlir.lowering.bufferize.storage import Storage
from vliw_mlir.lowering.bufferize.stores import store_at_once
from vliw_mlir.lowering.bufferize.strip import erase_tensor_arguments, prepare, strip


@dataclass(frozen=True)
class ConvertKernelToWord(ModulePass):
    """Lower the kernel from the tensor level to the SSA level.

    Tensor computation becomes loops over buffers; an op whose result is read once per element
    in one place is computed there. Tensor arguments become buffers that are never
    written, each tensor result an argument at the end with attribute `vliw.result = N`, a
    buffer that the function fills. The types that the caller sees stay in `vliw.signature`.

    Expects the tensor level; guarantees that no tensor and no `kernel` op is left.
    """

    name = "convert-kernel-to-word"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        _lower_function(kernel_function(op))


def _lower_function(func: FuncOp) -> None:
    func.attributes.setdefault(SIGNATURE, func.function_type)
    prepare(func.body)
    entry = func.body.blocks[0]
    arguments = [arg for arg in entry.args if is_tensor(arg)]
    results = [
        n for n, type in enumerate(func.function_type.outputs) if isinstance(type, TensorType)
    ]
    returns = [op for op in func.walk() if isinstance(op, ReturnOp)]
    plan = Plan(func)

    buffers = {arg: _replace_argument(func, arg) for arg in arguments}
    targets = {number: _add_argument(func, number) for number in results}
    wanted: dict[SSAValue, SSAValue] = {}
    if len(returns) == 1:
        for number, buffer in targets.items():
            wanted.setdefault(returns[0].operands[number], buffer)
    storage = Storage(plan, Entry(entry), wanted)
    for arg, buffer in buffers.items():
        storage.put(arg, buffer, owned=False)

    lowering = Lowering(plan, storage)
    for end in lowering.lower_region(func.body):
        pairs = [(end.operands[number], buffer) for number, buffer in targets.items()]
        store_at_once(storage, end, pairs)
    strip(lowering.lowered)
    erase_tensor_arguments(func.body)
    _set_type(func, results)


def _replace_argument(func: FuncOp, arg: BlockArgument) -> SSAValue:
    """Insert the buffer that takes the place of a tensor argument, in front of it."""
    buffer = arg.block.insert_arg(_buffer_type(func, arg.type), arg.index)
    buffer.name_hint = arg.name_hint
    return buffer


def _add_argument(func: FuncOp, number: int) -> SSAValue:
    """Append the buffer that a tensor result is to be stored in."""
    entry = func.body.blocks[0]
    type = _buffer_type(func, func.function_type.outputs.data[number])
    buffer = entry.insert_arg(type, len(entry.args))
    buffer.name_hint = f"result{number}"
    return buffer


def _buffer_type(func: FuncOp, type: Attribute) -> BufferType:
    shape = shape_of(type)
    if any(size < 0 for size in shape):
        fail(func, f"{type} needs a static shape")
    return BufferType(prod(shape))


def _set_type(func: FuncOp, results: Sequence[int]) -> None:
    """Let the type and the attributes of `func` say what its body has become."""
    inputs = [arg.type for arg in func.body.blocks[0].args]
    outputs = func.function_type.outputs
    kept = [number for number in range(len(outputs)) if number not in results]
    arguments = argument_attributes(func.arg_attrs, len(inputs) - len(results))
    if results:
        arguments += [{RESULT: IntegerAttr(number, i64)} for number in results]
        func.arg_attrs = ArrayAttr([DictionaryAttr(attrs) for attrs in arguments])
    if func.res_attrs is not None:
        func.res_attrs = ArrayAttr([func.res_attrs.data[number] for number in kept])
    func.function_type = FunctionType.from_lists(inputs, [outputs.data[n] for n in kept])
