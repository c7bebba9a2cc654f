"""Loads that find what was in memory on entry."""

import pytest

from vliw_mlir.analysis.entry_loads import entry_loads, sharp_ranges
from vliw_mlir.analysis.ranges import Ranges
from vliw_mlir.analysis.word_sets import constant, words
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.source import make_context, parse_module


def function(body):
    text = f"""
        func.func @k(%b: !word.buffer<64> {{vliw.range = array<i32: 0, 9>}}, %x: i32)
            attributes {{vliw.signature = (memref<64xi32>, i32) -> ()}} {{
          %c0 = word.constant 0 : i32
          %c1 = word.constant 1 : i32
          %c7 = word.constant 7 : i32
          %c8 = word.constant 8 : i32
          %c32 = word.constant 32 : i32
          %c56 = word.constant 56 : i32
          %big = word.constant 100 : i32
          {body}
          func.return
        }}"""
    return kernel_function(parse_module(make_context(), text, "k.mlir"))


def found(body):
    """The names of the loads found."""
    func = function(body)
    loads = entry_loads(func, Ranges(func))
    return {load.results[0].name_hint for load in loads}


LOAD = "%{0} = word.load %b[{1}] : !word.buffer<64> -> i32"
STORE = "word.store %big, %b[{0}] : i32, !word.buffer<64>"


@pytest.mark.parametrize(
    ("load", "first", "store", "expected"),
    [
        # Each word is loaded before it is stored.
        ("%i", "load", "%i", True),
        ("%i", "store", "%i", False),
        # The word stored is loaded by the next iteration, or was by the one before.
        ("%i", "load", "%next", False),
        ("%next", "load", "%i", True),
        ("%next", "store", "%i", True),
        # All words loaded lie behind those stored.
        ("%behind", "store", "%i", True),
        ("%i", "load", "%x", False),
        ("%x", "load", "%i", False),
        ("%c56", "store", "%i", True),
    ],
)
def test_one_loop(load, first, store, expected):
    lines = [LOAD.format("v", load), STORE.format(store)]
    if first == "store":
        lines.reverse()
    body = "\n".join(lines)
    assert found(
        f"""
        scf.for %i = %c0 to %c32 step %c1 : i32 {{
          %next = word.add %i, %c1 : i32
          %behind = word.add %i, %c32 : i32
          {body}
        }}"""
    ) == ({"v"} if expected else set())


def test_an_outer_loop_comes_back():
    inner = f"""
        scf.for %i = %c0 to %c32 step %c1 : i32 {{
          {LOAD.format("v", "%i")}
          {STORE.format("%i")}
        }}"""
    assert found(inner) == {"v"}
    assert found(f"scf.for %round = %c0 to %c8 step %c1 : i32 {{ {inner} }}") == set()
    assert found(inner + inner.replace("%v", "%w").replace("%i", "%j")) == {"v"}


def test_rows_of_two_loops():
    body = """
        scf.for %row = %c0 to %c8 step %c1 : i32 {{
          scf.for %i = %c0 to {0} step %c1 : i32 {{
            %start = word.mul %row, %c7 : i32
            %at = word.add %start, %i : i32
            {1}
            {2}
          }}
        }}"""
    accesses = LOAD.format("v", "%at"), STORE.format("%at")
    assert found(body.format("%c7", *accesses)) == {"v"}
    # Rows overlap.
    assert found(body.format("%c8", *accesses)) == set()


def test_vectors():
    body = """
        scf.for %i = %c0 to %c56 step {0} : i32 {{
          %v = word.load %b[%i] : !word.buffer<64> -> vector<8xi32>
          %w = word.mul %v, %v : vector<8xi32>
          word.store %w, %b[%i] : vector<8xi32>, !word.buffer<64>
        }}"""
    assert found(body.format("%c8")) == {"v"}
    assert found(body.format("%c7")) == set()


def test_order_without_loops():
    assert found(f"{LOAD.format('v', '%x')} {STORE.format('%x')} {LOAD.format('w', '%x')}") == {"v"}
    # What is stored is another word.
    assert found(f"{STORE.format('%c1')} {LOAD.format('v', '%c7')}") == {"v"}
    assert found(f"{STORE.format('%c1')} {LOAD.format('v', '%x')}") == set()


def test_sides_of_a_branch_exclude_each_other():
    branch = """
        %t = word.test %x
        scf.if %t {{ {0} }} else {{ {1} }}"""
    assert found(branch.format(STORE.format("%x"), LOAD.format("v", "%x"))) == {"v"}
    loop = "scf.for %i = %c0 to %c8 step %c1 : i32 {{ {0} }}"
    again = branch.format(STORE.format("%c7"), LOAD.format("v", "%c7"))
    assert found(loop.format(again)) == set()


def test_what_repeats_in_other_ways():
    assert (
        found(
            f"""
            scf.while (%i = %c0) : (i32) -> i32 {{
              {LOAD.format("v", "%i")}
              %t = word.test %v
              scf.condition(%t) %i : i32
            }} do {{
            ^bb0(%j: i32):
              {STORE.format("%j")}
              scf.yield %j : i32
            }}"""
        )
        == set()
    )
    assert found(f"{LOAD.format('v', '%x')} cf.br ^a ^a: {STORE.format('%x')}") == set()


def test_others_that_store():
    accesses = f"{LOAD.format('v', '%x')} {STORE.format('%x')}"
    assert found(f"word.pause {accesses}") == set()
    unknown = """
        scf.for %i = %c0 to %c8 step %c1 iter_args(%any = %b) -> (!word.buffer<64>) : i32 {
          word.store %big, %any[%i] : i32, !word.buffer<64>
          scf.yield %any : !word.buffer<64>
        }"""
    assert found(f"{accesses} {unknown}") == set()


def test_ranges_use_them():
    func = function(
        f"""
        scf.for %i = %c0 to %c32 step %c1 : i32 {{
          {LOAD.format("v", "%i")}
          {STORE.format("%i")}
        }}
        {LOAD.format("w", "%c1")}"""
    )
    value = {result.name_hint: result for op in func.walk() for result in op.results}
    assert Ranges(func).of(value["v"]).hi == 100
    ranges = sharp_ranges(func)
    assert ranges.of(value["v"]) == words(0, 9)
    assert ranges.of(value["w"]).hi == 100
    assert ranges.of(value["big"]) == constant(100)
