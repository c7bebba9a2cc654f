"""Search loops: loads run before it is known that the loop goes on, but never beyond the slack."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import vliw_mlir

WORDS_AHEAD = 64
"""What is readable behind the last array."""


def search(step: int, lanes: int, address: str) -> str:
    """A kernel that counts steps until the word at a place that advances by `step` is %x.

    `address` computes %at from the place %i.
    """
    load = (
        "%v = word.load %a[%at] : !word.buffer<?> -> i32"
        if lanes == 1
        else f"""%w = word.load %a[%at] : !word.buffer<?> -> vector<{lanes}xi32>
    %v = word.extract %w[0] : vector<{lanes}xi32>"""
    )
    return f"""
func.func @k(%a: !word.buffer<?>, %x: i32, %y: i32) attributes
    {{vliw.signature = (memref<?xi32>, i32, i32) -> ()}} {{
  %zero = word.constant 0 : i32
  %one = word.constant 1 : i32
  %step = word.constant {step} : i32
  %r, %s = scf.while (%i = %zero, %n = %zero) : (i32, i32) -> (i32, i32) {{
    {address}
    {load}
    %differs = word.cmp ne, %v, %x : i32
    %go = word.test %differs
    scf.condition(%go) %i, %n : i32, i32
  }} do {{
  ^bb0(%i: i32, %n: i32):
    %j = word.add %i, %step : i32
    %m = word.add %n, %one : i32
    scf.yield %j, %m : i32, i32
  }}
  word.trace_write %s
  func.return
}}"""


PIPELINE = (
    "convert-word-scf-to-cf,simplify-cfg,legalize-vectors,expand-word-ops,"
    "convert-word-to-vliw{schedule=list pipeline-loops verify-schedule}"
)
FORWARD = "%at = word.add %i, %zero : i32"
SHIFTED = "%at = word.add %i, %y : i32"
BACKWARD = "%at = word.sub %y, %i : i32"


def cycles(text: str, array: Sequence[int], steps: int, offset: int = 0) -> int:
    """The cycles until the word 7 is found after so many steps."""
    result = vliw_mlir.compile(text, PIPELINE).run(list(array), 7, offset)
    assert result.trace.tolist() == [steps]
    return result.cycles


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("step", [0, 1, 2, 8, 13, 31, 32, 57, 60, 64, 65, 300])
def test_no_trap_at_the_end_of_memory(step: int, lanes: int) -> None:
    text = search(step, lanes, FORWARD)
    for steps in (0, 1, 2, 3, 9):
        if step == 0 and steps:
            continue
        words = [1] * (steps * step) + [7]
        cycles(text, words, steps)


def test_searches_take_a_cycle_for_a_word() -> None:
    for address, offset in ((FORWARD, 0), (SHIFTED, 3)):
        text = search(1, 1, address)
        few, many = (cycles(text, [1] * (n + offset) + [7], n, offset) for n in (100, 200))
        assert many - few == 100


def test_what_is_not_known_to_be_readable_waits() -> None:
    """Steps that are too large, and backwards: in front of the data there is little."""
    text = search(WORDS_AHEAD + 1, 1, FORWARD)
    few, many = (cycles(text, [1] * (n * (WORDS_AHEAD + 1)) + [7], n) for n in (10, 20))
    assert many - few > 20
    for steps in (0, 1, 2, 9):
        cycles(search(1, 1, BACKWARD), [7] + [1] * steps, steps, steps)
