"""Structured control flow into blocks, at random: the interpreter sees no difference."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from xdsl.context import Context

from support.random_word import random_case
from vliw_mlir.abi import build_image
from vliw_mlir.interp import compile_kernel
from vliw_mlir.lowering.convert_word_scf_to_cf import ConvertWordScfToCf
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.verifier import verify


@pytest.mark.parametrize("seed", range(15))
def test_behaviour_stays(seed: int) -> None:
    case = random_case(Random(seed), statements=20, lengths=(1, 3))
    module = parse_module(make_context(), case.text)
    structured = compile_kernel(module)
    ConvertWordScfToCf().apply(Context(), module)
    verify(module)
    assert not any(op.dialect_name() == "scf" for op in module.walk())
    blocks = compile_kernel(module)
    runs = []
    for kernel in (structured, blocks):
        image = build_image(kernel.interface, case.args)
        trace = kernel.run(image, step_limit=100_000).trace
        runs.append((trace, image.memory))
    assert runs[0][0] == runs[1][0]
    assert np.array_equal(runs[0][1], runs[1][1])


def loop(low: int, high: int, step: int) -> str:
    return f"""func.func @k() {{
      %low = word.constant {low} : i32
      %high = word.constant {high} : i32
      %step = word.constant {step} : i32
      scf.for %i = %low to %high step %step : i32 {{
        word.trace_write %i
      }}
      func.return
    }}"""


@pytest.mark.parametrize(
    ("low", "high", "step", "counters"),
    [
        (0, 3, 1, [0, 1, 2]),
        (0, 5, 2, [0, 2, 4]),
        (3, 3, 1, []),
        (4, 3, 1, []),
        (-2, 1, 1, [0xFFFFFFFE, 0xFFFFFFFF, 0]),
        (-(2**31), -(2**31) + 2, 1, [0x80000000, 0x80000001]),
        (2**31 - 3, 2**31 - 1, 1, [0x7FFFFFFD, 0x7FFFFFFE]),
        (1, -1, 1, []),
        (0, 7, 3, [0, 3, 6]),
    ],
)
def test_counter_is_signed(low: int, high: int, step: int, counters: list[int]) -> None:
    module = parse_module(make_context(), loop(low, high, step))
    ConvertWordScfToCf().apply(Context(), module)
    kernel = compile_kernel(module)
    assert list(kernel.run(build_image(kernel.interface, []), step_limit=100).trace) == counters


def test_deep_nest() -> None:
    depth = 60
    text = (
        "func.func @k(%c: i1) {"
        + "scf.if %c {" * depth
        + "word.pause"
        + "}" * depth
        + "func.return }"
    )
    module = parse_module(make_context(), text)
    ConvertWordScfToCf().apply(Context(), module)
    verify(module)
    (function,) = module.ops
    assert len(function.body.blocks) == 2 * depth + 1
