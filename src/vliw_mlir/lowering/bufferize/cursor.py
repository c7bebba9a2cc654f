"""Where ops are emitted: the entry of the function, and loops in front of an op."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from xdsl.dialects import scf
from xdsl.dialects.builtin import LocationAttr, i32
from xdsl.ir import Block, Operation, Region, SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import Emitter
from vliw_mlir.semantics import WORD_MASK

T = TypeVar("T")


class Entry:
    """The start of a function: constants and buffers that all its code can use."""

    _block: Block
    _last: Operation | None
    _constants: dict[int, SSAValue]
    _tables: dict[tuple[int, ...], SSAValue]

    def __init__(self, block: Block):
        self._block = block
        self._last = None
        self._constants = {}
        self._tables = {}

    def constant(self, value: int) -> SSAValue:
        """A constant word, the same value each time."""
        value &= WORD_MASK
        if value not in self._constants:
            self._constants[value] = self._insert(word.ConstantOp(value))
        return self._constants[value]

    def table(self, words: tuple[int, ...]) -> SSAValue:
        """A buffer of constant words, which must not be written."""
        if words not in self._tables:
            self._tables[words] = self._insert(word.AllocOp(len(words), words))
        return self._tables[words]

    def alloc(self, words: int) -> SSAValue:
        """A new buffer."""
        return self._insert(word.AllocOp(words))

    def _insert(self, op: Operation) -> SSAValue:
        parent = self._block.parent_op()
        if parent is not None:
            op.location = parent.location
        if self._last is not None:
            self._block.insert_op_after(op, self._last)
        elif (first := self._block.first_op) is not None:
            self._block.insert_op_before(op, first)
        else:
            self._block.add_op(op)
        self._last = op
        return op.results[0]


@dataclass(frozen=True)
class _Loop:
    size: int
    carried: Sequence[SSAValue]
    body: Block
    known: dict[Hashable, Any] = field(default_factory=dict[Hashable, Any])
    """What was computed in the body so far."""


class Cursor(Emitter):
    """Emits in front of an op, or at the end of the innermost loop it has open there."""

    location: LocationAttr
    """The source place of what is emitted."""
    _loops: list[_Loop]
    _known: dict[Hashable, Any]
    """What was computed outside of the open loops."""

    def __init__(self, entry: Entry, before: Operation):
        self._entry = entry
        self._before = before
        self._loops = []
        self._known = {}
        self.location = before.location

    def append(self, op: Operation) -> None:
        op.location = self.location
        if self._loops:
            self._loops[-1].body.add_op(op)
            return
        block = self._before.parent
        assert block is not None
        block.insert_op_before(op, self._before)

    def constant(self, value: int) -> SSAValue:
        return self._entry.constant(value)

    def table(self, words: tuple[int, ...]) -> SSAValue:
        """A buffer of constant words, which must not be written."""
        return self._entry.table(words)

    def open_loop(
        self, size: int, carried: Sequence[SSAValue] = ()
    ) -> tuple[SSAValue, Sequence[SSAValue]]:
        """Start a loop from 0 to `size`; its counter, and the carried values in its body."""
        body = Block(arg_types=[i32, *(v.type for v in carried)])
        self._loops.append(_Loop(size, carried, body))
        return body.args[0], body.args[1:]

    def close_loop(self, results: Sequence[SSAValue] = ()) -> Sequence[SSAValue]:
        """End the innermost loop, given what an iteration turns the carried values into.

        Returns the carried values after the loop.
        """
        self.append(scf.YieldOp(*results))
        loop = self._loops.pop()
        zero, one, size = (self.constant(n) for n in (0, 1, loop.size))
        op = scf.ForOp(zero, size, one, loop.carried, Region(loop.body))
        self.append(op)
        return op.results

    def known(self, key: Hashable) -> Any:
        """What `remember` was given for `key` in an open loop, or outside of them; else None."""
        for loop in reversed(self._loops):
            if key in loop.known:
                return loop.known[key]
        return self._known.get(key)

    def remember(self, key: Hashable, value: Any) -> None:
        """Let `known` find what was just emitted, as long as the innermost loop is open."""
        known = self._loops[-1].known if self._loops else self._known
        known[key] = value

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What `compute` emits, the first time; later the same values again."""
        value: T | None = self.known(key)
        if value is None:
            value = compute()
            self.remember(key, value)
        return value
