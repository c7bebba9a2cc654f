"""Selected instructions on blocks written by hand, run on the simulator."""

from __future__ import annotations

from itertools import permutations

import pytest

import vliw_mlir
from vliw_mlir.dialects.facts import interface_of, kernel_function
from vliw_mlir.lowering.select_instructions import select_instructions
from vliw_mlir.schedule.machine import MachineFunction
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.target import Target

SPILLING = Target.from_dict({"scratch": 26})


def results(text: str, *args: object, target: Target | None = None) -> list[object]:
    program = vliw_mlir.compile(text, "legalize-vectors,convert-word-to-vliw", target)
    return program.run(*args).results


def select(text: str, target: Target | None = None) -> MachineFunction:
    function = kernel_function(parse_module(make_context(), text))
    machine, _ = select_instructions(function, interface_of(function), target or Target.default())
    return machine


@pytest.mark.parametrize("target", [Target.default(), SPILLING], ids=["plenty", "spilling"])
@pytest.mark.parametrize("order", [*permutations(range(3)), (0, 0, 1), (2, 2, 2)])
def test_values_rotate_through_block_arguments(order: tuple[int, ...], target: Target) -> None:
    """Words and vectors change places on each of `n` ways around a loop."""
    passed = ", ".join(f"%{'pqr'[i]}" for i in order)
    vectors = ", ".join(f"%{'uvw'[i]}" for i in order)
    text = f"""func.func @k(%n: i32, %a: i32, %b: i32, %c: i32) -> (i32, i32, i32, i32, i32, i32) {{
      %m1 = word.constant -1 : i32
      %x = word.broadcast %a : vector<8xi32>
      %y = word.broadcast %b : vector<8xi32>
      %z = word.broadcast %c : vector<8xi32>
      cf.br ^loop(%n, %a, %b, %c, %x, %y, %z
        : i32, i32, i32, i32, vector<8xi32>, vector<8xi32>, vector<8xi32>)
    ^loop(%i: i32, %p: i32, %q: i32, %r: i32,
          %u: vector<8xi32>, %v: vector<8xi32>, %w: vector<8xi32>):
      %more = word.test %i
      %j = word.add %i, %m1 : i32
      cf.cond_br %more, ^loop(%j, {passed}, {vectors}
        : i32, i32, i32, i32, vector<8xi32>, vector<8xi32>, vector<8xi32>), ^end
    ^end:
      %s = word.extract %u[7] : vector<8xi32>
      %t = word.extract %v[0] : vector<8xi32>
      %o = word.extract %w[3] : vector<8xi32>
      func.return %p, %q, %r, %s, %t, %o : i32, i32, i32, i32, i32, i32
    }}"""
    for n in range(5):
        values = [10, 20, 30]
        for _ in range(n):
            values = [values[i] for i in order]
        assert results(text, n, 10, 20, 30, target=target) == values * 2


def test_both_ways_to_one_block() -> None:
    text = """func.func @k(%c: i32, %x: i32, %y: i32) -> (i32, i32) {
      %t = word.test %c
      cf.cond_br %t, ^end(%x, %y : i32, i32), ^end(%y, %c : i32, i32)
    ^end(%p: i32, %q: i32):
      func.return %p, %q : i32, i32
    }"""
    assert results(text, 1, 5, 6) == [5, 6]
    assert results(text, 0, 5, 6) == [6, 0]


def test_value_outlives_the_argument_it_was_passed_to() -> None:
    """`%p` is used after `%q`, which began as `%p`, has another value."""
    text = """func.func @k(%n: i32) -> (i32, i32) {
      %one = word.constant 1 : i32
      %ten = word.constant 10 : i32
      cf.br ^loop(%n : i32)
    ^loop(%q: i32):
      %next = word.add %q, %one : i32
      %less = word.cmp ult, %next, %ten : i32
      %more = word.test %less
      cf.cond_br %more, ^loop(%next : i32), ^end(%q, %n : i32, i32)
    ^end(%last: i32, %first: i32):
      func.return %last, %first : i32, i32
    }"""
    assert results(text, 3) == [9, 3]


def test_condition_that_is_an_argument() -> None:
    """The truth of `%i` is asked for after its register's value has been passed on."""
    text = """func.func @k(%n: i32) -> i32 {
      %m1 = word.constant -1 : i32
      %zero = word.constant 0 : i32
      cf.br ^loop(%n, %zero : i32, i32)
    ^loop(%i: i32, %count: i32):
      %more = word.test %i
      %j = word.add %i, %m1 : i32
      %c = word.sub %count, %m1 : i32
      cf.cond_br %more, ^loop(%j, %c : i32, i32), ^end
    ^end:
      func.return %count : i32
    }"""
    assert [results(text, n) for n in range(4)] == [[0], [1], [2], [3]]


def test_truth_passed_as_an_argument() -> None:
    text = """func.func @k(%n: i32) -> i32 {
      %c = word.test %n
      cf.br ^next(%c : i1)
    ^next(%d: i1):
      cf.cond_br %d, ^yes, ^no
    ^yes:
      %one = word.constant 1 : i32
      func.return %one : i32
    ^no:
      func.return %n : i32
    }"""
    assert results(text, 5) == [1]
    assert results(text, 0) == [0]


