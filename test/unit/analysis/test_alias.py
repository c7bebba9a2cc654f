"""Alias analysis against the offsets that accesses have in fact."""

from __future__ import annotations

from itertools import combinations, product
from random import Random

from xdsl.dialects import scf
from xdsl.dialects.builtin import StringAttr, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Region, SSAValue

from vliw_mlir.analysis.alias import Alias, AliasAnalysis
from vliw_mlir.dialects import word
from vliw_mlir.semantics import WORD_MASK

COUNTERS = (range(4), range(-2, 5, 3))
"""What the counters of two nested loops are."""


class RandomFunction:
    """Loads and stores in a loop nest, with what their offsets are in each iteration."""

    def __init__(self, seed: int, size: int | None = None):
        rng = Random(seed)
        self.func = FuncOp("f", ([word.BufferType(size), i32], []))
        self.func.attributes["sym_visibility"] = StringAttr("private")
        block = self.func.body.block
        for counters in COUNTERS:
            bounds = [word.ConstantOp(n) for n in (counters.start, counters.stop, counters.step)]
            body = Block(arg_types=[i32])
            block.add_ops([*bounds, scf.ForOp(*bounds, [], Region(body))])
            block = body
        buffer, free = self.func.args
        counters = [b.args[0] for b in self._bodies()]
        self.moments = list(product(*COUNTERS, (0, 5, 1 << 31, WORD_MASK)))
        self.values: dict[SSAValue, list[int]] = {
            value: [moment[n] & WORD_MASK for moment in self.moments]
            for n, value in enumerate([*counters, free])
        }
        self.block = block
        for _ in range(12):
            self._arithmetic(rng)
        self.accesses: list[word.LoadOp | word.StoreOp] = []
        for _ in range(6):
            offset = rng.choice(list(self.values))
            op = rng.choice((word.LoadOp(buffer, offset), word.StoreOp(free, buffer, offset)))
            self.accesses.append(op)
            block.add_op(op)
        for body in self._bodies():
            body.add_op(scf.YieldOp())

    def _bodies(self) -> list[Block]:
        return [op.body.block for op in self.func.walk() if isinstance(op, scf.ForOp)]

    def _arithmetic(self, rng: Random) -> None:
        a = rng.choice(list(self.values))
        constant = word.ConstantOp(rng.choice((0, 1, 2, 3, 4, 7, 8, -1, -3, 1 << 31)))
        self.block.add_op(constant)
        self.values[constant.result] = [constant.word()] * len(self.moments)
        b = rng.choice((constant.result, rng.choice(list(self.values))))
        kind = rng.choice((word.AddOp, word.AddOp, word.SubOp, word.MulOp, word.AndOp, word.ShlOp))
        op = kind(a, b)
        self.block.add_op(op)
        pairs = zip(self.values[a], self.values[b], strict=True)
        self.values[op.result] = [op.function.scalar(x, y) for x, y in pairs]


def test_relations_are_right() -> None:
    seen: dict[Alias, int] = dict.fromkeys(Alias, 0)
    for seed in range(300):
        function = RandomFunction(seed)
        analysis = AliasAnalysis(function.func)
        for a, b in combinations(function.accesses, 2):
            relation = analysis.relation(analysis.access(a), analysis.access(b))
            assert relation is analysis.relation(analysis.access(b), analysis.access(a))
            pairs = zip(function.values[a.offset], function.values[b.offset], strict=True)
            equal = {x == y for x, y in pairs}
            seen[relation] += 1
            assert relation is not Alias.NO or equal == {False}
            assert relation is not Alias.MUST or equal == {True}
    assert min(seen.values()) > 100


def test_accesses_in_bounds_are() -> None:
    found = 0
    for seed in range(300):
        for size in (4, 16, 64):
            function = RandomFunction(seed, size)
            analysis = AliasAnalysis(function.func)
            for op in function.accesses:
                if analysis.is_in_bounds(analysis.access(op)):
                    found += 1
                    assert max(function.values[op.offset]) < size
    assert found > 100
