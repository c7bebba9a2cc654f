"""Straight-line code at random in which vectors of one array overlap, as text.

Loads and stores of words and vectors lie at few places, at constant distances from each other, so
that most of what is loaded was loaded or stored before, in other vectors.
"""

from __future__ import annotations

from random import Random

from support.random_word import Case

WORDS = 40
"""Words of each array."""
LENGTHS = (0, 4, 8, 8, 8, 16)
"""Lanes of what is accessed, 0 for a word."""
MOST_SHIFT = 3
"""The offsets with a variable part are at most so much larger than they look."""


def random_case(random: Random, *, statements: int = 30) -> Case:
    """A kernel on two arrays and a number of which only the low bits are used."""
    text = _Maker(random).make(statements)
    arrays = [[random.getrandbits(32) for _ in range(WORDS)] for _ in range(2)]
    return Case(text, [*arrays, random.getrandbits(32)])


def _type(lanes: int) -> str:
    return f"vector<{lanes}xi32>" if lanes else "i32"


class _Maker:
    def __init__(self, random: Random):
        self.random = random
        self.lines: list[str] = []
        self.values: dict[int, list[str]] = {0: ["%x"]}
        """Names in scope, by lanes."""
        self.count = 0

    def make(self, statements: int) -> str:
        mask = self.define(f"word.constant {MOST_SHIFT} : i32")
        self.lines.append(f"%n = word.and %x, {mask} : i32")
        self.statements(statements, depth=0)
        for lanes, names in self.values.items():
            for name in names[-3:]:
                self.observe(name, lanes)
        signature = f"(memref<{WORDS}xi32>, memref<{WORDS}xi32>, i32) -> ()"
        return "\n".join(
            [
                f"func.func @k(%a: !word.buffer<{WORDS}>, %b: !word.buffer<{WORDS}>, %x: i32) "
                f"attributes {{vliw.signature = {signature}}} {{",
                *self.lines,
                "func.return",
                "}",
            ]
        )

    def statements(self, count: int, depth: int) -> None:
        kinds = [(self.load, 10), (self.store, 5), (self.compute, 4), (self.scatter, 0.2)]
        kinds += [(self.pause, 0.2)]
        makers, weights = zip(*kinds, strict=True)
        for _ in range(count):
            if depth == 0 and self.random.random() < 0.04:
                self.branch()
            self.random.choices(makers, weights)[0]()

    def define(self, text: str, lanes: int | None = None) -> str:
        """A new value, which others may use if its lanes are given."""
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"{name} = {text}")
        if lanes is not None:
            self.values.setdefault(lanes, []).append(name)
        return name

    def value(self, lanes: int) -> str:
        known = self.values.get(lanes)
        if known:
            return known[max(self.random.randrange(len(known)) for _ in range(2))]
        return self.define(f"word.broadcast %x : {_type(lanes)}", lanes)

    def place(self, lanes: int) -> str:
        buffer = self.random.choice(("%a", "%a", "%b"))
        room = WORDS - max(lanes, 1)
        if self.random.random() < 0.3:
            number = self.random.randint(0, room - MOST_SHIFT)
            constant = self.define(f"word.constant {number} : i32")
            return f"{buffer}[{self.define(f'word.add %n, {constant} : i32')}]"
        # Near the end there may be nothing behind.
        number = room if self.random.random() < 0.1 else self.random.randint(0, room)
        return f"{buffer}[{self.define(f'word.constant {number} : i32')}]"

    def load(self) -> None:
        lanes = self.random.choice(LENGTHS)
        place = self.place(lanes)
        self.define(f"word.load {place} : !word.buffer<{WORDS}> -> {_type(lanes)}", lanes)

    def store(self) -> None:
        lanes = self.random.choice(LENGTHS)
        value, place = self.value(lanes), self.place(lanes)
        self.lines.append(f"word.store {value}, {place} : {_type(lanes)}, !word.buffer<{WORDS}>")

    def compute(self) -> None:
        lanes = self.random.choice(LENGTHS)
        function = self.random.choice(("add", "xor", "mul"))
        operands = f"{self.value(lanes)}, {self.value(lanes)}"
        self.define(f"word.{function} {operands} : {_type(lanes)}", lanes)

    def observe(self, name: str, lanes: int) -> None:
        for lane in {0, lanes - 1} if lanes else ():
            word = self.define(f"word.extract {name}[{lane}] : {_type(lanes)}")
            self.lines.append(f"word.trace_write {word}")

    def scatter(self) -> None:
        three = self.define(f"word.constant dense<{MOST_SHIFT}> : {_type(4)}")
        offsets = self.define(f"word.and {self.value(4)}, {three} : {_type(4)}")
        self.lines.append(
            f"word.scatter {self.value(4)}, %a[{offsets}] : {_type(4)}, !word.buffer<{WORDS}>"
        )

    def pause(self) -> None:
        self.lines.append("word.pause")

    def branch(self) -> None:
        outer = {lanes: list(names) for lanes, names in self.values.items()}
        self.lines.append(f"scf.if {self.define('word.test %n')} {{")
        self.statements(5, depth=1)
        self.lines.append("}")
        self.values = outer
