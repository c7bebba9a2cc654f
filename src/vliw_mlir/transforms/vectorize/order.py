"""An order in which the operations of an iteration can be done for several iterations at once.

What is used before it is computed, as the iteration before has computed it, must come first
then. A cycle is a true recurrence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.dialects import word
from vliw_mlir.transforms.vectorize.recurrences import Previous, Recurrence, Scan
from vliw_mlir.transforms.vectorize.shapes import Illegal

Step: TypeAlias = Operation | Scan | Previous
"""Something to be done for all iterations at once: an operation, or finding out what each
iteration gets from those before it."""


def steps_of(
    loop: scf.ForOp, recurrences: Sequence[Recurrence], aliases: AliasAnalysis
) -> list[Step]:
    """The steps of the body of `loop` in an order that is possible, its terminator aside.

    Raises `Illegal` if there is none. Linear in the number of operations.
    """
    ops = list(loop.body.block.ops)[:-1]
    awaited = [r for r in recurrences if isinstance(r, Scan | Previous)]
    return _Order(loop, awaited, ops, aliases).steps() if awaited else list(ops)


class _Order:
    def __init__(
        self,
        loop: scf.ForOp,
        awaited: Sequence[Scan | Previous],
        ops: Sequence[Operation],
        aliases: AliasAnalysis,
    ):
        self._sources: dict[SSAValue, Step] = {}
        """What has to be done for the value to be there."""
        done: set[Operation] = set()
        for op in ops:
            self._sources.update(dict.fromkeys(op.results, op))
        for step in awaited:
            self._sources[loop.body.block.args[1 + step.number]] = step
            if isinstance(step, Scan):
                self._sources[step.chain[-1].result] = step
                done.update(step.done)
        self._steps: list[Step] = [*(op for op in ops if op not in done), *awaited]
        self._positions = {step: n for n, step in enumerate([*ops, *awaited])}
        self._earlier_accesses = _earlier_accesses(ops, aliases)

    def steps(self) -> list[Step]:
        """Depth-first, each step behind what it needs, else in the order of the program."""
        order: dict[Step, None] = {}
        for step in self._steps:
            self._visit(step, order)
        return list(order)

    def _visit(self, root: Step, order: dict[Step, None]) -> None:
        path: dict[Step, Iterator[Step]] = {}
        pending = [root]
        while pending:
            step = pending[-1]
            if step in order:
                pending.pop()
                continue
            if step not in path:
                path[step] = iter(self._needs(step))
            needed = next((n for n in path[step] if n not in order), None)
            if needed is None:
                path.pop(step)
                pending.pop()
                order[step] = None
            elif needed in path:
                raise Illegal(f"carried value {self._number(path)} depends on itself")
            else:
                pending.append(needed)

    def _number(self, path: dict[Step, Iterator[Step]]) -> int:
        return next(step.number for step in path if isinstance(step, Scan | Previous))

    def _needs(self, step: Step) -> list[Step]:
        """What has to be done before `step`, in the order of the program."""
        match step:
            case Scan():
                values = step.inputs
            case Previous():
                values = [step.value]
            case _:
                values = [value for op in step.walk() for value in op.operands]
        needed = {self._sources[value] for value in values if value in self._sources}
        if isinstance(step, Operation):
            needed.update(self._earlier_accesses.get(step, ()))
            needed.discard(step)
        return sorted(needed, key=self._positions.__getitem__)


def _earlier_accesses(
    ops: Sequence[Operation], aliases: AliasAnalysis
) -> dict[Operation, list[Operation]]:
    """For each op that accesses memory, those that it must stay behind.

    Accesses of buffers that never overlap can change places, others only if both read.
    """
    accesses = [
        (op, [aliases.access(inner) for inner in op.walk() if isinstance(inner, word.AccessOp)])
        for op in ops
    ]
    roots = list(dict.fromkeys(access.buffer for _, found in accesses for access in found))
    known = all(aliases.is_distinct(a, b) for a, b in combinations(roots, 2))
    last_writes: dict[SSAValue | None, Operation] = {}
    reads_since: dict[SSAValue | None, list[Operation]] = {}
    needed: dict[Operation, list[Operation]] = {}
    for op, found in accesses:
        for access in found:
            place = access.buffer if known else None
            before = needed.setdefault(op, [])
            if place in last_writes:
                before.append(last_writes[place])
            if not access.writes:
                reads_since.setdefault(place, []).append(op)
                continue
            before += reads_since.pop(place, [])
            last_writes[place] = op
    return needed
