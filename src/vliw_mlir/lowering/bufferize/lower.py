"""Lowering the ops of a function: tensors into buffers, in the order in which they run."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import cf, scf
from xdsl.ir import Operation, Region, SSAValue

from vliw_mlir.analysis.cfg import reverse_postorder
from vliw_mlir.dialects import kernel
from vliw_mlir.dialects.kernel import shape_of
from vliw_mlir.errors import fail
from vliw_mlir.lowering.bufferize.cursor import Cursor
from vliw_mlir.lowering.bufferize.elements import Elements
from vliw_mlir.lowering.bufferize.places import at_indices
from vliw_mlir.lowering.bufferize.plan import FREE, VIEWS, Plan, is_tensor
from vliw_mlir.lowering.bufferize.storage import Storage
from vliw_mlir.lowering.bufferize.stores import store, store_at_once
from vliw_mlir.lowering.bufferize.updates import lower_insert, lower_insert_slice, lower_scatter
from vliw_mlir.lowering.indices import word_or_constant


def uses_tensors(op: Operation) -> bool:
    """Whether an op has tensors as operands, results, or arguments of its blocks."""
    arguments = (arg for region in op.regions for block in region.blocks for arg in block.args)
    return any(is_tensor(value) for value in (*op.operands, *op.results, *arguments))


class Lowering:
    """Emits in front of each op on tensors what takes its place.

    Each tensor that is carried by a loop, a result of control flow or a block argument gets
    one buffer, in which it is stored wherever it is passed on.
    """

    lowered: list[Operation]
    """The ops on tensors met so far, each before the ops inside of it and after its operands'."""

    def __init__(self, plan: Plan, storage: Storage):
        self.lowered = []
        self._plan = plan
        self._storage = storage

    def lower_region(self, region: Region) -> list[Operation]:
        """Lower all blocks of a region, except for the terminators that leave it: the result."""
        exits: list[Operation] = []
        blocks = reverse_postorder(region)
        for block in blocks[1:]:
            for arg in filter(is_tensor, block.args):
                self._storage.put(arg, self._storage.temporary(arg))
        for block in blocks:
            *ops, terminator = block.ops
            for op in ops:
                self._lower(op)
            self._note(terminator)
            if isinstance(terminator, cf.BranchOp):
                self.pass_on(terminator, terminator.arguments, terminator.successor.args)
            elif not terminator.successors:
                exits.append(terminator)
            elif any(is_tensor(v) for v in terminator.operands):
                fail(terminator, f"'{terminator.name}' cannot pass tensors")
        return exits

    def pass_on(
        self, at: Operation, tensors: Sequence[SSAValue], targets: Sequence[SSAValue]
    ) -> None:
        """Store what `at` passes in the buffers of what it is passed to."""
        pairs = zip(tensors, targets, strict=True)
        buffers = self._storage.buffers
        store_at_once(self._storage, at, [(v, buffers[to]) for v, to in pairs if is_tensor(v)])

    def _note(self, op: Operation) -> None:
        if uses_tensors(op):
            self.lowered.append(op)

    def _lower(self, op: Operation) -> None:
        self._note(op)
        match op:
            case kernel.ElementwiseOp() | kernel.GatherOp() | kernel.ReduceOp():
                self._store_computed(op)
            case kernel.ExtractOp():
                self._extract(op)
            case kernel.InsertOp():
                lower_insert(self._storage, op)
            case kernel.InsertSliceOp():
                lower_insert_slice(self._storage, op)
            case kernel.ScatterOp():
                lower_scatter(self._storage, op)
            case scf.ForOp():
                self._for(op)
            case scf.WhileOp():
                self._while(op)
            case scf.IfOp() | scf.ExecuteRegionOp() | scf.IndexSwitchOp():
                self._choose(op)
            case _ if isinstance(op, (*VIEWS, *FREE)):
                pass  # Always deferred.
            case _ if uses_tensors(op):
                fail(op, f"'{op.name}' on tensors is not supported")
            case _:
                for region in op.regions:
                    self.lower_region(region)

    def _store_computed(self, op: kernel.ElementwiseOp | kernel.GatherOp | kernel.ReduceOp) -> None:
        if self._plan.is_deferred(op.result):
            return
        buffer = self._storage.new_buffer(op.result)
        store(self._storage, op, [(op.result, buffer)])
        self._storage.put(op.result, buffer)

    def _extract(self, op: kernel.ExtractOp) -> None:
        cursor = Cursor(self._storage.entry, op)
        indices = [word_or_constant(index) for index in op.indices]
        place = at_indices(shape_of(op.source), indices)
        element = Elements(cursor, self._storage.buffers).element(op.source, place)
        op.result.replace_all_uses_with(element)

    def _for(self, op: scf.ForOp) -> None:
        _, *carried = op.body.block.args
        self._carry(op, op.iter_args, op.results)
        for arg, result in zip(carried, op.results, strict=True):
            if is_tensor(arg):
                self._storage.put(arg, self._storage.buffers[result])
        (end,) = self.lower_region(op.body)
        self.pass_on(end, end.operands, op.results)

    def _while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block.args, op.after_region.block.args
        self._carry(op, op.arguments, before)
        (condition,) = self.lower_region(op.before_region)
        assert isinstance(condition, scf.ConditionOp)
        carried = {self._storage.buffers[arg] for arg in before if is_tensor(arg)}
        for value, result, arg in zip(condition.args, op.results, after, strict=True):
            if not is_tensor(value):
                continue
            buffer = self._storage.buffers.get(value)
            if buffer is not None and buffer in carried:
                # It is where it can stay; but one buffer holds one result only.
                carried.remove(buffer)
            else:
                buffer = self._storage.new_buffer(result)
            self._storage.put(result, buffer)
            self._storage.put(arg, buffer)
        self.pass_on(condition, condition.args, op.results)
        (end,) = self.lower_region(op.after_region)
        self.pass_on(end, end.operands, before)

    def _choose(self, op: scf.IfOp | scf.ExecuteRegionOp | scf.IndexSwitchOp) -> None:
        """An op that results in what one of its regions yields."""
        exits = [end for region in op.regions for end in self.lower_region(region)]
        taken: set[SSAValue] = set()
        for number, result in enumerate(op.results):
            if not is_tensor(result):
                continue
            buffer = self._updated_buffer([end.operands[number] for end in exits])
            if buffer is None or buffer in taken:
                buffer = self._storage.new_buffer(result)
            taken.add(buffer)
            self._storage.put(result, buffer)
        for end in exits:
            self.pass_on(end, end.operands, op.results)

    def _updated_buffer(self, tensors: Sequence[SSAValue]) -> SSAValue | None:
        """The buffer that all of some tensors are in, if one of them updated another in place.

        Then none of them is read after control flow has joined.
        """
        if len(set(tensors)) < 2:
            return None
        buffers = {self._storage.buffers.get(tensor) for tensor in tensors}
        return buffers.pop() if len(buffers) == 1 else None

    def _carry(self, op: Operation, inits: Sequence[SSAValue], carried: Sequence[SSAValue]) -> None:
        """Give each carried tensor a buffer that holds its initial value."""
        for init, value in zip(inits, carried, strict=True):
            if not is_tensor(init):
                continue
            if self._storage.may_overwrite(op, init):
                buffer = self._storage.buffers[init]
            else:
                buffer = self._storage.new_buffer(value)
            self._storage.put(value, buffer)
        self.pass_on(op, inits, carried)
