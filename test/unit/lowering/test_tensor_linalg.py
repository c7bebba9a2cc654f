"""Conversion of `linalg` on tensors and its lowering to loops, against numpy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects import scf

from support.tensors import check, to_kernel
from vliw_mlir.dialects import kernel
from vliw_mlir.errors import CompileError

A = np.arange(1, 13).reshape(3, 4)
B = np.arange(50, 62).reshape(3, 4)


def generic(maps: str, iterators: str, ins: str, outs: str, body: str, result: str) -> str:
    """A `linalg.generic`; maps, iterators and types are separated by spaces where several."""
    affine = ", ".join(f"affine_map<{m}>" for m in maps.split(";"))
    kinds = ", ".join(f'"{i}"' for i in iterators.split())
    inputs = f"ins({ins}) " if ins else ""
    return f"""linalg.generic {{indexing_maps = [{affine}], iterator_types = [{kinds}]}}
      {inputs}outs({outs}) {{ {body} }} -> {result}"""


def function(body: str, arguments: str, results: str) -> str:
    return f"func.func @f({arguments}) -> ({results}) {{\n{body}\n}}"


def ops_of(text: str, kind: type) -> int:
    return sum(isinstance(op, kind) for op in to_kernel(text).walk())


def test_elementwise_with_captured_scalars_and_constants():
    body = generic(
        "(d0, d1) -> (d0, d1);(d0, d1) -> (d1);(d0, d1) -> (d0, d1)",
        "parallel parallel",
        "%a, %v : tensor<3x4xi32>, tensor<4xi32>",
        "%a : tensor<3x4xi32>",
        """^bb0(%x: i32, %y: i32, %o: i32):
        %c3 = arith.constant 3 : i32
        %k = arith.muli %c3, %s : i32
        %p = arith.addi %x, %k : i32
        %q = arith.subi %p, %y : i32
        linalg.yield %q : i32""",
        "tensor<3x4xi32>",
    )
    text = function(
        f"%r = {body}\nreturn %r : tensor<3x4xi32>",
        "%a: tensor<3x4xi32>, %v: tensor<4xi32>, %s: i32",
        "tensor<3x4xi32>",
    )
    check(text, [A, [1, 2, 3, 4], 10], [A + 30 - [1, 2, 3, 4]])


def test_outputs_as_inputs_and_several_results():
    body = generic(
        "(d0, d1) -> (d0, d1);(d0, d1) -> (d0, d1);(d0, d1) -> (d1, d0)",
        "parallel parallel",
        "%a : tensor<3x4xi32>",
        "%b, %t : tensor<3x4xi32>, tensor<4x3xi32>",
        """^bb0(%x: i32, %o: i32, %u: i32):
        %p = arith.addi %x, %o : i32
        %q = arith.subi %x, %u : i32
        linalg.yield %p, %q : i32, i32""",
        "(tensor<3x4xi32>, tensor<4x3xi32>)",
    ).replace("-> (tensor<3x4xi32>, tensor<4x3xi32>)", "-> tensor<3x4xi32>, tensor<4x3xi32>")
    text = function(
        f"%r:2 = {body}\nreturn %r#0, %r#1 : tensor<3x4xi32>, tensor<4x3xi32>",
        "%a: tensor<3x4xi32>, %b: tensor<3x4xi32>, %t: tensor<4x3xi32>",
        "tensor<3x4xi32>, tensor<4x3xi32>",
    )
    t = np.arange(12).reshape(4, 3) * 7
    check(text, [A, B, t], [A + B, A.T - t])


def test_gather_and_index():
    body = generic(
        "(d0) -> (d0);(d0) -> (d0)",
        "parallel",
        "%ix : tensor<4xi32>",
        "%e : tensor<4xi32>",
        """^bb0(%i: i32, %o: i32):
        %n = linalg.index 0 : index
        %at = arith.index_cast %i : i32 to index
        %x = tensor.extract %a[%at, %n] : tensor<3x4xi32>
        %w = arith.index_cast %n : index to i32
        %r = arith.addi %x, %w : i32
        linalg.yield %r : i32""",
        "tensor<4xi32>",
    )
    text = function(
        f"%e = tensor.empty() : tensor<4xi32>\n%r = {body}\nreturn %r : tensor<4xi32>",
        "%a: tensor<3x4xi32>, %ix: tensor<4xi32>",
        "tensor<4xi32>",
    )
    check(text, [A, [2, 0, 1, 2]], [A[[2, 0, 1, 2], np.arange(4)] + np.arange(4)])


def test_affine_apply_in_a_body():
    body = generic(
        "(d0, d1) -> (d0, d1)",
        "parallel parallel",
        "",
        "%e : tensor<3x4xi32>",
        """^bb0(%o: i32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %k = affine.apply affine_map<(d0, d1)[s0] -> (d0 * 4 + d1 mod 3 + s0)> (%i, %j)[%s]
        %w = arith.index_cast %k : index to i32
        linalg.yield %w : i32""",
        "tensor<3x4xi32>",
    )
    text = function(
        f"%e = tensor.empty() : tensor<3x4xi32>\n%r = {body}\nreturn %r : tensor<3x4xi32>",
        "%s: index",
        "tensor<3x4xi32>",
    )
    assert ops_of(text, scf.ForOp) == 0
    check(text, [100], [[[4 * i + j % 3 + 100 for j in range(4)] for i in range(3)]])


@pytest.mark.parametrize(
    ("map", "shape", "expected"),
    [
        ("(d0 + d1)", (6,), lambda i, j, t: t[i + j]),
        ("(d1, d0)", (4, 3), lambda i, j, t: t[j, i]),
        ("(d0 * 2 + 1, d1)", (6, 4), lambda i, j, t: t[i * 2 + 1, j]),
        ("(d0 floordiv 2)", (2,), lambda i, j, t: t[i // 2]),
        ("(d0 ceildiv 2)", (2,), lambda i, j, t: t[-(-i // 2)]),
        ("((d0 * 4 + d1) mod 5)", (5,), lambda i, j, t: t[(i * 4 + j) % 5]),
        ("(d1, d1)", (4, 4), lambda i, j, t: t[j, j]),
        ("(2, d0)", (3, 3), lambda i, j, t: t[2, i]),
        ("(0)", (1,), lambda i, j, t: t[0]),
        ("()", (), lambda i, j, t: t[()]),
    ],
)
def test_indexing_maps(map: str, shape: tuple[int, ...], expected: Callable[..., int]):
    type = f"tensor<{''.join(f'{n}x' for n in shape)}i32>"
    body = generic(
        f"(d0, d1) -> {map};(d0, d1) -> (d0, d1)",
        "parallel parallel",
        f"%t : {type}",
        "%b : tensor<3x4xi32>",
        "^bb0(%x: i32, %o: i32):\n%r = arith.addi %x, %o : i32\nlinalg.yield %r : i32",
        "tensor<3x4xi32>",
    )
    text = function(
        f"%r = {body}\nreturn %r : tensor<3x4xi32>",
        f"%t: {type}, %b: tensor<3x4xi32>",
        "tensor<3x4xi32>",
    )
    t = np.arange(np.prod(shape, dtype=int)).reshape(shape) * 11 + 5
    values = [[expected(i, j, t) for j in range(4)] for i in range(3)]
    # A tensor is passed flat, one without dimensions has one word.
    check(text, [t.reshape(-1), B], [np.array(values) + B])


REDUCTIONS: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "addi": lambda a, axis: a.sum(axis),
    "muli": lambda a, axis: a.prod(axis),
    "andi": np.bitwise_and.reduce,
    "ori": np.bitwise_or.reduce,
    "xori": np.bitwise_xor.reduce,
    "maxsi": lambda a, axis: a.max(axis),
    "minsi": lambda a, axis: a.min(axis),
    "maxui": lambda a, axis: (a & 0xFFFFFFFF).max(axis),
    "minui": lambda a, axis: (a & 0xFFFFFFFF).min(axis),
}


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dim", [0, 1])
def test_reductions(name: str, dim: int):
    size = 4 if dim == 0 else 3
    text = function(
        f"""
        %r = linalg.reduce ins(%a : tensor<3x4xi32>) outs(%z : tensor<{size}xi32>)
          dimensions = [{dim}]
          (%x: i32, %acc: i32) {{
            %s = arith.{name} %x, %acc : i32
            linalg.yield %s : i32
          }}
        return %r : tensor<{size}xi32>
        """,
        f"%a: tensor<3x4xi32>, %z: tensor<{size}xi32>",
        f"tensor<{size}xi32>",
    )
    assert ops_of(text, kernel.ReduceOp) == 1
    a = A * (-1) ** A * 5
    init = np.array([3, -7, 100, 6])[:size]
    everything = np.concatenate([a, np.expand_dims(init, dim)], dim)
    check(text, [a, init], [REDUCTIONS[name](everything, dim)])


@pytest.mark.parametrize("width", [8, 16])
@pytest.mark.parametrize("name", ["addi", "muli", "maxsi", "minsi", "maxui", "minui"])
def test_narrow_reductions(name: str, width: int):
    type = f"i{width}"
    text = function(
        f"""
        %r = linalg.reduce {{ arith.{name} }} ins(%a : tensor<5x{type}>) outs(%z : tensor<{type}>)
          dimensions = [0]
        return %r : tensor<{type}>
        """,
        f"%a: tensor<5x{type}>, %z: tensor<{type}>",
        f"tensor<{type}>",
    )
    mask = (1 << width) - 1
    unsigned = np.array([100, 200, 255, 3, mask - 1, 77])
    values = unsigned if name.endswith("ui") else (unsigned ^ (mask + 1) // 2) - (mask + 1) // 2
    expected = REDUCTIONS[name](values, 0)
    if name.endswith("ui"):
        expected = {"maxui": unsigned.max(), "minui": unsigned.min()}[name]
    check(text, [unsigned[:5], unsigned[5:]], [int(expected) & mask])


def test_reduction_of_two_terms_into_a_transposed_output():
    body = generic(
        "(d0, d1, d2) -> (d0, d1, d2);(d0, d1, d2) -> (d1);(d0, d1, d2) -> (d2, d0)",
        "parallel reduction parallel",
        "%a, %v : tensor<2x3x4xi32>, tensor<3xi32>",
        "%z : tensor<4x2xi32>",
        """^bb0(%x: i32, %y: i32, %acc: i32):
        %p = arith.muli %x, %y : i32
        %s = arith.addi %acc, %p : i32
        %t = arith.addi %y, %s : i32
        linalg.yield %t : i32""",
        "tensor<4x2xi32>",
    )
    text = function(
        f"%r = {body}\nreturn %r : tensor<4x2xi32>",
        "%a: tensor<2x3x4xi32>, %v: tensor<3xi32>, %z: tensor<4x2xi32>",
        "tensor<4x2xi32>",
    )
    assert ops_of(text, scf.ForOp) == 0
    a = np.arange(24).reshape(2, 3, 4)
    v = np.array([2, 5, 7])
    z = np.arange(8).reshape(4, 2) * 1000
    check(text, [a, v, z], [z + (np.einsum("ijk,j->ik", a, v) + v.sum()).T])


def test_body_with_several_accumulators():
    """The index of the greatest element: no reduction of one operation."""
    body = generic(
        "(d0) -> (d0);(d0) -> ();(d0) -> ()",
        "reduction",
        "%a : tensor<7xi32>",
        "%m, %n : tensor<i32>, tensor<i32>",
        """^bb0(%x: i32, %best: i32, %where: i32):
        %i = linalg.index 0 : index
        %w = arith.index_cast %i : index to i32
        %gt = arith.cmpi sgt, %x, %best : i32
        %b = arith.select %gt, %x, %best : i32
        %p = arith.select %gt, %w, %where : i32
        linalg.yield %b, %p : i32, i32""",
        "tensor<i32>, tensor<i32>",
    )
    text = function(
        f"%r:2 = {body}\nreturn %r#0, %r#1 : tensor<i32>, tensor<i32>",
        "%a: tensor<7xi32>, %m: tensor<i32>, %n: tensor<i32>",
        "tensor<i32>, tensor<i32>",
    )
    check(text, [[3, -9, 12, 4, 12, 7, 0], [-1], [99]], [[12], [2]])


@pytest.mark.parametrize("name", ["subi", "shli"])
def test_accumulation_that_is_no_reduction(name: str):
    body = generic(
        "(d0, d1) -> (d0, d1);(d0, d1) -> (d0)",
        "parallel reduction",
        "%a : tensor<3x4xi32>",
        "%z : tensor<3xi32>",
        f"^bb0(%x: i32, %acc: i32):\n%r = arith.{name} %acc, %x : i32\nlinalg.yield %r : i32",
        "tensor<3xi32>",
    )
    text = function(
        f"%r = {body}\nreturn %r : tensor<3xi32>",
        "%a: tensor<3x4xi32>, %z: tensor<3xi32>",
        "tensor<3xi32>",
    )
    z = np.array([1, 2, 3])
    expected = z - A.sum(1) if name == "subi" else z << A.sum(1)
    check(text, [A, z], [expected])


def test_running_sum():
    """The second result depends on the accumulator of the first."""
    body = generic(
        "(d0) -> (d0);(d0) -> ();(d0) -> (d0)",
        "reduction",
        "%a : tensor<5xi32>",
        "%z, %e : tensor<i32>, tensor<5xi32>",
        """^bb0(%x: i32, %acc: i32, %o: i32):
        %s = arith.addi %x, %acc : i32
        linalg.yield %s, %s : i32, i32""",
        "tensor<i32>, tensor<5xi32>",
    )
    text = function(
        f"%e = tensor.empty() : tensor<5xi32>\n%r:2 = {body}\n"
        "return %r#0, %r#1 : tensor<i32>, tensor<5xi32>",
        "%a: tensor<5xi32>, %z: tensor<i32>",
        "tensor<i32>, tensor<5xi32>",
    )
    check(text, [[1, 2, 3, 4, 5], [10]], [[25], [11, 13, 16, 20, 25]])


def test_strided_output():
    body = generic(
        "(d0) -> (d0);(d0) -> (d0 * 2)",
        "parallel",
        "%a : tensor<3xi32>",
        "%z : tensor<6xi32>",
        "^bb0(%x: i32, %o: i32):\n%r = arith.addi %x, %o : i32\nlinalg.yield %r : i32",
        "tensor<6xi32>",
    )
    text = function(
        f"%r = {body}\nreturn %r : tensor<6xi32>",
        "%a: tensor<3xi32>, %z: tensor<6xi32>",
        "tensor<6xi32>",
    )
    check(text, [[1, 2, 3], [10, 20, 30, 40, 50, 60]], [[11, 20, 32, 40, 53, 60]])


def test_body_with_control_flow():
    body = generic(
        "(d0) -> (d0);(d0) -> (d0)",
        "parallel",
        "%a : tensor<5xi32>",
        "%a : tensor<5xi32>",
        """^bb0(%x: i32, %o: i32):
        %c10 = arith.constant 10 : i32
        %big = arith.cmpi ugt, %x, %c10 : i32
        %r = scf.if %big -> (i32) {
          %q = arith.divui %c10, %x : i32
          scf.yield %q : i32
        } else {
          scf.yield %o : i32
        }
        linalg.yield %r : i32""",
        "tensor<5xi32>",
    )
    text = function(f"%r = {body}\nreturn %r : tensor<5xi32>", "%a: tensor<5xi32>", "tensor<5xi32>")
    check(text, [[0, 11, 5, 12, 10]], [[0, 0, 5, 0, 10]])


def test_empty_iteration_space_changes_nothing():
    body = generic(
        "(d0, d1) -> (d0, d1);(d0, d1) -> (d0)",
        "parallel reduction",
        "%a : tensor<3x0xi32>",
        "%z : tensor<3xi32>",
        """^bb0(%x: i32, %acc: i32):
        %d = arith.divui %s, %s : i32
        %r = arith.addi %acc, %d : i32
        linalg.yield %r : i32""",
        "tensor<3xi32>",
    )
    text = function(
        f"%r = {body}\nreturn %r : tensor<3xi32>",
        "%a: tensor<3x0xi32>, %z: tensor<3xi32>, %s: i32",
        "tensor<3xi32>",
    )
    check(text, [[], [1, 2, 3], 0], [[1, 2, 3]])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("add", A + B),
        ("sub", A - B),
        ("mul", A * B),
        ("max", np.maximum(A, B)),
        ("min", np.minimum(A, B)),
        ("div", A // B),
        ("div_unsigned", A // B),
    ],
)
def test_named_elementwise(name: str, expected: np.ndarray):
    type = "tensor<3x4xi32>"
    text = function(
        f"""
        %e = tensor.empty() : {type}
        %r = linalg.{name} ins(%a, %b : {type}, {type}) outs(%e : {type}) -> {type}
        return %r : {type}
        """,
        f"%a: {type}, %b: {type}",
        type,
    )
    check(text, [A, B], [expected])


def test_fill_copy_transpose_broadcast_select_map():
    type = "tensor<3x4xi32>"
    text = function(
        f"""
        %e = tensor.empty() : {type}
        %t = tensor.empty() : tensor<4x3xi32>
        %u = tensor.empty() : tensor<4x3x2xi32>
        %f = linalg.fill ins(%x : i32) outs(%e : {type}) -> {type}
        %c = linalg.copy ins(%a : {type}) outs(%e : {type}) -> {type}
        %p = linalg.transpose ins(%c : {type}) outs(%t : tensor<4x3xi32>) permutation = [1, 0]
        %b = linalg.broadcast ins(%p : tensor<4x3xi32>) outs(%u : tensor<4x3x2xi32>)
          dimensions = [2]
        %m = linalg.map ins(%a, %f : {type}, {type}) outs(%e : {type})
          (%l: i32, %r: i32) {{
            %s = arith.subi %l, %r : i32
            linalg.yield %s : i32
          }}
        %q = linalg.select ins(%i, %a, %f : tensor<3x4xi1>, {type}, {type}) outs(%e : {type})
          -> {type}
        return %f, %p, %b, %m, %q : {type}, tensor<4x3xi32>, tensor<4x3x2xi32>, {type}, {type}
        """,
        f"%a: {type}, %x: i32, %i: tensor<3x4xi1>",
        f"{type}, tensor<4x3xi32>, tensor<4x3x2xi32>, {type}, {type}",
    )
    chosen = A % 3 == 0
    check(
        text,
        [A, 9, chosen],
        [np.full((3, 4), 9), A.T, np.repeat(A.T, 2), A - 9, np.where(chosen, A, 9)],
    )


def test_contractions():
    text = function(
        """
        %m = linalg.matmul ins(%a, %b : tensor<3x4xi32>, tensor<4x2xi32>)
          outs(%z : tensor<3x2xi32>) -> tensor<3x2xi32>
        %v = linalg.matvec ins(%a, %x : tensor<3x4xi32>, tensor<4xi32>)
          outs(%y : tensor<3xi32>) -> tensor<3xi32>
        %d = linalg.dot ins(%x, %x : tensor<4xi32>, tensor<4xi32>)
          outs(%s : tensor<i32>) -> tensor<i32>
        return %m, %v, %d : tensor<3x2xi32>, tensor<3xi32>, tensor<i32>
        """,
        "%a: tensor<3x4xi32>, %b: tensor<4x2xi32>, %x: tensor<4xi32>, %z: tensor<3x2xi32>, "
        "%y: tensor<3xi32>, %s: tensor<i32>",
        "tensor<3x2xi32>, tensor<3xi32>, tensor<i32>",
    )
    b, x = np.arange(8).reshape(4, 2) - 3, np.array([5, -6, 7, 8])
    z, y = np.arange(6).reshape(3, 2), np.array([100, 200, 300])
    check(text, [A, b, x, z, y, [1]], [A @ b + z, A @ x + y, x @ x + 1])


def test_matmul_of_narrow_elements():
    text = function(
        """
        %m = linalg.matmul ins(%a, %b : tensor<3x4xi8>, tensor<4x2xi8>)
          outs(%z : tensor<3x2xi32>) -> tensor<3x2xi32>
        return %m : tensor<3x2xi32>
        """,
        "%a: tensor<3x4xi8>, %b: tensor<4x2xi8>, %z: tensor<3x2xi32>",
        "tensor<3x2xi32>",
    )
    b = np.arange(8).reshape(4, 2) - 3
    check(text, [A - 6, b, np.zeros(6, int)], [(A - 6) @ b])


def test_convolutions():
    text = function(
        """
        %c = linalg.conv_2d ins(%a, %k : tensor<5x6xi32>, tensor<3x2xi32>)
          outs(%z : tensor<3x5xi32>) -> tensor<3x5xi32>
        %i = tensor.expand_shape %a [[0, 1, 2], [3]] output_shape [1, 1, 5, 6]
          : tensor<5x6xi32> into tensor<1x1x5x6xi32>
        %w = tensor.expand_shape %k [[0, 1, 2], [3]] output_shape [1, 1, 3, 2]
          : tensor<3x2xi32> into tensor<1x1x3x2xi32>
        %o = tensor.empty() : tensor<1x1x2x3xi32>
        %x = arith.constant 7 : i32
        %f = linalg.fill ins(%x : i32) outs(%o : tensor<1x1x2x3xi32>) -> tensor<1x1x2x3xi32>
        %d = linalg.conv_2d_nchw_fchw
          {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
          ins(%i, %w : tensor<1x1x5x6xi32>, tensor<1x1x3x2xi32>)
          outs(%f : tensor<1x1x2x3xi32>) -> tensor<1x1x2x3xi32>
        %e = tensor.empty() : tensor<3x2xi32>
        %p = linalg.pooling_nchw_max
          {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
          ins(%i, %e : tensor<1x1x5x6xi32>, tensor<3x2xi32>)
          outs(%f : tensor<1x1x2x3xi32>) -> tensor<1x1x2x3xi32>
        return %c, %d, %p : tensor<3x5xi32>, tensor<1x1x2x3xi32>, tensor<1x1x2x3xi32>
        """,
        "%a: tensor<5x6xi32>, %k: tensor<3x2xi32>, %z: tensor<3x5xi32>",
        "tensor<3x5xi32>, tensor<1x1x2x3xi32>, tensor<1x1x2x3xi32>",
    )
    a, k = np.arange(30).reshape(5, 6) * 3 - 40, np.arange(6).reshape(3, 2) - 2
    z = np.arange(15).reshape(3, 5)
    windows = np.lib.stride_tricks.sliding_window_view(a, (3, 2))
    full = (windows * k).sum((2, 3))
    pooled = np.maximum(windows.max((2, 3))[::2, ::2], 7)
    check(text, [a, k, z], [full + z, full[::2, ::2] + 7, pooled])


def test_fill_converts_to_the_element_type():
    text = function(
        """
        %e = tensor.empty() : tensor<2xi8>
        %f = linalg.fill ins(%x : i32) outs(%e : tensor<2xi8>) -> tensor<2xi8>
        return %f : tensor<2xi8>
        """,
        "%x: i32",
        "tensor<2xi8>",
    )
    check(text, [0x1234], [[0x34, 0x34]])


def test_floating_point_is_refused():
    text = """func.func @f() {
      %t = arith.constant dense<1.0> : tensor<4xf32>
      %r = linalg.exp ins(%t : tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
      return
    }"""
    with pytest.raises(CompileError, match="floating point is not supported"):
        to_kernel(text)
