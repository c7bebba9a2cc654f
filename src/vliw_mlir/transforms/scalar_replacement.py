"""Turning local arrays into values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.affine import AffineForms
from vliw_mlir.analysis.alias import Access, access_of
from vliw_mlir.analysis.memory_cells import Cluster, clusters
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.semantics import to_signed
from vliw_mlir.transforms.promotion import Promotion


@dataclass(frozen=True)
class ScalarReplacement(ModulePass):
    """Replace allocations that are only accessed at constant offsets by values.

    Words that are always loaded and stored as one vector become a vector, all others a word
    each. Loops and branches hand them on. So constant tables become constants, and local arrays
    registers once the loops over them are unrolled.

    Like LLVM's SROA and mem2reg. Expects the SSA level; leaves alone what is accessed in
    another block of `cf` than the one with the allocation, or out of bounds. Linear in the
    number of operations.

    Statistics: `num-replaced-allocations`.
    """

    name = "scalar-replacement"

    max_words: int | None = None
    """The most words of an allocation to become values; by default half of the scratch."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        limit = self.max_words
        if limit is None:
            limit = target_of(op).scratch // 2
        run = _Run(limit, AffineForms(), Statistics(self))
        blocks: dict[Block, list[word.AllocOp]] = {}
        for alloc in op.walk():
            if isinstance(alloc, word.AllocOp) and alloc.parent is not None:
                blocks.setdefault(alloc.parent, []).append(alloc)
        for block, allocs in blocks.items():
            run.block(block, allocs)


_NAME = ScalarReplacement.name


@dataclass
class _Run:
    limit: int
    forms: AffineForms
    statistics: Statistics

    def block(self, block: Block, allocs: Sequence[word.AllocOp]) -> None:
        """Replace what can be replaced of the allocations in a block."""
        scope = block.parent_op()
        assert scope is not None
        types: list[Attribute] = []
        values: list[SSAValue] = []
        accesses: dict[Operation, range] = {}
        replaced: list[word.AllocOp] = []
        for alloc in allocs:
            found = self._clusters(alloc)
            if found is None:
                continue
            replaced.append(alloc)
            for cluster in found:
                for access in cluster.accesses:
                    accesses[access.op] = cluster.cells_of(access, len(values))
                types += cluster.types
                values += _initial(alloc, cluster)
        if not replaced:
            return
        Promotion(scope, types, accesses, dict(enumerate(values))).run(list(block.ops))
        for alloc in replaced:
            remark(alloc, _NAME, "replaced by values", RemarkKind.PASSED)
            _erase(alloc)
        self.statistics.count("num-replaced-allocations", len(replaced))

    def _clusters(self, alloc: word.AllocOp) -> list[Cluster] | None:
        """The words of an allocation to become values; None if it has to stay."""
        accesses = self._accesses(alloc)
        if accesses is None:
            return None
        found = clusters(accesses)
        if sum(cluster.span.words for cluster in found) > self.limit:
            remark(alloc, _NAME, "stays in memory: it has too many words", RemarkKind.MISSED)
            return None
        return found

    def _accesses(self, alloc: word.AllocOp) -> list[Access] | None:
        """All uses of an allocation; None if there are others than simple accesses."""
        accesses: list[Access] = []
        pending: list[SSAValue] = [alloc.result]
        while pending:
            for use in pending.pop().uses:
                op = use.operation
                if isinstance(op, word.SubbufferOp):
                    pending.append(op.result)
                    continue
                access = self._access(op, alloc)
                if access is None:
                    reason = f"'{op.name}' does more than access words at a constant offset"
                    remark(op, _NAME, f"keeps an array in memory: {reason}", RemarkKind.MISSED)
                    return None
                accesses.append(access)
        return accesses

    def _access(self, op: Operation, alloc: word.AllocOp) -> Access | None:
        """The access `op`, if it goes to words of `alloc` that are known."""
        if not isinstance(op, word.LoadOp | word.StoreOp) or not _is_structured(op, alloc.parent):
            return None
        access = access_of(op, self.forms)
        if access.offset is None or not access.offset.is_constant:
            return None
        size = alloc.result.type.words
        assert size is not None
        first = to_signed(access.offset.constant)
        return access if 0 <= first <= size - access.words else None


def _is_structured(op: Operation, block: Block | None) -> bool:
    """Whether there are only regions of one block around `op` within `block`."""
    current = op.parent
    while current is not block:
        if current is None or current.parent is None or len(current.parent.blocks) > 1:
            return False
        current = current.parent_block()
    return True


def _initial(alloc: word.AllocOp, cluster: Cluster) -> list[SSAValue]:
    """What the cells of a cluster hold at first; 0 where that may be anything."""
    offset = cluster.span.offset
    assert offset is not None
    init = alloc.init_words() or [0] * (alloc.result.type.words or 0)
    words = init[offset.constant : offset.constant + cluster.span.words]
    before = BeforeOp(alloc)
    if len(cluster.types) == 1:
        is_word = word.lanes_of(cluster.types[0]) is None
        return [before.emit(word.ConstantOp(words[0] if is_word else words))]
    return [before.constant(each) for each in words]


def _erase(alloc: word.AllocOp) -> None:
    """Erase an allocation and the parts taken of it, which nothing accesses any more."""
    unused: list[Operation] = [alloc]
    for op in unused:
        unused += [use.operation for result in op.results for use in result.uses]
    for op in reversed(unused):
        op.detach()
        op.erase()
