"""Using what memory is known to hold instead of loading it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.alias import Access, AliasAnalysis, is_opaque
from vliw_mlir.analysis.cfg import reverse_postorder, successors, terminator
from vliw_mlir.analysis.costs import function_cycles, throughput_cycles
from vliw_mlir.analysis.memory_effects import Effects, MemoryEffects
from vliw_mlir.analysis.memory_reuse import loads_beyond
from vliw_mlir.analysis.memory_table import MemoryTable
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.instrument import Statistics
from vliw_mlir.target import Target
from vliw_mlir.transforms.promotion import with_more_results

MOST_BRANCHES = 8
"""How many branches one after the other may decide on the content of a word."""

SHARE_OF_SCRATCH = 4
"""By default, up to one part of so many of scratch is for what is forwarded within a block."""


@dataclass(frozen=True)
class ForwardStores(ModulePass):
    """Let a load take the value that was stored to, or loaded from, the same words before.

    One walk in the order of execution keeps a table of what words in memory hold. It follows
    values into and out of loops and branches: what both sides of an `scf.if` leave in a word
    becomes a result of it once it is asked for. Parts of vectors are taken out of them, vectors
    of single words put together. A vector that lies across several others is a window of these,
    put side by side; where words would have to be copied for that it has to be cheaper than the
    load. Up to `max_words` words are kept for later loads of the same block; beyond that, what is
    asked for last is loaded again. Gathers with the same offsets count as equal, the words of
    an allocation with initial values are known. A store of what a word already holds goes, too.

    Like LLVM's EarlyCSE and GVN for memory. Expects the SSA level. Takes time nearly linear in
    the number of operations.

    Statistics: `num-forwarded-loads`, `num-redundant-stores`.
    """

    name = "forward-stores"

    max_words: int = 0
    """How many words of scratch may hold what is forwarded within a block; 0 for a part of the
    machine's."""
    words_only: bool = False
    """Leave loads of vectors, whose overlaps form-windows sees."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        target = target_of(op)
        most_words = self.max_words or target.scratch // SHARE_OF_SCRATCH
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                walk = _Walk(func, target, most_words, self.words_only, statistics)
                walk.region(func.body)


@dataclass(frozen=True)
class _Held:
    """A word holds a value, or a lane of one. A gather has all lanes at once."""

    value: SSAValue
    lane: int | None = None


@dataclass(eq=False)
class _Branch:
    """An `scf.if`, which is replaced when it gets more results."""

    op: scf.IfOp


@dataclass(frozen=True, eq=False)
class _Either:
    """A word holds what one side of a branch has left in it."""

    branch: _Branch
    on_true: _Content
    on_false: _Content
    depth: int


_Content: TypeAlias = _Held | _Either | int
"""What a word holds; an `int` is a constant for which there is no value yet."""

_Table: TypeAlias = MemoryTable[_Content]


class _Walk:
    """A walk over a function, in the order of execution."""

    def __init__(
        self,
        func: FuncOp,
        target: Target,
        most_words: int,
        words_only: bool,
        statistics: Statistics,
    ):
        self.most_words = most_words
        self.words_only = words_only
        self.beyond: set[Operation] = set()
        """The loads that stay, for lack of room."""
        self.most_copies = most_copies(target)
        self.statistics = statistics
        self.analysis = AliasAnalysis(func)
        self.effects = MemoryEffects(self.analysis)
        self.table: _Table = MemoryTable(self.analysis)
        self.replaced: dict[SSAValue, SSAValue] = {}
        """What has become of results of branches that got more results."""

    def region(self, region: Region) -> None:
        """Walk the blocks of a region."""
        if len(region.blocks) == 1:
            self._block(region.block)
            return
        entrances: dict[Block, list[Block]] = {}
        for block in region.blocks:
            for successor in successors(block):
                entrances.setdefault(successor, []).append(block)
        at_end: dict[Block, _Table] = {}
        for block in reverse_postorder(region):
            before = entrances.get(block, [])
            if before:
                # What holds where several branches meet is not looked at.
                known = at_end.get(before[0]) if len(before) == 1 else None
                self.table = MemoryTable(self.analysis) if known is None else known.copy()
            self._block(block)
            at_end[block] = self.table

    def _block(self, block: Block) -> None:
        self.beyond |= loads_beyond(block, self.analysis, self.most_words)
        for op in list(block.ops):
            if isinstance(op, word.LoadOp | word.GatherOp):
                self._load(op)
            elif isinstance(op, word.StoreOp | word.ScatterOp):
                self._store(op)
            elif isinstance(op, word.AllocOp):
                self._allocate(op)
            elif op.regions:
                self._structured(op)
            elif is_opaque(type(op)):
                self.table.clear()

    # Accesses

    def _load(self, op: word.LoadOp | word.GatherOp) -> None:
        access = self.analysis.access(op)
        stays = op in self.beyond or (self.words_only and op.result.type != i32)
        contents = None if stays else self._known(access)
        value = None if contents is None else self._value(contents, op.result.type, op)
        if value is None:
            self.table.set(access, _parts(op.result, access))
            return
        if contents is not None and isinstance(contents[0], _Either):
            self.table.set(access, _parts(value, access))
        value.name_hint = value.name_hint or op.result.name_hint
        op.result.replace_all_uses_with(value)
        _erase(op)
        self.statistics.count("num-forwarded-loads")

    def _store(self, op: word.StoreOp | word.ScatterOp) -> None:
        access = self.analysis.access(op)
        if isinstance(op, word.ScatterOp):
            self.table.forget(access)
            return
        parts = _parts(op.value, access)
        contents = self._known(access)
        if contents is not None and all(map(_are_equal, contents, parts)):
            _erase(op)
            self.statistics.count("num-redundant-stores")
            return
        self.table.forget(access)
        self.table.set(access, parts)

    def _allocate(self, op: word.AllocOp) -> None:
        words = op.init_words()
        if words is not None:
            self.table.forget_buffer(op.result)
            self.table.set(self.analysis.access(op), words)

    # Control flow

    def _structured(self, op: Operation) -> None:
        effects = self.effects.of(op)
        if not effects.accesses and effects.opaque is None:
            return
        match op:
            case scf.IfOp():
                self._if(op)
            case scf.WhileOp():
                self._forget(effects)
                self.region(op.before_region)
                # The loop ends behind its first region.
                at_end = self.table.copy()
                self.region(op.after_region)
                self.table = at_end
            case scf.ExecuteRegionOp() if len(op.region.blocks) == 1:
                self.region(op.region)
            case _:
                self._forget(effects)
                around = self.table
                for region in op.regions:
                    self.table = around.copy()
                    self.region(region)
                self.table = around

    def _if(self, op: scf.IfOp) -> None:
        branch = _Branch(op)
        before = self.table
        self.table = before.copy()
        self.region(op.true_region)
        on_true, self.table = self.table, before
        if op.false_region.blocks:
            self.region(op.false_region)
        on_true.join(self.table, lambda a, b: _either(branch, a, b))
        self.table = on_true

    def _forget(self, effects: Effects) -> None:
        """Keep what holds however often something with these effects is executed."""
        if effects.opaque is not None:
            self.table.clear()
        for access in effects.writes:
            self.table.forget(access)

    # Values

    def _known(self, access: Access) -> list[_Content] | None:
        """What the words of an access hold, None if that is not known of all."""
        known = self.table.get(access)
        contents = [self._current(content) for content in known if content is not None]
        return contents if len(contents) == len(known) else None

    def _current(self, content: _Content) -> _Content:
        if not isinstance(content, _Held) or content.value not in self.replaced:
            return content
        return _Held(self._latest(content.value), content.lane)

    def _latest(self, value: SSAValue) -> SSAValue:
        while value in self.replaced:
            value = self.replaced[value]
        return value

    def _value(
        self, contents: Sequence[_Content], type: Attribute, before: Operation
    ) -> SSAValue | None:
        """What words hold as one value for use at `before`; None if there is no such value."""
        first = contents[0]
        if isinstance(first, _Held):
            whole = self._whole(contents, type, before)
            if whole is not None:
                return whole
        elif isinstance(first, _Either):
            return self._merged(contents, type, before)
        constants = [content for content in contents if isinstance(content, int)]
        if len(constants) == len(contents):
            is_word = word.lanes_of(type) is None
            return BeforeOp(before).emit(word.ConstantOp(constants[0] if is_word else constants))
        elements = self._elements(contents, type, before)
        return self._window(contents, type, before) if elements is None else elements

    def _whole(
        self, contents: Sequence[_Content], type: Attribute, before: Operation
    ) -> SSAValue | None:
        """The value that words hold all of, or the lane of it that one word holds."""
        first = contents[0]
        assert isinstance(first, _Held)
        if not _is_available(first.value, before):
            return None
        lanes = [None] if first.lane is None else range(len(contents))
        parts = [_Held(first.value, lane) for lane in lanes]
        if first.value.type == type and contents == parts:
            return first.value
        if first.lane is not None and word.lanes_of(type) is None:
            return BeforeOp(before).emit(word.ExtractOp(first.value, first.lane))
        return None

    def _window(
        self, contents: Sequence[_Content], type: Attribute, before: Operation
    ) -> SSAValue | None:
        """A vector that lies across values which were side by side in memory."""
        pieces = None if word.lanes_of(type) is None else _pieces(contents)
        if pieces is None:
            return None
        whole = [piece.is_whole(n == 0, n == len(pieces) - 1) for n, piece in enumerate(pieces)]
        copies = sum(p.words for p, as_is in zip(pieces, whole, strict=True) if not as_is)
        if copies > self.most_copies or not all(p.is_available(before) for p in pieces):
            return None
        e = BeforeOp(before)
        parts = [p.emit(e, as_is=as_is) for p, as_is in zip(pieces, whole, strict=True)]
        joined = parts[0] if len(parts) == 1 else e.emit(word.ConcatOp(parts))
        if joined.type == type:
            return joined
        lane = (pieces[0].lane or 0) if whole[0] else 0
        return e.emit(word.SliceOp(joined, lane, len(contents)))

    def _elements(
        self, contents: Sequence[_Content], type: Attribute, before: Operation
    ) -> SSAValue | None:
        """A vector of words that are values or constants of their own."""
        if word.lanes_of(type) is None:
            return None
        if not all(_is_word(content, before) for content in contents):
            return None
        words = [self._value([content], i32, before) for content in contents]
        return BeforeOp(before).emit(word.FromElementsOp([w for w in words if w is not None]))

    def _merged(
        self, contents: Sequence[_Content], type: Attribute, before: Operation
    ) -> SSAValue | None:
        """The result of a branch that is what either side has left."""
        eithers = [content for content in contents if isinstance(content, _Either)]
        branch = eithers[0].branch
        if len(eithers) < len(contents) or any(e.branch is not branch for e in eithers):
            return None
        op = branch.op
        if not op.false_region.blocks:
            op.false_region.add_block(Block([scf.YieldOp()]))
        values: list[SSAValue] = []
        for region in (op.true_region, op.false_region):
            sides = [e.on_true if region is op.true_region else e.on_false for e in eithers]
            value = self._value([self._current(c) for c in sides], type, terminator(region))
            if value is None:
                return None
            values.append(value)
        # The second may have given another result to a branch that the first comes from.
        values = [self._latest(value) for value in values]
        if values[0] is values[1]:
            return values[0]
        for region, value in zip((op.true_region, op.false_region), values, strict=True):
            end = terminator(region)
            end.operands = [*end.operands, value]
        old = tuple(op.results)
        new = with_more_results(op, (), values[:1])
        assert isinstance(new, scf.IfOp)
        self.replaced.update(zip(old, new.results, strict=False))
        branch.op = new
        return new.results[-1]


def most_copies(target: Target) -> int:
    """How many words may be copied in place of a vector load."""
    copy = function_cycles(target, "or", vector=False)
    ways = [((engine, 1),) for engine in target.engines_for("vload")]
    ways = ways or [((engine, target.vlen),) for engine in target.engines_for("load")]
    return min(int(throughput_cycles(ways, target) / copy), target.vlen - 1)


@dataclass(frozen=True)
class _Piece:
    """Consecutive words that hold consecutive lanes of a vector, a word, or constants."""

    value: SSAValue | None
    """None for constants."""
    lane: int | None
    """The first lane, None for a word."""
    words: int
    constants: tuple[int, ...] = ()

    def is_whole(self, is_first: bool, is_last: bool) -> bool:
        """Whether the value can be put beside others as it is, nothing lying in between."""
        if self.value is None:
            return False
        if self.lane is None:
            return True
        ends = self.lane + self.words == word.lanes_of(self.value.type)
        return (is_first or self.lane == 0) and (is_last or ends)

    def is_available(self, at: Operation) -> bool:
        return self.value is None or _is_available(self.value, at)

    def emit(self, e: BeforeOp, *, as_is: bool) -> SSAValue:
        """The value as it is, or the words of it alone."""
        if self.value is None:
            return e.emit(word.ConstantOp(self.constants))
        if as_is or self.lane is None:
            return self.value
        return e.emit(word.SliceOp(self.value, self.lane, self.words))


def _pieces(contents: Sequence[_Content]) -> list[_Piece] | None:
    """What words hold, taken together as far as possible; None if a branch decides."""
    pieces: list[_Piece] = []
    for content in contents:
        last = pieces[-1] if pieces else _Piece(None, None, 0)
        match content:
            case int() if pieces and last.value is None:
                constants = (*last.constants, content)
                pieces[-1] = _Piece(None, None, last.words + 1, constants)
            case int():
                pieces.append(_Piece(None, None, 1, (content,)))
            case _Held(value, None) if word.lanes_of(value.type) is None:
                pieces.append(_Piece(value, None, 1))
            case _Held(value, int() as lane):
                if last.value is value and last.lane is not None and last.lane + last.words == lane:
                    pieces[-1] = _Piece(value, last.lane, last.words + 1)
                else:
                    pieces.append(_Piece(value, lane, 1))
            case _:
                return None
    return pieces


def _parts(value: SSAValue, access: Access) -> list[_Content]:
    """What the words of an access hold when `value` was loaded from or stored to them."""
    if access.offset is None or word.lanes_of(value.type) is None:
        return [_Held(value)]
    lane = 0
    while isinstance(value.owner, word.SliceOp):
        lane += value.owner.lane.value.data
        value = value.owner.vector
    return [_Held(value, lane + number) for number in range(access.words)]


def _either(branch: _Branch, on_true: _Content, on_false: _Content) -> _Content | None:
    """What holds behind a branch; None for what would take too many branches to tell."""
    if on_true == on_false:
        return on_true
    depth = 1 + max(_depth(on_true), _depth(on_false))
    return _Either(branch, on_true, on_false, depth) if depth <= MOST_BRANCHES else None


def _depth(content: _Content) -> int:
    return content.depth if isinstance(content, _Either) else 0


def _are_equal(a: _Content, b: _Content) -> bool:
    """Whether two words are surely equal."""
    constant = _constant(a)
    return a == b if constant is None else constant == _constant(b)


def _constant(content: _Content) -> int | None:
    if not isinstance(content, _Held):
        return content if isinstance(content, int) else None
    op = content.value.owner
    return op.words()[content.lane or 0] if isinstance(op, word.ConstantOp) else None


def _is_available(value: SSAValue, at: Operation) -> bool:
    """Whether a value in the table can be used at an operation: what the table knows comes from
    blocks that dominate it, or from regions that are left by now."""
    owner = value.owner
    defined = owner.parent if isinstance(owner, Block) else owner.parent_region()
    region = at.parent_region()
    while region is not None and region is not defined:
        region = region.parent_region()
    return region is not None


def _is_word(content: _Content, at: Operation) -> bool:
    """Whether a content is a constant, or a word that can be used at an operation."""
    if not isinstance(content, _Held):
        return isinstance(content, int)
    is_word = word.lanes_of(content.value.type) is None
    return is_word and _is_available(content.value, at)


def _erase(op: Operation) -> None:
    block = op.parent
    assert block is not None
    block.erase_op(op)
