"""Sums and the like in the order in which their operands become known."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.cfg import blocks_of_functions
from vliw_mlir.analysis.latencies import latency
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.semantics import REDUCTIONS
from vliw_mlir.target import Target
from vliw_mlir.target.encodings import Encoding, encoding_of
from vliw_mlir.transforms.rewriting import only_user, replace_op

CARRIED = 1 << 20
"""The cycle, in its block, when what a loop carries is taken to be known: after all else, so
that nothing lengthens the chain from one iteration to the next."""


@dataclass(frozen=True)
class ReduceTreeHeight(ModulePass):
    """Join the operands of sums, products, `and`, `or`, `xor`, minima and maxima that are known
    first, first.

    `(x ^ (x >> 19)) ^ c` becomes `(x ^ c) ^ (x >> 19)`, and `((a + b) + c) + d` becomes
    `(a + b) + (c + d)`, if all are there at once. Takes the same operations, and rewrites only
    trees whose result comes earlier then, by latencies alone. What a loop carries counts as last.

    Expects the SSA level, after the passes that look for chains (`reassociate` and vectorization).
    Takes time n log n in the number of operations.

    Tree-height reduction (Baer and Bovet 1968; Muraoka 1971) by repeatedly joining the two
    earliest, as Huffman's codes are built (Golumbic 1976).

    Statistics: `num-rewritten`.
    """

    name = "reduce-tree-height"

    composed_only: bool = False
    """Whether only trees of functions change that the machine has no instruction for. Once they
    are composed of others (`expand-word-ops`), they are no trees."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target, statistics = target_of(op), Statistics(self)
        for block in blocks_of_functions(op):
            _Reducer(block, target, self.composed_only, statistics).run()


class _Reducer:
    def __init__(self, block: Block, target: Target, composed_only: bool, statistics: Statistics):
        self._block = block
        self._target = target
        self._composed_only = composed_only
        self._statistics = statistics
        # The cycle when each value is known; for all others, when the block begins.
        self._known: dict[SSAValue, int] = {}

    def run(self) -> None:
        if isinstance(self._block.parent_op(), scf.ForOp | scf.WhileOp):
            self._known.update(dict.fromkeys(self._block.args[1:], CARRIED))
        for op in list(self._block.ops):
            if op.regions:
                # Everything before it is known when it ends.
                self._known.clear()
            elif not isinstance(op, word.ArithmeticOp) or op.function.name not in REDUCTIONS:
                self._set(op)
            elif not _belongs_to_user(op):
                self._tree(op)

    def _set(self, op: Operation) -> None:
        ready = max((self._known.get(operand, 0) for operand in op.operands), default=0)
        self._known.update(dict.fromkeys(op.results, ready + latency(op, self._target)))

    def _tree(self, root: word.ArithmeticOp) -> None:
        inner, leaves = _take_apart(root)
        for op in reversed(inner):
            self._set(op)
        delay = latency(root, self._target)
        if self._composed_only and not _is_composed(root, self._target):
            return
        if len(inner) == 1 or self._least(leaves, delay) >= self._known[root.result]:
            return
        self._statistics.count("num-rewritten")
        remark(root, ReduceTreeHeight.name, "operands known first are joined first", _PASSED)
        emitter = BeforeOp(root)
        queue = self._queue(leaves)
        while len(queue) > 1:
            (_, first, a), (ready, _, b) = heappop(queue), heappop(queue)
            joined = emitter.function(root.function.name, a, b)
            self._known[joined] = ready + delay
            heappush(queue, (ready + delay, first, joined))
        result = queue[0][2]
        result.name_hint = root.result.name_hint
        replace_op(root, [result])
        for op in inner[1:]:
            self._block.erase_op(op)

    def _least(self, leaves: list[SSAValue], delay: int) -> int:
        """The first cycle when all leaves can be joined."""
        times = [self._known.get(leaf, 0) for leaf in leaves]
        heapify(times)
        while len(times) > 1:
            heappop(times)
            heappush(times, heappop(times) + delay)
        return times[0]

    def _queue(self, leaves: list[SSAValue]) -> list[tuple[int, int, SSAValue]]:
        """Leaves by when they are known, those of one time in the order of the program."""
        queue = [(self._known.get(leaf, 0), n, leaf) for n, leaf in enumerate(leaves)]
        heapify(queue)
        return queue


_PASSED = RemarkKind.PASSED


def _is_composed(op: word.ArithmeticOp, target: Target) -> bool:
    vector = word.lanes_of(op.result.type) is not None
    return encoding_of(target, op.function.name, vector=vector) is Encoding.NONE


def _belongs_to_user(op: word.ArithmeticOp) -> bool:
    """Whether the only use of `op` is in a tree of which it is a part."""
    user = only_user(op)
    return user is not None and user.function.name == op.function.name


def _take_apart(root: word.ArithmeticOp) -> tuple[list[word.ArithmeticOp], list[SSAValue]]:
    """The operations of a tree, users first, and its leaves in the order of the program."""
    inner: list[word.ArithmeticOp] = []
    leaves: list[SSAValue] = []
    pending: list[SSAValue] = [root.result]
    while pending:
        value = pending.pop()
        op = _part(value, root)
        if op is None:
            leaves.append(value)
            continue
        inner.append(op)
        pending += reversed(op.operands)
    return inner, leaves


def _part(value: SSAValue, root: word.ArithmeticOp) -> word.ArithmeticOp | None:
    """The operation of the tree below `root` that computes a value, None for a leaf."""
    op = value.owner
    if not isinstance(op, word.ArithmeticOp) or op is root:
        return root if op is root else None
    is_part = op.parent is root.parent and op.function.name == root.function.name
    return op if is_part and _belongs_to_user(op) else None
