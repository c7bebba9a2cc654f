"""Conversion of `affine`: loops and accesses whose subscripts are affine maps."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.lowering.std.affine_map import evaluate
from vliw_mlir.lowering.std.converter import Converter, Handler, Index
from vliw_mlir.lowering.std.indexing import element_offset


def _results(c: Converter, map: AffineMapAttr, operands: Sequence[SSAValue]) -> list[Index]:
    """The results of a map whose dimensions and then symbols are `operands`."""
    values = [c.index(value) for value in operands]
    dims, symbols = values[: map.data.num_dims], values[map.data.num_dims :]
    return [evaluate(c, expr, dims, symbols) for expr in map.data.results]


def convert_apply(c: Converter, op: affine.ApplyOp) -> None:
    (result,) = _results(c, op.map, op.mapOperands)
    c.replace(c.as_word(result))


def convert_min(c: Converter, op: affine.MinOp) -> None:
    c.replace(_extreme(c, "mins", _results(c, op.map, op.arguments)))


def _extreme(c: Converter, function: str, values: Sequence[Index]) -> SSAValue:
    first, *rest = (c.as_word(value) for value in values)
    for value in rest:
        first = c.function(function, first, value)
    return first


def convert_for(c: Converter, op: affine.ForOp) -> None:
    """The lower bound is the largest result of its map, the upper bound the smallest."""
    lower = _extreme(c, "maxs", _results(c, op.lowerBoundMap, op.lowerBoundOperands))
    upper = _extreme(c, "mins", _results(c, op.upperBoundMap, op.upperBoundOperands))
    step = c.constant(op.step.value.data)
    body = c.convert_region(op.body)
    loop = scf.ForOp(lower, upper, step, [c.passable(v) for v in op.inits], body)
    c.append(loop)
    c.replace(*loop.results)


def convert_yield(c: Converter, op: affine.YieldOp) -> None:
    c.append(scf.YieldOp(*[c.passable(v) for v in op.operands]))


def convert_load(c: Converter, op: affine.LoadOp) -> None:
    view = c.memref(op.memref)
    offset = element_offset(c, view, _results(c, op.map, op.indices))
    c.replace(c.emit(word.LoadOp(view.buffer, offset)))


def convert_store(c: Converter, op: affine.StoreOp) -> None:
    view = c.memref(op.memref)
    offset = element_offset(c, view, _results(c, op.map, op.indices))
    c.append(word.StoreOp(c.get(op.value), view.buffer, offset))


HANDLERS: dict[type, Handler] = {
    affine.ApplyOp: convert_apply,
    affine.MinOp: convert_min,
    affine.ForOp: convert_for,
    affine.YieldOp: convert_yield,
    affine.LoadOp: convert_load,
    affine.StoreOp: convert_store,
}
