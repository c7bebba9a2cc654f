"""How kernels meet the memory image, and what a run reports."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

from vliw_mlir.abi import build_image
from vliw_mlir.errors import TrapError
from vliw_mlir.interp import compile_kernel, interpret, interpret_case

from .helpers import kernel, parse, results, run

SUM = kernel(
    "4",
    """
    %c0 = word.constant 0 : i32
    %v = word.load %a[%c0] : !word.buffer<4> -> vector<4xi32>
    %w = word.add %v, %v : vector<4xi32>
    word.store %w, %a[%c0] : vector<4xi32>, !word.buffer<4>
    %x = word.extract %w[3] : vector<4xi32>
    func.return %x : i32""",
    "i32",
)


def test_interpret_case_returns_the_image():
    image = interpret_case(parse(SUM), [[1, 2, 3, 4]])
    assert image.results() == [8]
    assert image.array(0).tolist() == [2, 4, 6, 8]
    assert image.memory.dtype == np.uint32


def test_interpret_takes_a_function():
    module = parse(SUM)
    function = next(op for op in module.ops if isinstance(op, FuncOp))
    image = build_image(compile_kernel(module).interface, [[1, 2, 3, 4]])
    interpret(function, image)
    assert image.results() == [8]


def test_compiled_kernels_run_again():
    compiled = compile_kernel(parse(SUM))
    for words in ([1, 2, 3, 4], [5, 6, 7, 0x80000001]):
        image = build_image(compiled.interface, [words])
        compiled.run(image)
        assert image.array(0).tolist() == [2 * w & 0xFFFFFFFF for w in words]


def test_private_functions_are_not_the_kernel():
    declared = "func.func private @f(i32) -> i32\n"
    assert interpret_case(parse(declared + SUM), [[1, 2, 3, 4]]).results() == [8]


def test_fixed_address():
    text = """
      func.func @k(%x: i32, %m: !word.buffer<?> {vliw.address = 64 : i32}) -> i32
          attributes {vliw.signature = (i32, memref<?xi32>) -> i32} {
        %p = word.address %m : !word.buffer<?>
        word.store %x, %m[%x] : i32, !word.buffer<?>
        func.return %p : i32
      }"""
    image = run(text, 2, [9] * 4)
    assert image.results() == [64]
    assert image.memory[64:68].tolist() == [9, 9, 2, 9]


def test_whole_memory_at_address_zero():
    text = """
      func.func @k(%m: !word.buffer<?> {vliw.address = 0 : i32})
          attributes {vliw.signature = (memref<?xi32>) -> ()} {
        %c0 = word.constant 0 : i32
        %c1 = word.constant 1 : i32
        %x = word.load %m[%c1] : !word.buffer<?> -> i32
        word.store %x, %m[%c0] : i32, !word.buffer<?>
        func.return
      }"""
    assert run(text, [1, 2, 3]).memory[:3].tolist() == [2, 2, 3]


def test_results_of_both_kinds_at_the_tensor_level():
    text = """
      func.func @k(%t: tensor<2xi32>, %x: i32) -> (i32, tensor<2xi32>, i32, tensor<2xi32>) {
        %u = kernel.splat %x : tensor<2xi32>
        %y = word.add %x, %x : i32
        func.return %x, %t, %y, %u : i32, tensor<2xi32>, i32, tensor<2xi32>
      }"""
    assert results(text, [8, 9], 5) == [5, [8, 9], 10, [5, 5]]


def test_tensor_results_as_arguments_at_the_ssa_level():
    text = """
      func.func @k(%t: !word.buffer<2>, %x: i32,
                   %r3: !word.buffer<2> {vliw.result = 3 : i64},
                   %r1: !word.buffer<2> {vliw.result = 1 : i64}) -> (i32, i32)
          attributes {vliw.signature
            = (tensor<2xi32>, i32) -> (i32, tensor<2xi32>, i32, tensor<2xi32>)} {
        %c0 = word.constant 0 : i32
        %u = word.broadcast %x : vector<2xi32>
        %v = word.load %t[%c0] : !word.buffer<2> -> vector<2xi32>
        word.store %v, %r1[%c0] : vector<2xi32>, !word.buffer<2>
        word.store %u, %r3[%c0] : vector<2xi32>, !word.buffer<2>
        %y = word.add %x, %x : i32
        func.return %x, %y : i32, i32
      }"""
    assert results(text, [8, 9], 5) == [5, [8, 9], 10, [5, 5]]


def test_tensor_arguments_are_values():
    """Writing a result does not change what an argument was."""
    text = """
      func.func @k(%t: tensor<2x2xi32>) -> tensor<2x2xi32> {
        %u = kernel.broadcast %t dims [1, 0] : tensor<2x2xi32> to tensor<2x2xi32>
        func.return %u : tensor<2x2xi32>
      }"""
    image = run(text, [1, 2, 3, 4])
    assert image.results()[0].tolist() == [1, 3, 2, 4]
    assert image.array(0).tolist() == [1, 2, 3, 4]


def test_narrow_types_are_words():
    text = """
      func.func @k(%a: i8, %b: i1, %c: index) -> (i8, i1, index) {
        func.return %a, %b, %c : i8, i1, index
      }"""
    assert results(text, -1, 1, -1) == [255, 1, 0xFFFFFFFF]


TRACE = kernel(
    "0",
    """
    %c0 = word.constant 0 : i32
    %c1 = word.constant 1 : i32
    scf.for %i = %c0 to %a step %c1 : i32 {
      word.trace_write %i
    }
    %v = word.from_elements %a, %c1 : vector<2xi32>
    word.compare %a, ["n"] : i32
    word.compare %v, ["v0", "v1"] : vector<2xi32>
    func.return""",
)


def test_trace_and_steps():
    compiled = compile_kernel(parse(TRACE))
    run = compiled.run(build_image(compiled.interface, [4]))
    assert run.trace == (0, 1, 2, 3)
    assert run.steps == 4


def test_debug_values():
    compiled = compile_kernel(parse(TRACE))
    image = build_image(compiled.interface, [4])
    compiled.run(image, debug_values={"n": 4, "v0": 4, "v1": 1})
    compiled.run(image, debug_values={"v1": 1 - (1 << 32), "other": 0})
    with pytest.raises(TrapError) as error:
        compiled.run(image, debug_values={"n": 4, "v1": 2})
    assert str(error.value) == "k.mlir:10:5: trap in word.compare: 'v1' is 1, expected 2"
