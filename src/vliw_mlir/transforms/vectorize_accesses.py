"""Vector accesses in the place of scalar accesses of neighbouring words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, VectorType, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.access_batches import Batch, Member, batches_in
from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import AfterOp, BeforeOp
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.transforms.rewriting import moved_offset


@dataclass(frozen=True)
class VectorizeAccesses(ModulePass):
    """Load and store neighbouring words at once.

    Two or more scalar loads within VLEN words become one vector load, of which they take the
    lanes; where that loads more words than the program does, these have to lie in the buffer.
    VLEN scalar stores of consecutive words become one store of a vector made of the values.
    Loads move up to the first of them and stores down to the last, as far as nothing in
    between touches the words.

    Expects the SSA level; looks at the operations between two with regions. Takes time nearly
    linear in the number of operations. Does nothing for a machine without such instructions.

    Statistics: `num-vector-loads`, `num-vector-stores`.
    """

    name = "vectorize-accesses"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for func in op.ops:
            if not isinstance(func, FuncOp) or func.is_declaration:
                continue
            run = _Run(AliasAnalysis(func), target.vlen, Statistics(self))
            for block in list(func.walk_blocks()):
                if target.engines_for("vload"):
                    run.loads(block)
                if target.engines_for("vstore"):
                    run.stores(block)


_NAME = VectorizeAccesses.name


@dataclass
class _Run:
    analysis: AliasAnalysis
    vlen: int
    statistics: Statistics

    def loads(self, block: Block) -> None:
        """Vectorize the loads in a block."""
        batches = batches_in(block, word.LoadOp, self.analysis, self.vlen)
        positions = {op: number for number, op in enumerate(block.ops)}
        for batch in batches:
            for window in _windows(batch, self.vlen):
                start = self._start(batch, window) if len(window) > 1 else None
                if start is not None:
                    members = {number: batch.members[number] for number in window}
                    self._load(start, members, positions)

    def _start(self, batch: Batch, window: Sequence[int]) -> int | None:
        """Where a vector with the words of a window may start; None if it might trap."""
        if window[0] + self.vlen <= max(batch.members) + 1:
            return window[0]
        for start in (window[0], window[-1] + 1 - self.vlen):
            if self.analysis.is_in_bounds(batch.access(start, self.vlen)):
                return start
        return None

    def _load(
        self,
        start: int,
        members: Mapping[int, Sequence[Member]],
        positions: Mapping[Operation, int],
    ) -> None:
        """Load a vector from the word `start` on, at the first of some loads."""
        number = min(members, key=lambda number: members[number][0].position)
        first = members[number][0]
        # Best is an address that is there already.
        if start in members and _is_before(members[start][0].op.offset, first, positions):
            number = start
        like, before = members[number][0].op, BeforeOp(first.op)
        offset = moved_offset(like.offset, start - number, before)
        load = word.LoadOp(like.buffer, offset, VectorType(i32, [self.vlen]))
        load.absolute = like.absolute
        before.append(load)
        remark(load, _NAME, f"{len(members)} words loaded at once", RemarkKind.PASSED)
        self.statistics.count("num-vector-loads")
        after = AfterOp(load)
        for number, loads in members.items():
            lane = after.emit(word.ExtractOp(load, number - start))
            for member in loads:
                assert isinstance(member.op, word.LoadOp)
                lane.name_hint = lane.name_hint or member.op.result.name_hint
                member.op.result.replace_all_uses_with(lane)
                _erase(member.op)

    def stores(self, block: Block) -> None:
        """Vectorize the stores in a block."""
        for batch in batches_in(block, word.StoreOp, self.analysis, self.vlen):
            for window in _windows(batch, self.vlen):
                if len(window) == self.vlen:
                    self._store([batch.members[number] for number in window])

    def _store(self, members: Sequence[Sequence[Member]]) -> None:
        """Store VLEN consecutive words as a vector, at the last of some stores."""
        last = max((stores[-1] for stores in members), key=lambda member: member.position)
        before = BeforeOp(last.op)
        values: list[SSAValue] = []
        for stores in members:
            op = stores[-1].op
            assert isinstance(op, word.StoreOp)
            values.append(op.value)
        first = members[0][-1].op
        store = word.StoreOp(before.emit(word.FromElementsOp(values)), first.buffer, first.offset)
        store.absolute = first.absolute
        before.append(store)
        remark(store, _NAME, f"{len(members)} words stored at once", RemarkKind.PASSED)
        self.statistics.count("num-vector-stores")
        for stores in members:
            for member in stores:
                _erase(member.op)


def _is_before(value: SSAValue, member: Member, positions: Mapping[Operation, int]) -> bool:
    """Whether a value, used in a block, is there before a member of a batch in that block.

    Of values that are new in the block this is not known.
    """
    if isinstance(value.owner, Block) or value.owner.parent is not member.op.parent:
        return True
    return positions.get(value.owner, member.position) < member.position


def _windows(batch: Batch, vlen: int) -> Iterator[list[int]]:
    """The words of a batch in order, those less than `vlen` apart together."""
    window: list[int] = []
    for number in sorted(batch.members):
        if window and number >= window[0] + vlen:
            yield window
            window = []
        window.append(number)
    yield window


def _erase(op: Operation) -> None:
    block = op.parent
    assert block is not None
    block.erase_op(op)
