"""Sparse conditional constant propagation."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.constant_flow import ConstantFlow
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.instrument import Statistics


@dataclass(frozen=True)
class Sccp(ModulePass):
    """Replace values that are constants, given which branches are taken because of that.

    Finds constants that go around loops or through blocks that are reached in several ways,
    which `simplify` does not see (Wegman and Zadeck, 1991). What is not used any more, and
    branches that have a constant condition, are left to `simplify` and `simplify-cfg`.

    Expects the SSA level, with structured control flow or blocks. Nearly linear. Statistics:
    `num-constants`.
    """

    name = "sccp"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                statistics.count("num-constants", _replace_constants(func))


def _replace_constants(func: FuncOp) -> int:
    """Replace the uses of values that are constants; their number."""
    first = func.body.blocks[0].first_op
    assert first is not None
    constants = _Constants(BeforeOp(first))
    replaced = 0
    for value, words in ConstantFlow(func.body).constants():
        if value.first_use is not None and not _is_constant(value):
            value.replace_all_uses_with(constants.get(value, words))
            replaced += 1
    return replaced


def _is_constant(value: SSAValue) -> bool:
    op = value.owner
    test = isinstance(op, word.TestOp) and isinstance(op.word.owner, word.ConstantOp)
    return test or isinstance(op, word.ConstantOp)


class _Constants:
    """Constants at the start of a function, each there once."""

    def __init__(self, start: BeforeOp):
        self._start = start
        self._made: dict[object, SSAValue] = {}

    def get(self, like: SSAValue, words: tuple[int, ...]) -> SSAValue:
        """A constant of the type of `like`."""
        key = like.type, words
        if key not in self._made:
            self._made[key] = self._start.emit(self._make(like, words))
        return self._made[key]

    def _make(self, like: SSAValue, words: tuple[int, ...]) -> Operation:
        if like.type == i1:
            return word.TestOp(self._start.constant(words[0]))
        is_vector = word.lanes_of(like.type) is not None
        return word.ConstantOp(words if is_vector else words[0])
