"""Conversion of `memref`, compared with numpy arrays."""

from __future__ import annotations

import numpy as np
import pytest

from support.standard import array, convert, run
from vliw_mlir.errors import CompileError


def loop_nest(view: str, sizes: list[int], type: str) -> str:
    """Stores all elements of `%v`, row-major, at the start of `%out`."""
    indices = [f"%i{dim}" for dim in range(len(sizes))]
    lines, close = [view, "%zero = arith.constant 0 : index", "%one = arith.constant 1 : index"], ""
    at = "%zero"
    for dim, size in enumerate(sizes):
        lines.append(f"%n{dim} = arith.constant {size} : index")
        lines.append(f"scf.for {indices[dim]} = %zero to %n{dim} step %one {{")
        lines.append(f"%m{dim} = arith.muli {at}, %n{dim} : index")
        lines.append(f"%at{dim} = arith.addi %m{dim}, {indices[dim]} : index")
        at, close = f"%at{dim}", close + "}\n"
    lines.append(f"%x = memref.load %v[{', '.join(indices)}] : {type}")
    lines.append(f"memref.store %x, %out[{at}] : memref<?xi32>")
    return "\n".join(lines) + "\n" + close


A = np.arange(100, 148, dtype=np.uint32)

VIEWS = {
    "subview": (
        (6, 8),
        "%v = memref.subview %a[1, 2] [3, 4] [2, 1] "
        ": memref<6x8xi32> to memref<3x4xi32, strided<[16, 1], offset: 10>>",
        "memref<3x4xi32, strided<[16, 1], offset: 10>>",
        lambda a: a[1:6:2, 2:6],
    ),
    "subview at a computed offset": (
        (6, 8),
        "%v = memref.subview %a[%i, %j] [2, 3] [1, 2] "
        ": memref<6x8xi32> to memref<2x3xi32, strided<[8, 2], offset: ?>>",
        "memref<2x3xi32, strided<[8, 2], offset: ?>>",
        lambda a: a[2:4, 3:8:2],
    ),
    "subview with computed sizes and strides": (
        (6, 8),
        "%v = memref.subview %a[1, 0] [%i, %j] [%i, %i] "
        ": memref<6x8xi32> to memref<?x?xi32, strided<[?, ?], offset: 8>>",
        "memref<?x?xi32, strided<[?, ?], offset: 8>>",
        lambda a: a[1:5:2, 0:6:2],
    ),
    "subview of a subview": (
        (6, 8),
        "%w = memref.subview %a[%i, 1] [4, 6] [1, 1] "
        ": memref<6x8xi32> to memref<4x6xi32, strided<[8, 1], offset: ?>>\n"
        "%v = memref.subview %w[1, %j] [2, 2] [2, 1] : "
        "memref<4x6xi32, strided<[8, 1], offset: ?>> to "
        "memref<2x2xi32, strided<[16, 1], offset: ?>>",
        "memref<2x2xi32, strided<[16, 1], offset: ?>>",
        lambda a: a[2:, 1:][1:4:2, 3:5],
    ),
    "row of a matrix": (
        (6, 8),
        "%v = memref.subview %a[%i, 0] [1, 8] [1, 1] "
        ": memref<6x8xi32> to memref<8xi32, strided<[1], offset: ?>>",
        "memref<8xi32, strided<[1], offset: ?>>",
        lambda a: a[2],
    ),
    "column of a matrix": (
        (6, 8),
        "%v = memref.subview %a[0, %j] [6, 1] [1, 1] "
        ": memref<6x8xi32> to memref<6xi32, strided<[8], offset: ?>>",
        "memref<6xi32, strided<[8], offset: ?>>",
        lambda a: a[:, 3],
    ),
    "inner unit dimension kept": (
        (2, 3, 8),
        "%v = memref.subview %a[1, 1, %j] [1, 2, 1] [1, 1, 1] "
        ": memref<2x3x8xi32> to memref<2x1xi32, strided<[8, 1], offset: ?>>",
        "memref<2x1xi32, strided<[8, 1], offset: ?>>",
        lambda a: a[1, 1:3, 3:4],
    ),
    "one element": (
        (6, 8),
        "%v = memref.subview %a[%i, %j] [1, 1] [1, 1] "
        ": memref<6x8xi32> to memref<i32, strided<[], offset: ?>>",
        "memref<i32, strided<[], offset: ?>>",
        lambda a: a[2, 3],
    ),
    "casts": (
        (6, 8),
        "%w = memref.cast %a : memref<6x8xi32> to memref<?x?xi32, strided<[?, ?], offset: ?>>\n"
        '%there = "memref.memory_space_cast"(%w) : (memref<?x?xi32, strided<[?, ?], offset: ?>>) '
        "-> memref<?x?xi32, strided<[?, ?], offset: ?>, 1>\n"
        "%v = memref.assume_alignment %there, 16 : memref<?x?xi32, strided<[?, ?], offset: ?>, 1>",
        "memref<?x?xi32, strided<[?, ?], offset: ?>, 1>",
        lambda a: a,
    ),
    "reinterpret_cast": (
        (48,),
        "%v = memref.reinterpret_cast %a to offset: [%j], sizes: [3, 4], strides: [8, 2] "
        ": memref<48xi32> to memref<3x4xi32, strided<[8, 2], offset: ?>>",
        "memref<3x4xi32, strided<[8, 2], offset: ?>>",
        lambda a: np.lib.stride_tricks.as_strided(a[3:], (3, 4), (32, 8)),
    ),
    "reinterpret_cast is relative to the whole memref": (
        (48,),
        "%w = memref.subview %a[%i] [8] [1] : memref<48xi32> to "
        "memref<8xi32, strided<[1], offset: ?>>\n"
        "%v = memref.reinterpret_cast %w to offset: [1], sizes: [4], strides: [3] "
        ": memref<8xi32, strided<[1], offset: ?>> to memref<4xi32, strided<[3], offset: 1>>",
        "memref<4xi32, strided<[3], offset: 1>>",
        lambda a: a[1:13:3],
    ),
    "reinterpret_cast with computed sizes": (
        (48,),
        "%v = memref.reinterpret_cast %a to offset: [0], sizes: [%i, %j], strides: [%j, 1] "
        ": memref<48xi32> to memref<?x?xi32, strided<[?, 1]>>",
        "memref<?x?xi32, strided<[?, 1]>>",
        lambda a: a[:6].reshape(2, 3),
    ),
    "transpose": (
        (2, 3, 8),
        "%v = memref.transpose %a (i, j, k) -> (k, i, j) "
        ": memref<2x3x8xi32> to memref<8x2x3xi32, strided<[1, 24, 8]>>",
        "memref<8x2x3xi32, strided<[1, 24, 8]>>",
        lambda a: a.transpose(2, 0, 1),
    ),
    "transpose of a view": (
        (6, 8),
        "%w = memref.subview %a[%i, 2] [2, 3] [1, 2] "
        ": memref<6x8xi32> to memref<2x3xi32, strided<[8, 2], offset: ?>>\n"
        "%v = memref.transpose %w (i, j) -> (j, i) : memref<2x3xi32, strided<[8, 2], offset: ?>> "
        "to memref<3x2xi32, strided<[2, 8], offset: ?>>",
        "memref<3x2xi32, strided<[2, 8], offset: ?>>",
        lambda a: a[2:4, 2:8:2].T,
    ),
    "collapse_shape": (
        (2, 3, 8),
        "%v = memref.collapse_shape %a [[0, 1], [2]] : memref<2x3x8xi32> into memref<6x8xi32>",
        "memref<6x8xi32>",
        lambda a: a.reshape(6, 8),
    ),
    "collapse_shape of a view": (
        (4, 3, 4),
        "%w = memref.subview %a[0, 0, 1] [2, 3, 1] [2, 1, 1] : memref<4x3x4xi32> to "
        "memref<2x3x1xi32, strided<[24, 4, 1], offset: 1>>\n"
        "%v = memref.collapse_shape %w [[0], [1, 2]] : "
        "memref<2x3x1xi32, strided<[24, 4, 1], offset: 1>> into "
        "memref<2x3xi32, strided<[24, 4], offset: 1>>",
        "memref<2x3xi32, strided<[24, 4], offset: 1>>",
        lambda a: a[::2, :, 1],
    ),
    "expand_shape": (
        (6, 8),
        "%v = memref.expand_shape %a [[0, 1], [2, 3]] output_shape [2, 3, 4, 2] "
        ": memref<6x8xi32> into memref<2x3x4x2xi32>",
        "memref<2x3x4x2xi32>",
        lambda a: a.reshape(2, 3, 4, 2),
    ),
    "expand_shape of a view": (
        (6, 8),
        "%w = memref.subview %a[0, %j] [6, 4] [1, 1] : memref<6x8xi32> to "
        "memref<6x4xi32, strided<[8, 1], offset: ?>>\n"
        "%v = memref.expand_shape %w [[0, 1], [2]] output_shape [3, 2, 4] : "
        "memref<6x4xi32, strided<[8, 1], offset: ?>> into "
        "memref<3x2x4xi32, strided<[16, 8, 1], offset: ?>>",
        "memref<3x2x4xi32, strided<[16, 8, 1], offset: ?>>",
        lambda a: a[:, 3:7].reshape(3, 2, 4),
    ),
}


