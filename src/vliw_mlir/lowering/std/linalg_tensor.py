"""Conversion of structured `linalg` ops on tensors.

A straight-line body becomes element-wise `kernel` ops over the iteration space; an output
that the body only combines values into becomes a `kernel.reduce`. Everything else becomes
loops that carry the outputs.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineMap

from vliw_mlir.dialects import kernel
from vliw_mlir.dialects.kernel import shape_of
from vliw_mlir.lowering.std.affine_map import evaluate, projected_dims
from vliw_mlir.lowering.std.converter import Converter, Index
from vliw_mlir.lowering.std.linalg_reduction import Reduction, find_reduction
from vliw_mlir.lowering.std.linalg_structure import Structure, cast_yielded
from vliw_mlir.lowering.std.loops import bounds_from_zero, loop_nest
from vliw_mlir.lowering.std.tensor_body import (
    convert_on_tensors,
    convert_on_words,
    is_straight_line,
    set_indices,
)


def convert(c: Converter, structure: Structure) -> list[SSAValue]:
    """Emit what `structure` computes; the results, one per output."""
    shape = _iteration_shape(c, structure)
    if 0 in shape:
        return c.get_all(structure.outputs)
    reductions = _reductions(structure)
    if reductions is None or not is_straight_line(structure.body):
        return _by_loops(c, structure, shape)
    return _on_tensors(c, structure, shape, reductions)


def _iteration_shape(c: Converter, structure: Structure) -> list[int]:
    shape: list[int] = []
    for position, sources in enumerate(structure.size_sources(c)):
        sizes = {shape_of(c.get(operand))[dim] for operand, dim in sources}
        if len(sizes) > 1:
            c.fail(f"operands differ in the size of dimension {position} of the iteration space")
        shape += sizes
    return shape


def _reductions(structure: Structure) -> list[Reduction | None] | None:
    """How each output comes about, None for one written once per element.

    None when an output needs a loop: its elements are not written in a simple pattern, or
    the value depends on what was written at other points.
    """
    reductions: list[Reduction | None] = []
    for number, map in enumerate(structure.output_maps):
        dims = projected_dims(map)
        if dims is None:
            return None
        reduction = None
        if len(dims) < map.num_dims:
            reduction = find_reduction(structure, number)
            if reduction is None:
                return None
        reductions.append(reduction)
    return reductions


def _on_tensors(
    c: Converter,
    structure: Structure,
    shape: Sequence[int],
    reductions: Sequence[Reduction | None],
) -> list[SSAValue]:
    accumulators = {r.accumulator for r in reductions if r is not None}
    operands = zip(structure.operands, structure.maps, structure.body.args, strict=False)
    for operand, map, arg in operands:
        if arg.uses and arg not in accumulators:
            c.set(arg, _at_all_points(c, operand, map, shape))
    skip = {op for r in reductions if r is not None for op in r.ops}
    convert_on_tensors(c, structure.body, shape, skip)
    return [
        _written_once(c, structure, number, shape)
        if reduction is None
        else _reduce(c, structure, number, shape, reduction)
        for number, reduction in enumerate(reductions)
    ]


def _at_all_points(
    c: Converter, operand: SSAValue, map: AffineMap, shape: Sequence[int]
) -> SSAValue:
    """The element of an operand at each point, or one word if it is the same at all points."""
    value = c.get(operand)
    if not isinstance(value.type, TensorType):
        return value
    constants = [e.value for e in map.results if isinstance(e, AffineConstantExpr)]
    if len(constants) == len(map.results):
        return c.emit(kernel.ExtractOp(value, [c.constant(k) for k in constants]))
    dims = projected_dims(map)
    if dims is not None:
        return _broadcast(c, value, dims, shape)
    space = TensorType(i32, shape)
    used = map.used_dims()
    # Dimensions that no result uses need no index.
    points: list[Index] = [
        c.emit(kernel.IotaOp(dim, space)) if dim in used else 0 for dim in range(map.num_dims)
    ]
    indices = [_splat(c, evaluate(c, expr, points), space) for expr in map.results]
    return c.emit(kernel.GatherOp(value, indices))


def _splat(c: Converter, value: Index, type: TensorType) -> SSAValue:
    word = c.as_word(value)
    return word if word.type == type else c.emit(kernel.SplatOp(word, type))


def _broadcast(
    c: Converter, value: SSAValue, dims: Sequence[int], shape: Sequence[int]
) -> SSAValue:
    """`value` with its dimension `i` as dimension `dims[i]` of `shape`."""
    if list(dims) == list(range(len(shape))):
        return value
    return c.emit(kernel.BroadcastOp(value, dims, TensorType(i32, shape)))


def _written_once(
    c: Converter, structure: Structure, number: int, shape: Sequence[int]
) -> SSAValue:
    output = structure.outputs[number]
    yielded = structure.terminator.operands[number]
    value = cast_yielded(c, c.get(yielded), yielded, output)
    type = c.get(output).type
    if not isinstance(value.type, TensorType):
        return c.emit(kernel.SplatOp(value, type))
    dims = projected_dims(structure.output_maps[number])
    assert dims is not None
    return _broadcast(c, value, _inverse(dims), shape_of(type))


def _inverse(permutation: Sequence[int]) -> list[int]:
    return [permutation.index(position) for position in range(len(permutation))]


def _reduce(
    c: Converter, structure: Structure, number: int, shape: Sequence[int], reduction: Reduction
) -> SSAValue:
    space = TensorType(i32, shape)
    terms = [_splat(c, c.get(term), space) for term in reduction.terms]
    init = c.get(structure.outputs[number])
    dims = projected_dims(structure.output_maps[number])
    assert dims is not None
    # `kernel.reduce` keeps dimensions in the order of the space.
    kept = sorted(dims)
    order = [kept.index(dim) for dim in dims]
    init = _broadcast(c, init, order, [shape[dim] for dim in kept])
    reduced = [dim for dim in range(len(shape)) if dim not in kept]
    width = c.width(structure.outputs[number])
    result = reduction.emit(c, terms, init, reduced, width)
    return _broadcast(c, result, _inverse(order), [shape[dim] for dim in dims])


def _by_loops(c: Converter, structure: Structure, shape: Sequence[int]) -> list[SSAValue]:
    inputs = c.get_all(structure.inputs)

    def point(counters: Sequence[SSAValue], carried: Sequence[SSAValue]) -> list[SSAValue]:
        values = (*inputs, *carried)
        indices = [
            [c.as_word(evaluate(c, expr, counters)) for expr in map.results]
            for map in structure.maps
        ]
        for arg, value, index in zip(structure.body.args, values, indices, strict=False):
            if arg.uses:
                is_scalar = not isinstance(value.type, TensorType)
                c.set(arg, value if is_scalar else c.emit(kernel.ExtractOp(value, index)))
        set_indices(c, structure.body, counters)
        words = convert_on_words(c, structure.body)
        results: list[SSAValue] = []
        for number, (value, output) in enumerate(zip(words, structure.outputs, strict=True)):
            yielded = structure.terminator.operands[number]
            word = cast_yielded(c, value, yielded, output)
            index = indices[len(inputs) + number]
            results.append(c.emit(kernel.InsertOp(word, carried[number], index)))
        return results

    return loop_nest(c, bounds_from_zero(c, shape), c.get_all(structure.outputs), point)
