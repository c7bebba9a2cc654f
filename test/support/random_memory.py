"""Functions of the SSA level that access memory at few places, again and again.

Made at random as text, for passes that move, merge or remove loads and stores. Offsets are sums
of counters, constants and masked words, so that many accesses go to the same words or to
neighbouring ones. All that executes is within its buffer; what never executes may not be.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from random import Random

from support.random_word import Case, vector

BUFFERS = {"%a": ("64", 64), "%b": ("?", 64), "%t": ("16", 16), "%u": ("12", 12)}
"""Type and size of the buffers: two arguments and two allocations."""
LENGTHS = (4, 8, 2, 1)
FAR = 1 << 30
"""Far outside of memory."""


def random_case(random: Random, *, statements: int = 20) -> Case:
    """A kernel of about `statements` memory accesses in loops and branches.

    It takes two memrefs of 64 words and four scalars, of which the last is 0.
    """
    text = _Maker(random).make(statements)
    arrays = [[random.getrandbits(random.choice((2, 32))) for _ in range(64)] for _ in range(2)]
    scalars = [random.randrange(4), random.randrange(7), random.getrandbits(32), 0]
    return Case(text, [*arrays, *scalars])


class _Maker:
    def __init__(self, random: Random):
        self.random = random
        self.lines: list[str] = []
        self.names = 0
        self.words = ["%n", "%m", "%x"]
        """The words in scope."""
        self.small = {"%n": 3, "%m": 6}
        """The words in scope of which the largest value is known, with that value."""
        self.vectors: dict[int, list[str]] = {}
        self.buffers = {"%a": 64, "%b": 64}
        """The buffers in scope, with their size."""
        self.plain = random.choice(((), (), ("%t",), ("%t", "%u")))
        """Buffers that are only accessed at constant offsets."""
        self.depth = 0
        self.never = False
        """Whether what is made now does not execute."""

    def make(self, statements: int) -> str:
        self.allocate("%t")
        self.allocate("%u")
        self.statements(statements)
        for name in self.words[-12:]:
            self.lines.append(f"word.trace_write {name}")
        for buffer in ("%t", "%u"):
            offset = self.constant(self.random.randrange(8))
            self.lines.append(f"word.trace_write {self.load_from(buffer, offset, 0)}")
        signature = "(memref<64xi32>, memref<64xi32>, i32, i32, i32, i32) -> ()"
        return "\n".join(
            [
                "func.func @k(%a: !word.buffer<64>, %b: !word.buffer<?>, "
                "%n: i32 {vliw.range = array<i32: 0, 3>}, %m: i32, %x: i32, %zero: i32) "
                f"attributes {{vliw.signature = {signature}}} {{",
                *self.lines,
                "func.return",
                "}",
            ]
        )

    # Values

    def fresh(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def define(self, text: str) -> str:
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        return name

    def constant(self, value: int) -> str:
        return self.define(f"word.constant {value} : i32")

    def word(self) -> str:
        return self.random.choice(self.words[-6:])

    def value(self, lanes: int) -> str:
        """A word, or a vector if there are lanes."""
        if not lanes:
            return self.word()
        known = self.vectors.get(lanes)
        if known and self.random.random() < 0.7:
            return self.random.choice(known[-4:])
        if self.random.random() < 0.5:
            return self.define(f"word.broadcast {self.word()} : {vector(lanes)}")
        elements = ", ".join(self.word() for _ in range(lanes))
        return self.define(f"word.from_elements {elements} : {vector(lanes)}")

    def use(self, value: str, lanes: int) -> None:
        """Put a value in scope."""
        if lanes:
            self.vectors.setdefault(lanes, []).append(value)
        else:
            self.words.append(value)

    def offset(self, most: int) -> str:
        """A word of at most `most`."""
        if self.never and self.random.random() < 0.5:
            return self.constant(FAR)
        fitting = [name for name, largest in self.small.items() if largest <= most]
        kind = self.random.random()
        if kind < 0.3 or not fitting:
            return self.constant(self.random.randrange(min(most, 9) + 1))
        if kind < 0.4:
            mask = self.constant((1 << (most + 1).bit_length() - 1) - 1)
            return self.define(f"word.and {self.word()}, {mask} : i32")
        name = self.random.choice(fitting)
        room = most - self.small[name]
        if kind < 0.55:
            return name
        if kind < 0.7 and 4 * self.small[name] <= most:
            four = self.constant(4)
            scaled = self.define(f"word.mul {name}, {four} : i32")
            room = most - 4 * self.small[name]
            name = scaled
        offset = self.constant(self.random.randrange(min(room, 5) + 1))
        return self.define(f"word.add {name}, {offset} : i32")

    # Statements

    def statements(self, count: int) -> None:
        kinds = [(self.load, 8), (self.store, 8), (self.compute, 5), (self.gather, 1)]
        kinds += [
            (self.scatter, 1),
            (self.update, 6),
            (self.burst, 1.5),
            (self.pause, 0.2),
            (self.slice, 0.7),
        ]
        if self.depth < 4:
            kinds += [
                (self.for_, 4),
                (self.recurrence, 1.5),
                (self.if_, 3),
                (self.while_, 1),
                (self.once, 0.5),
            ]
        makers, weights = zip(*kinds, strict=True)
        while count > 0:
            before = len(self.lines)
            self.random.choices(makers, weights)[0]()
            count -= max(1, (len(self.lines) - before) // 5)

    def allocate(self, name: str) -> None:
        type, size = BUFFERS[name]
        words = [self.random.randrange(100) for _ in range(size)]
        init = f"init dense<{words}> : vector<{size}xi32>" if self.random.random() < 0.5 else ""
        self.lines.append(f"{name} = word.alloc {init} : !word.buffer<{type}>")
        if not init:
            for first in range(0, size, 4):
                four, offset = self.value(4), self.constant(first)
                self.lines.append(
                    f"word.store {four}, {name}[{offset}] : {vector(4)}, !word.buffer<{type}>"
                )
        self.buffers[name] = size

    def type_of(self, buffer: str) -> str:
        return f"!word.buffer<{BUFFERS[buffer][0] if buffer in BUFFERS else '?'}>"

    def access(self) -> tuple[str, str, int]:
        """A buffer, an offset, and lanes or 0."""
        buffer = self.random.choice(list(self.buffers))
        lanes = self.random.choice(LENGTHS) if self.random.random() < 0.3 else 0
        most = self.buffers[buffer] - max(lanes, 1)
        if buffer in self.plain:
            return buffer, self.constant(self.random.randrange(min(most, 9) + 1)), lanes
        return buffer, self.offset(most), lanes

    def place(self, buffer: str, offset: str) -> str:
        """The subscript of an access, with the keyword `absolute` or not."""
        if self.random.random() < 0.9 or buffer in self.plain:
            return f"{buffer}[{offset}]"
        base = self.define(f"word.address {buffer} : {self.type_of(buffer)}")
        return f"{buffer}[{self.define(f'word.add {base}, {offset} : i32')}] absolute"

    def load_from(self, buffer: str, offset: str, lanes: int) -> str:
        type = vector(lanes) if lanes else "i32"
        place = self.place(buffer, offset)
        return self.define(f"word.load {place} : {self.type_of(buffer)} -> {type}")

    def store_to(self, buffer: str, offset: str, lanes: int, value: str) -> None:
        type = vector(lanes) if lanes else "i32"
        place = self.place(buffer, offset)
        self.lines.append(f"word.store {value}, {place} : {type}, {self.type_of(buffer)}")

    def load(self) -> None:
        buffer, offset, lanes = self.access()
        self.use(self.load_from(buffer, offset, lanes), lanes)

    def store(self) -> None:
        buffer, offset, lanes = self.access()
        self.store_to(buffer, offset, lanes, self.value(lanes))

    def update(self) -> None:
        """Load, compute and store at the same place."""
        buffer, offset, lanes = self.access()
        old = self.load_from(buffer, offset, lanes)
        type = vector(lanes) if lanes else "i32"
        new = self.define(f"word.add {old}, {self.value(lanes)} : {type}")
        self.use(new, lanes)
        self.store_to(buffer, offset, lanes, new)

    def burst(self) -> None:
        """Access neighbouring words one after the other."""
        buffer = self.random.choice([b for b in self.buffers if b not in self.plain])
        base = self.offset(self.buffers[buffer] - 10)
        numbers = list(range(self.random.choice((3, 8, 9, 10))))
        if self.random.random() < 0.3:
            self.random.shuffle(numbers)
        kinds = self.random.choice((("load",), ("store",), ("store",), ("load", "store")))
        for number in numbers:
            offset = self.define(f"word.add {base}, {self.constant(number)} : i32")
            if "load" in kinds:
                self.use(self.load_from(buffer, offset, 0), 0)
            if "store" in kinds:
                self.store_to(buffer, offset, 0, self.word())
            if self.random.random() < 0.04:
                self.random.choice((self.load, self.store, self.gather, self.scatter))()

    def compute(self) -> None:
        if self.vectors and self.random.random() < 0.4:
            lanes = self.random.choice(list(self.vectors))
            source, lane = self.random.choice(self.vectors[lanes]), self.random.randrange(lanes)
            self.use(self.define(f"word.extract {source}[{lane}] : {vector(lanes)}"), 0)
            return
        op = self.random.choice(("add", "xor", "mul", "sub"))
        self.use(self.define(f"word.{op} {self.word()}, {self.word()} : i32"), 0)

    def gather(self) -> None:
        buffer, offsets = self.vector_access()
        self.use(
            self.define(f"word.gather {buffer}[{offsets}] : {self.type_of(buffer)} -> {vector(4)}"),
            4,
        )

    def scatter(self) -> None:
        buffer, offsets = self.vector_access()
        self.lines.append(
            f"word.scatter {self.value(4)}, {buffer}[{offsets}] : {vector(4)}, "
            f"{self.type_of(buffer)}"
        )

    def vector_access(self) -> tuple[str, str]:
        buffer = self.random.choice([b for b in self.buffers if b not in self.plain])
        offsets = ", ".join(self.offset(self.buffers[buffer] - 1) for _ in range(4))
        return buffer, self.define(f"word.from_elements {offsets} : {vector(4)}")

    def pause(self) -> None:
        self.lines.append("word.pause")

    def slice(self) -> None:
        buffer = self.random.choice(("%a", "%b"))
        name, start = self.fresh(), self.offset(20)
        self.lines.append(
            f"{name} = word.subbuffer {buffer}[{start}] : {self.type_of(buffer)} to !word.buffer<?>"
        )
        self.buffers[name] = 40

    # Control flow

    @contextmanager
    def scope(self, count: int) -> Generator[None]:
        """A region of about `count` statements, made when the body of the `with` is over."""
        outer = self.words, self.small, self.vectors, self.buffers, self.never
        self.words, self.small = [*self.words], {**self.small}
        self.vectors = {lanes: [*names] for lanes, names in self.vectors.items()}
        self.buffers = {**self.buffers}
        self.depth += 1
        yield
        self.statements(count)
        self.depth -= 1
        self.words, self.small, self.vectors, self.buffers, self.never = outer

    def size(self) -> int:
        return self.random.randint(1, 6)

    def condition(self) -> str:
        mask = self.constant(1)
        return self.define(f"word.test {self.define(f'word.and {self.word()}, {mask} : i32')}")

    def for_(self) -> None:
        low, one = self.constant(0), self.constant(self.random.choice((1, 1, 2)))
        most = self.random.randint(1, 4)
        never = self.random.random() < 0.15
        if never:
            high = "%zero"
        elif self.random.random() < 0.6:
            high = self.constant(most)
        else:
            high, most = self.random.choice(list(self.small.items()))
        counter, carried, result = self.fresh(), self.fresh(), self.fresh()
        self.lines.append(
            f"{result} = scf.for {counter} = {low} to {high} step {one} "
            f"iter_args({carried} = {self.word()}) -> (i32) : i32 {{"
        )
        with self.scope(self.size()):
            self.never = self.never or never
            self.words += [counter, carried]
            self.small[counter] = max(most - 1, 0)
        self.lines += [f"scf.yield {carried} : i32", "}"]
        self.use(result, 0)

    def recurrence(self) -> None:
        """A loop in which iterations load what others store, or not quite."""
        buffer = self.random.choice(("%a", "%b"))
        low, step = (
            self.constant(self.random.randrange(3)),
            self.constant(self.random.choice((1, 1, 2))),
        )
        high = self.random.choice(("%m", "%m", "%zero", self.constant(self.random.randint(2, 7))))
        first = FAR if self.never or high == "%zero" else 0
        counter = self.fresh()
        self.lines.append(f"scf.for {counter} = {low} to {high} step {step} : i32 {{")
        with self.scope(0):
            self.words.append(counter)
            self.small[counter] = 6
            factor = self.constant(self.random.choice((1, 1, 1, 2, 4)))
            scaled = self.define(f"word.mul {counter}, {factor} : i32")
            for _ in range(self.random.randint(2, 5)):
                number = self.constant(first + self.random.randrange(8))
                offset = self.define(f"word.add {scaled}, {number} : i32")
                if self.random.random() < 0.6:
                    self.use(self.load_from(buffer, offset, 0), 0)
                else:
                    self.store_to(buffer, offset, 0, self.word())
                if self.random.random() < 0.15:
                    self.random.choice((self.store, self.compute, self.if_, self.update))()
        self.lines.append("}")

    def if_(self) -> None:
        never = self.random.random() < 0.2
        condition = self.define("word.test %zero") if never else self.condition()
        self.lines.append(f"scf.if {condition} {{")
        with self.scope(self.size()):
            self.never = self.never or never
        if self.random.random() < 0.6:
            self.lines.append("} else {")
            with self.scope(self.size()):
                pass
        self.lines.append("}")

    def while_(self) -> None:
        zero, one, limit = (
            self.constant(0),
            self.constant(1),
            self.constant(self.random.randrange(4)),
        )
        before, after, result = self.fresh(), self.fresh(), self.fresh()
        self.lines.append(f"{result} = scf.while ({before} = {zero}) : (i32) -> i32 {{")
        with self.scope(self.random.randrange(3)):
            self.words.append(before)
            self.small[before] = 4
        more = self.define(f"word.test {self.define(f'word.cmp ult, {before}, {limit} : i32')}")
        self.lines += [f"scf.condition({more}) {before} : i32", "} do {", f"^bb0({after}: i32):"]
        with self.scope(self.size()):
            self.words.append(after)
            self.small[after] = 3
        following = self.define(f"word.add {after}, {one} : i32")
        self.lines += [f"scf.yield {following} : i32", "}"]
        self.use(result, 0)

    def once(self) -> None:
        self.lines.append("scf.execute_region {")
        with self.scope(self.size()):
            pass
        self.lines += ["scf.yield", "}"]
