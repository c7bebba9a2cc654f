"""Tensors through control flow, and updates in place."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from support.tensors import check, to_kernel, to_word
from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.errors import CompileError

T = "tensor<4xi32>"
CONSTANTS = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
"""


def function(body: str, arguments: str, results: str) -> str:
    return f"func.func @f({arguments}) -> ({results}) {{\n{CONSTANTS}\n{body}\n}}"


def lowered(text: str) -> ModuleOp:
    module = to_kernel(text)
    to_word(module)
    return module


def loops_in(module: ModuleOp) -> int:
    return sum(isinstance(op, scf.ForOp) for op in module.walk())


def allocations_in(module: ModuleOp) -> int:
    return sum(isinstance(op, word.AllocOp) for op in module.walk())


def test_swapped_each_iteration():
    text = function(
        f"""
        %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> ({T}, {T}) {{
          scf.yield %y, %x : {T}, {T}
        }}
        return %r#0, %r#1 : {T}, {T}
        """,
        f"%a: {T}, %b: {T}, %n: index",
        f"{T}, {T}",
    )
    a, b = np.arange(4), np.arange(10, 14)
    for n in range(4):
        check(text, [a, b, n], [b, a] if n % 2 else [a, b])


def test_swapped_while_read_in_another_order():
    text = function(
        """
        %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b)
            -> (tensor<2x2xi32>, tensor<2x2xi32>) {
          %e = tensor.empty() : tensor<2x2xi32>
          %xt = linalg.transpose ins(%x : tensor<2x2xi32>) outs(%e : tensor<2x2xi32>)
            permutation = [1, 0]
          %s = arith.addi %xt, %y : tensor<2x2xi32>
          scf.yield %s, %xt : tensor<2x2xi32>, tensor<2x2xi32>
        }
        return %r#0, %r#1 : tensor<2x2xi32>, tensor<2x2xi32>
        """,
        "%a: tensor<2x2xi32>, %b: tensor<2x2xi32>, %n: index",
        "tensor<2x2xi32>, tensor<2x2xi32>",
    )
    a, b = np.arange(4).reshape(2, 2), np.arange(10, 14).reshape(2, 2)
    x, y = a, b
    for _ in range(3):
        x, y = x.T + y, x.T
    check(text, [a, b, 3], [x, y])


def test_carried_tensors_of_several_shapes():
    text = function(
        f"""
        %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b)
            -> ({T}, tensor<2xi32>) {{
          %p = tensor.extract_slice %x[1] [2] [1] : {T} to tensor<2xi32>
          %q = tensor.concat dim(0) %y, %p : (tensor<2xi32>, tensor<2xi32>) -> {T}
          %s = arith.addi %q, %x : {T}
          scf.yield %s, %p : {T}, tensor<2xi32>
        }}
        return %r#1, %r#0 : tensor<2xi32>, {T}
        """,
        f"%a: {T}, %b: tensor<2xi32>, %n: index",
        f"tensor<2xi32>, {T}",
    )
    x, y = np.arange(1, 5), np.array([20, 30])
    args = [x, y, 3]
    for _ in range(3):
        p = x[1:3]
        x, y = np.concatenate([y, p]) + x, p
    check(text, args, [y, x])


def test_histogram_updates_in_place():
    text = function(
        f"""
        %one = arith.constant 1 : i32
        %zero = arith.constant dense<0> : {T}
        %c9 = arith.constant 9 : index
        %h = scf.for %i = %c0 to %c9 step %c1 iter_args(%t = %zero) -> ({T}) {{
          %v = tensor.extract %a[%i] : tensor<9xi32>
          %k = arith.index_cast %v : i32 to index
          %old = tensor.extract %t[%k] : {T}
          %new = arith.addi %old, %one : i32
          %u = tensor.insert %new into %t[%k] : {T}
          scf.yield %u : {T}
        }}
        return %h : {T}
        """,
        "%a: tensor<9xi32>",
        T,
    )
    a = np.array([1, 2, 1, 0, 3, 3, 3, 1, 0])
    check(text, [a], [np.bincount(a)])
    module = lowered(text)
    # One loop fills with zeros, one counts; all in the buffer of the result.
    assert (loops_in(module), allocations_in(module)) == (2, 0)


