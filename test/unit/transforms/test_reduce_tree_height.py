"""Reducing the height of trees: results come earlier, nothing else changes."""

from __future__ import annotations

import random

import pytest
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from support.differential import difference, kernel
from vliw_mlir.analysis.latencies import latency
from vliw_mlir.api import parse_pipeline
from vliw_mlir.dialects.facts import kernel_function, target_of
from vliw_mlir.instrument import run_pipeline
from vliw_mlir.semantics import REDUCTIONS
from vliw_mlir.source import make_context, parse_module


def _transformed(text: str) -> FuncOp:
    module = parse_module(make_context(), text)
    run_pipeline(make_context(), module, parse_pipeline("reduce-tree-height"))
    return kernel_function(module)


def _height(func: FuncOp) -> int:
    """Cycles until what the function traces is known."""
    known: dict[SSAValue, int] = {}
    *ops, trace, _ = func.body.block.ops
    for op in ops:
        ready = max((known.get(value, 0) for value in op.operands), default=0)
        known.update(dict.fromkeys(op.results, ready + latency(op, target_of(func))))
    return known[trace.operands[0]]


def _function(lines: list[str], result: str) -> str:
    head = "func.func @k(%x: i32, %y: i32, %z: i32) {"
    return "\n".join([head, *lines, f"word.trace_write {result}", "func.return", "}"])


@pytest.mark.parametrize(("count", "height"), [(2, 1), (3, 2), (4, 2), (5, 3), (16, 4), (17, 5)])
def test_a_chain_becomes_as_low_as_can_be(count: int, height: int) -> None:
    lines = ["%1 = word.xor %x, %y : i32"]
    lines += [f"%{n} = word.xor %{n - 1}, %{'yz'[n % 2]} : i32" for n in range(2, count)]
    func = _transformed(_function(lines, f"%{count - 1}"))
    assert _height(func) == height
    assert sum(op.name == "word.xor" for op in func.body.block.ops) == count - 1


def test_what_comes_late_is_joined_last() -> None:
    lines = [
        "%a = word.mul %x, %y : i32",
        "%b = word.sub %a, %y : i32",
        "%c = word.add %b, %x : i32",
        "%d = word.add %c, %y : i32",
        "%e = word.add %d, %z : i32",
    ]
    func = _transformed(_function(lines, "%e"))
    assert _height(func) == 3


@pytest.mark.parametrize("seed", range(20))
def test_random_trees_keep_their_number_and_never_get_higher(seed: int) -> None:
    rng = random.Random(seed)
    names, lines = ["%x", "%y", "%z"], list[str]()
    functions = [*(name for name in REDUCTIONS if name in ("add", "and", "or", "xor")), "sub"]
    for n in range(40):
        a, b = rng.choice(names[-4:]), rng.choice(names)
        lines.append(f"%{n} = word.{rng.choice(functions)} {a}, {b} : i32")
        names.append(f"%{n}")
    text = _function(lines, names[-1])
    before = parse_module(make_context(), text)
    after = _transformed(text)
    assert _height(after) <= _height(kernel_function(before))
    assert len(list(after.body.block.ops)) == len(list(kernel_function(before).body.block.ops))


@pytest.mark.parametrize("name", ["murmur3_batch", "crc32_streams", "prefix_sum", "conv2d_3x3"])
def test_behaviour_stays(name: str) -> None:
    passes = "simplify,vectorize-loops,simplify,reassociate,reduce-tree-height"
    assert difference(kernel(name), passes) is None
