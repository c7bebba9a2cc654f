"""Random kernels on tensors, with what numpy says that they return.

`generate(seed)` makes the same program for the same seed. A program is made op by op; each op
is a piece of MLIR text and a step that computes its results in an environment. All programs
are well-defined: subscripts stay in their tensor and divisors are not zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from random import Random
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.uint64]
"""The elements of a tensor, each in [0, 2**width)."""

Env: TypeAlias = dict[str, Any]
"""The value of each name: an array, or an int for a scalar."""

Step: TypeAlias = Callable[[Env], None]

SHAPES: tuple[tuple[int, ...], ...] = (
    (4,),
    (6,),
    (2, 3),
    (3, 2),
    (4, 4),
    (2, 2, 3),
    (1, 4),
    (1,),
    (),
    (4, 1, 3),
    (0, 3),
)

INDEX = 0
"""The width that stands for the type `index`."""


@dataclass(frozen=True)
class Value:
    """A tensor, or where it has no shape a scalar."""

    name: str
    shape: tuple[int, ...] | None
    width: int = 32
    below: int = 0
    """A scalar of type index lies in [0, below)."""

    @property
    def type(self) -> str:
        element = f"i{self.width}" if self.width else "index"
        return element if self.shape is None else tensor_type(self.shape, element)


def tensor_type(shape: Sequence[int], element: str = "i32") -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def wrap(words: Any, width: int) -> Array:
    """Integers modulo 2**width."""
    mask = np.uint64((1 << (width or 32)) - 1)
    return np.asarray(np.asarray(words).astype(np.uint64) & mask)


def signed(words: Any, width: int) -> NDArray[np.int64]:
    sign = 1 << ((width or 32) - 1)
    return (np.asarray(words).astype(np.int64) ^ sign) - sign


@dataclass
class Block:
    """The ops of a block so far, and the values in scope."""

    values: list[Value]
    lines: list[str] = field(default_factory=list[str])
    steps: list[Step] = field(default_factory=list[Step])

    def run(self, env: Env) -> None:
        for step in self.steps:
            step(env)


class Builder:
    """Makes a program: what can be used next, and ops added to the innermost block."""

    def __init__(self, rng: Random, ops: Sequence[Callable[[Builder], None]]):
        self.rng = rng
        self.ops = ops
        # Few shapes, so that values meet; those without elements or dimensions are rarer.
        all = SHAPES if rng.random() < 0.3 else SHAPES[:7]
        self.shapes = rng.sample(all, rng.randint(1, 3))
        self.block = Block([])
        self.depth = 0
        self._count = 0

    def name(self, prefix: str = "v") -> str:
        self._count += 1
        return f"%{prefix}{self._count}"

    def op(
        self, text: str, value: Value, compute: Callable[[Env], Any], *, visible: bool = True
    ) -> Value:
        """Add `value = text`, which computes `compute(env)` modulo 2**width."""
        self.block.lines.append(f"{value.name} = {text}")

        def step(env: Env) -> None:
            env[value.name] = wrap(compute(env), value.width)

        self.block.steps.append(step)
        if visible:
            self.block.values.append(value)
        return value

    def new(self, shape: tuple[int, ...] | None, width: int = 32, below: int = 0) -> Value:
        return Value(self.name(), shape, width, below)

    def pick(self, accept: Callable[[Value], bool]) -> Value | None:
        """A value in scope, more often a late one."""
        found = [value for value in self.block.values if accept(value)]
        if not found:
            return None
        if self.rng.random() < 0.5:
            found = found[-4:]
        return self.rng.choice(found)

    def tensor(self, accept: Callable[[Value], bool] = lambda _: True) -> Value | None:
        return self.pick(lambda v: v.shape is not None and v.width != INDEX and accept(v))

    def like(self, value: Value) -> Value:
        """A tensor of the type of `value`, perhaps itself."""
        return self.tensor(lambda v: v.type == value.type) or value

    def constant(self, number: int, width: int = 32) -> Value:
        value = self.new(None, width, number + 1)
        return self.op(f"arith.constant {number} : {value.type}", value, lambda _: number)

    def index(self, size: int) -> Value:
        """A value of type index in [0, size)."""
        found = self.pick(lambda v: v.shape is None and v.width == INDEX)
        if found is None or self.rng.random() < 0.3:
            return self.constant(self.rng.randrange(size), INDEX)
        if found.below <= size:
            return found
        limit = self.constant(size, INDEX)
        value = self.new(None, INDEX, size)
        text = f"arith.remui {found.name}, {limit.name} : index"
        return self.op(text, value, lambda env: env[found.name] % np.uint64(size))

    def scalar(self, width: int) -> Value:
        found = self.pick(lambda v: v.shape is None and v.width == width)
        if found is None or self.rng.random() < 0.2:
            return self.constant(self.rng.randrange(1 << min(width - 1, 12)), width)
        return found

    def nested(self, arguments: Sequence[Value]) -> Block:
        """A block inside of the current one."""
        return Block([*self.block.values, *arguments])


@dataclass
class Program:
    """A kernel, its arguments, and what it must return."""

    text: str
    arguments: list[int | Array]
    expected: list[Array]


def random_array(rng: Random, shape: Sequence[int], width: int) -> Array:
    small = rng.random() < 0.5
    limit = min(1 << width, 10) if small else 1 << width
    words = [rng.randrange(limit) for _ in range(prod(shape))]
    return np.array(words, np.uint64).reshape(shape)


def generate(seed: int, ops: Sequence[Callable[[Builder], None]] | None = None) -> Program:
    """The random program of a number, made of some ops."""
    from support.random_tensor_ops import OPS, UPDATES

    rng = Random(f"tensors {seed}")
    builder = Builder(rng, ops or (UPDATES if seed % 2 else OPS))
    arguments = [
        Value(f"%a{i}", rng.choice(builder.shapes), rng.choice((32, 32, 8))) for i in range(3)
    ]
    arguments += [Value("%s", None, 32), Value("%n", None, INDEX, 5)]
    builder.block.values += arguments
    env: Env = {}
    for value in arguments:
        if value.shape is not None:
            env[value.name] = random_array(rng, value.shape, value.width)
        else:
            env[value.name] = wrap(rng.randrange(5 if value.width == INDEX else 1 << 32), 32)
    given = [
        env[v.name].reshape(-1) if v.shape is not None else int(env[v.name]) for v in arguments
    ]

    for _ in range(rng.choice((3, 6, 10, 15, 25))):
        rng.choice(builder.ops)(builder)
    computed = [v for v in builder.block.values if v.width != INDEX and v not in arguments]
    returned = rng.choices((computed or arguments[:3])[-8:], k=rng.randint(1, 5))

    inputs = ", ".join(f"{v.name}: {v.type}" for v in arguments)
    types = ", ".join(v.type for v in returned)
    names = ", ".join(v.name for v in returned)
    body = "\n".join(builder.block.lines)
    text = f"func.func @f({inputs}) -> ({types}) {{\n{body}\nreturn {names} : {types}\n}}\n"
    with np.errstate(over="ignore"):
        builder.block.run(env)
    return Program(text, given, [np.ravel(env[v.name]) for v in returned])
