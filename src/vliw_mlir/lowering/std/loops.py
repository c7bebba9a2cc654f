"""Nests of loops over words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects import scf
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Region, SSAValue

from vliw_mlir.lowering.std.converter import Converter, Index

Bounds: TypeAlias = tuple[SSAValue, SSAValue, SSAValue]
"""Lower bound, upper bound (exclusive) and step of a loop."""

Body: TypeAlias = Callable[[Sequence[SSAValue], Sequence[SSAValue]], Sequence[SSAValue]]
"""Emits the innermost body: from the counters and the carried values to their next values."""


def loop_nest(
    c: Converter, bounds: Sequence[Bounds], carried: Sequence[SSAValue], body: Body
) -> list[SSAValue]:
    """Emit nested `scf.for` loops, outermost first; what the carried values end as."""
    counters: list[SSAValue] = []

    def emit(depth: int, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
        if depth == len(bounds):
            return body(counters, values)
        outer = c.block
        c.block = Block(arg_types=[i32, *(v.type for v in values)])
        counters.append(c.block.args[0])
        results = emit(depth + 1, c.block.args[1:])
        c.append(scf.YieldOp(*results))
        region, c.block = Region(c.block), outer
        loop = scf.ForOp(*bounds[depth], values, region)
        c.append(loop)
        return loop.results

    return list(emit(0, carried))


def bounds_from_zero(c: Converter, sizes: Sequence[Index]) -> list[Bounds]:
    """Bounds of loops from 0 to each of `sizes`."""
    zero, one = c.constant(0), c.constant(1)
    return [(zero, c.as_word(size), one) for size in sizes]
