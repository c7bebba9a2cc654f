"""Structured control flow, control-flow graphs, and how deep they nest."""

from __future__ import annotations

import random
import sys
from collections.abc import Generator

import pytest

from vliw_mlir.api import parse_pipeline
from vliw_mlir.errors import LimitError, TrapError
from vliw_mlir.interp.interpreter import interpret_case
from vliw_mlir.source import make_context

from .helpers import M32, kernel, parse, results, run, signed

COUNT = (
    kernel(
        "0 0 0",
        """
    %c0 = word.constant 0 : i32
    %c1 = word.constant 1 : i32
    %n, %last = scf.for %i = %a to %b step %c iter_args(%m = %c0, %l = %a) -> (i32, i32) : i32 {
      %m1 = word.add %m, %c1 : i32
      scf.yield %m1, %i : i32, i32
    }
    func.return %n, %last : i32, i32""",
        "i32, i32",
    )
    .replace("%n, %last = scf", "%r:2 = scf")
    .replace("return %n, %last", "return %r#0, %r#1")
)


@pytest.mark.parametrize(
    ("lower", "upper", "step"),
    [
        (0, 10, 1),
        (0, 10, 3),
        (0, 0, 1),
        (5, 3, 1),
        (0, -1, 1),
        (-5, 5, 1),
        (-5, -2, 2),
        (-10, -20, 1),
        (-(2**31), -(2**31) + 3, 1),
        (2**31 - 4, 2**31 - 1, 1),
        (0, 2**31 - 2**20, 2**20),
    ],
)
def test_for_compares_signed(lower: int, upper: int, step: int):
    values = [*range(lower, upper, step)]
    last = values[-1] if values else lower
    assert results(COUNT, lower & M32, upper & M32, step) == [len(values), last & M32]


@pytest.mark.parametrize(
    ("lower", "upper", "step"),
    [
        (3, 4, 2**31 - 1),
        (0, 1, 2**31 + 7),
        (-(2**31), -(2**31) + 5, 2**31 + 2),
        (1, 100, 2**32 - 2**28),
        (-3, 2**31 - 2**28, 2**28 + 1),
    ],
)
def test_induction_variable_wraps_like_the_machine(lower: int, upper: int, step: int):
    word, count, last = lower & M32, 0, lower & M32
    while signed(word) < upper and count < 100:
        count, last = count + 1, word
        word = (word + step) & M32
    assert count < 100
    assert results(COUNT, lower & M32, upper & M32, step) == [count, last]


@pytest.mark.parametrize(
    ("lower", "upper", "step"), [(0, 1, 0), (0, 2**31 - 1, 2**30), (0, 5, 2**31)]
)
def test_loops_that_never_end(lower: int, upper: int, step: int):
    with pytest.raises(LimitError, match="more than 1000 steps"):
        run(COUNT, lower, upper, step, step_limit=1000)


def test_bounds_are_evaluated_once():
    text = kernel(
        "0",
        """
        %c0 = word.constant 0 : i32
        %c1 = word.constant 1 : i32
        %c2 = word.constant 2 : i32
        %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%n = %a, %t = %c0) -> (i32, i32) : i32 {
          %s = scf.for %j = %c0 to %n step %c1 iter_args(%u = %t) -> (i32) : i32 {
            %v = word.add %u, %c1 : i32
            scf.yield %v : i32
          }
          %m = word.add %n, %n : i32
          scf.yield %m, %s : i32, i32
        }
        func.return %r#0, %r#1 : i32, i32""",
        "i32, i32",
    )
    assert results(text, 5) == [20, 15]


def test_carried_values_are_copied_at_once():
    text = kernel(
        "0 0 0",
        """
        %c0 = word.constant 0 : i32
        %c1 = word.constant 1 : i32
        %r:3 = scf.for %i = %c0 to %c step %c1 iter_args(%x = %a, %y = %b, %z = %c)
            -> (i32, i32, i32) : i32 {
          scf.yield %y, %z, %x : i32, i32, i32
        }
        func.return %r#0, %r#1, %r#2 : i32, i32, i32""",
        "i32, i32, i32",
    )
    assert results(text, 7, 8, 1) == [8, 1, 7]
    assert results(text, 7, 8, 2) == [2, 7, 8]
    assert results(text, 7, 8, 3) == [7, 8, 3]


