"""Loops whose counters decide what happens inside: how often loops run, which way branches go.

Copies of such a loop differ in more than numbers: when it is unrolled, bounds inside become
constants, and branches are decided. So sorting networks, triangular loops and the like become
straight-line code with subscripts that are constants.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from vliw_mlir.analysis.loops import constant_word
from vliw_mlir.dialects import word
from vliw_mlir.semantics import WORD_MASK, to_signed
from vliw_mlir.transforms.copying import evaluate, tested_word

Words = dict[SSAValue, int]
"""The values that are known, here."""


def decides(loop: scf.ForOp, known: Mapping[SSAValue, int]) -> bool:
    """Whether the counter of `loop` decides bounds of loops or branches inside of it.

    That is, whether they are computed from the counter, counters of loops inside, what is
    `known` and constants, but not without the counter.
    """
    return _Decisions(known).block(loop.body.block, is_decisive=True)


@dataclass
class _Decisions:
    known: Mapping[SSAValue, int]
    computed: dict[SSAValue, bool] = field(default_factory=dict[SSAValue, bool])
    """The values computed from counters; whether the one that is asked about is among these."""

    def block(self, block: Block, *, is_decisive: bool) -> bool:
        """Whether anything in the body of a loop is decided."""
        self.computed[block.args[0]] = is_decisive
        return any(self._op(op) for op in block.ops)

    def _op(self, op: Operation) -> bool:
        match op:
            case word.ArithmeticOp():
                self._compute(op)
                return False
            case scf.ForOp():
                if any(self._is_decided(bound) for bound in (op.lb, op.ub, op.step)):
                    return True
                return self.block(op.body.block, is_decisive=False)
            case scf.IfOp():
                if self._is_decided(tested_word(op)):
                    return True
                blocks = [block for region in op.regions for block in region.blocks]
                return any(self._op(inner) for block in blocks for inner in block.ops)
            case _:
                return False

    def _compute(self, op: word.ArithmeticOp) -> None:
        found = False
        for operand in op.operands:
            if operand in self.computed:
                found |= self.computed[operand]
            elif operand not in self.known and constant_word(operand) is None:
                return
        self.computed[op.result] = found

    def _is_decided(self, value: SSAValue | None) -> bool:
        return value is not None and self.computed.get(value, False)


def unrolled_size(loop: scf.ForOp, limit: int) -> int | None:
    """The operations that are left of `loop` when it and all loops inside that decide something
    are unrolled fully and what is known is computed; None if it is not known or over `limit`.

    Goes through the iterations, so that it takes time in proportion to `limit` at most.
    """
    counter = _Counter(limit)
    try:
        counter.loop(loop, {})
    except _Unknown:
        return None
    return counter.size


class _Unknown(Exception):
    """The size is not known, or over the limit."""


@dataclass
class _Counter:
    limit: int
    size: int = 0
    steps: int = 0

    def loop(self, loop: scf.ForOp, known: Words) -> None:
        low, high, step = (_word(v, known) for v in (loop.lb, loop.ub, loop.step))
        if low is None or high is None or step is None or to_signed(step) <= 0:
            raise _Unknown
        for value in range(to_signed(low), to_signed(high), to_signed(step)):
            known[loop.body.block.args[0]] = value & WORD_MASK
            self.block(loop.body.block, known)

    def block(self, block: Block, known: Words) -> None:
        for op in block.ops:
            # What is computed here takes time, too.
            self.steps += 1
            if self.size > self.limit or self.steps > STEPS_PER_OPERATION * self.limit:
                raise _Unknown
            self._op(op, known)

    def _op(self, op: Operation, known: Words) -> None:
        if isinstance(op, word.ArithmeticOp):
            result = evaluate(op, [_word(operand, known) for operand in op.operands])
            if result is not None:
                known[op.result] = result
                return
            known.pop(op.result, None)
        if isinstance(op, scf.IfOp) and (taken := self._taken(op, known)) is not None:
            for region in op.regions[taken : taken + 1]:
                for block in region.blocks:
                    self.block(block, known)
            return
        if isinstance(op, scf.ForOp) and decides(op, known):
            self.loop(op, known)
            return
        self.size += 1
        for region in op.regions:
            for block in region.blocks:
                self.block(block, known)

    def _taken(self, op: scf.IfOp, known: Words) -> int | None:
        """The number of the region that a branch takes."""
        tested = tested_word(op)
        value = None if tested is None else _word(tested, known)
        return None if value is None else int(value == 0)


STEPS_PER_OPERATION = 8
"""How many operations may be gone through for each that is left."""


def _word(value: SSAValue, known: Words) -> int | None:
    found = known.get(value)
    return constant_word(value) if found is None else found
