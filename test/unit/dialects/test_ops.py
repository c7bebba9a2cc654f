"""The op classes: constructors, and that they agree with the table of word functions."""

from __future__ import annotations

from types import ModuleType

import pytest
from xdsl.dialects.builtin import VectorType, i32
from xdsl.dialects.test import TestOp as Value
from xdsl.ir import Operation
from xdsl.traits import Commutative, ConstantLike, is_speculatable
from xdsl.utils.exceptions import VerifyException

from vliw_mlir.dialects import kernel, word
from vliw_mlir.semantics import COMPARISONS, FUNCTIONS, REDUCTIONS
from vliw_mlir.verifier import verify_operation

V3 = VectorType(i32, [3])
OTHERS = {"select", "multiply_add"}


def value(type: object = i32) -> Operation:
    return Value(result_types=[type])


@pytest.mark.parametrize("level", [word, kernel])
def test_every_function_has_an_op(level: ModuleType) -> None:
    assert level.BINARY_OP_BY_FUNCTION.keys() | OTHERS | set(COMPARISONS) == FUNCTIONS.keys()
    assert {p.value for p in word.Predicate} == set(COMPARISONS)


@pytest.mark.parametrize("level", [word, kernel])
@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n in word.BINARY_OP_BY_FUNCTION])
def test_op_says_what_its_function_is(level: ModuleType, name: str) -> None:
    op = level.BINARY_OP_BY_FUNCTION[name]
    assert op.name == f"{level.__name__.rpartition('.')[2]}.{name}"
    assert op.has_trait(Commutative) == FUNCTIONS[name].commutative
    made = op.create(operands=[], result_types=[])
    assert is_speculatable(made) != FUNCTIONS[name].traps
    assert made.function is FUNCTIONS[name]


def test_reduction_kinds() -> None:
    assert {kind.value for kind in kernel.ReductionKind} == set(REDUCTIONS)


@pytest.mark.parametrize(
    ("given", "kept"),
    [(0, 0), (-1, 0xFFFFFFFF), (2**32 - 1, 0xFFFFFFFF), (2**31, 2**31), (2**32 + 5, 5)],
)
def test_constants_are_words(given: int, kept: int) -> None:
    assert word.ConstantOp(given).word() == kept
    assert word.ConstantOp(given).words() == (kept,)
    vector = word.ConstantOp([given, 7])
    verify_operation(vector)
    assert vector.words() == (kept, 7)
    with pytest.raises(ValueError, match="not a scalar constant"):
        vector.word()


def test_splat_constant_has_all_lanes() -> None:
    assert word.ConstantOp([7] * 4).words() == (7, 7, 7, 7)


def test_constants_are_constant_like() -> None:
    assert word.ConstantOp(1).has_trait(ConstantLike)
    assert kernel.ConstantOp.has_trait(ConstantLike)


def test_lanes() -> None:
    assert word.lanes_of(i32) is None
    assert word.lanes_of(V3) == 3


@pytest.mark.parametrize(("size", "words"), [(16, 16), (0, 0), (None, None)])
def test_buffer_sizes(size: int | None, words: int | None) -> None:
    assert word.BufferType(size).words == words
    assert word.BufferType(size) == word.BufferType(word.BufferType(size).size)


def test_negative_buffer_size() -> None:
    with pytest.raises(VerifyException, match="must not be negative"):
        word.BufferType(-2)


def test_constructors_make_what_verifies() -> None:
    x, v, b = value(), value(V3), value(word.BufferType(8))
    ops = [
        word.CmpOp("ult", x, x),
        word.CmpOp("sge", v, v),
        word.SelectOp(v, v, v),
        word.MultiplyAddOp(x, x, x),
        word.BroadcastOp(x, 4),
        word.FromElementsOp([x, x]),
        word.ExtractOp(v, 2),
        word.InsertOp(x, v, 0),
        word.TestOp(x),
        word.AllocOp(8),
        word.AllocOp(2, [1, 2**32 - 1]),
        word.AddressOp(b),
        word.SubbufferOp(b, x, 4),
        word.SubbufferOp(b, x, None),
        word.LoadOp(b, x),
        word.LoadOp(b, x, V3),
        word.StoreOp(x, b, x),
        word.StoreOp(v, b, x),
        word.GatherOp(b, v),
        word.ScatterOp(v, b, v),
        word.TraceWriteOp(x),
        word.PauseOp(),
        word.CoreIdOp(),
        word.CompareOp(x, ["a"]),
        word.CompareOp(v, ["a", "b", "c"]),
    ]
    for op in ops:
        verify_operation(op)
    assert ops[10].init_words() == (1, 2**32 - 1)
    assert ops[9].init_words() is None
