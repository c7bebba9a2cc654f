"""What constants and the shape of a loop say about how it runs."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import SSAValue

from vliw_mlir.analysis.cfg import terminator
from vliw_mlir.semantics import SIGN_BIT, WORD_MASK, to_signed


def trip_count(lower: int, upper: int, step: int, limit: int) -> int | None:
    """How often a `scf.for` over constant words runs, None if that is more than `limit` times."""
    counter = lower
    for count in range(limit + 1):
        if to_signed(counter) >= to_signed(upper):
            return count
        counter = (counter + step) & WORD_MASK
    return None


def counter_bound(lower: int, upper: int, step: int) -> int | None:
    """The largest value that the counter of a `scf.for` over constant words may have.

    None when it may be negative.
    """
    if not 0 <= lower < upper < SIGN_BIT or not 0 < step <= SIGN_BIT - upper:
        return None
    return upper - 1


def invariant_slots(op: scf.ForOp | scf.WhileOp) -> list[tuple[int, SSAValue]]:
    """The carried values that never change: their number and their value.

    A loop hands such a value on as it was, or starts it anew with its first value.
    """
    if isinstance(op, scf.ForOp):
        arguments, initial = op.body.block.args[1:], op.operands[3:]
        end = terminator(op.body)
    else:
        arguments, initial = op.before_region.block.args, tuple(op.operands)
        end = terminator(op.after_region)
    found: list[tuple[int, SSAValue]] = []
    for number, (argument, first, last) in enumerate(
        zip(arguments, initial, end.operands, strict=True)
    ):
        if last is argument or last is first or _passed_on(op, last) is argument:
            found.append((number, first))
    return found


def _passed_on(op: scf.ForOp | scf.WhileOp, value: SSAValue) -> SSAValue | None:
    """What the first region of a `scf.while` gave to the second one as the argument `value`."""
    if not isinstance(op, scf.WhileOp):
        return None
    end = terminator(op.before_region)
    for argument, source in zip(op.after_region.block.args, end.operands[1:], strict=True):
        if argument is value:
            return source
    return None
