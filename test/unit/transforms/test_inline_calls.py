"""Inlining of calls."""

from __future__ import annotations

import pytest
from xdsl.dialects.func import FuncOp

from support.standard import convert, run
from vliw_mlir.errors import CompileError
from vliw_mlir.instrument.statistics import StatisticsTable, collecting_statistics


def test_calls_in_loops_and_regions():
    """The callee has several blocks, allocates and calls on."""
    text = """
    func.func private @next(%m: memref<2xi32>, %at: index) -> i32 {
      %one = arith.constant 1 : i32
      %x = memref.load %m[%at] : memref<2xi32>
      %y = arith.addi %x, %one : i32
      memref.store %y, %m[%at] : memref<2xi32>
      return %y : i32
    }
    func.func private @choose(%c: i1, %m: memref<2xi32>) -> (i32, memref<2xi32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = memref.alloc() : memref<2xi32>
      %x = memref.load %m[%c0] : memref<2xi32>
      memref.store %x, %t[%c0] : memref<2xi32>
      cf.cond_br %c, ^yes, ^no
    ^yes:
      %y = func.call @next(%m, %c0) : (memref<2xi32>, index) -> i32
      return %y, %t : i32, memref<2xi32>
    ^no:
      %z = func.call @next(%m, %c1) : (memref<2xi32>, index) -> i32
      return %z, %m : i32, memref<2xi32>
    }
    func.func @kernel(%m: memref<2xi32>, %n: index) -> i32 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (i32) {
        %w = arith.index_cast %i : index to i32
        %c = arith.trunci %w : i32 to i1
        %x, %t = func.call @choose(%c, %m) : (i1, memref<2xi32>) -> (i32, memref<2xi32>)
        %old = memref.load %t[%c0] : memref<2xi32>
        %u = arith.addi %s, %x : i32
        %v = arith.addi %u, %old : i32
        scf.yield %v : i32
      }
      return %r : i32
    }"""
    memory, total = [10, 100], 0
    for i in range(5):
        old = memory[0]
        memory[1 - i % 2] += 1
        total += memory[1 - i % 2] + (old if i % 2 else memory[0])
    image = run(text, [10, 100], 5)
    assert image.array(0).tolist() == memory
    assert image.results() == [total]


def chain(length: int) -> str:
    functions = [
        f"func.func private @f{n}(%x: i32) -> i32 {{\n"
        f"%y = func.call @f{n + 1}(%x) : (i32) -> i32\nreturn %y : i32\n}}"
        for n in range(length)
    ]
    return "\n".join(functions)


def test_a_long_chain_of_calls():
    text = f"""
    {chain(1100)}
    func.func private @f1100(%x: i32) -> i32 {{
      %y = arith.muli %x, %x : i32
      return %y : i32
    }}
    func.func @kernel(%x: i32) -> i32 {{
      %y = func.call @f0(%x) : (i32) -> i32
      return %y : i32
    }}"""
    table = StatisticsTable()
    with collecting_statistics(table):
        module = convert(text)
    assert table.counters["inline-calls"] == {
        "num-inlined-calls": 1101,
        "num-removed-functions": 1101,
    }
    (kernel,) = module.ops
    assert isinstance(kernel, FuncOp)
    assert [op.name for op in kernel.body.block.ops] == ["word.mul", "func.return"]


def test_a_long_cycle_of_calls():
    text = f"""
    {chain(3)}
    func.func private @f3(%x: i32) -> i32 {{
      %y = func.call @f1(%x) : (i32) -> i32
      return %y : i32
    }}
    func.func @kernel(%x: i32) -> i32 {{
      %y = func.call @f0(%x) : (i32) -> i32
      return %y : i32
    }}"""
    with pytest.raises(CompileError, match="@f1 calls @f2 calls @f3 calls @f1"):
        convert(text)


def test_two_kernels():
    text = "func.func @f() {\nreturn\n}\nfunc.func @g() {\nreturn\n}"
    with pytest.raises(CompileError, match="a module holds one kernel, but @f, @g are public"):
        convert(text)
