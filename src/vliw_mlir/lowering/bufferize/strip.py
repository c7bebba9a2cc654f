"""Preparing a function for its lowering, and taking the tensors out of it afterwards."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import cf
from xdsl.ir import Block, Operation, Region, SSAValue

from vliw_mlir.analysis.cfg import reverse_postorder
from vliw_mlir.dialects import kernel
from vliw_mlir.lowering.bufferize.plan import is_tensor


def prepare(region: Region) -> None:
    """Erase unreachable blocks, and let only unconditional branches pass tensors."""
    reachable = set(reverse_postorder(region))
    for block in list(region.blocks):
        if block not in reachable:
            region.erase_block(block, safe_erase=False)
    for block in list(region.blocks):
        for op in block.ops:
            for inner in op.regions:
                prepare(inner)
        if isinstance(block.last_op, cf.ConditionalBranchOp):
            _split_edges(block.last_op)


def _split_edges(op: cf.ConditionalBranchOp) -> None:
    """Move each edge of `op` that passes tensors into a block of its own."""
    then_block, then_args = _edge(op, op.then_block, op.then_arguments)
    else_block, else_args = _edge(op, op.else_block, op.else_arguments)
    if then_block is op.then_block and else_block is op.else_block:
        return
    new = cf.ConditionalBranchOp(op.cond, then_block, then_args, else_block, else_args)
    new.location = op.location
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)
    block.erase_op(op)


def _edge(
    op: cf.ConditionalBranchOp, target: Block, arguments: Sequence[SSAValue]
) -> tuple[Block, Sequence[SSAValue]]:
    if not any(is_tensor(value) for value in arguments):
        return target, arguments
    branch = cf.BranchOp(target, *arguments)
    branch.location = op.location
    edge = Block([branch])
    block, region = op.parent, op.parent_region()
    assert block is not None
    assert region is not None
    region.insert_block_after(edge, block)
    return edge, ()


def strip(ops: Sequence[Operation]) -> None:
    """Erase kernel ops, and take the tensors out of all other ops.

    Each op must come before the ops inside of it and the users of its tensors.
    """
    for op in reversed(ops):
        block = op.parent
        assert block is not None
        if not isinstance(op, kernel.KernelOp):
            _insert_without_tensors(op)
        block.erase_op(op)


def _insert_without_tensors(op: Operation) -> None:
    """Insert what is left of an op without its tensors in front of it."""
    regions = [op.detach_region(region) for region in list(op.regions)]
    for region in regions:
        erase_tensor_arguments(region)
    new = op.create(
        operands=[value for value in op.operands if not is_tensor(value)],
        result_types=[result.type for result in op.results if not is_tensor(result)],
        properties=op.properties,
        attributes=op.attributes,
        successors=op.successors,
        regions=regions,
    )
    new.location = op.location
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)
    kept = [result for result in op.results if not is_tensor(result)]
    for old, value in zip(kept, new.results, strict=True):
        old.replace_all_uses_with(value)


def erase_tensor_arguments(region: Region) -> None:
    for block in region.blocks:
        for arg in [arg for arg in block.args if is_tensor(arg)]:
            block.erase_arg(arg)
