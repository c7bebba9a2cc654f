"""Simplification of structured control flow and of branches between blocks."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import cf, scf
from xdsl.ir import Block, Operation, OpResult, SSAValue

from vliw_mlir.analysis.cfg import block_of, terminator
from vliw_mlir.analysis.loops import constant_bounds
from vliw_mlir.analysis.possible_bits import fill
from vliw_mlir.instrument import RemarkKind, remark
from vliw_mlir.semantics import WORD_MASK
from vliw_mlir.transforms.rewriting import replace_op
from vliw_mlir.transforms.simplification.expressions import OPAQUE, Expression
from vliw_mlir.transforms.simplification.values import TEST, truth_of
from vliw_mlir.transforms.simplification.walk import Handler, Walk

PASS = "simplify"
"""Whose remarks these are."""


# Conditions


def _condition(walk: Walk, op: Operation) -> Expression | None:
    """The word whose truth the first operand of `op` is."""
    condition = walk.expressions.operands(op)[0]
    return condition.args[0] if condition.function == TEST else None


def _negated(condition: Expression) -> Expression | None:
    """What is zero exactly when `condition` is not, if there is such a value."""
    if condition.function == "eq" and condition.args[1].word == 0:
        return condition.args[0]
    if condition.function != "xor" or condition.args[1].word != 1:
        return None
    return condition.args[0] if condition.args[0].ones == 1 else None


def _assume(walk: Walk, condition: Expression, truth: bool) -> None:
    """Use that `condition` is not zero, or that it is, until the end of the scope."""
    e, args = walk.expressions, condition.args
    if not truth:
        e.assume(condition, 0)
    elif condition.ones == 1:
        e.assume(condition, 1)
    inner = _negated(condition)
    if inner is not None:
        _assume(walk, inner, not truth)
    elif condition.function == "eq" and truth and args[1].word is not None:
        e.assume(args[0], args[1].word)
    elif condition.function == ("and" if truth else "or") and condition.ones == 1:
        for arg in args:
            _assume(walk, arg, truth)


# Branches


def _if(walk: Walk, op: scf.IfOp) -> Operation | None:
    condition = _condition(walk, op)
    if condition is not None and condition.word is not None:
        return _take_branch(walk, op, condition.word != 0)
    if condition is not None and op.false_region.blocks:
        condition = _swap_if_negated(walk, op, condition)
    for region, truth in ((op.true_region, True), (op.false_region, False)):
        with walk.expressions.scope():
            if condition is not None:
                _assume(walk, condition, truth)
            walk.region(region)
    walk.expressions.anchor = op
    for result in op.results:
        value = _if_result(walk, op, result, condition)
        if value is not None:
            walk.replace_value(result, value)
    return None


def _take_branch(walk: Walk, op: scf.IfOp, truth: bool) -> Operation | None:
    remark(op, PASS, f"the condition is always {str(truth).lower()}", RemarkKind.PASSED)
    region = op.true_region if truth else op.false_region
    return _inline(walk, op, region.block, ()) if region.blocks else _remove(walk, op, ())


def _swap_if_negated(walk: Walk, op: scf.IfOp, condition: Expression) -> Expression:
    inner = _negated(condition)
    if inner is None:
        return condition
    on_true, on_false = op.detach_region(0), op.detach_region(0)
    op.add_region(on_false)
    op.add_region(on_true)
    op.operands[0] = truth_of(walk.expressions, inner).value
    walk.control_changes += 1
    return inner


def _if_result(
    walk: Walk, op: scf.IfOp, result: OpResult, condition: Expression | None
) -> SSAValue | None:
    """What a result is equal to if both of its values are known outside of the branches."""
    if result.first_use is None:
        return None
    values = [terminator(region).operands[result.index] for region in op.regions]
    if any(block_of(value) is r.block for value, r in zip(values, op.regions, strict=True)):
        return None
    on_true, on_false = values
    if on_true is on_false:
        return on_true
    if condition is None or condition.value.type != result.type:
        return None
    e = walk.expressions
    return e.apply("select", (condition, e.of(on_true), e.of(on_false))).value


def _branch(walk: Walk, op: cf.ConditionalBranchOp) -> None:
    condition = _condition(walk, op)
    if condition is None:
        return
    sides = [(op.then_block, op.then_arguments), (op.else_block, op.else_arguments)]
    if condition.word is not None:
        block, arguments = sides[0] if condition.word else sides[1]
        _become_branch(walk, op, cf.BranchOp(block, *arguments))
        return
    inner = _negated(condition)
    if inner is None:
        return
    (then, then_args), (otherwise, else_args) = sides
    test = truth_of(walk.expressions, inner).value
    _become_branch(walk, op, cf.ConditionalBranchOp(test, otherwise, else_args, then, then_args))


def _become_branch(walk: Walk, op: Operation, new: Operation) -> None:
    walk.expressions.insert(new)
    _remove(walk, op, ())


# Loops


def _for(walk: Walk, op: scf.ForOp) -> Operation | None:
    lower, upper, *_ = walk.expressions.operands(op)
    bounds = constant_bounds(op)
    if lower is upper or (bounds is not None and bounds.trips == 0):
        remark(op, PASS, "the loop never runs", RemarkKind.PASSED)
        return _remove(walk, op, op.operands[3:])
    if bounds is not None and bounds.trips == 1:
        remark(op, PASS, "the loop runs once", RemarkKind.PASSED)
        return _inline(walk, op, op.body.block, (op.operands[0], *op.operands[3:]))
    _fix_invariant(walk, op)
    with walk.expressions.scope():
        # A counter that starts negative has all bits set at times.
        counts_up = bounds is not None and bounds.low >= 0
        bits = fill(bounds.last) if bounds is not None and counts_up else WORD_MASK
        walk.expressions.define(op.body.block.args[0], OPAQUE, (), ones=bits)
        walk.region(op.body)
    _fix_invariant(walk, op)
    if bounds is not None:
        _forward_outer_values(walk, op)
    return None


def _fix_invariant(walk: Walk, op: scf.ForOp | scf.WhileOp) -> None:
    """Replace carried values that never change by the value they start with."""
    for number, value in _invariant_slots(op):
        if isinstance(op, scf.ForOp):
            walk.replace_value(op.body.block.args[1 + number], value)
            walk.replace_value(op.results[number], value)
        else:
            walk.replace_value(op.before_region.block.args[number], value)


def _invariant_slots(op: scf.ForOp | scf.WhileOp) -> list[tuple[int, SSAValue]]:
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


def _forward_outer_values(walk: Walk, op: scf.ForOp) -> None:
    """Replace results that are values from outside of a loop that runs at least once."""
    for result, value in zip(op.results, terminator(op.body).operands, strict=True):
        if block_of(value) is not op.body.block:
            walk.replace_value(result, value)


def _while(walk: Walk, op: scf.WhileOp) -> Operation | None:
    walk.expressions.operands(op)
    _fix_invariant(walk, op)
    before = op.before_region.block
    walk.region(op.before_region)
    end = terminator(op.before_region)
    condition = _condition(walk, end)
    if condition is not None and condition.word == 0:
        return _inline_condition(walk, op)
    for number, value in enumerate(end.operands[1:]):
        if block_of(value) is not before:
            walk.replace_value(op.results[number], value)
            walk.replace_value(op.after_region.block.args[number], value)
    with walk.expressions.scope():
        if condition is not None:
            _assume(walk, condition, True)
        walk.region(op.after_region)
    _fix_invariant(walk, op)
    return None


def _inline_condition(walk: Walk, op: scf.WhileOp) -> Operation | None:
    """Keep of a loop whose condition never holds the computation of the condition."""
    remark(op, PASS, "the loop body never runs", RemarkKind.PASSED)
    end = terminator(op.before_region)
    end.operands = end.operands[1:]
    return _inline(walk, op, op.before_region.block, tuple(op.operands))


def _execute_region(walk: Walk, op: scf.ExecuteRegionOp) -> Operation | None:
    if len(op.region.blocks) == 1:
        return _inline(walk, op, op.region.block, ())
    walk.region(op.region)
    return None


# Taking operations apart


def _inline(
    walk: Walk, op: Operation, block: Block, arguments: Sequence[SSAValue]
) -> Operation | None:
    """Put the operations of `block` in place of `op`; the first of them.

    `arguments` take the place of the block's arguments.
    """
    parent = op.parent
    assert parent is not None
    for argument, value in zip(block.args, arguments, strict=True):
        argument.replace_all_uses_with(value)
    *ops, end = block.ops
    values = tuple(end.operands)
    block.erase_op(end)
    for inner in ops:
        inner.detach()
        parent.insert_op_before(inner, op)
    following = op.next_op
    _remove(walk, op, values)
    return ops[0] if ops else following


def _remove(walk: Walk, op: Operation, values: Sequence[SSAValue]) -> None:
    """Erase `op`, with `values` in place of its results."""
    walk.control_changes += 1
    replace_op(op, values)


HANDLERS: dict[type[Operation], Handler] = {
    scf.IfOp: _if,
    scf.ForOp: _for,
    scf.WhileOp: _while,
    scf.ExecuteRegionOp: _execute_region,
    cf.ConditionalBranchOp: _branch,
}
