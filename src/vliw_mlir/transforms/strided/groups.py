"""Gathers and scatters of words at known distances, in groups."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.ir import Block, SSAValue

from vliw_mlir.analysis.affine import Affine
from vliw_mlir.analysis.alias import AliasAnalysis, is_opaque
from vliw_mlir.analysis.lane_forms import LaneForms
from vliw_mlir.dialects import word
from vliw_mlir.semantics import to_signed

Strided: TypeAlias = word.GatherOp | word.ScatterOp


@dataclass
class StridedGroup:
    """Gathers or scatters of the same buffer at offsets that differ by known numbers, with
    nothing in between that may touch their words."""

    ops: list[Strided] = field(default_factory=list[Strided])
    words: list[list[int]] = field(default_factory=list[list[int]])
    """For each op and lane, the constant part of the offset, signed."""
    base: Affine = field(default_factory=Affine)
    """What the offsets have in common."""

    @property
    def stores(self) -> bool:
        return isinstance(self.ops[0], word.ScatterOp)

    @property
    def numbers(self) -> list[int]:
        """All words, in order."""
        return sorted({number for words in self.words for number in words})

    @property
    def is_distinct(self) -> bool:
        """Whether no word occurs twice."""
        return len(self.numbers) == sum(map(len, self.words))


_Key: TypeAlias = tuple[SSAValue, bool, bool, frozenset[tuple[SSAValue, int]]]
"""The buffer, whether accesses are absolute and whether they store, the terms of offsets."""


class GroupFinder:
    def __init__(self, aliases: AliasAnalysis, forms: LaneForms):
        self._aliases = aliases
        self._forms = forms

    def groups(self, block: Block) -> list[StridedGroup]:
        """The groups in a block."""
        found: list[StridedGroup] = []
        open_groups: dict[_Key, StridedGroup] = {}
        for op in block.ops:
            if op.regions or is_opaque(type(op)) or isinstance(op, word.AllocOp):
                open_groups.clear()
            if not isinstance(op, word.AccessOp):
                continue
            key, words = self._key(op)
            for other in [k for k in open_groups if k != key and self._is_barrier(op, k)]:
                del open_groups[other]
            if key is None:
                continue
            group = open_groups.get(key)
            if group is None:
                group = open_groups[key] = StridedGroup(base=Affine(0, dict(key[3])))
                found.append(group)
            assert isinstance(op, word.GatherOp | word.ScatterOp)
            group.ops.append(op)
            group.words.append(words)
        return found

    def _key(self, op: word.AccessOp) -> tuple[_Key | None, list[int]]:
        """What group an access belongs to, and its words."""
        if not isinstance(op, word.GatherOp | word.ScatterOp):
            return None, []
        forms = self._forms.of(op.offsets)
        if forms is None or any(form.terms != forms[0].terms for form in forms):
            return None, []
        stores = isinstance(op, word.ScatterOp)
        terms = frozenset(forms[0].terms.items())
        words = [to_signed(form.constant) for form in forms]
        return (op.buffer, op.absolute is not None, stores, terms), words

    def _is_barrier(self, op: word.AccessOp, key: _Key) -> bool:
        """Whether a group ends at an access that does not belong to it."""
        buffer, _, stores, _ = key
        access = self._aliases.access(op)
        if not stores and not access.writes:
            return False
        roots = access.buffer, self._root(buffer)
        return not self._aliases.is_distinct(*roots)

    def _root(self, buffer: SSAValue) -> SSAValue:
        while isinstance(buffer.owner, word.SubbufferOp):
            buffer = buffer.owner.buffer
        return buffer
