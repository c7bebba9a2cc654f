"""Constants in place of arguments whose value the caller promises."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.passes import ModulePass

from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import interface_of, kernel_function
from vliw_mlir.instrument import RemarkKind, Statistics, remark


@dataclass(frozen=True)
class SpecializeArguments(ModulePass):
    """Use a constant for each scalar argument of the kernel that is declared to have one value.

    The declarations are `vliw.value`, and a `vliw.range` of one word; the loader checks them
    before each run. The argument stays, unused, so that the caller sees no difference. Expects
    the tensor or the SSA level.

    Statistics: `num-arguments`.
    """

    name = "specialize-arguments"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        func = kernel_function(op)
        entry = func.body.blocks[0]
        for arg, declared in zip(entry.args, interface_of(func).arguments, strict=False):
            value = declared.value
            if value is None and declared.range and declared.range[0] == declared.range[1]:
                value = declared.range[0]
            if value is None or arg.type != i32 or not arg.uses or entry.first_op is None:
                continue
            constant = word.ConstantOp(value)
            constant.location = func.location
            constant.result.name_hint = arg.name_hint
            arg.replace_all_uses_with(constant.result)
            entry.insert_op_before(constant, entry.first_op)
            statistics.count("num-arguments")
            remark(func, self.name, f"argument {arg.index} is always {value}", RemarkKind.PASSED)