@pytest.mark.parametrize("name", VIEWS)
def test_view(name: str):
    shape, view, type, expected = VIEWS[name]
    elements = np.asarray(expected(A.reshape(shape)))
    sizes = "x".join(map(str, shape))
    text = f"""
    func.func @f(%out: memref<?xi32>, %a: memref<{sizes}xi32>, %i: index, %j: index) {{
      {loop_nest(view, list(elements.shape), type)}
      return
    }}"""
    image = run(text, [0] * elements.size, A.reshape(shape), 2, 3)
    assert array(image, 0).tolist() == elements.ravel().tolist()


def test_views_write_through():
    text = """
    func.func @f(%a: memref<4x6xi32>, %i: index, %x: i32) {
      %c1 = arith.constant 1 : index
      %v = memref.subview %a[%i, 1] [2, 3] [1, 2]
        : memref<4x6xi32> to memref<2x3xi32, strided<[6, 2], offset: ?>>
      memref.store %x, %v[%c1, %c1] : memref<2x3xi32, strided<[6, 2], offset: ?>>
      return
    }"""
    expected = np.zeros((4, 6), np.uint32)
    expected[2:4, 1::2][1, 1] = 5
    assert array(run(text, np.zeros((4, 6), int), 2, 5), 0).tolist() == expected.ravel().tolist()


