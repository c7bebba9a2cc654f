"""Loops that carry values in all the ways that vectorization knows, at random as text."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from support.random_word import Case

SIZE = 128
FUNCTIONS = ("add", "mul", "and", "or", "xor", "minu", "maxu", "mins", "maxs")
PREDICATES = ("ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")
EXTREMES = {"ul": "minu", "ug": "maxu", "sl": "mins", "sg": "maxs"}


def random_case(random: Random) -> Case:
    """A kernel of one loop, and arguments for it."""
    text = _Maker(random).make()
    bits = random.choice((1, 3, 32))
    arrays = [[random.getrandbits(bits) for _ in range(SIZE)] for _ in range(2)]
    zeros = [0] * (4 * SIZE)
    low = random.randint(0, 9)
    return Case(text, [*arrays, zeros, low, random.randint(0, 60), random.getrandbits(bits)])


@dataclass
class _Maker:
    random: Random
    lines: list[str] = field(default_factory=list[str])
    carried: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    """The argument of the body, its first value, and what becomes of it."""
    words: list[str] = field(default_factory=list[str])
    """Words that do not depend on what is best so far."""
    stores: int = 0
    names: int = 0

    def make(self) -> str:
        low, high = self.random.choice((("%n", "%m"), ("%c0", "%c57"), ("%c3", "%c64")))
        self.words = ["%i", self.load("%i"), self.load("%i")]
        makers = (self.reduction, self.scan, self.previous, self.best, self.last)
        for _ in range(self.random.choice((1, 1, 2, 3))):
            self.random.choice(makers)()
        for word in self.random.sample(self.words, 2):
            self.store(word)
        arguments = ", ".join(f"{name} = {first}" for name, first, _ in self.carried)
        types = ", ".join("i32" for _ in self.carried)
        results = [f"%r{number}" for number in range(len(self.carried))]
        ends = ", ".join(value for _, _, value in self.carried)
        constants = [f"%c{n} = word.constant {n} : i32" for n in (0, 1, 3, 57, 64, SIZE)]
        arrays = ", ".join(f"%{name}: !word.buffer<{SIZE}>" for name in "xy")
        signature = f"(memref<{SIZE}xi32>, memref<{SIZE}xi32>, memref<{4 * SIZE}xi32>"
        return "\n".join(
            [
                f"func.func @k({arrays}, %z: !word.buffer<{4 * SIZE}>, %n: i32, %m: i32, %k: i32)"
                f" attributes {{vliw.signature = {signature}, i32, i32, i32) -> ()}} {{",
                *constants,
                f"{', '.join(results)} = scf.for %i = {low} to {high} step %c1 "
                f"iter_args({arguments}) -> ({types}) : i32 {{",
                *self.lines,
                f"scf.yield {ends} : {types}",
                "}",
                *(f"word.trace_write {result}" for result in results),
                "func.return",
                "}",
            ]
        )

    def emit(self, text: str) -> str:
        self.names += 1
        self.lines.append(f"%v{self.names} = {text}")
        return f"%v{self.names}"

    def load(self, offset: str) -> str:
        array = self.random.choice(("%x", "%y"))
        return self.emit(f"word.load {array}[{offset}] : !word.buffer<{SIZE}> -> i32")

    def store(self, value: str) -> None:
        offset = "%i"
        for _ in range(self.stores):
            offset = self.emit(f"word.add {offset}, %c{SIZE} : i32")
        self.stores = (self.stores + 1) % 4
        self.lines.append(f"word.store {value}, %z[{offset}] : i32, !word.buffer<{4 * SIZE}>")

    def any(self) -> str:
        word = self.random.choice(self.words)
        if self.random.random() < 0.4:
            function = self.random.choice(("add", "xor", "mul", "sub"))
            word = self.emit(f"word.{function} {word}, {self.random.choice(self.words)} : i32")
        return word

    def first(self) -> str:
        return self.random.choice(("%k", "%c0", "%c3"))

    def argument(self) -> str:
        self.names += 1
        return f"%a{self.names}"

    def both(self, a: str, b: str) -> str:
        return f"{a}, {b}" if self.random.random() < 0.5 else f"{b}, {a}"

    def reduction(self) -> None:
        name, function = self.argument(), self.random.choice(FUNCTIONS)
        end = self.emit(f"word.{function} {self.both(name, self.any())} : i32")
        self.carried.append((name, self.first(), end))

    def scan(self) -> None:
        name, function = self.argument(), self.random.choice(FUNCTIONS)
        end = name
        for _ in range(self.random.choice((1, 1, 2))):
            end = self.emit(f"word.{function} {self.both(end, self.any())} : i32")
            if self.random.random() < 0.3:
                self.words.append(end)
        self.words.append(self.random.choice((name, end, end)))
        self.carried.append((name, self.first(), end))

    def previous(self) -> None:
        name = self.argument()
        self.carried.append((name, self.first(), self.any()))
        self.words.append(name)

    def best(self) -> None:
        key, new, predicate = self.argument(), self.any(), self.random.choice(PREDICATES)
        if_true = self.random.random() < 0.7
        holds = self.emit(f"word.cmp {predicate}, {new}, {key} : i32")
        end = self.select(holds, new, key, if_true)
        if if_true and self.random.random() < 0.3:
            end = self.emit(f"word.{EXTREMES[predicate[:2]]} {self.both(new, key)} : i32")
            self.chosen(holds, if_true)
        self.carried.append((key, self.first(), end))
        for _ in range(self.random.choice((0, 1, 2))):
            self.chosen(holds, if_true)

    def last(self) -> None:
        holds = self.emit(f"word.cmp ult, {self.any()}, {self.any()} : i32")
        for _ in range(self.random.choice((1, 2))):
            self.chosen(holds, self.random.random() < 0.7)

    def chosen(self, holds: str, if_true: bool) -> None:
        name = self.argument()
        value = self.random.choice(("%i", self.any()))
        self.carried.append((name, self.first(), self.select(holds, value, name, if_true)))

    def select(self, holds: str, new: str, old: str, if_true: bool) -> str:
        sides = f"{new}, {old}" if if_true else f"{old}, {new}"
        return self.emit(f"word.select {holds}, {sides} : i32")
