"""Trees of blocks, and the order of memory accesses along them."""

from __future__ import annotations

from vliw_mlir.analysis.cfg import reverse_postorder
from vliw_mlir.dialects.facts import interface_of, kernel_function
from vliw_mlir.lowering.block_trees import MOST_ACCESSES, block_trees
from vliw_mlir.lowering.select_instructions import select_instructions
from vliw_mlir.schedule.machine import LOADS, STORES, Instruction, MachineFunction
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.target import Target

BRANCHES = """func.func @k(%x: !word.buffer<8>, %y: !word.buffer<8>, %i: i32, %n: i32)
    attributes {vliw.signature = (memref<8xi32>, memref<8xi32>, i32, i32) -> ()} {
  %c = word.test %n
  word.store %n, %x[%i] : i32, !word.buffer<8>
  cf.cond_br %c, ^then, ^else
^then:
  %a = word.load %y[%i] : !word.buffer<8> -> i32
  cf.br ^deep
^deep:
  word.store %a, %x[%n] : i32, !word.buffer<8>
  cf.br ^end
^else:
  %b = word.load %x[%i] : !word.buffer<8> -> i32
  cf.br ^end
^end:
  word.store %n, %x[%i] : i32, !word.buffer<8>
  func.return
}"""


def select(text: str) -> MachineFunction:
    function = kernel_function(parse_module(make_context(), text))
    target = Target.default()
    return select_instructions(function, interface_of(function), target, for_scheduling=True)[0]


def accesses(made: MachineFunction, block: int) -> list[Instruction]:
    instructions = made.blocks[block].instructions
    return [i for i in instructions if i.mnemonic in LOADS | STORES]


def test_blocks_with_one_way_in_belong_to_the_tree_of_that() -> None:
    function = kernel_function(parse_module(make_context(), BRANCHES))
    entry, then, deep, other, end = function.body.blocks
    nodes = block_trees(reverse_postorder(function.body))
    assert nodes[entry].tree.blocks == [entry, then, deep, other]
    assert [nodes[block].parent for block in (entry, then, deep, other)] == [
        None,
        entry,
        then,
        entry,
    ]
    assert nodes[end].tree.blocks == [end]
    assert nodes[end].parent is None


def test_tree_of_many_accesses_is_cut() -> None:
    stores = "word.store %i, %x[%i] : i32, !word.buffer<8>\n" * (MOST_ACCESSES // 2 + 1)
    text = f"""func.func @k(%x: !word.buffer<8>, %i: i32) {{
      {stores}
      cf.br ^next
    ^next:
      {stores}
      cf.br ^end
    ^end:
      func.return
    }}"""
    function = kernel_function(parse_module(make_context(), text))
    first, second, end = function.body.blocks
    nodes = block_trees(reverse_postorder(function.body))
    assert nodes[first].tree is not nodes[second].tree
    assert nodes[end].tree is nodes[second].tree


def test_accesses_are_in_order_along_a_tree() -> None:
    made = select(BRANCHES)
    (first,) = accesses(made, 0)[-1:]
    (loaded,), (stored,), (other,), (last,) = (accesses(made, n) for n in (1, 2, 3, 4))
    assert (first.mnemonic, last.mnemonic) == ("store", "store")
    # Words of another buffer.
    assert loaded.after == ()
    # Maybe the same word.
    assert first.key in [key for key, _ in stored.after]
    assert first.key in [key for key, _ in other.after]
    # Another tree.
    assert last.after == ()
    assert [block.order for block in made.blocks] == [0, 0, 0, 0, 4]


def test_what_never_traps() -> None:
    text = """func.func @k(%x: !word.buffer<8>, %i: i32, %n: i32) -> (i32, i32, i32, i32)
        attributes {vliw.signature = (memref<8xi32>, i32, i32) -> (i32, i32, i32, i32)} {
      %c7 = word.constant 7 : i32
      %j = word.and %i, %c7 : i32
      %a = word.load %x[%i] : !word.buffer<8> -> i32
      %b = word.load %x[%j] : !word.buffer<8> -> i32
      %c = word.divu %i, %n : i32
      %d = word.divu %i, %c7 : i32
      func.return %a, %b, %c, %d : i32, i32, i32, i32
    }"""
    made = select(text)
    wanted = [i for i in made.blocks[0].instructions if i.mnemonic in LOADS | {"//"}]
    # The arguments come first.
    assert [i.never_traps for i in wanted[:3]] == [True] * 3
    assert [i.never_traps for i in wanted[3:]] == [False, True, False, True]
