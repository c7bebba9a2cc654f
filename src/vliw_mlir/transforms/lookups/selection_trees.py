"""Choosing one of several words by conditions: decision trees, as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Selection:
    """`on_true` if a condition holds, or else `on_false`."""

    condition: int
    """The number of the condition."""
    on_true: Tree
    on_false: Tree

    @property
    def is_between_leaves(self) -> bool:
        """Whether both alternatives are words."""
        return isinstance(self.on_true, int) and isinstance(self.on_false, int)


Tree: TypeAlias = "int | Selection"
"""A word, or a selection among trees."""


def selection_tree(cases: Sequence[tuple[int, int]]) -> Tree:
    """The tree that finds the word of each case: `(mask of the conditions that hold, word)`.

    The condition of the highest number decides at the root, and that of the lowest one between
    the leaves: if conditions are numbered in the order in which they become known, most of the
    tree can be computed before the last of them. A condition that makes no difference is not
    used. Expects cases with different masks.
    """
    words = {word for _, word in cases}
    if len(words) == 1:
        return words.pop()
    varying = 0
    for mask, _ in cases:
        varying |= mask ^ cases[0][0]
    top = varying.bit_length() - 1
    on_true = selection_tree([case for case in cases if case[0] >> top & 1])
    on_false = selection_tree([case for case in cases if not case[0] >> top & 1])
    return on_true if on_true == on_false else Selection(top, on_true, on_false)


def selections(tree: Tree) -> list[Selection]:
    """The different selections of a tree, each after those that it needs."""
    found: dict[Selection, None] = {}
    _collect(tree, found)
    return list(found)


def conditions(tree: Tree) -> list[int]:
    """The numbers of the conditions that a tree uses, ascending."""
    return sorted({selection.condition for selection in selections(tree)})


def leaves(tree: Tree) -> Iterator[int]:
    """The words of a tree, each as often as it occurs."""
    if isinstance(tree, int):
        yield tree
        return
    yield from leaves(tree.on_false)
    yield from leaves(tree.on_true)


def _collect(tree: Tree, found: dict[Selection, None]) -> None:
    if isinstance(tree, int) or tree in found:
        return
    _collect(tree.on_false, found)
    _collect(tree.on_true, found)
    found[tree] = None
