"""Loops over items: the ops of a strand on the words of one item, one item after the other."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeAlias

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from vliw_mlir.dialects import kernel
from vliw_mlir.dialects.emitter import Emitter, Index
from vliw_mlir.dialects.kernel import shape_of
from vliw_mlir.lowering.bufferize.places import long_sizes
from vliw_mlir.lowering.bufferize.plan import is_tensor
from vliw_mlir.transforms.strands.grouping import Strand
from vliw_mlir.transforms.strands.items import ENDS, STRUCTURED, Shape, reads_item
from vliw_mlir.transforms.vectorize.widen import AtEnd

Carried: TypeAlias = dict["_Output", SSAValue]
"""What the loops made of each output so far: the tensor, or within reductions the word."""


class _Output:
    """A tensor that is computed in a strand and read outside of it."""

    depth: int
    """How many loops are around the place where an element of it is complete."""

    def __init__(self, value: SSAValue, depth: int):
        self.value = value
        self.depth = depth
        self.reduction = value.owner if isinstance(value.owner, kernel.ReduceOp) else None


def emit_item_loops(strand: Strand) -> None:
    """Replace the ops of a strand by one loop nest over its items."""
    _ItemLoops(strand).replace()


class _ItemLoops:
    _sizes: Shape
    """The numbers of iterations of the loops, from outside to inside."""
    _indices: list[SSAValue]
    """The counters of the loops that are open."""
    _elements: dict[SSAValue, SSAValue]
    """The words of tensors at the place of the item."""
    _values: dict[SSAValue, SSAValue]
    """What takes the place of values that are the same for all items."""
    _flat: dict[SSAValue, SSAValue]
    """Tensors from outside, reshaped to one dimension."""

    def __init__(self, strand: Strand):
        self._strand = strand
        self._source = strand.ops[0]
        self._members = {inner for op in strand.ops for inner in op.walk()}
        self._indices = []
        self._elements = {}
        self._values = {}
        self._flat = {}
        # What goes in front of the loops, and the loops.
        self._head = AtEnd(Block(), self._source)
        self._inputs = self._outside_items()
        results = [result for op in strand.ops for result in op.results]
        outputs = [result for result in results if self._is_read_outside(result)]
        self._is_flat = not self._needs_indices(outputs)
        self._sizes = (prod(strand.shape),) if self._is_flat else strand.shape
        if prod(strand.shape) == 1:
            self._is_flat, self._sizes = False, ()
        self._outputs = [_Output(value, self._depth(value)) for value in outputs]

    def replace(self) -> None:
        head = self._head
        for value in self._inputs:
            if self._is_flat and _common_word(value) is None:
                self._flat[value] = self._flattened(value, head)
        empty = {o: head.emit(kernel.EmptyOp(self._type(o))) for o in self._outputs if o.depth}
        results = self._nest(head, empty)
        for output, value in results.items():
            if value.type != output.value.type:
                value = head.emit(kernel.ReshapeOp(value, output.value.type))
            value.name_hint = output.value.name_hint
            output.value.replace_all_uses_with(value)
        block = self._source.parent
        assert block is not None
        for op in list(head.block.ops):
            op.detach()
            block.insert_op_before(op, self._source)
        for op in reversed(self._strand.ops):
            block.erase_op(op)

    # What goes in and out.

    def _outside_items(self) -> list[SSAValue]:
        """The tensors from outside of which each item reads its element."""
        found: dict[SSAValue, None] = {}
        for op in self._strand.ops:
            for inner in op.walk():
                for index, value in enumerate(inner.operands):
                    outside = is_tensor(value) and not self._is_inside(value)
                    if outside and reads_item(inner, index):
                        found[value] = None
        return list(found)

    def _is_inside(self, value: SSAValue) -> bool:
        owner = value.owner
        op = owner if isinstance(owner, Operation) else owner.parent_op()
        return op in self._members

    def _is_read_outside(self, value: SSAValue) -> bool:
        return any(use.operation not in self._members for use in value.uses)

    def _needs_indices(self, outputs: Sequence[SSAValue]) -> bool:
        """Whether the number of an item is not enough to compute it."""
        rank = len(self._strand.shape)
        if any(0 < len(shape_of(value)) < rank for value in outputs):
            return True
        inside = [value for op in self._members for value in op.results if is_tensor(value)]
        return any(_needs_indices(value) for value in (*self._inputs, *inside))

    def _depth(self, output: SSAValue) -> int:
        if not self._sizes:
            return 0
        return 1 if self._is_flat and shape_of(output) else len(shape_of(output))

    def _type(self, output: _Output) -> Attribute:
        return TensorType(i32, self._sizes[: output.depth])

    # The loops.

    def _nest(self, e: AtEnd, carried: Carried) -> Carried:
        """Emit the loops inside of those that are open."""
        depth = len(self._indices)
        inner = dict(carried)
        complete = [output for output in self._outputs if output.depth == depth]
        for output in complete:
            if output.reduction is not None:
                inner[output] = self._read(output.reduction.init, e)
        emit = self._loop if depth < len(self._sizes) else self._item
        inner = emit(e, inner)
        for output in complete:
            inner[output] = self._insert(e, output, inner[output], carried)
        return inner

    def _loop(self, e: Emitter, carried: Carried) -> Carried:
        body = Block(arg_types=[i32, *(value.type for value in carried.values())])
        self._indices.append(body.args[0])
        within = AtEnd(body, self._source)
        inner = self._nest(within, dict(zip(carried, body.args[1:], strict=True)))
        self._indices.pop()
        within.append(scf.YieldOp(*(inner[output] for output in carried)))
        zero, size, one = (self._head.constant(n) for n in (0, self._sizes[len(self._indices)], 1))
        loop = scf.ForOp(zero, size, one, list(carried.values()), Region(body))
        e.append(loop)
        return dict(zip(carried, loop.results, strict=True))

    def _insert(self, e: Emitter, output: _Output, element: SSAValue, carried: Carried) -> SSAValue:
        if output.depth == 0:
            return e.emit(kernel.SplatOp(element, output.value.type))
        return e.emit(kernel.InsertOp(element, carried[output], self._indices))

    def _item(self, e: AtEnd, carried: Carried) -> Carried:
        """Emit the computation of one item."""
        for value in self._inputs:
            self._elements[value] = self._read(value, e)
        for op in self._strand.ops:
            self._op(op, e.block)
        results: Carried = {}
        for output in self._outputs:
            if output.reduction is None:
                results[output] = self._elements[output.value]
                continue
            value = self._elements[output.reduction.source]
            function = output.reduction.function.name
            results[output] = e.function(function, carried[output], value)
        return results

    # The ops of one item.

    def _op(self, op: Operation, block: Block) -> None:
        e = AtEnd(block, op)
        match op:
            case kernel.ElementwiseOp():
                operands = [self._elements[value] for value in op.operands]
                self._set_element(op.result, e.function(op.function.name, *operands))
            case kernel.GatherOp():
                indices = [self._elements[value] for value in op.indices]
                source = self._values.get(op.source, op.source)
                self._set_element(op.result, e.emit(kernel.ExtractOp(source, indices)))
            case kernel.ReduceOp():
                pass  # Combined with the other items, once all of this one is computed.
            case _ if isinstance(op, (*STRUCTURED, *ENDS)):
                self._structured(op, e)
            case _:
                self._same_for_all(op, e)

    def _set_element(self, tensor: SSAValue, element: SSAValue) -> None:
        element.name_hint = tensor.name_hint
        self._elements[tensor] = element

    def _structured(self, op: Operation, e: AtEnd) -> None:
        """Emit control flow with words in place of tensors."""
        new = op.create(
            operands=[self._passed(value) for value in op.operands],
            result_types=[_passed_type(result) for result in op.results],
            properties=op.properties,
            attributes=op.attributes,
            regions=[self._region(region) for region in op.regions],
        )
        e.append(new)
        for old, result in zip(op.results, new.results, strict=True):
            self._set_passed(old, result)

    def _region(self, region: Region) -> Region:
        if not region.blocks:
            return Region()
        old = region.block
        block = Block(arg_types=[_passed_type(value) for value in old.args])
        for value, argument in zip(old.args, block.args, strict=True):
            self._set_passed(value, argument)
        for op in old.ops:
            self._op(op, block)
        return Region(block)

    def _passed(self, value: SSAValue) -> SSAValue:
        if is_tensor(value):
            return self._elements[value]
        return self._values.get(value, value)

    def _set_passed(self, old: SSAValue, new: SSAValue) -> None:
        new.name_hint = old.name_hint
        (self._elements if is_tensor(old) else self._values)[old] = new

    def _same_for_all(self, op: Operation, e: AtEnd) -> None:
        """Emit an op that is not about single items."""
        uses = [
            (v, is_tensor(v) and reads_item(u.operation, u.index))
            for v in op.results
            for u in v.uses
        ]
        by_item = {value for value, item in uses if item}
        unknown = any(_common_word(value) is None for value in by_item)
        if unknown or not all(item for _, item in uses):
            e.append(op.clone(self._values))
        for value in by_item:
            self._elements[value] = self._read(value, e)

    # Reading tensors.

    def _read(self, tensor: SSAValue, e: Emitter) -> SSAValue:
        """The word of `tensor` at the place of the item."""
        common = _common_word(tensor)
        if isinstance(common, int):
            return self._head.constant(common)
        if common is not None:
            return self._values.get(common, common)
        shape = shape_of(tensor)
        whole = self._values.get(tensor, tensor)
        if prod(shape) == 1:
            indices = [self._head.constant(0) for _ in shape]
        elif self._is_flat:
            whole = self._flat.get(tensor) or self._flattened(whole, e)
            indices = self._indices
        else:
            indices = self._indices[: len(shape)]
        element = e.emit(kernel.ExtractOp(whole, indices))
        element.name_hint = tensor.name_hint
        return element

    def _flattened(self, tensor: SSAValue, e: Emitter) -> SSAValue:
        if shape_of(tensor) == self._sizes:
            return tensor
        return e.emit(kernel.ReshapeOp(tensor, TensorType(i32, self._sizes)))


def _passed_type(value: SSAValue) -> Attribute:
    return i32 if is_tensor(value) else value.type


def _common_word(tensor: SSAValue) -> Index | None:
    """The word in each element of `tensor`, if that is known to be the same."""
    match op := tensor.owner:
        case kernel.SplatOp():
            return op.source
        case kernel.ConstantOp():
            words = set(op.words())
            return words.pop() if len(words) == 1 else None
        case kernel.EmptyOp():
            return 0
        case _:
            return None


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