def test_results_of_a_loop_outlive_its_next_run():
    """The result of a loop shares a variable with what the loop carries."""
    text = kernel(
        "0",
        """
        %c0 = word.constant 0 : i32
        %c1 = word.constant 1 : i32
        %r:2 = scf.for %i = %c0 to %a step %c1 iter_args(%x = %c0, %old = %c0) -> (i32, i32) : i32 {
          %s = scf.for %j = %c0 to %i step %c1 iter_args(%u = %c0) -> (i32) : i32 {
            %v = word.add %u, %j : i32
            scf.yield %v : i32
          }
          scf.yield %s, %x : i32, i32
        }
        func.return %r#0, %r#1 : i32, i32""",
        "i32, i32",
    )
    assert results(text, 6) == [10, 6]


COLLATZ = kernel(
    "0",
    """
    %c0 = word.constant 0 : i32
    %c1 = word.constant 1 : i32
    %c3 = word.constant 3 : i32
    %r:2 = scf.while (%x = %a, %n = %c0) : (i32, i32) -> (i32, i32) {
      %more = word.cmp ne, %x, %c1 : i32
      %p = word.test %more
      scf.condition(%p) %n, %x : i32, i32
    } do {
    ^bb0(%m: i32, %y: i32):
      %odd = word.and %y, %c1 : i32
      %q = word.test %odd
      %z = scf.if %q -> (i32) {
        %t = word.multiply_add %y, %c3, %c1 : i32
        scf.yield %t : i32
      } else {
        %h = word.shru %y, %c1 : i32
        scf.yield %h : i32
      }
      %m1 = word.add %m, %c1 : i32
      scf.yield %z, %m1 : i32, i32
    }
    func.return %r#0, %r#1 : i32, i32""",
    "i32, i32",
)


def test_while_passes_values_through_its_condition():
    steps, x = 0, 27
    while x != 1:
        x, steps = 3 * x + 1 if x % 2 else x // 2, steps + 1
    assert results(COLLATZ, 27) == [steps, 1]
    assert results(COLLATZ, 1) == [0, 1]


def test_while_without_values():
    text = kernel(
        "2",
        """
        %c0 = word.constant 0 : i32
        %c1 = word.constant 1 : i32
        scf.while () : () -> () {
          %x = word.load %a[%c0] : !word.buffer<2> -> i32
          %p = word.test %x
          scf.condition(%p)
        } do {
          %x = word.load %a[%c0] : !word.buffer<2> -> i32
          %y = word.sub %x, %c1 : i32
          word.store %y, %a[%c0] : i32, !word.buffer<2>
          scf.yield
        }
        func.return""",
    )
    image = run(text, [9, 3])
    assert image.array(0).tolist() == [0, 3]


def test_if_without_else_and_with_empty_branches():
    text = kernel(
        "0 1",
        """
        %c0 = word.constant 0 : i32
        %c9 = word.constant 9 : i32
        %p = word.test %a
        scf.if %p {
        }
        scf.if %p {
          word.store %c9, %b[%c0] : i32, !word.buffer<1>
        }
        scf.if %p {
        } else {
          word.store %a, %b[%c0] : i32, !word.buffer<1>
        }
        func.return""",
    )
    assert run(text, 0xFFFFFFFF, [1]).array(1).tolist() == [9]
    assert run(text, 0, [1]).array(1).tolist() == [0]


def test_if_may_swap():
    text = kernel(
        "0 0 0",
        """
        %p = word.test %c
        %r:2 = scf.if %p -> (i32, i32) {
          scf.yield %b, %a : i32, i32
        } else {
          scf.yield %a, %b : i32, i32
        }
        func.return %r#0, %r#1 : i32, i32""",
        "i32, i32",
    )
    assert results(text, 1, 2, 4) == [2, 1]
    assert results(text, 1, 2, 0) == [1, 2]


