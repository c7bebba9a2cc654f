"""Which tensors are stored in a buffer, and which are computed where they are read."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from math import prod
from typing import TypeAlias

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue, Use

from vliw_mlir.analysis.cfg import block_of
from vliw_mlir.dialects import kernel
from vliw_mlir.dialects.kernel import shape_of

COMPUTED = (kernel.ElementwiseOp, kernel.GatherOp, kernel.ReduceOp)
"""Ops that compute each element of their result."""

VIEWS = (kernel.BroadcastOp, kernel.ReshapeOp, kernel.ExtractSliceOp)
"""Ops whose elements are elements of their source."""

FREE = (kernel.ConstantOp, kernel.EmptyOp, kernel.IotaOp, kernel.SplatOp)
"""Ops whose elements can be had anywhere for nothing."""

Context: TypeAlias = tuple[Operation, Hashable]
"""A loop body, at the element that a role of an op is at."""


def is_tensor(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType)


def is_empty(value: SSAValue) -> bool:
    """Whether `value` holds no words that anyone may rely on."""
    return isinstance(value.owner, kernel.EmptyOp) or 0 in shape_of(value)


class Plan:
    """What is stored, and who reads it, in a function at the tensor level.

    A computed tensor is deferred when all its uses are in its block and in one loop body at
    one element of it, so that each element is still computed once at most. Views and what
    is free are always deferred.
    """

    _contexts: dict[SSAValue, Context | None]
    """Where each deferred tensor is read, None for several places."""
    _numbers: dict[Operation, int]
    """The order of the ops within a block."""

    def __init__(self, func: FuncOp):
        self._contexts = {}
        self._numbers = {op: number for number, op in enumerate(func.walk())}
        for op in list(func.walk()):
            for region in op.regions:
                for block in region.blocks:
                    self._visit(block)

    def is_deferred(self, value: SSAValue) -> bool:
        """Whether the elements of `value` are computed where they are read."""
        op = value.owner
        if isinstance(op, COMPUTED):
            return self._contexts[value] is not None
        return isinstance(op, (*VIEWS, *FREE))

    def readers(self, value: SSAValue) -> Iterator[Operation]:
        """The ops in whose place elements of `value` are read, directly or through others."""
        seen = {value}
        worklist = [value]
        while worklist:
            for use in worklist.pop().uses:
                results = use.operation.results
                if not (results and is_tensor(results[0]) and self.is_deferred(results[0])):
                    yield use.operation
                elif results[0] not in seen:
                    seen.add(results[0])
                    worklist.append(results[0])

    def runs_once(self, op: Operation, value: SSAValue) -> bool:
        """Whether `op`, which `value` dominates, runs at most once each time that is defined."""
        current = op
        while current.parent is not block_of(value):
            parent = current.parent_op()
            if not isinstance(parent, scf.IfOp):
                return False
            current = parent
        return True

    def is_over(self, reader: Operation, op: Operation) -> bool:
        """Whether `reader` no longer runs once `op` runs, in one run of the block around both.

        It comes before `op`, or in another branch of an `scf.if`.
        """
        around: dict[Block | None, Operation] = {}
        current: Operation | None = op
        while current is not None:
            around[current.parent] = current
            current = current.parent_op()
        current = reader
        while current is not None and current.parent not in around:
            current = current.parent_op()
        if current is None:
            return False
        other = around[current.parent]
        if other is current:
            return current is not op and isinstance(current, scf.IfOp)
        return self._numbers[current] < self._numbers[other]

    def _visit(self, block: Block) -> None:
        for op in reversed(block.ops):
            if isinstance(op, (*COMPUTED, *VIEWS)):
                self._contexts[op.results[0]] = self._common_context(op)

    def _common_context(self, op: Operation) -> Context | None:
        contexts = {self._context(use, op) for use in op.results[0].uses}
        if not contexts:
            return (op, "unused")
        return contexts.pop() if len(contexts) == 1 else None

    def _context(self, use: Use, op: Operation) -> Context | None:
        """Where the result of `op` is read by `use`; None where it must have a buffer."""
        user = use.operation
        if user.parent is not op.parent:
            return None
        match user:
            case kernel.ElementwiseOp():
                return self._contexts[user.result] or (user, "result")
            case kernel.GatherOp():
                if use.index == 0:
                    return None
                return self._contexts[user.result] or (user, "result")
            case kernel.ReduceOp():
                if use.index == 0:
                    return (user, "source")
                return self._contexts[user.result] or (user, "result")
            case kernel.BroadcastOp() if _repeats(user):
                return None
            case kernel.BroadcastOp() | kernel.ReshapeOp() | kernel.ExtractSliceOp():
                return self._contexts[user.result] and (user, "source")
            case kernel.InsertOp() | kernel.ScatterOp() | kernel.InsertSliceOp():
                return (user, "dest" if use.index == 1 else "source")
            case _:
                return (user, shape_of(op.results[0]))


def _repeats(op: kernel.BroadcastOp) -> bool:
    return prod(shape_of(op.source)) < prod(shape_of(op.result))
