"""Selections among shared loads in place of lookups in a few words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.boolean_forms import DEFAULT_MAX_TERMS, BooleanForms
from vliw_mlir.analysis.buffers import BufferStores, base_buffer
from vliw_mlir.analysis.entry_loads import sharp_ranges
from vliw_mlir.analysis.word_sets import WordSet
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.errors import CompileError
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.transforms.least_argument import least_argument
from vliw_mlir.transforms.lookups.costs import BlockCosts
from vliw_mlir.transforms.lookups.lookup import Lookup, kept_words
from vliw_mlir.transforms.lookups.selection_trees import Tree, selection_tree
from vliw_mlir.transforms.lookups.shared_loads import SharedLoads

MAX_BOOLEANS = 8
"""The most booleans whose combinations are gone through for one lookup."""

LEFT_VECTORS = 16
"""So many vectors of scratch are left for what looks words up,"""

SCRATCH_SHARE = 4
"""and of the rest, words that are kept for lookups may take one part in so many."""


@dataclass(frozen=True)
class GatherToSelect(ModulePass):
    """Replace gathers and loads that can only give a few words by selections among these.

    The words that an offset leads to are known from its affine form over booleans, whose
    booleans then are the conditions, the oldest one deciding between the leaves; or else from its
    range, the conditions being bits of the offset. They are loaded once for all lookups, as
    vectors where they lie together, as early as no store to their buffer comes between: before
    the loops around if there is none in these.

    A lookup costs slots for loads, selections cost others. Lookups are replaced in the order of
    how many selections they need: in each block as many as bring its resource bound down and as
    scratch has room for, or `limit` in the whole function; with `slack`, more of them if that
    hardly changes the bound. The bound takes it that a selection by
    a boolean is made as `b * (x - y) + y` where that is better.

    Expects the SSA level. Only for arguments and allocations of known size, all words being
    within, so that nothing traps that did not. Lookups with `absolute` addresses stay.

    Statistics: `num-lookups`, `num-selections`, `num-loads`.
    """

    name = "gather-to-select"

    max_words: int = 16
    """The most words among which to select."""
    limit: int = -1
    """How many lookups to replace, those with the fewest selections first and in the order of
    the program; a negative number for what the bound says."""
    slack: int = 0
    """How many percent the bound may exceed the least one, and loads be below it, for fewer loads:
    these cannot begin before the first offset is known, which the bound does not see. Only for
    words that can be loaded before that, as no store of the block comes between."""
    max_terms: int = DEFAULT_MAX_TERMS
    """The most booleans in an affine form."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                _Converter(self, func, statistics).run()


