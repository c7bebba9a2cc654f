"""Computing single elements of tensors."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from math import prod
from typing import TypeAlias

from xdsl.ir import SSAValue

from vliw_mlir.dialects import kernel, word
from vliw_mlir.dialects.emitter import Index
from vliw_mlir.dialects.kernel import shape_of
from vliw_mlir.lowering.bufferize.cursor import Cursor
from vliw_mlir.lowering.bufferize.places import (
    Place,
    at_indices,
    indices_of,
    long_sizes,
    number_of,
    reshaped,
)
from vliw_mlir.lowering.indices import add, multiply, word_or_constant

Request: TypeAlias = tuple[SSAValue, Place]
"""An element of a tensor."""

Steps: TypeAlias = Generator[Request, SSAValue, SSAValue]
"""The computing of an element: requests elements of other tensors until it has its own."""


class Elements:
    """Emits the computing of elements at a cursor, each once per loop body."""

    def __init__(self, cursor: Cursor, buffers: Mapping[SSAValue, SSAValue]):
        """`buffers` holds the buffer of each stored tensor."""
        self._cursor = cursor
        self._buffers = buffers

    def element(self, tensor: SSAValue, place: Place) -> SSAValue:
        """The word at `place` in `tensor`.

        Keeps a stack of its own, so that chains of ops may be of any length.
        """
        answer: SSAValue | None = self._cursor.known((tensor, place))
        if answer is not None:
            return answer
        stack = [((tensor, place), self._steps(tensor, place))]
        while stack:
            request, steps = stack[-1]
            try:
                wanted = next(steps) if answer is None else steps.send(answer)
            except StopIteration as end:
                stack.pop()
                answer = end.value
                self._cursor.remember(request, answer)
                continue
            answer = self._cursor.known(wanted)
            if answer is None:
                stack.append((wanted, self._steps(*wanted)))
        assert answer is not None
        return answer

    def loop_shape(self, tensors: Iterable[SSAValue]) -> tuple[int, ...]:
        """The shape of the loops to visit all elements of some tensors of equal size.

        That is the shape whose indices are needed to compute the elements; one flat loop
        does when only their number is.
        """
        worklist = list(tensors)
        size = prod(shape_of(worklist[0]))
        seen = set(worklist)
        while worklist:
            tensor = worklist.pop()
            if tensor in self._buffers:
                continue
            if self._needs_indices(tensor):
                return shape_of(tensor)
            operands = [v for v in operands_read(tensor)[0] if v not in seen]
            seen.update(operands)
            worklist += operands
        return (size,)

    def _needs_indices(self, tensor: SSAValue) -> bool:
        if len(long_sizes(shape_of(tensor))) < 2:
            return False
        op = tensor.owner
        if isinstance(op, kernel.BroadcastOp):
            return bool(long_sizes(shape_of(op.source)))
        return isinstance(op, kernel.IotaOp | kernel.ExtractSliceOp | kernel.ReduceOp)

    def _steps(self, tensor: SSAValue, place: Place) -> Steps:
        """How to compute one element."""
        cursor, op = self._cursor, tensor.owner
        if (buffer := self._buffers.get(tensor)) is not None:
            return self._load(tensor, buffer, place)
        match op:
            case kernel.ConstantOp():
                words = op.words()
                if len(set(words)) == 1:
                    return cursor.constant(words[0])
                return self._load(tensor, cursor.table(words), place)
            case kernel.EmptyOp():
                return cursor.constant(0)
            case kernel.SplatOp():
                return op.source
            case kernel.IotaOp():
                return cursor.as_word(indices_of(cursor, place)[op.dim.value.data])
            case kernel.ElementwiseOp():
                return (yield from self._apply(op, place))
            case kernel.ReshapeOp():
                return (yield op.source, reshaped(cursor, place, shape_of(op.source)))
            case kernel.BroadcastOp():
                return (yield op.source, _before_broadcast(cursor, op, place))
            case kernel.ExtractSliceOp():
                return (yield op.source, in_slice(cursor, op, shape_of(op.source), place))
            case kernel.GatherOp():
                return (yield from self._gather(op, place))
            case kernel.ReduceOp():
                return (yield from self._reduce(op, place))
            case _:
                raise AssertionError(f"neither stored nor deferred: {tensor}")

    def _load(self, tensor: SSAValue, buffer: SSAValue, place: Place) -> SSAValue:
        offset = self._cursor.as_word(number_of(self._cursor, place))
        result = self._cursor.emit(word.LoadOp(buffer, offset))
        result.name_hint = tensor.name_hint
        return result

    def _apply(self, op: kernel.ElementwiseOp, place: Place) -> Steps:
        words: list[SSAValue] = []
        for operand in op.operands:
            words.append((yield operand, place))
        self._cursor.location = op.location
        result = self._cursor.function(op.function.name, *words)
        result.name_hint = op.result.name_hint
        return result

    def _gather(self, op: kernel.GatherOp, place: Place) -> Steps:
        words: list[SSAValue] = []
        for index in op.indices:
            words.append((yield index, place))
        self._cursor.location = op.location
        return (yield op.source, at_indices(shape_of(op.source), words))

    def _reduce(self, op: kernel.ReduceOp, place: Place) -> Steps:
        """A nest of loops that carries the result so far."""
        cursor = self._cursor
        total = yield op.init, place
        shape, dims = shape_of(op.source), op.dims.get_values()
        if 0 in shape:
            return total
        if len(dims) == len(shape):
            # No index is given, so one flat loop may do.
            shape = self.loop_shape([op.source])
            dims = range(len(shape))
        kept = iter(indices_of(cursor, place))
        cursor.location = op.location
        indices: list[Index] = []
        for dim, size in enumerate(shape):
            if dim not in dims:
                indices.append(next(kept))
            elif size == 1:
                indices.append(0)
            else:
                counter, (total,) = cursor.open_loop(size, [total])
                indices.append(counter)
        source = reshaped(cursor, at_indices(shape, indices), shape_of(op.source))
        value = yield op.source, source
        cursor.location = op.location
        total = cursor.function(op.function.name, total, value)
        for dim in dims:
            if shape[dim] != 1:
                (total,) = cursor.close_loop([total])
                total.name_hint = op.result.name_hint
        return total


def operands_read(tensor: SSAValue) -> tuple[Sequence[SSAValue], Sequence[SSAValue]]:
    """The tensors that a deferred tensor is computed from.

    First those of which an element with the same number is read, then the others.
    """
    match op := tensor.owner:
        case kernel.ElementwiseOp():
            return op.operands, ()
        case kernel.ReshapeOp():
            return (op.source,), ()
        case kernel.GatherOp():
            return op.indices, (op.source,)
        case kernel.ReduceOp():
            return (op.init,), (op.source,)
        case kernel.BroadcastOp() | kernel.ExtractSliceOp():
            return (), (op.source,)
        case _:
            return (), ()


def in_slice(
    cursor: Cursor,
    op: kernel.ExtractSliceOp | kernel.InsertSliceOp,
    whole: tuple[int, ...],
    place: Place,
) -> Place:
    """Where an element of a slice lies in the tensor of shape `whole` that it is a slice of."""
    indices: list[Index] = []
    offsets, strides = op.offsets, op.strides.get_values()
    for index, offset, stride in zip(indices_of(cursor, place), offsets, strides, strict=True):
        indices.append(add(cursor, multiply(cursor, index, stride), word_or_constant(offset)))
    return at_indices(whole, indices)


def _before_broadcast(cursor: Cursor, op: kernel.BroadcastOp, place: Place) -> Place:
    indices = indices_of(cursor, place)
    return at_indices(shape_of(op.source), [indices[dim] for dim in op.dims.get_values()])
