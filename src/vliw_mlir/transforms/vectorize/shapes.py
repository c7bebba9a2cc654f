"""How a value of a loop differs between the iterations that become lanes."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Operation, SSAValue

from vliw_mlir.analysis.loops import constant_word, is_defined_in
from vliw_mlir.dialects import word
from vliw_mlir.semantics import WORD_BITS, WORD_MASK, to_signed


@dataclass(frozen=True)
class Shape:
    """What lane k of a value is, given what lane 0 is."""

    stride: int | None
    """Each lane is this much more than the one before (modulo 2^32): 0 for a value that all
    lanes share. None when the lanes are unrelated."""

    @property
    def is_uniform(self) -> bool:
        return self.stride == 0

    @property
    def is_varying(self) -> bool:
        return self.stride is None


UNIFORM = Shape(0)
VARYING = Shape(None)


def join(a: Shape, b: Shape) -> Shape:
    """The shape of a value that is one or the other, the same for all lanes."""
    return a if a == b else VARYING


class Illegal(Exception):
    """A loop cannot be widened; the message says why."""


class Shapes:
    """The shapes of all values in a loop.

    `carried` are the shapes of what the loop itself carries. Raises `Illegal` for ops that
    cannot be widened.
    """

    def __init__(self, loop: scf.ForOp, carried: list[Shape]):
        step = constant_word(loop.step)
        if step is None:
            raise Illegal("its step is not constant")
        self.loop = loop
        self.uneven: set[scf.ForOp] = set()
        """Inner loops whose bounds differ between iterations."""
        self._is_masked = False
        """Whether some lanes may have left a loop around what is looked at."""
        counter, *args = loop.body.block.args
        self._shapes: dict[SSAValue, Shape] = {counter: Shape(to_signed(step))}
        self._shapes.update(zip(args, carried, strict=True))
        self._visit_block(loop.body.block)

    def of(self, value: SSAValue) -> Shape:
        """The shape of `value`; what is defined outside of the loop is uniform."""
        shape = self._shapes.get(value)
        if shape is None:
            assert not is_defined_in(value, self.loop)
            return UNIFORM
        return shape

    def _visit_block(self, block: Block) -> None:
        for op in block.ops:
            self._visit(op)

    def _visit(self, op: Operation) -> None:
        match op:
            case scf.ForOp():
                self._visit_for(op)
            case scf.WhileOp():
                self._visit_while(op)
            case scf.IfOp():
                self._visit_if(op)
            case scf.YieldOp() | scf.ConditionOp():
                pass
            case word.ArithmeticOp() if word.lanes_of(op.result.type) is None:
                self._shapes[op.result] = self._arithmetic(op)
            case word.ConstantOp() | word.AddressOp() | word.SubbufferOp() | word.TestOp():
                self._shapes[op.results[0]] = self._same_if_uniform(op)
            case word.LoadOp() if word.lanes_of(op.result.type) is None:
                self._require_uniform(op.buffer, op)
                uniform = self.of(op.offset).is_uniform
                if self._is_masked and not uniform and not _has_first_word(op):
                    raise Illegal(f"lanes that have left a loop may not execute '{op.name}'")
                self._shapes[op.result] = UNIFORM if uniform else VARYING
            case word.StoreOp() if word.lanes_of(op.value.type) is None:
                self._require_uniform(op.buffer, op)
                if self.of(op.offset).is_uniform:
                    raise Illegal("all iterations store to the same word")
            case _:
                raise Illegal(f"'{op.name}' cannot be widened")

    def _require_uniform(self, value: SSAValue, op: Operation) -> None:
        if not self.of(value).is_uniform:
            raise Illegal(f"an operand of '{op.name}' differs between iterations")

    def _same_if_uniform(self, op: Operation) -> Shape:
        if all(self.of(value).is_uniform for value in op.operands):
            return UNIFORM
        if isinstance(op, word.TestOp):
            # Whoever branches on it will refuse.
            return VARYING
        raise Illegal(f"an operand of '{op.name}' differs between iterations")

    def _arithmetic(self, op: word.ArithmeticOp) -> Shape:
        shapes = [self.of(value) for value in op.operands]
        if all(shape.is_uniform for shape in shapes):
            return UNIFORM
        strides = [shape.stride for shape in shapes]
        if any(stride is None for stride in strides):
            return VARYING
        a, b = (to_signed(stride or 0) for stride in strides[:2])
        match op:
            case word.AddOp():
                return _strided(a + b)
            case word.SubOp():
                return _strided(a - b)
            case word.MulOp():
                for value, stride in ((op.rhs, a), (op.lhs, b)):
                    if (factor := constant_word(value)) is not None:
                        return _strided(stride * factor)
            case word.ShlOp():
                count = constant_word(op.rhs)
                if count is not None and count < WORD_BITS:
                    return _strided(a << count)
            case _:
                pass
        return VARYING

    def _visit_for(self, op: scf.ForOp) -> None:
        if not all(self.of(bound).is_uniform for bound in (op.lb, op.ub, op.step)):
            self._visit_uneven(op)
            return
        counter, *args = op.body.block.args
        self._shapes[counter] = UNIFORM
        last = op.body.block.last_op
        assert last is not None
        shapes = [self.of(value) for value in op.iter_args]
        while True:
            self._shapes.update(zip(args, shapes, strict=True))
            self._visit_block(op.body.block)
            joined = [
                join(shape, self.of(value))
                for shape, value in zip(shapes, last.operands, strict=True)
            ]
            if joined == shapes:
                break
            shapes = joined
        self._shapes.update(zip(op.results, shapes, strict=True))

    def _visit_uneven(self, op: scf.ForOp) -> None:
        """A loop that lanes leave at different times as their bounds differ."""
        _require_words_only(op)
        self.uneven.add(op)
        self._shapes.update(dict.fromkeys((*op.body.block.args, *op.results), VARYING))
        self._visit_masked(op.body.block)

    def _visit_while(self, op: scf.WhileOp) -> None:
        """A loop that lanes leave at different times."""
        _require_words_only(op)
        before, after = op.before_region.block, op.after_region.block
        condition = before.last_op
        if not isinstance(condition, scf.ConditionOp):
            raise Illegal("an 'scf.while' does not end in 'scf.condition'")
        if not isinstance(condition.condition.owner, word.TestOp):
            raise Illegal("the condition of an 'scf.while' is not a word")
        values = (*before.args, *after.args, *op.results)
        self._shapes.update(dict.fromkeys(values, VARYING))
        self._visit_block(before)
        self._visit_masked(after)

    def _visit_masked(self, block: Block) -> None:
        outer, self._is_masked = self._is_masked, True
        self._visit_block(block)
        self._is_masked = outer

    def _visit_if(self, op: scf.IfOp) -> None:
        if not self.of(op.cond).is_uniform:
            raise Illegal("an 'scf.if' depends on the iteration; if-conversion may remove it")
        sides: list[list[Shape]] = []
        for region in (op.true_region, op.false_region):
            for block in region.blocks:
                self._visit_block(block)
                last = block.last_op
                sides.append([self.of(value) for value in last.operands] if last else [])
        for number, result in enumerate(op.results):
            shapes = [side[number] for side in sides]
            # Either side is taken by all lanes, but two strided values may be far apart.
            self._shapes[result] = join(shapes[0], shapes[1])


def _require_words_only(op: Operation) -> None:
    """Raise `Illegal` unless lanes that have left the loop `op` can be carried along."""
    for inner in op.walk():
        if isinstance(inner, word.StoreOp):
            raise Illegal("an inner loop that lanes leave at different times stores to memory")
    if any(value.type != i32 for value in (*op.operands, *op.results)):
        raise Illegal("an inner loop carries other values than words")


def _has_first_word(op: word.LoadOp) -> bool:
    """Whether a load can load the first word of its buffer instead."""
    type = op.buffer.type
    return op.absolute is None and isinstance(type, word.BufferType) and bool(type.words)


def _strided(stride: int) -> Shape:
    return Shape(to_signed(stride & WORD_MASK))
