"""Forming strands: all computation of one item together, one item after the other."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.lowering.bufferize.plan import Plan
from vliw_mlir.transforms.strands.grouping import Strand, find_strands
from vliw_mlir.transforms.strands.item_loops import emit_item_loops
from vliw_mlir.transforms.strands.items import NotPerItem, Shape, item_shape
from vliw_mlir.transforms.strands.separation import separate_words


@dataclass(frozen=True)
class FormStrands(ModulePass):
    """Turn computation on whole tensors into loops over their items, loops of tensors included.

    The items of a tensor are its elements. Ops that compute an element of their results from
    the elements at the same place of their operands, element-wise ops, lookups in other tensors
    and loops around such ops, become a *strand*: one loop over the items, which computes an item
    from beginning to end on words. So a loop of rounds over a tensor comes inside of a loop over
    its items, and carries words. Reductions over the last dimensions end a strand.

    A strand is formed of the ops of a block that depend on one another, and only if it has a
    loop, or if several tensors would be stored otherwise: what is read in one place only is
    computed there by `convert-kernel-to-word`.

    Expects the tensor level, and leaves it; does nothing elsewhere. Near-linear in the number of
    ops, for each shape of tensors. Statistics: `num-strands`, `num-loops-over-tensors`,
    `num-ops-in-strands`.
    """

    name = "form-strands"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, FuncOp):
                separate_words(function)
                former = _Former(self.name, Statistics(self), Plan(function))
                for block in function.body.blocks:
                    former.block(block)


@dataclass
class _Former:
    name: str
    statistics: Statistics
    plan: Plan

    def block(self, block: Block) -> None:
        """Form the strands in `block`, and in what is inside of its other ops."""
        shapes: dict[Operation, Shape] = {}
        for op in block.ops:
            shape = self.shape(op)
            if shape is not None:
                shapes[op] = shape
        strands = find_strands(block, shapes, self.plan) if shapes else []
        members = {op for strand in strands for op in strand.ops}
        for op in list(block.ops):
            if op in members:
                continue
            for region in op.regions:
                for inner in region.blocks:
                    self.block(inner)
        for strand in strands:
            self.form(strand)

    def shape(self, op: Operation) -> Shape | None:
        """The shape of the items of `op`, if it can be part of a strand."""
        try:
            return item_shape(op)
        except NotPerItem as reason:
            remark(op, self.name, f"no strands: {reason}", RemarkKind.MISSED)
            return None

    def form(self, strand: Strand) -> None:
        loops = sum(isinstance(op, scf.ForOp) for op in strand.ops)
        items = "x".join(map(str, strand.shape)) or "1"
        message = f"strands for {items} items; operations: {len(strand.ops)}, loops: {loops}"
        at = next((op for op in strand.ops if isinstance(op, scf.ForOp)), strand.ops[0])
        remark(at, self.name, message, RemarkKind.PASSED)
        self.statistics.count("num-strands")
        self.statistics.count("num-loops-over-tensors", loops)
        self.statistics.count("num-ops-in-strands", len(strand.ops))
        emit_item_loops(strand)
