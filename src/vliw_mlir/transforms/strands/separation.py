"""Separating what a loop over tensors computes for all items alike."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block

from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.lowering.bufferize.plan import is_tensor
from vliw_mlir.transforms.dead_code import eliminate_dead_code
from vliw_mlir.transforms.strands.items import NotPerItem, item_shape


def separate_words(func: FuncOp) -> None:
    """Let loops of their own compute those results of loops over items that are no tensors.

    Items cannot hand on such a result: it does not depend on them. A copy of the loop computes
    it, of which the rest is dead code.
    """
    # What was dead may have been all that was not computed item by item.
    while sum(_separate(block) for block in func.body.blocks):
        eliminate_dead_code(func.body)


def _separate(block: Block) -> int:
    """Copy the loops in `block` that need it; how many there are."""
    copies = 0
    for op in list(block.ops):
        if not isinstance(op, scf.ForOp) or not _is_per_item(op):
            copies += sum(_separate(inner) for region in op.regions for inner in region.blocks)
        elif any(not is_tensor(v) and v.first_use is not None for v in op.results):
            _copy(op)
            copies += 1
    return copies


def _is_per_item(loop: scf.ForOp) -> bool:
    try:
        return item_shape(loop) is not None
    except NotPerItem:
        return False


def _copy(loop: scf.ForOp) -> None:
    copy = loop.clone()
    BeforeOp(loop).append(copy)
    for old, new in zip(loop.results, copy.results, strict=True):
        if not is_tensor(old):
            old.replace_all_uses_with(new)
