"""Vector constants made from others by adding."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp, Emitter
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.instrument import Statistics
from vliw_mlir.semantics import WORD_MASK
from vliw_mlir.target.encodings import Encoding, encoding_of
from vliw_mlir.transforms.rewriting import replace_op

APART = 8
"""A constant is made from the one so many before it, so that they do not make one long chain."""

Pattern: TypeAlias = tuple[int, ...]
"""How far the lanes of a constant are from the first one."""


@dataclass(frozen=True)
class DeriveVectorConstants(ModulePass):
    """Make vector constants by adding the same number to all lanes of others.

    The machine has no instruction for a vector constant: one whose lanes differ takes as many
    instructions as it has lanes. Unrolled loops have many that are the same but for a number,
    such as the counters of each vector of iterations. The first of these stays, and from it
    the others are computed with one vector operation each.

    Comes after simplification, which would undo it. Expects the SSA level; linear in the
    number of operations. Does nothing for machines that cannot add vectors.

    Statistics: `num-derived`.
    """

    name = "derive-vector-constants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        if encoding_of(target, "add", vector=True) is not Encoding.DIRECT:
            return
        statistics = Statistics(self)
        for func in op.ops:
            if isinstance(func, FuncOp):
                for block in func.body.blocks:
                    _derive(block, _Known(target.vlen, defaultdict(list), {}), statistics)


@dataclass
class _Known:
    """What can be used where the pass is."""

    vlen: int
    by_pattern: defaultdict[Pattern, list[tuple[int, SSAValue]]]
    """The first lane and the value of constants whose lanes differ, for each pattern, the
    latest last."""
    distances: dict[int, SSAValue]
    """Vectors with the same number in all lanes."""

    def inside(self) -> _Known:
        """The same, for a region inside."""
        lists = {pattern: list(found) for pattern, found in self.by_pattern.items()}
        return _Known(self.vlen, defaultdict(list, lists), dict(self.distances))

    def pattern(self, op: word.ConstantOp) -> Pattern | None:
        """The pattern of a vector constant with as many lanes as a vector of the machine, which
        differ."""
        first, *others = op.words()
        if len(others) + 1 != self.vlen or all(lane == first for lane in others):
            return None
        return tuple(lane - first & WORD_MASK for lane in others)

    def distance(self, words: int, e: Emitter) -> SSAValue:
        """A vector with `words` in all lanes."""
        found = self.distances.get(words)
        if found is None:
            found = self.distances[words] = e.emit(word.ConstantOp([words] * self.vlen))
        return found


def _derive(block: Block, known: _Known, statistics: Statistics) -> None:
    """Derive the constants in `block` from each other and from those around it, each where it
    is first used: if all were there from the start, they would take much of scratch."""
    for op in list(block.ops):
        for inner in op.walk():
            for value in inner.operands:
                constant = value.owner
                if isinstance(constant, word.ConstantOp) and constant.parent is block:
                    _derive_constant(constant, known, BeforeOp(op), statistics)
        for region in op.regions:
            for inner_block in region.blocks:
                _derive(inner_block, known.inside(), statistics)


def _derive_constant(
    op: word.ConstantOp, known: _Known, e: BeforeOp, statistics: Statistics
) -> None:
    pattern = known.pattern(op)
    if pattern is None:
        return
    earlier = known.by_pattern[pattern]
    first, result = op.words()[0], op.result
    if any(value is result for _, value in earlier):
        return
    if earlier:
        base, value = earlier[-APART] if len(earlier) >= APART else earlier[-1]
        result = e.function("add", value, known.distance(first - base & WORD_MASK, e))
        result.name_hint = op.result.name_hint
        replace_op(op, [result])
        statistics.count("num-derived")
    earlier.append((first, result))
