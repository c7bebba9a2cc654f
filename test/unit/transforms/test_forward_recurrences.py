"""Recurrences through memory: small loops with accesses close to each other."""

from __future__ import annotations

from random import Random

from support.differential import Subject, difference
from vliw_mlir.instrument import StatisticsTable, collecting_statistics

SIZE = 64


def program(seed: int) -> Subject:
    """A loop with a few loads and stores near the counter, and rarely elsewhere."""
    rng = Random(seed)
    lines: list[str] = []
    values = ["%n"]
    for number in range(rng.randint(2, 5)):
        near = rng.random() < 0.85
        base = "%scaled" if near else rng.choice(("%other", "%low", "%n"))
        lines.append(f"%c{number} = word.constant {rng.randrange(5)} : i32")
        lines.append(f"%o{number} = word.add {base}, %c{number} : i32")
        place = f"%a[%o{number}]"
        if rng.random() < 0.5:
            lines.append(f"%x{number} = word.load {place} : !word.buffer<?> -> i32")
            lines.append(f"%y{number} = word.add %x{number}, {values[-1]} : i32")
            values.append(f"%y{number}")
            continue
        store = f"word.store {values[-1]}, {place} : i32, !word.buffer<?>"
        conditional = rng.random() < 0.15
        lines += [f"scf.if %t {{ {store}", "}"] if conditional else [store]
    low, high, step = rng.randrange(3), rng.randrange(8), rng.choice((1, 1, 2, 3))
    text = f"""
func.func @k(%a: !word.buffer<?>, %n: i32, %m: i32)
    attributes {{vliw.signature = (memref<{SIZE}xi32>, i32, i32) -> ()}} {{
  %low = word.constant {low} : i32
  %high = word.constant {high} : i32
  %step = word.constant {step} : i32
  %factor = word.constant {rng.choice((1, 1, 2, 4))} : i32
  %three = word.constant {rng.choice((0, 3))} : i32
  %t = word.test %n
  scf.for %i = %low to {rng.choice(("%high", "%m"))} step %step : i32 {{
    %scaled = word.mul %i, %factor : i32
    %other = word.mul %i, %three : i32
    {"  ".join(line + chr(10) for line in lines)}
  }}
  func.return
}}"""
    words = [rng.randrange(100) for _ in range(SIZE)]
    return Subject(f"seed {seed}", text, [[words, n, m] for n, m in ((0, 5), (1, 0), (3, 8))])


def test_small_loops() -> None:
    with collecting_statistics(StatisticsTable()) as table:
        for seed in range(120):
            assert difference(program(seed), "forward-recurrences") is None
    assert table.counters["forward-recurrences"]["num-forwarded-loads"] > 5
