"""Strands compute what the loops over whole tensors did."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from support.random_tensor_ops import BY_ITEM
from support.random_tensors import generate
from support.tensors import to_kernel, to_word
from vliw_mlir.abi.datafile import load_cases
from vliw_mlir.analysis.bounds import function_bound
from vliw_mlir.api import parse_pipeline
from vliw_mlir.dialects import kernel
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.instrument import StatisticsTable, collecting_statistics, run_pipeline
from vliw_mlir.interp import interpret_case
from vliw_mlir.lowering.bufferize.plan import Plan
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.transforms.form_strands import FormStrands
from vliw_mlir.transforms.strands.grouping import find_strands
from vliw_mlir.transforms.strands.items import item_shape
from vliw_mlir.verifier import verify

KERNELS = Path(__file__).parents[3] / "kernels"


def form_strands(module: ModuleOp) -> int:
    """Form the strands of a module; how many there are."""
    with collecting_statistics(StatisticsTable()) as table:
        FormStrands().apply(Context(), module)
    verify(module)
    return table.counters["form-strands"].get("num-strands", 0)


@pytest.mark.parametrize("ops", [None, BY_ITEM], ids=["all", "by-item"])
def test_random_programs(ops):
    strands = 0
    for seed in range(40):
        program = generate(seed, ops)
        module = to_kernel(program.text)
        strands += form_strands(module)
        levels = [interpret_case(module, program.arguments).results()]
        to_word(module)
        levels.append(interpret_case(module, program.arguments).results())
        for found in levels:
            for value, expected in zip(found, program.expected, strict=True):
                np.testing.assert_array_equal(np.ravel(value), expected, program.text)
    assert strands > 10


@pytest.mark.parametrize("name", ["tree_hash_tensor"])
def test_kernels(name):
    module = to_kernel((KERNELS / f"{name}.mlir").read_text())
    assert form_strands(module) == 1
    for case in load_cases(KERNELS / f"{name}.json"):
        assert case.mismatches(interpret_case(module, case.args)) == []
    to_word(module)
    for case in load_cases(KERNELS / f"{name}.json"):
        assert case.mismatches(interpret_case(module, case.args)) == []


def bound(name, to_word):
    ctx = make_context()
    module = parse_module(ctx, (KERNELS / f"{name}.mlir").read_text(), name)
    optimize = "specialize-arguments,simplify,vectorize-loops,simplify"
    text = f"inline-calls,convert-std-to-kernel,{to_word},{optimize}"
    run_pipeline(ctx, module, parse_pipeline(text))
    return function_bound(kernel_function(module)).cycles


def test_as_good_as_with_items_outside():
    words = bound("tree_hash_values", "convert-kernel-to-word")
    tensors = bound("tree_hash_tensor", "form-strands,convert-kernel-to-word")
    # The one with tensors stores one word more per item: 256 words, 8 at once, 2 per cycle.
    assert tensors <= words * 1.01 + 256 / 8 / 2


def test_other_levels_are_left_alone():
    for name in ("tree_hash", "tree_hash_tensor", "matmul"):
        text = (KERNELS / f"{name}.mlir").read_text()
        module = parse_module(make_context(), text)
        before = str(module)
        FormStrands().apply(Context(), module)
        assert str(module) == before


def groups(body: str, arguments: str = "%x: tensor<8xi32>, %y: tensor<8xi32>") -> list[list[str]]:
    """The names of the results of the ops of each strand in a function body."""
    text = f"func.func @f({arguments}) {{\n{body}\nfunc.return\n}}"
    func = kernel_function(parse_module(make_context(), text))
    block = func.body.block
    shapes = {op: shape for op in block.ops if (shape := item_shape(op)) is not None}
    strands = find_strands(block, shapes, Plan(func))
    verify(func)
    for strand in strands:
        # They follow one another.
        for first, second in zip(strand.ops, strand.ops[1:], strict=False):
            assert first.next_op is second
    return [[op.results[0].name_hint or "" for op in strand.ops] for strand in strands]


STORE = "%q{0} = kernel.gather %{0}[%{0}] : tensor<8xi32>, tensor<8xi32>"
"""Reads all of a tensor, so that it must be stored."""


def add(name: str, a: str, b: str) -> str:
    return f"%{name} = kernel.add %{a}, %{b} : tensor<8xi32>"


def gather(name: str, table: str, index: str) -> str:
    return f"%{name} = kernel.gather %{table}[%{index}] : tensor<8xi32>, tensor<8xi32>"


def test_ops_that_depend_on_one_another():
    # b needs all of a, so they cannot be in one loop; c and d go with what they need.
    body = [
        add("a", "x", "y"),
        gather("b", "a", "x"),
        add("c", "a", "x"),
        add("d", "b", "y"),
        STORE.format("c"),
        STORE.format("d"),
    ]
    assert groups("\n".join(body)) == [["a", "c"]]


def test_an_op_is_computed_with_its_users():
    # a could be computed with c, but nothing there needs it.
    body = [
        add("c", "x", "y"),
        add("a", "y", "y"),
        gather("b", "c", "x"),
        add("d", "b", "a"),
        add("e", "d", "d"),
        STORE.format("c"),
        STORE.format("d"),
        STORE.format("e"),
    ]
    assert groups("\n".join(body)) == [["a", "b", "d", "e"]]


def test_ops_of_another_strand_between():
    # Items of two shapes, each of which needs the other's: the loops must not wait for each
    # other.
    arguments = "%x: tensor<8xi32>, %y: tensor<4xi32>, %z: tensor<4xi32>"
    body = """
    %a = kernel.add %x, %x : tensor<8xi32>
    %b = kernel.gather %a[%y] : tensor<8xi32>, tensor<4xi32>
    %c = kernel.add %z, %z : tensor<4xi32>
    %d = kernel.gather %c[%x] : tensor<4xi32>, tensor<8xi32>
    %e = kernel.add %a, %d : tensor<8xi32>
    %g = kernel.mul %b, %c : tensor<4xi32>
    %h = kernel.gather %e[%e] : tensor<8xi32>, tensor<8xi32>
    %i = kernel.gather %g[%g] : tensor<4xi32>, tensor<4xi32>
    """
    assert groups(body, arguments) == [["a", "d", "e"]]


def test_effects_keep_their_order():
    arguments = "%x: tensor<8xi32>, %y: tensor<8xi32>, %m: !word.buffer<8>, %n: i32"
    body = [
        "%c0 = word.constant 0 : i32",
        "word.store %n, %m[%c0] : i32, !word.buffer<8>",
        add("a", "x", "y"),
        "%w = kernel.extract %a[%c0] : tensor<8xi32>",
        "word.store %w, %m[%c0] : i32, !word.buffer<8>",
        "%v = word.load %m[%c0] : !word.buffer<8> -> i32",
        "%s = kernel.splat %v : tensor<8xi32>",
        add("b", "a", "s"),
        STORE.format("a"),
        STORE.format("b"),
    ]
    assert groups("\n".join(body), arguments) == []


def test_long_blocks():
    ops = [add("v0", "x", "y"), *(add(f"v{n}", f"v{n - 1}", "x") for n in range(1, 3000))]
    ops += [STORE.format("v1500"), STORE.format("v2999")]
    (strand,) = groups("\n".join(ops))
    assert len(strand) == 3000


def test_loops_carry_words():
    module = to_kernel((KERNELS / "tree_hash_tensor.mlir").read_text())
    form_strands(module)
    outer, inner = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    assert inner.parent_op() is outer
    assert [str(type) for type in inner.result_types] == ["i32", "i32"]
    assert not [op for op in inner.walk() if isinstance(op, kernel.ElementwiseOp)]