def test_vectors_and_buffers_are_carried():
    text = kernel(
        "4 4 0",
        """
        %c0 = word.constant 0 : i32
        %c1 = word.constant 1 : i32
        %z = word.constant dense<0> : vector<4xi32>
        %r:3 = scf.for %i = %c0 to %c step %c1 iter_args(%v = %z, %x = %a, %y = %b)
            -> (vector<4xi32>, !word.buffer<4>, !word.buffer<4>) : i32 {
          %l = word.load %x[%c0] : !word.buffer<4> -> vector<4xi32>
          %w = word.add %v, %l : vector<4xi32>
          scf.yield %w, %y, %x : vector<4xi32>, !word.buffer<4>, !word.buffer<4>
        }
        word.store %r#0, %r#1[%c0] : vector<4xi32>, !word.buffer<4>
        func.return""",
    )
    image = run(text, [1, 2, 3, 4], [10, 20, 30, 40], 3)
    assert image.array(0).tolist() == [1, 2, 3, 4]
    assert image.array(1).tolist() == [12, 24, 36, 48]


def test_execute_region():
    text = kernel(
        "0",
        """
        %r = scf.execute_region -> (i32) {
          %x = word.add %a, %a : i32
          scf.yield %x : i32
        }
        func.return %r : i32""",
        "i32",
    )
    assert results(text, 21) == [42]


# Graphs of blocks.


def test_branches_copy_their_arguments_at_once():
    text = kernel(
        "0 0 0",
        """
        %c0 = word.constant 0 : i32
        %c1 = word.constant 1 : i32
        cf.br ^loop(%a, %b, %c0 : i32, i32, i32)
      ^loop(%x: i32, %y: i32, %i: i32):
        %more = word.cmp ult, %i, %c : i32
        %p = word.test %more
        %j = word.add %i, %c1 : i32
        cf.cond_br %p, ^loop(%y, %x, %j : i32, i32, i32), ^done(%y, %x : i32, i32)
      ^done(%u: i32, %v: i32):
        func.return %u, %v : i32, i32""",
        "i32, i32",
    )
    assert results(text, 1, 2, 0) == [2, 1]
    assert results(text, 1, 2, 5) == [1, 2]
    assert results(text, 1, 2, 6) == [2, 1]


def test_both_sides_of_a_branch_may_enter_the_same_block():
    text = kernel(
        "0 0",
        """
        %p = word.test %a
        cf.cond_br %p, ^join(%a : i32), ^join(%b : i32)
      ^join(%x: i32):
        func.return %x : i32""",
        "i32",
    )
    assert results(text, 3, 4) == [3]
    assert results(text, 0, 4) == [4]


def test_values_cross_blocks_written_in_any_order():
    """A block may be written before the blocks that define what it uses, constants too."""
    text = kernel(
        "0",
        """
        cf.br ^define
      ^join(%x: i32):
        %y = word.add %x, %k : i32
        %z = word.add %y, %v : i32
        func.return %z : i32
      ^define:
        %k = word.constant 100 : i32
        %v = word.add %a, %k : i32
        %p = word.test %a
        cf.cond_br %p, ^join(%v : i32), ^join(%a : i32)""",
        "i32",
    )
    assert results(text, 7) == [314]
    assert results(text, 0) == [200]


def test_entry_block_of_a_loop():
    """A graph whose first numbered block is entered again."""
    text = kernel(
        "0",
        """
        %c0 = word.constant 0 : i32
        %c1 = word.constant 1 : i32
        cf.br ^outer(%a, %c0 : i32, i32)
      ^outer(%n: i32, %s: i32):
        %p = word.test %n
        cf.cond_br %p, ^inner(%n, %s : i32, i32), ^done
      ^inner(%m: i32, %t: i32):
        %t1 = word.add %t, %c1 : i32
        %m1 = word.sub %m, %c1 : i32
        %q = word.test %m1
        cf.cond_br %q, ^inner(%m1, %t1 : i32, i32), ^latch
      ^latch:
        %n1 = word.sub %n, %c1 : i32
        cf.br ^outer(%n1, %t1 : i32, i32)
      ^done:
        func.return %s : i32""",
        "i32",
    )
    assert results(text, 0) == [0]
    assert results(text, 6) == [21]


def test_multiple_returns():
    text = kernel(
        "0",
        """
        %p = word.test %a
        cf.cond_br %p, ^one, ^two
      ^one:
        func.return %a : i32
      ^two:
        %k = word.constant 77 : i32
        func.return %k : i32""",
        "i32",
    )
    assert results(text, 5) == [5]
    assert results(text, 0) == [77]


