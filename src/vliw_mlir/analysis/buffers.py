"""Base objects in memory, and where their words may change."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from xdsl.dialects import scf
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from vliw_mlir.analysis.cfg import terminator
from vliw_mlir.dialects import word

STORELESS = frozenset(
    {
        "scf.yield",
        "scf.condition",
        "cf.br",
        "cf.cond_br",
        "func.return",
        *(op.name for op in word.Word.operations if op is not word.PauseOp),
    }
)
"""The operations without regions that are known to store nothing, apart from the stores. While
the machine pauses, others may."""


def root_of(buffer: SSAValue) -> SSAValue:
    """The buffer that `buffer` is a part of, as far as can be seen."""
    while isinstance(buffer.owner, word.SubbufferOp):
        buffer = buffer.owner.buffer
    return buffer


def is_identified(root: SSAValue) -> bool:
    """Whether a root is an argument of the kernel or an allocation: a base object."""
    if isinstance(root, BlockArgument):
        region = root.block.parent
        return (
            region is not None
            and isinstance(region.parent, FuncOp)
            and region.blocks.first is root.block
        )
    return isinstance(root.owner, word.AllocOp)


def has_slack(root: SSAValue) -> bool:
    """Whether `SLACK_WORDS` readable words are sure to come behind a root: it is data of the
    caller."""
    return is_identified(root) and not isinstance(root.owner, word.AllocOp)


def base_buffer(buffer: SSAValue) -> SSAValue | None:
    """The argument or allocation that a buffer is a part of, None when it may be several."""
    root = root_of(buffer)
    return root if is_identified(root) else None


def base_objects(buffer: SSAValue) -> frozenset[SSAValue] | None:
    """The base objects that `buffer` may be or be part of; None if that is not known."""
    found: set[SSAValue] = set()
    pending = [root_of(buffer)]
    seen = set(pending)
    while pending:
        root = pending.pop()
        if is_identified(root):
            found.add(root)
            continue
        sources = _sources(root)
        if sources is None:
            return None
        new = {root_of(source) for source in sources} - seen
        seen |= new
        pending += new
    return frozenset(found)


def _sources(value: SSAValue) -> Sequence[SSAValue] | None:
    """The values that structured control flow may hand on as `value`."""
    if isinstance(value, BlockArgument):
        op, number = value.block.parent_op(), value.index - 1
    elif isinstance(value, OpResult):
        op, number = value.op, value.index
    else:
        return None
    match op:
        case scf.ForOp() if number >= 0:
            return op.iter_args[number], terminator(op.body).operands[number]
        case scf.IfOp():
            return [terminator(region).operands[number] for region in op.regions]
        case _:
            return None


class BufferStores:
    """Which operations may change which base objects; stale once the function changes.

    Base objects are changed as a whole: which of their words a store goes to is not looked at.
    """

    _stored: dict[Operation, frozenset[SSAValue | None]]
    """The base objects that an operation with regions may change; None is any of them."""
    _blocks: dict[Block, _BlockStores]

    def __init__(self) -> None:
        self._stored = {}
        self._blocks = {}

    def stored(self, op: Operation) -> frozenset[SSAValue | None]:
        """The base objects that `op` and what it contains may change; None is any of them."""
        if isinstance(op, word.StoreOp | word.ScatterOp):
            return frozenset((base_buffer(op.buffer),))
        if isinstance(op, word.AllocOp):
            return frozenset((op.result,))
        if not op.regions:
            return _NOTHING if op.name in STORELESS else _ANYTHING
        found = self._stored.get(op)
        if found is None:
            inner = (o for region in op.regions for block in region.blocks for o in block.ops)
            found = self._stored[op] = _NOTHING.union(*map(self.stored, inner))
        return found

    def earliest(self, op: Operation, base: SSAValue) -> Operation:
        """The first operation in front of which a load from `base` gives what it gives at `op`.

        It lies as far out as possible, and what `base` is defined by comes before it. `base`
        must be an argument of the function or an allocation, and available at `op`.
        """
        path = list(_path(op))
        for number, around in reversed(list(enumerate(path))):
            if number == 0 or self._is_constant_in(around, base, path[number:]):
                return self._in_block(around).after_last_change(around, base)
        raise AssertionError("the path starts with the operation itself")

    def _is_constant_in(self, around: Operation, base: SSAValue, path: list[Operation]) -> bool:
        """Whether `base` is there before `around`, and nothing inside changes it."""
        defined = base.owner if isinstance(base.owner, Block) else base.owner.parent
        is_entry = isinstance(base, BlockArgument)
        if not is_entry and all(op.parent is not defined for op in path):
            return False
        return not self.stored(around) & {base, None}

    def _in_block(self, op: Operation) -> _BlockStores:
        block = op.parent
        assert block is not None
        found = self._blocks.get(block)
        if found is None:
            found = self._blocks[block] = _BlockStores(block, self)
        return found


class _BlockStores:
    """The places in one block where base objects change."""

    def __init__(self, block: Block, stores: BufferStores):
        self._ops = list(block.ops)
        self._index = {op: number for number, op in enumerate(self._ops)}
        self._changes: dict[SSAValue | None, list[int]] = {}
        for number, op in enumerate(self._ops):
            for base in stores.stored(op):
                self._changes.setdefault(base, []).append(number)

    def after_last_change(self, op: Operation, base: SSAValue) -> Operation:
        """The operation behind the last one before `op` that may change `base`."""
        here, last = self._index[op], -1
        for key in (base, None):
            changes = self._changes.get(key, ())
            place = bisect_left(changes, here)
            if place:
                last = max(last, changes[place - 1])
        return self._ops[last + 1]


_NOTHING: frozenset[SSAValue | None] = frozenset()
_ANYTHING: frozenset[SSAValue | None] = frozenset((None,))


def _path(op: Operation) -> Iterator[Operation]:
    """`op` and the operations around it within the function, innermost first."""
    current: Operation | None = op
    while current is not None and not isinstance(current, FuncOp):
        yield current
        current = current.parent_op()
