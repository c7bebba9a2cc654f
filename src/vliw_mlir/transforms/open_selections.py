"""Leaving open how selections are done."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.bounds import function_work, open_select_ways, straight_line_work
from vliw_mlir.analysis.cfg import block_of
from vliw_mlir.analysis.costs import function_cycles
from vliw_mlir.analysis.ranges import Ranges
from vliw_mlir.analysis.resource_bound import Work, resource_bound
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.errors import CompileError
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.target import Target
from vliw_mlir.target.encodings import alternatives
from vliw_mlir.transforms.dead_code import eliminate_dead_code
from vliw_mlir.transforms.evenly import evenly
from vliw_mlir.transforms.least_argument import least_argument
from vliw_mlir.transforms.reassociation.places import Place, Places
from vliw_mlir.transforms.rewriting import replace_op


@dataclass(frozen=True)
class OpenSelections(ModulePass):
    """Give selections by booleans the difference of what they select from.

    `select(p, a, b)` becomes `select_by_difference(p, a, b, a - b)`, which instruction
    selection and scheduling may do as `multiply_add(p, a - b, b)`, on another engine. The
    difference is computed where both values are known, before the loops around if it can be,
    and once for all selections between the same two values.

    Differences that many selections share come first; in each block as many are added as
    bring its resource bound down. Expects the SSA level, and runs late: other passes know
    `select` only. Takes about linear time.

    Statistics: `num-opened`, `num-differences`.
    """

    name = "open-selections"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for function in op.ops:
            if isinstance(function, FuncOp) and not function.is_declaration:
                _Opener(function, statistics).run()


_NAME = OpenSelections.name


@dataclass(eq=False)
class _Pair:
    """Selections in one block between the same two values."""

    place: Place
    """The loops around the place where the difference is computed."""
    selections: list[word.SelectOp] = field(default_factory=list[word.SelectOp])


def _rank(pair: _Pair) -> tuple[int, int]:
    return pair.place.depth, -len(pair.selections)


def _spread(pairs: list[_Pair], count: int) -> list[_Pair]:
    """The first `count` pairs, those of the last rank among them from all over the block: where
    many selections together have no choice, they wait for one engine."""
    if count == 0:
        return []
    last = _rank(pairs[count - 1])
    better = [pair for pair in pairs if _rank(pair) < last]
    equal = [pair for pair in pairs if _rank(pair) == last]
    return better + evenly(equal, count - len(better))


class _Opener:
    def __init__(self, function: FuncOp, statistics: Statistics):
        self._function = function
        self._statistics = statistics
        self._target = target_of(function)
        self._ranges = Ranges(function)
        self._places = Places()

    def run(self) -> None:
        pairs = self._pairs()
        for block, found in pairs.items():
            found.sort(key=_rank)
            try:
                costs = _Costs(block, found, self._places.of(block), self._target)
            except CompileError:
                # Something of another level is in the block.
                continue
            count = least_argument(costs.bound, len(found))
            opened = dict.fromkeys(_spread(found, count))
            for pair in opened:
                self._open(pair)
            for pair in found:
                if pair in opened:
                    continue
                for op in pair.selections:
                    remark(op, _NAME, "the difference would cost more than it saves", _MISSED)
        eliminate_dead_code(self._function.body)

    def _pairs(self) -> dict[Block, list[_Pair]]:
        pairs: dict[Block, dict[tuple[SSAValue, SSAValue], _Pair]] = {}
        for op in self._function.walk():
            if not isinstance(op, word.SelectOp) or not self._has_choice(op):
                continue
            block = op.parent
            assert block is not None
            key = op.on_true, op.on_false
            found = pairs.setdefault(block, {})
            if key not in found:
                found[key] = _Pair(max(map(self._place, key), key=lambda place: place.depth))
            found[key].selections.append(op)
        return {block: list(found.values()) for block, found in pairs.items()}

    def _has_choice(self, op: word.SelectOp) -> bool:
        """Whether the machine has a multiply-add for `op`, and the condition is a boolean."""
        vector = word.lanes_of(op.result.type) is not None
        products = alternatives(self._target, "multiply_add", vector=vector)
        return bool(products) and self._ranges.at(op.condition, op.parent).hi <= 1

    def _place(self, value: SSAValue) -> Place:
        return self._places.of(block_of(value))

    def _open(self, pair: _Pair) -> None:
        first = pair.selections[0]
        around = self._places.of(first.parent).loops
        anchor = around[pair.place.depth] if pair.place.depth < len(around) else first
        difference = BeforeOp(anchor).function("sub", first.on_true, first.on_false)
        self._statistics.count("num-differences")
        for op in pair.selections:
            remark(op, _NAME, "may be done by a multiply-add", RemarkKind.PASSED)
            opened = word.SelectByDifferenceOp(op.condition, op.on_true, op.on_false, difference)
            replace_op(op, [BeforeOp(op).emit(opened)])
            self._statistics.count("num-opened")


_MISSED = RemarkKind.MISSED


class _Costs:
    """The resource bound of a block by how many of its pairs have a difference."""

    def __init__(self, block: Block, pairs: list[_Pair], place: Place, target: Target):
        self._pairs = pairs
        self._place = place
        self._target = target
        selections: set[Operation] = {op for pair in pairs for op in pair.selections}
        self._rest = straight_line_work((op for op in block.ops if op not in selections), target)

    def bound(self, count: int) -> float:
        """Cycles of the block and of the differences of its first `count` pairs, in all runs."""
        work, outside = Work(self._rest), 0.0
        for number, pair in enumerate(self._pairs):
            vector = word.lanes_of(pair.selections[0].result.type) is not None
            each = function_work(self._target, "select", vector=vector)
            if number < count:
                each = Work({open_select_ways(self._target, vector=vector): 1})
                if pair.place.depth < self._place.depth:
                    cycles = function_cycles(self._target, "sub", vector=vector)
                    outside += pair.place.runs[-1] * cycles
                else:
                    work.update(function_work(self._target, "sub", vector=vector))
            for ways, items in each.items():
                work[ways] += items * len(pair.selections)
        return outside + self._place.runs[-1] * resource_bound(work, self._target.slots).cycles