def test_update_under_a_condition_and_in_an_inner_loop_is_in_place():
    text = function(
        f"""
        %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %a) -> ({T}) {{
          %s = scf.for %j = %c0 to %i step %c1 iter_args(%u = %t) -> ({T}) {{
            %x = tensor.extract %u[%i] : {T}
            %y = tensor.extract %u[%j] : {T}
            %less = arith.cmpi slt, %x, %y : i32
            %v = scf.if %less -> ({T}) {{
              %w = tensor.insert %x into %u[%j] : {T}
              %z = tensor.insert %y into %w[%i] : {T}
              scf.yield %z : {T}
            }} else {{
              scf.yield %u : {T}
            }}
            scf.yield %v : {T}
          }}
          scf.yield %s : {T}
        }}
        return %r : {T}
        """,
        f"%a: {T}",
        T,
    )
    for values in ([4, 3, 2, 1], [2, 9, 1, 5], [1, 2, 3, 4]):
        check(text, [values], [sorted(values)])
    module = lowered(text)
    # Only the loop that copies the argument is added.
    assert (loops_in(module), allocations_in(module)) == (3, 0)


def test_update_of_a_tensor_that_is_read_later_copies():
    text = function(
        f"""
        %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %a) -> ({T}) {{
          %u = tensor.insert %x into %t[%i] : {T}
          %s = arith.addi %u, %t : {T}
          scf.yield %s : {T}
        }}
        return %r : {T}
        """,
        f"%a: {T}, %x: i32",
        T,
    )
    t = np.arange(4)
    for i in range(4):
        u = t.copy()
        u[i] = 7
        t = u + t
    check(text, [np.arange(4), 7], [t])


def test_update_in_a_loop_of_a_tensor_from_outside_copies():
    """The update starts from the same tensor in each iteration."""
    text = function(
        f"""
        %d = arith.addi %a, %a : {T}
        %z = arith.constant dense<0> : {T}
        %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %z) -> ({T}) {{
          %u = tensor.insert %x into %d[%i] : {T}
          %s = arith.addi %u, %t : {T}
          scf.yield %s : {T}
        }}
        return %r : {T}
        """,
        f"%a: {T}, %x: i32",
        T,
    )
    a = np.arange(4)
    expected = sum(np.where(np.arange(4) == i, 50, 2 * a) for i in range(4))
    check(text, [a, 50], [expected])


def test_update_of_one_tensor_in_both_branches():
    text = function(
        f"""
        %d = arith.addi %a, %a : {T}
        %r:2 = scf.if %p -> ({T}, {T}) {{
          %u = tensor.insert %x into %d[%c0] : {T}
          scf.yield %u, %u : {T}, {T}
        }} else {{
          %u = tensor.insert %x into %d[%c1] : {T}
          scf.yield %u, %a : {T}, {T}
        }}
        %s = tensor.insert %x into %r#0[%c1] : {T}
        return %s, %r#1 : {T}, {T}
        """,
        f"%a: {T}, %x: i32, %p: i1",
        f"{T}, {T}",
    )
    check(text, [[1, 2, 3, 4], 9, 1], [[9, 9, 6, 8], [9, 4, 6, 8]])
    check(text, [[1, 2, 3, 4], 9, 0], [[2, 9, 6, 8], [1, 2, 3, 4]])


def test_results_that_are_one_tensor():
    text = function(
        f"""
        %d = arith.addi %a, %a : {T}
        %r:2 = scf.if %p -> ({T}, {T}) {{
          %u = tensor.insert %x into %d[%c0] : {T}
          scf.yield %u, %u : {T}, {T}
        }} else {{
          %u = tensor.insert %x into %d[%c1] : {T}
          scf.yield %u, %u : {T}, {T}
        }}
        %s = tensor.insert %y into %r#0[%c1] : {T}
        return %s, %r#1 : {T}, {T}
        """,
        f"%a: {T}, %x: i32, %y: i32, %p: i1",
        f"{T}, {T}",
    )
    check(text, [[1, 2, 3, 4], 9, 8, 1], [[9, 8, 6, 8], [9, 4, 6, 8]])
    check(text, [[1, 2, 3, 4], 9, 8, 0], [[2, 8, 6, 8], [2, 9, 6, 8]])


