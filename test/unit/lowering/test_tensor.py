"""Conversion of the `tensor` dialect and its lowering to loops, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from support.tensors import check, run, to_kernel
from vliw_mlir.errors import CompileError

A = np.arange(1, 25).reshape(4, 6)
B = np.arange(100, 124).reshape(4, 6)


def function(body: str, arguments: str, results: str) -> str:
    return f"func.func @f({arguments}) -> ({results}) {{\n{body}\n}}"


def test_splat_and_from_elements():
    text = function(
        """
        %s = tensor.splat %x : tensor<2x3xi32>
        %e = tensor.from_elements %x, %y, %x, %y : tensor<2x2xi32>
        %one = tensor.from_elements %y : tensor<i32>
        %c1 = arith.constant 1 : i32
        %c2 = arith.constant 2 : i32
        %k = tensor.from_elements %c1, %c2 : tensor<2xi32>
        return %s, %e, %one, %k : tensor<2x3xi32>, tensor<2x2xi32>, tensor<i32>, tensor<2xi32>
        """,
        "%x: i32, %y: i32",
        "tensor<2x3xi32>, tensor<2x2xi32>, tensor<i32>, tensor<2xi32>",
    )
    check(text, [7, 9], [[7] * 6, [7, 9, 7, 9], [9], [1, 2]])


def test_extract_and_insert():
    text = function(
        """
        %c1 = arith.constant 1 : index
        %x = tensor.extract %a[%i, %c1] : tensor<4x6xi32>
        %t = tensor.insert %x into %a[%c1, %i] : tensor<4x6xi32>
        return %t, %x : tensor<4x6xi32>, i32
        """,
        "%a: tensor<4x6xi32>, %i: index",
        "tensor<4x6xi32>, i32",
    )
    expected = A.copy()
    expected[1, 3] = A[3, 1]
    check(text, [A, 3], [expected, A[3, 1]])


def test_insert_leaves_the_old_tensor():
    text = function(
        """
        %c2 = arith.constant 2 : index
        %t = tensor.insert %x into %a[%c2] : tensor<4xi32>
        %s = arith.addi %t, %a : tensor<4xi32>
        %u = tensor.insert %x into %s[%c2] : tensor<4xi32>
        return %t, %s, %u : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
        """,
        "%a: tensor<4xi32>, %x: i32",
        "tensor<4xi32>, tensor<4xi32>, tensor<4xi32>",
    )
    check(text, [[1, 2, 3, 4], 50], [[1, 2, 50, 4], [2, 4, 53, 8], [2, 4, 50, 8]])


def test_extract_slice():
    text = function(
        """
        %s = tensor.extract_slice %a[1, %j] [2, 2] [2, 3] : tensor<4x6xi32> to tensor<2x2xi32>
        %r = tensor.extract_slice %a[%i, 1] [1, 4] [1, 1] : tensor<4x6xi32> to tensor<4xi32>
        %m = tensor.extract_slice %a[0, 2] [4, 1] [1, 1] : tensor<4x6xi32> to tensor<4xi32>
        %one = tensor.extract_slice %a[%i, %j] [1, 1] [1, 1] : tensor<4x6xi32> to tensor<i32>
        return %s, %r, %m, %one : tensor<2x2xi32>, tensor<4xi32>, tensor<4xi32>, tensor<i32>
        """,
        "%a: tensor<4x6xi32>, %i: index, %j: index",
        "tensor<2x2xi32>, tensor<4xi32>, tensor<4xi32>, tensor<i32>",
    )
    expected = [A[1:4:2, 2:6:3], A[3, 1:5], A[:, 2], A[3, 2]]
    check(text, [A, 3, 2], expected)


def test_insert_slice():
    text = function(
        """
        %s = tensor.insert_slice %b into %a[1, %j] [2, 2] [2, 3]
          : tensor<2x2xi32> into tensor<4x6xi32>
        %row = tensor.extract_slice %a[0, 0] [1, 6] [1, 1] : tensor<4x6xi32> to tensor<6xi32>
        %r = tensor.insert_slice %row into %s[3, 0] [1, 6] [1, 1]
          : tensor<6xi32> into tensor<4x6xi32>
        return %s, %r : tensor<4x6xi32>, tensor<4x6xi32>
        """,
        "%a: tensor<4x6xi32>, %b: tensor<2x2xi32>, %j: index",
        "tensor<4x6xi32>, tensor<4x6xi32>",
    )
    first = A.copy()
    first[1:4:2, 1:5:3] = [[-1, -2], [-3, -4]]
    second = first.copy()
    second[3] = A[0]
    check(text, [A, [-1, -2, -3, -4], 1], [first, second])


def test_slice_of_a_slice_written_back_where_it_overlaps():
    """The values to insert are read from the tensor that is updated."""
    text = function(
        """
        %c0 = arith.constant 0 : index
        %t = tensor.insert %x into %a[%c0] : tensor<8xi32>
        %s = tensor.extract_slice %t[0] [6] [1] : tensor<8xi32> to tensor<6xi32>
        %r = tensor.insert_slice %s into %t[2] [6] [1] : tensor<6xi32> into tensor<8xi32>
        return %r : tensor<8xi32>
        """,
        "%a: tensor<8xi32>, %x: i32",
        "tensor<8xi32>",
    )
    check(text, [list(range(8)), 50], [[50, 1, 50, 1, 2, 3, 4, 5]])


def test_shapes():
    text = function(
        """
        %c = tensor.collapse_shape %a [[0, 1]] : tensor<4x6xi32> into tensor<24xi32>
        %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 2, 6]
          : tensor<4x6xi32> into tensor<2x2x6xi32>
        %shape = arith.constant dense<[6, 4]> : tensor<2xindex>
        %r = tensor.reshape %a(%shape) : (tensor<4x6xi32>, tensor<2xindex>) -> tensor<6x4xi32>
        %s = tensor.cast %r : tensor<6x4xi32> to tensor<6x4xi32>
        return %c, %e, %s : tensor<24xi32>, tensor<2x2x6xi32>, tensor<6x4xi32>
        """,
        "%a: tensor<4x6xi32>",
        "tensor<24xi32>, tensor<2x2x6xi32>, tensor<6x4xi32>",
    )
    check(text, [A], [A, A, A])


def test_sizes():
    text = function(
        """
        %c1 = arith.constant 1 : index
        %d = tensor.dim %a, %c1 : tensor<4x6xi32>
        %e = tensor.dim %a, %i : tensor<4x6xi32>
        %r = tensor.rank %a : tensor<4x6xi32>
        return %d, %e, %r : index, index, index
        """,
        "%a: tensor<4x6xi32>, %i: index",
        "index, index, index",
    )
    check(text, [A, 0], [6, 4, 2])
    check(text, [A, 1], [6, 6, 2])


@pytest.mark.parametrize("dim", [0, 1])
def test_concat(dim: int):
    shape = (8, 6) if dim == 0 else (4, 12)
    type = f"tensor<{shape[0]}x{shape[1]}xi32>"
    text = function(
        f"""
        %c = tensor.concat dim({dim}) %a, %b : (tensor<4x6xi32>, tensor<4x6xi32>) -> {type}
        return %c : {type}
        """,
        "%a: tensor<4x6xi32>, %b: tensor<4x6xi32>",
        type,
    )
    check(text, [A, B], [np.concatenate([A, B], dim)])


def test_pad():
    text = function(
        """
        %p = tensor.pad %a low[1, 0] high[0, 2] {
        ^bb0(%i: index, %j: index):
          tensor.yield %x : i32
        } : tensor<4x6xi32> to tensor<5x8xi32>
        %q = tensor.pad %a low[0, 1] high[1, 0] {
        ^bb0(%i: index, %j: index):
          %s = arith.addi %i, %j : index
          %w = arith.index_cast %s : index to i32
          tensor.yield %w : i32
        } : tensor<4x6xi32> to tensor<5x7xi32>
        return %p, %q : tensor<5x8xi32>, tensor<5x7xi32>
        """,
        "%a: tensor<4x6xi32>, %x: i32",
        "tensor<5x8xi32>, tensor<5x7xi32>",
    )
    by_index = np.add.outer(np.arange(5), np.arange(7))
    by_index[:4, 1:] = A
    check(text, [A, 77], [np.pad(A, ((1, 0), (0, 2)), constant_values=77), by_index])


def test_generate():
    text = function(
        """
        %g = tensor.generate {
        ^bb0(%i: index, %j: index):
          %p = arith.muli %i, %j : index
          %x = tensor.extract %a[%j, %i] : tensor<4x6xi32>
          %w = arith.index_cast %p : index to i32
          %s = arith.addi %w, %x : i32
          tensor.yield %s : i32
        } : tensor<6x4xi32>
        return %g : tensor<6x4xi32>
        """,
        "%a: tensor<4x6xi32>",
        "tensor<6x4xi32>",
    )
    check(text, [A], [np.multiply.outer(np.arange(6), np.arange(4)) + A.T])


def test_generate_with_control_flow():
    text = function(
        """
        %c2 = arith.constant 2 : index
        %zero = arith.constant 0 : i32
        %g = tensor.generate {
        ^bb0(%i: index):
          %is_big = arith.cmpi ugt, %i, %c2 : index
          %v = scf.if %is_big -> (i32) {
            %x = tensor.extract %a[%i] : tensor<6xi32>
            scf.yield %x : i32
          } else {
            scf.yield %zero : i32
          }
          tensor.yield %v : i32
        } : tensor<6xi32>
        return %g : tensor<6xi32>
        """,
        "%a: tensor<6xi32>",
        "tensor<6xi32>",
    )
    check(text, [[1, 2, 3, 4, 5, 6]], [[0, 0, 0, 4, 5, 6]])


def test_gather():
    text = function(
        """
        %g = tensor.gather %a[%ix] gather_dims([1])
          : (tensor<4x6xi32>, tensor<3x1xindex>) -> tensor<3x4xi32>
        %h = tensor.gather %a[%iy] gather_dims([0, 1])
          : (tensor<4x6xi32>, tensor<2x2xindex>) -> tensor<2x1x1xi32>
        return %g, %h : tensor<3x4xi32>, tensor<2x1x1xi32>
        """,
        "%a: tensor<4x6xi32>, %ix: tensor<3x1xindex>, %iy: tensor<2x2xindex>",
        "tensor<3x4xi32>, tensor<2x1x1xi32>",
    )
    check(text, [A, [5, 0, 2], [1, 2, 3, 4]], [A[:, [5, 0, 2]].T, [A[1, 2], A[3, 4]]])


def test_bitcast_keeps_words():
    text = function(
        """
        %b = tensor.bitcast %a : tensor<3xindex> to tensor<3xi32>
        return %b : tensor<3xi32>
        """,
        "%a: tensor<3xindex>",
        "tensor<3xi32>",
    )
    check(text, [[1, 2, 3]], [[1, 2, 3]])


def test_empty_tensors():
    text = function(
        """
        %e = tensor.empty() : tensor<0x3xi32>
        %s = arith.addi %e, %a : tensor<0x3xi32>
        %c = tensor.concat dim(0) %s, %b : (tensor<0x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
        return %c, %s : tensor<2x3xi32>, tensor<0x3xi32>
        """,
        "%a: tensor<0x3xi32>, %b: tensor<2x3xi32>",
        "tensor<2x3xi32>, tensor<0x3xi32>",
    )
    check(text, [[], [1, 2, 3, 4, 5, 6]], [[1, 2, 3, 4, 5, 6], []])


def test_narrow_elements():
    text = function(
        """
        %s = arith.addi %a, %a : tensor<3xi8>
        %c0 = arith.constant 0 : index
        %x = tensor.extract %s[%c0] : tensor<3xi8>
        %w = arith.extsi %x : i8 to i32
        %e = arith.extsi %s : tensor<3xi8> to tensor<3xi32>
        return %s, %w, %e : tensor<3xi8>, i32, tensor<3xi32>
        """,
        "%a: tensor<3xi8>",
        "tensor<3xi8>, i32, tensor<3xi32>",
    )
    check(text, [[100, 200, 3]], [[200, 144, 6], -56, [-56, -112, 6]])


@pytest.mark.parametrize(
    ("op", "arguments", "message"),
    [
        (
            "%r = tensor.cast %a : tensor<4xi32> to tensor<?xi32>",
            "%a: tensor<4xi32>",
            "need a static shape",
        ),
        (
            "%r = tensor.extract_slice %a[2] [3] [1] : tensor<4xi32> to tensor<3xi32>",
            "%a: tensor<4xi32>",
            "outside dimension 0",
        ),
        (
            "%r = tensor.extract_slice %a[0] [2] [%i] : tensor<4xi32> to tensor<2xi32>",
            "%a: tensor<4xi32>, %i: index",
            "stride of a slice must be a constant",
        ),
        (
            "%r = tensor.extract_slice %a[0] [3] [1] : tensor<4xi32> to tensor<2xi32>",
            "%a: tensor<4xi32>",
            "does not have the shape",
        ),
        (
            "%r = tensor.collapse_shape %a [[0, 1]] : tensor<2x2xi32> into tensor<5xi32>",
            "%a: tensor<2x2xi32>",
            "differ in size",
        ),
    ],
)
def test_errors(op: str, arguments: str, message: str):
    with pytest.raises(CompileError, match=message):
        to_kernel(f"func.func @f({arguments}) {{\n{op}\nreturn\n}}")


def test_floating_point_is_refused():
    with pytest.raises(CompileError, match="floating point is not supported"):
        to_kernel("func.func @f() {\n%t = tensor.empty() : tensor<4xf32>\nreturn\n}")


def test_result_is_an_argument():
    text = function(
        "return %a, %a : tensor<2xi32>, tensor<2xi32>",
        "%a: tensor<2xi32>",
        "tensor<2xi32>, tensor<2xi32>",
    )
    first, second = run(text, [1, 2])
    assert list(first) == list(second) == [1, 2]
