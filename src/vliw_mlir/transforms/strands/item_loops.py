"""Loops over items in place of the ops of a strand."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeAlias

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from vliw_mlir.dialects import kernel
from vliw_mlir.dialects.emitter import Emitter
from vliw_mlir.dialects.kernel import shape_of
from vliw_mlir.lowering.bufferize.places import long_sizes
from vliw_mlir.lowering.bufferize.plan import is_tensor
from vliw_mlir.transforms.strands.grouping import Strand
from vliw_mlir.transforms.strands.item_body import ItemBody
from vliw_mlir.transforms.strands.items import Shape, reads_item
from vliw_mlir.transforms.vectorize.widen import AtEnd


def emit_item_loops(strand: Strand) -> None:
    """Replace the ops of a strand by one loop nest over its items."""
    _ItemLoops(strand).replace()


class _Output:
    """A tensor that is computed in a strand and read outside of it."""

    depth: int
    """Inside of how many loops an element of it is complete."""

    def __init__(self, value: SSAValue, depth: int):
        self.value = value
        self.depth = depth
        self.reduction = value.owner if isinstance(value.owner, kernel.ReduceOp) else None


Carried: TypeAlias = dict[_Output, SSAValue]
"""What there is of each output so far: the tensor, or inside of a reduction the word."""


class _ItemLoops:
    _sizes: Shape
    """The numbers of iterations of the loops, from outside to inside."""
    _inputs: list[SSAValue]
    """The tensors from outside of which an item needs its element."""
    _updated: dict[SSAValue, _Output]
    """The inputs that outputs take the place of, element by element."""

    def __init__(self, strand: Strand):
        self._strand = strand
        self._first = strand.ops[0]
        self._members = {inner for op in strand.ops for inner in op.walk()}
        self._inputs = self._find_inputs()
        self._updated = {}
        results = [result for op in strand.ops for result in op.results]
        outputs = [v for v in results if any(u.operation not in self._members for u in v.uses)]
        is_flat = self._can_be_flat(outputs)
        self._sizes = (prod(strand.shape),) if is_flat else strand.shape
        # A reduction to a single word is complete outside of all loops.
        depths = [min(len(shape_of(value)), len(self._sizes)) for value in outputs]
        self._outputs = [
            _Output(value, depth) for value, depth in zip(outputs, depths, strict=True)
        ]
        # What goes in front of the loops, and the loops.
        self._head = AtEnd(Block(), self._first)
        self._body = ItemBody(strand.shape, is_flat=is_flat, head=self._head)

    def replace(self) -> None:
        head = self._head
        for value in self._inputs:
            self._body.flatten(value)
        results = self._nest(head, {o: self._target(o) for o in self._outputs if o.depth})
        for output, value in results.items():
            if value.type != output.value.type:
                value = head.emit(kernel.ReshapeOp(value, output.value.type))
            value.name_hint = output.value.name_hint
            output.value.replace_all_uses_with(value)
        block = _block_of(self._first)
        for op in list(head.block.ops):
            op.detach()
            block.insert_op_before(op, self._first)
        for op in reversed(self._strand.ops):
            block.erase_op(op)

    # What goes in and out.

    def _find_inputs(self) -> list[SSAValue]:
        found: dict[SSAValue, None] = {}
        for op in self._strand.ops:
            for inner in op.walk():
                for index, value in enumerate(inner.operands):
                    if is_tensor(value) and reads_item(inner, index) and self._is_outside(value):
                        found[value] = None
        return list(found)

    def _is_outside(self, value: SSAValue) -> bool:
        owner = value.owner
        return (owner.parent_op() if isinstance(owner, Block) else owner) not in self._members

    def _can_be_flat(self, outputs: Sequence[SSAValue]) -> bool:
        """Whether one loop over the numbers of the items does, and is not what there is anyway."""
        shape = self._strand.shape
        if len(long_sizes(shape)) < 2 or any(0 < len(shape_of(v)) < len(shape) for v in outputs):
            return False
        inside = [value for op in self._members for value in op.results if is_tensor(value)]
        return not any(_needs_indices(value) for value in (*self._inputs, *inside))

    def _target(self, output: _Output) -> SSAValue:
        """The tensor to insert the elements of `output` into."""
        argument = self._replaced(output.value)
        if argument is not None:
            self._updated[argument] = output
            return argument
        return self._head.emit(kernel.EmptyOp(self._type(output)))

    def _type(self, output: _Output) -> Attribute:
        return TensorType(i32, self._sizes[: output.depth])

    def _replaced(self, value: SSAValue) -> SSAValue | None:
        """What a loop around the strand carries in this iteration, if `value` is what it
        carries in the next one, and nobody else reads it: it can be updated in place."""
        block = _block_of(self._first)
        if not isinstance(block.parent_op(), scf.ForOp):
            return None
        numbers = [use.index for use in value.uses if use.operation is block.last_op]
        arguments = [block.args[1 + number] for number in numbers]
        found = (argument for argument in arguments if self._is_read_here_only(argument))
        return next(found, None)

    def _is_read_here_only(self, value: SSAValue) -> bool:
        """Whether nothing of `value` is read but the element of each item, by that item."""
        if value not in self._inputs or shape_of(value) != self._sizes:
            return False
        return all(
            use.operation in self._members and reads_item(use.operation, use.index)
            for use in value.uses
        )

    # The loops.

    def _nest(self, e: AtEnd, carried: Carried) -> Carried:
        """Emit what is inside of the loops that are open."""
        depth = len(self._body.indices)
        complete = [output for output in self._outputs if output.depth == depth]
        inner = dict(carried)
        for output in complete:
            if output.reduction is not None:
                inner[output] = self._body.read(output.reduction.init, e)
        emit = self._loop if depth < len(self._sizes) else self._item
        inner = emit(e, inner)
        for output in complete:
            inner[output] = self._insert(e, output, inner[output], carried)
        return inner

    def _loop(self, e: AtEnd, carried: Carried) -> Carried:
        indices = self._body.indices
        size = self._sizes[len(indices)]
        zero, one, end = (self._body.constant(n) for n in (0, 1, size))
        if size == 1:
            indices.append(zero)
            inner = self._nest(e, carried)
            indices.pop()
            return inner
        block = Block(arg_types=[i32, *(value.type for value in carried.values())])
        within = AtEnd(block, self._first)
        indices.append(block.args[0])
        inner = self._nest(within, dict(zip(carried, block.args[1:], strict=True)))
        indices.pop()
        within.append(scf.YieldOp(*(inner[output] for output in carried)))
        loop = scf.ForOp(zero, end, one, list(carried.values()), Region(block))
        e.append(loop)
        return dict(zip(carried, loop.results, strict=True))

    def _item(self, e: AtEnd, carried: Carried) -> Carried:
        """Emit the computation of one item."""
        body = self._body
        for argument, output in self._updated.items():
            body.substitute(argument, carried[output])
        for value in self._inputs:
            body.read_element(value, e)
        for op in self._strand.ops:
            body.op(op, e.block)
        results: Carried = {}
        for output in self._outputs:
            reduction = output.reduction
            if reduction is None:
                results[output] = body.element(output.value)
                continue
            combined = [carried[output], body.element(reduction.source)]
            results[output] = AtEnd(e.block, reduction).function(reduction.function.name, *combined)
        return results

    def _insert(self, e: Emitter, output: _Output, element: SSAValue, carried: Carried) -> SSAValue:
        """Emit the inserting of a complete element."""
        if output.depth == 0:
            return e.emit(kernel.SplatOp(element, output.value.type))
        return e.emit(kernel.InsertOp(element, carried[output], self._body.indices))


def _block_of(op: Operation) -> Block:
    block = op.parent
    assert block is not None
    return block


def _needs_indices(tensor: SSAValue) -> bool:
    """Whether an element is found by its indices rather than its number."""
    while isinstance(tensor.owner, kernel.ReshapeOp):
        tensor = tensor.owner.source
    if len(long_sizes(shape_of(tensor))) < 2:
        return False
    op = tensor.owner
    if isinstance(op, kernel.BroadcastOp):
        return bool(long_sizes(shape_of(op.source)))
    return isinstance(op, kernel.IotaOp | kernel.ExtractSliceOp)
