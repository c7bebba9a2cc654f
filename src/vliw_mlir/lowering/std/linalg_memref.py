"""Conversion of structured `linalg` ops on memrefs: loops over loads and stores."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap

from vliw_mlir.dialects import word
from vliw_mlir.lowering.std.affine_map import evaluate
from vliw_mlir.lowering.std.converter import Converter, Index
from vliw_mlir.lowering.std.indexing import element_offset
from vliw_mlir.lowering.std.linalg_structure import Structure, cast_yielded
from vliw_mlir.lowering.std.loops import bounds_from_zero, loop_nest
from vliw_mlir.lowering.std.tensor_body import convert_on_words, set_indices


def convert(c: Converter, structure: Structure) -> None:
    """Emit loops that visit each point, load the elements used and store what is yielded."""
    c.width(structure.outputs[0])

    def point(counters: Sequence[SSAValue], carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        operands = zip(structure.operands, structure.maps, structure.body.args, strict=False)
        for operand, map, arg in operands:
            if arg.uses:
                c.set(arg, _load(c, operand, map, counters))
        set_indices(c, structure.body, counters)
        words = convert_on_words(c, structure.body)
        for number, output in enumerate(structure.outputs):
            yielded = structure.terminator.operands[number]
            value = cast_yielded(c, words[number], yielded, output)
            buffer, offset = _element(c, output, structure.output_maps[number], counters)
            c.append(word.StoreOp(value, buffer, offset))
        return carried

    loop_nest(c, bounds_from_zero(c, _sizes(c, structure)), [], point)


def _sizes(c: Converter, structure: Structure) -> list[Index]:
    sizes: list[Index] = []
    for position, sources in enumerate(structure.size_sources(c)):
        found = [c.memref(operand).sizes[dim] for operand, dim in sources]
        known = [size for size in found if size is not None]
        if not known:
            c.fail(
                f"the size of dimension {position} of the iteration space is not known: memrefs"
                " are passed without their sizes; use a static size"
            )
        sizes.append(next((size for size in known if isinstance(size, int)), known[0]))
    return sizes


def _load(
    c: Converter, operand: SSAValue, map: AffineMap, counters: Sequence[SSAValue]
) -> SSAValue:
    if not isinstance(operand.type, MemRefType):
        return c.get(operand)
    return c.emit(word.LoadOp(*_element(c, operand, map, counters)))


def _element(
    c: Converter, operand: SSAValue, map: AffineMap, counters: Sequence[SSAValue]
) -> tuple[SSAValue, SSAValue]:
    view = c.memref(operand)
    indices = [evaluate(c, expr, counters) for expr in map.results]
    return view.buffer, element_offset(c, view, indices)