def test_copy():
    text = """
    func.func @f(%a: memref<4x6xi32>, %b: memref<4x6xi32>, %c: memref<24xi32>, %n: index,
                 %d: memref<24xi32>) {
      memref.copy %a, %b : memref<4x6xi32> to memref<4x6xi32>
      %inner = memref.subview %a[1, 1] [2, 3] [1, 2]
        : memref<4x6xi32> to memref<2x3xi32, strided<[6, 2], offset: 7>>
      %rows = memref.reinterpret_cast %c to offset: [3], sizes: [2, 3], strides: [3, 1]
        : memref<24xi32> to memref<2x3xi32, strided<[3, 1], offset: 3>>
      memref.copy %inner, %rows
        : memref<2x3xi32, strided<[6, 2], offset: 7>> to memref<2x3xi32, strided<[3, 1], offset: 3>>
      %from = memref.reinterpret_cast %c to offset: [0], sizes: [%n], strides: [1]
        : memref<24xi32> to memref<?xi32>
      %to = memref.subview %d[1] [%n] [1]
        : memref<24xi32> to memref<?xi32, strided<[1], offset: 1>>
      memref.copy %from, %to : memref<?xi32> to memref<?xi32, strided<[1], offset: 1>>
      return
    }"""
    a = A[:24].reshape(4, 6)
    c, d = np.zeros(24, np.uint32), np.zeros(24, np.uint32)
    c[3:9] = a[1:3, 1:6:2].ravel()
    d[1:8] = c[:7]
    image = run(text, a, np.zeros((4, 6), int), [0] * 24, 7, [0] * 24)
    for number, expected in ((0, a), (1, a), (2, c), (4, d)):
        assert array(image, number).tolist() == expected.ravel().tolist()


