"""Functions of the SSA level that are one loop without branches inside, at random as text.

For what overlaps iterations: values are handed on, exchanged and handed on twice, words are
stored and loaded a few iterations later, at known distances and at others, by the vector and by
the lane, and divisions are safe only in the iterations that take place. The loop runs as often as
an argument says, or until a word that it computes is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

SIZE = 512
BUFFERS = {"%a": f"{SIZE}", "%b": "?"}
FIRST = 96
"""Where subscripts begin, so that there are words before."""
MOST_TRIPS = 40
BINARY = ("add", "sub", "mul", "xor", "and", "or", "minu", "maxs", "shl", "shru", "ult", "eq")
WORD = "i32"


@dataclass
class LoopKernel:
    """A kernel whose arguments are two arrays, a number of iterations and two words."""

    text: str

    def arguments(self, random: Random, trips: int) -> list[int | list[int]]:
        arrays = [[random.getrandbits(random.choice((3, 32))) for _ in range(SIZE)] for _ in "ab"]
        return [*arrays, trips, random.getrandbits(32), random.getrandbits(4)]


def random_loop(random: Random, *, statements: int = 10, lanes: int = 8) -> LoopKernel:
    """A kernel with a loop of about `statements` statements."""
    return LoopKernel(_Maker(random, f"vector<{lanes}xi32>").make(statements))


@dataclass
class _Maker:
    random: Random
    vector: str
    lines: list[str] = field(default_factory=list)
    names: int = 0
    values: dict[str, list[str]] = field(default_factory=dict)
    """The values in scope, by type."""

    def make(self, statements: int) -> str:
        types = [self.type() for _ in range(self.random.choice((0, 1, 1, 2, 3)))]
        self.values = {WORD: ["%x", "%y"], self.vector: []}
        initial = [self.value(type) for type in types]
        before, self.lines = self.lines, []
        # Every carried value is in scope, the counter among them.
        counted = self.random.random() < 0.75
        self.values[WORD].append("%i")
        for number, type in enumerate(types):
            self.values[type].append(f"%c{number}")
        for _ in range(statements):
            self.statement()
        handed_on = [self.hand_on(number, type, types) for number, type in enumerate(types)]
        loop = self.counted if counted else self.until
        body = loop(self.lines, types, initial, handed_on)
        after = [
            f"word.trace_write %r{number} : i32"[: -len(" : i32")]
            if type == WORD
            else f"word.store %r{number}, %b[%y] : {type}, !word.buffer<?>"
            for number, type in enumerate(types)
        ]
        parameters = ", ".join(f"{name}: !word.buffer<{size}>" for name, size in BUFFERS.items())
        memrefs = ", ".join(f"memref<{size}xi32>" for size in BUFFERS.values())
        return "\n".join(
            [
                f"func.func @k({parameters}, %n: i32, %x: i32, %y: i32) attributes "
                f"{{vliw.signature = ({memrefs}, i32, i32, i32) -> ()}} {{",
                *(f"%k{k} = word.constant {k} : i32" for k in (0, 1, 2, 3, 7, 255)),
                f"%first = word.constant {FIRST} : i32",
                "%last = word.add %first, %n : i32",
                *before,
                *body,
                *after,
                "func.return",
                "}",
            ]
        )

    # The loop

    def counted(
        self,
        body: Sequence[str],
        types: Sequence[str],
        initial: Sequence[str],
        handed_on: Sequence[str],
    ) -> list[str]:
        heading = "scf.for %i = %first to %last step %k1"
        if not types:
            return [f"{heading} : i32 {{", *body, "}"]
        pairs = ", ".join(f"%c{number} = {value}" for number, value in enumerate(initial))
        results = ", ".join(f"%r{number}" for number in range(len(types)))
        text = ", ".join(types)
        return [
            f"{results} = {heading} iter_args({pairs}) -> ({text}) : i32 {{",
            *body,
            f"scf.yield {', '.join(handed_on)} : {text}",
            "}",
        ]

    def until(
        self,
        body: Sequence[str],
        types: Sequence[str],
        initial: Sequence[str],
        handed_on: Sequence[str],
    ) -> list[str]:
        """A loop that ends before its counter does if a word of memory is zero."""
        all_types = ", ".join([WORD, *types])
        pairs = ", ".join(
            ["%i0 = %first", *(f"%c{number}_ = {value}" for number, value in enumerate(initial))]
        )
        names = [f"%c{number}_" for number in range(len(types))]
        results = ", ".join(["%ri", *(f"%r{number}" for number in range(len(types)))])
        test = ["%differs = word.xor %i0, %last : i32", "%goes = word.test %differs"]
        if self.random.random() < 0.5:
            test = [
                "%less = word.cmp ult, %i0, %last : i32",
                "%word = word.load %b[%i0] : !word.buffer<?> -> i32",
                "%some = word.and %word, %k7 : i32",
                "%both = word.select %some, %less, %k0 : i32",
                "%goes = word.test %both",
            ]
        arguments = ", ".join(
            ["%i: i32", *(f"%c{number}: {type}" for number, type in enumerate(types))]
        )
        return [
            f"{results} = scf.while ({pairs}) : ({all_types}) -> ({all_types}) {{",
            *test,
            f"scf.condition(%goes) {', '.join(['%i0', *names])} : {all_types}",
            "} do {",
            f"^bb0({arguments}):",
            *body,
            "%next = word.add %i, %k1 : i32",
            f"scf.yield {', '.join(['%next', *handed_on])} : {all_types}",
            "}",
        ]

    def hand_on(self, number: int, type: str, types: Sequence[str]) -> str:
        """What a carried value becomes: computed, another carried value, or nothing new."""
        others = [f"%c{n}" for n, other in enumerate(types) if other == type]
        kind = self.random.random()
        if kind < 0.3:
            return self.random.choice(others)
        if kind < 0.6:
            name = self.random.choice(("add", "xor", "minu"))
            return self.define(type, f"word.{name} %c{number}, {self.value(type)} : {type}")
        return self.value(type)

    # Statements

    def statement(self) -> None:
        makers = (self.compute, self.load, self.store, self.update, self.gather, self.scatter)
        weights = (5, 4, 2, 2, 1, 1)
        extra = (self.divide, self.lane, self.select)
        self.random.choices([*makers, *extra], [*weights, 1, 2, 1])[0]()

    def type(self) -> str:
        return self.random.choice((WORD, WORD, self.vector))

    def define(self, type: str, text: str) -> str:
        self.names += 1
        name = f"%v{self.names}"
        self.lines.append(f"{name} = {text}")
        self.values[type].append(name)
        return name

    def value(self, type: str) -> str:
        if not self.values[type]:
            return self.define(type, f"word.broadcast {self.value(WORD)} : {type}")
        return self.random.choice(self.values[type][-8:])

    def place(self) -> tuple[str, str]:
        """A buffer and a subscript."""
        buffer = self.random.choice(tuple(BUFFERS))
        kind = self.random.random()
        offset = "%i"
        if kind < 0.15:
            offset = self.define(WORD, f"word.and {self.value(WORD)}, %k255 : i32")
        elif kind < 0.25:
            offset = self.random.choice(("%k0", "%k7", "%y", "%first"))
        elif kind < 0.35:
            offset = self.define(WORD, f"word.mul %i, {self.random.choice(('%k2', '%k3'))} : i32")
        elif kind < 0.45:
            offset = self.define(WORD, "word.sub %last, %i : i32")
        if self.random.random() < 0.6:
            distance = self.random.choice((-9, -8, -3, -2, -1, 1, 2, 3, 8))
            if kind < 0.25 or kind > 0.35:
                distance = abs(distance)
            constant = self.define(WORD, f"word.constant {distance} : i32")
            offset = self.define(WORD, f"word.add {offset}, {constant} : i32")
            self.values[WORD].remove(constant)
        return buffer, offset

    def compute(self) -> None:
        type = self.type()
        name = self.random.choice(BINARY)
        if name in ("ult", "eq"):
            return self.compare(type, name)
        self.define(type, f"word.{name} {self.value(type)}, {self.value(type)} : {type}")
        return None

    def compare(self, type: str, name: str) -> None:
        self.define(type, f"word.cmp {name}, {self.value(type)}, {self.value(type)} : {type}")

    def select(self) -> None:
        type = self.type()
        a, b, c = (self.value(type) for _ in range(3))
        name = self.random.choice(("select", "multiply_add"))
        self.define(type, f"word.{name} {a}, {b}, {c} : {type}")

    def load(self) -> None:
        type = self.type()
        self.load_from(type, *self.place())

    def load_from(self, type: str, buffer: str, offset: str) -> str:
        size = BUFFERS[buffer]
        return self.define(type, f"word.load {buffer}[{offset}] : !word.buffer<{size}> -> {type}")

    def store(self) -> None:
        type = self.type()
        self.store_to(type, self.value(type), *self.place())

    def store_to(self, type: str, value: str, buffer: str, offset: str) -> None:
        size = BUFFERS[buffer]
        self.lines.append(f"word.store {value}, {buffer}[{offset}] : {type}, !word.buffer<{size}>")

    def update(self) -> None:
        type = self.type()
        buffer, offset = self.place()
        value = self.load_from(type, buffer, offset)
        value = self.define(type, f"word.add {value}, {self.value(type)} : {type}")
        self.store_to(type, value, buffer, offset)

    def offsets(self) -> str:
        mask = self.define(self.vector, f"word.broadcast %k255 : {self.vector}")
        self.values[self.vector].remove(mask)
        value = self.value(self.vector)
        return self.define(self.vector, f"word.and {value}, {mask} : {self.vector}")

    def gather(self) -> None:
        buffer = self.random.choice(tuple(BUFFERS))
        offsets = self.offsets()
        self.define(
            self.vector,
            f"word.gather {buffer}[{offsets}] : !word.buffer<{BUFFERS[buffer]}> -> {self.vector}",
        )

    def scatter(self) -> None:
        buffer = self.random.choice(tuple(BUFFERS))
        offsets, value = self.offsets(), self.value(self.vector)
        self.lines.append(
            f"word.scatter {value}, {buffer}[{offsets}] : "
            f"{self.vector}, !word.buffer<{BUFFERS[buffer]}>"
        )

    def divide(self) -> None:
        """By a number that is not zero as long as the loop goes on."""
        divisor = self.define(WORD, "word.sub %last, %i : i32")
        name = self.random.choice(("divu", "remu"))
        self.define(WORD, f"word.{name} {self.value(WORD)}, {divisor} : i32")

    def lane(self) -> None:
        lane = self.random.randrange(8)
        vector = self.value(self.vector)
        if self.random.random() < 0.5:
            self.define(WORD, f"word.extract {vector}[{lane}] : {self.vector}")
        else:
            element = self.value(WORD)
            self.define(self.vector, f"word.insert {element}, {vector}[{lane}] : {self.vector}")
