"""Places of values side by side, and programs that depend on them."""

from __future__ import annotations

import pytest
from xdsl.ir import SSAValue

import vliw_mlir
from vliw_mlir.analysis.cfg import reverse_postorder
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.lowering.windows import SHARE_OF_SCRATCH, Place, Windows
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.target import Target

VECTOR = "vector<8xi32>"
PAIR = f"{VECTOR}, {VECTOR} -> vector<16xi32>"


def places(body: str, scratch: int = 1536) -> dict[str | None, Place | None]:
    """The places of values by their names, %u, %v, %w and %x being broadcasts."""
    names = "uvwx"
    lines = [f"%{name} = word.broadcast %n : {VECTOR}" for name in names]
    text = "\n".join(["func.func @k(%n: i32) {", *lines, body, "func.return", "}"])
    func = kernel_function(parse_module(make_context(), text))
    windows = Windows(func.body, reverse_postorder(func.body), scratch)
    values: list[SSAValue] = [result for op in func.walk() for result in op.results]
    return {value.name_hint: windows.place(value) for value in values}


def distance(a: Place | None, b: Place | None) -> int | None:
    """How many words `b` is behind `a`; None if they are not in the same row."""
    if a is None or b is None or a.row is not b.row:
        return None
    return b.word - a.word


def test_pairs_make_a_row() -> None:
    found = places(f"%a = word.concat %u, %v : {PAIR}\n%b = word.concat %v, %w : {PAIR}")
    assert distance(found["u"], found["v"]) == 8
    assert distance(found["u"], found["w"]) == 16
    assert distance(found["v"], found["b"]) == 0
    assert found["x"] is None


def test_rows_become_one() -> None:
    pairs = (("a", "u", "v"), ("b", "w", "x"), ("c", "v", "w"))
    found = places("\n".join(f"%{c} = word.concat %{p}, %{q} : {PAIR}" for c, p, q in pairs))
    assert distance(found["u"], found["x"]) == 24


def test_a_value_has_one_place() -> None:
    found = places(f"%a = word.concat %u, %v : {PAIR}\n%b = word.concat %v, %u : {PAIR}")
    assert distance(found["u"], found["v"]) == 8
    # The row goes on with a copy of %u.
    assert distance(found["v"], found["b"]) == 0
    assert found["a"] is not None
    assert found["a"].row.words == 24


def test_a_row_has_a_limit() -> None:
    found = places(
        f"%a = word.concat %u, %v : {PAIR}\n%b = word.concat %v, %w : {PAIR}",
        scratch=23 * SHARE_OF_SCRATCH,
    )
    assert distance(found["u"], found["v"]) == 8
    assert distance(found["v"], found["w"]) is None


def test_parts_of_values_stay_where_they_are() -> None:
    found = places(
        f"""%a = word.concat %u, %v : {PAIR}
        %s = word.slice %a[3] : vector<16xi32> -> {VECTOR}
        %e = word.extract %a[11] : vector<16xi32>
        %b = word.concat %s, %e : {VECTOR}, i32 -> vector<9xi32>"""
    )
    assert distance(found["a"], found["b"]) == 3
    assert found["a"] is not None
    assert found["a"].row.words == 16


LOOP = """func.func @k(%n: i32, %x: i32, %a: !word.buffer<16>) -> i32
    attributes {vliw.signature = (i32, i32, memref<16xi32>) -> i32} {
  %c0 = word.constant 0 : i32
  %c8 = word.constant 8 : i32
  %m1 = word.constant -1 : i32
  %outside = word.load %a[%c0] : !word.buffer<16> -> vector<8xi32>
  cf.br ^loop(%n, %x, %outside : i32, i32, vector<8xi32>)
^loop(%i: i32, %sum: i32, %before: vector<8xi32>):
  %inside = word.add %before, %outside : vector<8xi32>
  %pair = word.concat %outside, %inside, %before
    : vector<8xi32>, vector<8xi32>, vector<8xi32> -> vector<24xi32>
  %first = word.slice %pair[5] : vector<24xi32> -> vector<8xi32>
  %second = word.slice %pair[13] : vector<24xi32> -> vector<8xi32>
  %next = word.mul %first, %second : vector<8xi32>
  %lane = word.extract %pair[20] : vector<24xi32>
  %new = word.add %sum, %lane : i32
  %j = word.add %i, %m1 : i32
  %more = word.test %j
  cf.cond_br %more, ^loop(%j, %new, %next : i32, i32, vector<8xi32>), ^end
^end:
  word.store %second, %a[%c8] : vector<8xi32>, !word.buffer<16>
  func.return %new : i32
}"""


@pytest.mark.parametrize("scratch", [1536, 60, 50])
@pytest.mark.parametrize("schedule", ["none", "list"])
def test_rows_around_a_loop(scratch: int, schedule: str) -> None:
    """Values of a row that are written outside of a loop, inside of it, and copied there."""
    target = Target.from_dict({"scratch": scratch})
    pipeline = f"legalize-vectors,convert-word-to-vliw{{schedule={schedule} verify-schedule=true}}"
    program = vliw_mlir.compile(LOOP, pipeline, target)
    a = [n * n + 7 for n in range(16)]
    run = program.run(5, 3, a)
    outside, before, total = a[:8], a[:8], 3
    second: list[int] = []
    for _ in range(5):
        inside = [p + q & 0xFFFFFFFF for p, q in zip(before, outside, strict=True)]
        pair = [*outside, *inside, *before]
        second, total = pair[13:21], total + pair[20]
        before = [p * q & 0xFFFFFFFF for p, q in zip(pair[5:13], second, strict=True)]
    assert run.results == [total & 0xFFFFFFFF]
    assert run.image.array(2).tolist() == [*a[:8], *second]


def test_wholes_are_only_taken_apart() -> None:
    """What is longer than a vector of the machine has no other use without legalization."""
    text = f"""func.func @k(%a: !word.buffer<16>, %n: i32)
        attributes {{vliw.signature = (memref<16xi32>, i32) -> ()}} {{
      %v = word.broadcast %n : {VECTOR}
      %c = word.concat %v, %v : {PAIR}
      word.store %c, %a[%n] : vector<16xi32>, !word.buffer<16>
      func.return
    }}"""
    with pytest.raises(vliw_mlir.CompileError, match="a vector of 16 lanes; run legalize-vectors"):
        vliw_mlir.compile(text, "convert-word-to-vliw")