def test_shapes():
    text = """
    func.func @f(%out: memref<8xi32>, %a: memref<?x6xi32>, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %inner = memref.dim %a, %c1 : memref<?x6xi32>
      %rank = memref.rank %a : memref<?x6xi32>
      %v = memref.subview %a[0, 0] [%n, 2] [1, 1]
        : memref<?x6xi32> to memref<?x2xi32, strided<[6, 1]>>
      %outer = memref.dim %v, %c0 : memref<?x2xi32, strided<[6, 1]>>
      %w = memref.subview %a[%n, 1] [4, 2] [1, 2]
        : memref<?x6xi32> to memref<4x2xi32, strided<[6, 2], offset: ?>>
      %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %w
        : memref<4x2xi32, strided<[6, 2], offset: ?>>
        -> memref<i32>, index, index, index, index, index
      %all = vector.from_elements %inner, %rank, %outer, %offset, %sizes#0, %sizes#1, %strides#0,
        %strides#1 : vector<8xindex>
      %words = arith.index_cast %all : vector<8xindex> to vector<8xi32>
      vector.store %words, %out[%c0] : memref<8xi32>, vector<8xi32>
      %x = memref.load %base[] : memref<i32>
      memref.store %x, %out[%c2] : memref<8xi32>
      return
    }"""
    image = run(text, [0] * 8, A.reshape(8, 6), 3)
    assert array(image, 0).tolist() == [6, 2, 100, 19, 4, 2, 6, 2]


def test_allocations():
    text = """
    func.func @f(%out: memref<8xi32>, %x: i32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %a = memref.alloc() : memref<2x4xi32>
      %b = memref.alloca(%c3) : memref<?xi32>
      %c = memref.alloc() : memref<2x2xi32, strided<[4, 2]>>
      memref.store %x, %a[%c1, %c3] : memref<2x4xi32>
      %y = arith.addi %x, %x : i32
      memref.store %y, %b[%c1] : memref<?xi32>
      %z = arith.addi %x, %y : i32
      memref.store %z, %c[%c1, %c1] : memref<2x2xi32, strided<[4, 2]>>
      %r0 = memref.load %a[%c1, %c3] : memref<2x4xi32>
      %r1 = memref.load %b[%c1] : memref<?xi32>
      %r2 = memref.load %c[%c1, %c1] : memref<2x2xi32, strided<[4, 2]>>
      %n = memref.dim %b, %c0 : memref<?xi32>
      %r3 = arith.index_cast %n : index to i32
      %r = vector.from_elements %r0, %r1, %r2, %r3 : vector<4xi32>
      vector.store %r, %out[%c0] : memref<8xi32>, vector<4xi32>
      memref.dealloc %a : memref<2x4xi32>
      %s = memref.alloca_scope -> (i32) {
        %t = memref.alloca() : memref<1xi32>
        memref.store %z, %t[%c0] : memref<1xi32>
        %u = memref.load %t[%c0] : memref<1xi32>
        memref.alloca_scope.return %u : i32
      }
      %c4 = arith.constant 4 : index
      memref.store %s, %out[%c4] : memref<8xi32>
      return
    }"""
    assert array(run(text, [0] * 8, 5), 0).tolist() == [5, 10, 15, 3, 15, 0, 0, 0]


def test_globals():
    text = """
    memref.global "private" constant @table : memref<2x3xi8> = dense<[[1, -1, 3], [-128, 5, 6]]>
    memref.global "private" @state : memref<2xi32> = dense<7>
    memref.global "private" @scratch : memref<4xi32> = uninitialized
    memref.global "private" @scalar : memref<i16> = dense<-2>
    func.func private @bump(%x: i32) -> i32 {
      %c0 = arith.constant 0 : index
      %s = memref.get_global @state : memref<2xi32>
      %old = memref.load %s[%c0] : memref<2xi32>
      %new = arith.addi %old, %x : i32
      memref.store %new, %s[%c0] : memref<2xi32>
      return %old : i32
    }
    func.func @f(%out: memref<8xi32>, %i: index, %j: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      scf.for %k = %c0 to %c2 step %c1 {
        %t = memref.get_global @table : memref<2x3xi8>
        %at = arith.addi %j, %k : index
        %x = memref.load %t[%i, %at] : memref<2x3xi8>
        %y = arith.extsi %x : i8 to i32
        memref.store %y, %out[%k] : memref<8xi32>
      }
      %u = memref.get_global @scratch : memref<4xi32>
      %c100 = arith.constant 100 : i32
      memref.store %c100, %u[%c2] : memref<4xi32>
      %a = func.call @bump(%c100) : (i32) -> i32
      %b = func.call @bump(%c100) : (i32) -> i32
      %s = memref.get_global @state : memref<2xi32>
      %c = memref.load %s[%c0] : memref<2xi32>
      %d = memref.load %s[%c1] : memref<2xi32>
      %r = vector.from_elements %a, %b, %c, %d : vector<4xi32>
      vector.store %r, %out[%c2] : memref<8xi32>, vector<4xi32>
      %m = memref.get_global @scalar : memref<i16>
      %n = memref.load %m[] : memref<i16>
      %o = arith.extui %n : i16 to i32
      %c7 = arith.constant 7 : index
      memref.store %o, %out[%c7] : memref<8xi32>
      return
    }"""
    top = 1 << 32
    expected = [top - 128, 5, 7, 107, 207, 7, 0, 65534]
    assert array(run(text, [0] * 8, 1, 0), 0).tolist() == expected


