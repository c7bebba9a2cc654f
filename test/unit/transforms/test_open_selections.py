"""Which selections are left open: as many as the bound says, from all over the block."""

from __future__ import annotations

from vliw_mlir.api import parse_pipeline
from vliw_mlir.instrument import run_pipeline
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.transforms.evenly import evenly


def test_some_of_many_at_equal_distances() -> None:
    assert evenly(range(6), 3) == [1, 3, 5]
    assert evenly(range(5), 0) == []
    assert evenly(range(3), 3) == [0, 1, 2]


def _selections(count: int) -> list[str]:
    """Selections by one boolean between values that differ, as the pass leaves them."""
    lines = [
        "%one = word.constant dense<1> : vector<8xi32>",
        "%c = word.and %v, %one : vector<8xi32>",
    ]
    previous = "%v"
    for n in range(count):
        lines.append(f"%a{n} = word.xor {previous}, %w : vector<8xi32>")
        lines.append(f"%s{n} = word.select %c, %a{n}, {previous} : vector<8xi32>")
        previous = f"%s{n}"
    body = "\n".join(lines)
    text = (
        "func.func @k(%v: vector<8xi32>, %w: vector<8xi32>) -> vector<8xi32> {\n"
        f"{body}\nfunc.return {previous} : vector<8xi32>\n}}"
    )
    module = parse_module(make_context(), text)
    run_pipeline(make_context(), module, parse_pipeline("open-selections"))
    return [
        op.name for op in module.walk() if op.name in ("word.select", "word.select_by_difference")
    ]


def test_open_ones_are_everywhere() -> None:
    found = _selections(60)
    opened = [name == "word.select_by_difference" for name in found]
    assert 20 <= sum(opened) < 60
    thirds = [sum(opened[n : n + 20]) for n in range(0, 60, 20)]
    assert max(thirds) - min(thirds) <= 1
