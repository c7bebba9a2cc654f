"""Emitting word functions at each level."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr, TensorType, VectorType, i32
from xdsl.dialects.test import TestOp as Value
from xdsl.ir import Attribute, Block, Operation, SSAValue

from vliw_mlir.dialects import kernel, word
from vliw_mlir.dialects.emitter import BeforeOp, Emitter
from vliw_mlir.semantics import COMPARISONS, FUNCTIONS
from vliw_mlir.verifier import verify_operation

VECTOR, TENSOR = VectorType(i32, [3]), TensorType(i32, [2, 2])


class Recorder(Emitter):
    def __init__(self) -> None:
        self.ops: list[Operation] = []

    def append(self, op: Operation) -> None:
        verify_operation(op)
        self.ops.append(op)


def value(type: Attribute) -> SSAValue:
    return Value(result_types=[type]).results[0]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("type", [i32, VECTOR, TENSOR])
def test_function(type: Attribute, name: str) -> None:
    emitter = Recorder()
    result = emitter.function(name, *[value(type)] * FUNCTIONS[name].arity)
    (op,) = emitter.ops
    level = kernel.ElementwiseOp if type == TENSOR else word.ArithmeticOp
    assert isinstance(op, level)
    assert op.function is FUNCTIONS[name]
    assert result is op.results[0]
    assert result.type == type
    assert isinstance(op, kernel.CmpOp | word.CmpOp) == (name in COMPARISONS)


@pytest.mark.parametrize(("type", "ops"), [(i32, 1), (VECTOR, 1), (TENSOR, 2)])
def test_splat(type: Attribute, ops: int) -> None:
    emitter = Recorder()
    assert emitter.splat(-1, value(type)).type == type
    assert len(emitter.ops) == ops
    constant = emitter.ops[0]
    assert isinstance(constant, word.ConstantOp)
    assert set(constant.words()) == {0xFFFFFFFF}


@pytest.mark.parametrize(("type", "ops"), [(i32, 0), (VECTOR, 1), (TENSOR, 1)])
def test_broadcast(type: Attribute, ops: int) -> None:
    emitter = Recorder()
    assert emitter.broadcast(value(i32), value(type)).type == type
    assert len(emitter.ops) == ops


def test_index_is_a_word_or_becomes_one() -> None:
    emitter = Recorder()
    computed = value(i32)
    assert emitter.as_word(computed) is computed
    assert not emitter.ops
    assert emitter.as_word(-2).type == i32


def test_before_an_op_and_at_its_place() -> None:
    block = Block([Value(), last := Value()])
    last.location = FileLineColLoc(StringAttr("a"), IntAttr(1), IntAttr(2))
    emitter = BeforeOp(last)
    first, second = emitter.constant(1).owner, emitter.constant(2).owner
    assert list(block.ops)[1:] == [first, second, last]
    assert first.location == second.location == last.location
