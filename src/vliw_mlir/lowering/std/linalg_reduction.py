"""Recognizing reductions in the bodies of structured `linalg` ops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from vliw_mlir.dialects import kernel
from vliw_mlir.lowering.std.arith import FUNCTION_OF
from vliw_mlir.lowering.std.converter import Converter
from vliw_mlir.lowering.std.integers import binary, truncate
from vliw_mlir.lowering.std.linalg_structure import Structure
from vliw_mlir.semantics import REDUCTIONS, WORD_BITS

COMBINING = {op.name: name for op, name in FUNCTION_OF.items() if name in REDUCTIONS}
"""The word function of each op that can combine values in any order."""

_BY_UNSIGNED = {"mins": "minu", "maxs": "maxu"}
"""Signed order is unsigned order with the sign bits flipped."""


@dataclass(frozen=True)
class Reduction:
    """An accumulator that a body combines with terms, none of which depends on it."""

    function: str
    """The combining word function."""
    accumulator: SSAValue
    """The argument of the body that holds what was accumulated so far."""
    terms: tuple[SSAValue, ...]
    """What is combined with it at each point."""
    ops: tuple[Operation, ...]
    """The ops that combine."""

    def emit(
        self,
        c: Converter,
        terms: Sequence[SSAValue],
        init: SSAValue,
        dims: Sequence[int],
        width: int,
    ) -> SSAValue:
        """Combine all elements of all `terms` along `dims` with `init`.

        They hold integers of `width` bits.
        """
        total, *rest = terms
        for term in rest:
            total = binary(c, self.function, total, term, width)
        function = self.function
        flipped = width < WORD_BITS and function in _BY_UNSIGNED
        if flipped:
            function = _BY_UNSIGNED[function]
            total, init = (_flip_sign(c, value, width) for value in (total, init))
        kind = kernel.ReductionKind(function)
        result = c.emit(kernel.ReduceOp(kind, total, init, dims))
        if flipped:
            return _flip_sign(c, result, width)
        return truncate(c, result, width) if function in ("add", "mul") else result


def _flip_sign(c: Converter, value: SSAValue, width: int) -> SSAValue:
    return c.function("xor", value, c.splat(1 << (width - 1), value))


def find_reduction(structure: Structure, number: int) -> Reduction | None:
    """How the body reduces into an output; None if it does more than combine.

    The accumulator and each intermediate result must have one use, the next combining op,
    so that nothing else can depend on them.
    """
    accumulator = structure.output_argument(number)
    if accumulator is None:
        return None
    function: str | None = None
    terms: list[SSAValue] = []
    ops: list[Operation] = []
    value = accumulator
    while (use := value.get_user_of_unique_use()) is not structure.terminator:
        if use is None or use.parent is not structure.body:
            return None
        name = COMBINING.get(use.name)
        if name is None or function not in (None, name):
            return None
        function = name
        terms.append(use.operands[0] if use.operands[1] is value else use.operands[1])
        ops.append(use)
        value = use.results[0]
    if function is None or structure.terminator.operands[number] is not value:
        return None
    return Reduction(function, accumulator, tuple(terms), tuple(ops))
