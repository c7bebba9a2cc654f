"""Removal of what no effect depends on, loop-carried values included.

Mark and sweep: everything starts dead, and what effects and the results of the function depend
on is marked. So a carried value that is only used to compute itself is never marked. Linear in
the number of operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from xdsl.dialects import scf
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.traits import (
    IsTerminator,
    MemoryEffect,
    MemoryReadEffect,
    NoMemoryEffect,
    RecursiveMemoryEffect,
)

from vliw_mlir.analysis.cfg import terminator
from vliw_mlir.dialects import word

Slot = tuple[Operation, str, int]
"""One of the values that a loop or branch hands on: the operation, its kind and its number."""

CARRIED, PASSED = "carried", "passed"
"""Kinds of slots. Carried: what a loop takes from one iteration to the next. Passed: the results
of `scf.if`, and what the condition of `scf.while` passes to the body and to the results. The
results of `scf.for` are its carried values."""


def eliminate_dead_code(region: Region) -> int:
    """Erase the operations in `region` that nothing depends on; how many there were.

    An operation that may trap, a loop that may not end and an allocation go too when their
    results are not used. Loops and branches lose the results, and loops the carried values, that
    nothing depends on; each counts as one.
    """
    liveness = _Liveness(region)
    structured = [op for op in liveness.ops if _structure_of(type(op)) is not None]
    # What is handed on by name goes first: then all other uses come after their definition.
    dropped = [_drop_operands(op, liveness) for op in structured]
    erased = sum(_sweep(block, liveness) for block in region.blocks)
    for op, (args, results) in zip(structured, dropped, strict=True):
        _drop_arguments(op, args)
        if results:
            _rebuild(op, results)
    return erased + sum(len(args) + len(results) for args, results in dropped)


_ENDS = (scf.YieldOp, scf.ConditionOp)
"""The terminators that hand on single values."""

_STRUCTURES = (scf.ForOp, scf.WhileOp, scf.IfOp)


@cache
def _structure_of(op_type: type[Operation]) -> type[Operation] | None:
    """Which structured operation this is, None for any other."""
    return next((s for s in _STRUCTURES if issubclass(op_type, s)), None)


@cache
def has_effects(op_type: type[Operation]) -> bool:
    """Whether an operation of this type does more than to give results, regions aside.

    Terminators count, except those of structured control flow, which hand on single values.
    """
    if issubclass(op_type, (word.AllocOp, *_ENDS)):
        return False
    traits = op_type.traits.traits
    effects = [t for t in traits if isinstance(t, MemoryEffect)]
    harmless = (NoMemoryEffect, MemoryReadEffect, RecursiveMemoryEffect)
    return (
        not effects
        or any(isinstance(t, IsTerminator) for t in traits)
        or not all(isinstance(t, harmless) for t in effects)
    )


class _Liveness:
    """The operations and slots that something depends on."""

    ops: dict[Operation, None]
    """A set, in a fixed order."""
    slots: set[Slot]

    def __init__(self, region: Region):
        self.ops = {}
        self.slots = set()
        self._function = region.parent
        self._values: list[SSAValue] = []
        for op in region.walk():
            if has_effects(type(op)):
                self._mark(op)
            while self._values:
                self._mark_value(self._values.pop())

    def _mark(self, op: Operation) -> None:
        """Mark an operation and those around it."""
        current: Operation | None = op
        while current is not None and current is not self._function and current not in self.ops:
            self.ops[current] = None
            self._need_operands(current)
            current = current.parent_op()

    def _need_operands(self, op: Operation) -> None:
        structure = _structure_of(type(op))
        if structure is None:
            self._values += op.operands
            self._need_ends(op)
        elif structure is scf.ForOp:
            self._values += op.operands[:3]
        elif structure is scf.IfOp:
            self._values += op.operands[:1]
        else:
            self._values += terminator(op.regions[0]).operands[:1]

    def _need_ends(self, op: Operation) -> None:
        """Take all that the regions of an operation hand on as needed."""
        for region in op.regions:
            for block in region.blocks:
                if block.last_op is not None:
                    self._mark(block.last_op)

    def _mark_value(self, value: SSAValue) -> None:
        # Not isinstance: it is slow for abstract classes, and this runs for each operand.
        if type(value) is OpResult:
            op = value.op
            self._mark(op)
            structure = _structure_of(type(op))
            if structure is not None:
                kind = CARRIED if structure is scf.ForOp else PASSED
                self._mark_slot(op, kind, value.index)
            return
        assert isinstance(value, BlockArgument)
        op = value.block.parent_op()
        if isinstance(op, scf.ForOp) and value.index > 0:
            self._mark_slot(op, CARRIED, value.index - 1)
        elif isinstance(op, scf.WhileOp):
            in_before = value.block.parent is op.before_region
            self._mark_slot(op, CARRIED if in_before else PASSED, value.index)

    def _mark_slot(self, op: Operation, kind: str, number: int) -> None:
        slot = (op, kind, number)
        if slot not in self.slots:
            self.slots.add(slot)
            self._values += _sources(op, kind, number)


def _sources(op: Operation, kind: str, number: int) -> Sequence[SSAValue]:
    """The values that reach a slot."""
    match op:
        case scf.ForOp():
            return (op.operands[3 + number], terminator(op.body).operands[number])
        case scf.WhileOp() if kind == CARRIED:
            return (op.operands[number], terminator(op.after_region).operands[number])
        case scf.WhileOp():
            return (terminator(op.before_region).operands[1 + number],)
        case _:
            return [terminator(region).operands[number] for region in op.regions if region.blocks]


def _drop_operands(op: Operation, liveness: _Liveness) -> tuple[list[int], list[int]]:
    """Hand on nothing for dead slots; the numbers of the dead carried values and results.

    The carried values of `scf.for` count as results.
    """

    def dead(kind: str, count: int) -> list[int]:
        return [i for i in range(count) if (op, kind, i) not in liveness.slots]

    match op:
        case scf.ForOp():
            results = dead(CARRIED, len(op.results))
            _remove_operands(op, results, 3)
            _remove_operands(terminator(op.body), results)
            return [], results
        case scf.WhileOp():
            carried, results = dead(CARRIED, len(op.operands)), dead(PASSED, len(op.results))
            _remove_operands(op, carried)
            _remove_operands(terminator(op.after_region), carried)
            _remove_operands(terminator(op.before_region), results, 1)
            return carried, results
        case _:
            results = dead(PASSED, len(op.results))
            for region in op.regions:
                if region.blocks:
                    _remove_operands(terminator(region), results)
            return [], results


def _remove_operands(op: Operation, numbers: Sequence[int], first: int = 0) -> None:
    if numbers:
        removed = {first + number for number in numbers}
        op.operands = [v for i, v in enumerate(op.operands) if i not in removed]


def _drop_arguments(op: Operation, carried: Sequence[int]) -> None:
    if isinstance(op, scf.WhileOp):
        block = op.before_region.block
        for number in reversed(carried):
            block.erase_arg(block.args[number])


def _rebuild(op: Operation, dead: Sequence[int]) -> None:
    """Replace `op` by one without the results `dead`."""
    match op:
        case scf.ForOp():
            body: Block | None = op.body.block
            first = 1
        case scf.WhileOp():
            body, first = op.after_region.block, 0
        case _:
            body, first = None, 0
    if body is not None:
        for number in reversed(dead):
            body.erase_arg(body.args[first + number])
    kept = [r for r in op.results if r.index not in set(dead)]
    types: list[Attribute] = [r.type for r in kept]
    regions = [op.detach_region(region) for region in tuple(op.regions)]
    new = type(op).create(
        operands=tuple(op.operands),
        result_types=types,
        properties=op.properties,
        attributes=op.attributes,
        location=op.location,
        regions=regions,
    )
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)
    for old, result in zip(kept, new.results, strict=True):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    block.erase_op(op)


def _sweep(block: Block, liveness: _Liveness) -> int:
    """Erase the dead operations in `block`, last first; how many there were."""
    erased = 0
    op = block.last_op
    while op is not None:
        before = op.prev_op
        if op in liveness.ops:
            erased += sum(_sweep(b, liveness) for region in op.regions for b in region.blocks)
        elif type(op) not in _ENDS:
            erased += 1
            # Its users are dead, too; in a block that is still to be swept, they are there yet.
            block.erase_op(op, safe_erase=False)
        op = before
    return erased
