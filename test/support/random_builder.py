"""Making random programs op by op: what is in scope, and what is known about it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeAlias, TypeVar

from support.random_ast import (
    I1,
    I8,
    I16,
    I32,
    INDEX,
    Block,
    Function,
    Global,
    Int,
    Mem,
    Op,
    Region,
    Type,
    Value,
    Vec,
    memref_of,
)

T = TypeVar("T")

EDGE_WORDS = (0, 1, 2, 3, 4, 5, 7, 8, 10, 15, 16, 31, 32, 33, 64, 100, 127, 128, 255, 256, 1000)
EDGE_NEGATIVES = (-1, -2, -3, -7, -8, -128)

LEAST_DYNAMIC_SIZE = 8
"""Memrefs of unknown size have at least so many elements (along that dimension)."""

Size: TypeAlias = int | Value
"""The size of a dimension: known to the generator, or a value of type index."""


@dataclass
class Facts:
    """What the generator knows of the values of one function."""

    below: dict[Value, Size] = field(default_factory=dict[Value, Size])
    """Values of type index that lie in [0, bound)."""
    sizes: dict[Value, list[Size]] = field(default_factory=dict[Value, list[Size]])
    """The size of each memref, where its type does not tell."""
    read_only: set[Value] = field(default_factory=set[Value])
    """Memrefs that must not be written."""
    entries_below: dict[Value, int] = field(default_factory=dict[Value, int])
    """Read-only memrefs whose elements all lie in [0, bound)."""
    local: set[Value] = field(default_factory=set[Value])
    """Memrefs that the function allocates."""


Statement: TypeAlias = Callable[["Builder"], None]


class Builder:
    """Emits ops into the current block of one function."""

    def __init__(
        self,
        rng: Random,
        statements: Mapping[str, tuple[int, Statement]],
        functions: Sequence[Function],
        globals: list[Global],
        lanes: Sequence[int],
    ):
        self.rng = rng
        self.functions = functions
        """The functions that can be called."""
        self.globals = globals
        """All global constants; new ones are appended."""
        self.lanes = lanes
        """The vector lengths to use."""
        self.facts = Facts()
        self.block = Block()
        self.scope: list[Value] = []
        """The values that can be used at the current place, in order of definition."""
        self.used: set[Value] = set()
        self.emitted = 0
        """Ops emitted so far, constants aside."""
        self.depth = 0
        """Regions around the current place."""
        self.repeat = 1
        """How often the current place runs, estimated."""
        self.trapping: tuple[Value, Value] | None = None
        """Memrefs of divisors that may be zero, and for the results of dividing by them."""
        self._statements = [s for _, s in statements.values()]
        self._weights = [weight for weight, _ in statements.values()]

    # Choice

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def choose(self, options: Sequence[T]) -> T:
        return self.rng.choice(options)

    def weighted(self, options: Mapping[T, float]) -> T:
        (chosen,) = self.rng.choices(list(options), list(options.values()))
        return chosen

    def int_type(self) -> Int:
        """A type for arithmetic."""
        return self.weighted({I32: 10, INDEX: 3, I8: 2, I16: 2, I1: 1})

    def word(self, type: Int) -> int:
        """A value of `type`, often one that is likely to show a bug."""
        mask = (1 << type.width) - 1
        kind = self.weighted({"small": 4, "edge": 3, "negative": 2, "power": 2, "any": 2})
        match kind:
            case "small":
                return self.rng.randrange(9) & mask
            case "edge":
                return self.choose(EDGE_WORDS) & mask
            case "negative":
                return self.choose(EDGE_NEGATIVES) & mask
            case "power":
                power = 1 << self.rng.randrange(type.width)
                return (power - self.choose((0, 0, 1))) & mask
            case _:
                return self.rng.getrandbits(32) & mask

    # Emission

    def emit(
        self,
        name: str,
        operands: Sequence[Value] = (),
        types: Sequence[Type] = (),
        *,
        regions: Sequence[Region] = (),
        **attrs: Any,
    ) -> list[Value]:
        """Append an op; its results are in scope then."""
        op = Op(name, list(operands), [Value(t) for t in types], attrs, list(regions))
        self.block.ops.append(op)
        self.used.update(operands)
        self.scope += op.results
        self.emitted += name != "arith.constant"
        return op.results

    def value(self, name: str, operands: Sequence[Value], type: Type, **attrs: Any) -> Value:
        """Append an op with one result."""
        (result,) = self.emit(name, operands, [type], **attrs)
        return result

    def constant(self, value: int, type: Int) -> Value:
        result = self.value("arith.constant", [], type, value=value & ((1 << type.width) - 1))
        if type == INDEX and value >= 0:
            self.facts.below[result] = value + 1
        return result

    def body(self, budget: int) -> None:
        """Append random statements, about `budget` ops."""
        end = self.emitted + budget
        while self.emitted < end:
            (statement,) = self.rng.choices(self._statements, self._weights)
            statement(self)

    @contextmanager
    def region(self, args: Sequence[Value] = (), repeat: int = 1) -> Generator[Block]:
        """Emit into a new region's only block; the values defined in it go out of scope."""
        block = Block(list(args))
        outer, size = self.block, len(self.scope)
        outer_repeat = self.repeat
        self.block, self.repeat = block, self.repeat * max(1, repeat)
        self.depth += 1
        self.scope += args
        yield block
        del self.scope[size:]
        self.depth -= 1
        self.block, self.repeat = outer, outer_repeat

    # Values in scope

    def candidates(self, type: Type) -> list[Value]:
        return [value for value in self.scope if value.type == type]

    def pick(self, type: Type) -> Value:
        """A value of `type`: one in scope, preferably new or unused, or a new one."""
        candidates = self.candidates(type)
        if candidates and not (isinstance(type, Int) and self.chance(0.12)):
            return self._prefer(candidates)
        match type:
            case Int():
                return self._new_integer(type)
            case Vec():
                return self._new_vector(type)
            case _:
                raise ValueError(f"nothing of type {type} in scope")

    def _prefer(self, candidates: list[Value]) -> Value:
        unused = [v for v in candidates if v not in self.used]
        if unused and self.chance(0.4):
            return self.choose(unused)
        if self.chance(0.5):
            return self.choose(candidates[-8:])
        return self.choose(candidates)

    def _new_integer(self, type: Int) -> Value:
        others = [v for v in self.scope if isinstance(v.type, Int)]
        if others and self.chance(0.5):
            return self.convert(self._prefer(others), type)
        return self.constant(self.word(type), type)

    def _new_vector(self, type: Vec) -> Value:
        if self.chance(0.5):
            return self.value("vector.broadcast", [self.pick(type.element)], type)
        words = [self.word(type.element) for _ in range(type.lanes)]
        return self.value("arith.constant", [], type, value=words)

    def convert(self, value: Value, type: Int) -> Value:
        """`value` as an integer of another type."""
        source = value.type
        assert isinstance(source, Int)
        if source == type:
            return value
        if INDEX in (source, type):
            name = self.choose(("arith.index_cast", "arith.index_castui"))
        elif source.width > type.width:
            name = "arith.trunci"
        else:
            name = self.choose(("arith.extui", "arith.extsi"))
        return self.value(name, [value], type)

    # Memrefs

    def memrefs(
        self, *, writable: bool = False, where: Callable[[Mem], bool] | None = None
    ) -> list[Value]:
        """The memrefs in scope."""
        return [
            value
            for value in self.scope
            if isinstance(value.type, Mem)
            and not (writable and value in self.facts.read_only)
            and (where is None or where(value.type))
        ]

    def sizes(self, memref: Value) -> list[Size]:
        """The size of each dimension of a memref."""
        if memref in self.facts.sizes:
            return self.facts.sizes[memref]
        return [size for size in memref_of(memref).shape if size is not None]

    def derive(self, memref: Value, sources: Sequence[Value], sizes: Sequence[Size]) -> None:
        """Note that `memref` shows memory of `sources`."""
        self.facts.sizes[memref] = list(sizes)
        if any(source in self.facts.read_only for source in sources):
            self.facts.read_only.add(memref)
        if any(source in self.facts.local for source in sources):
            self.facts.local.add(memref)
        if len(sources) == 1 and sources[0] in self.facts.entries_below:
            self.facts.entries_below[memref] = self.facts.entries_below[sources[0]]

    def subscripts(self, memref: Value, span: int = 1) -> list[Value]:
        """Subscripts in range, also when the last one goes up by `span - 1`."""
        *outer, inner = self.sizes(memref)
        return [*(self.subscript(size) for size in outer), self.subscript(inner, span)]

    def subscript(self, size: Size, span: int = 1) -> Value:
        """A value of type index in [0, size - span]."""
        if isinstance(size, Value):
            return self._subscript_dynamic(size, span)
        limit = size - span + 1
        assert limit > 0
        known = [
            v
            for v in self.scope
            if isinstance(bound := self.facts.below.get(v), int) and bound <= limit
        ]
        ways = {"known": 6.0 if known else 0.0, "constant": 2.0, "shifted": 1.5, "guarded": 2.0}
        match self.weighted(ways):
            case "known":
                return self._prefer(known)
            case "constant":
                return self.constant(self.rng.randrange(limit), INDEX)
            case "shifted" if known:
                index = self._prefer(known)
                bound = self.facts.below[index]
                assert isinstance(bound, int)
                shift = self.constant(self.rng.randrange(limit - bound + 1), INDEX)
                return self._bounded(self.value("arith.addi", [index, shift], INDEX), limit)
            case _:
                return self._guarded(limit)

    def _guarded(self, limit: int) -> Value:
        index = self.pick(INDEX)
        power = 1 << (limit.bit_length() - 1)
        name, bound = self.choose(
            (("arith.remui", limit), ("arith.andi", power - 1), ("arith.minui", limit - 1))
        )
        operands = [index, self.constant(bound, INDEX)]
        return self._bounded(self.value(name, operands, INDEX), limit)

    def _subscript_dynamic(self, size: Value, span: int) -> Value:
        known = [v for v in self.scope if self.facts.below.get(v) is size]
        if known and span == 1 and self.chance(0.6):
            return self._prefer(known)
        if self.chance(0.3):
            return self.subscript(LEAST_DYNAMIC_SIZE, span)
        limit = size
        if span > 1:
            limit = self.value("arith.subi", [size, self.constant(span - 1, INDEX)], INDEX)
        return self._bounded(self.value("arith.remui", [self.pick(INDEX), limit], INDEX), limit)

    def _bounded(self, value: Value, bound: Size) -> Value:
        self.facts.below.setdefault(value, bound)
        return value

    # Leaving

    def unused(self, start: int = 0) -> list[Value]:
        """The integers and vectors in scope, from number `start` on, that nothing uses."""
        return [
            v for v in self.scope[start:] if v not in self.used and isinstance(v.type, Int | Vec)
        ]

    def flush(self, start: int = 0, limit: int = 8) -> None:
        """Give unused values a use, by storing a mix of them."""
        targets = self.memrefs(writable=True)
        values = self.unused(start)[-limit:]
        if not targets or not values:
            return
        total = self.as_word(values[0])
        for value in values[1:]:
            name = self.choose(("arith.addi", "arith.xori", "arith.subi"))
            total = self.value(name, [total, self.as_word(value)], I32)
        target = self.choose(targets)
        word = self.convert(total, memref_of(target).element)
        self.emit("memref.store", [word, target, *self.subscripts(target)])

    def as_word(self, value: Value) -> Value:
        """An i32 that depends on `value`."""
        if isinstance(value.type, Vec):
            element = value.type.element
            total = self.value("vector.reduction", [value], element, kind="xor")
            return self.convert(total, I32)
        return self.convert(value, I32)
