"""Blocks that are run one behind the other, each at most once: trees of the control-flow graph.

A tree is entered at its root only, and a block that has one predecessor belongs to the tree of
that one. So on any way through a tree values stay the same, and accesses of memory in its blocks
can be compared like those of one block. Known as extended basic blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.ir import Block

from vliw_mlir.analysis.cfg import successors
from vliw_mlir.lowering.access_cells import accesses_memory

MOST_ACCESSES = 256
"""How many accesses of memory are put in one tree: comparing them takes time n²."""


@dataclass(eq=False)
class BlockTree:
    """A tree, or a part of one where it would have too many accesses of memory."""

    blocks: list[Block] = field(default_factory=list[Block])
    """Each behind its parent."""
    accesses: int = 0


class TreeNode(NamedTuple):
    """Where a block is."""

    tree: BlockTree
    parent: Block | None
    """Its predecessor, if that is in the same tree."""


def block_trees(order: Sequence[Block]) -> dict[Block, TreeNode]:
    """The place of each block in a tree; `order` has blocks in reverse postorder."""
    predecessors: dict[Block, list[Block]] = {order[0]: []}
    for block in order:
        for successor in successors(block):
            predecessors.setdefault(successor, []).append(block)
    nodes: dict[Block, TreeNode] = {}
    for block in order:
        accesses = sum(map(accesses_memory, block.ops))
        parents = predecessors[block] if block is not order[0] else []
        node = TreeNode(BlockTree(), None)
        if len(parents) == 1:
            tree = nodes[parents[0]].tree
            if not accesses or tree.accesses + accesses <= MOST_ACCESSES:
                node = TreeNode(tree, parents[0])
        node.tree.blocks.append(block)
        node.tree.accesses += accesses
        nodes[block] = node
    return nodes
