"""Packs: words of a block that can be the lanes of one vector, and what they are made from.

Bottom-up superword-level parallelism: from words that are needed as a vector, upwards to what
they are computed from, as long as all lanes are computed alike (Larsen and Amarasinghe,
"Exploiting superword level parallelism with multimedia instruction sets", PLDI 2000; Rosen,
Nuzman and Zaks, "Loop-aware SLP in GCC", 2007).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Operation, SSAValue

from vliw_mlir.analysis.loops import constant_word
from vliw_mlir.dialects import word

Words: TypeAlias = tuple[SSAValue, ...]

MOST_BETWEEN = 512
"""How many operations are looked at to find whether lanes depend on each other."""

DEEPEST = 64
"""How many operations deep packs are followed."""


@dataclass(frozen=True, eq=False)
class Together:
    """Words put together as they are: constants, one word for all lanes, or any words."""

    words: Words


@dataclass(frozen=True, eq=False)
class Lanes:
    """Consecutive lanes of a vector that is there."""

    words: Words
    vector: SSAValue
    first: int


@dataclass(frozen=True, eq=False)
class Computed:
    """What one operation computes for all lanes."""

    words: Words
    ops: tuple[word.ArithmeticOp, ...]
    operands: tuple[Pack, ...] = field(default=())


Pack: TypeAlias = Together | Lanes | Computed


class Packer:
    """Makes packs from words of one block."""

    def __init__(self, block: Block):
        self._block = block
        self._positions = {op: number for number, op in enumerate(block.ops)}
        self._packs: dict[Words, Pack] = {}

    @property
    def size(self) -> int:
        """How many operations the block had."""
        return len(self._positions)

    def forget(self) -> None:
        """Forget the packs that were made; the block has changed."""
        self._packs.clear()

    def place(self, op: Operation) -> int:
        """Where an operation of the block is."""
        return self._positions[op]

    def position(self, op: Operation) -> int | None:
        """Where an operation is in the block, or what it is in; None if it is not."""
        inside: Operation | None = op
        while inside is not None and inside.parent is not self._block:
            inside = inside.parent_op()
        return None if inside is None else self._positions.get(inside)

    def pack(self, words: Words, users: Sequence[Operation], depth: int = 0) -> Pack:
        """The pack of some words, which `users`, operations that will be gone then, use."""
        found = self._packs.get(words)
        if found is None:
            found = self._packs[words] = self._find(words, users, depth)
        return found

    def _find(self, words: Words, users: Sequence[Operation], depth: int) -> Pack:
        lanes = _lanes_of(words)
        if lanes is not None:
            return lanes
        ops = [value.owner for value in words]
        if depth > DEEPEST or not self._can_be_one(ops, users):
            return Together(words)
        alike = tuple(op for op in ops if isinstance(op, word.ArithmeticOp))
        operands = tuple(self.pack(w, alike, depth + 1) for w in _operands(alike))
        return Computed(words, alike, operands)

    def _can_be_one(self, ops: Sequence[Operation | Block], users: Sequence[Operation]) -> bool:
        """Whether operations can become one vector operation, where the last of them is."""
        first = ops[0]
        if not isinstance(first, word.ArithmeticOp) or len(set(ops)) < len(ops):
            return False
        for op in ops:
            if not isinstance(op, word.ArithmeticOp) or op.parent is not self._block:
                return False
            # What is new in the block has no position: it is not looked at again.
            if op.function is not first.function or op.result.type != i32:
                return False
            if op not in self._positions:
                return False
        alike = [op for op in ops if isinstance(op, Operation)]
        last = max(self._positions[op] for op in alike)
        gone = {*users}
        for op in alike:
            for use in op.results[0].uses:
                position = self.position(use.operation)
                if use.operation not in gone and (position is None or position <= last):
                    return False
        return not self._depend(alike)

    def _depend(self, ops: Sequence[Operation]) -> bool:
        """Whether one of the operations may depend on another."""
        start = min(self._positions[op] for op in ops)
        lanes, seen = {*ops}, set[Operation]()
        pending = list(ops)
        while pending:
            for value in _all_operands(pending.pop()):
                source = value.owner
                if source in lanes or len(seen) > MOST_BETWEEN:
                    return True
                if isinstance(source, Block) or source in seen:
                    continue
                position = self._positions.get(source)
                if position is not None and position > start:
                    seen.add(source)
                    pending.append(source)
        return False


def _all_operands(op: Operation) -> Iterator[SSAValue]:
    if not op.regions:
        yield from op.operands
        return
    for inner in op.walk():
        yield from inner.operands


def _lanes_of(words: Words) -> Lanes | None:
    """Words as consecutive lanes of one vector, if they are."""
    first = words[0].owner
    if not isinstance(first, word.ExtractOp):
        return None
    start = first.lane.value.data
    for number, value in enumerate(words):
        op = value.owner
        if not isinstance(op, word.ExtractOp) or op.vector is not first.vector:
            return None
        if op.lane.value.data != start + number:
            return None
    return Lanes(words, first.vector, start)


def _operands(ops: Sequence[word.ArithmeticOp]) -> list[Words]:
    """The operands of operations that are alike, by place; those of commutative ones in the
    order in which they are most alike."""
    rows = [list(op.operands) for op in ops]
    if ops[0].function.commutative:
        for row in rows[1:]:
            straight = _likeness(rows[0][0], row[0]) + _likeness(rows[0][1], row[1])
            crossed = _likeness(rows[0][0], row[1]) + _likeness(rows[0][1], row[0])
            if crossed > straight:
                row.reverse()
    return [tuple(column) for column in zip(*rows, strict=True)]


def _likeness(a: SSAValue, b: SSAValue) -> int:
    """How well two words fit together as lanes."""
    if a is b:
        return 3
    first, second = a.owner, b.owner
    if constant_word(a) is not None and constant_word(b) is not None:
        return 2
    match first, second:
        case word.ExtractOp(), word.ExtractOp():
            return 3 if first.vector is second.vector else 1
        case word.ArithmeticOp(), word.ArithmeticOp():
            return 2 if first.function is second.function else 0
        case _:
            return int(type(first) is type(second))
