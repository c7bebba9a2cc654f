"""Recognizing loops that count in `scf.while`, and turning them into `scf.for`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Region, SSAValue

from vliw_mlir.analysis.affine import AffineForms
from vliw_mlir.analysis.cfg import terminator
from vliw_mlir.analysis.loops import constant_word, is_defined_in
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.semantics import SIGN_BIT, WORD_MASK, to_signed
from vliw_mlir.transforms.rewriting import inline_block, replace_op

_MIRRORED = {
    **{"slt": "sgt", "sle": "sge", "ult": "ugt", "ule": "uge"},
    **{"sgt": "slt", "sge": "sle", "ugt": "ult", "uge": "ule", "ne": "ne"},
}
"""The predicates that counting loops compare by, and what they are with exchanged operands."""

_STRICT = {"sle": ("slt", 1), "ule": ("ult", 1), "sge": ("sgt", -1), "uge": ("ugt", -1)}
"""What includes the bound, as what does not include the bound moved by one."""

_LAST = {"sle": SIGN_BIT - 1, "ule": WORD_MASK, "sge": SIGN_BIT, "uge": 0}
"""The bounds that cannot be moved: every word is within them."""


@dataclass(frozen=True)
class Count:
    """How a `scf.while` counts: it goes on while one of its values is on one side of a bound."""

    number: int
    """The number of the value that counts among those carried."""
    predicate: str
    """One of slt, ult, sgt, ugt and ne, with the value on the left."""
    bound: SSAValue | int
    step: int
    """What is added to the value in each iteration, signed."""


def find_count(op: scf.WhileOp) -> Count | str:
    """How a loop counts, or why it is not known to."""
    before = op.before_region.block
    condition = terminator(op.before_region)
    test = condition.operands[0].owner
    compare = test.word.owner if isinstance(test, word.TestOp) else None
    if not isinstance(compare, word.CmpOp) or not is_defined_in(compare.result, op):
        return "its condition is not a comparison"
    allowed = (compare, test, condition)
    if any(o not in allowed and not isinstance(o, word.ConstantOp) for o in before.ops):
        return "there is more than a comparison before its condition"
    if not all(_can_be_passed(value, op) for value in condition.operands[1:]):
        return "it passes on something that is computed before its condition"
    left, right, predicate = compare.lhs, compare.rhs, str(compare.predicate.data)
    if left.owner is not before:
        left, right, predicate = right, left, _MIRRORED.get(predicate, predicate)
    if not isinstance(left, BlockArgument) or left.owner is not before:
        return "no value that it carries is compared"
    bound = constant_word(right)
    if bound is None and is_defined_in(right, op):
        return "the bound is not the same in all iterations"
    step = _step(op, left)
    if step is None:
        return "the value compared does not change by a constant"
    return _count(left.index, predicate, right if bound is None else bound, step)


def _can_be_passed(value: SSAValue, op: scf.WhileOp) -> bool:
    """Whether what the condition passes on is carried, or known before the loop."""
    is_argument = value.owner is op.before_region.block
    return is_argument or not is_defined_in(value, op) or constant_word(value) is not None


def _step(op: scf.WhileOp, counter: BlockArgument) -> int | None:
    """What a carried value grows by in each iteration."""
    form = AffineForms().of(terminator(op.after_region).operands[counter.index])
    passed = terminator(op.before_region).operands[1:]
    if len(form.terms) != 1:
        return None
    ((value, factor),) = form.terms.items()
    after = op.after_region.block
    if factor != 1 or not isinstance(value, BlockArgument) or value.owner is not after:
        return None
    return to_signed(form.constant) if passed[value.index] is counter else None


def _count(number: int, predicate: str, bound: SSAValue | int, step: int) -> Count | str:
    if predicate in _STRICT:
        if not isinstance(bound, int) or bound == _LAST[predicate]:
            return "the bound is included and may be the last word"
        predicate, by = _STRICT[predicate]
        bound = bound + by & WORD_MASK
    ends = {"slt": step > 0, "ult": step > 0, "sgt": step < 0, "ugt": step < 0}
    if not ends.get(predicate, predicate == "ne" and abs(step) == 1):
        return "its value does not move towards the bound step by step"
    return Count(number, predicate, bound, step)


def to_for(op: scf.WhileOp, count: Count) -> scf.ForOp:
    """Replace a loop that counts as told by an `scf.for`, which it carries the same values."""
    here = BeforeOp(op)
    first = op.arguments[count.number]
    bound = here.as_word(count.bound)
    low, high, step = _bounds(here, count, first, bound)
    before, after = op.before_region.block, op.after_region.block
    for constant in [o for o in before.ops if isinstance(o, word.ConstantOp)]:
        constant.detach()
        here.append(constant)
    end = scf.YieldOp()
    end.location = op.location
    body = Block([end], arg_types=[first.type, *before.arg_types])
    carried = body.args[1:]
    for new, old in zip(carried, before.args, strict=True):
        new.name_hint = old.name_hint
    made = scf.ForOp(low, high, here.constant(step), op.arguments, Region(body))
    made.attributes = dict(op.attributes)
    here.append(made)
    passed = terminator(op.before_region).operands[1:]

    def among(values: Sequence[SSAValue]) -> list[SSAValue]:
        """What the condition passes on, with `values` for what is carried."""
        mapped: dict[SSAValue, SSAValue] = dict(zip(before.args, values, strict=True))
        return [mapped.get(value, value) for value in passed]

    end.operands = inline_block(after, among(carried), end)
    replace_op(op, among(made.results))
    return made


def _bounds(
    here: BeforeOp, count: Count, first: SSAValue, bound: SSAValue
) -> tuple[SSAValue, SSAValue, int]:
    """Bounds and step of a counter that is compared as a signed word and grows."""

    def map_both(function: Callable[[SSAValue], SSAValue]) -> tuple[SSAValue, SSAValue, int]:
        return function(first), function(bound), abs(count.step)

    match count.predicate:
        case "slt":
            return first, bound, count.step
        case "sgt":
            # The complement turns the order around.
            return map_both(lambda value: here.function("sub", here.constant(-1), value))
        case "ult":
            # Moved by 2^31, the order of unsigned words is that of signed ones.
            return map_both(lambda value: here.function("add", value, here.constant(SIGN_BIT)))
        case "ugt":
            middle = SIGN_BIT - 1
            return map_both(lambda value: here.function("sub", here.constant(middle), value))
        case _:
            ends = (bound, first) if count.step == 1 else (first, bound)
            distance = here.function("sub", *ends)
            least = here.constant(SIGN_BIT)
            return least, here.function("add", distance, least), 1
