"""Letting a loop carry what it stores in one iteration and loads in a later one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.affine import Affine
from vliw_mlir.analysis.alias import Access, AliasAnalysis
from vliw_mlir.analysis.cfg import terminator
from vliw_mlir.analysis.dependence import SAME, DependenceTest, accesses_of
from vliw_mlir.analysis.execution import surely_runs
from vliw_mlir.analysis.loops import (
    constant_bounds,
    constant_signed,
    counter_of,
    is_defined_in,
    loops_in,
)
from vliw_mlir.analysis.memory_cells import accessed_type, shape_of
from vliw_mlir.analysis.memory_effects import MemoryEffects
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp, Emitter
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.transforms.places import Place
from vliw_mlir.transforms.promotion import with_more_results
from vliw_mlir.transforms.run_guard import RunGuard

LONGEST_STEP = 1 << 16
"""The most words between what two iterations access, one after the other, so that no two of a
few iterations meet because offsets wrap around."""


@dataclass(frozen=True)
class ForwardRecurrences(ModulePass):
    """Replace a load of what an earlier iteration of the same loop has stored by a value that
    the loop carries: in `for i { a[i] = f(a[i - 1], a[i - 2]) }` both loads go.

    The load and the store are executed in every iteration, the store a known number of
    iterations before the load, and nothing writes the words in between. What the first
    iterations load is loaded before the loop, where that is known not to trap.

    This is scalar replacement of recurrences (Callahan, Carr and Kennedy, "Improving Register
    Allocation for Subscripted Variables", PLDI 1990). Expects the SSA level. Makes loops carry
    values: what can be vectorized should be so before.

    Statistics: `num-forwarded-loads`.
    """

    name = "forward-recurrences"

    max_distance: int = 4
    """The most iterations between the store and the load, each of which takes a register."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for func in op.ops:
            if not isinstance(func, FuncOp) or func.is_declaration:
                continue
            analysis = AliasAnalysis(func)
            for loop in reversed(loops_in(func.body)):
                for recurrence in _recurrences(loop, analysis, self.max_distance):
                    statistics.count("num-forwarded-loads", len(recurrence.loads))
                    loop = _forward(loop, recurrence, analysis)


_NAME = ForwardRecurrences.name


@dataclass
class _Recurrence:
    """Loads of what one store has stored some iterations before."""

    store: Access
    loads: dict[word.LoadOp, int]
    """How many iterations before."""
    step: int
    """Words between what two iterations store, one after the other."""
    guarded: bool
    """What the first iterations load can be loaded before the loop only if it runs."""

    @property
    def distance(self) -> int:
        return max(self.loads.values())

    def initial(self, loop: scf.ForOp, before: int, analysis: AliasAnalysis) -> Access:
        """The words that an iteration `before` the first one would have stored."""
        offset, counter = self.store.offset, counter_of(loop)
        assert offset is not None
        start = analysis.forms.of(loop.lb).scaled(offset.coefficient(counter))
        form = offset.without(counter) + start + Affine(-before * self.step)
        return Access(self.store.op, False, self.store.buffer, form, self.store.words)


def _recurrences(loop: scf.ForOp, analysis: AliasAnalysis, most: int) -> list[_Recurrence]:
    """The recurrences of a loop whose loads can all be replaced."""
    candidates = _Candidates(loop, analysis)
    found: dict[Operation, _Recurrence] = {}
    for load in candidates.loads:
        step = candidates.words_per_iteration(load)
        source = candidates.source(load, step, most)
        if source is None:
            continue
        store, distance = source
        assert isinstance(load.op, word.LoadOp)
        recurrence = found.setdefault(store.op, _Recurrence(store, {}, step, False))
        recurrence.loads[load.op] = distance
    return [recurrence for recurrence in found.values() if candidates.can_start(recurrence)]


class _Candidates:
    """The accesses of one loop."""

    def __init__(self, loop: scf.ForOp, analysis: AliasAnalysis):
        self.loop = loop
        self.analysis = analysis
        self.step = constant_signed(loop.step) or 0
        self.loads: list[Access] = []
        """The loads of words that move from one iteration to the next."""
        self.stores: dict[Hashable, list[Access]] = {}
        """The stores of such words, by place."""
        self.effects = MemoryEffects(analysis).of(loop)
        if self.effects.opaque is not None:
            return
        for op in loop.body.block.ops:
            if isinstance(op, word.LoadOp | word.StoreOp):
                self._add(analysis.access(op))

    def _add(self, access: Access) -> None:
        if not access.words <= abs(self.words_per_iteration(access)) <= LONGEST_STEP:
            return
        if not access.writes:
            self.loads.append(access)
            return
        self.stores.setdefault(self._place(access, 0), []).append(access)

    def words_per_iteration(self, access: Access) -> int:
        """By how many words an access moves from one iteration to the next; 0 if not known."""
        if access.offset is None:
            return 0
        counter = counter_of(self.loop)
        others = (access.buffer, *access.offset.without(counter).terms)
        if any(is_defined_in(value, self.loop) for value in others):
            return 0
        return access.offset.coefficient(counter) * self.step

    def _place(self, access: Access, distance: int) -> Hashable:
        """What equal accesses have in common whose offset is `distance` words larger."""
        assert access.offset is not None
        offset = access.offset + Affine(distance)
        return shape_of(access), offset.constant, accessed_type(access)

    def source(self, load: Access, step: int, most: int) -> tuple[Access, int] | None:
        """The store that a load gets its words from, and how many iterations before it is."""
        for distance in range(1, most + 1):
            stores = self.stores.get(self._place(load, distance * step))
            if stores is not None:
                # Of several in an iteration, the last one counts.
                is_source = not self._may_be_written(load, stores, distance)
                return (stores[-1], distance) if is_source else None
        return None

    def _may_be_written(self, load: Access, stores: Sequence[Access], distance: int) -> bool:
        """Whether other writes than `stores`, less than about `distance` iterations before,
        may go to the words of a load."""
        test = DependenceTest(self.analysis, [self.loop])
        (loaded,) = accesses_of([load.op], self.analysis)
        known = {store.op for store in stores}
        others = [a.op for a in self.effects.accesses if a.writes and a.op not in known]
        for group in accesses_of(others, self.analysis):
            if not test.is_pair(group, loaded):
                continue
            if test.nearest(group, loaded, distance + 1) is not None:
                return True
            if test.may_meet(group, loaded, [SAME]):
                return True
        # Allocations are no accesses for the test.
        return any(
            isinstance(op, word.AllocOp) and not self.analysis.is_distinct(op.result, load.buffer)
            for op in others
        )

    def can_start(self, recurrence: _Recurrence) -> bool:
        """Whether what the first iterations load can be loaded before the loop, if it runs."""
        bounds = constant_bounds(self.loop)
        runs = surely_runs(self.loop, self.analysis.ranges)
        trips = int(runs) if bounds is None else bounds.trips
        for before in range(1, recurrence.distance + 1):
            if self.analysis.is_in_bounds(recurrence.initial(self.loop, before, self.analysis)):
                continue
            # Some iteration loads it, the earlier the better.
            iteration = min(k - before for k in recurrence.loads.values() if k >= before)
            if iteration < trips:
                continue
            if iteration > 0 or bounds is not None:
                reason = "what is loaded first might not be there"
                remark(recurrence.store.op, _NAME, f"not carried: {reason}", RemarkKind.MISSED)
                return False
            recurrence.guarded = True
        return True


def _forward(loop: scf.ForOp, recurrence: _Recurrence, analysis: AliasAnalysis) -> scf.ForOp:
    """Let the loop carry what a store has stored; what the loop has become."""
    store = recurrence.store
    type = accessed_type(store)

    def load_initial(emitter: Emitter) -> list[SSAValue]:
        values: list[SSAValue] = []
        for before in range(1, recurrence.distance + 1):
            offset = recurrence.initial(loop, before, analysis).offset
            assert offset is not None
            values.append(Place.of(store.buffer, offset, emitter).load(emitter, 0, type))
        return values

    if recurrence.guarded:
        initial = RunGuard(loop).values([type] * recurrence.distance, load_initial)
    else:
        initial = load_initial(BeforeOp(loop))
    body = loop.body.block
    carried = [body.insert_arg(type, len(body.args)) for _ in initial]
    for op, distance in recurrence.loads.items():
        remark(op, _NAME, f"carried over {distance} iteration(s)", RemarkKind.PASSED)
        carried[distance - 1].name_hint = op.result.name_hint
        op.result.replace_all_uses_with(carried[distance - 1])
        body.erase_op(op)
    end = terminator(loop.body)
    assert isinstance(store.op, word.StoreOp)
    end.operands = [*end.operands, store.op.value, *carried[:-1]]
    new = with_more_results(loop, initial, initial)
    assert isinstance(new, scf.ForOp)
    return new
