"""Standard dialects into the tensor and SSA levels."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.memref import GlobalOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from vliw_mlir.dialects.facts import SIGNATURE, interface_of, kernel_function
from vliw_mlir.errors import fail
from vliw_mlir.lowering.std import affine, arith, cf, linalg, memref, scf, tensor, vector
from vliw_mlir.lowering.std.converter import Converter, Handler

HANDLERS: dict[str, Handler] = {
    op.name: handler
    for dialect in (affine, arith, cf, linalg, memref, scf, tensor, vector)
    for op, handler in dialect.HANDLERS.items()
}
"""By name, so that the definitions of xDSL and of `dialects.upstream` are converted alike."""


@dataclass(frozen=True)
class ConvertStdToKernel(ModulePass):
    """Convert the kernel from the standard dialects (func, scf, cf, affine, arith, memref,
    vector, tensor, linalg) to the tensor level.

    Integers of all widths become words, kept zero-extended; memrefs become buffers and
    explicit offsets; tensor computation becomes `kernel` ops. Without tensors the result is
    already at the SSA level. The types that the caller sees stay in `vliw.signature`.

    Expects one public function, all calls inlined. Fails on ops and types that have no
    meaning on words, and on malformed argument facts.
    """

    name = "convert-std-to-kernel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        func = kernel_function(op)
        interface_of(func)
        for other in op.ops:
            if isinstance(other, FuncOp) and other is not func and not other.is_declaration:
                fail(other, f"@{other.sym_name.data} is still there; run inline-calls first")
        converted = _convert_function(func)
        op.body.block.insert_op_before(converted, func)
        op.body.block.erase_op(func)
        for rest in list(op.ops):
            if rest is not converted:
                _erase(rest)


def _convert_function(func: FuncOp) -> FuncOp:
    converter = Converter(HANDLERS, op=func)
    inputs = [converter.convert_type(t) for t in func.function_type.inputs]
    outputs = [converter.convert_type(t) for t in func.function_type.outputs]
    new = FuncOp(
        func.sym_name.data,
        FunctionType.from_lists(inputs, outputs),
        converter.convert_region(func.body, is_body=True),
        func.sym_visibility,
        arg_attrs=func.arg_attrs,
        res_attrs=func.res_attrs,
    )
    new.attributes.update(func.attributes)
    new.attributes.setdefault(SIGNATURE, func.function_type)
    new.location = func.location
    return new


def _erase(op: Operation) -> None:
    """Declarations and globals have served their purpose; nothing else may be dropped."""
    if not isinstance(op, FuncOp | GlobalOp):
        fail(op, f"'{op.name}' is not supported at the top of a module")
    block = op.parent
    assert block is not None
    block.erase_op(op)
