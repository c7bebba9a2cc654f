"""Loops of the SSA level, pipelined, against the interpreter of that level."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

import vliw_mlir
from support.random_inner_loops import MOST_TRIPS, random_loop
from vliw_mlir.abi import build_image
from vliw_mlir.instrument import Remark, emitting_remarks
from vliw_mlir.interp import compile_kernel
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.target import Target

TO_SSA = "convert-std-to-kernel,convert-kernel-to-word"
TO_BUNDLES = (
    "convert-word-scf-to-cf,simplify-cfg,legalize-vectors,expand-word-ops,"
    "convert-word-to-vliw{schedule=list pipeline-loops verify-schedule}"
)
NARROW = Target.from_dict(
    {"vlen": 4, "scratch": 400, "engines": {"alu": 3, "valu": 1, "load": 1, "store": 1}}
)
STEPS = 1_000_000


def check(
    text: str, runs: Sequence[list[int | list[int]]], target: Target | None = None
) -> list[str]:
    """Compare memory and trace after runs; the remarks about loops."""
    module = parse_module(make_context(), text, "k.mlir")
    kernel = compile_kernel(module)
    remarks: list[Remark] = []
    with emitting_remarks(remarks.append, "convert-word-to-vliw"):
        program = vliw_mlir.compile(module, TO_BUNDLES, target or Target.default())
    for arguments in runs:
        image = build_image(kernel.interface, arguments)
        interpretation = kernel.run(image, step_limit=STEPS)
        result = program.run(*arguments, step_limit=STEPS)
        assert result.trace.tolist() == list(interpretation.trace)
        assert result.results == image.results()
        for have, want in zip(result.outputs, image.outputs(), strict=True):
            assert np.array_equal(have, want)
    return [remark.message for remark in remarks if "pipelined" in remark.message]


@pytest.mark.parametrize("seed", range(30))
def test_random_loops(seed: int) -> None:
    random = Random(f"pipelined {seed}")
    kernel = random_loop(random, statements=random.choice((2, 4, 8, 14, 25)))
    trips = [0, 1, 2, 3, 4, 7, random.randint(8, MOST_TRIPS)]
    runs = [kernel.arguments(random, n) for n in trips]
    check(kernel.text, runs, NARROW if seed % 3 == 0 else None)


def lowered(text: str) -> str:
    """A kernel of standard dialects at the SSA level."""
    context = make_context()
    module = parse_module(context, text, "k.mlir")
    vliw_mlir.api.run_pipeline(context, module, vliw_mlir.api.parse_pipeline(TO_SSA))
    return str(module)


def kernel(body: str, carried: str = "") -> str:
    return f"""
func.func @k(%n: i32, %x: memref<64xi32>, %y: memref<64xi32>) -> i32 {{
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %from = arith.constant 4 : index
  %step = arith.constant 1 : index
  %ix = arith.index_cast %n : i32 to index
  %to = arith.addi %ix, %from : index
  {carried}scf.for %i = %from to %to step %step {body}
}}"""


def runs(most: int = 20) -> list[list[int | list[int]]]:
    random = Random(0)
    return [
        [n, [random.getrandbits(32) for _ in range(64)], [random.getrandbits(5) for _ in range(64)]]
        for n in range(most)
    ]


@pytest.mark.parametrize("distance", [1, 2, 3, 4])
def test_recurrences_through_memory(distance: int) -> None:
    """x[i] = x[i - d] + y[i]: a load, an addition and a store, in d iterations."""
    text = kernel(f"""{{
      %d = arith.constant {distance} : index
      %j = arith.subi %i, %d : index
      %a = memref.load %x[%j] : memref<64xi32>
      %b = memref.load %y[%i] : memref<64xi32>
      %s = arith.addi %a, %b : i32
      memref.store %s, %x[%i] : memref<64xi32>
    }}
    return %c0 : i32""")
    (remark,) = check(lowered(text), runs())
    assert remark.startswith(f"pipelined: II {-(-3 // distance)} ")


def test_histogram() -> None:
    """Which word is updated is not known before: one update after the other."""
    text = kernel("""{
      %v = memref.load %y[%i] : memref<64xi32>
      %j = arith.index_cast %v : i32 to index
      %a = memref.load %x[%j] : memref<64xi32>
      %s = arith.addi %a, %one : i32
      memref.store %s, %x[%j] : memref<64xi32>
    }
    return %c0 : i32""")
    (remark,) = check(lowered(text), runs())
    assert remark.startswith("pipelined: II 3 ")


def test_reduction_and_exchanged_values() -> None:
    text = kernel(
        """ iter_args(%a = %c0, %b = %one, %t = %n) -> (i32, i32, i32) {
      %v = memref.load %y[%i] : memref<64xi32>
      %w = arith.muli %v, %v : i32
      %s = arith.addi %t, %w : i32
      %u = arith.xori %s, %a : i32
      memref.store %u, %x[%i] : memref<64xi32>
      scf.yield %b, %a, %s : i32, i32, i32
    }
    %p = arith.subi %r#0, %r#1 : i32
    %q = arith.addi %p, %r#2 : i32
    return %q : i32""",
        "%r:3 = ",
    )
    (remark,) = check(lowered(text), runs())
    assert remark.startswith("pipelined: II 1 ")


def test_loop_that_ends_at_a_word_in_memory() -> None:
    """Of the words behind that one no more are loaded than can be."""
    text = """
func.func @k(%n: i32, %x: memref<64xi32>, %y: memref<?xi32>) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.while (%i = %zero, %s = %zero) : (i32, i32) -> (i32, i32) {
    %ix = arith.index_cast %i : i32 to index
    %v = memref.load %y[%ix] : memref<?xi32>
    %t = arith.addi %s, %v : i32
    %goes = arith.cmpi ne, %v, %zero : i32
    scf.condition(%goes) %i, %t : i32, i32
  } do {
  ^bb0(%i: i32, %s: i32):
    %ix = arith.index_cast %i : i32 to index
    memref.store %s, %x[%ix] : memref<64xi32>
    %next = arith.addi %i, %one : i32
    scf.yield %next, %s : i32, i32
  }
  return %r#1 : i32
}"""
    cases = [[n, [0] * 64, [*range(1, n + 1), 0]] for n in range(20)]
    (remark,) = check(lowered(text), cases)
    assert remark.startswith("pipelined: II 1 ")


def test_inner_loop_of_a_nest() -> None:
    text = """
func.func @k(%n: i32, %x: memref<64xi32>, %y: memref<64xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %to = arith.index_cast %n : i32 to index
  scf.for %i = %c0 to %to step %c1 {
    %s = scf.for %j = %c0 to %i step %c1 iter_args(%a = %zero) -> (i32) {
      %v = memref.load %y[%j] : memref<64xi32>
      %w = memref.load %x[%j] : memref<64xi32>
      %p = arith.muli %v, %w : i32
      %b = arith.addi %a, %p : i32
      scf.yield %b : i32
    }
    memref.store %s, %x[%i] : memref<64xi32>
  }
  return %zero : i32
}"""
    (remark,) = check(lowered(text), runs())
    assert remark.startswith("pipelined: II 1 ")
