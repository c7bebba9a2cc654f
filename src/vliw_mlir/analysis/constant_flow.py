"""Which values are constants, following only what can be reached given that.

Sparse conditional constant propagation (Wegman and Zadeck, "Constant Propagation with
Conditional Branches", TOPLAS 1991), over blocks and structured control flow. Values are taken
for constants until something else is found, so that a constant goes around a loop which does
not change it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, TypeAlias

from xdsl.dialects import cf, scf
from xdsl.ir import Block, Operation, Region, SSAValue

from vliw_mlir.analysis.cfg import edges, terminator
from vliw_mlir.analysis.loops import Bounds
from vliw_mlir.dialects import word
from vliw_mlir.semantics import SIGN_BIT, to_signed

VARIES: Final = "varies"
"""The state of a value that may not be a constant."""

State: TypeAlias = tuple[int, ...] | str | None
"""What is known of a value: its words, `VARIES`, or None if it is never computed."""


class ConstantFlow:
    """The constants among the values of a function of the SSA level.

    Takes time linear in the number of uses, or nearly so for loops that carry many values.
    """

    reached: set[Block]
    """The blocks that may run."""

    def __init__(self, region: Region):
        self.reached = set()
        self._states: dict[SSAValue, State] = {}
        self._pending: deque[Operation] = deque()
        self._is_pending: set[Operation] = set()
        if region.first_block is not None:
            self._reach(region.first_block, [VARIES] * len(region.first_block.args))
        while self._pending:
            op = self._pending.popleft()
            self._is_pending.remove(op)
            _handler(type(op))(self, op)

    def of(self, value: SSAValue) -> State:
        """What is known of a value."""
        return self._states.get(value)

    def all_of(self, values: Sequence[SSAValue]) -> list[State]:
        """What is known of each of the values."""
        return [self._states.get(value) for value in values]

    def constants(self) -> list[tuple[SSAValue, tuple[int, ...]]]:
        """The values that are constants, and their words."""
        return [(v, state) for v, state in self._states.items() if isinstance(state, tuple)]

    def add(self, values: Sequence[SSAValue], states: Sequence[State]) -> None:
        """Note that each value may be what a state says."""
        for value, state in zip(values, states, strict=True):
            old = self._states.get(value)
            if state is None or old in (state, VARIES):
                continue
            self._states[value] = state if old is None else VARIES
            for use in value.uses:
                self.visit_again(use.operation)

    def visit_again(self, op: Operation) -> None:
        """Look at an operation again, if it may run."""
        if op.parent in self.reached and op not in self._is_pending:
            self._is_pending.add(op)
            self._pending.append(op)

    def enter(self, region: Region, states: Sequence[State]) -> None:
        """Note that a region may run, with arguments that may be what the states say."""
        if region.first_block is not None:
            self._reach(region.first_block, states)

    def _reach(self, block: Block, states: Sequence[State]) -> None:
        self.add(block.args, states)
        if block in self.reached:
            return
        self.reached.add(block)
        for op in block.ops:
            self.visit_again(op)

    def branch(self, op: cf.BranchOp | cf.ConditionalBranchOp) -> None:
        ways = edges(op)
        if isinstance(op, cf.ConditionalBranchOp):
            ways = [
                way for way, taken in zip(ways, _truths(self.of(op.cond)), strict=True) if taken
            ]
        for block, arguments in ways:
            self._reach(block, self.all_of(arguments))


# Structured control flow


def _truths(condition: State) -> tuple[bool, bool]:
    """Whether a condition may hold, and whether it may not."""
    if isinstance(condition, tuple):
        return condition != (0,), condition == (0,)
    return condition == VARIES, condition == VARIES


def _for(flow: ConstantFlow, op: scf.ForOp) -> None:
    states = flow.all_of((op.lb, op.ub, op.step))
    if None in states:
        return
    is_repeated = True
    may_run = may_skip = True
    known = [to_signed(state[0]) for state in states if isinstance(state, tuple)]
    if len(known) == len(states):
        bounds = Bounds(*known)
        may_run = bounds.low < bounds.high
        may_skip = not may_run
        is_repeated = not bounds.high <= bounds.low + bounds.step < SIGN_BIT
    initial = flow.all_of(op.iter_args)
    if may_skip:
        flow.add(op.results, initial)
    if not may_run:
        return
    flow.enter(op.body, [VARIES if is_repeated else states[0], *initial])
    carried = flow.all_of(terminator(op.body).operands)
    flow.add(op.results, carried)
    if is_repeated:
        flow.add(op.body.block.args[1:], carried)


def _while(flow: ConstantFlow, op: scf.WhileOp) -> None:
    flow.enter(op.before_region, flow.all_of(op.arguments))
    if op.after_region.block in flow.reached:
        carried = flow.all_of(terminator(op.after_region).operands)
        flow.add(op.before_region.block.args, carried)
    condition = terminator(op.before_region)
    assert isinstance(condition, scf.ConditionOp)
    goes_on, ends = _truths(flow.of(condition.condition))
    passed = flow.all_of(condition.args)
    if goes_on:
        flow.enter(op.after_region, passed)
    if ends:
        flow.add(op.results, passed)


def _if(flow: ConstantFlow, op: scf.IfOp) -> None:
    regions = (op.true_region, op.false_region)
    for region, is_taken in zip(regions, _truths(flow.of(op.cond)), strict=True):
        if is_taken and region.blocks:
            flow.enter(region, ())
            flow.add(op.results, flow.all_of(terminator(region).operands))


def _execute_region(flow: ConstantFlow, op: scf.ExecuteRegionOp) -> None:
    flow.enter(op.region, ())
    for block in op.region.blocks:
        if block in flow.reached and isinstance(block.last_op, scf.YieldOp):
            flow.add(op.results, flow.all_of(block.last_op.operands))


def _end_of_region(flow: ConstantFlow, op: Operation) -> None:
    parent = op.parent_op()
    assert parent is not None
    flow.visit_again(parent)


def _other(flow: ConstantFlow, op: Operation) -> None:
    flow.add(op.results, [VARIES] * len(op.results))
    for region in op.regions:
        for block in region.blocks[:1]:
            flow.enter(region, [VARIES] * len(block.args))


# Words


def _computed(flow: ConstantFlow, op: Operation) -> None:
    """An operation on words: a constant if all operands are."""
    operands = flow.all_of(op.operands)
    if None in operands:
        return
    known = [state for state in operands if isinstance(state, tuple)]
    result = _COMPUTE[_computed_type(type(op))](op, known) if len(known) == len(operands) else None
    flow.add(op.results, [VARIES if result is None else result])


def _arithmetic(op: word.ArithmeticOp, operands: list[tuple[int, ...]]) -> State:
    try:
        return tuple(op.function.scalar(*lanes) for lanes in zip(*operands, strict=True))
    except ZeroDivisionError:
        return None


def _select(flow: ConstantFlow, op: word.SelectOp) -> None:
    condition = flow.of(op.condition)
    if isinstance(condition, tuple) and len(set(map(bool, condition))) == 1:
        flow.add(op.results, [flow.of(op.on_true if condition[0] else op.on_false)])
    elif condition is not None:
        _computed(flow, op)


def _extract(op: word.ExtractOp, operands: list[tuple[int, ...]]) -> State:
    return (operands[0][op.lane.value.data],)


def _join(op: Operation, operands: list[tuple[int, ...]]) -> State:
    return tuple(lane for words in operands for lane in words)


def _broadcast(op: word.BroadcastOp, operands: list[tuple[int, ...]]) -> State:
    return operands[0] * (word.lanes_of(op.result.type) or 1)


_COMPUTE: dict[type[Operation], Callable[[Any, list[tuple[int, ...]]], State]] = {
    word.ArithmeticOp: _arithmetic,
    word.ConstantOp: lambda op, operands: op.words(),
    word.TestOp: lambda op, operands: (int(operands[0][0] != 0),),
    word.BroadcastOp: _broadcast,
    word.ExtractOp: _extract,
    word.FromElementsOp: _join,
}

_HANDLERS: dict[type[Operation], Callable[[ConstantFlow, Any], None]] = {
    scf.ForOp: _for,
    scf.WhileOp: _while,
    scf.IfOp: _if,
    scf.ExecuteRegionOp: _execute_region,
    scf.YieldOp: _end_of_region,
    scf.ConditionOp: _end_of_region,
    cf.BranchOp: ConstantFlow.branch,
    cf.ConditionalBranchOp: ConstantFlow.branch,
    word.SelectOp: _select,
    **dict.fromkeys(_COMPUTE, _computed),
}


@cache
def _computed_type(op_type: type[Operation]) -> type[Operation]:
    return next(base for base in op_type.__mro__ if base in _COMPUTE)


@cache
def _known_type(op_type: type[Operation]) -> type[Operation]:
    """The type of operations by which one of a type is handled; itself if there is none."""
    return next((base for base in op_type.__mro__ if base in _HANDLERS), op_type)


def _handler(op_type: type[Operation]) -> Callable[[ConstantFlow, Any], None]:
    return _HANDLERS.get(_known_type(op_type), _other)
