"""overlap-updates keeps what programs do, and shortens chains of updates."""

from random import Random

import pytest

from support import differential
from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.api import parse_pipeline
from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.instrument import run_pipeline
from vliw_mlir.semantics import REDUCTIONS
from vliw_mlir.source import make_context

PASS = "overlap-updates"
UNROLLED = "unroll-loops{factor=4},simplify,forward-stores,simplify"


@pytest.mark.parametrize("name", differential.KERNEL_NAMES)
def test_kernels(name):
    pipeline = f"{UNROLLED},{PASS}{{delay=2}},simplify"
    assert differential.difference(differential.kernel(name), pipeline) is None


@pytest.mark.parametrize("kind", differential.MAKERS)
@pytest.mark.parametrize("seed", range(3))
def test_random_programs(kind, seed):
    subject = differential.MAKERS[kind](seed)
    assert differential.difference(subject, f"{UNROLLED},{PASS}{{delay=3}}") is None


class Updates:
    """Makes random programs of updates of two tables in one array, and other accesses of it."""

    SIZE = 8

    def __init__(self, seed: int):
        self._random = Random(seed)
        self._lines: list[str] = []
        self._values = ["%c0", "%c1", "%c5", "%n"]
        self._offsets: list[str] = []
        self._stored = 0
        self._functions = self._random.choices(list(REDUCTIONS), k=2)

    def subject(self, updates: int) -> differential.Subject:
        for number in range(6):
            self._emit("load %x[%c5]", "!word.buffer<16> -> i32", first=f"%x[%i{number}]")
        for value in self._values[4:]:
            self._offsets.append(self._emit(f"and {value}, %c3", "i32"))
        for _ in range(updates):
            self._step()
        constants = {"c0": 0, "c1": 1, "c3": 3, "c4": 4, "c5": 5}
        constants |= {f"i{n}": n for n in range(16)}
        head = [f"%{name} = word.constant {value} : i32" for name, value in constants.items()]
        text = "\n".join(
            [
                "func.func @f(%n: i32, %x: !word.buffer<16>, %t: !word.buffer<8>, "
                "%y: !word.buffer<99>) attributes {vliw.signature = "
                "(i32, memref<16xi32>, memref<8xi32>, memref<99xi32>) -> ()} {",
                *head,
                *self._lines,
                "func.return",
                "}",
            ]
        )
        words = self._random.getrandbits
        runs = [[words(32), *([words(32) for _ in range(n)] for n in (16, 8, 99))] for _ in "ab"]
        return differential.Subject("updates", text, runs)

    def _step(self) -> None:
        kind = self._random.random()
        at = self._random.choice(self._offsets)
        if self._random.random() < 0.3:
            at = self._emit(f"add {at}, %c4", "i32")
        if kind < 0.06:
            self._values.append(self._emit(f"load %t[{at}]", "!word.buffer<8> -> i32"))
        elif kind < 0.1:
            self._store(self._random.choice(self._values), f"%t[{at}]", 8)
        else:
            self._update(at)

    def _update(self, at: str) -> None:
        value = self._random.choice(self._values)
        late = self._random.random() < 0.3
        old = self._emit(f"load %t[{at}]", "!word.buffer<8> -> i32")
        if late:
            value = self._emit(f"xor {value}, {self._random.choice([value, old, '%n'])}", "i32")
        operands = self._random.choice([f"{old}, {value}", f"{value}, {old}"])
        new = self._emit(f"{self._random.choice(self._functions)} {operands}", "i32")
        self._store(new, f"%t[{at}]", 8)
        seen = self._random.random()
        if seen < 0.15:
            self._values.append(new)
        if seen > 0.75:
            self._values.append(old)
            self._store(old, f"%y[%i{self._stored % 16}]", 99)
            self._stored += 1

    def _store(self, value: str, place: str, size: int) -> None:
        self._lines.append(f"word.store {value}, {place} : i32, !word.buffer<{size}>")

    def _emit(self, what: str, type: str, first: str | None = None) -> str:
        name = f"%v{len(self._lines)}"
        if first is not None:
            what = f"load {first}"
            self._values.append(name)
        self._lines.append(f"{name} = word.{what} : {type}")
        return name


@pytest.mark.parametrize("delay", [1, 2, 3, 7])
@pytest.mark.parametrize("seed", range(20))
def test_random_updates(seed, delay):
    subject = Updates(seed).subject(20)
    assert differential.difference(subject, f"{PASS}{{delay={delay}}}") is None
    assert differential.difference(subject, f"{PASS}{{delay={delay}}},simplify") is None


@pytest.mark.parametrize("delay", [1, 2, 5])
def test_stores_wait_for_loads(delay):
    module = differential.kernel("histogram").parse()
    passes = f"unroll-loops{{factor=16}},simplify,{PASS}{{delay={delay}}}"
    run_pipeline(make_context(), module, parse_pipeline(passes))
    func = kernel_function(module)
    aliases = AliasAnalysis(func)
    _, bins = func.body.block.args
    kinds = [
        isinstance(op, word.StoreOp)
        for op in module.walk()
        if isinstance(op, word.LoadOp | word.StoreOp) and aliases.access(op).buffer is bins
    ]
    load, store = False, True
    beginning, end = [load] * delay, [store] * delay
    assert kinds == [*beginning, *[load, store] * (16 - delay), *end]
