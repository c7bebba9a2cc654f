"""A dialect with one op and a pass that lowers it, found through an entry point."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.passes import ModulePass
from xdsl.traits import Pure
from xdsl.universe import Universe

from vliw_mlir.dialects.emitter import BeforeOp


@irdl_op_definition
class TwiceOp(IRDLOperation):
    """`%y = example.twice %x`."""

    name = "example.twice"
    source = operand_def(i32)
    result = result_def(i32)
    traits = traits_def(Pure())
    assembly_format: ClassVar = "$source attr-dict"


@dataclass(frozen=True)
class LowerTwice(ModulePass):
    """Replace `example.twice` by a multiplication."""

    name = "lower-twice"

    factor: int = 2
    """What to multiply with."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for twice in [o for o in op.walk() if isinstance(o, TwiceOp)]:
            emitter = BeforeOp(twice)
            product = emitter.function("mul", twice.source, emitter.constant(self.factor))
            twice.result.replace_all_uses_with(product)
            twice.parent_block().erase_op(twice)


UNIVERSE = Universe(
    all_dialects={"example": lambda: Dialect("example", [TwiceOp])},
    all_passes={"lower-twice": lambda: LowerTwice},
)
