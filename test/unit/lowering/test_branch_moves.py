"""Moves to the arguments of blocks: made in front of a branch if nothing else needs the words."""

import pytest
from xdsl.dialects import cf

from vliw_mlir.lowering.branch_moves import can_move_before
from vliw_mlir.source import make_context, parse_module


def branches(body):
    text = f"func.func @k(%c: i1, %x: i32, %y: i32) -> i32 {{ {body} }}"
    module = parse_module(make_context(), text, "k.mlir")
    found = [op for op in module.walk() if isinstance(op, cf.ConditionalBranchOp)]
    return [can_move_before(op) for op in found]


LOOP = """
  cf.br ^loop(%x, %y : i32, i32)
^loop(%i: i32, %v: i32):
  {ops}
  cf.cond_br %again, ^loop(%next, %w : i32, i32), ^end(%w : i32)
^end(%r: i32):
  {last}
  func.return %r : i32
"""

OPS = """%next = word.add %i, %x : i32
  %w = word.mul %v, %x : i32
  %again = word.test %next"""


@pytest.mark.parametrize(
    ("ops", "last", "expected"),
    [
        (OPS, "", True),
        # What was carried into the last iteration is needed behind the loop, itself or a view.
        (OPS, "word.trace_write %i", False),
        (OPS + "\n%view = word.from_elements %v, %v : vector<2xi32>",
         "%lane = word.extract %view[0] : vector<2xi32>", False),
        # The branch tests what the moves would overwrite.
        (OPS.replace("test %next", "test %i"), "", False),
    ],
)  # fmt: skip
def test_loop(ops, last, expected):
    assert branches(LOOP.format(ops=ops, last=last)) == [expected]


def test_both_ways_to_one_block():
    assert branches(
        "cf.cond_br %c, ^e(%x : i32), ^e(%y : i32) ^e(%r: i32): func.return %r : i32"
    ) == [False]


def test_a_way_around():
    """The first block needs its argument again when it is reached through the second one."""
    around = """
      cf.br ^a(%x : i32)
    ^a(%v: i32):
      cf.cond_br %c, ^b(%v : i32), ^d(%y : i32)
    ^b(%w: i32):
      cf.cond_br %c, ^a(%w : i32), ^d(%w : i32)
    ^d(%r: i32):
      {use}
      func.return %r : i32"""
    assert branches(around.format(use="")) == [True, True]
    assert branches(around.format(use="word.trace_write %v")) == [True, False]
