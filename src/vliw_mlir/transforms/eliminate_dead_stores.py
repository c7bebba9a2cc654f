"""Dropping stores whose words nothing reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.affine import Affine
from vliw_mlir.analysis.alias import Access, AliasAnalysis, is_opaque
from vliw_mlir.analysis.buffers import is_identified
from vliw_mlir.analysis.cfg import reverse_postorder, successors
from vliw_mlir.analysis.execution import surely_runs
from vliw_mlir.analysis.memory_effects import MemoryEffects
from vliw_mlir.analysis.memory_table import MemoryTable
from vliw_mlir.dialects import word
from vliw_mlir.instrument import Statistics


@dataclass(frozen=True)
class EliminateDeadStores(ModulePass):
    """Drop stores to words that are overwritten before anything reads them, and stores to
    allocations that nothing reads afterwards.

    One walk against the order of execution, through loops and branches, keeps a table of words
    that are surely overwritten next, and of the reads of allocations still to come. Loads whose
    result is not used go as well, so do allocations left without uses, and initial words that
    are overwritten. Memory that the caller sees is read when the function returns.

    Like LLVM's DSE. Expects the SSA level. Takes time nearly linear in the number of
    operations.

    Statistics: `num-dead-stores`, `num-dead-loads`, `num-dead-allocations`.
    """

    name = "eliminate-dead-stores"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                _Walk(func, statistics).region(func.body)


_Table: TypeAlias = MemoryTable[bool]
"""Words that are overwritten before they are read."""


class _Walk:
    """A walk over a function, against the order of execution."""

    def __init__(self, func: FuncOp, statistics: Statistics):
        self.statistics = statistics
        self.analysis = AliasAnalysis(func)
        self.effects = MemoryEffects(self.analysis)
        self.table: _Table = MemoryTable(self.analysis)
        self.reads: MemoryTable[bool] = MemoryTable(self.analysis, complete=True)
        """The words that may be read later, arguments aside."""
        self.anything_is_read = False

    def region(self, region: Region) -> None:
        """Walk the blocks of a region from its ends to its start."""
        if len(region.blocks) == 1:
            self._block(region.block)
            return
        for block in region.blocks:
            for op in block.ops:
                self._will_execute(op)
        at_end = self.table
        at_start: dict[Block, _Table] = {}
        for block in reversed(reverse_postorder(region)):
            following = successors(block)
            if not following:
                self.table = at_end.copy()
            elif all(successor in at_start for successor in following):
                self.table = at_start[following[0]].copy()
                for other in following[1:]:
                    self.table.join(at_start[other], lambda a, b: a and b)
            else:
                self.table = MemoryTable(self.analysis)
            self._block(block)
            at_start[block] = self.table

    def _block(self, block: Block) -> None:
        for op in reversed(list(block.ops)):
            if isinstance(op, word.StoreOp | word.ScatterOp):
                self._store(op)
            elif isinstance(op, word.LoadOp | word.GatherOp):
                self._load(op)
            elif isinstance(op, word.AllocOp):
                self._allocation(op)
            elif op.regions:
                self._structured(op)
            elif is_opaque(type(op)):
                self._read_anything()

    # Accesses

    def _store(self, op: word.StoreOp | word.ScatterOp) -> None:
        access = self.analysis.access(op)
        if self._is_dead(access):
            _erase(op)
            self.statistics.count("num-dead-stores")
        elif access.offset is not None:
            self.table.set(access, [True] * access.words)

    def _is_dead(self, access: Access) -> bool:
        if all(self.table.get(access)):
            return True
        is_own = isinstance(access.buffer.owner, word.AllocOp)
        if not is_own or self.anything_is_read:
            return False
        return not self.reads.touches(self._at_any_time(access))

    def _at_any_time(self, access: Access) -> Access:
        """All words of an allocation that an access may touch, in whichever iteration.

        A read may come in a later one, when what both offsets are made of is something else.
        """
        if access.offset is None or all(map(_is_fixed, access.offset.terms)):
            return access
        type = access.buffer.type
        assert isinstance(type, word.BufferType)
        size = type.words or 0
        span = self.analysis.interval(access.offset)
        start, words = span.low, span.high - span.low + access.words
        if start < 0 or start + words > size:
            start, words = 0, size
        return Access(access.op, access.writes, access.buffer, Affine(start), words)

    def _load(self, op: word.LoadOp | word.GatherOp) -> None:
        if op.result.first_use is None:
            _erase(op)
            self.statistics.count("num-dead-loads")
            return
        access = self.analysis.access(op)
        self.table.forget(access)
        self._will_read(access)

    def _will_read(self, access: Access) -> None:
        if not isinstance(access.buffer, BlockArgument) or not is_identified(access.buffer):
            self.reads.set(access, [True] * access.words)

    def _read_anything(self) -> None:
        self.table.clear()
        self.anything_is_read = True

    def _allocation(self, op: word.AllocOp) -> None:
        if op.result.first_use is None:
            _erase(op)
            self.statistics.count("num-dead-allocations")
        elif op.init is not None and self._is_dead(self.analysis.access(op)):
            op.init = None
            self.statistics.count("num-dead-stores")

    # Control flow

    def _structured(self, op: Operation) -> None:
        effects = self.effects.of(op)
        if not effects.accesses and effects.opaque is None:
            return
        match op:
            case scf.IfOp():
                self._if(op)
            case scf.ExecuteRegionOp() if len(op.region.blocks) == 1:
                self.region(op.region)
            case _:
                self._repeated(op)

    def _if(self, op: scf.IfOp) -> None:
        after = self.table
        self.table = after.copy()
        self.region(op.true_region)
        on_true, self.table = self.table, after
        if op.false_region.blocks:
            self.region(op.false_region)
        self.table.join(on_true, lambda a, b: a and b)

    def _repeated(self, op: Operation) -> None:
        """Walk the regions of an operation that may execute each any number of times."""
        self._will_execute(op)
        around = self.table
        # What nothing inside reads is overwritten behind, however often that is executed.
        for region in reversed(op.regions):
            self.table = around.copy()
            self.region(region)
        # Now at the start of the first region.
        is_loop = isinstance(op, scf.ForOp | scf.WhileOp)
        if not is_loop or not surely_runs(op, self.analysis.ranges):
            self.table = around

    def _will_execute(self, op: Operation) -> None:
        """Take account of all that `op` may read, whenever it does."""
        effects = self.effects.of(op)
        if effects.opaque is not None:
            self._read_anything()
        for access in effects.reads:
            self.table.forget(access)
            self._will_read(access)


def _is_fixed(value: SSAValue) -> bool:
    """Whether a value is surely computed only once."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while block is not None:
        op, region = block.parent_op(), block.parent
        if isinstance(op, scf.ForOp | scf.WhileOp):
            return False
        if region is not None and block is not region.first_block:
            return False
        block = None if op is None else op.parent
    return True


def _erase(op: Operation) -> None:
    block = op.parent
    assert block is not None
    block.erase_op(op)