def test_structured_loops_inside_blocks():
    text = kernel(
        "0",
        """
        %c0 = word.constant 0 : i32
        %c1 = word.constant 1 : i32
        cf.br ^loop(%a, %c0 : i32, i32)
      ^loop(%n: i32, %s: i32):
        %t = scf.for %i = %c0 to %n step %c1 iter_args(%u = %s) -> (i32) : i32 {
          %v = word.add %u, %c1 : i32
          scf.yield %v : i32
        }
        %m = word.shru %n, %c1 : i32
        %p = word.test %m
        cf.cond_br %p, ^loop(%m, %t : i32, i32), ^done
      ^done:
        func.return %t : i32""",
        "i32",
    )
    assert results(text, 20) == [20 + 10 + 5 + 2 + 1]


@pytest.mark.parametrize("blocks", [2, 3, 5, 40])
def test_random_graphs(blocks: int):
    """Every block passes its two arguments on, changed or swapped; a plain walk says the same."""
    rng = random.Random(blocks)
    for _ in range(12):
        targets = [(rng.randrange(blocks), rng.randrange(blocks)) for _ in range(blocks)]
        swaps = [rng.random() < 0.5 for _ in range(blocks)]
        lines = [
            "%c0 = word.constant 0 : i32",
            "%c1 = word.constant 1 : i32",
            "cf.br ^b0(%a, %b, %c : i32, i32, i32)",
        ]
        for n, ((yes, no), swap) in enumerate(zip(targets, swaps, strict=True)):
            args = f"%y{n}, %s{n}" if swap else f"%s{n}, %y{n}"
            lines += [
                f"^b{n}(%x{n}: i32, %y{n}: i32, %n{n}: i32):",
                f"%k{n} = word.constant {n + 1} : i32",
                f"%s{n} = word.multiply_add %x{n}, %y{n}, %k{n} : i32",
                f"%m{n} = word.sub %n{n}, %c1 : i32",
                f"%go{n} = word.test %m{n}",
                f"cf.cond_br %go{n}, ^go{n}, ^end(%s{n}, %y{n} : i32, i32)",
                f"^go{n}:",
                f"%odd{n} = word.and %s{n}, %c1 : i32",
                f"%p{n} = word.test %odd{n}",
                f"cf.cond_br %p{n}, ^b{yes}({args}, %m{n} : i32, i32, i32), "
                f"^b{no}(%x{n}, %k{n}, %m{n} : i32, i32, i32)",
            ]
        lines += ["^end(%u: i32, %v: i32):", "func.return %u, %v : i32, i32"]
        text = kernel("0 0 0", "\n".join(lines), "i32, i32")
        assert results(text, 3, 4, 50) == _walk(targets, swaps)


def _walk(targets: list[tuple[int, int]], swaps: list[bool]) -> list[int]:
    at, x, y = 0, 3, 4
    for left in range(49, -1, -1):
        s = (x * y + at + 1) & M32
        if not left:
            return [s, y]
        if s % 2:
            x, y, at = (y, s, targets[at][0]) if swaps[at] else (s, y, targets[at][0])
        else:
            y, at = at + 1, targets[at][1]
    raise AssertionError


# Regions of several blocks.

SIGN = """
    %{r} = scf.execute_region -> i32 {{
      %{r}c = word.cmp slt, %{x}, %zero : i32
      %{r}p = word.test %{r}c
      cf.cond_br %{r}p, ^{r}neg, ^{r}pos
    ^{r}neg:
      %{r}m = word.sub %zero, %one : i32
      scf.yield %{r}m : i32
    ^{r}pos:
      %{r}z = word.test %{x}
      cf.cond_br %{r}z, ^{r}one, ^{r}zero
    ^{r}one:
      scf.yield %one : i32
    ^{r}zero:
      scf.yield %{x} : i32
    }}"""
"""The sign of `%{x}`, in a region that yields in three blocks."""

ONES = "%zero = word.constant 0 : i32\n%one = word.constant 1 : i32\n"


def _sign(word: int) -> int:
    return (signed(word) > 0) - (signed(word) < 0)


def test_region_of_several_blocks():
    body = f"{ONES}{SIGN.format(r='s', x='a')}\nfunc.return %s : i32"
    for a in (0, 1, 77, 2**31, M32):
        assert results(kernel("0", body, "i32"), a) == [_sign(a) & M32]


