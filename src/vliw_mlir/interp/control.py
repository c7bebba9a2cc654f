"""Emitters for control flow: `scf`, and the blocks of a function with `cf` between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from xdsl.dialects import cf, func, scf
from xdsl.ir import Block, Operation, Region, SSAValue

from vliw_mlir.analysis.cfg import successors
from vliw_mlir.errors import fail
from vliw_mlir.interp.codegen import MAX_DEPTH, Code, Emitter, Line, tuple_of


def _for(code: Code, op: scf.ForOp) -> None:
    induction, *carried = op.body.block.args
    for argument, result in zip(carried, op.results, strict=True):
        code.unify(argument, result)
    code.assign(carried, op.iter_args)
    values = f"counted({', '.join(code.names([op.lb, op.ub, op.step]))})"
    with code.indented(f"for {code.name(induction)}, _ in zip({values}, ticks):"):
        code.assign(carried, code.emit_body(op.body.block).operands)


def _while(code: Code, op: scf.WhileOp) -> None:
    before, after = op.before_region.block, op.after_region.block
    for argument, result in zip(after.args, op.results, strict=True):
        code.unify(argument, result)
    code.assign(before.args, op.arguments)
    with code.indented("for _ in ticks:"):
        condition = code.emit_body(before)
        if not isinstance(condition, scf.ConditionOp):
            fail(op, "the first region must end with 'scf.condition'")
        code.assign(op.results, condition.args)
        code.line(f"if not {code.name(condition.condition)}: break")
        code.assign(before.args, code.emit_body(after).operands)


def _if(code: Code, op: scf.IfOp) -> None:
    with code.indented(f"if {code.name(op.cond)}:"):
        code.assign(op.results, code.emit_body(op.true_region.block).operands)
    if op.false_region.blocks:
        with code.indented("else:"):
            code.assign(op.results, code.emit_body(op.false_region.block).operands)


def _execute_region(code: Code, op: scf.ExecuteRegionOp) -> None:
    entry = op.region.blocks[0]
    if isinstance(entry.last_op, scf.YieldOp):
        code.assign(op.results, code.emit_body(entry).operands)
    else:
        code.outline(op, _blocks_of_region)


def _blocks_of_region(code: Code, op: scf.ExecuteRegionOp) -> None:
    emit_blocks(code, op.region)


def _call(code: Code, op: func.CallOp) -> None:
    fail(op, f"call of '{op.callee.string_value()}': calls must be inlined first")


EMITTERS: dict[type[Operation], Emitter] = {
    scf.ForOp: _for,
    scf.WhileOp: _while,
    scf.IfOp: _if,
    scf.ExecuteRegionOp: _execute_region,
    func.CallOp: _call,
}


def emit_blocks(code: Code, region: Region) -> None:
    """Emit the body of a Python function that returns what the region returns or yields.

    A block that one branch alone enters is written in place of that branch. Every other
    block gets a number, and a loop runs the block of the current number until the return.
    """
    _Blocks(code, region).emit()


class _Blocks:
    """The blocks of one region."""

    _numbered: list[Block]
    """Blocks that several branches enter, by their number."""
    _numbers: dict[Block, int]

    def __init__(self, code: Code, region: Region):
        self._code = code
        self._entry = region.blocks[0]
        self._entrances = Counter(s for block in region.blocks for s in successors(block))
        self._numbered = [self._entry]
        self._numbers = {self._entry: 0}

    def emit(self) -> None:
        bodies: list[list[Line]] = []
        # Emitting a body may number further blocks.
        for block in self._numbered:
            with self._code.apart() as body:
                self._chain(block)
            bodies.append(body)
        if len(bodies) == 1 and not self._entrances[self._entry]:
            self._code.splice(bodies[0])
            return
        self._code.line("block = 0")
        with self._code.indented("for _ in ticks:"):
            self._dispatch(bodies, 0)

    def _dispatch(self, bodies: Sequence[list[Line]], first: int) -> None:
        """Choose among the bodies of the blocks numbered from `first` by bisection."""
        if len(bodies) == 1:
            self._code.splice(bodies[0])
            return
        half = len(bodies) // 2
        with self._code.indented(f"if block < {first + half}:"):
            self._dispatch(bodies[:half], first)
        with self._code.indented("else:"):
            self._dispatch(bodies[half:], first + half)

    def _chain(self, block: Block) -> None:
        """Emit `block` and the blocks it leads to that need no number."""
        following: Block | None = block
        while following is not None:
            terminator = self._code.emit_body(following)
            with self._code.at(terminator):
                following = self._leave(terminator)

    def _leave(self, terminator: Operation) -> Block | None:
        """Emit `terminator`; the result is a block to be emitted right behind it, if any."""
        match terminator:
            case func.ReturnOp() | scf.YieldOp():
                self._code.line(f"return {tuple_of(self._code.names(terminator.operands))}")
            case cf.BranchOp():
                return self._enter(terminator.successor, terminator.arguments)
            case cf.ConditionalBranchOp():
                self._branch(terminator)
            case _:
                fail(
                    terminator,
                    f"'{terminator.name}' cannot end a block at the tensor or SSA level; "
                    "run convert-std-to-kernel first",
                )
        return None

    def _branch(self, op: cf.ConditionalBranchOp) -> None:
        sides = (
            (f"if {self._code.name(op.cond)}:", op.then_block, op.then_arguments),
            ("else:", op.else_block, op.else_arguments),
        )
        for header, target, arguments in sides:
            with self._code.indented(header):
                inline = self._enter(target, arguments)
                if inline is not None:
                    self._chain(inline)

    def _enter(self, target: Block, arguments: Sequence[SSAValue]) -> Block | None:
        """Pass arguments to `target`, and go there unless it can follow right here."""
        self._code.assign(target.args, arguments)
        if self._entrances[target] == 1 and target is not self._entry and self._is_shallow():
            return target
        if target not in self._numbers:
            self._numbers[target] = len(self._numbered)
            self._numbered.append(target)
        self._code.line(f"block = {self._numbers[target]}")
        return None

    def _is_shallow(self) -> bool:
        return self._code.depth < MAX_DEPTH
