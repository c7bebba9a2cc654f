"""Vectorization of straight-line code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.bounds import (
    broadcast_ways,
    function_work,
    straight_line_work,
    words_to_move,
)
from vliw_mlir.analysis.cfg import blocks_of_functions
from vliw_mlir.analysis.loops import constant_word
from vliw_mlir.analysis.resource_bound import Work, resource_bound
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import AfterOp, BeforeOp, Emitter
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.semantics import REDUCTIONS
from vliw_mlir.target import Target
from vliw_mlir.transforms.rewriting import replace_op
from vliw_mlir.transforms.straight_line.packs import (
    Computed,
    Lanes,
    Pack,
    Packer,
    Together,
    Words,
)
from vliw_mlir.transforms.vectorize.lanes import combine_all, lanes_of


@dataclass(frozen=True)
class VectorizeStraightLine(ModulePass):
    """Compute words that are computed alike as the lanes of vectors.

    Begins at words that are put together as vectors, such as those that `vectorize-accesses`
    stores at once, and at sums and the like of many words, and follows them to what they are
    computed from. Words that are no lanes of a vector yet have to be put together; a part of
    a computation becomes vector operations only where the resource bound of all this is lower
    than that of the scalar operations, and that of the block not higher. Other users of the
    words take the lanes.

    Expects the SSA level, looks at one block at a time, and takes time nearly linear in the
    number of operations.

    Statistics: `num-vectorized`, `num-reductions`.
    """

    name = "vectorize-straight-line"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        statistics = Statistics(self)
        for block in blocks_of_functions(op):
            _Block(block, target, statistics).run()


_NAME = VectorizeStraightLine.name


@dataclass(eq=False)
class _Priced:
    """A pack with the cheapest way to make it."""

    pack: Pack
    operands: list[_Priced]
    work: Work
    """What it takes to make the vector."""
    scalar: Work
    """What the words take without."""


class _Block:
    """The vectorization of one block."""

    def __init__(self, block: Block, target: Target, statistics: Statistics):
        self._block = block
        self._target = target
        self._statistics = statistics
        self._packer = Packer(block)
        self._priced: dict[Pack, _Priced] = {}
        self._vectors: dict[Computed, SSAValue] = {}
        self._work_of_block = straight_line_work(block.ops, target)

    def run(self) -> None:
        for op in list(self._block.ops):
            # Erased as part of another computation.
            if op.parent is not self._block:
                continue
            if isinstance(op, word.FromElementsOp):
                self._vector(op)
            elif isinstance(op, word.BinaryOp) and _is_root(op):
                self._reduction(op)

    def _vector(self, op: word.FromElementsOp) -> None:
        """Compute words that are put together as a vector."""
        if len(op.elements) != self._target.vlen:
            return
        self._start()
        priced = self._price(self._packer.pack(tuple(op.elements), [op]))
        moves = straight_line_work([op], self._target)
        if isinstance(priced.pack, Together) or not self._pays([priced], moves, Work()):
            return
        remark(op, _NAME, "the words are computed as a vector", RemarkKind.PASSED)
        vector = self._emit(priced, BeforeOp(op))
        vector.name_hint = vector.name_hint or op.result.name_hint
        replace_op(op, [vector])
        self._finish()

    # Reductions

    def _reduction(self, root: word.BinaryOp) -> None:
        """Compute the words that are combined to the result of `root` as vectors."""
        steps, leaves = _leaves(root)
        vlen, function = self._target.vlen, root.function.name
        if len(leaves) < vlen:
            return
        groups, rest = self._grouped(leaves)
        if not groups:
            return
        self._start()
        chosen = [self._price(self._packer.pack(group, steps)) for group in groups]
        before = self._work(function, count=len(steps), vector=False)
        after = self._work(function, count=len(groups) - 1, vector=True)
        after += self._work(function, count=vlen - 1 + len(rest), vector=False)
        if not self._pays(chosen, before, after):
            return
        remark(root, _NAME, f"{len(leaves)} words are combined as vectors", RemarkKind.PASSED)
        self._statistics.count("num-reductions")
        here = BeforeOp(root)
        vectors = [self._emit(priced, here) for priced in chosen]
        combined = combine_all(here, function, vectors)
        total = combine_all(here, function, [*lanes_of(here, combined), *rest])
        total.name_hint = root.result.name_hint
        root.result.replace_all_uses_with(total)
        for step in steps:
            self._block.erase_op(step)
        self._finish()

    def _grouped(self, leaves: Sequence[SSAValue]) -> tuple[list[Words], list[SSAValue]]:
        """Words in groups that may be vectors, and what is left."""
        kinds: dict[str, list[SSAValue]] = {}
        for value in sorted(leaves, key=self._kind):
            kinds.setdefault(self._kind(value)[0], []).append(value)
        groups: list[Words] = []
        rest: list[SSAValue] = []
        vlen = self._target.vlen
        for values in kinds.values():
            whole = len(values) - len(values) % vlen
            groups += [tuple(values[n : n + vlen]) for n in range(0, whole, vlen)]
            rest += values[whole:]
        return groups, rest

    def _kind(self, value: SSAValue) -> tuple[str, int, int]:
        """Words of one kind may be lanes of one vector, in the order of this."""
        op = value.owner
        if isinstance(op, word.ArithmeticOp):
            return op.function.name, *min(map(self._lane, op.operands))
        return "", *self._lane(value)

    def _lane(self, value: SSAValue) -> tuple[int, int]:
        """Which lane of which vector a word is; other words come last."""
        op = value.owner
        if isinstance(op, word.ExtractOp):
            return self._position(op.vector), op.lane.value.data
        return self._packer.size, self._position(value)

    def _position(self, value: SSAValue) -> int:
        op = value.owner
        position = None if isinstance(op, Block) else self._packer.position(op)
        return -1 if position is None else position

    # Costs

    def _start(self) -> None:
        """Forget what held before the block was changed."""
        self._packer.forget()
        self._priced.clear()

    def _cycles(self, work: Work) -> float:
        return resource_bound(+work, self._target.slots).cycles

    def _is_cheaper(self, a: Work, b: Work) -> bool:
        return self._cycles(a) < self._cycles(b) * (1 - 1e-6)

    def _pays(self, chosen: Sequence[_Priced], before: Work, after: Work) -> bool:
        """Whether to make packs, with what else is done before and after: if this takes less
        than before, and the block does not take more. What follows is done in the new block."""
        vector, scalar = Counter(after), Counter(before)
        for priced in chosen:
            vector += priced.work
            scalar += priced.scalar
        if not self._is_cheaper(vector, scalar):
            return False
        made = _all_of(chosen)
        replaced = [op for pack in made if isinstance(pack, Computed) for op in pack.ops]
        block = self._work_of_block - before - straight_line_work(replaced, self._target)
        block.update(after)
        for pack in made:
            block.update(self._own_work(pack))
        if self._is_cheaper(self._work_of_block, block):
            return False
        self._work_of_block = block
        return True

    def _own_work(self, pack: Pack) -> Work:
        """What it takes to make a pack of those that it is computed from."""
        if isinstance(pack, Together):
            return self._moves(pack)
        if isinstance(pack, Lanes):
            return Work()
        return self._work(pack.ops[0].function.name, count=1, vector=True)

    def _work(self, function: str, *, count: int, vector: bool) -> Work:
        once = function_work(self._target, function, vector=vector)
        return Counter({ways: n * count for ways, n in once.items()})

    def _price(self, pack: Pack) -> _Priced:
        """The cheapest way to make a pack: as it is, or of words as they are computed now."""
        found = self._priced.get(pack)
        if found is None:
            found = self._priced[pack] = self._find_price(pack)
        return found

    def _find_price(self, pack: Pack) -> _Priced:
        if isinstance(pack, Lanes):
            return _Priced(pack, [], Work(), Work())
        if isinstance(pack, Together):
            return _Priced(pack, [], self._moves(pack), Work())
        operands = [self._price(operand) for operand in pack.operands]
        function = pack.ops[0].function.name
        vector = self._work(function, count=1, vector=True)
        scalar = self._work(function, count=len(pack.ops), vector=False)
        for operand in operands:
            vector += operand.work
            scalar += operand.scalar
        if self._is_cheaper(vector, scalar):
            return _Priced(pack, operands, vector, scalar)
        together = Together(pack.words)
        return _Priced(together, [], scalar + self._moves(together), scalar)

    def _moves(self, pack: Together) -> Work:
        """The work of putting words together: each is moved, unless it is computed for this."""
        constants = {constant_word(value) for value in pack.words}
        if None not in constants:
            # Different constants are loaded as lanes, instead of as words if nothing else uses
            # these.
            engines = [e for n in ("const", "add_imm") for e in self._target.engines_for(n)]
            shared = sum(not value.has_one_use() for value in pack.words)
            count = shared if len(constants) > 1 else 0
            return Work({tuple(sorted(((e, 1),) for e in engines)): count})
        if len({*pack.words}) == 1:
            return Work({broadcast_ways(self._target): 1})
        made = word.FromElementsOp(pack.words)
        count = words_to_move(made)
        made.drop_all_references()
        # Moves might have other engines as well, but scalar operations are not alone there.
        return self._work("or", count=count, vector=False)

    # Rewriting

    def _emit(self, priced: _Priced, here: Emitter) -> SSAValue:
        """The vector of a pack; what is not computed at places of its own comes `here`."""
        pack = priced.pack
        if isinstance(pack, Together):
            return _put_together(pack, here)
        if isinstance(pack, Lanes):
            if word.lanes_of(pack.vector.type) == len(pack.words):
                return pack.vector
            return here.emit(word.SliceOp(pack.vector, pack.first, len(pack.words)))
        if pack in self._vectors:
            return self._vectors[pack]
        last = max(pack.ops, key=self._packer.place)
        after = AfterOp(last)
        operands = [self._emit(operand, after) for operand in priced.operands]
        vector = after.function(last.function.name, *operands)
        vector.name_hint = pack.ops[0].result.name_hint
        self._statistics.count("num-vectorized", len(pack.ops))
        self._vectors[pack] = vector
        return vector

    def _finish(self) -> None:
        """Erase what vectors have replaced; who still uses a word takes the lane."""
        for pack, vector in reversed(self._vectors.items()):
            assert isinstance(vector.owner, Operation)
            after = AfterOp(vector.owner)
            for lane, op in enumerate(pack.ops):
                if op.result.uses:
                    op.result.replace_all_uses_with(after.emit(word.ExtractOp(vector, lane)))
                self._block.erase_op(op)
        self._vectors.clear()


def _all_of(chosen: Sequence[_Priced]) -> list[Pack]:
    """The packs chosen and all that they are computed from, each once."""
    found: dict[_Priced, None] = {}
    pending = list(chosen)
    while pending:
        priced = pending.pop()
        if priced not in found:
            found[priced] = None
            pending += priced.operands
    return [priced.pack for priced in found]


def _put_together(pack: Together, e: Emitter) -> SSAValue:
    """A vector of words."""
    constants = [constant_word(value) for value in pack.words]
    known = [constant for constant in constants if constant is not None]
    if len(known) == len(constants):
        return e.emit(word.ConstantOp(known))
    if len({*pack.words}) == 1:
        return e.emit(word.BroadcastOp(pack.words[0], len(pack.words)))
    return e.emit(word.FromElementsOp(pack.words))


def _is_root(op: word.BinaryOp) -> bool:
    """Whether a reduction may end with an operation."""
    if op.FUNCTION not in REDUCTIONS or op.result.type != i32:
        return False
    users = [use.operation for use in op.result.uses]
    return len(users) != 1 or not _is_step(users[0], op)


def _is_step(op: Operation | Block, other: word.BinaryOp) -> bool:
    """Whether an operation combines words like another one in the same block."""
    return (
        isinstance(op, word.BinaryOp)
        and op.FUNCTION == other.FUNCTION
        and (op.parent is other.parent and op.result.type == i32)
    )


def _leaves(root: word.BinaryOp) -> tuple[list[Operation], list[SSAValue]]:
    """The operations that lead to the result of `root`, users first, and what they combine."""
    steps: list[Operation] = []
    leaves: list[SSAValue] = []
    pending: list[word.BinaryOp] = [root]
    while pending:
        step = pending.pop()
        steps.append(step)
        for value in step.operands:
            source = value.owner
            if isinstance(source, word.BinaryOp) and _is_step(source, root) and value.has_one_use():
                pending.append(source)
            else:
                leaves.append(value)
    return steps, leaves