def test_regions_of_several_blocks_in_loops():
    text = kernel(
        "0 0",
        f"""{ONES}
        %t = scf.for %i = %a to %b step %one iter_args(%sum = %zero) -> (i32) : i32 {{
          {SIGN.format(r="s", x="i")}
          %u = scf.for %j = %zero to %i step %one iter_args(%v = %s) -> (i32) : i32 {{
            %d = word.sub %j, %one : i32
            {SIGN.format(r="w", x="d")}
            %x = word.add %v, %w : i32
            scf.yield %x : i32
          }}
          %new = word.add %sum, %u : i32
          scf.yield %new : i32
        }}
        func.return %t : i32""",
        "i32",
    )
    expected = sum(_sign(i) + sum(_sign(j - 1) for j in range(i)) for i in range(-3, 7))
    assert results(text, -3 & M32, 7) == [expected]


COLLATZ_BLOCKS = """
    %r:2 = scf.execute_region -> (i32, i32) {
      cf.br ^head(%a, %zero, %a : i32, i32, i32)
    ^head(%x: i32, %k: i32, %max: i32):
      %end = word.cmp eq, %x, %one : i32
      %done = word.test %end
      cf.cond_br %done, ^out, ^body
    ^out:
      scf.yield %k, %max : i32, i32
    ^body:
      %next = scf.execute_region -> i32 {
        %bit = word.and %x, %one : i32
        %odd = word.test %bit
        cf.cond_br %odd, ^up, ^down
      ^up:
        %y = word.multiply_add %x, %three, %one : i32
        scf.yield %y : i32
      ^down:
        %z = word.shru %x, %one : i32
        scf.yield %z : i32
      }
      %k1 = word.add %k, %one : i32
      %m = word.maxu %max, %next : i32
      cf.br ^head(%next, %k1, %m : i32, i32, i32)
    }"""


def _collatz(n: int) -> list[int]:
    steps, peak = 0, n
    while n != 1:
        n = 3 * n + 1 if n % 2 else n // 2
        steps, peak = steps + 1, max(peak, n)
    return [steps, peak]


def test_nested_regions_with_loops_among_their_blocks():
    start = f"{ONES}%three = word.constant 3 : i32\n"
    text = kernel(
        "0",
        f"{start}{COLLATZ_BLOCKS}\nfunc.return %r#0, %r#1 : i32, i32",
        "i32, i32",
    )
    for n in (1, 2, 7, 27):
        assert results(text, n) == _collatz(n)
    with pytest.raises(LimitError, match="more than 50 steps"):
        run(text, 27, step_limit=50)


@pytest.mark.parametrize("depth", [3, 20, 40])
def test_deeply_nested_regions_of_several_blocks(depth: int):
    """Each level adds one to `%a` on one path, and passes `%b` on the other."""
    opening = """
      %k@ = word.constant @ : i32
      %c@ = word.cmp ugt, %a, %k@ : i32
      %p@ = word.test %c@
      %r@ = scf.execute_region -> i32 {
        cf.cond_br %p@, ^in@, ^out@
      ^out@:
        scf.yield %b : i32
      ^in@:"""
    closing = """
        %x@ = word.add %r@next, %one : i32
        scf.yield %x@ : i32
      }"""
    head = "".join(opening.replace("@", str(i)) for i in range(depth))
    tail = "".join(
        closing.replace("%r@next", f"%r{i + 1}").replace("@", str(i))
        for i in reversed(range(depth))
    )
    body = f"%one = word.constant 1 : i32\n{head}\n%r{depth} = word.add %b, %b : i32{tail}"
    text = kernel("0 0", f"{body}\nfunc.return %r0 : i32", "i32")
    for a in (0, 1, depth - 1, depth, depth + 1):
        inner = 14 if a >= depth else 7
        assert results(text, a, 7) == [min(a, depth) + inner]


def test_region_that_changes_memory_and_yields_nothing():
    text = kernel(
        "2 0",
        f"""{ONES}
        scf.execute_region {{
          %p = word.test %b
          cf.cond_br %p, ^store, ^end
        ^store:
          word.store %b, %a[%one] : i32, !word.buffer<2>
          cf.br ^end
        ^end:
          scf.yield
        }}
        func.return""",
    )
    assert run(text, [5, 6], 0).array(0).tolist() == [5, 6]
    assert run(text, [5, 6], 9).array(0).tolist() == [5, 9]


