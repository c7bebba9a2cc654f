"""Vectors of any length at random: the machine can take them, results stay."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from xdsl.context import Context

from support.random_word import random_case
from vliw_mlir.abi import build_image
from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import set_target
from vliw_mlir.interp import compile_kernel
from vliw_mlir.lowering.convert_word_scf_to_cf import ConvertWordScfToCf
from vliw_mlir.lowering.legalize_vectors import LegalizeVectors
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.target import Target
from vliw_mlir.verifier import verify


@pytest.mark.parametrize("vlen", [1, 3, 4, 8, 16])
@pytest.mark.parametrize("seed", range(3))
def test_behaviour_stays(vlen: int, seed: int) -> None:
    case = random_case(Random(f"{vlen} {seed}"), statements=25)
    module = parse_module(make_context(), case.text)
    set_target(module, Target.from_dict({"vlen": vlen}))
    ConvertWordScfToCf().apply(Context(), module)
    before = compile_kernel(module)
    LegalizeVectors().apply(Context(), module)
    verify(module)
    for op in module.walk():
        if isinstance(op, word.ConcatOp):
            users = [use.operation for use in op.result.uses]
            assert all(isinstance(user, word.SliceOp | word.ExtractOp) for user in users)
            continue
        arguments = (arg for region in op.regions for block in region.blocks for arg in block.args)
        for value in (*op.results, *arguments):
            assert word.lanes_of(value.type) in (None, vlen)
    runs = []
    for kernel in (before, compile_kernel(module)):
        image = build_image(kernel.interface, case.args)
        runs.append((kernel.run(image, step_limit=100_000).trace, image.memory))
    assert runs[0][0] == runs[1][0]
    assert np.array_equal(runs[0][1], runs[1][1])


def test_nothing_to_do_changes_nothing() -> None:
    case = random_case(Random(1), statements=25, lengths=(8,))
    module = parse_module(make_context(), case.text)
    ConvertWordScfToCf().apply(Context(), module)
    before = str(module)
    LegalizeVectors().apply(Context(), module)
    assert str(module) == before


def test_long_chain_of_vectors() -> None:
    """What is replaced goes as a whole, however much it is."""
    count = 2_000
    steps = "\n".join(f"%v{n + 1} = word.add %v{n}, %v{n} : vector<3xi32>" for n in range(count))
    text = f"""func.func @k(%x: i32) -> i32 {{
      %v0 = word.broadcast %x : vector<3xi32>
      {steps}
      %r = word.extract %v{count}[1] : vector<3xi32>
      func.return %r : i32
    }}"""
    module = parse_module(make_context(), text)
    LegalizeVectors().apply(Context(), module)
    verify(module)
    assert sum(isinstance(op, word.AddOp) for op in module.walk()) == 3 * count
