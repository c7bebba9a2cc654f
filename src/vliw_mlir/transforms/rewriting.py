"""Small steps that rewriting operations is made of."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, Region, SSAValue

from vliw_mlir.analysis.cfg import reverse_postorder
from vliw_mlir.analysis.loops import constant_word
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import Emitter


def replace_op(op: Operation, values: Sequence[SSAValue]) -> None:
    """Erase `op`, with `values` in place of its results."""
    for result, value in zip(op.results, values, strict=True):
        result.replace_all_uses_with(value)
    block = op.parent
    assert block is not None
    block.erase_op(op)


def only_user(op: word.ArithmeticOp) -> word.ArithmeticOp | None:
    """What alone uses the result of `op`, and does so once, if it computes something in the same
    block."""
    user = op.result.get_user_of_unique_use()
    if isinstance(user, word.ArithmeticOp) and user.parent is op.parent:
        return user
    return None


def move_before(op: Operation, before: Operation) -> None:
    """Move an operation in front of another one."""
    op.detach()
    block = before.parent
    assert block is not None
    block.insert_op_before(op, before)


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


def moved_offset(offset: SSAValue, distance: int, emitter: Emitter) -> SSAValue:
    """An offset that is `distance` words further."""
    if distance == 0:
        return offset
    known = constant_word(offset)
    if known is not None:
        return emitter.constant(known + distance)
    return emitter.function("add", offset, emitter.constant(distance))


def erase_unreachable_blocks(region: Region) -> int:
    """Erase the blocks of a region that cannot be reached from its first; their number."""
    reachable = set(reverse_postorder(region))
    dead = [block for block in region.blocks if block not in reachable]
    for block in dead:
        region.erase_block(block, safe_erase=False)
    return len(dead)


def uniform_constant(value: SSAValue) -> int | None:
    """The word that a value always is, in all lanes of a vector; None if there is none."""
    op = value.owner
    if not isinstance(op, word.ConstantOp):
        return None
    words = set(op.words())
    return words.pop() if len(words) == 1 else None
