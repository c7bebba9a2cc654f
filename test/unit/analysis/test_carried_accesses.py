"""Accesses of the same words in different iterations of a loop of one block."""

from __future__ import annotations

import pytest

from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.analysis.carried_accesses import carried_accesses
from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.source import make_context, parse_module

HEADER = """
func.func @k(%x: !word.buffer<?>, %y: !word.buffer<?>, %n: i32, %s: i32, %v: vector<8xi32>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c2 = word.constant 2 : i32
  %c3 = word.constant 3 : i32
  %c8 = word.constant 8 : i32
  %m1 = word.constant -1 : i32
  cf.br ^loop(%c0, %c0 : i32, i32)
^loop(%i: i32, %j: i32):
"""
FOOTER = """
  %more = word.xor %next, %n : i32
  %test = word.test %more
  cf.cond_br %test, ^loop(%next, %next_j : i32, i32), ^end
^end:
  func.return
}
"""


def carried(
    body: str, step: str = "%c1", next_j: str = "%next_j = word.add %j, %s : i32"
) -> set[tuple[int, int, int]]:
    """First and second access, by their numbers, and their distance."""
    text = f"{HEADER}{body}\n%next = word.add %i, {step} : i32\n{next_j}{FOOTER}"
    function = kernel_function(parse_module(make_context(), text))
    loop = list(function.body.blocks)[1]
    numbers = {op: n for n, op in enumerate(o for o in loop.ops if isinstance(o, word.AccessOp))}
    found = carried_accesses(loop, AliasAnalysis(function))
    assert found is not None
    return {(numbers[a.op], numbers[b.op], distance) for a, b, distance in found}  # pyright: ignore


LOAD = "%a = word.load %x[{}] : !word.buffer<?> -> i32"
STORE = "word.store %s, %x[{}] : i32, !word.buffer<?>"


def test_same_word_in_one_iteration_only() -> None:
    assert carried(LOAD.format("%i") + "\n" + STORE.format("%i")) == set()


@pytest.mark.parametrize("distance", [1, 2, 3])
def test_word_is_loaded_some_iterations_after_it_was_stored(distance: int) -> None:
    """As in `x[i + d] = x[i]`."""
    body = f"%o = word.add %i, %c{distance} : i32\n{LOAD.format('%i')}\n{STORE.format('%o')}"
    assert carried(body) == {(1, 0, distance)}


def test_word_is_stored_after_it_was_loaded() -> None:
    """As in `x[i] = x[i + 2]`."""
    body = f"%o = word.add %i, %c2 : i32\n{LOAD.format('%o')}\n{STORE.format('%i')}"
    assert carried(body) == {(0, 1, 2)}


def test_steps_that_miss() -> None:
    body = f"%o = word.add %i, %c3 : i32\n{LOAD.format('%i')}\n{STORE.format('%o')}"
    assert carried(body, step="%c2") == set()
    assert carried(body, step="%m1") == {(0, 1, 3)}


def test_vectors_overlap() -> None:
    store = "word.store %v, %x[%i] : vector<8xi32>, !word.buffer<?>"
    load = "%w = word.load %x[%o] : !word.buffer<?> -> vector<8xi32>"
    assert carried(store, step="%c8") == set()
    assert carried(store, step="%c3") == {(0, 0, 1)}
    body = f"%o = word.sub %i, %c3 : i32\n{load}\n{store}"
    # Words i-3 .. i+4 are loaded, i .. i+7 stored.
    assert carried(body, step="%c8") == {(1, 0, 1)}


def test_same_word_in_all_iterations() -> None:
    body = f"{LOAD.format('%c3')}\n{STORE.format('%c3')}"
    assert carried(body) == {(0, 1, 1), (1, 0, 1), (1, 1, 1)}
    assert carried(f"{LOAD.format('%c2')}\n{STORE.format('%c3')}") == {(1, 1, 1)}


def test_unknown_steps_and_offsets() -> None:
    everything = {(0, 1, 1), (1, 0, 1), (1, 1, 1)}
    # By a word that is not known, which may be 0.
    assert carried(f"{LOAD.format('%j')}\n{STORE.format('%j')}") == everything
    # One counter and another one.
    body = f"{LOAD.format('%i')}\n{STORE.format('%j')}"
    next_j = "%next_j = word.add %j, %c1 : i32"
    assert carried(body, next_j=next_j) == {(0, 1, 1), (1, 0, 1)}
    # Computed from what is loaded.
    assert carried(f"{LOAD.format('%i')}\n{STORE.format('%a')}") == everything


def test_different_buffers() -> None:
    body = "%a = word.load %y[%i] : !word.buffer<?> -> i32\n" + STORE.format("%j")
    assert carried(body) == {(1, 1, 1)}


def test_gathers() -> None:
    body = """
      %g = word.gather %x[%v] : !word.buffer<?> -> vector<8xi32>
      word.scatter %g, %y[%v] : vector<8xi32>, !word.buffer<?>
    """
    assert carried(body) == {(1, 1, 1)}
    assert carried(body.replace("%y", "%x")) == {(0, 1, 1), (1, 0, 1), (1, 1, 1)}


def test_steps_that_wrap_around_soon() -> None:
    """Nothing is concluded where subscripts may come back."""
    body = f"%big = word.constant 0x40000000 : i32\n{STORE.format('%i')}"
    assert carried(body, step="%big") == {(0, 0, 1)}


def test_buffers_that_take_turns() -> None:
    """The same argument of the block is another buffer in each iteration."""
    text = """
    func.func @k(%x: !word.buffer<?>, %y: !word.buffer<?>, %n: i32) {
      %c1 = word.constant 1 : i32
      cf.br ^loop(%n, %x, %y : i32, !word.buffer<?>, !word.buffer<?>)
    ^loop(%i: i32, %a: !word.buffer<?>, %b: !word.buffer<?>):
      %w = word.load %a[%i] : !word.buffer<?> -> i32
      word.store %w, %b[%i] : i32, !word.buffer<?>
      %next = word.sub %i, %c1 : i32
      %test = word.test %next
      cf.cond_br %test, ^loop(%next, %b, %a : i32, !word.buffer<?>, !word.buffer<?>), ^end
    ^end:
      func.return
    }"""
    function = kernel_function(parse_module(make_context(), text))
    loop = list(function.body.blocks)[1]
    found = carried_accesses(loop, AliasAnalysis(function))
    assert found is not None
    assert {(p.first.writes, p.second.writes, p.distance) for p in found} == {
        (False, True, 1),
        (True, False, 1),
        (True, True, 1),
    }
