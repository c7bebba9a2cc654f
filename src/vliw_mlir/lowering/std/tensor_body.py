"""Scalar bodies (of `linalg.generic`, `tensor.generate`, …) over an iteration space.

A straight-line body is converted once, on whole tensors: a value that differs from point to
point becomes a tensor of the shape of the space, each op its element-wise equivalent. A
value that is the same at all points stays a word.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xdsl.dialects import linalg
from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Block, Operation, SSAValue

from vliw_mlir.dialects import kernel
from vliw_mlir.dialects.facts import width_of
from vliw_mlir.lowering.std.converter import Converter
from vliw_mlir.lowering.std.loops import bounds_from_zero, loop_nest


def is_straight_line(body: Block) -> bool:
    """Whether `convert_on_tensors` can convert all ops of `body`."""
    last = body.last_op
    return all(_is_pointwise(op) for op in body.ops if op is not last)


def _is_pointwise(op: Operation) -> bool:
    if op.name == "tensor.extract":
        # The source must come from outside: within the body a tensor would be one per point.
        source, *scalars = op.operands
        if source.owner is op.parent or getattr(source.owner, "parent", None) is op.parent:
            return False
    elif op.dialect_name() == "arith" or op.name in ("affine.apply", "linalg.index"):
        scalars = op.operands
    else:
        return False
    values = (*scalars, *op.results)
    return not op.regions and all(width_of(value.type) is not None for value in values)


def convert_on_tensors(
    c: Converter, body: Block, shape: Sequence[int], skip: Collection[Operation] = ()
) -> None:
    """Convert the ops of a straight-line body, apart from its terminator and those in `skip`.

    The block arguments must have been set: to words where uniform, else to tensors of
    `shape`, which must not be empty (a uniform op is executed whatever the shape).
    """
    space = TensorType(i32, shape)
    for op in body.ops:
        if op is body.last_op or op in skip:
            continue
        if op.name == "linalg.index":
            c.set(op.results[0], _index(c, op, space))
        else:
            _convert_pointwise(c, op, space)


def _index(c: Converter, op: Operation, space: TensorType) -> SSAValue:
    assert isinstance(op, linalg.ops.IndexOp)
    return c.emit(kernel.IotaOp(op.dim.value.data, space))


def _convert_pointwise(c: Converter, op: Operation, space: TensorType) -> None:
    scalars = {v: c.get(v) for v in op.operands if not isinstance(v.type, TensorType)}
    uniform = {old: new for old, new in scalars.items() if new.type == i32}
    if len(uniform) < len(scalars):
        for old, new in uniform.items():
            c.set(old, c.emit(kernel.SplatOp(new, space)))
    c.convert_op(op)
    for old, new in uniform.items():
        c.set(old, new)


def set_indices(c: Converter, body: Block, indices: Sequence[SSAValue]) -> None:
    """Set the results of all `linalg.index` in a body, at any depth, to words."""
    for op in body.walk():
        if isinstance(op, linalg.ops.IndexOp):
            c.set(op.result, indices[op.dim.value.data])


def convert_on_words(c: Converter, body: Block) -> list[SSAValue]:
    """Convert the ops of a body for one point; the values it yields.

    The block arguments and `linalg.index` must have been set to words.
    """
    last = body.last_op
    assert last is not None
    for op in body.ops:
        if op is not last and op.name != "linalg.index":
            c.convert_op(op)
    return c.get_all(last.operands)


def tensor_by_body(c: Converter, body: Block, shape: tuple[int, ...]) -> SSAValue:
    """A tensor of `shape`, each element what `body` yields for the indices, its arguments."""
    type = TensorType(i32, shape)
    if 0 in shape:
        return c.emit(kernel.EmptyOp(type))
    last = body.last_op
    assert last is not None
    if not is_straight_line(body):
        return _tensor_by_loops(c, body, type)
    for dim, arg in enumerate(body.args):
        if arg.uses:
            c.set(arg, c.emit(kernel.IotaOp(dim, type)))
    convert_on_tensors(c, body, shape)
    value = c.get(last.operands[0])
    return value if value.type == type else c.emit(kernel.SplatOp(value, type))


def _tensor_by_loops(c: Converter, body: Block, type: TensorType) -> SSAValue:
    def point(indices: Sequence[SSAValue], carried: Sequence[SSAValue]) -> list[SSAValue]:
        for arg, index in zip(body.args, indices, strict=True):
            c.set(arg, index)
        (value,) = convert_on_words(c, body)
        return [c.emit(kernel.InsertOp(value, carried[0], indices))]

    bounds = bounds_from_zero(c, type.get_shape())
    (result,) = loop_nest(c, bounds, [c.emit(kernel.EmptyOp(type))], point)
    return result
