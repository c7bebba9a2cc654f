"""The body of a loop over items: the ops of a strand on the words of one item."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from vliw_mlir.dialects import kernel
from vliw_mlir.dialects.emitter import Emitter, Index
from vliw_mlir.dialects.kernel import shape_of
from vliw_mlir.lowering.bufferize.plan import is_tensor
from vliw_mlir.transforms.strands.items import CONTROL, Shape, reads_item
from vliw_mlir.transforms.vectorize.widen import AtEnd


class ItemBody:
    """Emits ops on the words of one item, in place of ops on tensors."""

    indices: list[SSAValue]
    """The place of the item: an index per dimension, or its number where items are flat."""
    _elements: dict[SSAValue, SSAValue]
    """The words of tensors at that place."""
    _values: dict[SSAValue, SSAValue]
    """What takes the place of other values: whole tensors, and what all items share."""
    _flat: dict[SSAValue, SSAValue]
    """Tensors as those of one dimension."""
    _constants: dict[int, SSAValue]

    def __init__(self, shape: Shape, *, is_flat: bool, head: AtEnd):
        """`shape` is that of the items; `head` puts ops in front of all loops."""
        self.indices = []
        self._elements = {}
        self._values = {}
        self._flat = {}
        self._constants = {}
        self._shape = shape
        self._is_flat = is_flat
        self._head = head

    def constant(self, value: int) -> SSAValue:
        """A constant word in front of all loops, the same value each time."""
        if value not in self._constants:
            self._constants[value] = self._head.constant(value)
        return self._constants[value]

    def element(self, tensor: SSAValue) -> SSAValue:
        """The word of the item in a tensor that was read or computed."""
        return self._elements[tensor]

    def substitute(self, tensor: SSAValue, by: SSAValue) -> None:
        """Read `by` from now on where `tensor` is to be read."""
        self._values[tensor] = by

    def flatten(self, tensor: SSAValue) -> None:
        """Prepare to read a tensor from outside of the loops, if items are flat."""
        if self._is_flat and _common_word(tensor) is None:
            self._flat[tensor] = _flattened(tensor, self._head)

    def read_element(self, tensor: SSAValue, e: Emitter) -> None:
        """Read the word of the item in `tensor`, for the ops that follow."""
        self._elements[tensor] = self.read(tensor, e)

    def read(self, tensor: SSAValue, e: Emitter) -> SSAValue:
        """Emit the reading of a word: that of the item, or if `tensor` has only the first of
        its dimensions, that at the indices along these."""
        common = _common_word(tensor)
        if isinstance(common, int):
            return self.constant(common)
        if common is not None:
            return self._values.get(common, common)
        whole, rank = self._values.get(tensor, tensor), len(shape_of(tensor))
        if self._is_flat and shape_of(tensor) == self._shape:
            whole, rank = self._flat.get(tensor) or _flattened(whole, e), 1
        element = e.emit(kernel.ExtractOp(whole, self.indices[:rank]))
        element.name_hint = tensor.name_hint
        return element

    def op(self, op: Operation, block: Block) -> None:
        """Emit the form of `op` for one item into `block`. Reductions have none."""
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
                pass
            case _ if isinstance(op, CONTROL):
                self._control(op, e)
            case _:
                self._same_for_all(op, e)

    def _set_element(self, tensor: SSAValue, element: SSAValue) -> None:
        element.name_hint = tensor.name_hint
        self._elements[tensor] = element

    def _control(self, op: Operation, e: AtEnd) -> None:
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
            self.op(op, block)
        return Region(block)

    def _passed(self, value: SSAValue) -> SSAValue:
        return self._elements[value] if is_tensor(value) else self._values.get(value, value)

    def _set_passed(self, old: SSAValue, new: SSAValue) -> None:
        new.name_hint = old.name_hint
        (self._elements if is_tensor(old) else self._values)[old] = new

    def _same_for_all(self, op: Operation, e: AtEnd) -> None:
        """Emit an op that all items share, and the reading of an element if it has any."""
        uses = [(value, use) for value in op.results for use in value.uses]
        by_item = [is_tensor(v) and reads_item(u.operation, u.index) for v, u in uses]
        if not all(by_item) or any(_common_word(v) is None for v, _ in uses):
            e.append(op.clone(self._values))
        if any(by_item):
            self.read_element(op.results[0], e)


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


def _flattened(tensor: SSAValue, e: Emitter) -> SSAValue:
    return e.emit(kernel.ReshapeOp(tensor, TensorType(i32, [prod(shape_of(tensor))])))
