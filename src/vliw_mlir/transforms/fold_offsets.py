"""Parts of offsets that do not change become part of where a buffer starts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.buffers import base_buffer
from vliw_mlir.analysis.entry_loads import sharp_ranges
from vliw_mlir.analysis.loops import is_defined_in
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.instrument import Statistics
from vliw_mlir.semantics import WORD_MASK

Part: TypeAlias = "int | SSAValue"
"""What is added to an offset: a constant, or a word that does not change in the loop."""


@dataclass(frozen=True)
class FoldOffsets(ModulePass):
    """Let `buffer[x + c]` be `part[x]`, where `part` is the buffer from the word `c` on.

    An address is the sum of where the buffer starts and an offset; so this saves an addition
    when `c` is a constant, or a word that does not change in the loop around the access: the
    part is taken once, outside. Done if nothing else uses the sum, and if ranges show that it
    does not wrap around, for then the part holds all that is accessed.

    Expects the SSA level. Passes that ask which word of an argument is accessed come before.

    Statistics: `num-folded`, `num-parts`.
    """

    name = "fold-offsets"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                _Folder(func, statistics).run()


class _Folder:
    def __init__(self, func: FuncOp, statistics: Statistics):
        self._func = func
        self._statistics = statistics
        self._ranges = sharp_ranges(func)
        self._parts: dict[tuple[SSAValue, Part], SSAValue] = {}

    def run(self) -> None:
        for op in list(self._func.walk()):
            if isinstance(op, word.AddOp):
                self._fold(op)

    def _fold(self, add: word.AddOp) -> None:
        """Fold one operand of a sum into the buffers of all accesses that use it."""
        accesses = list(_accesses(add))
        if not accesses or None in accesses:
            return
        for part, rest in ((add.rhs, add.lhs), (add.lhs, add.rhs)):
            known = [self._ranges.at(value, add.parent) for value in (part, rest)]
            if sum(value.hi for value in known) > WORD_MASK:
                return
            start = _start(part)
            if all(op is not None and self._is_saved(op, start, rest) for op in accesses):
                for op in accesses:
                    assert op is not None
                    self._use_part(op, start, rest)
                return

    def _is_saved(self, op: word.AccessOp, start: Part, rest: SSAValue) -> bool:
        """Whether the part of the buffer can be taken outside of what repeats the access."""
        if isinstance(start, int) and word.lanes_of(rest.type) is not None:
            return True
        loop = _loop_around(op)
        if loop is None or not is_defined_in(rest, loop):
            return False
        if isinstance(start, int):
            return True
        is_argument = isinstance(op.buffer, BlockArgument)
        return is_argument and start.type == i32 and not is_defined_in(start, loop)

    def _use_part(self, op: word.AccessOp, start: Part, rest: SSAValue) -> None:
        key = (op.buffer, start)
        part = self._parts.get(key)
        if part is None:
            part = self._parts[key] = self._take(op.buffer, start)
            self._statistics.count("num-parts")
        *_, buffer, offset = range(len(op.operands))
        op.operands[buffer], op.operands[offset] = part, rest
        self._statistics.count("num-folded")

    def _take(self, buffer: SSAValue, start: Part) -> SSAValue:
        """The part of a buffer from a word on, as soon as both are there."""
        e = BeforeOp(_first_op_after(buffer if isinstance(start, int) else start))
        size = buffer.type.words if isinstance(buffer.type, word.BufferType) else None
        if isinstance(start, int):
            known = size is not None and start <= size
            words = size - start if known and size is not None else None
            return e.emit(word.SubbufferOp(buffer, e.constant(start), words))
        return e.emit(word.SubbufferOp(buffer, start, None))


def _accesses(add: word.AddOp) -> Iterator[word.AccessOp | None]:
    """The accesses that use a sum as offset in a base object; None for any other use."""
    for use in add.result.uses:
        op = use.operation
        if not isinstance(op, word.AccessOp) or use.index != len(op.operands) - 1:
            yield None
            return
        yield op if op.absolute is None and base_buffer(op.buffer) is op.buffer else None


def _start(value: SSAValue) -> Part:
    """What a value is in every lane, if that is the same; else the value itself."""
    if isinstance(value.owner, word.ConstantOp):
        words = set(value.owner.words())
        return words.pop() if len(words) == 1 else value
    return value.owner.source if isinstance(value.owner, word.BroadcastOp) else value


def _loop_around(op: Operation) -> scf.ForOp | scf.WhileOp | None:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, scf.ForOp | scf.WhileOp | FuncOp):
        parent = parent.parent_op()
    return parent if isinstance(parent, scf.ForOp | scf.WhileOp) else None


def _first_op_after(value: SSAValue) -> Operation:
    """The first operation at which a value is there."""
    owner = value.owner
    following = owner.first_op if isinstance(owner, Block) else owner.next_op
    assert following is not None
    return following
