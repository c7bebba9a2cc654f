"""What is done lane by lane with the words of strided accesses, and what that costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Block

from vliw_mlir.analysis.bounds import function_work, straight_line_work
from vliw_mlir.analysis.resource_bound import Work
from vliw_mlir.dialects import word
from vliw_mlir.target import Target
from vliw_mlir.target.encodings import alternatives
from vliw_mlir.transforms.strided.groups import Strided, StridedGroup
from vliw_mlir.transforms.strided.products import SharedProduct, shared_product


@dataclass
class SplitPlan:
    """How a group of accesses is split."""

    group: StridedGroup
    scalarized: list[word.ArithmeticOp] = field(default_factory=list[word.ArithmeticOp])
    """What is done lane by lane, with the words of accesses where they are."""
    products: list[SharedProduct] = field(default_factory=list[SharedProduct])
    """What is computed lane by lane in the place of gathers."""
    moved: int = 0
    """How many accesses are left of which words are moved into or out of vectors."""


class Planner:
    """Finds ways to split groups of accesses of one block."""

    def __init__(self, block: Block, target: Target):
        self._block = block
        self._target = target
        self._vlen = target.vlen

    def plans(self, group: StridedGroup) -> Iterator[SplitPlan]:
        """Ways to split a group: with one operation for each access done lane by lane instead of
        moving words, and with several if that takes the place of moves."""
        plan = self._plan(group, several=False)
        yield plan
        if plan.moved:
            yield self._plan(group, several=True)

    def work(self, plan: SplitPlan) -> tuple[Work, Work]:
        """The work of a group and of what is done with it lane by lane, before and after."""
        group = plan.group
        replaced = [op for product in plan.products for op in product.replaced]
        before = straight_line_work([*group.ops, *plan.scalarized, *replaced], self._target)
        after: Work = Counter()
        by_lane = [op.function.name for op in plan.scalarized] + ["mul"] * len(plan.products)
        for function in by_lane:
            scalar = function_work(self._target, function, vector=False)
            after.update({ways: count * self._vlen for ways, count in scalar.items()})
        self._add(after, ("|", "add_imm"), plan.moved * self._vlen)
        vectors, singles = self._accesses(group)
        names = ("vstore", "store") if group.stores else ("vload", "load")
        self._add(after, names[:1], vectors)
        self._add(after, names[1:], singles)
        address = function_work(self._target, "add", vector=False)
        after.update({ways: n * (vectors + singles) for ways, n in address.items()})
        return before, after

    def _plan(self, group: StridedGroup, *, several: bool) -> SplitPlan:
        """A plan with one operation done lane by lane for each access, or `several`."""
        plan = SplitPlan(group)
        scalarized: dict[word.ArithmeticOp, None] = {}
        for op, words in zip(group.ops, group.words, strict=True):
            if _is_consecutive(words):
                continue
            partners = self._partners(op)
            if partners is None:
                plan.moved += 1
            elif product := self._product(op, partners):
                plan.products.append(product)
            elif (several or len(partners) < 2) and self._are_scalar(partners):
                scalarized.update(dict.fromkeys(partners))
            else:
                plan.moved += 1
        plan.scalarized = list(scalarized)
        return plan

    def _partners(self, op: Strided) -> list[word.ArithmeticOp] | None:
        """What uses the vector of a gather, or computes that of a scatter; None if something
        else is done with it, so that it has to be there as a whole."""
        if isinstance(op, word.GatherOp):
            users = dict.fromkeys(use.operation for use in op.result.uses)
            # A lane that is taken out may be anywhere.
            others = [user for user in users if not isinstance(user, word.ExtractOp)]
        elif op.values.has_one_use():
            others = [op.values.owner]
        else:
            return None
        partners = [
            other
            for other in others
            if isinstance(other, word.ArithmeticOp) and other.parent is self._block
        ]
        return partners if len(partners) == len(others) else None

    def _product(self, op: Strided, partners: Sequence[word.ArithmeticOp]) -> SharedProduct | None:
        """What can be computed lane by lane in the place of a gather, instead of all its users."""
        if not isinstance(op, word.GatherOp) or len(partners) < 2 or not self._is_scalar("mul"):
            return None
        return shared_product(op.result, partners)

    def _are_scalar(self, ops: Sequence[word.ArithmeticOp]) -> bool:
        return all(self._is_scalar(op.function.name) for op in ops)

    def _is_scalar(self, function: str) -> bool:
        """Whether the scalar form of a function runs where moves do."""
        ways = alternatives(self._target, function, vector=False)
        return any(((engine, 1),) in ways for engine in self._target.engines_for("|"))

    def _accesses(self, group: StridedGroup) -> tuple[int, int]:
        """How many accesses of vectors and of words are left."""
        if not group.stores:
            return _windows(group.numbers, self._vlen), 0
        lengths = [len(run) for run in _runs(group.numbers)]
        vectors = sum(length // self._vlen for length in lengths)
        return vectors, sum(lengths) - vectors * self._vlen

    def _add(self, work: Work, mnemonics: Sequence[str], count: int) -> None:
        ways = [((e, 1),) for name in mnemonics for e in self._target.engines_for(name)]
        if count:
            work[tuple(sorted(ways))] += count


def _is_consecutive(words: Sequence[int]) -> bool:
    return all(number == words[0] + lane for lane, number in enumerate(words))


def _runs(numbers: Sequence[int]) -> list[list[int]]:
    """Sorted numbers, consecutive ones together."""
    runs: list[list[int]] = []
    for number in numbers:
        if not runs or number != runs[-1][-1] + 1:
            runs.append([])
        runs[-1].append(number)
    return runs


def _windows(numbers: Sequence[int], vlen: int) -> int:
    """How many vectors are needed to hold words with the numbers given, sorted."""
    windows, end = 0, None
    for number in numbers:
        if end is None or number >= end:
            windows += 1
            end = number + vlen
    return windows
