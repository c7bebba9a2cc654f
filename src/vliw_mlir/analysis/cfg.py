"""The control-flow graph of a region."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import cf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue


def successors(block: Block) -> tuple[Block, ...]:
    """The blocks that the terminator of `block` may branch to."""
    last = block.last_op
    return tuple(last.successors) if last is not None else ()


def terminator(region: Region) -> Operation:
    """The last operation of a region of one block."""
    last = region.block.last_op
    assert last is not None
    return last


def blocks_of_functions(module: ModuleOp) -> Iterator[Block]:
    """The blocks of all functions with a body, those in regions included. The blocks of the
    function at hand are collected first, so that they may be rewritten."""
    for func in module.ops:
        if isinstance(func, FuncOp) and not func.is_declaration:
            yield from list(func.walk_blocks())


def block_of(value: SSAValue) -> Block:
    """The block in which a value is defined."""
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent
    assert block is not None
    return block


def edges(op: Operation) -> list[tuple[Block, Sequence[SSAValue]]]:
    """The blocks that a `cf` terminator may branch to, each with what its arguments become.

    Empty for other operations.
    """
    match op:
        case cf.BranchOp():
            return [(op.successor, op.arguments)]
        case cf.ConditionalBranchOp():
            return [(op.then_block, op.then_arguments), (op.else_block, op.else_arguments)]
        case cf.SwitchOp():
            cases = zip(op.case_blocks, op.case_operand, strict=True)
            return [(op.default_block, op.default_operands), *cases]
        case _:
            return []


def reverse_postorder(region: Region) -> list[Block]:
    """The reachable blocks, each before its successors except along back edges.

    A block comes after all blocks that dominate it.
    """
    entry = region.blocks.first
    if entry is None:
        return []
    postorder: list[Block] = []
    seen = {entry}
    stack = [(entry, iter(reversed(successors(entry))))]
    while stack:
        block, rest = stack[-1]
        following = next(rest, None)
        if following is None:
            postorder.append(block)
            stack.pop()
        elif following not in seen:
            seen.add(following)
            stack.append((following, iter(reversed(successors(following)))))
    return postorder[::-1]
