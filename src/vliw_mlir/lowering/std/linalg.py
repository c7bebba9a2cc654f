"""Conversion of `linalg`.

Named ops are converted like the `linalg.generic` they abbreviate, so that there is one
conversion for tensors and one for memrefs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import linalg
from xdsl.dialects.builtin import MemRefType, ShapedType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from vliw_mlir.dialects.upstream.linalg import Linalg, MapOp
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


def convert_reduce(c: Converter, op: linalg.ops.ReduceOp) -> None:
    kept, identity = _projection_and_identity(_rank(op.input), op.dimensions.get_values())
    _convert(c, Structure((op.input,), (op.init,), (identity, kept), op.region.block))


def convert_map(c: Converter, op: MapOp) -> None:
    maps = (AffineMap.identity(_rank(op.init)),) * len(op.operands)
    _convert(c, Structure(tuple(op.inputs), (op.init,), maps, op.mapper.block))


def _projection_and_identity(rank: int, dropped: Sequence[int]) -> tuple[AffineMap, AffineMap]:
    kept = tuple(AffineDimExpr(dim) for dim in range(rank) if dim not in dropped)
    return AffineMap(rank, 0, kept), AffineMap.identity(rank)


def _is_structured(op: type[Operation]) -> bool:
    return issubclass(op, LinalgStructuredOperation)


def _rank(value: SSAValue) -> int:
    return len(cast(ShapedType, value.type).get_shape())


HANDLERS: dict[type[Operation], Handler] = {
    **{op: convert_structured for op in Linalg.operations if _is_structured(op)},
    linalg.ops.BroadcastOp: convert_broadcast,
    linalg.ops.ReduceOp: convert_reduce,
    MapOp: convert_map,
}
