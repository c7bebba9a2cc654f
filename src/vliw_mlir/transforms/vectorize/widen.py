"""Widening a loop: iterations become the lanes of vectors."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import VectorType, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import Emitter
from vliw_mlir.semantics import WORD_MASK
from vliw_mlir.transforms.vectorize.shapes import Shapes


@dataclass
class AtEnd(Emitter):
    """Appends ops to a block, at the source place of the op that they come from."""

    block: Block
    source: Operation

    def append(self, op: Operation) -> None:
        op.location = self.source.location
        self.block.add_op(op)


class Widener:
    """Emits the wide form of the ops of a loop.

    A wide iteration does several vectors of iterations: `starts` says with which iteration,
    counted from the one whose counter is given, each vector begins.
    """

    def __init__(self, shapes: Shapes, vlen: int, starts: Sequence[int]):
        self.shapes = shapes
        self.vlen = vlen
        self.starts = starts
        self._values: dict[SSAValue, list[SSAValue]] = {}
        """Uniform values: the value. Strided values: the word of iteration 0. Varying values:
        the vectors."""
        self._made: list[dict[SSAValue, list[SSAValue]]] = [{}]
        """Vectors made of values that are not varying, per block being emitted."""
        self.mask: list[SSAValue] | None = None
        """For each vector, which lanes go on in the loop being emitted; None if all do."""

    @property
    def parts(self) -> int:
        """How many vectors a wide iteration does."""
        return len(self.starts)

    def repeated(self, part: int) -> int:
        """How many lanes at the start of a vector are iterations that were done before."""
        end = self.starts[part - 1] + self.vlen if part else 0
        return max(0, end - self.starts[part])

    @contextmanager
    def scope(self) -> Generator[None]:
        """Emit ops into a block of their own inside of a `with` statement."""
        self._made.append({})
        yield
        self._made.pop()

    @contextmanager
    def masked(self, mask: list[SSAValue]) -> Generator[None]:
        """Keep lanes that do not go on from trapping, inside of a `with` statement."""
        outer, self.mask = self.mask, mask
        yield
        self.mask = outer

    def begin(self, counter: SSAValue) -> None:
        """Let `counter` be the counter of the loop in iteration 0."""
        self._values[self.shapes.loop.body.block.args[0]] = [counter]

    def scalar(self, value: SSAValue) -> SSAValue:
        """A uniform value, or what a strided one is in iteration 0."""
        found = self._values.get(value)
        return value if found is None else found[0]

    def vectors(self, value: SSAValue, e: Emitter) -> list[SSAValue]:
        """All lanes of `value`."""
        if self.shapes.of(value).is_varying:
            return self._values[value]
        for known in self._made:
            if value in known:
                return known[value]
        made = self._made[-1][value] = self._spread(value, e)
        return made

    def _spread(self, value: SSAValue, e: Emitter) -> list[SSAValue]:
        stride = self.shapes.of(value).stride
        first = e.emit(word.BroadcastOp(self.scalar(value), self.vlen))
        if not stride:
            return [first] * self.parts
        steps = [(self.starts[0] + lane) * stride & WORD_MASK for lane in range(self.vlen)]
        first = e.function("add", first, e.emit(word.ConstantOp(steps)))
        return [first, *(self._moved(first, start * stride, e) for start in self._distances[1:])]

    @property
    def _distances(self) -> list[int]:
        """How far each vector is from the first one, in iterations."""
        return [start - self.starts[0] for start in self.starts]

    @staticmethod
    def _moved(value: SSAValue, distance: int, e: Emitter) -> SSAValue:
        return e.function("add", value, e.splat(distance, value)) if distance else value

    def starting_at(self, value: SSAValue, e: Emitter) -> list[SSAValue]:
        """What a strided value is in the first lane of each vector."""
        stride = self.shapes.of(value).stride
        assert stride is not None
        return [self._moved(self.scalar(value), start * stride, e) for start in self.starts]

    def as_shaped(self, value: SSAValue, like: SSAValue, e: Emitter) -> list[SSAValue]:
        """`value` in the form that `like`, which takes it on, has."""
        return self.vectors(value, e) if self.shapes.of(like).is_varying else [self.scalar(value)]

    def set(self, old: SSAValue, new: Sequence[SSAValue]) -> None:
        """Let `new` be the wide form of `old`."""
        for value in new:
            value.name_hint = value.name_hint or old.name_hint
        self._values[old] = list(new)

    def widen(self, op: Operation, e: AtEnd) -> None:
        """Emit the wide form of one op."""
        match op:
            case scf.ForOp():
                self._for(op, e)
            case scf.IfOp():
                self._if(op, e)
            case word.ArithmeticOp() if self.shapes.of(op.result).is_varying:
                operands = [self.vectors(value, e) for value in op.operands]
                if op.function.traps:
                    operands[1] = self._harmless(operands[1], 1, e)
                results = [
                    e.function(op.function.name, *part) for part in zip(*operands, strict=True)
                ]
                self.set(op.result, results)
            case word.LoadOp() if self.shapes.of(op.result).is_varying:
                self._load(op, e)
            case word.StoreOp():
                self._store(op, e)
            case word.TestOp() if self.shapes.of(op.result).is_varying:
                # The loop that it ends for some lanes asks whether it does for all.
                pass
            case _:
                new = op.clone({v: self.scalar(v) for v in op.operands})
                e.append(new)
                for old, result in zip(op.results, new.results, strict=True):
                    self.set(old, [result])

    def _load(self, op: word.LoadOp, e: AtEnd) -> None:
        buffer = self.scalar(op.buffer)
        type = VectorType(i32, [self.vlen])
        results: list[SSAValue] = []
        if self.shapes.of(op.offset).stride == 1 and self.mask is None:
            loads = [word.LoadOp(buffer, at, type) for at in self.starting_at(op.offset, e)]
        else:
            offsets = self._harmless(self.vectors(op.offset, e), 0, e)
            loads = [word.GatherOp(buffer, at) for at in offsets]
        for load in loads:
            load.absolute = op.absolute
            results.append(e.emit(load))
        self.set(op.result, results)

    def _harmless(self, vectors: list[SSAValue], value: int, e: Emitter) -> list[SSAValue]:
        """Vectors with a harmless value in lanes that do not go on."""
        if self.mask is None:
            return vectors
        return [
            e.function("select", mask, vector, e.splat(value, vector))
            for mask, vector in zip(self.mask, vectors, strict=True)
        ]

    def _store(self, op: word.StoreOp, e: AtEnd) -> None:
        buffer, values = self.scalar(op.buffer), self.vectors(op.value, e)
        if self.shapes.of(op.offset).stride == 1:
            places, kind = self.starting_at(op.offset, e), word.StoreOp
        else:
            places, kind = self.vectors(op.offset, e), word.ScatterOp
        for value, place in zip(values, places, strict=True):
            store = kind(value, buffer, place)
            store.absolute = op.absolute
            e.append(store)

    # Regions

    def _for(self, op: scf.ForOp, e: AtEnd) -> None:
        inits = [
            value
            for init, result in zip(op.iter_args, op.results, strict=True)
            for value in self.as_shaped(init, result, e)
        ]
        body = Block(arg_types=[i32, *(v.type for v in inits)])
        old = op.body.block
        self.set(old.args[0], body.args[:1])
        self.take(old.args[1:], body.args[1:])
        self._block(old, op.results, body)
        bounds = [self.scalar(v) for v in (op.lb, op.ub, op.step)]
        new = scf.ForOp(bounds[0], bounds[1], bounds[2], inits, Region(body))
        new.attributes.update(op.attributes)
        e.append(new)
        self.take(op.results, new.results)

    def _if(self, op: scf.IfOp, e: AtEnd) -> None:
        regions: list[Region] = []
        for region in (op.true_region, op.false_region):
            new = Region()
            for block in region.blocks:
                new.add_block(Block())
                self._block(block, op.results, new.block)
            regions.append(new)
        types = [type for result in op.results for type in self._wide_types(result)]
        new_if = scf.IfOp(self.scalar(op.cond), types, regions[0], regions[1])
        e.append(new_if)
        self.take(op.results, new_if.results)

    def _wide_types(self, value: SSAValue) -> list[Attribute]:
        varying = self.shapes.of(value).is_varying
        return [VectorType(i32, [self.vlen])] * self.parts if varying else [value.type]

    def take(self, old: Sequence[SSAValue], new: Sequence[SSAValue]) -> None:
        """Let consecutive values of `new` be the wide forms of those of `old`."""
        position = 0
        for value in old:
            count = len(self._wide_types(value))
            self.set(value, new[position : position + count])
            position += count

    def _block(self, old: Block, results: Sequence[SSAValue], new: Block) -> None:
        """Emit the wide form of `old`, which hands on what becomes `results`, into `new`."""
        *ops, end = old.ops
        with self.scope():
            for op in ops:
                self.widen(op, AtEnd(new, op))
            e = AtEnd(new, end)
            values = [
                value
                for given, result in zip(end.operands, results, strict=True)
                for value in self.as_shaped(given, result, e)
            ]
            e.append(scf.YieldOp(*values))
