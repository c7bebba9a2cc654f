"""Word functions that the target lacks, composed of those that it has."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.dialects.expansions import EXPANSIONS
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.errors import fail
from vliw_mlir.target import Target
from vliw_mlir.target.encodings import Encoding, encoding_of
from vliw_mlir.transforms.rewriting import replace_op


@dataclass(frozen=True)
class ExpandWordOps(ModulePass):
    """Replace arithmetic that the target has no instruction for by what it has.

    `word.select_by_difference` becomes `word.select` unless the target has instructions for
    both ways to do it.

    Works on the SSA level, on words and vectors. A vector function that the target runs
    only on words stays: instruction selection takes it lane by lane. Fails for a function
    that can neither be run nor composed.
    """

    name = "expand-word-ops"

    vectors_only: bool = False
    """Whether operations on words stay as they are."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for selection in [o for o in op.walk() if isinstance(o, word.SelectByDifferenceOp)]:
            if _is_open(selection, target):
                continue
            operands = selection.condition, selection.on_true, selection.on_false
            replace_op(selection, [BeforeOp(selection).function("select", *operands)])
        worklist = [o for o in op.walk() if isinstance(o, word.ArithmeticOp)]
        while worklist:
            arithmetic = worklist.pop()
            if _is_legal(arithmetic, target) or self._stays(arithmetic):
                continue
            worklist.extend(_expand(arithmetic, target))

    def _stays(self, op: word.ArithmeticOp) -> bool:
        return self.vectors_only and word.lanes_of(op.result.type) is None


def _is_open(op: word.SelectByDifferenceOp, target: Target) -> bool:
    vector = word.lanes_of(op.result.type) is not None
    functions = "select", "multiply_add"
    encodings = {encoding_of(target, function, vector=vector) for function in functions}
    return encodings == {Encoding.DIRECT}


def _is_legal(op: word.ArithmeticOp, target: Target) -> bool:
    vector = word.lanes_of(op.result.type) is not None
    return encoding_of(target, op.function.name, vector=vector) is not Encoding.NONE


@dataclass
class _Recorder(BeforeOp):
    """Puts ops in front of an op and keeps the arithmetic ones."""

    arithmetic: list[word.ArithmeticOp] = field(default_factory=list[word.ArithmeticOp])

    def append(self, op: Operation) -> None:
        super().append(op)
        if isinstance(op, word.ArithmeticOp):
            self.arithmetic.append(op)


def _expand(op: word.ArithmeticOp, target: Target) -> list[word.ArithmeticOp]:
    """Replace `op`; the arithmetic ops that came in its place."""
    function = op.function.name
    expansion = EXPANSIONS.get(function)
    if expansion is None:
        fail(
            op, f"the target '{target.name}' has no instruction for the word function '{function}'"
        )
    recorder = _Recorder(op)
    result = expansion(recorder, *op.operands)
    result.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(result)
    op.detach()
    op.erase()
    return recorder.arithmetic
