"""Copying the bodies of loops, folding what is computed from constants alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Operation, Region, SSAValue

from vliw_mlir.analysis.loops import constant_word
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import Index
from vliw_mlir.semantics import WORD_MASK


class Copier:
    """Makes copies of the ops of blocks, in which arguments are replaced by other values.

    Words computed from constants alone are computed at once, and of an `scf.if` whose
    condition is known only the region taken is copied; a division by zero stays. Constants
    go in front of `anchor`, where all copies must see them, each once. Linear in the number
    of ops copied.
    """

    loops: list[scf.ForOp]
    """The counted loops that were copied, those inside of others before them."""

    def __init__(self, anchor: Operation):
        self.loops = []
        self._anchor = anchor
        self._constants: dict[int, SSAValue] = {}

    def constant(self, value: int) -> SSAValue:
        """The constant word `value` modulo 2^32."""
        value &= WORD_MASK
        found = self._constants.get(value)
        if found is not None:
            return found
        op = word.ConstantOp(value)
        op.location = self._anchor.location
        _insert(op, self._anchor)
        self._constants[value] = op.result
        return op.result

    def copy(self, block: Block, arguments: Sequence[Index], before: Operation) -> list[SSAValue]:
        """Copy all ops of `block` but its terminator in front of `before`.

        `arguments` take the place of the block's arguments. The result is what the terminator
        hands on, as the copy sees it.
        """
        return self.begin(block, arguments).block(block, before)

    def begin(self, block: Block, arguments: Sequence[Index]) -> Copy:
        """A copy of `block` to be made piece by piece."""
        copy = Copy(self)
        for old, new in zip(block.args, arguments, strict=True):
            copy.define(old, new)
        return copy


@dataclass
class Copy:
    """One copy of a block being made."""

    copier: Copier
    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """What takes the place of the values of the block."""
    words: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """The values of the block that are constants in the copy."""

    def define(self, old: SSAValue, new: Index) -> None:
        """Let `new` take the place of `old`."""
        if isinstance(new, int):
            self.words[old] = new & WORD_MASK
            return
        self.values[old] = new
        known = constant_word(new)
        if known is not None:
            self.words[old] = known

    def block(self, block: Block, before: Operation) -> list[SSAValue]:
        """Copy all ops but the last; what that one hands on."""
        end = block.last_op
        assert end is not None
        for op in block.ops:
            if op is not end:
                self.op(op, before)
        return [self.use(value) for value in end.operands]

    def use(self, value: SSAValue) -> SSAValue:
        """What takes the place of `value` as an operand."""
        new = self.values.get(value)
        if new is not None:
            return new
        known = self.words.get(value)
        if known is None:
            return value
        new = self.values[value] = self.copier.constant(known)
        return new

    def op(self, op: Operation, before: Operation) -> None:
        """Copy one operation in front of `before`, or compute it at once."""
        known = self._fold(op)
        if known is not None:
            self.words[op.results[0]] = known
            return
        if isinstance(op, scf.IfOp) and self._taken(op, before):
            return
        for operand in op.operands:
            self.use(operand)
        copied = op.clone_without_regions(self.values)
        for old, new in zip(op.regions, copied.regions, strict=True):
            self._region(old, new)
        # Last, so that constants which the regions need come before.
        _insert(copied, before)
        if isinstance(copied, scf.ForOp):
            self.copier.loops.append(copied)

    def _fold(self, op: Operation) -> int | None:
        """The word that `op` computes, if it is known."""
        match op:
            case word.ConstantOp():
                return op.word() if op.result.type == i32 else None
            case word.ArithmeticOp():
                return evaluate(op, [self._word(value) for value in op.operands])
            case _:
                return None

    def _word(self, value: SSAValue) -> int | None:
        known = self.words.get(value)
        return constant_word(value) if known is None else known

    def _taken(self, op: scf.IfOp, before: Operation) -> bool:
        """Copy the region that an `scf.if` takes, if that is known."""
        tested = tested_word(op)
        condition = None if tested is None else self._word(tested)
        if condition is None:
            return False
        region = op.true_region if condition else op.false_region
        values = self.block(region.block, before) if region.blocks else []
        for old, new in zip(op.results, values, strict=True):
            self.define(old, new)
        return True

    def _region(self, old: Region, new: Region) -> None:
        if len(old.blocks) == 1:
            self._single_block(old.block, new)
            return
        for op in old.walk():
            for operand in op.operands:
                self.use(operand)
        old.clone_into(new, value_mapper=self.values)
        self.copier.loops += reversed([op for op in new.walk() if isinstance(op, scf.ForOp)])

    def _single_block(self, old: Block, into: Region) -> None:
        new = Block(arg_types=old.arg_types)
        into.add_block(new)
        for old_arg, new_arg in zip(old.args, new.args, strict=True):
            new_arg.name_hint = old_arg.name_hint
            self.values[old_arg] = new_arg
        old_end = old.last_op
        assert old_end is not None
        end = old_end.clone_without_regions(clone_operands=False)
        new.add_op(end)
        end.operands = self.block(old, end)


def tested_word(op: scf.IfOp) -> SSAValue | None:
    """The word that a branch tests, None if its condition is something else."""
    test = op.cond.owner
    return test.word if isinstance(test, word.TestOp) else None


def evaluate(op: word.ArithmeticOp, operands: Sequence[int | None]) -> int | None:
    """What `op` computes from words as far as they are known; None if one is not, or if it
    divides by zero."""
    known = [operand for operand in operands if operand is not None]
    if len(known) < len(operands):
        return None
    try:
        return op.function.scalar(*known)
    except ZeroDivisionError:
        return None


def _insert(op: Operation, before: Operation) -> None:
    block = before.parent
    assert block is not None
    block.insert_op_before(op, before)
