"""Conversion of control flow: `scf`, `cf`, calls; and of allocations in loops."""

from __future__ import annotations

import pytest

from support.standard import array, convert, run
from vliw_mlir.errors import CompileError


def kernel(body: str) -> str:
    return f"""
    func.func @f(%out: memref<8xi32>, %i: index, %x: i32, %b: i8) -> i32 {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %one = arith.constant 1 : i32
      {body}
    }}"""


def result(body: str, i: int = 0, x: int = 0, b: int = 0) -> int:
    (value,) = run(kernel(body), [0] * 8, i, x, b).results()
    assert isinstance(value, int)
    return value


def test_while():
    """Collatz."""
    body = """
    %r:2 = scf.while (%v = %x, %n = %one) : (i32, i32) -> (i32, i32) {
      %go = arith.cmpi ugt, %v, %one : i32
      scf.condition(%go) %v, %n : i32, i32
    } do {
    ^bb0(%v: i32, %n: i32):
      %two = arith.constant 2 : i32
      %three = arith.constant 3 : i32
      %bit = arith.trunci %v : i32 to i1
      %next = scf.if %bit -> (i32) {
        %t = arith.muli %v, %three : i32
        %s = arith.addi %t, %one : i32
        scf.yield %s : i32
      } else {
        %h = arith.divui %v, %two : i32
        scf.yield %h : i32
      }
      %m = arith.addi %n, %one : i32
      scf.yield %next, %m : i32, i32
    }
    return %r#1 : i32
    """
    assert result(body, x=27) == 112


@pytest.mark.parametrize(("low", "high"), [(-3, 4), (5, 5), (250, 127), (-128, 127), (3, -3)])
def test_loop_over_bytes(low: int, high: int):
    """The counter of a loop over a narrow type is signed, like its bounds."""
    body = f"""
    %low = arith.constant {low - 256 if low > 127 else low} : i8
    %high = arith.constant {high} : i8
    %step = arith.constant 1 : i8
    %zero = arith.constant 0 : i32
    %n = scf.for %k = %low to %high step %step iter_args(%s = %zero) -> (i32) : i8 {{
      %u = arith.extui %k : i8 to i32
      %t = arith.addi %s, %u : i32
      scf.yield %t : i32
    }}
    return %n : i32
    """
    first = low - 256 if low > 127 else low
    assert result(body) == sum(k & 255 for k in range(first, high))


def test_index_switch():
    body = """
    %r = scf.index_switch %i -> i32
    case 2 {
      %t = arith.constant 20 : i32
      scf.yield %t : i32
    }
    case -1 {
      %t = arith.constant 30 : i32
      scf.yield %t : i32
    }
    default {
      scf.yield %x : i32
    }
    return %r : i32
    """
    cases = ((2, 20), (-1 % (1 << 32), 30), (0, 7), (3, 7))
    assert [result(body, i, 7) for i, _ in cases] == [r for _, r in cases]


def test_switch_on_bytes():
    """Cases are compared at the width of the flag."""
    body = """
    cf.switch %b : i8, [
      default: ^other(%x : i32),
      -1: ^end(%one : i32),
      200: ^other(%one : i32)
    ]
  ^other(%y: i32):
    %z = arith.addi %y, %y : i32
    cf.br ^end(%z : i32)
  ^end(%r: i32):
    return %r : i32
    """
    assert [result(body, x=5, b=b) for b in (255, 200, 0, 127)] == [1, 2, 10, 10]


def test_parallel():
    body = """
    %zero = arith.constant 0 : i32
    %r = scf.parallel (%p, %q) = (%c0, %c0) to (%c4, %i) step (%c1, %c1) init (%zero) -> i32 {
      %s = arith.muli %p, %q : index
      %t = arith.index_cast %s : index to i32
      scf.reduce(%t : i32) {
      ^bb0(%l: i32, %m: i32):
        %u = arith.addi %l, %m : i32
        scf.reduce.return %u : i32
      }
    }
    return %r : i32
    """
    assert result(body, 5) == sum(p * q for p in range(4) for q in range(5))


def test_branches():
    """A loop of blocks that carries a memref."""
    body = """
    %other = memref.alloc() : memref<8xi32>
    memref.store %x, %other[%c0] : memref<8xi32>
    cf.br ^head(%c0, %other, %out : index, memref<8xi32>, memref<8xi32>)
  ^head(%k: index, %from: memref<8xi32>, %to: memref<8xi32>):
    %go = arith.cmpi slt, %k, %i : index
    cf.cond_br %go, ^body, ^end
  ^body:
    %v = memref.load %from[%c0] : memref<8xi32>
    %w = arith.addi %v, %one : i32
    memref.store %w, %to[%c0] : memref<8xi32>
    %n = arith.addi %k, %c1 : index
    cf.br ^head(%n, %to, %from : index, memref<8xi32>, memref<8xi32>)
  ^end:
    %r = memref.load %from[%c0] : memref<8xi32>
    return %r : i32
    """
    assert [result(body, n, 7) for n in range(4)] == [7, 8, 9, 10]


