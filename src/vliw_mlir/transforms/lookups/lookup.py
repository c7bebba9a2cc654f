"""Lookups of one of a few words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.transforms.lookups.selection_trees import (
    Selection,
    Tree,
    conditions,
    leaves,
    selections,
)

Place: TypeAlias = "tuple[Operation, SSAValue]"
"""Where words are loaded: in front of an operation, from a buffer."""


@dataclass(frozen=True)
class Lookup:
    """A gather or load that selections can replace."""

    op: word.GatherOp | word.LoadOp
    offset: SSAValue
    tree: Tree
    booleans: tuple[SSAValue, ...] | None
    """What the tree's conditions are, or None if they are bits of the offset."""
    anchor: Operation
    """The operation in front of which the words are loaded."""

    @property
    def place(self) -> Place:
        return self.anchor, self.op.buffer

    @property
    def lanes(self) -> int | None:
        return word.lanes_of(self.op.result.type)

    @cached_property
    def words(self) -> frozenset[int]:
        """The offsets of the words that are needed."""
        return frozenset(leaves(self.tree))

    @cached_property
    def selections(self) -> list[Selection]:
        return selections(self.tree)

    @cached_property
    def bits(self) -> list[int]:
        """The bits of the offset that are to be extracted."""
        return conditions(self.tree) if self.booleans is None else []

    @property
    def size(self) -> int:
        """What lookups are ordered by: the operations that replace it."""
        return len(self.selections) + len(self.bits)


def needed_words(lookups: Iterable[Lookup]) -> dict[Place, set[int]]:
    """The offsets of the words that lookups need, by the place where they are loaded."""
    needed: dict[Place, set[int]] = {}
    for lookup in lookups:
        needed.setdefault(lookup.place, set()).update(lookup.words)
    return needed


def kept_words(lookups: Iterable[Lookup]) -> int:
    """The words of scratch that what is loaded for lookups takes, as vectors if need be."""
    kept = {
        (lookup.place, lookup.lanes or 1, offset) for lookup in lookups for offset in lookup.words
    }
    return sum(lanes for _, lanes, _ in kept)
