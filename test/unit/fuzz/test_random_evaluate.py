"""The meaning that random programs are compared with, on cases with known answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from support.random_ast import (
    I1,
    I32,
    INDEX,
    Argument,
    Block,
    Function,
    Int,
    Mem,
    Op,
    Program,
    Region,
    Type,
    Value,
)
from support.random_evaluate import (
    Invalid,
    Trap,
    binary,
    cast,
    compare,
    evaluate,
    extended,
)

I8 = Int("i8", 8)
I16 = Int("i16", 16)


@pytest.mark.parametrize(
    ("name", "a", "b", "width", "expected"),
    [
        ("arith.addi", 0xFFFFFFFF, 1, 32, 0),
        ("arith.addi", 200, 100, 8, 44),
        ("arith.addi", 1, 1, 1, 0),
        ("arith.subi", 0, 1, 16, 0xFFFF),
        ("arith.muli", 0x10000, 0x10000, 32, 0),
        ("arith.shli", 1, 31, 32, 0x80000000),
        ("arith.shli", 1, 32, 32, 0),
        ("arith.shli", 1, 9, 8, 0),
        ("arith.shli", 1, 33, 32, 0),
        ("arith.shrui", 0x80000000, 31, 32, 1),
        ("arith.shrui", 0x80000000, 32, 32, 0),
        ("arith.shrui", 0xFF, 200, 8, 0),
        ("arith.shrsi", 0x80000000, 4, 32, 0xF8000000),
        ("arith.shrsi", 0x80000000, 99, 32, 0xFFFFFFFF),
        ("arith.shrsi", 0x80, 255, 8, 0xFF),
        ("arith.shrsi", 0x7F, 8, 8, 0),
        ("arith.divui", 0xFFFFFFFF, 2, 32, 0x7FFFFFFF),
        ("arith.divsi", 0xFFFFFFF9, 2, 32, 0xFFFFFFFD),
        ("arith.divsi", 0x80000000, 0xFFFFFFFF, 32, 0x80000000),
        ("arith.divsi", 0x80, 0xFF, 8, 0x80),
        ("arith.divsi", 1, 1, 1, 1),
        ("arith.remsi", 0xFFFFFFF9, 2, 32, 0xFFFFFFFF),
        ("arith.remsi", 7, 0xFFFFFFFE, 32, 1),
        ("arith.remui", 0xFFFFFFFF, 10, 32, 5),
        ("arith.ceildivui", 7, 2, 32, 4),
        ("arith.ceildivui", 0xFFFFFFFF, 2, 32, 0x80000000),
        ("arith.ceildivsi", 0xFFFFFFF9, 2, 32, 0xFFFFFFFD),
        ("arith.ceildivsi", 7, 2, 32, 4),
        ("arith.floordivsi", 0xFFFFFFF9, 2, 32, 0xFFFFFFFC),
        ("arith.floordivsi", 7, 0xFE, 8, 0xFC),
        ("arith.minsi", 0xFF, 1, 8, 0xFF),
        ("arith.minui", 0xFF, 1, 8, 1),
        ("arith.maxsi", 0x8000, 0x7FFF, 16, 0x7FFF),
        ("arith.maxui", 0x8000, 0x7FFF, 16, 0x8000),
    ],
)
def test_binary(name: str, a: int, b: int, width: int, expected: int) -> None:
    assert binary(name, a, b, width) == expected


@pytest.mark.parametrize("name", ["arith.divui", "arith.remsi", "arith.ceildivsi"])
def test_division_by_zero_traps(name: str) -> None:
    with pytest.raises(Trap):
        binary(name, 5, 0, 32)


@pytest.mark.parametrize(
    ("predicate", "a", "b", "width", "expected"),
    [
        ("slt", 0xFF, 0, 8, 1),
        ("ult", 0xFF, 0, 8, 0),
        ("slt", 1, 0, 1, 1),
        ("sge", 0x7FFFFFFF, 0x80000000, 32, 1),
        ("ule", 3, 3, 32, 1),
        ("eq", 0xFFFF, 0xFFFF, 16, 1),
        ("ne", 0xFFFF, 0xFFFF, 16, 0),
    ],
)
def test_compare(predicate: str, a: int, b: int, width: int, expected: int) -> None:
    assert compare(predicate, a, b, width) == expected


@pytest.mark.parametrize(
    ("name", "a", "b", "width", "expected"),
    [
        ("arith.addui_extended", 0xFFFFFFFF, 2, 32, (1, 1)),
        ("arith.addui_extended", 200, 50, 8, (250, 0)),
        ("arith.subui_extended", 1, 2, 8, (0xFF, 1)),
        ("arith.mului_extended", 0xFFFFFFFF, 0xFFFFFFFF, 32, (1, 0xFFFFFFFE)),
        ("arith.mului_extended", 0xFF, 0xFF, 8, (1, 0xFE)),
        ("arith.mulsi_extended", 0xFFFFFFFF, 0xFFFFFFFF, 32, (1, 0)),
        ("arith.mulsi_extended", 0x80, 2, 8, (0, 0xFF)),
    ],
)
def test_extended(name: str, a: int, b: int, width: int, expected: tuple[int, int]) -> None:
    assert extended(name, a, b, width) == expected


@pytest.mark.parametrize(
    ("name", "value", "source", "target", "expected"),
    [
        ("arith.extsi", 0x80, I8, I32, 0xFFFFFF80),
        ("arith.extsi", 1, I1, I8, 0xFF),
        ("arith.extui", 0x80, I8, I32, 0x80),
        ("arith.trunci", 0x12345678, I32, I16, 0x5678),
        ("arith.index_cast", 0x8000, I16, INDEX, 0xFFFF8000),
        ("arith.index_castui", 0x8000, I16, INDEX, 0x8000),
        ("arith.index_cast", 0x1FF, INDEX, I8, 0xFF),
    ],
)
def test_cast(name: str, value: int, source: Int, target: Int, expected: int) -> None:
    assert cast(name, value, source, target) == expected


class Code:
    """Writes a block."""

    def __init__(self, *args: Value):
        self.block = Block(list(args))

    def add(
        self,
        name: str,
        operands: list[Value],
        *types: Type,
        regions: list[Region] | None = None,
        **attrs: object,
    ) -> Value:
        results = [Value(t) for t in types]
        self.block.ops.append(Op(name, operands, results, attrs, regions or []))
        return results[0] if results else Value(I32)

    def constant(self, value: int, type: Int = INDEX) -> Value:
        return self.add("arith.constant", [], type, value=value)

    def branch(
        self, name: str, operands: list[Value], *successors: tuple[Code, list[Value]]
    ) -> None:
        op = Op(name, operands, successors=[(code.block, values) for code, values in successors])
        self.block.ops.append(op)


def kernel(*blocks: Code, results: Sequence[Type] = ()) -> Program:
    region = [code.block for code in blocks]
    facts: list[dict[str, Any]] = [{} for _ in region[0].args]
    return Program("by hand", [Function("kernel", region, list(results), facts)], [], [])


def run(program: Program, *args: Argument) -> tuple[list[int], list[list[int] | None]]:
    outcome = evaluate(program, args)
    return outcome.results, outcome.outputs


def test_for_sums_a_column() -> None:
    matrix, total = Value(Mem((3, 4), I32)), Value(I32)
    body = Code(Value(INDEX), total)
    column = Code(matrix)
    one = column.constant(1)
    word = body.add("memref.load", [matrix, body.block.args[0], one], I32)
    body.add("scf.yield", [body.add("arith.addi", [total, word], I32)])
    bounds = [column.constant(0), column.constant(3), one, column.constant(0, I32)]
    result = column.add("scf.for", bounds, I32, regions=[[body.block]])
    column.add("func.return", [result])
    program = kernel(column, results=[I32])
    assert run(program, list(range(12))) == ([1 + 5 + 9], [list(range(12))])
    assert "= scf.for %5 = %2 to %3 step %1 iter_args(%6 = %4) -> (i32) {" in program.text


def test_while_counts_collatz_steps() -> None:
    start = Value(I32)
    entry = Code(start)
    zero, one = entry.constant(0, I32), entry.constant(1, I32)
    before, after = Code(Value(I32), Value(I32)), Code(Value(I32), Value(I32))
    go = before.add("arith.cmpi", [before.block.args[0], one], I1, predicate="ne")
    before.add("scf.condition", [go, *before.block.args])
    x, count = after.block.args
    half = after.add("arith.shrui", [x, one], I32)
    odd = after.add("arith.trunci", [x], I1)
    three = after.add("arith.muli", [x, after.constant(3, I32)], I32)
    triple = after.add("arith.addi", [three, one], I32)
    following = after.add("arith.select", [odd, triple, half], I32)
    after.add("scf.yield", [following, after.add("arith.addi", [count, one], I32)])
    types: list[Type] = [I32, I32]
    entry.add("scf.while", [start, zero], *types, regions=[[before.block], [after.block]])
    entry.add("func.return", [entry.block.ops[-1].results[1]])
    assert run(kernel(entry, results=[I32]), 27) == ([111], [None])


def test_blocks_compute_the_greatest_common_divisor() -> None:
    a, b, x, y = Value(I32), Value(I32), Value(I32), Value(I32)
    entry, head, step, end = Code(a, b), Code(x, y), Code(), Code()
    entry.branch("cf.br", [], (head, [a, b]))
    zero = head.constant(0, I32)
    more = head.add("arith.cmpi", [y, zero], I1, predicate="ne")
    head.branch("cf.cond_br", [more], (step, []), (end, []))
    rest = step.add("arith.remui", [x, y], I32)
    step.branch("cf.br", [], (head, [y, rest]))
    end.add("func.return", [x])
    assert run(kernel(entry, head, step, end, results=[I32]), 48, 36) == ([12], [None, None])


def test_subview_shares_memory() -> None:
    array = Value(Mem((8,), I32))
    code = Code(array)
    part = code.add(
        "memref.subview",
        [array],
        Mem((3,), I32, (2,), 1),
        offsets=[1],
        sizes=[3],
        strides=[2],
    )
    code.add("memref.store", [code.constant(99, I32), part, code.constant(2)])
    code.add("func.return", [])
    program = kernel(code)
    assert run(program, [0] * 8) == ([], [[0, 0, 0, 0, 0, 99, 0, 0]])
    assert "[1] [3] [2] : memref<8xi32> to memref<3xi32, strided<[2], offset: 1>>" in program.text


def test_what_no_program_may_do_is_refused() -> None:
    array = Value(Mem((4,), I32))
    code = Code(array)
    code.add("memref.load", [array, code.constant(4)], I32)
    code.add("func.return", [])
    with pytest.raises(Invalid, match="subscript 4 of 4"):
        run(kernel(code), [0] * 4)
    code = Code()
    local = code.add("memref.alloca", [], Mem((4,), I32))
    code.add("memref.load", [local, code.constant(0)], I32)
    code.add("func.return", [])
    with pytest.raises(Invalid, match="never written"):
        run(kernel(code))
    head = Code()
    head.branch("cf.br", [], (head, []))
    with pytest.raises(Invalid, match="too many steps"):
        run(kernel(head))


def test_facts_are_checked() -> None:
    code = Code(Value(I32))
    code.add("func.return", [])
    program = kernel(code)
    program.kernel.facts[0] = {"range": (2, 5)}
    assert run(program, 5) == ([], [None])
    with pytest.raises(Invalid, match="range"):
        run(program, 6)
