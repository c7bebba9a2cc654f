"""Keeping memory cells in registers while a loop runs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.alias import Access, AliasAnalysis, words_within
from vliw_mlir.analysis.execution import is_unconditional, surely_runs
from vliw_mlir.analysis.loops import is_defined_in
from vliw_mlir.analysis.memory_cells import Cluster, clusters, shape_of
from vliw_mlir.analysis.memory_effects import MemoryEffects
from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.errors import op_location
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.transforms.loop_promotion import Promotable, promote_in_loop

MOST_COMPARISONS = 20_000
"""How many pairs of accesses are compared per loop before cells count as not promotable."""

LOOK_BACK = 64
"""How many operations before a loop are searched for an access of the same cell."""


@dataclass(frozen=True)
class PromoteLoopMemory(ModulePass):
    """Keep memory cells in registers over loops: load them before, store them after the loop.

    A cell is a word, or a vector of words, at a place that does not change while the loop runs.
    It is promoted when the loop stores it, and nothing else in the loop may touch it. Its value
    goes through inner loops and branches as what they carry or result in, so that
    `for i { for r { x = load a[i]; …; store y, a[i] } }` loads and stores each `a[i]` once.
    Outer loops come first.

    What is accessed only under a condition stays in memory, unless the cell is known to lie in
    its buffer: the load before the loop must not trap. If it is not known whether the loop runs
    at all, both the load and the store depend on that.

    This is scalar promotion as in LLVM's LICM, with arrays as in scalar replacement (Callahan,
    Carr and Kennedy, "Improving Register Allocation for Subscripted Variables", PLDI 1990).
    Expects the SSA level; leaves loops with blocks of `cf` inside alone.

    Statistics: `num-promoted-cells`.
    """

    name = "promote-loop-memory"

    max_words: int | None = None
    """The most words to keep in registers over one loop; by default half of the scratch."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        limit = self.max_words
        if limit is None:
            limit = target_of(op).scratch // 2
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                run = _Run(AliasAnalysis(func), limit, Statistics(self))
                for block in func.body.blocks:
                    run.block(block)


_NAME = PromoteLoopMemory.name


@dataclass
class _Run:
    analysis: AliasAnalysis
    limit: int
    statistics: Statistics

    def block(self, block: Block) -> None:
        """Promote in the loops of a block, outer ones first."""
        for op in list(block.ops):
            current = op
            if isinstance(op, scf.ForOp | scf.WhileOp):
                current = self.loop(op)
            for region in current.regions:
                for inner in region.blocks:
                    self.block(inner)

    def loop(self, loop: scf.ForOp | scf.WhileOp) -> Operation:
        """Promote cells in a loop; what the loop has become."""
        # Promotion in loops around this one has changed it.
        effects = MemoryEffects(self.analysis).of(loop)
        if effects.opaque is not None or _has_blocks(loop):
            if effects.writes and effects.opaque is not None:
                missed = f"'{effects.opaque.name}' is in the way"
                remark(loop, _NAME, missed, RemarkKind.MISSED)
            return loop
        candidates = _Loop(loop, self.analysis, effects.accesses)
        found = candidates.promotable(self.limit)
        if not found:
            return loop
        self.statistics.count("num-promoted-cells", len(found))
        return promote_in_loop(loop, found, surely_runs=candidates.surely_runs)


def _has_blocks(loop: Operation) -> bool:
    """Whether there is a region of several blocks in a loop."""
    return any(len(region.blocks) > 1 for op in loop.walk() for region in op.regions)