def test_tensor_passed_twice_by_a_while_loop():
    text = function(
        f"""
        %c3 = arith.constant 3 : index
        %r:3 = scf.while (%t = %a, %i = %c0) : ({T}, index) -> ({T}, {T}, index) {{
          %go = arith.cmpi ult, %i, %c3 : index
          scf.condition(%go) %t, %t, %i : {T}, {T}, index
        }} do {{
        ^bb0(%u: {T}, %v: {T}, %i: index):
          %w = tensor.insert %x into %u[%i] : {T}
          %s = arith.addi %w, %v : {T}
          %n = arith.addi %i, %c1 : index
          scf.yield %s, %n : {T}, index
        }}
        return %r#0, %r#1 : {T}, {T}
        """,
        f"%a: {T}, %x: i32",
        f"{T}, {T}",
    )
    t = np.array([1, 2, 3, 4])
    for i in range(3):
        w = t.copy()
        w[i] = 9
        t = w + t
    check(text, [[1, 2, 3, 4], 9], [t, t])


def test_yielded_from_outside_and_updated_after():
    """The result of the condition is not the tensor that it was made from."""
    text = function(
        f"""
        %d = arith.addi %a, %a : {T}
        %r = scf.if %p -> ({T}) {{
          scf.yield %d : {T}
        }} else {{
          scf.yield %d : {T}
        }}
        %s = tensor.insert %x into %r[%c1] : {T}
        %t = tensor.insert %x into %d[%c0] : {T}
        return %s, %t, %d : {T}, {T}, {T}
        """,
        f"%a: {T}, %x: i32, %p: i1",
        f"{T}, {T}, {T}",
    )
    check(text, [[1, 2, 3, 4], 9, 1], [[2, 9, 6, 8], [9, 4, 6, 8], [2, 4, 6, 8]])


def test_carried_twice():
    text = function(
        f"""
        %d = arith.addi %a, %a : {T}
        %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %d, %u = %d) -> ({T}, {T}) {{
          %v = tensor.insert %x into %t[%i] : {T}
          scf.yield %v, %u : {T}, {T}
        }}
        return %r#0, %r#1 : {T}, {T}
        """,
        f"%a: {T}, %x: i32",
        f"{T}, {T}",
    )
    check(text, [[1, 2, 3, 4], 9], [[9, 9, 9, 9], [2, 4, 6, 8]])


def test_computed_before_an_update_and_read_after():
    """What is computed where it is read must not see the update."""
    text = function(
        f"""
        %d = arith.addi %a, %a : {T}
        %e = arith.muli %d, %a : {T}
        %u = tensor.insert %x into %d[%c1] : {T}
        %s = arith.addi %e, %u : {T}
        return %s : {T}
        """,
        f"%a: {T}, %x: i32",
        T,
    )
    check(text, [[1, 2, 3, 4], 100], [[4, 108, 24, 40]])


def test_view_before_an_update_and_read_after():
    text = function(
        f"""
        %d = arith.addi %a, %a : {T}
        %v = tensor.extract_slice %d[0] [3] [1] : {T} to tensor<3xi32>
        %u = tensor.insert %x into %d[%c1] : {T}
        return %v, %u : tensor<3xi32>, {T}
        """,
        f"%a: {T}, %x: i32",
        f"tensor<3xi32>, {T}",
    )
    check(text, [[1, 2, 3, 4], 100], [[2, 4, 6], [2, 100, 6, 8]])


@pytest.mark.parametrize("swap", [False, True])
def test_while(swap: bool):
    passed = "%y, %x, %s" if swap else "%x, %y, %s"
    text = function(
        f"""
        %c3 = arith.constant 3 : index
        %lim = arith.constant 50 : i32
        %r:3 = scf.while (%x = %a, %y = %b) : ({T}, {T}) -> ({T}, {T}, i32) {{
          %v = tensor.extract %x[%c0] : {T}
          %w = tensor.extract %y[%c1] : {T}
          %s = arith.addi %v, %w : i32
          %go = arith.cmpi slt, %s, %lim : i32
          scf.condition(%go) {passed} : {T}, {T}, i32
        }} do {{
        ^bb0(%x: {T}, %y: {T}, %s: i32):
          %n = arith.addi %x, %y : {T}
          %m = tensor.insert %s into %y[%c3] : {T}
          scf.yield %n, %m : {T}, {T}
        }}
        return %r#0, %r#1, %r#2 : {T}, {T}, i32
        """,
        f"%a: {T}, %b: {T}",
        f"{T}, {T}, i32",
    )
    x, y = np.array([1, 2, 3, 4]), np.array([5, 6, 7, 8])
    args = [x, y]
    while True:
        s = x[0] + y[1]
        if swap:
            x, y = y, x
        if s >= 50:
            break
        n, m = x + y, y.copy()
        m[3] = s
        x, y = n, m
    check(text, args, [x, y, s])