def test_vectors_pass_through_regions_of_several_blocks():
    text = kernel(
        "0 0",
        """
        %v = word.broadcast %a : vector<4xi32>
        %p = word.test %b
        %r = scf.execute_region -> vector<4xi32> {
          cf.cond_br %p, ^twice, ^once
        ^twice:
          %w = word.add %v, %v : vector<4xi32>
          scf.yield %w : vector<4xi32>
        ^once:
          scf.yield %v : vector<4xi32>
        }
        %x = word.extract %r[3] : vector<4xi32>
        func.return %x : i32""",
        "i32",
    )
    assert results(text, 21, 0) == [21]
    assert results(text, 21, 1) == [42]


def test_place_of_a_trap_in_a_region_of_several_blocks():
    text = kernel(
        "0",
        """
        scf.execute_region {
          cf.br ^next
        ^next:
          %x = word.divu %a, %a : i32
          scf.yield
        }
        func.return""",
    )
    with pytest.raises(TrapError, match=r"^k.mlir:6:11: trap in word.divu: division by zero"):
        run(text, 0)


INLINED = """
func.func private @clamp(%x: i32, %low: i32) -> i32 {
  %c = arith.cmpi slt, %x, %low : i32
  cf.cond_br %c, ^below, ^above
^below:
  return %low : i32
^above:
  return %x : i32
}
func.func private @count(%m: memref<8xi32>, %low: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  cf.br ^head(%c0, %zero : index, i32)
^head(%i: index, %sum: i32):
  %more = arith.cmpi ult, %i, %c8 : index
  cf.cond_br %more, ^body, ^end
^body:
  %x = memref.load %m[%i] : memref<8xi32>
  %y = func.call @clamp(%x, %low) : (i32, i32) -> i32
  memref.store %y, %m[%i] : memref<8xi32>
  %next = arith.addi %sum, %y : i32
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %next : index, i32)
^end:
  return %sum : i32
}
func.func @k(%m: memref<8xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %zero) -> (i32) {
    %low = arith.index_cast %i : index to i32
    %s = func.call @count(%m, %low) : (memref<8xi32>, i32) -> i32
    %u = arith.addi %t, %s : i32
    scf.yield %u : i32
  }
  return %r : i32
}
"""


def test_inlined_functions_of_several_blocks():
    words = [-5, -1, 0, 1, 2, 3, 4, 5]
    module = parse(INLINED)
    for passes in ("inline-calls,convert-std-to-kernel", "convert-word-scf-to-cf"):
        for stage in parse_pipeline(passes):
            stage.apply(make_context(), module)
        image = interpret_case(module, [words])
        assert image.array(0).tolist() == [max(x, 2) for x in words]
        assert image.results() == [sum(max(x, low) for x in words for low in range(3))]


def test_long_chains_of_blocks():
    n = 1500
    lines = ["cf.br ^b0(%a : i32)"]
    for i in range(n):
        lines += [f"^b{i}(%x{i}: i32):", f"%y{i} = word.add %x{i}, %b : i32"]
        # Every tenth block is entered twice.
        if i % 10 == 0:
            lines += [
                f"%p{i} = word.test %y{i}",
                f"cf.cond_br %p{i}, ^b{i + 1}(%y{i} : i32), ^b{i + 1}(%x{i} : i32)",
            ]
        else:
            lines += [f"cf.br ^b{i + 1}(%y{i} : i32)"]
    lines += [f"^b{n}(%z: i32):", "func.return %z : i32"]
    assert results(kernel("0 0", "\n".join(lines), "i32"), 1, 2) == [1 + 2 * n]


# Depth.


def _nested(depth: int, opening: str, closing: str) -> str:
    head = "\n".join(opening.replace("@", str(i)) for i in range(depth))
    tail = "\n".join(closing.replace("@", str(i)) for i in reversed(range(depth)))
    return f"{head}\n%in{depth - 1} = word.add %a, %b : i32\n{tail}"


