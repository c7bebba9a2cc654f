"""Making counted loops, and what is asked of them by attributes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Block, Region, SSAValue

from vliw_mlir.errors import fail


def loop_like(
    like: scf.ForOp,
    *,
    low: SSAValue | None = None,
    high: SSAValue | None = None,
    step: SSAValue | None = None,
    initial: Sequence[SSAValue] | None = None,
) -> scf.ForOp:
    """A loop like another one, with nothing in it but a terminator that yields nothing.

    What is given takes the place of bounds, step and first values of `like`. The loop has the
    attributes and the location of `like` and is in no block yet.
    """
    initial = like.iter_args if initial is None else initial
    old = like.body.block
    end = scf.YieldOp()
    end.location = like.location
    body = Block([end], arg_types=[old.args[0].type, *(value.type for value in initial)])
    made = scf.ForOp(low or like.lb, high or like.ub, step or like.step, initial, Region(body))
    made.attributes = dict(like.attributes)
    made.location = like.location
    for new_values, old_values in ((body.args, old.args), (made.results, like.results)):
        for new, value in zip(new_values, old_values, strict=False):
            new.name_hint = value.name_hint
    return made


def number_asked(loop: scf.ForOp, attribute: str) -> int | None:
    """The positive number that an attribute of a loop gives, None if there is no attribute.

    Raises `CompileError` for anything else.
    """
    attr = loop.attributes.get(attribute)
    if attr is None:
        return None
    if not isinstance(attr, IntegerAttr) or attr.value.data < 1:
        fail(loop, f"{attribute} must be a positive number, not {attr}")
    return attr.value.data


def mark(loop: scf.ForOp, attribute: str, number: int = 1) -> None:
    """Set an attribute of a loop; 1 for a loop that is to be left alone."""
    loop.attributes[attribute] = IntegerAttr(number, i64)