def test_buffer_passed_as_an_argument() -> None:
    text = """func.func @k(%a: !word.buffer<2>, %b: !word.buffer<2>, %n: i32) -> i32
        attributes {vliw.signature = (memref<2xi32>, memref<2xi32>, i32) -> i32} {
      %c = word.test %n
      cf.cond_br %c, ^end(%a : !word.buffer<2>), ^end(%b : !word.buffer<2>)
    ^end(%p: !word.buffer<2>):
      %one = word.constant 1 : i32
      %x = word.load %p[%one] : !word.buffer<2> -> i32
      func.return %x : i32
    }"""
    assert results(text, [1, 2], [3, 4], 7) == [2]
    assert results(text, [1, 2], [3, 4], 0) == [4]


def test_allocation_has_its_words_whenever_it_runs() -> None:
    """And it is the same memory each time: what is not initialized stays."""
    text = """func.func @k(%n: i32) -> (i32, i32) {
      %m1 = word.constant -1 : i32
      %zero = word.constant 0 : i32
      %kept = word.alloc init dense<100> : vector<1xi32> : !word.buffer<1>
      cf.br ^loop(%n : i32)
    ^loop(%i: i32):
      %new = word.alloc init dense<100> : vector<1xi32> : !word.buffer<1>
      %x = word.load %new[%zero] : !word.buffer<1> -> i32
      %y = word.load %kept[%zero] : !word.buffer<1> -> i32
      %x1 = word.add %x, %i : i32
      %y1 = word.add %y, %i : i32
      word.store %x1, %new[%zero] : i32, !word.buffer<1>
      word.store %y1, %kept[%zero] : i32, !word.buffer<1>
      %j = word.add %i, %m1 : i32
      %more = word.test %j
      cf.cond_br %more, ^loop(%j : i32), ^end
    ^end:
      func.return %x1, %y1 : i32, i32
    }"""
    assert results(text, 3) == [101, 106]


def test_tensor_result_between_words() -> None:
    text = """func.func @k(%x: i32, %r: !word.buffer<2> {vliw.result = 1 : i64}) -> (i32, i32)
        attributes {vliw.signature = (i32) -> (i32, tensor<2xi32>, i32)} {
      %one = word.constant 1 : i32
      word.store %x, %r[%one] : i32, !word.buffer<2>
      func.return %x, %one : i32, i32
    }"""
    first, tensor, last = results(text, 7)
    assert (first, last) == (7, 1)
    assert list(tensor) == [0, 7]


def test_scatter_of_equal_offsets_keeps_the_last_lane() -> None:
    text = """func.func @k(%a: !word.buffer<4>)
        attributes {vliw.signature = (memref<4xi32>) -> ()} {
      %offsets = word.constant dense<[2, 1, 2, 1, 2, 1, 2, 1, 2, 3, 3]> : vector<11xi32>
      %values = word.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]> : vector<11xi32>
      word.scatter %values, %a[%offsets] : vector<11xi32>, !word.buffer<4>
      func.return
    }"""
    program = vliw_mlir.compile(text, "legalize-vectors,convert-word-to-vliw")
    (output,) = program.run([0, 0, 0, 0]).outputs
    assert output is not None
    assert output.tolist() == [0, 8, 9, 11]


def test_unused_arguments_are_not_loaded() -> None:
    machine = select("func.func @k(%x: i32, %y: i32) { word.trace_write %y func.return }")
    (block,) = machine.blocks
    assert [i.mnemonic for i in block.instructions] == ["const", "load", "trace_write"]


def test_instructions_know_their_source() -> None:
    text = """func.func @k(%x: i32) {
      word.trace_write %x loc("a.mlir":3:4)
      cf.br ^end loc("a.mlir":5:6)
    ^end:
      func.return
    }"""
    machine = select(text)
    assert machine.blocks[0].instructions[-1].source == "a.mlir:3:4"
    assert machine.blocks[0].source == "a.mlir:5:6"


@pytest.mark.parametrize("address", [0, 50])
def test_fixed_address(address: int) -> None:
    text = f"""func.func @k(%a: !word.buffer<4> {{vliw.address = {address} : i32}})
        attributes {{vliw.signature = (memref<4xi32>) -> ()}} {{
      %one = word.constant 1 : i32
      word.store %one, %a[%one] : i32, !word.buffer<4>
      func.return
    }}"""
    image = vliw_mlir.compile(text, "convert-word-to-vliw").run([9, 9, 9, 9]).image
    assert image.memory[address : address + 4].tolist() == [9, 1, 9, 9]


def test_constants_are_added_on_both_engines() -> None:
    """Of two sums of a word and a constant one is an addition with an immediate."""
    text = """func.func @k(%a: i32) -> (i32, i32) {
      %c1 = word.constant 10 : i32
      %c2 = word.constant 20 : i32
      %s = word.add %a, %c1 : i32
      %t = word.add %c2, %a : i32
      func.return %s, %t : i32, i32
    }"""
    slots = {"alu": 1, "load": 4, "store": 2, "flow": 1}
    target = Target.from_dict({"engines": slots})
    pipeline = "convert-word-to-vliw{schedule=exact verify-schedule}"
    program = vliw_mlir.compile(text, pipeline, target)
    assert program.run(5).results == [15, 25]
    sums = [bundle for bundle in program.bundles if "alu" in bundle]
    assert [sorted(bundle) for bundle in sums] == [["alu", "flow"]]
    assert len(program.bundles) == 4
