"""Lowering of what is written at the tensor level."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import ArrayLike
from xdsl.dialects.builtin import ModuleOp

from support.tensors import to_word, words
from vliw_mlir.dialects.facts import SIGNATURE, kernel_function
from vliw_mlir.errors import CompileError
from vliw_mlir.interp import interpret_case
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.verifier import verify


def parse(text: str) -> ModuleOp:
    module = parse_module(make_context(), text)
    verify(module)
    return module


def check(text: str, args: Sequence[int | ArrayLike], expected: Sequence[ArrayLike]) -> None:
    """Check what a kernel returns before and after its lowering."""
    module = parse(text)
    for lower in (False, True):
        if lower:
            to_word(module)
        results = interpret_case(module, args).results()
        for found, value in zip(results, expected, strict=True):
            np.testing.assert_array_equal(np.ravel(found), words(value))


def test_scatter_keeps_the_last_of_equal_indices():
    text = """func.func @f(%a: tensor<2x3xi32>, %v: tensor<4xi32>, %i: tensor<4xi32>,
                           %j: tensor<4xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>) {
      %s = kernel.scatter %v, %a[%i, %j] : tensor<4xi32>, tensor<2x3xi32>
      %t = kernel.add %s, %a : tensor<2x3xi32>
      func.return %s, %t : tensor<2x3xi32>, tensor<2x3xi32>
    }"""
    a = np.arange(6).reshape(2, 3)
    i, j, v = [1, 0, 1, 0], [2, 0, 2, 1], [10, 20, 30, 40]
    expected = a.copy()
    for row, column, value in zip(i, j, v, strict=True):
        expected[row, column] = value
    check(text, [a, v, i, j], [expected, expected + a])


def test_scatter_in_place_reads_what_was_there_before():
    """Each element moves to where the next one was read from."""
    text = """func.func @f(%a: tensor<4xi32>, %n: i32) -> tensor<4xi32> {
      %c0 = word.constant 0 : i32
      %c1 = word.constant 1 : i32
      %c3 = word.constant 3 : i32
      %three = kernel.splat %c3 : tensor<4xi32>
      %one = kernel.splat %c1 : tensor<4xi32>
      %i = kernel.iota 0 : tensor<4xi32>
      %next = kernel.add %i, %one : tensor<4xi32>
      %to = kernel.and %next, %three : tensor<4xi32>
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%t = %a) -> (tensor<4xi32>) : i32 {
        %v = kernel.add %t, %one : tensor<4xi32>
        %s = kernel.scatter %v, %t[%to] : tensor<4xi32>, tensor<4xi32>
        scf.yield %s : tensor<4xi32>
      }
      func.return %r : tensor<4xi32>
    }"""
    for n in range(4):
        check(text, [[10, 20, 30, 40], n], [np.roll([10, 20, 30, 40], n) + n])


def test_scatter_by_indices_in_the_updated_tensor():
    text = """func.func @f(%a: tensor<4xi32>) -> tensor<4xi32> {
      %b = kernel.add %a, %a : tensor<4xi32>
      %c = kernel.sub %b, %a : tensor<4xi32>
      %s = kernel.scatter %a, %c[%c] : tensor<4xi32>, tensor<4xi32>
      func.return %s : tensor<4xi32>
    }"""
    check(text, [[3, 2, 1, 0]], [[0, 1, 2, 3]])


def test_gather_through_views():
    text = """func.func @f(%a: tensor<3x4xi32>, %i: tensor<5xi32>, %o: i32)
        -> (tensor<5xi32>, tensor<5xi32>) {
      %t = kernel.broadcast %a dims [1, 0] : tensor<3x4xi32> to tensor<4x3xi32>
      %r = kernel.reshape %t : tensor<4x3xi32> to tensor<12xi32>
      %s = kernel.extract_slice %r[%o] strides [2] : tensor<12xi32> to tensor<5xi32>
      %g = kernel.gather %s[%i] : tensor<5xi32>, tensor<5xi32>
      %d = kernel.mul %a, %a : tensor<3x4xi32>
      %e = kernel.reshape %d : tensor<3x4xi32> to tensor<12xi32>
      %h = kernel.gather %e[%i] : tensor<12xi32>, tensor<5xi32>
      func.return %g, %h : tensor<5xi32>, tensor<5xi32>
    }"""
    a, i = np.arange(12).reshape(3, 4), np.array([4, 0, 2, 2, 1])
    sliced = a.T.reshape(-1)[2:11:2]
    check(text, [a, i, 2], [sliced[i], (a * a).reshape(-1)[i]])


def test_reductions_of_everything_and_of_nothing():
    text = """func.func @f(%a: tensor<2x3xi32>, %z: tensor<i32>, %e: tensor<2x0xi32>,
                           %w: tensor<2xi32>)
        -> (tensor<i32>, tensor<2xi32>, tensor<2x3xi32>, i32) {
      %s = kernel.reduce add, %a, %z dims [0, 1] : tensor<2x3xi32> to tensor<i32>
      %n = kernel.reduce mul, %e, %w dims [1] : tensor<2x0xi32> to tensor<2xi32>
      %k = kernel.reduce maxu, %a, %a dims [] : tensor<2x3xi32> to tensor<2x3xi32>
      %t = kernel.broadcast %a dims [1, 0] : tensor<2x3xi32> to tensor<3x2xi32>
      %m = kernel.reduce minu, %t, %z dims [1, 0] : tensor<3x2xi32> to tensor<i32>
      %x = kernel.extract %m[] : tensor<i32>
      func.return %s, %n, %k, %x : tensor<i32>, tensor<2xi32>, tensor<2x3xi32>, i32
    }"""
    a = np.array([[7, 2, 9], [4, 5, 6]])
    check(text, [a, [100], [], [3, 4]], [a.sum() + 100, [3, 4], a, 2])


def test_functions_without_a_std_op():
    text = """func.func @f(%a: tensor<4xi32>, %b: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
      %m = kernel.multiply_add %a, %b, %a : tensor<4xi32>
      %r = kernel.rotl %a, %b : tensor<4xi32>
      %c = kernel.cmp ult, %a, %b : tensor<4xi32>
      %s = kernel.select %c, %m, %r : tensor<4xi32>
      func.return %m, %s : tensor<4xi32>, tensor<4xi32>
    }"""
    a, b = np.array([1, 2, 3, 4]), np.array([3, 1, 3, 5])
    check(text, [a, b], [a * b + a, np.where(a < b, a * b + a, a << b)])


def test_signature_is_kept():
    module = parse(
        """func.func @f(%a: tensor<4xi32>) -> i32 {
          %c = word.constant 1 : i32
          func.return %c : i32
        }"""
    )
    to_word(module)
    signature = kernel_function(module).attributes[SIGNATURE]
    assert str(signature) == "(tensor<4xi32>) -> i32"


def test_call_is_refused():
    module = parse(
        """func.func private @g(tensor<4xi32>) -> tensor<4xi32>
        func.func @f(%a: tensor<4xi32>) {
          %x = func.call @g(%a) : (tensor<4xi32>) -> tensor<4xi32>
          func.return
        }"""
    )
    with pytest.raises(CompileError, match=r"'func\.call' on tensors is not supported"):
        to_word(module)
