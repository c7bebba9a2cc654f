"""The control-flow graph of a region."""

from __future__ import annotations

from xdsl.ir import Block, Region


def successors(block: Block) -> tuple[Block, ...]:
    """The blocks that the terminator of `block` may branch to."""
    last = block.last_op
    return tuple(last.successors) if last is not None else ()


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
