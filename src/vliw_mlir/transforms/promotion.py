"""Promotion of memory cells to SSA values, through structured control flow.

A *cell* is a word or a vector in memory that is accessed in no other way than as a whole. What
it holds becomes a value: loads take the value, stores replace it, and loops and branches in
which it is stored hand it on. This is the promotion of LLVM's mem2reg for control flow that is
structured, where the places of the phi nodes are known beforehand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from vliw_mlir.analysis.cfg import terminator
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp


@dataclass
class Promotion:
    """Turns accesses of cells within some operation into values. Linear in the number of ops."""

    scope: Operation
    """The operation with the block in which the cells become values."""
    types: Sequence[Attribute]
    """The type of each cell."""
    accesses: Mapping[Operation, Sequence[int]]
    """The numbers of the cells that each load or store touches: one cell of its type, or one
    for each lane. All control flow around them, up to the cell's scope, has regions of one
    block."""
    values: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    """What each cell holds now. To start with, all cells must hold something."""

    def __post_init__(self) -> None:
        self._touched: set[Operation] = set()
        """The operations with regions in which cells are accessed."""
        stored: defaultdict[Operation, set[int]] = defaultdict(set)
        for op, numbers in self.accesses.items():
            around = op.parent_op()
            while around is not None and around is not self.scope:
                self._touched.add(around)
                if isinstance(op, word.StoreOp):
                    stored[around].update(numbers)
                around = around.parent_op()
        self._stored = {op: sorted(numbers) for op, numbers in stored.items()}

    def run(self, ops: Sequence[Operation]) -> None:
        """Replace the accesses in consecutive operations; `values` is then what holds behind."""
        for op in ops:
            numbers = self.accesses.get(op)
            if numbers is not None:
                self._access(op, numbers)
            elif op in self._touched:
                self._structured(op)

    def _access(self, op: Operation, numbers: Sequence[int]) -> None:
        block = op.parent
        assert block is not None
        if isinstance(op, word.LoadOp):
            value = self._read(op, numbers)
            value.name_hint = value.name_hint or op.result.name_hint
            op.result.replace_all_uses_with(value)
        else:
            assert isinstance(op, word.StoreOp)
            self._write(op, numbers)
        block.erase_op(op)

    def _read(self, op: word.LoadOp, numbers: Sequence[int]) -> SSAValue:
        if self.types[numbers[0]] == op.result.type:
            return self.values[numbers[0]]
        return BeforeOp(op).emit(word.FromElementsOp(self._get(numbers)))

    def _write(self, op: word.StoreOp, numbers: Sequence[int]) -> None:
        if self.types[numbers[0]] == op.value.type:
            self.values[numbers[0]] = op.value
            return
        for lane, number in enumerate(numbers):
            self.values[number] = BeforeOp(op).emit(word.ExtractOp(op.value, lane))

    # Control flow

    def _structured(self, op: Operation) -> None:
        match op:
            case scf.ForOp():
                self._for(op)
            case scf.WhileOp():
                self._while(op)
            case scf.IfOp():
                self._if(op)
            case _:
                self._once(op)

    def _for(self, op: scf.ForOp) -> None:
        stored = self._stored.get(op, [])
        initial = self._get(stored)
        self._set(stored, _add_arguments(op.body.block, initial))
        self._region(op.body, stored)
        self._end(op, stored, initial, initial)

    def _while(self, op: scf.WhileOp) -> None:
        stored = self._stored.get(op, [])
        initial = self._get(stored)
        self._set(stored, _add_arguments(op.before_region.block, initial))
        self._region(op.before_region, stored)
        self._set(stored, _add_arguments(op.after_region.block, initial))
        self._region(op.after_region, stored)
        self._end(op, stored, initial, initial)

    def _if(self, op: scf.IfOp) -> None:
        stored = self._stored.get(op, [])
        if stored and not op.false_region.blocks:
            op.false_region.add_block(Block([scf.YieldOp()]))
        initial = self._get(stored)
        for region in op.regions:
            if region.blocks:
                self._set(stored, initial)
                self._region(region, stored)
        self._end(op, stored, (), initial)

    def _once(self, op: Operation) -> None:
        stored = self._stored.get(op, [])
        initial = self._get(stored)
        for region in op.regions:
            self._region(region, stored)
        self._end(op, stored, (), initial)

    def _end(
        self,
        op: Operation,
        stored: Sequence[int],
        operands: Sequence[SSAValue],
        initial: Sequence[SSAValue],
    ) -> None:
        """Let `op` hand on what it leaves in the cells stored in it."""
        if stored:
            new = with_more_results(op, operands, initial)
            self._set(stored, new.results[-len(stored) :])

    def _region(self, region: Region, stored: Sequence[int]) -> None:
        end = terminator(region)
        self.run(list(region.block.ops))
        if stored:
            end.operands = [*end.operands, *self._get(stored)]

    def _get(self, numbers: Sequence[int]) -> list[SSAValue]:
        return [self.values[number] for number in numbers]

    def _set(self, numbers: Sequence[int], values: Sequence[SSAValue]) -> None:
        self.values.update(zip(numbers, values, strict=True))


def _add_arguments(block: Block, like: Sequence[SSAValue]) -> list[SSAValue]:
    """Append an argument of the type and the name of each value."""
    new: list[SSAValue] = []
    for value in like:
        argument = block.insert_arg(value.type, len(block.args))
        argument.name_hint = value.name_hint
        new.append(argument)
    return new


def with_more_results(
    op: Operation, operands: Sequence[SSAValue], like: Sequence[SSAValue]
) -> Operation:
    """Replace `op` by one with more operands, and a result of the type and the name of each of
    some values."""
    new = type(op).create(
        operands=[*op.operands, *operands],
        result_types=[*op.result_types, *(value.type for value in like)],
        properties=op.properties,
        attributes=op.attributes,
        location=op.location,
        regions=[op.detach_region(region) for region in tuple(op.regions)],
    )
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)
    for old, result in zip((*op.results, *like), new.results, strict=True):
        result.name_hint = old.name_hint
    for old, result in zip(op.results, new.results, strict=False):
        old.replace_all_uses_with(result)
    block.erase_op(op)
    return new