def test_blocks():
    text = function(
        f"""
        cf.br ^head(%a, %b, %n : {T}, {T}, index)
      ^head(%x: {T}, %y: {T}, %k: index):
        %more = arith.cmpi ugt, %k, %c0 : index
        cf.cond_br %more, ^body, ^exit(%y : {T})
      ^body:
        %less = arith.subi %k, %c1 : index
        %s = arith.addi %x, %y : {T}
        %odd = arith.andi %k, %c1 : index
        %is_odd = arith.cmpi eq, %odd, %c1 : index
        cf.cond_br %is_odd, ^head(%y, %s, %less : {T}, {T}, index),
          ^head(%s, %x, %less : {T}, {T}, index)
      ^exit(%z: {T}):
        %t = arith.addi %z, %x : {T}
        return %t, %z : {T}, {T}
        """,
        f"%a: {T}, %b: {T}, %n: index",
        f"{T}, {T}",
    )
    a, b = np.array([1, 2, 3, 4]), np.array([5, 6, 7, 8])
    for n in range(6):
        x, y = a, b
        for k in range(n, 0, -1):
            x, y = (y, x + y) if k % 2 else (x + y, x)
        check(text, [a, b, n], [y + x, y])


def test_unreachable_blocks_are_dropped():
    text = f"""func.func @f(%a: {T}) -> {T} {{
      return %a : {T}
    ^dead(%x: {T}):
      %y = arith.addi %x, %a : {T}
      cf.br ^dead(%y : {T})
    }}"""
    check(text, [[1, 2, 3, 4]], [[1, 2, 3, 4]])


def test_execute_region_and_index_switch():
    text = function(
        f"""
        %e = scf.execute_region -> {T} {{
          %d = arith.addi %a, %a : {T}
          scf.yield %d : {T}
        }}
        %r = scf.index_switch %i -> {T}
        case 1 {{
          %d = arith.muli %e, %a : {T}
          scf.yield %d : {T}
        }}
        case 2 {{
          scf.yield %a : {T}
        }}
        default {{
          scf.yield %e : {T}
        }}
        return %r, %e : {T}, {T}
        """,
        f"%a: {T}, %i: index",
        f"{T}, {T}",
    )
    a = np.array([1, 2, 3, 4])
    for i, expected in ((0, 2 * a), (1, 2 * a * a), (2, a), (3, 2 * a)):
        check(text, [a, i], [expected, 2 * a])


def test_select_of_tensors():
    text = function(
        f"%r = arith.select %p, %a, %b : {T}\nreturn %r : {T}", f"%p: i1, %a: {T}, %b: {T}", T
    )
    check(text, [1, [1, 2, 3, 4], [5, 6, 7, 8]], [[1, 2, 3, 4]])
    check(text, [0, [1, 2, 3, 4], [5, 6, 7, 8]], [[5, 6, 7, 8]])


def test_arguments_and_results_of_the_lowered_function():
    module = lowered(
        f"""func.func @f(
          %n: i32 {{vliw.value = 3 : i32}}, %a: {T} {{vliw.range = array<i32: 0, 9>}}
        ) -> ({T}, i32, tensor<2x3xi32>) {{
          %b = tensor.splat %n : tensor<2x3xi32>
          return %a, %n, %b : {T}, i32, tensor<2x3xi32>
        }}"""
    )
    head = str(kernel_function(module)).splitlines()[0]
    assert "%n: i32 {vliw.value = 3 : i32}" in head
    assert "%a: !word.buffer<4> {vliw.range = array<i32: 0, 9>}" in head
    assert "%result0: !word.buffer<4> {vliw.result = 0 : i64}" in head
    assert "%result2: !word.buffer<6> {vliw.result = 2 : i64}) -> i32" in head
    assert f"vliw.signature = (i32, {T}) -> ({T}, i32, tensor<2x3xi32>)" in head


def test_long_chains():
    """No recursion over the length of a chain."""
    steps = "\n".join(f"%v{i + 1} = arith.addi %v{i}, %a : {T}" for i in range(3000))
    text = function(f"%v0 = arith.muli %a, %a : {T}\n{steps}\nreturn %v3000 : {T}", f"%a: {T}", T)
    a = np.array([1, 2, 3, 4])
    check(text, [a], [a * a + 3000 * a])


def test_traps_stay_traps():
    text = function(f"%q = arith.divui %a, %b : {T}\nreturn %q : {T}", f"%a: {T}, %b: {T}", T)
    with pytest.raises(CompileError, match="division by zero"):
        check(text, [[1, 2, 3, 4], [1, 1, 0, 1]], [])