ATOMIC = {
    1: lambda a, b: a + b,
    2: lambda a, b: b,
    4: lambda a, b: a if (a ^ 128) > (b ^ 128) else b,
    5: max,
    7: lambda a, b: a if (a ^ 128) < (b ^ 128) else b,
    8: min,
    10: lambda a, b: a * b,
    11: lambda a, b: a | b,
    12: lambda a, b: a & b,
    15: lambda a, b: a ^ b,
}


def test_atomic_rmw():
    lines = [
        f"%k{n} = arith.constant {n} : index\n"
        f'%old{n} = "memref.atomic_rmw"(%x, %a, %k{n}) <{{kind = {kind} : i64}}> '
        f": (i8, memref<10xi8>, index) -> i8\nmemref.store %old{n}, %b[%k{n}] : memref<10xi8>"
        for n, kind in enumerate(ATOMIC)
    ]
    text = f"""
    func.func @f(%a: memref<10xi8>, %b: memref<10xi8>, %x: i8) {{
      {chr(10).join(lines)}
      return
    }}"""
    before = [200, 1, 127, 128, 255, 3, 100, 7, 9, 77]
    image = run(text, before, [0] * 10, 0x93)
    after = [f(a, 0x93) & 255 for f, a in zip(ATOMIC.values(), before, strict=True)]
    assert array(image, 0).tolist() == after
    assert array(image, 1).tolist() == before


def test_memrefs_through_loops():
    """Two buffers swap places; the row of a matrix is carried along."""
    text = """
    func.func @f(%a: memref<4xi32>, %b: memref<4xi32>, %m: memref<4x4xi32>, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %one = arith.constant 1 : i32
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b)
          -> (memref<4xi32>, memref<4xi32>) {
        %x = memref.load %p[%c0] : memref<4xi32>
        %y = arith.addi %x, %one : i32
        memref.store %y, %q[%c0] : memref<4xi32>
        scf.yield %q, %p : memref<4xi32>, memref<4xi32>
      }
      %s = memref.load %r#0[%c0] : memref<4xi32>
      memref.store %s, %a[%c1] : memref<4xi32>
      %row = memref.subview %m[%n, 0] [1, 4] [1, 1]
        : memref<4x4xi32> to memref<4xi32, strided<[1], offset: ?>>
      %last = memref.subview %m[2, 0] [1, 4] [1, 1]
        : memref<4x4xi32> to memref<4xi32, strided<[1], offset: 8>>
      %same = memref.cast %last
        : memref<4xi32, strided<[1], offset: 8>> to memref<4xi32, strided<[1], offset: ?>>
      %odd = arith.cmpi eq, %n, %c1 : index
      %v = scf.if %odd -> (memref<4xi32, strided<[1], offset: ?>>) {
        scf.yield %row : memref<4xi32, strided<[1], offset: ?>>
      } else {
        scf.yield %same : memref<4xi32, strided<[1], offset: ?>>
      }
      memref.store %s, %v[%c2] : memref<4xi32, strided<[1], offset: ?>>
      return
    }"""
    for n in (1, 3):
        image = run(text, [5, 0, 0, 0], [0] * 4, np.zeros((4, 4), int), n)
        assert array(image, 0).tolist()[1] == 5 + n
        expected = np.zeros((4, 4), int)
        expected[n if n == 1 else 2, 2] = 5 + n
        assert array(image, 2).tolist() == expected.ravel().tolist()


