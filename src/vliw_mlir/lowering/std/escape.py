"""Whether a memref allocated in a loop is still in use in a later iteration.

Executing an allocation again gives the same buffer again, so the buffers of two iterations
must not be alive together. They cannot be unless an iteration passes its buffer on.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue, Use
from xdsl.traits import IsTerminator

from vliw_mlir.analysis.cfg import edges, successors


def escaping_use(alloc: Operation) -> Operation | None:
    """The op that passes the memref that `alloc` makes to a later iteration, if there is one."""
    seen: set[SSAValue] = set()
    worklist: list[SSAValue] = [alloc.results[0]]
    while worklist:
        value = worklist.pop()
        if value in seen:
            continue
        seen.add(value)
        for use in value.uses:
            if _ends_iteration(use, alloc):
                return use.operation
            worklist += _aliases(use)
    return None


def _ends_iteration(use: Use, alloc: Operation) -> bool:
    """Whether `use` passes a value out of an iteration of a loop around `alloc`."""
    user, parent = use.operation, use.operation.parent_op()
    assert parent is not None
    if isinstance(user, scf.YieldOp | scf.ConditionOp):
        return isinstance(parent, scf.ForOp | scf.WhileOp) and parent.is_ancestor(alloc)
    return any(_leads_back(target, alloc) for target, _ in _branch_arguments(use))


def _aliases(use: Use) -> Iterator[SSAValue]:
    """The values that hold, after the op of `use`, the memref that it uses."""
    user = use.operation
    if user.has_trait(IsTerminator):
        for target, number in _branch_arguments(use):
            yield target.args[number]
        parent = user.parent_op()
        if parent is not None and not user.successors:
            yield from _after_region(parent, user, use.index)
    elif isinstance(user, scf.ForOp):
        # The operands before the initial values are the bounds and the step.
        yield user.body.block.args[use.index - 2]
        yield user.results[use.index - 3]
    elif isinstance(user, scf.WhileOp):
        yield user.before_region.block.args[use.index]
    else:
        yield from (r for r in user.results if isinstance(r.type, MemRefType))


def _after_region(parent: Operation, end: Operation, index: int) -> Iterator[SSAValue]:
    """Where a value goes that `end` hands to `parent`."""
    if isinstance(end, scf.ConditionOp):
        assert isinstance(parent, scf.WhileOp)
        yield parent.after_region.block.args[index - 1]
        yield parent.results[index - 1]
    elif isinstance(parent, scf.WhileOp):
        yield parent.before_region.block.args[index]
    elif isinstance(parent, scf.ForOp):
        yield parent.body.block.args[index + 1]
        yield parent.results[index]
    elif parent.results:
        yield parent.results[index]


def _branch_arguments(use: Use) -> Iterator[tuple[Block, int]]:
    """The block arguments that a branch gives the used value to."""
    value = use.operation.operands[use.index]
    for target, arguments in edges(use.operation):
        yield from ((target, i) for i, argument in enumerate(arguments) if argument is value)


def _leads_back(start: Block, alloc: Operation) -> bool:
    """Whether control can go from `start` to `alloc` without leaving the region of `start`."""
    around: Operation | None = alloc
    while around is not None and around.parent_region() is not start.parent_region():
        around = around.parent_op()
    if around is None:
        return False
    seen: set[Block] = set()
    worklist = [start]
    while worklist:
        block = worklist.pop()
        if block not in seen:
            seen.add(block)
            worklist += successors(block)
    return around.parent in seen
