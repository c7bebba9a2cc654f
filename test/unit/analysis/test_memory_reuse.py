"""Which loads stay when there is not room for all words."""

from __future__ import annotations

from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.analysis.memory_reuse import loads_beyond
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.source import make_context, parse_module


def kept(most_words: int, body: str) -> list[str | None]:
    """The names of the loads that stay, in the order of the program."""
    lines = [f"%c{n} = word.constant {n} : i32" for n in range(32)]
    text = "\n".join(
        [
            "func.func @f(%a: !word.buffer<64>, %x: i32, %v: vector<8xi32>) {",
            *lines,
            body,
            "func.return",
            "}",
        ]
    )
    func = kernel_function(parse_module(make_context(), text))
    found = loads_beyond(func.body.block, AliasAnalysis(func), most_words)
    return [op.results[0].name_hint for op in func.body.block.ops if op in found]


def load(name: str, offset: int, type: str = "i32") -> str:
    return f"%{name} = word.load %a[%c{offset}] : !word.buffer<64> -> {type}\n"


def store(offset: int, value: str = "%x : i32") -> str:
    value, type = value.split(" : ")
    return f"word.store {value}, %a[%c{offset}] : {type}, !word.buffer<64>\n"


def test_what_is_asked_for_last_is_loaded_again() -> None:
    body = store(0) + store(1) + load("near", 1) + load("far", 0)
    assert kept(2, body) == []
    assert kept(1, body) == ["far"]
    assert kept(0, body) == ["near", "far"]


def test_a_word_is_held_once_for_all_its_loads() -> None:
    body = store(0) + load("p", 0) + load("q", 0) + load("r", 0)
    assert kept(1, body) == []


def test_what_is_not_asked_for_takes_no_room() -> None:
    assert kept(1, store(0) + store(1) + store(0) + load("p", 0)) == []


def test_a_vector_counts_its_words() -> None:
    body = store(0, "%v : vector<8xi32>") + store(8) + load("p", 1, "vector<8xi32>")
    assert kept(8, body) == []
    assert kept(7, body) == ["p"]


def test_loads_hold_words_too() -> None:
    body = load("p", 0) + load("q", 1) + load("again", 1) + load("first", 0)
    assert kept(1, body) == ["first"]


def test_what_may_be_stored_to_is_not_held() -> None:
    body = store(0) + f"word.store %x, %a[%x] : i32, !word.buffer<64>\n{load('p', 0)}"
    assert kept(0, body) == []