ERRORS = {
    "dynamic size": (
        "%x = memref.alloc(%i) : memref<?xi32>",
        "an allocation needs constant sizes",
    ),
    "unknown inner size": (
        "%c1 = arith.constant 1 : index\n"
        "%y = memref.alloc() : memref<2x4xi32>\n"
        "%x = scf.execute_region -> (memref<?x?xi32>) {\n"
        "%z = memref.cast %y : memref<2x4xi32> to memref<?x?xi32>\n"
        "scf.yield %z : memref<?x?xi32>\n}\n"
        "%v = memref.load %x[%i, %c1] : memref<?x?xi32>",
        "the stride of dimension 0 is not known",
    ),
    "size of an argument": (
        "%c0 = arith.constant 0 : index\n%x = memref.dim %m, %c0 : memref<?xi32>",
        "the size of dimension 0 is not known: memrefs are passed without their sizes",
    ),
    "computed dimension": ("%x = memref.dim %m, %i : memref<?xi32>", "needs a constant dimension"),
    "no such dimension": (
        "%c1 = arith.constant 1 : index\n%x = memref.dim %m, %c1 : memref<?xi32>",
        "memref<?xi32> has no dimension 1",
    ),
    "size of a copy": (
        "memref.copy %m, %m : memref<?xi32> to memref<?xi32>",
        "the size of dimension 0 is not known",
    ),
    "unranked": (
        "%x = memref.cast %m : memref<?xi32> to memref<*xi32>",
        "type memref<*xi32> is not supported",
    ),
    "layout": (
        "%x = memref.alloc() : memref<4xi32, affine_map<(d0) -> (d0 * 2)>>",
        "layout",
    ),
    "offset": (
        "%x = memref.alloc() : memref<4xi32, strided<[1], offset: 2>>",
        "the layout needs constant strides and no offset",
    ),
    "element type": ("%x = memref.alloc() : memref<4xf32>", "f32: floating point"),
    "vector elements": (
        "%x = memref.alloc() : memref<4xvector<8xi32>>",
        "type vector<8xi32> is not supported",
    ),
    "bytes": (
        "%y = memref.alloc() : memref<16xi8>\n"
        "%x = memref.view %y[%i][] : memref<16xi8> to memref<4xi32>",
        "'memref.view' is not supported",
    ),
    "not contiguous": (
        "%y = memref.alloc() : memref<4x2xi32, strided<[4, 1]>>\n"
        "%x = memref.collapse_shape %y [[0, 1]] "
        ": memref<4x2xi32, strided<[4, 1]>> into memref<8xi32>",
        "cannot collapse dimensions 0 and 1",
    ),
    "wrong rank": (
        "%y = memref.alloc() : memref<4x2xi32>\n"
        "%x = memref.subview %y[0, 0] [2, 2] [1, 1] "
        ": memref<4x2xi32> to memref<2xi32, strided<[1]>>",
        "a subview of these sizes does not have the type memref<2xi32, strided<[1]>>",
    ),
    "lost base": (
        "%w = memref.subview %m[%i] [4] [1] "
        ": memref<?xi32> to memref<4xi32, strided<[1], offset: ?>>\n"
        "%y = scf.execute_region -> (memref<4xi32, strided<[1], offset: ?>>) {\n"
        "scf.yield %w : memref<4xi32, strided<[1], offset: ?>>\n}\n"
        "%z = memref.subview %y[%i] [4] [1] : memref<4xi32, strided<[1], offset: ?>> "
        "to memref<4xi32, strided<[1], offset: ?>>\n"
        "%x = memref.reinterpret_cast %z to offset: [0], sizes: [2], strides: [1] "
        ": memref<4xi32, strided<[1], offset: ?>> to memref<2xi32>",
        "the memref under this view of type",
    ),
    "atomic kind": (
        '%x = "memref.atomic_rmw"(%a, %m, %i) <{kind = 0 : i64}> '
        ": (i32, memref<?xi32>, index) -> i32",
        "atomic kind 0 is not supported",
    ),
    "missing global": (
        "%x = memref.get_global @nowhere : memref<4xi32>",
        "there is no memref.global @nowhere",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str):
    body, message = ERRORS[name]
    with pytest.raises(CompileError) as error:
        convert(f"func.func @f(%a: i32, %i: index, %m: memref<?xi32>) {{\n{body}\nreturn\n}}")
    assert message in error.value.message
    assert error.value.location == f"<string>:{body.count(chr(10)) + 2}:1"


def test_global_without_value():
    text = """memref.global "private" @elsewhere : memref<4xi32>
    func.func @f() {
      %x = memref.get_global @elsewhere : memref<4xi32>
      return
    }"""
    with pytest.raises(CompileError, match="the global @elsewhere has no value"):
        convert(text)
