"""The buffers of stored tensors, and when one may be written again."""

from __future__ import annotations

from math import prod

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from vliw_mlir.dialects import kernel
from vliw_mlir.dialects.kernel import shape_of
from vliw_mlir.lowering.bufferize.cursor import Entry
from vliw_mlir.lowering.bufferize.plan import Plan


class Storage:
    """The buffer of each stored tensor.

    A tensor *owns* its buffer when no other tensor that is still read is in it.
    """

    buffers: dict[SSAValue, SSAValue]
    """The buffer of each tensor stored so far."""
    entry: Entry
    """Where buffers are allocated."""
    _plan: Plan
    _owners: set[SSAValue]
    _wanted: dict[SSAValue, SSAValue]
    """The buffer in which the caller wants a tensor that the function returns."""

    def __init__(self, plan: Plan, entry: Entry, wanted: dict[SSAValue, SSAValue]):
        self.buffers = {}
        self.entry = entry
        self._plan = plan
        self._owners = set()
        self._wanted = dict(wanted)

    def put(self, tensor: SSAValue, buffer: SSAValue, *, owned: bool = True) -> None:
        """Record that `tensor` is in `buffer`."""
        self.buffers[tensor] = buffer
        if owned:
            self._owners.add(tensor)

    def new_buffer(self, tensor: SSAValue) -> SSAValue:
        """A buffer for `tensor`, best the one in which the caller wants it.

        No other tensor gets that one, so it can be written long before the function returns.
        """
        buffer = self._wanted.pop(self._becomes(tensor), None)
        return buffer if buffer is not None else self.temporary(tensor)

    def temporary(self, tensor: SSAValue) -> SSAValue:
        """A buffer of the size of `tensor`."""
        return self.entry.alloc(prod(shape_of(tensor)))

    def may_overwrite(self, op: Operation, tensor: SSAValue) -> bool:
        """Whether `op`, an operand of which is `tensor`, may write in the buffer of it.

        Then nobody reads `tensor` once `op` runs, except `op` itself.
        """
        if tensor not in self._owners or not self._plan.runs_once(op, tensor):
            return False
        if sum(operand is tensor for operand in op.operands) > 1:
            return False
        readers = self._plan.readers(tensor)
        return all(reader is op or self._plan.is_over(reader, op) for reader in readers)

    def _becomes(self, tensor: SSAValue) -> SSAValue:
        """The tensor that `tensor` may be updated to in place, one that is wanted if any."""
        current = tensor
        while current not in self._wanted:
            following = (self._updated(use.operation, use.index) for use in current.uses)
            updated = next((value for value in following if value is not None), None)
            if updated is None:
                return tensor
            current = updated
        return current

    def _updated(self, op: Operation, index: int) -> SSAValue | None:
        """The result that takes the place of an operand of `op`, if there is one."""
        match op:
            case kernel.InsertOp() | kernel.InsertSliceOp() | kernel.ScatterOp():
                return op.result if index == 1 else None
            case scf.ForOp():
                return op.results[index - 3]
            case _:
                return None
