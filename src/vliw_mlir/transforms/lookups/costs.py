"""What replacing lookups does to the resource bound of their block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Block

from vliw_mlir.analysis.bounds import broadcast_ways, function_work, straight_line_work
from vliw_mlir.analysis.resource_bound import Work, resource_bound
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
    _rest: Work = field(init=False)
    """Everything else in the block."""
    _bounds: dict[int, float] = field(init=False, default_factory=dict[int, float])

    def __post_init__(self) -> None:
        replaced = {lookup.op for lookup in self.lookups}
        others = (op for op in self.block.ops if op not in replaced)
        self._rest = straight_line_work(others, self.target)

    def bound(self, count: int) -> float:
        """Cycles with the first `count` lookups replaced."""
        if count not in self._bounds:
            self._bounds[count] = self._compute(count)
        return self._bounds[count]

    def _compute(self, count: int) -> float:
        work = Counter(self._rest)
        work.update(self._loads(self.lookups[:count]))
        for lookup in self.lookups[:count]:
            work.update(_selection_work(lookup, self.target))
        work.update(straight_line_work((x.op for x in self.lookups[count:]), self.target))
        return resource_bound(work, self.target.slots).cycles

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
        ways = list(alternatives(target, "select", vector=vector))
        if lookup.booleans is not None:
            ways += _arithmetic_ways(
                target, vector, needs_difference=not selection.is_between_leaves
            )
        if ways:
            work[tuple(sorted(ways))] += 1
        else:
            work.update(function_work(target, "select", vector=vector))
    for _ in lookup.bits:
        work.update(function_work(target, "and", vector=vector))
    return work


def _arithmetic_ways(target: Target, vector: bool, needs_difference: bool) -> list[Usage]:
    """Ways to do `b * (x - y) + y`; the difference of words loaded before costs nothing here."""
    ways = list(alternatives(target, "multiply_add", vector=vector))
    if not needs_difference:
        return ways
    differences = alternatives(target, "sub", vector=vector)
    return [_together(way, difference) for way in ways for difference in differences]


def _together(a: Usage, b: Usage) -> Usage:
    return tuple(sorted((Counter(dict(a)) + Counter(dict(b))).items()))


def least_argument(function: Callable[[int], float], last: int) -> int:
    """The least argument in `0..last` at which a convex function is least."""
    low, high = 0, last
    while low < high:
        middle = (low + high) // 2
        if function(middle + 1) < function(middle) - 1e-6:
            low = middle + 1
        else:
            high = middle
    return low
