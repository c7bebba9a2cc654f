"""Reductions: carried values that every iteration only combines something into."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import SSAValue, Use

from vliw_mlir.dialects import word
from vliw_mlir.semantics import REDUCTIONS


def reduction_function(loop: scf.ForOp, number: int) -> str | None:
    """The function that carried value `number` of `loop` is reduced by, None if it is not.

    The value goes through a chain of one associative and commutative function, whose steps
    nothing else sees, also through what inner loops carry, and is carried on. Then partial
    values may be combined in any order.
    """
    return _follow(loop.body.block.args[1 + number], loop, number, None)


def _follow(value: SSAValue, loop: scf.ForOp, number: int, function: str | None) -> str | None:
    """Follow `value` to the yield of `loop`; the function of the steps on the way."""
    while True:
        use = _only_use(value)
        if use is None:
            return None
        user = use.operation
        if isinstance(user, scf.YieldOp):
            return function if user.parent_op() is loop and use.index == number else None
        if isinstance(user, scf.ForOp):
            # Operands of a loop: three bounds, then what it carries.
            inner = use.index - 3
            if inner < 0:
                return None
            function = _follow(user.body.block.args[1 + inner], user, inner, function)
            if function is None:
                return None
            value = user.results[inner]
            continue
        if not isinstance(user, word.BinaryOp) or user.function.name not in REDUCTIONS:
            return None
        if function not in (None, user.function.name):
            return None
        function = user.function.name
        value = user.result


def _only_use(value: SSAValue) -> Use | None:
    uses = list(value.uses)
    return uses[0] if len(uses) == 1 else None
