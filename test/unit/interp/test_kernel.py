"""Every op of the tensor level, against numpy or plain Python."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest

from vliw_mlir.dialects.kernel import Kernel
from vliw_mlir.interp.kernel import EMITTERS

from .helpers import COMPARISONS, EXPECTED, M32, WORDS, operands_of, results

A = list(range(100, 112))
"""The words of a 3x4 tensor."""
MATRIX = np.array(A, np.uint32).reshape(3, 4)


def test_every_op_has_an_emitter():
    assert set(EMITTERS) == set(Kernel.operations)


def _spelling(name: str) -> str:
    return f"kernel.cmp {name}," if name in COMPARISONS else f"kernel.{name}"


@pytest.mark.parametrize("name", EXPECTED)
def test_binary(name: str):
    pairs = operands_of(name)
    t = f"tensor<{len(pairs)}xi32>"
    text = f"""
      func.func @k(%a: {t}, %b: {t}) -> {t} {{
        %r = {_spelling(name)} %a, %b : {t}
        func.return %r : {t}
      }}"""
    got = results(text, [a for a, _ in pairs], [b for _, b in pairs])
    assert got == [[EXPECTED[name](a, b) & M32 for a, b in pairs]]


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.filterwarnings("error")
def test_binary_without_dimensions(name: str):
    text = f"""
      func.func @k(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {{
        %r = {_spelling(name)} %a, %b : tensor<i32>
        func.return %r : tensor<i32>
      }}"""
    a, b = 0xFFFFFFFE, 0x80000003
    assert results(text, [a], [b]) == [[EXPECTED[name](a, b) & M32]]


def test_select_and_multiply_add():
    triples = [(a, b, c) for a in WORDS[::2] for b in WORDS[::3] for c in WORDS[1::3]]
    t = f"tensor<{len(triples)}xi32>"
    text = f"""
      func.func @k(%a: {t}, %b: {t}, %c: {t}) -> ({t}, {t}) {{
        %r = kernel.select %a, %b, %c : {t}
        %s = kernel.multiply_add %a, %b, %c : {t}
        func.return %r, %s : {t}, {t}
      }}"""
    got = results(text, *([t[k] for t in triples] for k in range(3)))
    assert got[0] == [b if a else c for a, b, c in triples]
    assert got[1] == [(a * b + c) & M32 for a, b, c in triples]


def test_creation():
    text = """
      func.func @k(%x: i32) -> (tensor<2x2xi32>, tensor<2xi32>, tensor<3xi32>, tensor<2x3xi32>,
                                tensor<2x3xi32>, tensor<i32>) {
        %c = kernel.constant dense<[[1, -1], [3, 4]]> : tensor<2x2xi32>
        %d = kernel.constant dense<-2> : tensor<2xi32>
        %s = kernel.splat %x : tensor<3xi32>
        %i = kernel.iota 1 : tensor<2x3xi32>
        %j = kernel.iota 0 : tensor<2x3xi32>
        %e = kernel.splat %x : tensor<i32>
        func.return %c, %d, %s, %i, %j, %e : tensor<2x2xi32>, tensor<2xi32>, tensor<3xi32>,
          tensor<2x3xi32>, tensor<2x3xi32>, tensor<i32>
      }"""
    assert results(text, 0xDEADBEEF) == [
        [1, M32, 3, 4],
        [M32 - 1, M32 - 1],
        [0xDEADBEEF] * 3,
        [0, 1, 2, 0, 1, 2],
        [0, 0, 0, 1, 1, 1],
        [0xDEADBEEF],
    ]


def test_empty_has_the_right_size():
    text = """
      func.func @k() -> tensor<2x3xi32> {
        %e = kernel.empty : tensor<2x3xi32>
        %d = kernel.sub %e, %e : tensor<2x3xi32>
        func.return %d : tensor<2x3xi32>
      }"""
    assert results(text) == [[0] * 6]


@pytest.mark.parametrize(
    ("source", "dims", "result", "expected"),
    [
        ("4", "[1]", "2x4", np.stack([MATRIX[0]] * 2)),
        ("4", "[0]", "4x2", np.stack([MATRIX[0]] * 2, axis=1)),
        ("3x4", "[1, 0]", "4x3", MATRIX.T),
        ("3x4", "[2, 0]", "4x2x3", np.stack([MATRIX.T] * 2, axis=1)),
        ("3x4", "[0, 1]", "3x4", MATRIX),
    ],
)
def test_broadcast(source: str, dims: str, result: str, expected: np.ndarray):
    text = f"""
      func.func @k(%a: tensor<{source}xi32>) -> tensor<{result}xi32> {{
        %r = kernel.broadcast %a dims {dims} : tensor<{source}xi32> to tensor<{result}xi32>
        func.return %r : tensor<{result}xi32>
      }}"""
    words = A[: np.prod([int(n) for n in source.split("x")])]
    assert results(text, words) == [expected.reshape(-1).tolist()]


def test_broadcast_of_a_tensor_without_dimensions():
    text = """
      func.func @k(%a: tensor<i32>) -> tensor<2x2xi32> {
        %r = kernel.broadcast %a dims [] : tensor<i32> to tensor<2x2xi32>
        func.return %r : tensor<2x2xi32>
      }"""
    assert results(text, [9]) == [[9] * 4]


def test_reshape_is_row_major_also_after_a_transposition():
    text = """
      func.func @k(%a: tensor<3x4xi32>) -> (tensor<12xi32>, tensor<2x6xi32>, tensor<i32>) {
        %t = kernel.broadcast %a dims [1, 0] : tensor<3x4xi32> to tensor<4x3xi32>
        %r = kernel.reshape %t : tensor<4x3xi32> to tensor<12xi32>
        %s = kernel.reshape %a : tensor<3x4xi32> to tensor<2x6xi32>
        %c = kernel.constant dense<[[5]]> : tensor<1x1xi32>
        %u = kernel.reshape %c : tensor<1x1xi32> to tensor<i32>
        func.return %r, %s, %u : tensor<12xi32>, tensor<2x6xi32>, tensor<i32>
      }"""
    assert results(text, A) == [MATRIX.T.reshape(-1).tolist(), A, [5]]


REDUCTIONS = ("add", "mul", "and", "or", "xor", "minu", "maxu", "mins", "maxs")


@pytest.mark.parametrize("kind", REDUCTIONS)
@pytest.mark.parametrize(
    ("dims", "result"), [((0,), "4"), ((1,), "3"), ((0, 1), ""), ((1, 0), ""), ((), "3x4")]
)
def test_reduce(kind: str, dims: tuple[int, ...], result: str):
    rng = np.random.default_rng(3)
    source = rng.integers(0, 1 << 32, (3, 4), np.uint32)
    kept = tuple(n for d, n in enumerate(source.shape) if d not in dims)
    init = rng.integers(0, 1 << 32, kept, np.uint32)
    expected = np.zeros(kept, np.uint32)
    for place in np.ndindex(kept):
        selector = list(place)
        full = [slice(None) if d in dims else selector.pop(0) for d in range(2)]
        words = np.ravel(source[tuple(full)]).tolist()
        expected[place] = reduce(lambda x, y: EXPECTED[kind](x, y) & M32, words, int(init[place]))
    t = f"tensor<{result}{'x' if result else ''}i32>"
    text = f"""
      func.func @k(%a: tensor<3x4xi32>, %i: {t}) -> {t} {{
        %r = kernel.reduce {kind}, %a, %i dims {list(dims)}
          : tensor<3x4xi32> to {t}
        func.return %r : {t}
      }}"""
    assert results(text, source.reshape(-1).tolist(), init.reshape(-1).tolist()) == [
        expected.reshape(-1).tolist()
    ]


def test_reduce_of_nothing_is_the_init():
    text = """
      func.func @k(%i: tensor<2xi32>) -> tensor<2xi32> {
        %a = kernel.empty : tensor<2x0xi32>
        %r = kernel.reduce mul, %a, %i dims [1] : tensor<2x0xi32> to tensor<2xi32>
        func.return %r : tensor<2xi32>
      }"""
    assert results(text, [6, 7]) == [[6, 7]]


def test_gather():
    text = """
      func.func @k(%a: tensor<3x4xi32>, %i: tensor<2x3xi32>, %j: tensor<2x3xi32>)
          -> tensor<2x3xi32> {
        %r = kernel.gather %a[%i, %j] : tensor<3x4xi32>, tensor<2x3xi32>
        func.return %r : tensor<2x3xi32>
      }"""
    i, j = [0, 2, 1, 1, 2, 0], [3, 0, 2, 2, 3, 0]
    assert results(text, A, i, j) == [[int(MATRIX[x, y]) for x, y in zip(i, j, strict=True)]]


def test_scatter_leaves_its_operand_alone():
    text = """
      func.func @k(%v: tensor<3xi32>, %a: tensor<3x4xi32>, %i: tensor<3xi32>, %j: tensor<3xi32>)
          -> (tensor<3x4xi32>, tensor<3x4xi32>) {
        %r = kernel.scatter %v, %a[%i, %j] : tensor<3xi32>, tensor<3x4xi32>
        func.return %r, %a : tensor<3x4xi32>, tensor<3x4xi32>
      }"""
    expected = MATRIX.copy()
    expected[0, 1], expected[2, 3] = 7, 9
    assert results(text, [8, 9, 7], A, [0, 2, 0], [1, 3, 1]) == [
        expected.reshape(-1).tolist(),
        A,
    ]


def test_last_element_of_a_scatter_stays_whatever_the_layout():
    text = """
      func.func @k(%v: tensor<40x50xi32>) -> tensor<4xi32> {
        %t = kernel.broadcast %v dims [1, 0] : tensor<40x50xi32> to tensor<50x40xi32>
        %r = kernel.iota 0 : tensor<40x50xi32>
        %s = kernel.broadcast %r dims [1, 0] : tensor<40x50xi32> to tensor<50x40xi32>
        %c4 = kernel.constant dense<4> : tensor<50x40xi32>
        %i = kernel.remu %s, %c4 : tensor<50x40xi32>
        %e = kernel.empty : tensor<4xi32>
        %w = kernel.scatter %t, %e[%i] : tensor<50x40xi32>, tensor<4xi32>
        func.return %w : tensor<4xi32>
      }"""
    values = np.arange(2000).reshape(40, 50).T
    expected = [0] * 4
    for _, column in np.ndindex(50, 40):
        expected[column % 4] = int(values[_, column])
    assert results(text, list(range(2000))) == [expected]


def test_elements():
    text = """
      func.func @k(%a: tensor<3x4xi32>, %i: i32, %j: i32, %x: i32)
          -> (i32, tensor<3x4xi32>, tensor<3x4xi32>, i32, tensor<i32>) {
        %e = kernel.extract %a[%i, %j] : tensor<3x4xi32>
        %b = kernel.insert %x, %a[%i, %j] : tensor<3x4xi32>
        %s = kernel.splat %x : tensor<i32>
        %y = kernel.extract %s[] : tensor<i32>
        %z = kernel.insert %i, %s[] : tensor<i32>
        func.return %e, %b, %a, %y, %z : i32, tensor<3x4xi32>, tensor<3x4xi32>, i32, tensor<i32>
      }"""
    expected = MATRIX.copy()
    expected[2, 1] = M32
    assert results(text, A, 2, 1, M32) == [109, expected.reshape(-1).tolist(), A, M32, [2]]


def test_slices():
    text = """
      func.func @k(%a: tensor<3x4xi32>, %i: i32, %j: i32)
          -> (tensor<2x2xi32>, tensor<3x4xi32>, tensor<3x4xi32>) {
        %s = kernel.extract_slice %a[%i, %j] strides [1, 2]
          : tensor<3x4xi32> to tensor<2x2xi32>
        %z = kernel.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
        %b = kernel.insert_slice %z, %a[%i, %j] strides [1, 2]
          : tensor<2x2xi32>, tensor<3x4xi32>
        func.return %s, %b, %a : tensor<2x2xi32>, tensor<3x4xi32>, tensor<3x4xi32>
      }"""
    expected = MATRIX.copy()
    expected[1:3, 1::2] = [[1, 2], [3, 4]]
    assert results(text, A, 1, 1) == [
        MATRIX[1:3, 1::2].reshape(-1).tolist(),
        expected.reshape(-1).tolist(),
        A,
    ]


def test_tensors_in_loops_and_conditionals():
    """Insertion sort: tensors carried by loops, scalars from `word` ops beside them."""
    text = """
      func.func @k(%a: tensor<12xi32>) -> tensor<12xi32> {
        %c0 = word.constant 0 : i32
        %c1 = word.constant 1 : i32
        %n = word.constant 12 : i32
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a) -> (tensor<12xi32>) : i32 {
          %t = scf.for %j = %i to %n step %c1 iter_args(%u = %s) -> (tensor<12xi32>) : i32 {
            %x = kernel.extract %u[%i] : tensor<12xi32>
            %y = kernel.extract %u[%j] : tensor<12xi32>
            %lt = word.cmp ult, %y, %x : i32
            %p = word.test %lt
            %w = scf.if %p -> (tensor<12xi32>) {
              %v0 = kernel.insert %y, %u[%i] : tensor<12xi32>
              %v1 = kernel.insert %x, %v0[%j] : tensor<12xi32>
              scf.yield %v1 : tensor<12xi32>
            } else {
              scf.yield %u : tensor<12xi32>
            }
            scf.yield %w : tensor<12xi32>
          }
          scf.yield %t : tensor<12xi32>
        }
        func.return %r : tensor<12xi32>
      }"""
    words = list(WORDS[:12])
    assert results(text, words) == [sorted(words)]
