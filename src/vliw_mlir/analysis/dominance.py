"""Dominators of a control-flow graph.

`DominatorTree` works on plain integer graphs; `RegionDominators` is one for the blocks of
an IR region. The algorithm is that of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
Algorithm": near linear on the graphs compilers see.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Region

UNREACHABLE = -1
"""The immediate dominator of a node that no path from the root reaches."""


class DominatorTree:
    """The dominators of every node of a rooted directed graph.

    Nodes are the integers from 0 to `len(successors) - 1`.
    """

    root: int
    immediate: list[int]
    """The immediate dominator of each node; the root is its own, `UNREACHABLE` when no path
    from the root leads to the node."""

    _entry: list[int]
    _exit: list[int]

    def __init__(self, successors: Sequence[Sequence[int]], root: int = 0):
        self.root = root
        order = _reverse_postorder(successors, root)
        self.immediate = _immediate_dominators(successors, order)
        self._entry, self._exit = _tree_intervals(self.immediate, order)

    def is_reachable(self, node: int) -> bool:
        """Whether some path from the root leads to `node`."""
        return self.immediate[node] != UNREACHABLE

    def dominates(self, above: int, below: int) -> bool:
        """Whether every path from the root to `below` passes through `above`; constant time.

        No path leads to an unreachable node, so everything dominates it, and it dominates only
        itself and other unreachable nodes.
        """
        if not self.is_reachable(below):
            return True
        if not self.is_reachable(above):
            return False
        return self._entry[above] <= self._entry[below] <= self._exit[above]

    def strictly_dominates(self, above: int, below: int) -> bool:
        """Whether `above` dominates `below` and is another node."""
        return above != below and self.dominates(above, below)


def _reverse_postorder(successors: Sequence[Sequence[int]], root: int) -> list[int]:
    seen = {root}
    postorder: list[int] = []
    stack = [(root, iter(successors[root]))]
    while stack:
        node, rest = stack[-1]
        for successor in rest:
            if successor in seen:
                continue
            seen.add(successor)
            stack.append((successor, iter(successors[successor])))
            break
        else:
            stack.pop()
            postorder.append(node)
    return postorder[::-1]


def _immediate_dominators(successors: Sequence[Sequence[int]], order: list[int]) -> list[int]:
    immediate = [UNREACHABLE] * len(successors)
    rank = {node: i for i, node in enumerate(order)}
    predecessors: dict[int, list[int]] = {node: [] for node in order}
    for node in order:
        for successor in successors[node]:
            predecessors[successor].append(node)

    def common(a: int, b: int) -> int:
        while a != b:
            if rank[a] < rank[b]:
                a, b = b, a
            a = immediate[a]
        return a

    root = order[0]
    immediate[root] = root
    changed = True
    while changed:
        changed = False
        for node in order[1:]:
            found = UNREACHABLE
            for predecessor in predecessors[node]:
                if immediate[predecessor] != UNREACHABLE:
                    found = predecessor if found == UNREACHABLE else common(predecessor, found)
            if immediate[node] != found:
                immediate[node] = found
                changed = True
    return immediate


def _tree_intervals(immediate: list[int], order: list[int]) -> tuple[list[int], list[int]]:
    """For each node its preorder number in the tree and the largest one in its subtree."""
    children: dict[int, list[int]] = {node: [] for node in order}
    for node in order[1:]:
        children[immediate[node]].append(node)
    entry = [0] * len(immediate)
    exit_ = [0] * len(immediate)
    preorder: list[int] = []
    stack = [order[0]]
    while stack:
        node = stack.pop()
        entry[node] = len(preorder)
        preorder.append(node)
        stack.extend(children[node])
    for node in reversed(preorder):
        exit_[node] = max([entry[node], *(exit_[child] for child in children[node])])
    return entry, exit_


class RegionDominators:
    """The dominators of the blocks of a region; stale once the control flow changes."""

    _index: dict[Block, int]
    _tree: DominatorTree | None

    def __init__(self, region: Region):
        blocks = list(region.blocks)
        self._index = {block: i for i, block in enumerate(blocks)}
        self._tree = DominatorTree([self._successors(b) for b in blocks]) if blocks else None

    def _successors(self, block: Block) -> list[int]:
        if block.last_op is None:
            return []
        # A successor outside the region is an error that the verifier reports elsewhere.
        return [self._index[s] for s in block.last_op.successors if s in self._index]

    def is_reachable(self, block: Block) -> bool:
        """Whether control flow from the entry block can reach `block`."""
        return self._tree is not None and self._tree.is_reachable(self._index[block])

    def dominates(self, above: Block, below: Block) -> bool:
        """Whether every path from the entry block to `below` passes through `above`."""
        if self._tree is None:
            return False
        return self._tree.dominates(self._index[above], self._index[below])
