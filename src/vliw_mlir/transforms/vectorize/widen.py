"""Widening a loop: VLEN iterations become the lanes of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, UnitAttr, VectorType, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from vliw_mlir.analysis.bounds import EXPECTED_TRIPS, UNKNOWN_TRIPS
from vliw_mlir.analysis.loops import Bounds, constant_bounds, constant_word
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp, Emitter
from vliw_mlir.semantics import REDUCTIONS, WORD_MASK
from vliw_mlir.transforms.vectorize.shapes import Illegal, Shapes

WIDENED = "vliw.widened"
"""Marks a loop that is not to be widened: it was, or it is what such a loop leaves over."""


@dataclass
class AtEnd(Emitter):
    """Appends ops to a block, at the source place of the op that they come from."""

    block: Block
    source: Operation

    def append(self, op: Operation) -> None:
        op.location = self.source.location
        self.block.add_op(op)


def widen_loop(loop: scf.ForOp, shapes: Shapes, reductions: Sequence[str], vlen: int) -> scf.ForOp:
    """Replace `loop` by one that does `vlen` iterations at once, and one for what is left.

    `reductions` names the function by which each carried value is reduced. The wide loop is
    the result. Raises `Illegal` when the number of iterations cannot be divided.
    """
    bounds = constant_bounds(loop)
    if bounds is not None and bounds.trips < vlen:
        raise Illegal(f"it runs {bounds.trips} times, less than the {vlen} lanes of a vector")
    before = BeforeOp(loop)
    upper, exact = _wide_upper_bound(loop, bounds, vlen, before)
    inits = [before.emit(word.ConstantOp([REDUCTIONS[function]] * vlen)) for function in reductions]
    body = Block(arg_types=[i32, *(v.type for v in inits)])
    widener = _Widener(shapes, vlen)
    widener.take_arguments(loop.body.block, body)
    widener.widen_block(loop.body.block, body)
    step = constant_word(loop.step)
    assert step is not None
    wide = scf.ForOp(loop.lb, upper, before.constant(step * vlen), inits, Region(body))
    wide.attributes.update(loop.attributes)
    wide.attributes[WIDENED] = UnitAttr()
    before.append(wide)
    totals = [
        before.function(function, init, _reduce_lanes(before, function, lanes, vlen))
        for function, init, lanes in zip(reductions, loop.iter_args, wide.results, strict=True)
    ]
    if not exact:
        rest = loop.clone()
        rest.attributes[WIDENED] = UnitAttr()
        if bounds is None:
            wide.attributes[EXPECTED_TRIPS] = IntegerAttr(UNKNOWN_TRIPS // vlen, i64)
            rest.attributes[EXPECTED_TRIPS] = IntegerAttr(vlen // 2, i64)
        rest.operands[0] = upper
        for number, total in enumerate(totals):
            rest.operands[3 + number] = total
        before.append(rest)
        totals = list(rest.results)
    for old, new in zip(loop.results, totals, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    block = loop.parent
    assert block is not None
    block.erase_op(loop)
    return wide


def _wide_upper_bound(
    loop: scf.ForOp, bounds: Bounds | None, vlen: int, e: BeforeOp
) -> tuple[SSAValue, bool]:
    """Where whole groups of iterations end, and whether nothing is left after them."""
    if bounds is not None:
        whole = bounds.trips - bounds.trips % vlen
        exact = whole == bounds.trips
        upper = loop.ub if exact else e.constant(bounds.low + whole * bounds.step)
        return upper, exact
    if not _is_one(loop.step):
        raise Illegal("its bounds are not constant and its step is not 1")
    # Signed bounds: without iterations the end is the start; else the difference fits a word.
    end = e.function("maxs", loop.ub, loop.lb)
    count = e.function("sub", end, loop.lb)
    whole = e.function("and", count, e.constant(-vlen & WORD_MASK))
    return e.function("add", loop.lb, whole), False


def _is_one(value: SSAValue) -> bool:
    return isinstance(value.owner, word.ConstantOp) and value.owner.word() == 1


def _reduce_lanes(e: Emitter, function: str, lanes: SSAValue, vlen: int) -> SSAValue:
    """All lanes combined, as a balanced tree."""
    values = [e.emit(word.ExtractOp(lanes, lane)) for lane in range(vlen)]
    while len(values) > 1:
        paired = [
            e.function(function, a, b) for a, b in zip(values[::2], values[1::2], strict=False)
        ]
        values = paired + values[2 * len(paired) :]
    return values[0]


class _Widener:
    """Emits the wide form of the ops of a loop."""

    def __init__(self, shapes: Shapes, vlen: int):
        self.shapes = shapes
        self.vlen = vlen
        self.values: dict[SSAValue, SSAValue] = {}
        """Uniform and strided values: lane 0. Varying values: the vector."""
        self.vectors: list[dict[SSAValue, SSAValue]] = []
        """Vectors made of values that are not varying, per block being emitted."""

    def take_arguments(self, old: Block, new: Block) -> None:
        for old_arg, new_arg in zip(old.args, new.args, strict=True):
            new_arg.name_hint = old_arg.name_hint
            self.values[old_arg] = new_arg

    def widen_block(self, old: Block, new: Block) -> None:
        """Emit the wide form of the ops of `old` into `new`."""
        self.vectors.append({})
        for op in old.ops:
            self._widen(op, AtEnd(new, op))
        self.vectors.pop()

    def lane0(self, value: SSAValue) -> SSAValue:
        return self.values.get(value, value)

    def vector(self, value: SSAValue, e: Emitter) -> SSAValue:
        """All lanes of `value`."""
        shape = self.shapes.of(value)
        if shape.is_varying:
            return self.lane0(value)
        for known in self.vectors:
            if value in known:
                return known[value]
        vector = e.emit(word.BroadcastOp(self.lane0(value), self.vlen))
        if shape.stride:
            steps = [lane * shape.stride & WORD_MASK for lane in range(self.vlen)]
            vector = e.function("add", vector, e.emit(word.ConstantOp(steps)))
        self.vectors[-1][value] = vector
        return vector

    def as_shaped(self, value: SSAValue, like: SSAValue, e: Emitter) -> SSAValue:
        """`value` in the form that `like`, which takes it on, has."""
        return self.vector(value, e) if self.shapes.of(like).is_varying else self.lane0(value)

    def wide_type(self, value: SSAValue) -> Attribute:
        varying = self.shapes.of(value).is_varying
        return VectorType(i32, [self.vlen]) if varying else value.type

    def set(self, old: SSAValue, new: SSAValue) -> None:
        new.name_hint = old.name_hint
        self.values[old] = new

    def _widen(self, op: Operation, e: AtEnd) -> None:
        match op:
            case scf.ForOp():
                self._for(op, e)
            case scf.IfOp():
                self._if(op, e)
            case scf.YieldOp():
                self._yield(op, e)
            case word.ArithmeticOp() if self.shapes.of(op.result).is_varying:
                operands = [self.vector(value, e) for value in op.operands]
                self.set(op.result, e.function(op.function.name, *operands))
            case word.LoadOp() if self.shapes.of(op.result).is_varying:
                self.set(op.result, self._load(op, e))
            case word.StoreOp():
                self._store(op, e)
            case _:
                new = op.clone({v: self.lane0(v) for v in op.operands})
                e.append(new)
                for old, result in zip(op.results, new.results, strict=True):
                    self.set(old, result)

    def _load(self, op: word.LoadOp, e: AtEnd) -> SSAValue:
        buffer = self.lane0(op.buffer)
        if self.shapes.of(op.offset).stride == 1:
            load = word.LoadOp(buffer, self.lane0(op.offset), VectorType(i32, [self.vlen]))
        else:
            load = word.GatherOp(buffer, self.vector(op.offset, e))
        load.absolute = op.absolute
        return e.emit(load)

    def _store(self, op: word.StoreOp, e: AtEnd) -> None:
        buffer, value = self.lane0(op.buffer), self.vector(op.value, e)
        if self.shapes.of(op.offset).stride == 1:
            store = word.StoreOp(value, buffer, self.lane0(op.offset))
        else:
            store = word.ScatterOp(value, buffer, self.vector(op.offset, e))
        store.absolute = op.absolute
        e.append(store)

    def _yield(self, op: scf.YieldOp, e: AtEnd) -> None:
        parent = op.parent_op()
        if parent is self.shapes.loop:
            e.append(scf.YieldOp(*[self.vector(value, e) for value in op.operands]))
            return
        assert parent is not None
        values = [
            self.as_shaped(value, result, e)
            for value, result in zip(op.operands, parent.results, strict=True)
        ]
        e.append(scf.YieldOp(*values))

    def _for(self, op: scf.ForOp, e: AtEnd) -> None:
        inits = [self.as_shaped(v, r, e) for v, r in zip(op.iter_args, op.results, strict=True)]
        body = Block(arg_types=[i32, *(v.type for v in inits)])
        self.take_arguments(op.body.block, body)
        self.widen_block(op.body.block, body)
        bounds = [self.lane0(v) for v in (op.lb, op.ub, op.step)]
        new = scf.ForOp(bounds[0], bounds[1], bounds[2], inits, Region(body))
        new.attributes.update(op.attributes)
        e.append(new)
        for old, result in zip(op.results, new.results, strict=True):
            self.set(old, result)

    def _if(self, op: scf.IfOp, e: AtEnd) -> None:
        regions: list[Region] = []
        for region in (op.true_region, op.false_region):
            new = Region()
            for block in region.blocks:
                new.add_block(Block())
                self.widen_block(block, new.block)
            regions.append(new)
        types = [self.wide_type(result) for result in op.results]
        new_if = scf.IfOp(self.lane0(op.cond), types, regions[0], regions[1])
        e.append(new_if)
        for old, result in zip(op.results, new_if.results, strict=True):
            self.set(old, result)
