"""Emitters for the ops of the tensor level."""

from __future__ import annotations

from functools import partial
from typing import cast

import numpy as np
from xdsl.ir import Operation

from vliw_mlir.dialects import kernel
from vliw_mlir.dialects.kernel import shape_of
from vliw_mlir.interp.codegen import Code, Emitter
from vliw_mlir.interp.runtime import reduce_words


def _constant(code: Code, op: kernel.ConstantOp) -> None:
    values = np.array(op.words(), np.uint32)
    shape = shape_of(op.result)
    # A splat attribute holds its value once.
    values = np.full(shape, values[0]) if values.size == 1 else values.reshape(shape)
    code.alias(op.result, code.fresh_constant(values))


def _empty(code: Code, op: kernel.EmptyOp) -> None:
    code.alias(op.result, code.fresh_constant(np.zeros(shape_of(op.result), np.uint32)))


def _splat(code: Code, op: kernel.SplatOp) -> None:
    code.define(op.result, f"full({shape_of(op.result)}, {code.name(op.source)}, uint32)")


def _iota(code: Code, op: kernel.IotaOp) -> None:
    indices = np.indices(shape_of(op.result), np.uint32)[op.dim.value.data]
    code.alias(op.result, code.fresh_constant(indices))


def _elementwise(code: Code, op: kernel.ElementwiseOp) -> None:
    call = f"{code.array_function(op.function)}({', '.join(code.names(op.operands))})"
    # Of arrays without dimensions, numpy makes scalars.
    code.define(op.result, call if shape_of(op.result) else f"asarray({call})")


def _broadcast(code: Code, op: kernel.BroadcastOp) -> None:
    dims = op.dims.get_values()
    shape = shape_of(op.result)
    order = tuple(sorted(range(len(dims)), key=lambda i: dims[i]))
    aligned = tuple(size if dim in dims else 1 for dim, size in enumerate(shape))
    source = f"{code.name(op.source)}.transpose({order}).reshape({aligned})"
    code.define(op.result, f"broadcast_to({source}, {shape})")


def _reshape(code: Code, op: kernel.ReshapeOp) -> None:
    code.define(op.result, f"{code.name(op.source)}.reshape({shape_of(op.result)})")


def _reduce(code: Code, op: kernel.ReduceOp) -> None:
    reduce = code.fresh_constant(partial(reduce_words, op.function))
    source, init = code.names([op.source, op.init])
    code.define(op.result, f"{reduce}({source}, {init}, {op.dims.get_values()})")


def _gather(code: Code, op: kernel.GatherOp) -> None:
    source, *indices = code.names([op.source, *op.indices])
    arguments = ", ".join([source, str(shape_of(op.result)), *indices])
    code.define(op.result, f"gather_elements({arguments})")


def _scatter(code: Code, op: kernel.ScatterOp) -> None:
    code.define(op.result, f"scatter_elements({', '.join(code.names(op.operands))})")


def _extract(code: Code, op: kernel.ExtractOp) -> None:
    source, *indices = code.names([op.source, *op.indices])
    code.define(op.result, f"{source}.item({', '.join(indices)})")


def _insert(code: Code, op: kernel.InsertOp) -> None:
    code.define(op.result, f"insert_element({', '.join(code.names(op.operands))})")


def _extract_slice(code: Code, op: kernel.ExtractSliceOp) -> None:
    source, *offsets = code.names([op.source, *op.offsets])
    shape, strides = shape_of(op.result), op.strides.get_values()
    arguments = ", ".join([source, str(shape), str(strides), *offsets])
    code.define(op.result, f"extract_slice({arguments})")


def _insert_slice(code: Code, op: kernel.InsertSliceOp) -> None:
    source, dest, *offsets = code.names([op.source, op.dest, *op.offsets])
    arguments = ", ".join([source, dest, str(op.strides.get_values()), *offsets])
    code.define(op.result, f"insert_slice({arguments})")


EMITTERS: dict[type[Operation], Emitter] = {
    kernel.ConstantOp: _constant,
    kernel.EmptyOp: _empty,
    kernel.SplatOp: _splat,
    kernel.IotaOp: _iota,
    **dict.fromkeys(kernel.BINARY_OPS, cast(Emitter, _elementwise)),
    kernel.CmpOp: _elementwise,
    kernel.SelectOp: _elementwise,
    kernel.MultiplyAddOp: _elementwise,
    kernel.BroadcastOp: _broadcast,
    kernel.ReshapeOp: _reshape,
    kernel.ReduceOp: _reduce,
    kernel.GatherOp: _gather,
    kernel.ScatterOp: _scatter,
    kernel.ExtractOp: _extract,
    kernel.InsertOp: _insert,
    kernel.ExtractSliceOp: _extract_slice,
    kernel.InsertSliceOp: _insert_slice,
}
