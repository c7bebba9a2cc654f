"""Small steps that rewriting operations is made of."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue


def replace_op(op: Operation, values: Sequence[SSAValue]) -> None:
    """Erase `op`, with `values` in place of its results."""
    for result, value in zip(op.results, values, strict=True):
        result.replace_all_uses_with(value)
    block = op.parent
    assert block is not None
    block.erase_op(op)
