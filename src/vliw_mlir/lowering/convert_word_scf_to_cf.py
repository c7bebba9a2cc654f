"""Structured control flow into blocks and branches, at the SSA level."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import cf, scf
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.loops import constant_bounds, constant_word
from vliw_mlir.dialects import word
from vliw_mlir.errors import fail

LONGEST_TEST = 16
"""The most operations of a test that is made at two places."""


@dataclass(frozen=True)
class ConvertWordScfToCf(ModulePass):
    """Turn `scf.for`, `scf.while`, `scf.if` and `scf.execute_region` over words into blocks.

    Loops are tested at their end, so that an iteration takes one branch. An `scf.for` is entered
    if its lower bound, as a signed word, is less than the upper one; nothing is tested if it is
    known to run. The test of an `scf.while` exists twice, in front of the loop and at its end,
    unless it is long. Expects the SSA level; guarantees that no `scf` op is left.
    """

    name = "convert-word-scf-to-cf"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in op.ops:
            if isinstance(func, FuncOp):
                _lower_blocks(list(func.body.blocks))


def _lower_blocks(blocks: list[Block]) -> None:
    """Lower all structured ops in `blocks`, and in the blocks this creates."""
    while blocks:
        block = blocks.pop()
        # From the last to the first, so that each split moves only what lies between.
        for op in [op for op in block.ops if op.dialect_name() == "scf"][::-1]:
            if op.parent is block and op.regions:
                blocks.extend(_lower(op))


def _lower(op: Operation) -> list[Block]:
    match op:
        case scf.ForOp():
            return _lower_for(op)
        case scf.WhileOp():
            return _lower_while(op)
        case scf.IfOp():
            return _lower_if(op)
        case scf.ExecuteRegionOp():
            return _lower_execute_region(op)
        case _:
            fail(op, f"'{op.name}' is not supported at the SSA level")


def _split_after(op: Operation) -> tuple[Block, Block]:
    """The block that ends before `op`, and a new one with all that follows `op`."""
    block = op.parent
    assert block is not None
    assert op.next_op is not None
    return block, block.split_before(op.next_op)


def _inline(region: Region, before: Block) -> list[Block]:
    """Move the blocks of `region` in front of `before`."""
    blocks = list(region.blocks)
    target = before.parent
    assert target is not None
    for block in blocks:
        region.detach_block(block)
        target.insert_block_before(block, before)
    return blocks


def _end(block: Block, at: Operation, *ops: Operation) -> None:
    for op in ops:
        op.location = at.location
    block.add_ops(ops)


def _erase(op: Operation) -> None:
    block = op.parent
    assert block is not None
    block.erase_op(op)


def _replace_results(op: Operation, values: list[SSAValue]) -> None:
    for result, value in zip(op.results, values, strict=True):
        if value.name_hint is None:
            value.name_hint = result.name_hint
        result.replace_all_uses_with(value)


def _continue_with_arguments(op: Operation, following: Block) -> None:
    """Let `following` take what `op` results in as its arguments."""
    for result in op.results:
        following.insert_arg(result.type, len(following.args))
    _replace_results(op, list(following.args))


def _branch_on_yield(blocks: list[Block], to: Block) -> None:
    for block in blocks:
        last = block.last_op
        if isinstance(last, scf.YieldOp):
            _end(block, last, cf.BranchOp(to, *last.operands))
            _erase(last)


def _lower_for(op: scf.ForOp) -> list[Block]:
    if op.lb.type != i32:
        fail(op, "loop bounds must be words; run convert-std-to-kernel first")
    before, following = _split_after(op)
    (body,) = _inline(op.body, following)
    last = body.last_op
    assert last is not None
    values = list(last.operands)
    advance = word.AddOp(body.args[0], op.step)
    again = _differs_from_end(op, advance.result)
    _end(body, op, advance, *again)
    first = [op.lb, *op.iter_args]
    next_values = [advance.result, *values]
    bounds = constant_bounds(op)
    if bounds is not None and bounds.trips:
        # The loop is the only way to what follows: no need to hand values on.
        _end(body, op, cf.ConditionalBranchOp(again[-1], body, next_values, following, ()))
        _end(before, op, cf.BranchOp(body, *first))
        _replace_results(op, values)
    else:
        _continue_with_arguments(op, following)
        _end(body, op, cf.ConditionalBranchOp(again[-1], body, next_values, following, values))
        runs = word.CmpOp("slt", op.lb, op.ub)
        test = word.TestOp(runs.result)
        enter = cf.ConditionalBranchOp(test, body, first, following, op.iter_args)
        _end(before, op, runs, test, enter)
    _erase(last)
    _erase(op)
    return [body]


def _differs_from_end(op: scf.ForOp, counter: SSAValue) -> list[Operation]:
    """Operations of which the last one tells whether a loop goes on with a counter, given that
    it has run at least once."""
    bounds = constant_bounds(op)
    end: list[Operation] = []
    last = op.ub
    if bounds is not None:
        end = [word.ConstantOp(bounds.low + bounds.trips * bounds.step)]
        last = end[0].results[0]
    if bounds is not None or constant_word(op.step) == 1:
        # The counter comes by the last value exactly; words that differ are not zero.
        compare: word.ArithmeticOp = word.XorOp(counter, last)
    else:
        compare = word.CmpOp("slt", counter, last)
    return [*end, compare, word.TestOp(compare.result)]


def _lower_while(op: scf.WhileOp) -> list[Block]:
    before, following = _split_after(op)
    test_blocks = _inline(op.before_region, following)
    body_blocks = _inline(op.after_region, following)
    condition = test_blocks[-1].last_op
    assert isinstance(condition, scf.ConditionOp)
    _continue_with_arguments(op, following)
    args = list(condition.args)
    branch = cf.ConditionalBranchOp(condition.condition, body_blocks[0], args, following, args)
    _end(test_blocks[-1], condition, branch)
    _erase(condition)
    _test_again(test_blocks, body_blocks)
    _branch_on_yield(body_blocks, test_blocks[0])
    _end(before, op, cf.BranchOp(test_blocks[0], *op.arguments))
    _erase(op)
    return [*test_blocks, *body_blocks]


def _test_again(test_blocks: list[Block], body_blocks: list[Block]) -> None:
    """Copy the test of a loop to the end of its body."""
    test, body = test_blocks[0], body_blocks[-1]
    end = body.last_op
    if len(test_blocks) + len(body_blocks) > 2 or not isinstance(end, scf.YieldOp):
        return
    if sum(1 for _ in test.walk()) > LONGEST_TEST:
        return
    values: dict[SSAValue, SSAValue] = dict(zip(test.args, end.operands, strict=True))
    for op in test.ops:
        body.add_op(op.clone(values))
    _erase(end)


def _lower_if(op: scf.IfOp) -> list[Block]:
    before, following = _split_after(op)
    on_true = _inline(op.true_region, following)
    on_false = _inline(op.false_region, following)
    _continue_with_arguments(op, following)
    blocks = [*on_true, *on_false]
    _branch_on_yield(blocks, following)
    otherwise = on_false[0] if on_false else following
    _end(before, op, cf.ConditionalBranchOp(op.cond, on_true[0], (), otherwise, ()))
    _erase(op)
    return blocks


def _lower_execute_region(op: scf.ExecuteRegionOp) -> list[Block]:
    before, following = _split_after(op)
    blocks = _inline(op.region, following)
    _continue_with_arguments(op, following)
    _branch_on_yield(blocks, following)
    _end(before, op, cf.BranchOp(blocks[0]))
    _erase(op)
    return blocks
