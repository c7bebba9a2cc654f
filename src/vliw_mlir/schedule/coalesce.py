"""Moves that become unnecessary because two values of a block share words.

The source of a move is made in the words of the destination, or the destination is read where
the source is. Source and destination may be parts of wider values. See George and Appel,
"Iterated Register Coalescing" (TOPLAS 1996); here within a block, and with distances.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from vliw_mlir.schedule.machine import MOVE
from vliw_mlir.schedule.renaming import (
    Node,
    RenamedBlock,
    Touch,
    Value,
    home_of,
    reading,
    writing,
)
from vliw_mlir.schedule.side_exits import exit_order

LONGEST_SEARCH = 5_000
"""How many instructions are looked at to find out whether values may share words."""


def coalesce_moves(block: RenamedBlock, *, behind_exits: bool = True) -> None:
    """Let values of a block share words; moves that become unnecessary count as not needed.

    With `behind_exits` also where a value has to be made behind a side exit then, because the
    exit needs what is in its place.
    """
    coalescer = _Coalescer(block, behind_exits)
    for number, node in enumerate(block.nodes):
        if node.is_needed and is_move(node):
            coalescer.try_move(number)


def is_move(node: Node) -> bool:
    """Whether a node copies words."""
    operands = node.instruction.operands
    return node.instruction.mnemonic == MOVE and operands[1] == operands[2]


class _Words(NamedTuple):
    """Words of a value that has its own."""

    value: Value
    lane: int
    words: int

    @property
    def is_whole(self) -> bool:
        return self.lane == 0 and self.words == self.value.words

    def touched(self, touches: list[Touch]) -> Iterator[Touch]:
        """Those of the touches of the value that are of one of these words."""
        return (touch for touch in touches if touch.overlaps(self.lane, self.words))


class _Coalescer:
    def __init__(self, block: RenamedBlock, behind_exits: bool):
        self.block = block
        self.behind_exits = behind_exits
        self.followers = _followers(block)
        self.leaving: dict[int, list[Value]] = {}
        """The values that have to be in their places at each side exit."""
        for value in block.values:
            for number in value.exits:
                self.leaving.setdefault(number, []).append(value)

    def try_move(self, number: int) -> None:
        """Leave out a move if its source and destination can share words."""
        node = self.block.nodes[number]
        to, source, _ = node.instruction.operands
        access = next(a for a in self.block.function.accesses(node.instruction) if a.is_def)
        here = _Words(*home_of(node.written[to.register], to.lane), access.words)
        there = _Words(*home_of(node.read[source.register], source.lane), access.words)
        if here.value is there.value:
            return
        if self._may_be_made_in(number, there, here):
            self._join(number, there.value, here)
        elif self._may_be_read_in(number, here, there):
            self._join(number, here.value, there)

    def _may_be_made_in(self, number: int, source: _Words, to: _Words) -> bool:
        """Whether what makes the source of a move may write to the destination."""
        value = source.value
        if value.is_fixed or not source.is_whole or not value.writes:
            return False
        if any(touch.node != number for touch in to.touched(to.value.writes)):
            return False
        if to.value.is_live_in:
            # What the words hold at first must be read before, as it is in the program.
            first = value.writes[0].node
            readers = (touch.node for touch in to.touched(to.value.reads))
            return not any(first <= node < number for node in (*readers, *to.value.exits))
        users: set[int] = set()
        for before in self.block.earlier_in_place(to.value):
            if before.exits and not self.behind_exits:
                return False
            users.update(t.node for t in to.touched([*before.reads, *before.writes]))
            users.update(before.exits)
        return not self._reach(users, [touch.node for touch in value.writes])

    def _may_be_read_in(self, number: int, to: _Words, source: _Words) -> bool:
        """Whether what reads the destination of a move may read the source."""
        value = to.value
        if value.is_fixed or not to.is_whole or any(t.node != number for t in value.writes):
            return False
        if any(touch.node > number for touch in source.touched(source.value.writes)):
            return False
        writers = [
            touch.node
            for after in self.block.later_in_place(source.value)
            for touch in source.touched(after.writes)
        ]
        return not self._reach({touch.node for touch in value.reads}, writers)

    def _join(self, number: int, value: Value, into: _Words) -> None:
        """Let `value` live in words of another one, without the move between them."""
        home = into.value
        value.home, value.offset = home, into.lane
        self.block.nodes[number].is_needed = False
        home.reads = _merged(home.reads, value.reads, into.lane, number)
        home.writes = _merged(home.writes, value.writes, into.lane, number)
        value.reads, value.writes = [], []

    # Paths in the dependence graph

    def _reach(self, goals: set[int], starts: list[int]) -> bool:
        """Whether one of `goals` has to run behind one of `starts`; True if that takes long to
        find out."""
        if not goals or not starts:
            return False
        seen = set(starts)
        pending = list(seen)
        while pending:
            for follower in self._followers_of(pending.pop()):
                if follower in goals or len(seen) > LONGEST_SEARCH:
                    return True
                if follower not in seen:
                    seen.add(follower)
                    pending.append(follower)
        return False

    def _followers_of(self, number: int) -> Iterator[int]:
        """The nodes that depend on a node directly."""
        yield from self.followers.get(number, ())
        for value in self.leaving.get(number, ()):
            yield from self._writers_behind(number, _Words(value, 0, value.words))
        block, node = self.block, self.block.nodes[number]
        for register, lane, words in writing(block.function, node.instruction):
            made = _Words(*home_of(node.written[register], lane), words)
            yield from (t.node for t in made.touched(made.value.reads) if t.node > number)
            yield from (node for node in made.value.exits if node > number)
            yield from self._writers_behind(number, made)
        for register, lane, words in reading(block.function, node.instruction):
            used = _Words(*home_of(node.read[register], lane), words)
            yield from self._writers_behind(number, used)

    def _writers_behind(self, number: int, words: _Words) -> Iterator[int]:
        """The nodes that write to words that node `number` has touched."""
        yield from (t.node for t in words.touched(words.value.writes) if t.node > number)
        for after in self.block.later_in_place(words.value):
            yield from (t.node for t in words.touched(after.writes) if t.node != number)


def _merged(touches: list[Touch], others: list[Touch], lane: int, without: int) -> list[Touch]:
    moved = (Touch(touch.node, touch.lane + lane, touch.words) for touch in others)
    return sorted(touch for touch in (*touches, *moved) if touch.node != without)


def _followers(block: RenamedBlock) -> dict[int, list[int]]:
    """The nodes that each node has to run before for other reasons than values."""
    numbers = {
        node.instruction.key: number
        for number, node in enumerate(block.nodes)
        if node.instruction.key is not None
    }
    followers: dict[int, list[int]] = {}
    for number, node in enumerate(block.nodes):
        for after in node.instruction.after:
            if after.key in numbers:
                followers.setdefault(numbers[after.key], []).append(number)
    for first, second, _ in exit_order(node.instruction for node in block.nodes):
        followers.setdefault(first, []).append(second)
    return followers
