"""Random loop nests: affine subscripts, dependences of all kinds, reductions.

What dependence analysis, interchange, jamming and vectorization look for, which code without
a plan seldom has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from support.random_ast import I32, INDEX, Value, memref_of
from support.random_builder import Builder, Statement
from support.random_statements import OPERATIONS, apply, condition


@dataclass(frozen=True)
class _Loop:
    """A loop whose variable takes the values lower, lower + step, … last."""

    iv: Value
    lower: int
    last: int
    step: int


def loop_nest(b: Builder) -> None:
    """A nest of loops with constant bounds over accesses with affine subscripts."""
    memrefs = b.memrefs(where=lambda t: None not in t.shape)
    if not memrefs or b.depth > 1 or b.repeat > 4:
        return
    arrays = [b.choose(memrefs) for _ in range(b.choose((1, 2, 2, 3)))]
    loops = [_loop(b, arrays) for _ in range(b.choose((1, 1, 2, 2, 2, 3)))]
    _nest(b, loops, 0, arrays)


def _loop(b: Builder, arrays: Sequence[Value]) -> _Loop:
    """A loop over most of a dimension of an array, or one that just runs a few times."""
    lower, step = b.choose((0, 0, 0, 1, 2)), b.choose((1, 1, 1, 1, 1, 2, 3))
    size = b.choose(b.sizes(b.choose(arrays)))
    if isinstance(size, int) and b.chance(0.6):
        end = size - b.choose((0, 0, 0, 1, 2))
        trips = max(1, (end - lower + step - 1) // step)
    else:
        trips = b.choose((1, 2, 3, 4, 5, 8, 9))
    return _Loop(Value(INDEX), lower, lower + (trips - 1) * step, step)


def _nest(b: Builder, loops: Sequence[_Loop], depth: int, arrays: Sequence[Value]) -> None:
    loop, inner = loops[depth], loops[: depth + 1]
    upper = loop.last + b.rng.randint(1, loop.step)
    bounds = [b.constant(n, INDEX) for n in (loop.lower, upper, loop.step)]
    innermost = depth + 1 == len(loops)
    sums = [Value(I32) for _ in range(b.choose((0, 0, 1, 2)))] if innermost else []
    inits = [b.pick(I32) for _ in sums]
    trips = (loop.last - loop.lower) // loop.step + 1
    b.facts.below[loop.iv] = loop.last + 1
    with b.region([loop.iv, *sums], trips) as block:
        if b.chance(0.15) or innermost:
            _accesses(b, inner, arrays)
        if not innermost:
            _nest(b, loops, depth + 1, arrays)
            if b.chance(0.1):
                _accesses(b, inner, arrays)
        b.emit("scf.yield", [_reduction(b, value, inner, arrays) for value in sums])
    b.emit("scf.for", [*bounds, *inits], [I32 for _ in sums], regions=[[block]])


def _accesses(b: Builder, loops: Sequence[_Loop], arrays: Sequence[Value]) -> None:
    """Stores of what is computed from loaded words."""
    targets = [a for a in arrays if a not in b.facts.read_only]
    if not targets:
        return
    # In half of the nests no array is both read and written, at different places at least.
    target = b.choose(targets) if b.chance(0.5) else None
    sources = [a for a in arrays if a is not target] or arrays
    for _ in range(b.choose((1, 1, 2, 3))):
        to = target or b.choose(targets)
        place = _subscripts(b, to, loops)
        value = _load(b, loops, sources)
        if b.chance(0.4):
            old = b.value("memref.load", [to, *place], memref_of(to).element)
            value = apply(b, b.choose(OPERATIONS), I32, value, b.convert(old, I32))
        for _ in range(b.choose((0, 1, 1, 2, 3))):
            value = apply(b, b.choose(OPERATIONS), I32, value, _operand(b, loops, sources))
        if b.chance(0.2):
            value = b.value("arith.select", [condition(b), value, _load(b, loops, sources)], I32)
        b.emit("memref.store", [b.convert(value, memref_of(to).element), to, *place])


def _operand(b: Builder, loops: Sequence[_Loop], arrays: Sequence[Value]) -> Value:
    match b.weighted({"load": 3, "variable": 1, "any": 2}):
        case "load":
            return _load(b, loops, arrays)
        case "variable":
            return b.convert(b.choose(loops).iv, I32)
        case _:
            return b.pick(I32)


def _load(b: Builder, loops: Sequence[_Loop], arrays: Sequence[Value]) -> Value:
    array = b.choose(arrays)
    element = memref_of(array).element
    value = b.value("memref.load", [array, *_subscripts(b, array, loops)], element)
    return b.convert(value, I32)


def _reduction(b: Builder, total: Value, loops: Sequence[_Loop], arrays: Sequence[Value]) -> Value:
    names = ("arith.addi", "arith.addi", "arith.xori", "arith.minui", "arith.maxsi", "arith.subi")
    value = _load(b, loops, arrays)
    if b.chance(0.2):
        # Not a reduction, for all that.
        value = b.value("arith.muli", [value, total], I32)
    return b.value(b.choose(names), [total, value], I32)


def _subscripts(b: Builder, array: Value, loops: Sequence[_Loop]) -> list[Value]:
    return [_subscript(b, size, loops) for size in b.sizes(array) if isinstance(size, int)]


def _subscript(b: Builder, size: int, loops: Sequence[_Loop]) -> Value:
    """A sum of multiples of variables that stays in range; a guarded subscript if none does."""
    for _ in range(8):
        terms = b.rng.sample(loops, 1 if b.chance(0.7) else min(2, len(loops)))
        factors = [b.choose((1, 1, 1, 1, 1, 1, 2, -1)) for _ in terms]
        ends = [sorted((f * t.lower, f * t.last)) for f, t in zip(factors, terms, strict=True)]
        low, high = sum(end[0] for end in ends), sum(end[1] for end in ends)
        if high - low >= size:
            continue
        offset = b.rng.randint(-low, size - 1 - high)
        # Short distances between accesses are the interesting ones.
        offset = max(-low, min(offset, b.choose((0, 0, 0, 1, 2, offset))))
        return _affine(b, terms, factors, offset)
    return b.subscript(size)


def _affine(b: Builder, terms: Sequence[_Loop], factors: Sequence[int], offset: int) -> Value:
    total = None
    for term, factor in zip(terms, factors, strict=True):
        value = term.iv
        if factor == -1:
            value = b.value("arith.subi", [b.constant(offset, INDEX), value], INDEX)
            offset = 0
        elif factor != 1:
            value = b.value("arith.muli", [value, b.constant(factor, INDEX)], INDEX)
        total = value if total is None else b.value("arith.addi", [total, value], INDEX)
    assert total is not None
    if offset:
        total = b.value("arith.addi", [total, b.constant(offset, INDEX)], INDEX)
    return total


NESTS: dict[str, tuple[int, Statement]] = {"nest": (4, loop_nest)}
"""Statements by name, with their weight."""