@pytest.fixture
def deep_recursion() -> Generator[None]:
    """The parser recurses about seven times for each nested region."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.parametrize("depth", [15, 16, 17, 33, 60, 150])
@pytest.mark.usefixtures("deep_recursion")
def test_nested_ifs(depth: int):
    opening = """
      %k@ = word.constant @ : i32
      %c@ = word.cmp ugt, %a, %k@ : i32
      %p@ = word.test %c@
      %r@ = scf.if %p@ -> (i32) {"""
    closing = """
        scf.yield %in@ : i32
      } else {
        %e@ = word.add %k@, %b : i32
        scf.yield %e@ : i32
      }
      %up@ = word.add %r@, %c@ : i32"""
    body = _nested(depth, opening, closing)
    for i in range(1, depth):
        body = body.replace(f"scf.yield %in{i - 1} : i32", f"scf.yield %up{i} : i32")
    text = kernel("0 0", f"{body}\nfunc.return %up0 : i32", "i32")
    for a in (0, 1, depth // 2, depth - 1, depth, 1000):
        # The innermost branch and every else branch taken give `a + 5`; each level entered adds 1.
        assert results(text, a, 5) == [a + 5 + min(a, depth)]


@pytest.mark.parametrize("depth", [15, 16, 17, 30, 50])
def test_nested_loops(depth: int):
    opening = """
      %c0_@ = word.constant 0 : i32
      %r@ = scf.for %i@ = %c0_@ to %one step %one iter_args(%x@ = %arg@) -> (i32) : i32 {
        %s@ = word.add %x@, %one : i32"""
    body = "%one = word.constant 1 : i32\n" + _nested(depth, opening, "scf.yield %in@ : i32 }")
    body = body.replace("%arg0)", "%a)").replace(
        f"%in{depth - 1} = word.add %a, %b", f"%in{depth - 1} = word.add %s{depth - 1}, %b"
    )
    for i in range(1, depth):
        body = body.replace(f"%arg{i})", f"%s{i - 1})")
        body = body.replace(f"scf.yield %in{i - 1} :", f"scf.yield %r{i} :")
    text = kernel("0 0", f"{body}\nfunc.return %r0 : i32", "i32")
    assert results(text, 1000, 7) == [1000 + depth + 7]


def test_nested_whiles_with_memory_and_steps():
    depth = 30
    opening = """
      %w@ = scf.while (%n@ = %two) : (i32) -> (i32) {
        %p@ = word.test %n@
        scf.condition(%p@) %n@ : i32
      } do {
      ^bb0(%m@: i32):
        %o@ = word.sub %m@, %step@ : i32"""
    closing = "scf.yield %o@ : i32 }"
    text = kernel(
        "0 0 1",
        """
        %two = word.constant 2 : i32
        %one = word.constant 1 : i32
        %zero = word.constant 0 : i32
        """
        + _nested(depth, opening, closing)
        .replace("%step29 ", "%one ")
        .replace(
            "%in29 =",
            """%old = word.load %c[%zero] : !word.buffer<1> -> i32
               %new = word.add %old, %one : i32
               word.store %new, %c[%zero] : i32, !word.buffer<1>
               %in29 =""",
        )
        + "\nfunc.return",
    )
    for i in range(depth - 1):
        text = text.replace(f"%step{i} ", "%one " if i == depth - 2 else "%two ")
    image = run(text, 0, 0, [0])
    assert image.array(2).tolist() == [4], "two levels run twice, all others once"


def test_deep_branches():
    """A binary tree of branches deeper than the indentation that Python takes."""
    depth = 200
    lines: list[str] = []
    for i in range(depth):
        lines += [
            f"^b{i}:" if i else "",
            f"%k{i} = word.constant {i} : i32",
            f"%c{i} = word.cmp eq, %a, %k{i} : i32",
            f"%p{i} = word.test %c{i}",
            f"cf.cond_br %p{i}, ^leaf{i}, ^b{i + 1}",
        ]
    for i in range(depth):
        lines += [f"^leaf{i}:", f"%x{i} = word.add %k{i}, %b : i32", f"func.return %x{i} : i32"]
    lines += [f"^b{depth}:", "func.return %b : i32"]
    text = kernel("0 0", "\n".join(lines), "i32")
    for a in (0, 1, 15, 16, 17, 120, 199):
        assert results(text, a, 1000) == [1000 + a]
    assert results(text, 200, 1000) == [1000]
