"""Words of memory that are loaded, combined with values, and stored again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import permutations

from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Operation, SSAValue

from vliw_mlir.analysis.affine import AffineForms
from vliw_mlir.analysis.alias import AliasAnalysis, access_of, is_opaque
from vliw_mlir.analysis.latencies import latency
from vliw_mlir.dialects import word
from vliw_mlir.semantics import REDUCTIONS
from vliw_mlir.target import Target


@dataclass(frozen=True, eq=False)
class Update:
    """A word that is loaded, combined with a value, and stored again."""

    load: word.LoadOp
    op: word.BinaryOp
    store: word.StoreOp

    @property
    def value(self) -> SSAValue:
        """What the word is combined with."""
        a, b = self.op.operands
        return b if a is self.load.result else a

    @property
    def kind(self) -> tuple[SSAValue, bool, str]:
        """Updates of one kind can make a chain."""
        return self.load.buffer, self.load.absolute is not None, self.op.function.name

    @property
    def is_seen(self) -> bool:
        """Whether something else uses the word that was loaded."""
        return not self.load.result.has_one_use()

    def cycles(self, target: Target) -> int:
        """Cycles from the load to a load that sees the store, where what else uses the word
        gets it combined with what others have added."""
        return 1 + latency(self.op, target) * (1 + self.is_seen) + 1


@dataclass
class _Chain:
    """Updates of one kind, with no other access of their words in between."""

    begun: Update | None
    """The one that has loaded, and has to store next."""
    updates: list[Update] = field(default_factory=list[Update])

    @property
    def last(self) -> Update:
        return self.begun or self.updates[-1]

    def goes_on(self, op: word.AccessOp, update: Update | None) -> bool:
        """Whether an access, the load of an update if there is one, is what comes next."""
        if self.begun is not None:
            return op is self.begun.store
        return update is not None and update.kind == self.last.kind

    def add(self, update: Update | None) -> None:
        """Go on with the load of an update, or with the store of the one begun."""
        if self.begun is not None:
            self.updates.append(self.begun)
        self.begun = update


def update_chains(block: Block, aliases: AliasAnalysis) -> list[list[Update]]:
    """The chains of updates of a block, with at least two each."""
    by_load = {update.load: update for update in updates_of(block)}
    if len(by_load) < 2:
        return []
    chains: list[_Chain] = []
    open_chains: list[_Chain] = []
    for op in block.ops:
        if op.regions or is_opaque(type(op)):
            open_chains = []
        if not isinstance(op, word.AccessOp):
            continue
        update = by_load.get(op) if isinstance(op, word.LoadOp) else None
        current = next((chain for chain in open_chains if chain.goes_on(op, update)), None)
        root = aliases.access(op).buffer
        open_chains = [
            chain
            for chain in open_chains
            if chain is current or aliases.is_distinct(root, aliases.access(chain.last.load).buffer)
        ]
        if current is not None:
            current.add(update)
        elif update is not None:
            open_chains.append(_Chain(update))
            chains.append(open_chains[-1])
    return [chain.updates for chain in chains if len(chain.updates) > 1]


def most_scattered(block: Block, forms: AffineForms) -> list[Update]:
    """The updates of the kind of which a block has most, of those that go to words which it
    computes or loads the places of: any two may go to the same word."""
    kinds: dict[tuple[SSAValue, bool, str], list[Update]] = {}
    for update in updates_of(block):
        offset = access_of(update.load, forms).offset
        if offset is not None and any(_is_computed_in(block, v) for v in offset.terms):
            kinds.setdefault(update.kind, []).append(update)
    return max(kinds.values(), key=len) if kinds else []


def _is_computed_in(block: Block, value: SSAValue) -> bool:
    return isinstance(value.owner, Operation) and value.owner.parent is block


def updates_of(block: Block) -> Iterator[Update]:
    """All updates of single words in a block."""
    positions = {op: number for number, op in enumerate(block.ops)}
    for store in positions:
        if not isinstance(store, word.StoreOp) or store.value.type != i32:
            continue
        op = store.value.owner
        if not isinstance(op, word.BinaryOp) or op.FUNCTION not in REDUCTIONS:
            continue
        for value, other in permutations(op.operands):
            load = value.owner
            if not isinstance(load, word.LoadOp) or not {load, op} <= positions.keys():
                continue
            # Of what else the loaded word is used for, the value shall not be part: it would
            # have to wait for it.
            is_there = _position(other, positions) < positions[load]
            if _is_same_word(load, store) and (value.has_one_use() or is_there):
                yield Update(load, op, store)
                break


def _position(value: SSAValue, positions: Mapping[Operation, int]) -> int:
    """Where in a block a value comes from, -1 for before it."""
    op = value.owner
    return -1 if isinstance(op, Block) else positions.get(op, -1)


def _is_same_word(load: word.LoadOp, store: word.StoreOp) -> bool:
    return (
        load.buffer is store.buffer
        and load.offset is store.offset
        and (load.absolute is None) == (store.absolute is None)
    )
