"""Affine forms of the lanes of vectors.

forms = LaneForms()
forms.of(gather.offsets)
"""

from __future__ import annotations

from typing import TypeAlias

from xdsl.ir import SSAValue

from vliw_mlir.analysis.affine import MOST_TERMS, Affine, AffineForms, combine
from vliw_mlir.dialects import word

Lanes: TypeAlias = tuple[Affine, ...]
"""One form per lane."""


class LaneForms:
    """The affine forms of the lanes of vectors, found when asked for.

    Linear in the number of operations, times the lanes of a vector.
    """

    def __init__(self) -> None:
        self.words = AffineForms()
        self._lanes: dict[SSAValue, Lanes | None] = {}

    def of(self, vector: SSAValue) -> Lanes | None:
        """The forms of the lanes of a vector over words; None if one of them has none, as that
        of a loaded vector."""
        pending = [vector]
        while pending:
            value = pending[-1]
            missing = [part for part in _parts(value) if part not in self._lanes]
            if missing and value not in self._lanes:
                pending += missing
                continue
            pending.pop()
            if value not in self._lanes:
                self._lanes[value] = self._find(value)
        return self._lanes[vector]

    def _find(self, value: SSAValue) -> Lanes | None:
        op = value.owner
        match op:
            case word.ConstantOp():
                return tuple(Affine(lane) for lane in op.words())
            case word.BroadcastOp():
                return (self.words.of(op.source),) * (word.lanes_of(value.type) or 1)
            case word.FromElementsOp():
                return tuple(map(self.words.of, op.elements))
            case word.ArithmeticOp():
                return self._combine(op)
            case _:
                return None

    def _combine(self, op: word.ArithmeticOp) -> Lanes | None:
        parts = [self._lanes[value] for value in op.operands]
        known = [lanes for lanes in parts if lanes is not None]
        if len(known) < len(parts):
            return None
        found = [combine(op, lane) for lane in zip(*known, strict=True)]
        forms = tuple(form for form in found if form and len(form.terms) <= MOST_TERMS)
        return forms if len(forms) == len(found) else None


def _parts(value: SSAValue) -> list[SSAValue]:
    """The vectors that a vector is computed from, lane by lane."""
    op = value.owner
    return list(op.operands) if isinstance(op, word.ArithmeticOp) else []
