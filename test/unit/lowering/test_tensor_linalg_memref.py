"""Conversion of `linalg` on memrefs, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from support.tensors import outputs, to_kernel, words
from vliw_mlir.errors import CompileError

A = np.arange(1, 13).reshape(3, 4)
B = np.arange(50, 62).reshape(3, 4)


def test_generic_with_strided_views_and_outputs_as_inputs():
    text = """func.func @f(%a: memref<3x4xi32>, %b: memref<3x4xi32>, %s: i32) {
      %u = memref.subview %a[0, 1] [3, 2] [1, 2]
        : memref<3x4xi32> to memref<3x2xi32, strided<[4, 2], offset: 1>>
      %v = memref.subview %b[0, 0] [3, 2] [1, 1]
        : memref<3x4xi32> to memref<3x2xi32, strided<[4, 1]>>
      linalg.generic {
        indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>,
                         affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel"]
      } ins(%u, %s : memref<3x2xi32, strided<[4, 2], offset: 1>>, i32)
        outs(%v : memref<3x2xi32, strided<[4, 1]>>) {
      ^bb0(%x: i32, %k: i32, %o: i32):
        %i = linalg.index 0 : index
        %w = arith.index_cast %i : index to i32
        %p = arith.muli %x, %k : i32
        %q = arith.addi %p, %o : i32
        %r = arith.addi %q, %w : i32
        linalg.yield %r : i32
      }
      return
    }"""
    expected = B.copy()
    expected[:, :2] += A[:, 1::2] * 5 + np.arange(3)[:, None]
    a, b, _ = outputs(text, A, B, 5)
    np.testing.assert_array_equal(a, words(A))
    np.testing.assert_array_equal(b, words(expected))


def test_sizes_from_dynamic_memrefs_and_operands():
    text = """func.func @f(%a: memref<?xi32>, %b: memref<?xi32>, %n: index) {
      %u = memref.subview %a[1] [%n] [1]
        : memref<?xi32> to memref<?xi32, strided<[1], offset: 1>>
      linalg.generic {
        indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
        iterator_types = ["parallel"]
      } ins(%u : memref<?xi32, strided<[1], offset: 1>>) outs(%b : memref<?xi32>) {
      ^bb0(%x: i32, %o: i32):
        linalg.yield %x : i32
      }
      return
    }"""
    _, b, _ = outputs(text, [1, 2, 3, 4, 5], [0, 0, 0, 0, 0], 3)
    assert list(b) == [2, 3, 4, 0, 0]


def test_unknown_size_is_an_error():
    text = """func.func @f(%a: memref<?xi32>, %x: i32) {
      linalg.fill ins(%x : i32) outs(%a : memref<?xi32>)
      return
    }"""
    with pytest.raises(CompileError, match="size of dimension 0 of the iteration space is not"):
        to_kernel(text)


def test_reduction_and_control_flow():
    text = """func.func @f(%a: memref<3x4xi32>, %z: memref<3xi32>) {
      linalg.generic {
        indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
        iterator_types = ["parallel", "reduction"]
      } ins(%a : memref<3x4xi32>) outs(%z : memref<3xi32>) {
      ^bb0(%x: i32, %acc: i32):
        %c6 = arith.constant 6 : i32
        %big = arith.cmpi sgt, %x, %c6 : i32
        %r = scf.if %big -> (i32) {
          %s = arith.addi %acc, %x : i32
          scf.yield %s : i32
        } else {
          scf.yield %acc : i32
        }
        linalg.yield %r : i32
      }
      return
    }"""
    _, z = outputs(text, A, [1, 2, 3])
    assert list(z) == [1, 2 + 7 + 8, 3 + 9 + 10 + 11 + 12]


def test_named():
    text = """func.func @f(%a: memref<3x4xi32>, %b: memref<4x3xi32>, %m: memref<3x3xi32>,
                           %c: memref<3x4xi32>, %r: memref<4xi32>, %x: i32) {
      linalg.transpose ins(%a : memref<3x4xi32>) outs(%b : memref<4x3xi32>) permutation = [1, 0]
      linalg.fill ins(%x : i32) outs(%m : memref<3x3xi32>)
      linalg.matmul ins(%a, %b : memref<3x4xi32>, memref<4x3xi32>) outs(%m : memref<3x3xi32>)
      linalg.copy ins(%a : memref<3x4xi32>) outs(%c : memref<3x4xi32>)
      linalg.add ins(%a, %c : memref<3x4xi32>, memref<3x4xi32>) outs(%c : memref<3x4xi32>)
      linalg.reduce { arith.addi } ins(%a : memref<3x4xi32>) outs(%r : memref<4xi32>)
        dimensions = [0]
      return
    }"""
    zeros = np.zeros(12, int)
    _, b, m, c, r, _ = outputs(text, A, zeros, zeros[:9], zeros, [1, 1, 1, 1], 1000)
    np.testing.assert_array_equal(b, words(A.T))
    np.testing.assert_array_equal(m, words(A @ A.T + 1000))
    np.testing.assert_array_equal(c, words(2 * A))
    np.testing.assert_array_equal(r, words(A.sum(0) + 1))


def test_convolution_and_affine_outputs():
    text = """func.func @f(%a: memref<6xi32>, %k: memref<3xi32>, %z: memref<4xi32>,
                           %w: memref<8xi32>) {
      linalg.conv_1d ins(%a, %k : memref<6xi32>, memref<3xi32>) outs(%z : memref<4xi32>)
      linalg.generic {
        indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0 * 2 + 1)>],
        iterator_types = ["parallel"]
      } ins(%z : memref<4xi32>) outs(%w : memref<8xi32>) {
      ^bb0(%x: i32, %old: i32):
        %s = arith.addi %x, %old : i32
        linalg.yield %s : i32
      }
      return
    }"""
    a, k = np.array([1, 5, 2, 8, 3, 9]), np.array([3, 1, 2])
    z, w = np.array([100, 200, 300, 400]), np.arange(8)
    convolved = z + np.lib.stride_tricks.sliding_window_view(a, 3) @ k
    expected = w.copy()
    expected[1::2] += convolved
    found = outputs(text, a, k, z, w)
    np.testing.assert_array_equal(found[2], words(convolved))
    np.testing.assert_array_equal(found[3], words(expected))
