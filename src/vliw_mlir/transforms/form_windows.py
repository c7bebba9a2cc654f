"""Overlapping vector loads become windows over what is loaded once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.alias import AliasAnalysis, is_opaque
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.transforms.rewriting import moved_offset, replace_op
from vliw_mlir.transforms.windows.held import HeldBlocks
from vliw_mlir.transforms.windows.segments import (
    Read,
    Segment,
    may_load_beyond,
    read_of,
    segments_of,
)

SHARE_OF_SCRATCH = 4
"""By default, up to one part of so many of scratch holds words for later loads."""


@dataclass(frozen=True)
class FormWindows(ModulePass):
    """Load each word once where vector loads overlap.

    Loads at offsets that differ by constants, of words that are adjacent or the same, read a
    segment of memory. It is divided into blocks of VLEN words. The first load that needs a block
    loads it, and all loads become windows over blocks, or lanes of them; a window takes no
    instruction (`word.concat`, `word.slice`). Done where it saves loads.

    A block is used until something may have been stored to it. Of the blocks that wait for
    further uses, the one that was not used for longest is dropped when they have more than
    `max_words` words. The last block of a segment goes beyond its end only where that is in the
    buffer, or in the slack behind the data.

    Expects the SSA level; looks at operations without regions in a row. Takes time n log n in
    the number of operations. Does nothing for a machine without vector loads.

    Statistics: `num-windows`, `num-saved-loads`.
    """

    name = "form-windows"

    max_words: int = 0
    """How many words of scratch may hold what was loaded; 0 for a part of the machine's."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        if not target.engines_for("vload"):
            return
        most_words = self.max_words or target.scratch // SHARE_OF_SCRATCH
        for func in op.ops:
            if not isinstance(func, FuncOp) or func.is_declaration:
                continue
            most_blocks = most_words // target.vlen
            run = _Run(AliasAnalysis(func), target.vlen, most_blocks, Statistics(self))
            for block in list(func.walk_blocks()):
                for ops in _pieces(block):
                    run.piece(ops)


_NAME = FormWindows.name


def _pieces(block: Block) -> Iterator[list[Operation]]:
    """The operations in a row without regions, and without effects that are not known."""
    piece: list[Operation] = []
    for op in list(block.ops):
        if op.regions or is_opaque(type(op)):
            yield piece
            piece = []
        else:
            piece.append(op)
    yield piece


@dataclass
class _Run:
    analysis: AliasAnalysis
    vlen: int
    most_blocks: int
    statistics: Statistics

    def piece(self, ops: Sequence[Operation]) -> None:
        """Form windows among the loads of straight-line code."""
        found = (read_of(op, self.analysis) for op in ops if isinstance(op, word.LoadOp))
        segments = segments_of((read for read in found if read is not None), self.vlen)
        legal = [s for s in segments if len(s.reads) > 1 and may_load_beyond(s, self.analysis)]
        saved = self._saved_loads(ops, _reads_in(legal))
        chosen = [segment for segment in legal if saved[segment] > 0]
        for segment in chosen:
            windows = sum(read.access.words > 1 for read in segment.reads)
            self.statistics.count("num-windows", windows)
            self.statistics.count("num-saved-loads", saved[segment])
            message = f"{windows} windows over {segment.end - segment.low} words"
            message += f" save {saved[segment]} loads"
            remark(segment.reads[0].op, _NAME, message, RemarkKind.PASSED)
        if chosen:
            self._rewrite(ops, _reads_in(chosen))

    def _saved_loads(self, ops: Sequence[Operation], reads: _Reads) -> dict[Segment, int]:
        """How many loads of words or vectors would be left out, for each segment."""
        saved = {segment: 0 for segment, _ in reads.values()}
        held: HeldBlocks[bool] = HeldBlocks(self.analysis, self.most_blocks)
        for op in ops:
            if op not in reads:
                self._store(op, held)
                continue
            segment, read = reads[op]
            vectors, words = divmod(read.access.words, self.vlen)
            saved[segment] += vectors + words if read.access.words != 1 else 1
            for number in segment.blocks(read.first, read.end):
                if not held.use(segment, number):
                    held.add(segment, number, True)
                    saved[segment] -= 1
            held.shrink()
        return saved

    def _rewrite(self, ops: Sequence[Operation], reads: _Reads) -> None:
        held: HeldBlocks[SSAValue] = HeldBlocks(self.analysis, self.most_blocks)
        wholes: dict[tuple[SSAValue, ...], SSAValue] = {}
        for op in ops:
            if op not in reads:
                self._store(op, held)
                continue
            segment, read = reads[op]
            blocks = tuple(
                self._block(segment, number, read, held)
                for number in segment.blocks(read.first, read.end)
            )
            e = BeforeOp(op)
            if blocks not in wholes:
                wholes[blocks] = blocks[0] if len(blocks) == 1 else e.emit(word.ConcatOp(blocks))
            lane = (read.first - segment.low) % self.vlen
            window = _window(e, wholes[blocks], lane, read.op)
            window.name_hint = window.name_hint or read.op.result.name_hint
            replace_op(op, [window])
            held.shrink()

    def _block(
        self, segment: Segment, number: int, read: Read, held: HeldBlocks[SSAValue]
    ) -> SSAValue:
        """A block, loaded in front of the load that needs it unless it is held."""
        found = held.use(segment, number)
        if found is not None:
            return found
        before = BeforeOp(read.op)
        offset = moved_offset(read.op.offset, segment.start(number) - read.first, before)
        load = word.LoadOp(read.op.buffer, offset, word.vector_of(self.vlen))
        load.absolute = read.op.absolute
        before.append(load)
        held.add(segment, number, load.result)
        return load.result

    def _store(self, op: Operation, held: HeldBlocks[bool] | HeldBlocks[SSAValue]) -> None:
        """Drop what an operation may change."""
        if isinstance(op, word.StoreOp | word.ScatterOp | word.AllocOp):
            held.forget(self.analysis.access(op))


_Reads = Mapping[Operation, tuple[Segment, Read]]
"""The loads that become windows."""


def _reads_in(segments: Sequence[Segment]) -> _Reads:
    return {read.op: (segment, read) for segment in segments for read in segment.reads}


def _window(e: BeforeOp, whole: SSAValue, lane: int, load: word.LoadOp) -> SSAValue:
    """What a load gives, as a part of a vector from a lane on."""
    lanes = word.lanes_of(load.result.type)
    if lanes is None:
        return e.emit(word.ExtractOp(whole, lane))
    return whole if whole.type == load.result.type else e.emit(word.SliceOp(whole, lane, lanes))
