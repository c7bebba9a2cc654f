"""What is computed item by item: an element of each result from the elements at its place.

The *items* of an op are the places in the shape of its tensors. A loop is computed item by item
when all of its body is, so that each item can run all iterations on its own.
"""

from __future__ import annotations

from typing import TypeAlias

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Operation, Region, SSAValue
from xdsl.traits import is_side_effect_free

from vliw_mlir.dialects import kernel
from vliw_mlir.dialects.kernel import shape_of
from vliw_mlir.errors import op_location
from vliw_mlir.lowering.bufferize.plan import FREE, VIEWS, is_tensor

Shape: TypeAlias = tuple[int, ...]

CONTROL = (scf.ForOp, scf.IfOp, scf.YieldOp)
"""Control flow that is the same for all items."""


class NotPerItem(Exception):
    """Why a loop is not computed item by item."""


def reads_item(op: Operation, index: int) -> bool:
    """Whether `op` needs of operand `index`, a tensor, only the element at the place of an item.

    Otherwise it needs the whole tensor.
    """
    match op:
        case kernel.GatherOp():
            return index > 0
        case kernel.ReduceOp():
            return index == 0
        case _:
            return isinstance(op, (kernel.ElementwiseOp, scf.ForOp, scf.YieldOp))


def item_shape(op: Operation) -> Shape | None:
    """The shape of the items of `op`, None if it has none or is not computed item by item.

    A reduction counts when it leaves only the first dimensions: it has the items of its source,
    and is the last that is computed of them. Raises `NotPerItem` for loops over tensors.
    """
    match op:
        case kernel.ElementwiseOp() | kernel.GatherOp():
            shape = shape_of(op.result)
        case kernel.ReduceOp():
            shape = shape_of(op.source)
            kept = len(shape_of(op.result))
            if sorted(op.dims.get_values()) != list(range(kept, len(shape))):
                return None
        case scf.ForOp():
            shape = _shape_of_loop(op)
        case _:
            return None
    return None if shape is None or any(size <= 0 for size in shape) else shape


def _shape_of_loop(loop: scf.ForOp) -> Shape | None:
    shapes = {shape_of(value) for value in loop.results if is_tensor(value)}
    if not shapes:
        return None
    if len(shapes) > 1:
        raise NotPerItem("it carries tensors of different shapes")
    (shape,) = shapes
    _Check(shape).region(loop.body)
    return shape


class _Check:
    """Checks that ops are computed item by item. Raises `NotPerItem`."""

    _items: set[SSAValue]
    """The tensors that may have other elements in each iteration."""

    def __init__(self, shape: Shape):
        self._type = TensorType(i32, shape)
        self._items = set()

    def region(self, region: Region) -> None:
        for value in region.block.args:
            self._define(value, region.block.parent_op())
        for op in region.block.ops:
            self._op(op)

    def _define(self, value: SSAValue, op: Operation | None) -> None:
        if not is_tensor(value):
            return
        if value.type != self._type:
            raise NotPerItem(f"{_name(op)} is about other items, {value.type}")
        self._items.add(value)

    def _op(self, op: Operation) -> None:
        if isinstance(op, (*VIEWS, *FREE, kernel.ExtractOp)):
            self._needs_no_items(op)
            return
        if isinstance(op, (kernel.ElementwiseOp, kernel.GatherOp, *CONTROL)):
            self._needs_no_items(op)
            for result in op.results:
                self._define(result, op)
            for region in op.regions:
                if region.blocks:
                    self.region(region)
            return
        if op.regions or any(is_tensor(value) for value in (*op.operands, *op.results)):
            raise NotPerItem(f"{_name(op)} is not computed item by item")
        if not is_side_effect_free(op):
            raise NotPerItem(f"{_name(op)} must run once for all items")

    def _needs_no_items(self, op: Operation) -> None:
        """Check that `op` needs no whole tensor that the loop computes."""
        for index, value in enumerate(op.operands):
            if value in self._items and not reads_item(op, index):
                raise NotPerItem(f"{_name(op)} reads elements of other items")


def _name(op: Operation | None) -> str:
    if op is None:
        return "a block"
    place = op_location(op)
    return f"'{op.name}'" if place is None else f"'{op.name}' at {place}"