class _Converter:
    def __init__(self, options: GatherToSelect, func: FuncOp, statistics: Statistics):
        self._options = options
        self._func = func
        self._statistics = statistics
        self._target = target_of(func)
        self._ranges = sharp_ranges(func)
        self._forms = BooleanForms(func, self._ranges, options.max_terms)
        self._stores = BufferStores()
        self._replaced: dict[SSAValue, SSAValue] = {}

    def run(self) -> None:
        lookups = [lookup for op in self._func.walk() if (lookup := self._lookup(op))]
        # Sorting keeps the order of the program among equals.
        lookups.sort(key=lambda lookup: lookup.size)
        limit = self._options.limit
        chosen = self._choose_by_bound(lookups) if limit < 0 else lookups[:limit]
        if not chosen:
            return
        loads = SharedLoads(chosen, self._target)
        for lookup in chosen:
            self._replace(lookup, loads)
        self._statistics.count("num-lookups", len(chosen))
        self._statistics.count("num-loads", loads.count)
        # An op may be what others are put in front of: all go at the end.
        for lookup in chosen:
            block = lookup.op.parent
            assert block is not None
            block.erase_op(lookup.op)

    # Finding lookups

    def _lookup(self, op: Operation) -> Lookup | None:
        if isinstance(op, word.GatherOp):
            offset = op.offsets
        elif isinstance(op, word.LoadOp) and op.result.type == i32:
            offset = op.offset
            if isinstance(offset.owner, word.ConstantOp):
                return None
        else:
            return None
        found = self._cases(op, offset)
        if isinstance(found, str):
            remark(op, self._options.name, f"lookup stays: {found}", RemarkKind.MISSED)
            return None
        tree, booleans = found
        base = base_buffer(op.buffer)
        assert base is not None
        return Lookup(op, offset, tree, booleans, self._stores.earliest(op, base))

    def _cases(
        self, op: word.GatherOp | word.LoadOp, offset: SSAValue
    ) -> tuple[Tree, tuple[SSAValue, ...] | None] | str:
        """The tree for a lookup and the booleans it is made of, or why there is none."""
        buffer = op.buffer
        if op.absolute is not None:
            return "its address is absolute"
        if base_buffer(buffer) is not buffer:
            return "its buffer is part of another one"
        size = buffer.type.words if isinstance(buffer.type, word.BufferType) else None
        if size is None:
            return "the size of its buffer is not known"
        known = self._ranges.at(offset, op.parent)
        most = self._options.max_words
        cases = self._cases_by_form(offset, known)
        booleans = None if cases is None else self._booleans(offset)
        if cases is None and known.count <= most:
            members = (value for value in range(known.lo, known.hi + 1) if value in known)
            cases = [(value, value) for value in members]
        if cases is None or len({value for _, value in cases}) > most:
            return f"its offset may be one of {known.count} words"
        if any(value >= size for _, value in cases):
            return "it may be out of bounds"
        return selection_tree(cases), booleans

    def _cases_by_form(self, offset: SSAValue, known: WordSet) -> list[tuple[int, int]] | None:
        """The values of the offset by the masks of its booleans that are 1."""
        form = self._forms.of(offset)
        if (
            form is None
            or len(form.terms) > MAX_BOOLEANS
            or any(boolean.type != offset.type for boolean in self._booleans(offset))
        ):
            return None
        return [(mask, value) for mask, value in enumerate(form.values()) if value in known]

    def _booleans(self, offset: SSAValue) -> tuple[SSAValue, ...]:
        form = self._forms.of(offset)
        numbers = [] if form is None else form.booleans
        return tuple(self._forms.booleans[number] for number in numbers)

    # Choosing among them

    def _choose_by_bound(self, lookups: Sequence[Lookup]) -> list[Lookup]:
        by_block: dict[Block, list[Lookup]] = {}
        for lookup in lookups:
            block = lookup.op.parent
            assert block is not None
            by_block.setdefault(block, []).append(lookup)
        chosen: list[Lookup] = []
        left = LEFT_VECTORS * self._target.vlen
        most = max(self._target.scratch - left, 0) // SCRATCH_SHARE
        for block, candidates in by_block.items():
            try:
                costs = BlockCosts(block, candidates, self._target, self._is_boolean)
            except CompileError:
                # Something of another level is in the block.
                continue
            # Without selections there is nothing to pay for.
            free = sum(lookup.size == 0 for lookup in candidates)
            count = max(free, least_argument(costs.bound, len(candidates)))
            count = self._with_slack(costs, count)
            while count and kept_words([*chosen, *candidates[:count]]) > most:
                count -= 1
            self._explain(candidates, costs, count)
            chosen += candidates[:count]
        return chosen

    def _with_slack(self, costs: BlockCosts, count: int) -> int:
        """How many lookups to replace, given how many give the least bound."""
        slack = self._options.slack / 100
        most_cycles = costs.bound(count) * (1 + slack)
        while (
            slack
            and count < len(costs.lookups)
            and _is_loaded_early(costs.lookups[count])
            and costs.load_share(count) >= 1 - slack
            and costs.bound(count + 1) <= most_cycles
        ):
            count += 1
        return count

    def _is_boolean(self, op: word.SelectOp) -> bool:
        return self._ranges.at(op.condition, op.parent).hi <= 1

    def _explain(self, candidates: Sequence[Lookup], costs: BlockCosts, count: int) -> None:
        def message(lookup: Lookup, verb: str) -> Callable[[], str]:
            return lambda: (
                f"lookup among {len(lookup.words)} words {verb}: {len(lookup.selections)} "
                f"selections against {lookup.lanes or 1} loads; the bound of the block is "
                f"{costs.bound(0):.1f} cycles with no lookup replaced, {costs.bound(count):.1f} "
                f"with {count} of {len(candidates)}, {costs.bound(len(candidates)):.1f} with all"
            )

        for lookup in candidates[:count]:
            remark(lookup.op, self._options.name, message(lookup, "replaced"), RemarkKind.PASSED)
        for lookup in candidates[count:]:
            remark(lookup.op, self._options.name, message(lookup, "stays"), RemarkKind.MISSED)

    # Replacing

    def _replace(self, lookup: Lookup, loads: SharedLoads) -> None:
        e = BeforeOp(lookup.op)
        values: dict[Tree, SSAValue] = {
            offset: loads.value(lookup, offset) for offset in lookup.words
        }
        if lookup.booleans is not None:
            tests = dict(enumerate(map(self._current, lookup.booleans)))
        else:
            offset = self._current(lookup.offset)
            tests = {
                bit: e.function("and", offset, e.splat(1 << bit, offset)) for bit in lookup.bits
            }
        for selection in lookup.selections:
            values[selection] = e.function(
                "select",
                tests[selection.condition],
                values[selection.on_true],
                values[selection.on_false],
            )
        self._statistics.count("num-selections", len(lookup.selections))
        result, value = lookup.op.result, values[lookup.tree]
        if value.name_hint is None:
            value.name_hint = result.name_hint
        self._replaced[result] = value
        result.replace_all_uses_with(value)

    def _current(self, value: SSAValue) -> SSAValue:
        """What stands for a value now: it may be the result of another lookup."""
        return self._replaced.get(value, value)


def _is_loaded_early(lookup: Lookup) -> bool:
    """Whether no store in the lookup's block comes before its words are loaded."""
    block = lookup.op.parent
    assert block is not None
    return lookup.anchor.parent is not block or lookup.anchor is block.first_op
