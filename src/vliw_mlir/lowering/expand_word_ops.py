"""Word functions that the target lacks, composed of those that it has."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.errors import fail
from vliw_mlir.lowering.expansions import EXPANSIONS
from vliw_mlir.target import Target
from vliw_mlir.target.encodings import Encoding, encoding_of


@dataclass(frozen=True)
class ExpandWordOps(ModulePass):
    """Replace arithmetic that the target has no instruction for by what it has.

    Works on the SSA level, on words and vectors. A vector function that the target runs
    only on words stays: instruction selection takes it lane by lane. Fails for a function
    that can neither be run nor composed.
    """

    name = "expand-word-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        worklist = [o for o in op.walk() if isinstance(o, word.ArithmeticOp)]
        while worklist:
            arithmetic = worklist.pop()
            if _is_legal(arithmetic, target):
                continue
            worklist.extend(_expand(arithmetic, target))


def _is_legal(op: word.ArithmeticOp, target: Target) -> bool:
    vector = word.lanes_of(op.result.type) is not None
    return encoding_of(target, op.function.name, vector=vector) is not Encoding.NONE


def _expand(op: word.ArithmeticOp, target: Target) -> list[word.ArithmeticOp]:
    """Replace `op`; the arithmetic ops that came in its place."""
    expansion = EXPANSIONS.get(op.function.name)
    if expansion is None:
        fail(op, f"the target '{target.name}' has no instruction for '{op.name}'")
    block = op.parent
    assert block is not None
    before = op.prev_op
    result = expansion(BeforeOp(op), *op.operands)
    new: list[word.ArithmeticOp] = []
    current: Operation | None = block.first_op if before is None else before.next_op
    while current is not op:
        assert current is not None
        if isinstance(current, word.ArithmeticOp):
            new.append(current)
        current = current.next_op
    result.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(result)
    block.erase_op(op)
    return new
