"""What replacing lookups does to the resource bound of their block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Block

from vliw_mlir.analysis.bounds import (
    broadcast_ways,
    function_work,
    open_select_ways,
    straight_line_work,
)
from vliw_mlir.analysis.cfg import block_of
from vliw_mlir.analysis.resource_bound import Bound, Work, resource_bound
from vliw_mlir.dialects import word
from vliw_mlir.target import Target
from vliw_mlir.target.encodings import Usage, alternatives
from vliw_mlir.transforms.lookups.lookup import Lookup, needed_words
from vliw_mlir.transforms.lookups.shared_loads import plan_loads


@dataclass
class BlockCosts:
    """The resource bound of a block when its first lookups are replaced."""

    block: Block
    lookups: Sequence[Lookup]
    target: Target
    is_boolean: Callable[[word.SelectOp], bool]
    """Whether the condition of a selection is 0 or 1."""
    _rest: Work = field(init=False)
    """Everything else in the block."""
    _bounds: dict[int, Bound] = field(init=False, default_factory=dict[int, Bound])

    def __post_init__(self) -> None:
        replaced = {lookup.op for lookup in self.lookups}
        others = [op for op in self.block.ops if op not in replaced]
        selections = [op for op in others if isinstance(op, word.SelectOp)]
        rest = (op for op in others if not isinstance(op, word.SelectOp))
        self._rest = straight_line_work(rest, self.target)
        for op in selections:
            self._rest.update(self._present_selection(op))

    def bound(self, count: int) -> float:
        """Cycles with the first `count` lookups replaced."""
        return self._bound(count).cycles

    def load_share(self, count: int) -> float:
        """The part of these cycles in which all slots for loads are taken."""
        bound = self._bound(count)
        engines = self.target.engines_for("load")
        taken = sum(bound.used.get(engine, 0.0) for engine in engines)
        slots = sum(self.target.slots[engine] for engine in engines)
        return taken / (slots * bound.cycles) if bound.cycles else 0.0

    def _bound(self, count: int) -> Bound:
        if count not in self._bounds:
            self._bounds[count] = self._compute(count)
        return self._bounds[count]

    def _compute(self, count: int) -> Bound:
        work = Counter(self._rest)
        work.update(self._loads(self.lookups[:count]))
        for lookup in self.lookups[:count]:
            work.update(_selection_work(lookup, self.target))
        work.update(straight_line_work((x.op for x in self.lookups[count:]), self.target))
        return resource_bound(work, self.target.slots)

    def _present_selection(self, op: word.SelectOp) -> Work:
        arms = op.on_true, op.on_false
        return _selection(
            self.target,
            vector=word.lanes_of(op.result.type) is not None,
            boolean=self.is_boolean(op),
            needs_difference=any(block_of(arm) is self.block for arm in arms),
        )

    def _loads(self, lookups: Iterable[Lookup]) -> Work:
        """Loading and broadcasting the words, if that happens in the block itself."""
        here = [lookup for lookup in lookups if lookup.anchor.parent is self.block]
        work: Work = Work()
        for (_, buffer), offsets in needed_words(here).items():
            work[_ways(self.target, "load")] += len(plan_loads(buffer, offsets, self.target))
        broadcasts = needed_words(lookup for lookup in here if lookup.lanes)
        work[broadcast_ways(self.target)] += sum(map(len, broadcasts.values()))
        return +work


def _ways(target: Target, mnemonic: str) -> tuple[Usage, ...]:
    return tuple(sorted(((engine, 1),) for engine in target.engines_for(mnemonic)))


def _selection_work(lookup: Lookup, target: Target) -> Work:
    vector = lookup.lanes is not None
    work: Work = Work()
    for selection in lookup.selections:
        work.update(
            _selection(
                target,
                vector=vector,
                boolean=lookup.booleans is not None,
                needs_difference=not selection.is_between_leaves,
            )
        )
    for _ in lookup.bits:
        work.update(function_work(target, "and", vector=vector))
    return work


def _selection(target: Target, *, vector: bool, boolean: bool, needs_difference: bool) -> Work:
    """One selection; by a boolean it may be done as `b * (x - y) + y`.

    The difference costs nothing here if it can be computed before.
    """
    if not boolean:
        return function_work(target, "select", vector=vector)
    ways = set(open_select_ways(target, vector=vector))
    if needs_difference:
        ways = set(alternatives(target, "select", vector=vector))
        differences = alternatives(target, "sub", vector=vector)
        products = alternatives(target, "multiply_add", vector=vector)
        ways |= {_together(way, difference) for way in products for difference in differences}
    return (
        Work({tuple(sorted(ways)): 1}) if ways else function_work(target, "select", vector=vector)
    )


def _together(a: Usage, b: Usage) -> Usage:
    return tuple(sorted((Counter(dict(a)) + Counter(dict(b))).items()))