class _Loop:
    """What a loop does with memory."""

    def __init__(
        self,
        loop: scf.ForOp | scf.WhileOp,
        analysis: AliasAnalysis,
        accesses: Sequence[Access],
    ):
        self.loop = loop
        self.analysis = analysis
        self.clusters = clusters(accesses)
        self.surely_runs = surely_runs(loop, analysis.ranges)
        # What may touch the words of a cluster has another shape than the cluster.
        self.others: dict[SSAValue, dict[Hashable, list[Access]]] = {}
        spans = [cluster.span for cluster in self.clusters]
        for access in [*spans, *(access for access in accesses if access.offset is None)]:
            shapes = self.others.setdefault(access.buffer, {})
            shapes.setdefault(shape_of(access), []).append(access)
        self.comparisons = 0

    def promotable(self, limit: int) -> list[Promotable]:
        """Cells that can be promoted, at most `limit` words."""
        found: list[Promotable] = []
        for cluster in self.clusters:
            if not cluster.is_stored or not self._is_invariant(cluster.span):
                continue
            reason = self._obstacle(cluster)
            if reason is not None:
                self._missed(cluster, reason)
                continue
            if cluster.span.words > limit:
                self._missed(cluster, "too many words are kept in registers already")
                continue
            limit -= cluster.span.words
            if_it_runs = not self.surely_runs and not self._is_safe_outside(cluster)
            found.append(Promotable(cluster, if_it_runs))
            op = cluster.accesses[0].op
            remark(op, _NAME, "kept in a register while a loop runs", RemarkKind.PASSED)
        return found

    def _missed(self, cluster: Cluster, reason: str) -> None:
        op = cluster.accesses[0].op
        remark(op, _NAME, f"stays in memory: {reason}", RemarkKind.MISSED)

    def _is_invariant(self, access: Access) -> bool:
        assert access.offset is not None
        values = (access.buffer, *access.offset.terms)
        return not any(is_defined_in(value, self.loop) for value in values)

    def _obstacle(self, cluster: Cluster) -> str | None:
        """Why words have to stay in memory; None if they need not."""
        other = self._overlapping(cluster)
        if other is not None:
            return f"{other} may touch the same words"
        if not self._is_safe_outside(cluster) and not self._is_always_accessed(cluster):
            return "where the loop does not access it, an access might trap"
        return None

    def _is_safe_outside(self, cluster: Cluster) -> bool:
        """Whether the words can be accessed even if the loop does not do so."""
        return self.analysis.is_in_bounds(cluster.span) or _covers(self._accesses_before, cluster)

    def _overlapping(self, cluster: Cluster) -> str | None:
        """What else may touch the words of a cluster, for people; None if nothing does."""
        for buffer, shapes in self.others.items():
            if self.analysis.is_distinct(buffer, cluster.span.buffer):
                continue
            for shape, accesses in shapes.items():
                found = None if shape == cluster.shape else self._first_overlap(cluster, accesses)
                if found is not None:
                    place = op_location(found.op) or "an unknown place"
                    return f"'{found.op.name}' at {place}"
        return None

    def _first_overlap(self, cluster: Cluster, accesses: Sequence[Access]) -> Access | None:
        for access in accesses:
            self.comparisons += 1
            if self.comparisons > MOST_COMPARISONS:
                return access
            if self.analysis.may_overlap(cluster.span, access):
                return access
        return None

    @cached_property
    def _accesses_before(self) -> list[Access]:
        """What is accessed shortly before the loop."""
        found: list[Access] = []
        op = self.loop.prev_op
        for _ in range(LOOK_BACK):
            if op is None:
                break
            if isinstance(op, word.AccessOp):
                found.append(self.analysis.access(op))
            op = op.prev_op
        return found

    def _is_always_accessed(self, cluster: Cluster) -> bool:
        """Whether every iteration accesses all words of a cluster."""
        ranges = self.analysis.ranges
        always = [a for a in cluster.accesses if is_unconditional(a.op, self.loop, ranges)]
        return _covers(always, cluster)


def _covers(accesses: Sequence[Access], cluster: Cluster) -> bool:
    """Whether each word of a cluster is touched by one of `accesses`."""
    touched: set[int] = set()
    for access in accesses:
        if access.offset is not None and shape_of(access) == cluster.shape:
            first = cluster.first_word(access)
            touched.update(range(first, first + words_within(access)))
    return touched.issuperset(range(cluster.span.words))
