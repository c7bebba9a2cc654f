"""Accessing words outside of the loop that they are accessed in."""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue

from vliw_mlir.analysis.affine import Affine
from vliw_mlir.analysis.loops import is_defined_in
from vliw_mlir.analysis.memory_cells import Cluster
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import Emitter


class Place:
    """Consecutive words in memory."""

    def __init__(self, buffer: SSAValue, offset: SSAValue, absolute: UnitAttr | None):
        """The words that an access with these operands touches."""
        self.buffer, self.offset, self.absolute = buffer, offset, absolute

    @staticmethod
    def of(root: SSAValue, offset: Affine, emitter: Emitter) -> Place:
        """The words at an offset in the root of a buffer, which `emitter` computes."""
        absolute = UnitAttr() if root in offset.terms else None
        form = offset + Affine(0, {root: 1}) if absolute else offset
        return Place(root, materialize(form, emitter), absolute)

    @staticmethod
    def outside(cluster: Cluster, loop: Operation, emitter: Emitter) -> Place:
        """The words of a cluster within a loop, for use outside; `emitter` computes the offset
        unless an operation outside of the loop does."""
        op, offset = cluster.span.op, cluster.span.offset
        assert isinstance(op, word.LoadOp | word.StoreOp)
        assert offset is not None
        if is_defined_in(op.buffer, loop) or is_defined_in(op.offset, loop):
            return Place.of(cluster.span.buffer, offset, emitter)
        return Place(op.buffer, op.offset, op.absolute)

    def load(self, emitter: Emitter, first: int, type: Attribute) -> SSAValue:
        """Load words from the word number `first` on."""
        op = word.LoadOp(self.buffer, self._offset(emitter, first), type)
        op.absolute = self.absolute
        return emitter.emit(op)

    def store(self, emitter: Emitter, first: int, value: SSAValue) -> None:
        """Store words from the word number `first` on."""
        op = word.StoreOp(value, self.buffer, self._offset(emitter, first))
        op.absolute = self.absolute
        emitter.append(op)

    def _offset(self, emitter: Emitter, first: int) -> SSAValue:
        if first == 0:
            return self.offset
        return emitter.function("add", self.offset, emitter.constant(first))


def materialize(form: Affine, emitter: Emitter) -> SSAValue:
    """Compute an affine form; buffers in it stand for their addresses."""
    total: SSAValue | None = None
    for value, factor in form.terms.items():
        if isinstance(value.type, word.BufferType):
            value = emitter.emit(word.AddressOp(value))
        if factor != 1:
            value = emitter.function("mul", value, emitter.constant(factor))
        total = value if total is None else emitter.function("add", total, value)
    if total is None:
        return emitter.constant(form.constant)
    if form.constant:
        total = emitter.function("add", total, emitter.constant(form.constant))
    return total
