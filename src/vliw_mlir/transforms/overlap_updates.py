"""Overlapping updates of words of memory that may or may not be the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.alias import Alias, AliasAnalysis
from vliw_mlir.analysis.bounds import function_work, straight_line_work
from vliw_mlir.analysis.resource_bound import Work, resource_bound
from vliw_mlir.analysis.update_chains import Update, update_chains
from vliw_mlir.dialects.emitter import AfterOp, BeforeOp, Emitter
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.semantics import REDUCTIONS
from vliw_mlir.target import Target
from vliw_mlir.transforms.rewriting import move_before, uniform_constant
from vliw_mlir.transforms.vectorize.lanes import combine_all

MOST_DELAYED = 4
"""The most stores that wait for later loads."""

MOST_LEFT = 0.9
"""The most that may be left of the time that a block takes."""


@dataclass(frozen=True)
class OverlapUpdates(ModulePass):
    """Let updates of memory begin before those ahead of them have ended, although they may go to
    the same words: `bins[i] += x; bins[j] += y` loads both words at first, and adds `x` to the
    second one as well if `i` is `j`.

    A chain of updates of one buffer, one after the other by the same associative and
    commutative function, has to wait for a load, the function and a store each time. Here each
    store is delayed behind the loads of the next few updates, which take what it would have
    added to their words by comparing offsets. Stores keep their order, so that the last one to
    a word has the sum of all.

    This is run-time disambiguation (Nicolau, "Run-Time Disambiguation: Coping with Statically
    Unpredictable Dependencies", IEEE Trans. Computers, 1989) by values instead of branches. It is
    done where a chain is what takes longest in a block, by the resource bound with the work added.
    Expects the SSA level, its loops unrolled; looks at one block at a time, and takes linear time.

    Statistics: `num-overlapped`.
    """

    name = "overlap-updates"

    delay: int | None = None
    """How many later loads stores wait for, 0 for none; by cost if it is left out."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        statistics = Statistics(self)
        for func in op.ops:
            if not isinstance(func, FuncOp) or func.is_declaration:
                continue
            aliases = AliasAnalysis(func)
            for block in list(func.walk_blocks()):
                chains = update_chains(block, aliases)
                if not chains:
                    continue
                costs = _Costs(block, target)
                for chain in chains:
                    delay = costs.best_delay(chain) if self.delay is None else self.delay
                    if delay > 0:
                        _overlap(chain, delay, aliases)
                        statistics.count("num-overlapped", len(chain))
                        message = f"{len(chain)} updates overlap, {delay + 1} at a time"
                        remark(chain[0].load, _NAME, message, RemarkKind.PASSED)


_NAME = OverlapUpdates.name


# Costs


class _Costs:
    """Estimates for one block."""

    def __init__(self, block: Block, target: Target):
        self._target = target
        self._work = straight_line_work(block.ops, target)

    def best_delay(self, chain: Sequence[Update]) -> int:
        """How many later loads a store should wait for; 0 if that gains too little."""
        cycles = [self._cycles(chain, delay) for delay in range(MOST_DELAYED + 1)]
        best = min(range(len(cycles)), key=cycles.__getitem__)
        return best if cycles[best] < MOST_LEFT * cycles[0] else 0

    def _cycles(self, chain: Sequence[Update], delay: int) -> float:
        """Cycles of the block. In the chain a load waits for the store of the last update that
        is not compared with, and each store for the one before."""
        path = chain[0].cycles(self._target)
        work = Work(self._work)
        for function in ("eq", "mul", chain[0].op.function.name):
            once = function_work(self._target, function, vector=False)
            work.update({ways: n * delay * len(chain) for ways, n in once.items()})
        slots = resource_bound(+work, self._target.slots).cycles
        return max(slots, path + (len(chain) - 1) * max(path / (delay + 1), 1))


# Rewriting


def _overlap(chain: Sequence[Update], delay: int, aliases: AliasAnalysis) -> None:
    """Let each store wait for `delay` later loads."""
    values: list[SSAValue] = []
    for number, update in enumerate(chain):
        values.append(update.value)
        first = max(number - delay, 0)
        before = zip(chain[first:number], values[first:number], strict=True)
        _combine(update, list(before), aliases)
    last = chain[-1].store
    for number, update in enumerate(chain[:-1]):
        later = number + delay
        # Behind the last load, stores only follow each other.
        move_before(update.store, chain[later].op if later < len(chain) else last)


def _combine(
    update: Update, before: Sequence[tuple[Update, SSAValue]], aliases: AliasAnalysis
) -> None:
    """Combine the word that an update loads with what those `before` it, whose stores it does
    not see, have combined theirs with if it is the same."""
    function = update.op.function.name
    loaded = update.load.result
    here = AfterOp(update.load) if update.is_seen else BeforeOp(update.op)
    missed = [_if_same(update, other, value, aliases, here) for other, value in before]
    parts = [value for value in missed if value is not None]
    if not parts:
        return
    if not update.is_seen:
        update.op.operands = [loaded, combine_all(here, function, [update.value, *parts])]
        return
    users = list(loaded.uses)
    word_there = here.function(function, loaded, combine_all(here, function, parts))
    for use in users:
        use.operation.operands[use.index] = word_there


def _if_same(
    update: Update, other: Update, value: SSAValue, aliases: AliasAnalysis, e: Emitter
) -> SSAValue | None:
    """The value of another update if both are of the same word, else the neutral element; None
    if they never are."""
    relation = aliases.relation(aliases.access(update.load), aliases.access(other.load))
    if relation is Alias.NO:
        return None
    if relation is Alias.MUST:
        return value
    is_same = e.function("eq", update.load.offset, other.load.offset)
    neutral = REDUCTIONS[update.op.function.name]
    if neutral == 0:
        return is_same if uniform_constant(value) == 1 else e.function("mul", is_same, value)
    return e.function("select", is_same, value, e.constant(neutral))
