"""Functions of the SSA level, made at random as text.

They end, do not trap, and do not read memory that nothing has written. What they leave behind
depends on all that they compute: most values end up in memory, in the trace or in a result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from vliw_mlir.semantics import COMPARISONS, FUNCTIONS

EDGES = (0, 1, 2, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)
BUFFER_WORDS = 64
OFFSET_MASK = 31
"""An offset below 32 leaves room for the longest vector in any buffer."""
MAX_LANES = 20
SUBBUFFER_MASK = 7

Typed: TypeAlias = tuple[str, str]
"""The name of a value and its type."""

WORD = "i32"


def vector(lanes: int) -> str:
    return f"vector<{lanes}xi32>"


def lanes_of(type: str) -> int:
    """Lanes of a vector type, 0 for a word."""
    return int(type[7:-5]) if type.startswith("vector") else 0


@dataclass(frozen=True)
class Case:
    """A kernel with arguments to run it on."""

    text: str
    args: list[int | list[int]]


def random_case(
    random: Random, *, statements: int = 25, lengths: tuple[int, ...] = (1, 4, 5, 8, 16, 19)
) -> Case:
    """A kernel of about `statements` ops, over vectors of the given lengths.

    It takes two memrefs of 64 words and three scalars, and returns two words.
    """
    maker = _Maker(random, lengths)
    text = maker.make(statements)
    words = [
        random.choice(EDGES) if random.random() < 0.3 else random.getrandbits(32)
        for _ in range(2 * BUFFER_WORDS + 3)
    ]
    arrays = [words[:BUFFER_WORDS], words[BUFFER_WORDS : 2 * BUFFER_WORDS]]
    return Case(text, [*arrays, *words[2 * BUFFER_WORDS :]])


class _Maker:
    def __init__(self, random: Random, lengths: tuple[int, ...]):
        self.random = random
        self.lengths = lengths
        self.lines: list[str] = []
        self.names = 0
        self.values: dict[str, list[str]] = {WORD: ["%x", "%y", "%z"]}
        """The names in scope, by type."""
        self.buffers: list[tuple[str, str]] = [("%a", "64"), ("%b", "64")]
        """Name and size of the buffers in scope."""
        self.depth = 0

    def make(self, statements: int) -> str:
        self.statements(statements)
        self.observe()
        results = [self.any(WORD), self.any(WORD)]
        signature = "(memref<64xi32>, memref<64xi32>, i32, i32, i32) -> (i32, i32)"
        return "\n".join(
            [
                "func.func @k(%a: !word.buffer<64>, %b: !word.buffer<64>, %x: i32, %y: i32, "
                f"%z: i32) -> (i32, i32) attributes {{vliw.signature = {signature}}} {{",
                *self.lines,
                f"func.return {', '.join(results)} : i32, i32",
                "}",
            ]
        )

    def observe(self) -> None:
        """Put into the trace what the values in scope are."""
        for name in self.values[WORD][-20:]:
            self.lines.append(f"word.trace_write {name}")
        for type, names in list(self.values.items()):
            for name in names[-4:] if lanes_of(type) else ():
                lane = self.random.randrange(lanes_of(type))
                word = self.define(WORD, f"word.extract {name}[{lane}] : {type}")
                self.lines.append(f"word.trace_write {word}")

    # Values

    def fresh(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def define(self, type: str, text: str) -> str:
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        self.values.setdefault(type, []).append(name)
        return name

    def any(self, type: str) -> str:
        """A value of a type, the latest most likely; a new constant when there is none."""
        known = self.values.get(type)
        if not known or self.random.random() < 0.05:
            return self.constant(type)
        return known[max(self.random.randrange(len(known)), self.random.randrange(len(known)))]

    def constant(self, type: str) -> str:
        if type == WORD:
            return self.define(type, f"word.constant {self.some_word()} : i32")
        lanes = lanes_of(type)
        if self.random.random() < 0.3:
            items = [self.some_word()] * lanes
        else:
            items = [self.some_word() for _ in range(lanes)]
        return self.define(type, f"word.constant dense<{items}> : {type}")

    def splat(self, type: str, word: int) -> str:
        """A value that is all `word`, for one use."""
        name = self.fresh()
        text = f"dense<{word}> : {type}" if lanes_of(type) else f"{word} : i32"
        self.lines.append(f"{name} = word.constant {text}")
        return name

    def some_word(self) -> int:
        if self.random.random() < 0.6:
            return self.random.choice(EDGES)
        return self.random.getrandbits(32)

    def type(self) -> str:
        return WORD if self.random.random() < 0.5 else self.vector_type()

    def vector_type(self) -> str:
        return vector(self.random.choice(self.lengths))

    # Statements

    def statements(self, count: int) -> None:
        kinds = [
            (self.arithmetic, 18),
            (self.lanes, 5),
            (self.load, 4),
            (self.store, 4),
            (self.gather, 2),
            (self.scatter, 2),
            (self.buffer, 2),
            (self.trace, 2),
            (self.compare, 1),
        ]
        if self.depth < 3:
            kinds += [(self.if_, 2), (self.for_, 2), (self.while_, 1), (self.execute_region, 1)]
        makers, weights = zip(*kinds, strict=True)
        for _ in range(count):
            self.random.choices(makers, weights)[0]()

    def arithmetic(self) -> None:
        type = self.type()
        name = self.random.choice([*FUNCTIONS, "add", "mul", "xor", "select", "multiply_add"])
        operands = [self.any(type) for _ in range(FUNCTIONS[name].arity)]
        if FUNCTIONS[name].traps:
            one = self.splat(type, 1)
            operands[1] = self.define(type, f"word.or {operands[1]}, {one} : {type}")
        op = f"cmp {name}," if name in COMPARISONS else name
        self.define(type, f"word.{op} {', '.join(operands)} : {type}")

    def lanes(self) -> None:
        type = self.vector_type()
        lanes = lanes_of(type)
        lane = self.random.randrange(lanes)
        match self.random.randrange(6):
            case 0:
                self.define(type, f"word.broadcast {self.any(WORD)} : {type}")
            case 1:
                items = ", ".join(self.any(WORD) for _ in range(lanes))
                self.define(type, f"word.from_elements {items} : {type}")
            case 2:
                self.define(WORD, f"word.extract {self.any(type)}[{lane}] : {type}")
            case 3:
                types = [self.type() for _ in range(self.random.randint(1, 4))]
                parts = ", ".join([self.any(t) for t in types])
                whole = vector(sum(max(lanes_of(t), 1) for t in types))
                self.define(whole, f"word.concat {parts} : {', '.join(types)} -> {whole}")
            case 4:
                wider = [t for t in self.values if lanes_of(t) >= lanes]
                whole = self.random.choice(wider) if wider else type
                start = self.random.randint(0, lanes_of(whole) - lanes)
                value = self.any(whole)
                self.define(type, f"word.slice {value}[{start}] : {whole} -> {type}")
            case _:
                element, into = self.any(WORD), self.any(type)
                self.define(type, f"word.insert {element}, {into}[{lane}] : {type}")

    def offset(self, type: str = WORD, mask: int = OFFSET_MASK) -> str:
        bound = self.splat(type, mask)
        return self.define(type, f"word.and {self.any(type)}, {bound} : {type}")

    def place(self, buffer: str, size: str, type: str = WORD) -> str:
        """The subscript of an access, with the keyword `absolute` or not."""
        offset = self.offset(type)
        if self.random.random() < 0.7:
            return f"{buffer}[{offset}]"
        base = self.fresh()
        self.lines.append(f"{base} = word.address {buffer} : !word.buffer<{size}>")
        if type != WORD:
            self.lines.append(f"{base}v = word.broadcast {base} : {type}")
            base += "v"
        # Addresses stay out of `values`: they are the only words that may differ between levels.
        self.lines.append(f"{base}o = word.add {base}, {offset} : {type}")
        return f"{buffer}[{base}o] absolute"

    def load(self) -> None:
        type = self.type()
        buffer, size = self.random.choice(self.buffers)
        place = self.place(buffer, size)
        self.define(type, f"word.load {place} : !word.buffer<{size}> -> {type}")

    def store(self) -> None:
        type = self.type()
        buffer, size = self.random.choice(self.buffers)
        value, place = self.any(type), self.place(buffer, size)
        self.lines.append(f"word.store {value}, {place} : {type}, !word.buffer<{size}>")

    def gather(self) -> None:
        type = self.vector_type()
        buffer, size = self.random.choice(self.buffers)
        place = self.place(buffer, size, type)
        self.define(type, f"word.gather {place} : !word.buffer<{size}> -> {type}")

    def scatter(self) -> None:
        type = self.vector_type()
        buffer, size = self.random.choice(self.buffers)
        value, place = self.any(type), self.place(buffer, size, type)
        self.lines.append(f"word.scatter {value}, {place} : {type}, !word.buffer<{size}>")

    def buffer(self) -> None:
        name = self.fresh()
        if self.random.random() < 0.5:
            # Whoever slices a slice of a slice still finds the longest vector within.
            buffer, size = self.random.choice(self.buffers[:2])
            offset = self.offset(mask=SUBBUFFER_MASK)
            self.lines.append(
                f"{name} = word.subbuffer {buffer}[{offset}] : !word.buffer<{size}> "
                "to !word.buffer<?>"
            )
            self.buffers.append((name, "?"))
            return
        size = OFFSET_MASK + MAX_LANES
        items = [self.some_word() for _ in range(size)]
        self.lines.append(
            f"{name} = word.alloc init dense<{items}> : vector<{size}xi32> : !word.buffer<{size}>"
        )
        self.buffers.append((name, str(size)))

    def trace(self) -> None:
        self.lines.append(f"word.trace_write {self.any(WORD)}")

    def compare(self) -> None:
        type = self.type()
        keys = ", ".join(f'"{n}"' for n in range(max(lanes_of(type), 1)))
        self.lines.append(f"word.compare {self.any(type)}, [{keys}] : {type}")

    # Control flow

    def region(self, types: list[str], *args: Typed) -> tuple[list[str], list[str]]:
        """The lines of a region with `args` in scope, and values of `types` for it to yield."""
        outer = self.lines, {t: list(names) for t, names in self.values.items()}, self.buffers[:]
        self.lines = []
        self.depth += 1
        self.publish(args)
        self.statements(self.random.randint(0, 5))
        yielded = [self.yielded(type, [name for name, t in args if t == type]) for type in types]
        self.depth -= 1
        inner = self.lines
        self.lines, self.values, self.buffers = outer
        return inner, yielded

    def yielded(self, type: str, arguments: list[str]) -> str:
        """Often one of the region's own arguments, so that loops rotate their values."""
        if arguments and self.random.random() < 0.4:
            return self.random.choice(arguments)
        return self.any(type)

    def types(self) -> list[str]:
        return [self.type() for _ in range(self.random.randint(0, 4))]

    def typed(self, types: Sequence[str]) -> list[Typed]:
        """New names of the given types."""
        return [(self.fresh(), type) for type in types]

    def publish(self, values: Sequence[Typed]) -> None:
        for name, type in values:
            self.values.setdefault(type, []).append(name)

    def condition(self) -> str:
        word = self.any(WORD)
        if self.random.random() < 0.5:
            predicate = self.random.choice(COMPARISONS)
            word = self.define(WORD, f"word.cmp {predicate}, {word}, {self.any(WORD)} : i32")
        name = self.fresh()
        self.lines.append(f"{name} = word.test {word}")
        return name

    def if_(self) -> None:
        types = self.types()
        condition = self.condition()
        results = self.typed(types)
        then, then_values = self.region(types)
        otherwise, else_values = self.region(types)
        self.lines += [
            f"{_left(results)}scf.if {condition}{_arrow(types)} {{",
            *then,
            *_yield(then_values, types),
            "} else {",
            *otherwise,
            *_yield(else_values, types),
            "}",
        ]
        self.publish(results)

    def for_(self) -> None:
        types = self.types()
        low = self.splat(WORD, self.random.choice((0, 1, 5, 0xFFFFFFFE, 0x80000000)))
        count = self.offset(mask=3)
        high = self.define(WORD, f"word.add {low}, {count} : i32")
        step = self.splat(WORD, self.random.choice((1, 1, 2, 3)))
        results, carried = self.typed(types), self.typed(types)
        inits = ", ".join(f"{name} = {self.any(type)}" for name, type in carried)
        counter = self.fresh()
        body, values = self.region(types, (counter, WORD), *carried)
        heading = f" iter_args({inits}){_arrow(types)}" if types else ""
        self.lines += [
            f"{_left(results)}scf.for {counter} = {low} to {high} step {step}{heading} : i32 {{",
            *body,
            *_yield(values, types),
            "}",
        ]
        self.publish(results)

    def while_(self) -> None:
        """Runs at most four times: the first of the values carried counts."""
        others = self.types()
        types = [WORD, *others]
        zero, limit, one = (self.splat(WORD, n) for n in (0, self.random.randint(0, 4), 1))
        results, before, after = self.typed(types), self.typed(types), self.typed(types)
        starts = [zero, *(self.any(type) for type in others)]
        inits = ", ".join(f"{name} = {v}" for (name, _), v in zip(before, starts, strict=True))
        check, passed = self.region(others, *before[1:])
        body, values = self.region(others, *after)
        test, next_count = self.fresh(), self.fresh()
        typing = ", ".join(types)
        self.lines += [
            f"{_left(results)}scf.while ({inits}) : ({typing}) -> ({typing}) {{",
            *check,
            f"{test}w = word.cmp ult, {before[0][0]}, {limit} : i32",
            f"{test} = word.test {test}w",
            f"scf.condition({test}) {', '.join([before[0][0], *passed])} : {typing}",
            "} do {",
            f"^bb0({', '.join(f'{name}: {type}' for name, type in after)}):",
            *body,
            f"{next_count} = word.add {after[0][0]}, {one} : i32",
            *_yield([next_count, *values], types),
            "}",
        ]
        self.publish(results)

    def execute_region(self) -> None:
        types = self.types()
        results = self.typed(types)
        body, values = self.region(types)
        self.lines += [
            f"{_left(results)}scf.execute_region{_arrow(types)} {{",
            *body,
            *(_yield(values, types) or ["scf.yield"]),
            "}",
        ]
        self.publish(results)


def _left(results: Sequence[Typed]) -> str:
    """The left side of an op with results."""
    return f"{', '.join(name for name, _ in results)} = " if results else ""


def _arrow(types: Sequence[str]) -> str:
    return f" -> ({', '.join(types)})" if types else ""


def _yield(values: Sequence[str], types: Sequence[str]) -> list[str]:
    return [f"scf.yield {', '.join(values)} : {', '.join(types)}"] if types else []
