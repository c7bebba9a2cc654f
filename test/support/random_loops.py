"""Functions of the SSA level made of loop nests over arrays, at random as text.

For passes that change the order of iterations or of statements: subscripts are mostly affine in
the counters, loops follow each other and lie in each other, bounds are constants, arguments or
depend on counters outside, and there is little else than memory by which iterations depend on
each other. What executes is within its buffer and does not divide by zero; what a condition
keeps from executing may not be.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

from support.random_word import Case

SIZE = 256
BUFFERS = {"%a": str(SIZE), "%b": "?", "%c": str(SIZE)}
ARGUMENTS = {"%n": 5, "%m": 3}
"""Words that bounds use, with their values."""
BINARY = ("add", "sub", "mul", "xor", "and", "or", "minu", "maxs", "shl", "shru")
REDUCTIONS = ("add", "xor", "or", "minu", "maxs", "mul")
FAR = 1 << 28
"""Far outside of memory."""
MOST_ITERATIONS = 3000


@dataclass(frozen=True)
class Counter:
    """The counter of a loop, and its least and largest value."""

    name: str
    low: int
    last: int


def random_case(random: Random, *, statements: int = 12) -> Case:
    """A kernel of about `statements` statements besides loops, and arguments for it."""
    text = _Maker(random).make(statements)
    arrays = [[random.getrandbits(random.choice((3, 8, 32))) for _ in range(SIZE)] for _ in BUFFERS]
    return Case(text, [*arrays, *ARGUMENTS.values(), random.getrandbits(32)])


@dataclass
class _Maker:
    random: Random
    lines: list[str] = field(default_factory=list)
    names: int = 0
    words: list[str] = field(default_factory=lambda: ["%x", "%n"])
    """The words in scope."""
    counters: list[Counter] = field(default_factory=list)
    iterations: int = 1
    """How often what is made now executes at most."""
    left: int = 0
    """How many statements are still to be made."""

    def make(self, statements: int) -> str:
        self.left = statements
        while self.left > 0:
            self.nest()
        for name in self.words[-4:]:
            self.lines.append(f"word.trace_write {name}")
        parameters = ", ".join(f"{name}: !word.buffer<{size}>" for name, size in BUFFERS.items())
        types = ", ".join(f"memref<{size}xi32>" for size in BUFFERS.values())
        return "\n".join(
            [
                f"func.func @k({parameters}, %n: i32, %m: i32, %x: i32) "
                f"attributes {{vliw.signature = ({types}, i32, i32, i32) -> ()}} {{",
                *self.lines,
                "func.return",
                "}",
            ]
        )

    # Values

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def fresh(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def emit(self, text: str) -> str:
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        return name

    def define(self, text: str) -> str:
        name = self.emit(text)
        self.words.append(name)
        return name

    def constant(self, value: int) -> str:
        return self.emit(f"word.constant {value} : i32")

    def any(self) -> str:
        if self.counters and self.chance(0.2):
            return self.random.choice(self.counters).name
        if self.chance(0.1):
            return self.constant(self.random.choice((0, 1, 3, 7, -1, 32)))
        return self.random.choice(self.words[-6:])

    # Statements

    def statements(self, count: int) -> None:
        makers, weights = zip(
            (self.arithmetic, 3),
            (self.load, 3),
            (self.store, 3),
            (self.update, 3),
            (self.gather, 1),
            (self.divide, 1),
            (self.branch, 2),
            (self.nest, 4),
            strict=True,
        )
        for _ in range(count):
            self.left -= 1
            self.random.choices(makers, weights)[0]()

    def arithmetic(self) -> None:
        self.define(f"word.{self.random.choice(BINARY)} {self.any()}, {self.any()} : i32")

    def divide(self) -> None:
        one = self.constant(1)
        divisor = self.emit(f"word.or {self.any()}, {one} : i32")
        self.define(f"word.{self.random.choice(('divu', 'remu'))} {self.any()}, {divisor} : i32")

    def place(self, buffer: str) -> str:
        return f"{buffer}[{self.offset()}]"

    def offset(self) -> str:
        """An affine combination of counters within a buffer."""
        for _ in range(10):
            low = high = constant = 0
            chosen: list[tuple[str, int]] = []
            for counter in self.counters:
                if not self.chance(0.75):
                    continue
                factor = self.random.choice((1, 1, 1, 2, -1, 4, 8, 16))
                ends = factor * counter.low, factor * counter.last
                low, high = low + min(ends), high + max(ends)
                chosen.append((counter.name, factor))
            constant = self.random.randint(0, 5) - low
            if high + constant < SIZE:
                break
        else:
            return self.constant(self.random.randint(0, 7))
        offset = self.constant(constant)
        for name, factor in chosen:
            if factor != 1:
                name = self.emit(f"word.mul {name}, {self.constant(factor)} : i32")
            offset = self.emit(f"word.add {offset}, {name} : i32")
        return offset

    def load_from(self, place: str) -> str:
        size = BUFFERS[place.split("[")[0]]
        return self.emit(f"word.load {place} : !word.buffer<{size}> -> i32")

    def store_to(self, value: str, place: str) -> None:
        size = BUFFERS[place.split("[")[0]]
        self.lines.append(f"word.store {value}, {place} : i32, !word.buffer<{size}>")

    def buffer(self) -> str:
        return self.random.choice(tuple(BUFFERS))

    def load(self) -> None:
        self.words.append(self.load_from(self.place(self.buffer())))

    def store(self) -> None:
        self.store_to(self.any(), self.place(self.buffer()))

    def update(self) -> None:
        """Load a word, compute, and store it there or beside."""
        place = self.place(self.buffer())
        value = self.load_from(place)
        value = self.emit(f"word.{self.random.choice(REDUCTIONS)} {value}, {self.any()} : i32")
        if self.chance(0.2):
            place = self.place(place.split("[")[0])
        self.store_to(value, place)

    def gather(self) -> None:
        bound = self.constant(self.random.choice((1, 7, 255)))
        offset = self.emit(f"word.and {self.any()}, {bound} : i32")
        place = f"{self.buffer()}[{offset}]"
        if self.chance(0.3):
            self.store_to(self.any(), place)
        else:
            self.words.append(self.load_from(place))

    # Control flow

    @contextmanager
    def scope(self) -> Generator[list[str]]:
        """The lines made in the `with` block, apart."""
        outer, words = self.lines, list(self.words)
        self.lines = []
        yield self.lines
        self.lines, self.words = outer, words

    def branch(self) -> None:
        predicate = self.random.choice(("slt", "ult", "eq", "ne", "sge"))
        results = [self.fresh() for _ in range(self.random.choice((0, 0, 1, 2)))]
        kind = self.random.choice(("any", "any", "invariant", "division", "bounds"))
        left = self.random.choice(("%x", "%n", "%m")) if kind == "invariant" else self.any()
        right = self.constant(self.random.choice((0, 2, 4)))
        if kind == "division":
            predicate, right = "ne", self.constant(0)
        counter = self.random.choice(self.counters) if self.counters else None
        if kind == "bounds" and counter is not None:
            predicate, left, right = "eq", counter.name, self.constant(counter.low)
        word = self.emit(f"word.cmp {predicate}, {left}, {right} : i32")
        test = self.emit(f"word.test {word}")
        with self.scope() as then:
            if kind == "division":
                self.define(f"word.divu {self.any()}, {left} : i32")
            if kind == "bounds" and counter is not None:
                self.far(counter)
            self.statements(self.random.randint(0, 3))
            self.finish(results)
        with self.scope() as otherwise:
            self.statements(self.random.choice((0, 0, 1, 2)))
            self.finish(results)
        arrow = f" -> ({', '.join(['i32'] * len(results))})" if results else ""
        left = f"{', '.join(results)} = " if results else ""
        self.lines += [f"{left}scf.if {test}{arrow} {{", *then, "} else {", *otherwise, "}"]
        self.words += results

    def far(self, counter: Counter) -> None:
        """An access that only the least value of a counter leaves within memory."""
        low = self.constant(counter.low)
        distance = self.emit(f"word.sub {counter.name}, {low} : i32")
        offset = self.emit(f"word.mul {distance}, {self.constant(FAR)} : i32")
        place = f"{self.buffer()}[{offset}]"
        if self.chance(0.5):
            self.words.append(self.load_from(place))
        else:
            self.store_to(self.any(), place)

    def finish(self, results: Sequence[str]) -> None:
        if results:
            values = [self.any() for _ in results]
            self.lines.append(f"scf.yield {', '.join(values)} : {', '.join('i32' for _ in values)}")

    def nest(self) -> None:
        """A loop; often with another loop at once inside of it."""
        bounds = self.bounds()
        if self.iterations * bounds[3] > MOST_ITERATIONS or len(self.counters) == 4:
            return self.update()
        low, high, step, trips, counter = bounds
        outer = self.iterations, list(self.counters)
        self.iterations *= max(trips, 1)
        carried = [(self.fresh(), self.any()) for _ in range(self.random.choice((0, 0, 0, 1, 2)))]
        self.counters.append(counter)
        results = [self.fresh() for _ in carried]
        with self.scope() as body:
            if self.chance(0.4) and not carried:
                self.left -= 1
                self.nest()
            else:
                self.words += [name for name, _ in carried]
                self.statements(self.random.choice((1, 1, 2, 3, 4)))
            if carried:
                values = [self.carry(name) for name, _ in carried]
                self.lines.append(f"scf.yield {', '.join(values)} : {self.types(carried)}")
        self.iterations, self.counters = outer
        heading = f"scf.for {counter.name} = {low} to {high} step {step}"
        if carried:
            inits = ", ".join(f"{name} = {value}" for name, value in carried)
            heading = f"{', '.join(results)} = {heading} iter_args({inits})"
            heading += f" -> ({self.types(carried)})"
        self.lines += [f"{heading} : i32 {{", *body, "}"]
        self.words += results
        return None

    def types(self, values: Sequence[object]) -> str:
        return ", ".join("i32" for _ in values)

    def carry(self, name: str) -> str:
        """What becomes of a carried value: often a reduction."""
        if self.chance(0.6):
            return self.emit(f"word.{self.random.choice(REDUCTIONS)} {name}, {self.any()} : i32")
        return self.any()

    def bounds(self) -> tuple[str, str, str, int, Counter]:
        """Lower and upper bound, step, the most iterations, and the counter."""
        first = self.random.choice((0, 0, 0, 1, -2, 3))
        step = self.random.choice((1, 1, 1, 2, 3))
        kind = self.random.choice(("constant", "constant", "argument", "triangle"))
        low = self.constant(first)
        if kind == "triangle" and self.counters:
            outer = self.random.choice(self.counters)
            extra = self.random.randint(0, 2)
            high, end = (
                self.emit(f"word.add {outer.name}, {self.constant(extra)} : i32"),
                (outer.last + extra),
            )
        elif kind == "argument":
            high = self.random.choice(tuple(ARGUMENTS))
            end = ARGUMENTS[high]
        else:
            end = first + self.random.choice((0, 1, 2, 3, 4, 4, 5, 6, 8))
            high = self.constant(end)
        last = max(first, end - 1)
        trips = max(0, -(-(end - first) // step))
        return low, high, self.constant(step), trips, Counter(self.fresh(), first, last)
