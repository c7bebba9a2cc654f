"""By how much values grow from one iteration of a loop of one block to the next.

What a block gets as arguments and hands on to itself plus a constant advances by that constant;
with it do forms of such arguments.
"""

from __future__ import annotations

from xdsl.ir import Block, SSAValue

from vliw_mlir.analysis.affine import Affine
from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.analysis.cfg import block_of, edges
from vliw_mlir.semantics import to_signed


class Advances:
    """Those of a block that branches to itself."""

    def __init__(self, block: Block, aliases: AliasAnalysis):
        self._block = block
        self._steps = _steps(block, aliases)

    def of(self, form: Affine) -> int | None:
        """By how much a form grows in each iteration; None if that is not known."""
        steps = [(form.coefficient(value), self._step(value)) for value in form.terms]
        if any(step is None for _, step in steps):
            return None
        return sum(factor * (step or 0) for factor, step in steps)

    def _step(self, value: SSAValue) -> int | None:
        return self._steps.get(value) if block_of(value) is self._block else 0


def _steps(block: Block, aliases: AliasAnalysis) -> dict[SSAValue, int]:
    """By how much arguments of a block grow each time that it branches to itself."""
    steps: dict[SSAValue, int] = {}
    last = block.last_op
    assert last is not None
    ways = [values for successor, values in edges(last) if successor is block]
    for argument in block.args:
        forms = [aliases.forms.of(values[argument.index]) for values in ways]
        growths = [form - Affine(0, {argument: 1}) for form in forms]
        if growths and all(growth.is_constant and growth == growths[0] for growth in growths):
            steps[argument] = to_signed(growths[0].constant)
    return steps
