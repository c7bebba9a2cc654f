"""Letting a loop carry memory cells as values: what is emitted around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Attribute, Operation, SSAValue

from vliw_mlir.analysis.memory_cells import Cluster
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import AfterOp, BeforeOp, Emitter
from vliw_mlir.transforms.places import Place
from vliw_mlir.transforms.promotion import Promotion
from vliw_mlir.transforms.run_guard import RunGuard, zero


@dataclass
class Promotable:
    """Words of memory to be promoted."""

    cluster: Cluster
    if_it_runs: bool
    """They may be accessed in front of and behind the loop only if it runs at all."""


def promote_in_loop(
    loop: scf.ForOp | scf.WhileOp, found: Sequence[Promotable], *, surely_runs: bool
) -> Operation:
    """Load words before a loop that stores some of each, carry them, and store them behind it.

    The result is what the loop has become.
    """
    return _Rewrite(loop, found, surely_runs).run()


@dataclass
class _Cell:
    """A word or vector to be carried by the loop as a value."""

    type: Attribute
    place: Place
    first: int
    """The number of its first word within the place."""
    if_it_runs: bool
    name: str | None

    def load(self, emitter: Emitter) -> SSAValue:
        value = self.place.load(emitter, self.first, self.type)
        value.name_hint = self.name
        return value

    def store(self, emitter: Emitter, value: SSAValue) -> None:
        self.place.store(emitter, self.first, value)


class _Rewrite:
    def __init__(
        self, loop: scf.ForOp | scf.WhileOp, found: Sequence[Promotable], surely_runs: bool
    ):
        self.loop = loop
        self.surely_runs = surely_runs
        self.before = BeforeOp(loop)
        self.cells: list[_Cell] = []
        self.accesses: dict[Operation, range] = {}
        for promotable in found:
            self._add_cells(promotable)
        self.guard = RunGuard(loop) if isinstance(loop, scf.ForOp) else None

    def _add_cells(self, promotable: Promotable) -> None:
        cluster = promotable.cluster
        place = Place.outside(cluster, self.loop, self.before)
        for access in cluster.accesses:
            self.accesses[access.op] = cluster.cells_of(access, len(self.cells))
        op = cluster.accesses[0].op
        hint = op.result.name_hint if isinstance(op, word.LoadOp) else None
        for number, type in enumerate(cluster.types):
            self.cells.append(_Cell(type, place, number, promotable.if_it_runs, hint))

    def run(self) -> Operation:
        scope = self.loop.parent_op()
        assert scope is not None
        initial = self._load()
        values = dict(enumerate(initial))
        types = [cell.type for cell in self.cells]
        Promotion(scope, types, self.accesses, values).run([self.loop])
        stored = [n for n, value in enumerate(initial) if values[n] is not value]
        loop = values[stored[0]].owner
        assert isinstance(loop, scf.ForOp | scf.WhileOp)
        self._store(loop, [(self.cells[n], values[n]) for n in stored])
        self._drop_unused(loop, [self.cells[n] for n in stored])
        return loop

    def _load(self) -> list[SSAValue]:
        """The values of the cells before the loop."""
        values = {n: c.load(self.before) for n, c in enumerate(self.cells) if not c.if_it_runs}
        guarded = {n: cell for n, cell in enumerate(self.cells) if cell.if_it_runs}
        if guarded:
            assert self.guard is not None
            types = [cell.type for cell in guarded.values()]
            loaded = self.guard.values(
                types, lambda emitter: [cell.load(emitter) for cell in guarded.values()]
            )
            for (number, cell), value in zip(guarded.items(), loaded, strict=True):
                value.name_hint = cell.name
                values[number] = value
        return [values[number] for number in range(len(self.cells))]

    def _store(self, loop: Operation, values: Sequence[tuple[_Cell, SSAValue]]) -> None:
        """Store the values of cells behind the loop."""
        after = AfterOp(loop)
        for cell, value in values:
            if not cell.if_it_runs:
                cell.store(after, value)
        guarded = [(cell, value) for cell, value in values if cell.if_it_runs]
        if not guarded:
            return
        assert self.guard is not None

        def store_all(emitter: Emitter) -> None:
            for cell, value in guarded:
                cell.store(emitter, value)

        self.guard.execute(after, store_all)

    def _drop_unused(self, loop: scf.ForOp | scf.WhileOp, cells: Sequence[_Cell]) -> None:
        """Load nothing that the loop stores before it reads it; `cells` are those it carries."""
        arguments = loop.regions[0].block.args[-len(cells) :]
        operands = range(len(loop.operands) - len(cells), len(loop.operands))
        for argument, number, cell in zip(arguments, operands, cells, strict=True):
            if argument.first_use is not None or not (self.surely_runs or cell.if_it_runs):
                continue
            value = loop.operands[number]
            loop.operands[number] = zero(BeforeOp(loop), cell.type)
            load = value.owner
            if isinstance(load, word.LoadOp) and value.first_use is None:
                load.detach()
                load.erase()
