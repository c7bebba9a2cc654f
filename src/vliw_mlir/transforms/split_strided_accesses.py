"""Scalar accesses in the place of gathers and scatters of words at known distances."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.affine import Affine
from vliw_mlir.analysis.alias import AliasAnalysis, is_opaque
from vliw_mlir.analysis.bounds import function_work, straight_line_work
from vliw_mlir.analysis.lane_forms import LaneForms
from vliw_mlir.analysis.resource_bound import Work, resource_bound
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp, Emitter
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.semantics import to_signed
from vliw_mlir.target import Target
from vliw_mlir.target.encodings import alternatives
from vliw_mlir.transforms.places import materialize
from vliw_mlir.transforms.rewriting import replace_op, uniform_constant
from vliw_mlir.transforms.vectorize.lanes import lanes_of

SHARE_OF_WAITING = 0.25
"""The part of the time for loads and stores in which nothing else can be done: values have to be
there before they are used, and computed before they are stored."""

Strided: TypeAlias = word.GatherOp | word.ScatterOp


@dataclass(frozen=True)
class SplitStridedAccesses(ModulePass):
    """Access the words of gathers and scatters one by one, where `vectorize-accesses` can then
    access many of them at once.

    Gathers of words at known distances, such as those of the rows of an array whose columns
    are vectors, may together load all words of some vectors. The words of each are then lanes
    of loaded vectors. An operation that is the only user of a gather is done lane by lane: its
    scalar form takes the words where they are, so that nothing has to be moved. Likewise for
    scatters that together store all words of some vectors, and what computes their values.

    This is done for groups of accesses, between others that may touch the same words, by which
    the resource bound of the block becomes lower, counting a part of the time for accesses in
    addition. Expects the SSA level; near linear in the
    number of operations.

    Statistics: `num-split`, `num-scalarized`.
    """

    name = "split-strided-accesses"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        statistics = Statistics(self)
        for func in op.ops:
            if not isinstance(func, FuncOp) or func.is_declaration:
                continue
            finder = _Finder(AliasAnalysis(func), LaneForms())
            for block in list(func.walk_blocks()):
                groups = finder.groups(block)
                if groups:
                    _Splitter(block, target, statistics).run(groups)


_NAME = SplitStridedAccesses.name


# Groups


@dataclass
class _Group:
    """Gathers or scatters of the same buffer at offsets that differ by known numbers, with
    nothing in between that may touch their words."""

    ops: list[Strided] = field(default_factory=list[Strided])
    words: list[list[int]] = field(default_factory=list[list[int]])
    """For each op and lane, the constant part of the offset, signed."""
    base: Affine = field(default_factory=Affine)
    """What the offsets have in common."""

    @property
    def stores(self) -> bool:
        return isinstance(self.ops[0], word.ScatterOp)

    @property
    def numbers(self) -> list[int]:
        """All words, in order."""
        return sorted({number for words in self.words for number in words})

    @property
    def is_distinct(self) -> bool:
        """Whether no word occurs twice."""
        return len(self.numbers) == sum(map(len, self.words))


_Key: TypeAlias = tuple[SSAValue, bool, bool, frozenset[tuple[SSAValue, int]]]
"""The buffer, whether accesses are absolute and whether they store, the terms of offsets."""


class _Finder:
    def __init__(self, aliases: AliasAnalysis, forms: LaneForms):
        self._aliases = aliases
        self._forms = forms

    def groups(self, block: Block) -> list[_Group]:
        """The groups in a block."""
        found: list[_Group] = []
        open_groups: dict[_Key, _Group] = {}
        for op in block.ops:
            if op.regions or is_opaque(type(op)) or isinstance(op, word.AllocOp):
                open_groups.clear()
            if not isinstance(op, word.AccessOp):
                continue
            key, words = self._key(op)
            for other in [k for k in open_groups if k != key and self._is_barrier(op, k)]:
                del open_groups[other]
            if key is None:
                continue
            group = open_groups.get(key)
            if group is None:
                group = open_groups[key] = _Group(base=Affine(0, dict(key[3])))
                found.append(group)
            assert isinstance(op, word.GatherOp | word.ScatterOp)
            group.ops.append(op)
            group.words.append(words)
        return found

    def _key(self, op: word.AccessOp) -> tuple[_Key | None, list[int]]:
        """What group an access belongs to, and its words."""
        if not isinstance(op, word.GatherOp | word.ScatterOp):
            return None, []
        forms = self._forms.of(op.offsets)
        if forms is None or any(form.terms != forms[0].terms for form in forms):
            return None, []
        stores = isinstance(op, word.ScatterOp)
        terms = frozenset(forms[0].terms.items())
        words = [to_signed(form.constant) for form in forms]
        return (op.buffer, op.absolute is not None, stores, terms), words

    def _is_barrier(self, op: word.AccessOp, key: _Key) -> bool:
        """Whether a group ends at an access that does not belong to it."""
        buffer, _, stores, _ = key
        access = self._aliases.access(op)
        if not stores and not access.writes:
            return False
        roots = access.buffer, self._root(buffer)
        return not self._aliases.is_distinct(*roots)

    def _root(self, buffer: SSAValue) -> SSAValue:
        while isinstance(buffer.owner, word.SubbufferOp):
            buffer = buffer.owner.buffer
        return buffer


# Costs


class _Splitter:
    """Splits groups of one block."""

    def __init__(self, block: Block, target: Target, statistics: Statistics):
        self._block = block
        self._target = target
        self._vlen = target.vlen
        self._statistics = statistics
        self._work = straight_line_work(block.ops, target)

    def run(self, groups: Sequence[_Group]) -> None:
        """Split the groups by which the bound of the block becomes lower."""
        for group in groups:
            if group.stores and not group.is_distinct:
                continue
            if any(word.lanes_of(op.offsets.type) != self._vlen for op in group.ops):
                continue
            before, after = self._work_of(group)
            changed = self._work - before
            changed.update(after)
            if self._cycles(changed) < self._cycles(self._work):
                self._work = changed
                self._split(group)

    def _cycles(self, work: Work) -> float:
        """The bound of the block, and what accesses add to it at its start and end."""
        if () in work:  # No engine can do it.
            return math.inf
        slots = self._target.slots
        bound = resource_bound(+work, slots)
        engines = {e for name in ("load", "store") for e in self._target.engines_for(name)}
        waiting = sum(bound.used.get(engine, 0) / slots[engine] for engine in engines)
        return bound.cycles + SHARE_OF_WAITING * waiting

    def _work_of(self, group: _Group) -> tuple[Work, Work]:
        """The work of a group and of what would be scalarized with it, before and after."""
        scalarized = list(dict.fromkeys(filter(None, map(self._partner, group.ops))))
        before = straight_line_work([*group.ops, *scalarized], self._target)
        after: Work = Counter()
        for op in scalarized:
            scalar = function_work(self._target, op.function.name, vector=False)
            after.update({ways: count * self._vlen for ways, count in scalar.items()})
        self._add(after, ("|", "add_imm"), self._moved(group))
        vectors, singles = self._accesses(group)
        names = ("vstore", "store") if group.stores else ("vload", "load")
        self._add(after, names[:1], vectors)
        self._add(after, names[1:], singles)
        address = function_work(self._target, "add", vector=False)
        after.update({ways: n * (vectors + singles) for ways, n in address.items()})
        return before, after

    def _add(self, work: Work, mnemonics: Sequence[str], count: int) -> None:
        ways = [((e, 1),) for name in mnemonics for e in self._target.engines_for(name)]
        if count:
            work[tuple(sorted(ways))] += count

    def _moved(self, group: _Group) -> int:
        """How many words have to be moved into or out of vectors."""
        return self._vlen * sum(
            not _is_consecutive(words) and self._partner(op) is None
            for op, words in zip(group.ops, group.words, strict=True)
        )

    def _accesses(self, group: _Group) -> tuple[int, int]:
        """How many accesses of vectors and of words are left."""
        if not group.stores:
            return _windows(group.numbers, self._vlen), 0
        lengths = [len(run) for run in _runs(group.numbers)]
        vectors = sum(length // self._vlen for length in lengths)
        return vectors, sum(lengths) - vectors * self._vlen

    def _partner(self, op: Strided) -> word.ArithmeticOp | None:
        """What is done lane by lane together with an access."""
        if isinstance(op, word.GatherOp):
            value = op.result
            other = next((use.operation for use in value.uses), None)
        else:
            value = op.values
            other = value.owner
        if not value.has_one_use() or not isinstance(other, word.ArithmeticOp):
            return None
        if other.parent is not self._block or not self._is_scalar(other.function.name):
            return None
        return other

    def _is_scalar(self, function: str) -> bool:
        """Whether the scalar form of a function runs where moves do."""
        ways = alternatives(self._target, function, vector=False)
        return any(((engine, 1),) in ways for engine in self._target.engines_for("|"))

    # Rewriting

    def _split(self, group: _Group) -> None:
        first = group.ops[0]
        message = f"{len(group.ops)} accesses are done word by word"
        remark(first, _NAME, message, RemarkKind.PASSED)
        self._statistics.count("num-split", len(group.ops))
        here = BeforeOp(first)
        base = materialize(group.base, here) if group.base.terms else None
        places = [[_offset(base, number, here) for number in words] for words in group.words]
        for op, offsets in zip(group.ops, places, strict=True):
            partner = self._partner(op)
            if partner is not None:
                self._statistics.count("num-scalarized")
            if isinstance(op, word.GatherOp):
                _split_gather(op, offsets, partner)
            else:
                _split_scatter(op, offsets, partner)


def _offset(base: SSAValue | None, number: int, e: Emitter) -> SSAValue:
    constant = e.constant(number)
    return constant if base is None else e.function("add", base, constant)


def _split_gather(
    op: word.GatherOp, offsets: Sequence[SSAValue], partner: word.ArithmeticOp | None
) -> None:
    here = BeforeOp(op)
    loads = [word.LoadOp(op.buffer, offset) for offset in offsets]
    for load in loads:
        load.absolute = op.absolute
        here.append(load)
    gathered = here.emit(word.FromElementsOp(loads))
    if partner is not None:
        known: dict[SSAValue, Sequence[SSAValue]] = {op.result: [load.result for load in loads]}
        here = BeforeOp(partner)
        replace_op(partner, [here.emit(word.FromElementsOp(_lane_by_lane(partner, known, here)))])
    gathered.name_hint = op.result.name_hint
    replace_op(op, [gathered])
    if not gathered.uses:
        _erase(gathered.owner)


def _split_scatter(
    op: word.ScatterOp, offsets: Sequence[SSAValue], partner: word.ArithmeticOp | None
) -> None:
    here = BeforeOp(op)
    if partner is None:
        lanes = _lanes(op.values, here)
    else:
        lanes = _lane_by_lane(partner, {}, BeforeOp(partner))
    for lane, offset in zip(lanes, offsets, strict=True):
        store = word.StoreOp(lane, op.buffer, offset)
        store.absolute = op.absolute
        here.append(store)
    _erase(op)
    if partner is not None:
        _erase(partner)


def _erase(op: Operation | Block) -> None:
    assert isinstance(op, Operation)
    block = op.parent
    assert block is not None
    block.erase_op(op)


def _lane_by_lane(
    op: word.ArithmeticOp, known: Mapping[SSAValue, Sequence[SSAValue]], e: Emitter
) -> list[SSAValue]:
    """The lanes of what `op` computes, computed one by one. Of some operands they are known."""
    operands = [known.get(value) or _lanes(value, e) for value in op.operands]
    results = [e.function(op.function.name, *lane) for lane in zip(*operands, strict=True)]
    for result in results:
        result.name_hint = op.result.name_hint
    return results


def _lanes(vector: SSAValue, e: Emitter) -> list[SSAValue]:
    """The words of a vector, those that it is made of if they are words."""
    lanes = word.lanes_of(vector.type) or 1
    constant = uniform_constant(vector)
    if constant is not None:
        return [e.constant(constant)] * lanes
    match vector.owner:
        case word.BroadcastOp(source=source):
            return [source] * lanes
        case word.FromElementsOp(elements=elements):
            return list(elements)
        case _:
            return lanes_of(e, vector)


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
