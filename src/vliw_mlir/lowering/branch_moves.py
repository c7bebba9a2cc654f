"""Where the moves of values to the arguments of blocks may be made."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import cf
from xdsl.ir import Block, Operation, SSAValue

from vliw_mlir.analysis.cfg import edges, successors
from vliw_mlir.dialects import word

MOST_BLOCKS = 256
"""How many blocks are looked at for uses of an argument."""

_VIEWS = (
    word.AddressOp,
    word.ConcatOp,
    word.ExtractOp,
    word.FromElementsOp,
    word.InsertOp,
    word.SliceOp,
    word.SubbufferOp,
    word.TestOp,
)
"""Operations whose results may lie in the register of an operand."""


def can_move_before(branch: cf.ConditionalBranchOp) -> bool:
    """Whether the arguments of both blocks may be set in front of `branch`, whichever it takes.

    This saves a block with moves and a jump on the way. The arguments of one block must not
    be needed on the way to the other, nor must the branch test one of them.
    """
    then, otherwise = (block for block, _ in edges(branch))
    if then is otherwise:
        return False
    for block, other in ((then, otherwise), (otherwise, then)):
        users, views = _uses(block.args)
        if branch.cond in views or _is_reached(other, users - {block}, without=block):
            return False
    return True


def _uses(arguments: Iterable[SSAValue]) -> tuple[set[Block], set[SSAValue]]:
    """The blocks with uses of arguments or of views of them; these values."""
    pending, users = list(arguments), set[Block]()
    views = set(pending)
    while pending:
        for use in pending.pop().uses:
            op: Operation = use.operation
            if op.parent is not None:
                users.add(op.parent)
            if isinstance(op, _VIEWS):
                found = [result for result in op.results if result not in views]
                views.update(found)
                pending += found
    return users, views


def _is_reached(start: Block, goals: set[Block], without: Block) -> bool:
    """Whether one of `goals` can be reached from `start` without passing a block; True if that
    takes long to find out."""
    if not goals:
        return False
    seen, pending = {start}, [start]
    while pending:
        block = pending.pop()
        if block in goals or len(seen) > MOST_BLOCKS:
            return True
        for successor in successors(block):
            if successor is not without and successor not in seen:
                seen.add(successor)
                pending.append(successor)
    return False
