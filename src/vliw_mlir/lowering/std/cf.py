"""Conversion of `cf` branches and `func.return`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import cf, func
from xdsl.ir import Block, SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.lowering.std.converter import Converter, Handler


def convert_branch(c: Converter, op: cf.BranchOp) -> None:
    c.append(cf.BranchOp(c.blocks[op.successor], *_pass(c, op.arguments)))


def convert_cond_branch(c: Converter, op: cf.ConditionalBranchOp) -> None:
    then_args = _pass(c, op.then_arguments)
    else_args = _pass(c, op.else_arguments)
    test = c.emit(word.TestOp(c.get(op.cond)))
    c.append(
        cf.ConditionalBranchOp(
            test, c.blocks[op.then_block], then_args, c.blocks[op.else_block], else_args
        )
    )


def convert_switch(c: Converter, op: cf.SwitchOp) -> None:
    """A chain of blocks, each testing one case."""
    flag, mask = c.get(op.flag), (1 << c.width(op.flag)) - 1
    default = c.blocks[op.default_block]
    default_args = _pass(c, op.default_operands)
    values = [] if op.case_values is None else cast(list[int], list(op.case_values.iter_values()))
    cases = [
        (value, c.blocks[block], _pass(c, args))
        for value, block, args in zip(values, op.case_blocks, op.case_operand, strict=True)
    ]
    outer = c.block
    for number, (value, block, args) in enumerate(cases):
        last = number == len(cases) - 1
        following = default if last else Block()
        following_args = default_args if last else []
        test = c.emit(word.TestOp(c.function("eq", flag, c.constant(value & mask))))
        c.append(cf.ConditionalBranchOp(test, block, args, following, following_args))
        if last:
            break
        region = outer.parent_region()
        assert region is not None
        region.insert_block_after(following, c.block)
        c.block = following
    if not cases:
        c.append(cf.BranchOp(default, *default_args))
    c.block = outer


def convert_return(c: Converter, op: func.ReturnOp) -> None:
    c.append(func.ReturnOp(*_pass(c, op.arguments)))


def _pass(c: Converter, values: Sequence[SSAValue]) -> list[SSAValue]:
    return [c.passable(value) for value in values]


HANDLERS: dict[type, Handler] = {
    cf.BranchOp: convert_branch,
    cf.ConditionalBranchOp: convert_cond_branch,
    cf.SwitchOp: convert_switch,
    func.ReturnOp: convert_return,
}
