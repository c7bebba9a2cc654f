"""What all structured `linalg` ops have in common."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from vliw_mlir.lowering.std.converter import Converter
from vliw_mlir.lowering.std.integers import sign_extend, truncate


@dataclass(frozen=True)
class Structure:
    """A scalar body applied at each point of an iteration space.

    At a point, each argument of the body is the element of its operand that the operand's
    map picks (for a scalar operand, the scalar), and what the body yields becomes those
    elements of the outputs. Points are visited in row-major order.
    """

    inputs: tuple[SSAValue, ...]
    outputs: tuple[SSAValue, ...]
    maps: tuple[AffineMap, ...]
    """From a point to the element of each operand, inputs first."""
    body: Block
    """With an argument per operand; those of outputs may be missing."""

    @property
    def operands(self) -> tuple[SSAValue, ...]:
        return (*self.inputs, *self.outputs)

    @property
    def terminator(self) -> Operation:
        last = self.body.last_op
        assert last is not None
        return last

    @property
    def output_maps(self) -> tuple[AffineMap, ...]:
        return self.maps[len(self.inputs) :]

    def output_argument(self, number: int) -> SSAValue | None:
        """The argument of the body that holds the old element of an output, if it is used."""
        position = len(self.inputs) + number
        if position >= len(self.body.args) or not self.body.args[position].uses:
            return None
        return self.body.args[position]

    def size_sources(self, c: Converter) -> list[list[tuple[SSAValue, int]]]:
        """For each dimension of the space, the operands of its size: each with its dimension.

        Fails when there is none.
        """
        rank = self.maps[0].num_dims if self.maps else 0
        sources: list[list[tuple[SSAValue, int]]] = [[] for _ in range(rank)]
        for operand, map in zip(self.operands, self.maps, strict=True):
            for dim, expr in enumerate(map.results):
                if isinstance(expr, AffineDimExpr):
                    sources[expr.position].append((operand, dim))
        if not all(sources):
            c.fail("no operand tells the size of each dimension of the iteration space")
        return sources


def cast_yielded(c: Converter, value: SSAValue, yielded: SSAValue, output: SSAValue) -> SSAValue:
    """What the body yields, as an element of `output`: named ops convert as if signed."""
    from_width, to_width = c.width(yielded), c.width(output)
    if from_width < to_width:
        value = sign_extend(c, value, from_width)
    return value if from_width == to_width else truncate(c, value, to_width)
