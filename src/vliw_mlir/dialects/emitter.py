"""Emitting word functions for values of any level: words, vectors, tensors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from vliw_mlir.dialects import kernel, word

Index: TypeAlias = SSAValue | int
"""A word that is computed, or known at compile time (then a signed value)."""


class Emitter(ABC):
    """Makes ops and puts them where the subclass says."""

    @abstractmethod
    def append(self, op: Operation) -> None:
        """Put `op` at the point of emission."""

    def emit(self, op: Operation) -> SSAValue:
        """Put `op` at the point of emission; its first result."""
        self.append(op)
        return op.results[0]

    def constant(self, value: int) -> SSAValue:
        """A constant word."""
        return self.emit(word.ConstantOp(value))

    def as_word(self, value: Index) -> SSAValue:
        """A word that is known or computed, as a value."""
        return self.constant(value) if isinstance(value, int) else value

    def splat(self, value: int, like: SSAValue) -> SSAValue:
        """A constant of the type of `like`: a word, or a vector or tensor full of it."""
        if (lanes := word.lanes_of(like.type)) is not None:
            return self.emit(word.ConstantOp([value] * lanes))
        return self.broadcast(self.constant(value), like)

    def broadcast(self, value: SSAValue, like: SSAValue) -> SSAValue:
        """A word as a value of the type of `like`."""
        type: Attribute = like.type
        if isinstance(type, TensorType):
            return self.emit(kernel.SplatOp(value, like.type))
        lanes = word.lanes_of(type)
        return value if lanes is None else self.emit(word.BroadcastOp(value, lanes))

    def function(self, name: str, *operands: SSAValue) -> SSAValue:
        """Apply a word function (`vliw_mlir.semantics`) to words, vectors or tensors."""
        level = kernel if isinstance(operands[0].type, TensorType) else word
        if name == "select":
            return self.emit(level.SelectOp(*operands))
        if name == "multiply_add":
            return self.emit(level.MultiplyAddOp(*operands))
        if op := level.BINARY_OP_BY_FUNCTION.get(name):
            return self.emit(op(*operands))
        return self.emit(level.CmpOp(name, *operands))


@dataclass
class BeforeOp(Emitter):
    """Puts ops in front of an op, at its source place."""

    op: Operation

    def append(self, op: Operation) -> None:
        op.location = self.op.location
        block = self.op.parent
        assert isinstance(block, Block)
        block.insert_op_before(op, self.op)


@dataclass
class AfterOp(Emitter):
    """Puts ops behind an op, one after the other, at its source place."""

    op: Operation
    _last: Operation = field(init=False)

    def __post_init__(self) -> None:
        self._last = self.op

    def append(self, op: Operation) -> None:
        op.location = self.op.location
        block = self.op.parent
        assert isinstance(block, Block)
        block.insert_op_after(op, self._last)
        self._last = op
