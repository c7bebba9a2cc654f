"""Chains of lookups lane by lane: they get shorter, results stay."""

from __future__ import annotations

import random

import pytest

from support.differential import Subject, difference, kernel
from vliw_mlir.api import parse_pipeline
from vliw_mlir.instrument import run_pipeline
from vliw_mlir.source import make_context, parse_module

PASS = "scalarize-lookup-chains"


def _random_chains(seed: int) -> str:
    """Vectors that lookups and arithmetic are applied to in turn, and that are stored."""
    rng = random.Random(seed)
    mask = "%mask = word.constant dense<63> : vector<8xi32>"
    lines = [mask, "%b = word.broadcast %s : vector<8xi32>", "%zero = word.constant 0 : i32"]
    lines.append("%v0 = word.load %x[%zero] : !word.buffer<64> -> vector<8xi32>")
    values = ["%v0", "%b", "%mask"]

    def add(text: str) -> str:
        name = f"%n{len(lines)}"
        lines.append(f"{name} = {text}")
        values.append(name)
        return name

    for _ in range(rng.randrange(4, 16)):
        x, y, z = (rng.choice(values[-6:]) for _ in range(3))
        match rng.randrange(5):
            case 0:
                add(f"word.{rng.choice(['add', 'xor', 'shru', 'mul'])} {x}, {y} : vector<8xi32>")
            case 1:
                add(f"word.select {x}, {y}, {z} : vector<8xi32>")
            case 2:
                add(f"word.multiply_add {x}, {y}, {z} : vector<8xi32>")
            case _:
                offset = add(f"word.and {x}, %mask : vector<8xi32>")
                add(f"word.gather %t[{offset}] : !word.buffer<64> -> vector<8xi32>")
        if rng.randrange(4) == 0:
            place = f"%n{len(lines)}"
            lines.append(f"{place} = word.constant {8 * rng.randrange(8)} : i32")
            buffer = rng.choice(["%x", "%t"])
            lines.append(
                f"word.store {values[-1]}, {buffer}[{place}] : vector<8xi32>, !word.buffer<64>"
            )
    lines.append(f"word.store {values[-1]}, %x[%zero] : vector<8xi32>, !word.buffer<64>")
    body = "\n".join(lines)
    return (
        "func.func @k(%s: i32, %x: !word.buffer<64>, %t: !word.buffer<64>) attributes "
        "{vliw.signature = (i32, memref<64xi32>, memref<64xi32>) -> ()} {\n"
        f"{body}\nfunc.return\n}}"
    )


def words(rng: random.Random, count: int) -> list[int]:
    return [rng.randrange(64) for _ in range(count)]


def _scalarized(text: str) -> int:
    module = parse_module(make_context(), text)
    run_pipeline(make_context(), module, parse_pipeline(PASS))
    return str(module).count("word.from_elements")


def test_results_stay() -> None:
    rng = random.Random(1)
    texts = [_random_chains(seed) for seed in range(60)]
    assert sum(_scalarized(text) > 0 for text in texts) > 10
    for text in texts:
        runs = [[rng.randrange(64), words(rng, 64), words(rng, 64)]]
        assert difference(Subject("chains", text, runs), PASS) is None, text


@pytest.mark.parametrize("name", ["crc32_streams", "spmv_csr"])
def test_behaviour_of_kernels_stays(name: str) -> None:
    passes = f"simplify,interchange-loops,promote-loop-memory,simplify,vectorize-loops,{PASS}"
    assert difference(kernel(name), passes) is None
