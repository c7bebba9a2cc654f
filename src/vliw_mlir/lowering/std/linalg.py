"""Conversion of `linalg`.

Named ops are converted like the `linalg.generic` they abbreviate, so that there is one
conversion for tensors and one for memrefs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import linalg
from xdsl.dialects.builtin import I64, DenseArrayBase, MemRefType, ShapedType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from vliw_mlir.lowering.std import linalg_memref, linalg_tensor
from vliw_mlir.lowering.std.converter import Converter, Handler
from vliw_mlir.lowering.std.linalg_structure import Structure


def _convert(c: Converter, structure: Structure) -> None:
    if any(isinstance(v.type, MemRefType) for v in structure.outputs):
        linalg_memref.convert(c, structure)
    else:
        c.replace(*linalg_tensor.convert(c, structure))


def convert_structured(c: Converter, op: LinalgStructuredOperation) -> None:
    maps = tuple(attr.data for attr in op.get_indexing_maps())
    _convert(c, Structure(tuple(op.inputs), tuple(op.outputs), maps, op.body.block))


def convert_broadcast(c: Converter, op: linalg.ops.BroadcastOp) -> None:
    added = op.dimensions.get_values()
    maps = _projection_and_identity(_rank(op.init), added)
    _convert(c, Structure((op.input,), (op.init,), maps, op.hidden_region.block))


def convert_reduce(c: Converter, op: Operation) -> None:
    """All first operands are inputs, as many more are the initial values."""
    count = len(op.operands) // 2
    inputs, inits = op.operands[:count], op.operands[count:]
    dimensions = cast(DenseArrayBase[I64], op.properties["dimensions"])
    reduced = dimensions.get_values()
    kept, identity = _projection_and_identity(_rank(inputs[0]), reduced)
    maps = (identity,) * count + (kept,) * count
    _convert(c, Structure(tuple(inputs), tuple(inits), maps, op.regions[0].block))


def _projection_and_identity(rank: int, dropped: Sequence[int]) -> tuple[AffineMap, AffineMap]:
    kept = tuple(AffineDimExpr(dim) for dim in range(rank) if dim not in dropped)
    return AffineMap(rank, 0, kept), AffineMap.identity(rank)


def _rank(value: SSAValue) -> int:
    return len(cast(ShapedType, value.type).get_shape())


HANDLERS: dict[type[Operation], Handler] = {
    **{
        op: convert_structured
        for op in linalg.Linalg.operations
        if issubclass(op, LinalgStructuredOperation)
    },
    linalg.ops.BroadcastOp: convert_broadcast,
    linalg.ops.ReduceOp: convert_reduce,
}