def test_an_allocation_within_an_iteration():
    body = """
    %zero = arith.constant 0 : i32
    %r = scf.for %k = %c0 to %i step %c1 iter_args(%s = %zero) -> (i32) {
      %m = memref.alloc() : memref<4xi32>
      %odd = arith.trunci %x : i32 to i1
      %n = scf.if %odd -> (memref<4xi32>) {
        scf.yield %m : memref<4xi32>
      } else {
        %o = memref.alloc() : memref<4xi32>
        scf.yield %o : memref<4xi32>
      }
      memref.store %x, %m[%c0] : memref<4xi32>
      memref.store %one, %n[%c1] : memref<4xi32>
      %l = scf.for %q = %c0 to %c4 step %c1 iter_args(%p = %m) -> (memref<4xi32>) {
        scf.yield %p : memref<4xi32>
      }
      %v = memref.load %l[%c0] : memref<4xi32>
      %t = arith.addi %s, %v : i32
      scf.yield %t : i32
    }
    return %r : i32
    """
    assert result(body, 3, 5) == 15


ESCAPES = {
    "scf.yield": """
    %first = memref.alloc() : memref<4xi32>
    %r = scf.for %k = %c0 to %i step %c1 iter_args(%p = %first) -> (memref<4xi32>) {
      %m = memref.alloc() : memref<4xi32>
      scf.yield %m : memref<4xi32>
    }
    """,
    "scf.yield of a view": """
    %first = memref.alloc() : memref<4xi32>
    %r = scf.for %k = %c0 to %i step %c1 iter_args(%p = %first) -> (memref<4xi32>) {
      %m = memref.alloc() : memref<2x2xi32>
      %v = memref.collapse_shape %m [[0, 1]] : memref<2x2xi32> into memref<4xi32>
      %c = arith.trunci %x : i32 to i1
      %w = arith.select %c, %p, %v : memref<4xi32>
      %u = scf.if %c -> (memref<4xi32>) {
        scf.yield %w : memref<4xi32>
      } else {
        scf.yield %p : memref<4xi32>
      }
      scf.yield %u : memref<4xi32>
    }
    """,
    "scf.yield of an outer loop": """
    %first = memref.alloc() : memref<4xi32>
    %r = scf.for %k = %c0 to %i step %c1 iter_args(%p = %first) -> (memref<4xi32>) {
      %m = memref.alloc() : memref<4xi32>
      %q = scf.for %l = %c0 to %i step %c1 iter_args(%s = %m) -> (memref<4xi32>) {
        scf.yield %s : memref<4xi32>
      }
      scf.yield %q : memref<4xi32>
    }
    """,
    "scf.condition": """
    %r = scf.while : () -> (memref<4xi32>) {
      %m = memref.alloc() : memref<4xi32>
      %go = arith.cmpi slt, %c0, %i : index
      scf.condition(%go) %m : memref<4xi32>
    } do {
    ^bb0(%p: memref<4xi32>):
      scf.yield
    }
    """,
    "cf.br": """
    %first = memref.alloc() : memref<4xi32>
    cf.br ^head(%first : memref<4xi32>)
  ^head(%p: memref<4xi32>):
    %m = memref.alloc() : memref<4xi32>
    %go = arith.cmpi slt, %c0, %i : index
    cf.cond_br %go, ^body, ^end
  ^body:
    cf.br ^head(%m : memref<4xi32>)
  ^end:
    """,
}


@pytest.mark.parametrize("name", ESCAPES)
def test_an_allocation_that_escapes(name: str):
    with pytest.raises(CompileError) as error:
        convert(kernel(ESCAPES[name] + "\nreturn %one : i32"))
    assert error.value.message.startswith(
        f"allocation escapes its loop: each iteration gets the same buffer, but '{name.split()[0]}'"
    )


def test_a_buffer_may_leave_a_loop_of_blocks():
    body = """
    cf.br ^head(%c0 : index)
  ^head(%k: index):
    %m = memref.alloc() : memref<4xi32>
    %n = arith.addi %k, %c1 : index
    %w = arith.index_cast %n : index to i32
    memref.store %w, %m[%c0] : memref<4xi32>
    %go = arith.cmpi slt, %n, %i : index
    cf.cond_br %go, ^head(%n : index), ^end(%m : memref<4xi32>)
  ^end(%p: memref<4xi32>):
    %r = memref.load %p[%c0] : memref<4xi32>
    return %r : i32
    """
    assert result(body, 5) == 5


def test_kernel_arguments_are_contiguous():
    with pytest.raises(CompileError, match="arrays are row-major without gaps"):
        convert("func.func @f(%a: memref<4xi32, strided<[2]>>) {\nreturn\n}")
    same = "func.func @f(%a: memref<?x4xi32, strided<[4, 1]>>) {\nreturn\n}"
    assert array(run(same, range(8)), 0).tolist() == list(range(8))
