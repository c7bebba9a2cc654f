"""Lanes of their own for chains of lookups, so that none waits for the others."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.bounds import function_work, straight_line_work
from vliw_mlir.analysis.cfg import block_of, blocks_of_functions
from vliw_mlir.analysis.latencies import latency
from vliw_mlir.analysis.resource_bound import resource_bound
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.errors import CompileError
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.target import Target
from vliw_mlir.transforms.rewriting import replace_op

LEAST_GAIN = 0.1
"""By what part of the cycles a block has to get shorter."""


@dataclass(frozen=True)
class ScalarizeLookupChains(ModulePass):
    """Compute lane by lane what leads from one gather to the next.

    The lanes of a gather are loaded one after the other. As vectors, those that come first wait
    for the last ones before anything goes on; on their own, each goes on at once, and the loads
    of some lanes run beside the arithmetic of others. In return a vector operation becomes one
    per lane. This is done in blocks whose longest path gets shorter by more than what the slots
    for all that work take.

    Expects the SSA level; comes late, after unrolling. Takes linear time.

    Statistics: `num-scalarized` counts vector operations.
    """

    name = "scalarize-lookup-chains"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target, statistics = target_of(op), Statistics(self)
        for block in blocks_of_functions(op):
            _scalarize_in(block, target, statistics)


_NAME = ScalarizeLookupChains.name


def _scalarize_in(block: Block, target: Target, statistics: Statistics) -> None:
    chain = _chain(block)
    if not chain:
        return
    try:
        cycles = max(_slots(block, target, ()), _path(block, target, ()))
        scalar = max(_slots(block, target, chain), _path(block, target, chain))
    except (CompileError, ValueError):
        # Something of another level is in the block, or the machine lacks what lanes need.
        return
    if scalar > (1 - LEAST_GAIN) * cycles:
        return
    first = next(iter(chain))
    message = f"{len(chain)} operations lane by lane: {scalar:.0f} cycles instead of {cycles:.0f}"
    remark(first, _NAME, message, RemarkKind.PASSED)
    statistics.count("num-scalarized", len(chain))
    lanes = _Lanes()
    for op in chain:
        lanes.scalarize(op)
    lanes.replace()


def _chain(block: Block) -> dict[Operation, None]:
    """The operations on the way from one gather of a block to another, gathers included."""
    behind: set[Operation] = set()
    for op in block.ops:
        follows = _is_lane_wise(op) and any(value.owner in behind for value in _vectors(op))
        if follows or isinstance(op, word.GatherOp):
            behind.add(op)
    before: set[SSAValue] = set()
    for op in reversed(list(block.ops)):
        leads_on = _is_lane_wise(op) and op.results[0] in before
        if leads_on or isinstance(op, word.GatherOp):
            before.update(_vectors(op))
    between = {op for op in behind if op.results[0] in before}
    # The last gather of a chain belongs to it, too; one by itself does not.
    return {
        op: None
        for op in block.ops
        if op in between
        or (isinstance(op, word.GatherOp) and any(v.owner in between for v in _vectors(op)))
    }


def _is_lane_wise(op: Operation) -> bool:
    if isinstance(op, word.GatherOp):
        return True
    return isinstance(op, word.ArithmeticOp) and word.lanes_of(op.result.type) is not None


def _vectors(op: Operation) -> list[SSAValue]:
    return [value for value in op.operands if word.lanes_of(value.type) is not None]


def _path(block: Block, target: Target, chain: Collection[Operation]) -> int:
    """Cycles of the longest path through a block, if `chain` is computed lane by lane."""
    ends: dict[SSAValue, int] = {}
    longest = 0
    for op in block.ops:
        end = max((ends.get(value, 0) for value in op.operands), default=0)
        end += latency(op, target)
        if isinstance(op, word.GatherOp) and op not in chain:
            end += _loads_in_turn(op, target) - 1
        longest = max(longest, end)
        ends.update(dict.fromkeys(op.results, end))
    return longest


def _loads_in_turn(op: word.GatherOp, target: Target) -> int:
    """Cycles in which the lanes of a gather are loaded."""
    slots = sum(target.slots[engine] for engine in target.engines_for("load"))
    return -(-(word.lanes_of(op.result.type) or 1) // max(slots, 1))


def _slots(block: Block, target: Target, chain: Collection[Operation]) -> float:
    """Cycles that the slots for a block take, if `chain` is computed lane by lane."""
    work = straight_line_work((op for op in block.ops if op not in chain), target)
    for op in chain:
        if isinstance(op, word.GatherOp):
            work.update(straight_line_work([op], target))
            continue
        assert isinstance(op, word.ArithmeticOp)
        lanes = word.lanes_of(op.result.type) or 1
        for ways, count in function_work(target, op.function.name, vector=False).items():
            work[ways] += count * lanes
    return resource_bound(work, target.slots).cycles


class _Lanes:
    """The lanes of vectors as words."""

    def __init__(self) -> None:
        self._words: dict[SSAValue, list[SSAValue]] = {}
        """What is known to be in the lanes of vectors."""
        self._done: list[Operation] = []

    def scalarize(self, op: Operation) -> None:
        """Compute the lanes of what `op` computes in front of it."""
        (result,) = op.results
        e = BeforeOp(op)
        vectors = [self._lanes(value, e) for value in _vectors(op)]
        self._words[result] = [
            self._word(op, list(lanes), e) for lanes in zip(*vectors, strict=True)
        ]
        self._done.append(op)

    def _word(self, op: Operation, operands: list[SSAValue], e: BeforeOp) -> SSAValue:
        if isinstance(op, word.ArithmeticOp):
            return e.function(op.function.name, *operands)
        assert isinstance(op, word.GatherOp)
        load = word.LoadOp(op.buffer, operands[0])
        load.absolute = op.absolute
        return e.emit(load)

    def _lanes(self, value: SSAValue, e: BeforeOp) -> list[SSAValue]:
        if value not in self._words:
            count = word.lanes_of(value.type) or 0
            owner = value.owner
            if isinstance(owner, word.BroadcastOp):
                self._words[value] = [owner.source] * count
            elif isinstance(owner, word.ConstantOp):
                constants = {lane: e.constant(lane) for lane in dict.fromkeys(owner.words())}
                self._words[value] = [constants[lane] for lane in owner.words()]
            else:
                self._words[value] = [e.emit(word.ExtractOp(value, n)) for n in range(count)]
        return self._words[value]

    def replace(self) -> None:
        """Put words for vectors, the last ones first; a vector is made where one is needed."""
        for op in reversed(self._done):
            (result,) = op.results
            if not result.uses:
                block_of(op.results[0]).erase_op(op)
                continue
            vector = BeforeOp(op).emit(word.FromElementsOp(self._words[result]))
            vector.name_hint = result.name_hint
            replace_op(op, [vector])
