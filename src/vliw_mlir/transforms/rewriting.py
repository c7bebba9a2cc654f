"""Small steps that rewriting operations is made of."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from vliw_mlir.dialects import word


def replace_op(op: Operation, values: Sequence[SSAValue]) -> None:
    """Erase `op`, with `values` in place of its results."""
    for result, value in zip(op.results, values, strict=True):
        result.replace_all_uses_with(value)
    block = op.parent
    assert block is not None
    block.erase_op(op)


def inline_block(block: Block, arguments: Sequence[SSAValue], before: Operation) -> list[SSAValue]:
    """Move the operations of `block` in front of `before`; the values that its end hands on.

    `arguments` take the place of the block's arguments; the terminator is erased.
    """
    target, end = before.parent, block.last_op
    assert target is not None
    assert end is not None
    for argument, value in zip(block.args, arguments, strict=True):
        argument.replace_all_uses_with(value)
    values = list(end.operands)
    block.erase_op(end)
    for op in list(block.ops):
        op.detach()
        target.insert_op_before(op, before)
    return values


def uniform_constant(value: SSAValue) -> int | None:
    """The word that a value always is, in all lanes of a vector; None if there is none."""
    op = value.owner
    if not isinstance(op, word.ConstantOp):
        return None
    words = set(op.words())
    return words.pop() if len(words) == 1 else None
