"""Cells of accesses: in common exactly where accesses may touch the same words."""

from __future__ import annotations

from random import Random

import pytest
from xdsl.ir import Block

from support import random_word
from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.lowering.access_cells import AccessCells
from vliw_mlir.source import make_context, parse_module


def accesses_of(block: Block) -> list[word.AccessOp]:
    return [op for op in block.ops if isinstance(op, word.AccessOp)]


def pairs(text: str) -> dict[tuple[int, int], bool]:
    """Whether accesses have a cell in common, by their numbers in the entry block."""
    function = kernel_function(parse_module(make_context(), text))
    cells = AccessCells([function.body.block], AliasAnalysis(function))
    accesses = accesses_of(function.body.block)
    return {
        (a, b): not {*cells.of(accesses[a])}.isdisjoint(cells.of(accesses[b]))
        for b in range(len(accesses))
        for a in range(b)
    }


def test_words_of_one_buffer() -> None:
    text = """func.func @k(%x: !word.buffer<32>, %v: vector<8xi32>, %i: i32) {
      %c0 = word.constant 0 : i32
      %c4 = word.constant 4 : i32
      %c8 = word.constant 8 : i32
      word.store %v, %x[%c0] : vector<8xi32>, !word.buffer<32>
      word.store %v, %x[%c8] : vector<8xi32>, !word.buffer<32>
      %a = word.load %x[%c4] : !word.buffer<32> -> vector<8xi32>
      %b = word.load %x[%c4] : !word.buffer<32> -> i32
      func.return
    }"""
    found = pairs(text)
    assert [key for key, common in found.items() if common] == [(0, 2), (1, 2), (0, 3), (2, 3)]


def test_unknown_offsets_and_other_buffers() -> None:
    text = """func.func @k(%x: !word.buffer<32>, %y: !word.buffer<32>, %i: i32, %j: i32) {
      word.store %i, %x[%i] : i32, !word.buffer<32>
      word.store %i, %x[%j] : i32, !word.buffer<32>
      %a = word.load %y[%i] : !word.buffer<32> -> i32
      %b = word.load %y[%j] : !word.buffer<32> -> i32
      func.return
    }"""
    found = pairs(text)
    assert [key for key, common in found.items() if common] == [(0, 1)]


@pytest.mark.parametrize("seed", range(25))
def test_whatever_may_overlap_has_a_cell_in_common(seed: int) -> None:
    case = random_word.random_case(Random(seed), statements=40, lengths=(1, 4, 8))
    function = kernel_function(parse_module(make_context(), case.text))
    analysis = AliasAnalysis(function)
    for block in function.body.blocks:
        cells = AccessCells([block], analysis)
        accesses = accesses_of(block)
        for b, late in enumerate(accesses):
            for early in accesses[:b]:
                first, second = analysis.access(early), analysis.access(late)
                if (first.writes or second.writes) and analysis.may_overlap(first, second):
                    assert not {*cells.of(early)}.isdisjoint(cells.of(late))
