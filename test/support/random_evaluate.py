"""What a random program means: direct evaluation, independent of `vliw_mlir`.

Integers are kept zero-extended to their width. What MLIR leaves undefined takes the machine's
meaning: shift counts of 32 or more give 0 (all sign bits for `shrsi`), the overflowing signed
division wraps, division by zero traps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import prod
from typing import Any

from support.random_ast import (
    Argument,
    Int,
    Mem,
    Op,
    Program,
    Region,
    Type,
    Value,
    Vec,
    element_of,
)

DEFAULT_STEP_LIMIT = 20_000


class Trap(Exception):
    """A division by zero."""


class Invalid(Exception):
    """The program does what no program may do, or runs too long."""


@dataclass(frozen=True)
class Outcome:
    """What a run leaves behind."""

    results: list[int]
    outputs: list[list[int] | None]
    """Per argument the words of the array after the run, None for scalars."""
    steps: int


def evaluate(
    program: Program, args: Sequence[Argument], step_limit: int = DEFAULT_STEP_LIMIT
) -> Outcome:
    """Run the kernel on `args`.

    Raises `Trap` on a division by zero, `Invalid` for subscripts outside of their memref, reads
    of memory never written, violated facts and more than `step_limit` operations.
    """
    return _Evaluation(program, step_limit).run(args)


# Arithmetic


def signed(word: int, width: int) -> int:
    """The two's complement value of a word of `width` bits."""
    return word - (1 << width) if word >> (width - 1) else word


def _truncated(x: int, y: int) -> int:
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


_ON_UNSIGNED: dict[str, Callable[[int, int], int]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b,
    "arith.minui": min,
    "arith.maxui": max,
    "arith.divui": lambda a, b: a // b,
    "arith.remui": lambda a, b: a % b,
    "arith.ceildivui": lambda a, b: -(-a // b),
    "arith.shli": lambda a, b: a << b if b < 32 else 0,
    "arith.shrui": lambda a, b: a >> b if b < 32 else 0,
}
_ON_SIGNED: dict[str, Callable[[int, int], int]] = {
    "arith.minsi": min,
    "arith.maxsi": max,
    "arith.divsi": _truncated,
    "arith.remsi": lambda x, y: x - y * _truncated(x, y),
    "arith.floordivsi": lambda x, y: x // y,
    "arith.ceildivsi": lambda x, y: -(-x // y),
}
BINARY_OPS = (*_ON_UNSIGNED, *_ON_SIGNED, "arith.shrsi")
"""The ops of two operands and one result, all of one type."""

DIVISIONS = (
    "arith.divui",
    "arith.remui",
    "arith.ceildivui",
    "arith.divsi",
    "arith.remsi",
    "arith.floordivsi",
    "arith.ceildivsi",
)

PREDICATES: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def binary(name: str, a: int, b: int, width: int) -> int:
    """The result of an op of `BINARY_OPS` on words of `width` bits."""
    mask = (1 << width) - 1
    if name in DIVISIONS and b == 0:
        raise Trap(name)
    if name in _ON_UNSIGNED:
        return _ON_UNSIGNED[name](a, b) & mask
    if name == "arith.shrsi":
        return (signed(a, width) >> min(b, 31)) & mask
    return _ON_SIGNED[name](signed(a, width), signed(b, width)) & mask


def compare(predicate: str, a: int, b: int, width: int) -> int:
    """The result of `arith.cmpi`."""
    if predicate[0] == "s":
        a, b = signed(a, width), signed(b, width)
    return int(PREDICATES[predicate[-2:]](a, b))


def extended(name: str, a: int, b: int, width: int) -> tuple[int, int]:
    """The results of `arith.addui_extended` and its kin."""
    mask = (1 << width) - 1
    if name == "arith.subui_extended":
        return (a - b) & mask, int(a < b)
    if name == "arith.addui_extended":
        total = a + b
    elif name == "arith.mului_extended":
        total = a * b
    else:
        total = signed(a, width) * signed(b, width)
    return total & mask, (total >> width) & mask


def cast(name: str, value: int, source: Int, target: Int) -> int:
    """The result of an integer cast; `index_cast` is signed."""
    if name in ("arith.extsi", "arith.index_cast"):
        value = signed(value, source.width)
    return value & ((1 << target.width) - 1)


CASTS = ("arith.extui", "arith.extsi", "arith.trunci", "arith.index_cast", "arith.index_castui")
EXTENDED_OPS = (
    "arith.addui_extended",
    "arith.subui_extended",
    "arith.mului_extended",
    "arith.mulsi_extended",
)


# Memory


@dataclass
class View:
    """A memref: some words of a buffer."""

    buffer: list[int | None]
    """Words; None where nothing was written yet."""
    sizes: list[int]
    strides: list[int]
    offset: int = 0

    @staticmethod
    def fresh(sizes: Sequence[int], words: Sequence[int | None] | None = None) -> View:
        """A contiguous array of its own; without `words` one that has not been written."""
        strides = [prod(sizes[n + 1 :]) for n in range(len(sizes))]
        buffer: list[int | None] = [None] * prod(sizes) if words is None else list(words)
        return View(buffer, list(sizes), strides)

    def address(self, subscripts: Sequence[int]) -> int:
        for subscript, size in zip(subscripts, self.sizes, strict=True):
            if not 0 <= subscript < size:
                raise Invalid(f"subscript {subscript} of {size}")
        pairs = zip(subscripts, self.strides, strict=True)
        return self.offset + sum(subscript * stride for subscript, stride in pairs)

    def read(self, subscripts: Sequence[int]) -> int:
        return _defined(self.buffer[self.address(subscripts)])

    def write(self, subscripts: Sequence[int], word: int | None) -> None:
        self.buffer[self.address(subscripts)] = word

    def subscripts(self) -> Iterator[tuple[int, ...]]:
        return product(*map(range, self.sizes))

    def words(self) -> list[int | None]:
        """All elements in row-major order."""
        return [self.buffer[self.address(s)] for s in self.subscripts()]


def _defined(word: int | None) -> int:
    if word is None:
        raise Invalid("a value that was never written")
    return word


def _last_row(view: View, subscripts: Sequence[int], lanes: int) -> list[int]:
    """The addresses of a vector that starts at `subscripts`."""
    *outer, inner = subscripts
    return [view.address((*outer, inner + lane)) for lane in range(lanes)]


def _read_lanes(
    view: View, at: Sequence[int], steps: Sequence[int], mask: Sequence[int], other: Sequence[int]
) -> list[int]:
    """Per lane the element a step further along the last dimension, where the mask is set."""
    *outer, inner = at
    lanes = zip(steps, mask, other, strict=True)
    return [view.read((*outer, inner + step)) if on else word for step, on, word in lanes]


def _write_lanes(
    view: View, at: Sequence[int], steps: Sequence[int], mask: Sequence[int], words: Sequence[int]
) -> list[Any]:
    *outer, inner = at
    for step, on, word in zip(steps, mask, words, strict=True):
        if on:
            view.write((*outer, inner + step), word)
    return []


def _lanes_inside(op: Op, view: View, at: Sequence[int], lanes: int) -> list[int]:
    """The mask of a transfer: lanes beyond the last dimension are left out."""
    view.address(at)
    if op.attrs["in_bounds"] == "true":
        return [1] * lanes
    return [int(at[-1] + lane < view.sizes[-1]) for lane in range(lanes)]


def _signed_lanes(op: Op, words: Sequence[int]) -> list[int]:
    width = element_of(op.operands[1].type).width
    return [signed(word, width) for word in words]


# Evaluation


class _Evaluation:
    def __init__(self, program: Program, step_limit: int):
        self._program = program
        self._functions = {f.name: f for f in program.functions}
        self._globals = {g.name: g for g in program.globals}
        self._step_limit = step_limit
        self._steps = 0
        self._env: dict[Value, Any] = {}

    def run(self, args: Sequence[Argument]) -> Outcome:
        kernel = self._program.kernel
        values: list[Any] = []
        for value, facts, given in zip(kernel.args, kernel.facts, args, strict=True):
            _check_facts(facts, value.type, given)
            values.append(_argument(value.type, given))
        results = self._call(kernel.body, values)
        return Outcome(
            results,
            [_words(v) if isinstance(v, View) else None for v in values],
            self._steps,
        )

    def _call(self, body: Region, args: Sequence[Any]) -> list[Any]:
        outer, self._env = self._env, {}
        _, results = self._region(body, args)
        self._env = outer
        return results

    def _region(self, region: Region, args: Sequence[Any]) -> tuple[Op, list[Any]]:
        """Run a region to the terminator that leaves it; also its operands."""
        block = region[0]
        while True:
            self._env.update(zip(block.args, args, strict=True))
            for op in block.ops[:-1]:
                self._op(op)
            last = block.ops[-1]
            self._count()
            operands = self._get(last.operands)
            if not last.successors:
                return last, operands
            block, passed = last.successors[self._taken(last, operands)]
            args = self._get(passed)

    @staticmethod
    def _taken(branch: Op, operands: list[Any]) -> int:
        match branch.name:
            case "cf.cond_br":
                return 0 if operands[0] else 1
            case "cf.switch":
                width = element_of(branch.operands[0].type).width
                mask = (1 << width) - 1
                cases = [value & mask for value in branch.attrs["cases"]]
                return 1 + cases.index(operands[0]) if operands[0] in cases else 0
            case _:
                return 0

    def _get(self, values: Sequence[Value]) -> list[Any]:
        try:
            return [self._env[value] for value in values]
        except KeyError as e:
            raise Invalid("a value is used before its definition") from e

    def _count(self) -> None:
        self._steps += 1
        if self._steps > self._step_limit:
            raise Invalid("too many steps")

    def _op(self, op: Op) -> None:
        self._count()
        operands = self._get(op.operands)
        if op.name in BINARY_OPS:
            width = element_of(op.result.type).width
            results = [_map(partial(binary, op.name, width=width), *operands)]
        else:
            results = getattr(self, "_" + op.name.replace(".", "_"))(op, *operands)
        self._env.update(zip(op.results, results, strict=True))

    # arith

    def _arith_constant(self, op: Op) -> list[Any]:
        return [op.attrs["value"]]

    def _arith_cmpi(self, op: Op, a: Any, b: Any) -> list[Any]:
        width = element_of(op.operands[0].type).width
        return [_map(partial(compare, op.attrs["predicate"], width=width), a, b)]

    def _arith_select(self, op: Op, condition: Any, a: Any, b: Any) -> list[Any]:
        if isinstance(condition, int):
            return [a if condition else b]
        return [_map(_choose, condition, a, b)]

    def _extended(self, op: Op, a: Any, b: Any) -> list[Any]:
        width = element_of(op.operands[0].type).width
        both = partial(extended, op.name, width=width)
        return [_map(lambda *words: both(*words)[part], a, b) for part in (0, 1)]  # noqa: B023

    _arith_addui_extended = _arith_subui_extended = _extended
    _arith_mului_extended = _arith_mulsi_extended = _extended

    def _cast(self, op: Op, value: Any) -> list[Any]:
        source, target = element_of(op.operands[0].type), element_of(op.result.type)
        return [_map(partial(cast, op.name, source=source, target=target), value)]

    _arith_extui = _arith_extsi = _arith_trunci = _cast
    _arith_index_cast = _arith_index_castui = _cast

    # memref

    def _memref_load(self, op: Op, view: View, *subscripts: int) -> list[Any]:
        return [view.read(subscripts)]

    def _memref_store(self, op: Op, word: int, view: View, *subscripts: int) -> list[Any]:
        view.write(subscripts, word)
        return []

    def _memref_alloca(self, op: Op) -> list[Any]:
        type = op.result.type
        assert isinstance(type, Mem)
        return [View.fresh([size or 0 for size in type.shape])]

    _memref_alloc = _memref_alloca

    def _memref_get_global(self, op: Op) -> list[Any]:
        found = self._globals[op.attrs["global"]]
        return [View.fresh([size or 0 for size in found.type.shape], found.values)]

    def _memref_dim(self, op: Op, view: View, dim: int) -> list[Any]:
        if dim >= len(view.sizes):
            raise Invalid("no such dimension")
        return [view.sizes[dim]]

    def _memref_cast(self, op: Op, view: View) -> list[Any]:
        return [view]

    def _memref_copy(self, op: Op, source: View, target: View) -> list[Any]:
        words = [_defined(word) for word in source.words()]
        places = list(target.subscripts())
        if source.sizes != target.sizes:
            raise Invalid("copy between different sizes")
        for place, word in zip(places, words, strict=True):
            target.write(place, word)
        return []

    def _memref_subview(self, op: Op, view: View, *computed: int) -> list[Any]:
        return [_slice(op, view, computed)]

    def _memref_collapse_shape(self, op: Op, view: View) -> list[Any]:
        groups: list[list[int]] = op.attrs["groups"]
        sizes = [prod(view.sizes[dim] for dim in group) for group in groups]
        strides = [view.strides[group[-1]] for group in groups]
        return [View(view.buffer, sizes, strides, view.offset)]

    def _memref_expand_shape(self, op: Op, view: View) -> list[Any]:
        sizes = op.attrs["shape"]
        strides = [
            stride * prod(sizes[n] for n in group if n > dim)
            for group, stride in zip(op.attrs["groups"], view.strides, strict=True)
            for dim in group
        ]
        return [View(view.buffer, sizes, strides, view.offset)]

    # vector

    def _vector_broadcast(self, op: Op, word: int) -> list[Any]:
        assert isinstance(op.result.type, Vec)
        return [[word] * op.result.type.lanes]

    def _vector_load(self, op: Op, view: View, *subscripts: int) -> list[Any]:
        assert isinstance(op.result.type, Vec)
        addresses = _last_row(view, subscripts, op.result.type.lanes)
        return [[_defined(view.buffer[a]) for a in addresses]]

    def _vector_store(self, op: Op, words: list[int], view: View, *subscripts: int) -> list[Any]:
        for address, word in zip(_last_row(view, subscripts, len(words)), words, strict=True):
            view.buffer[address] = word
        return []

    def _vector_maskedload(
        self, op: Op, view: View, mask: list[int], other: list[int], *subscripts: int
    ) -> list[Any]:
        return [_read_lanes(view, subscripts, range(len(mask)), mask, other)]

    def _vector_maskedstore(
        self, op: Op, view: View, mask: list[int], words: list[int], *subscripts: int
    ) -> list[Any]:
        return _write_lanes(view, subscripts, range(len(mask)), mask, words)

    def _vector_gather(
        self, op: Op, view: View, steps: list[int], mask: list[int], other: list[int], *at: int
    ) -> list[Any]:
        return [_read_lanes(view, at, _signed_lanes(op, steps), mask, other)]

    def _vector_scatter(
        self, op: Op, view: View, steps: list[int], mask: list[int], words: list[int], *at: int
    ) -> list[Any]:
        return _write_lanes(view, at, _signed_lanes(op, steps), mask, words)

    def _vector_transfer_read(self, op: Op, view: View, pad: int, *at: int) -> list[Any]:
        assert isinstance(op.result.type, Vec)
        lanes = op.result.type.lanes
        mask = _lanes_inside(op, view, at, lanes)
        return [_read_lanes(view, at, range(lanes), mask, [pad] * lanes)]

    def _vector_transfer_write(self, op: Op, words: list[int], view: View, *at: int) -> list[Any]:
        mask = _lanes_inside(op, view, at, len(words))
        return _write_lanes(view, at, range(len(words)), mask, words)

    def _vector_create_mask(self, op: Op, size: int) -> list[Any]:
        assert isinstance(op.result.type, Vec)
        return [[int(lane < signed(size, 32)) for lane in range(op.result.type.lanes)]]

    def _vector_step(self, op: Op) -> list[Any]:
        assert isinstance(op.result.type, Vec)
        return [list(range(op.result.type.lanes))]

    def _vector_from_elements(self, op: Op, *words: int) -> list[Any]:
        return [list(words)]

    def _vector_extract_strided_slice(self, op: Op, words: list[int]) -> list[Any]:
        start = op.attrs["start"]
        return [words[start : start + op.attrs["size"]]]

    def _vector_insert_strided_slice(self, op: Op, part: list[int], words: list[int]) -> list[Any]:
        start = op.attrs["start"]
        return [[*words[:start], *part, *words[start + len(part) :]]]

    def _vector_extract(self, op: Op, words: list[int], *lane: int) -> list[Any]:
        return [words[_lane(op, lane, words)]]

    def _vector_insert(self, op: Op, word: int, words: list[int], *lane: int) -> list[Any]:
        changed = list(words)
        changed[_lane(op, lane, words)] = word
        return [changed]

    def _vector_shuffle(self, op: Op, a: list[int], b: list[int]) -> list[Any]:
        return [[(a + b)[lane] for lane in op.attrs["mask"]]]

    def _vector_reduction(self, op: Op, words: list[int], *start: int) -> list[Any]:
        kind = op.attrs["kind"]
        name = f"arith.{kind}{'i' if kind in ('add', 'mul', 'and', 'or', 'xor') else ''}"
        width = element_of(op.result.type).width
        total, *rest = [*start, *words]
        for word in rest:
            total = binary(name, total, word, width)
        return [total]

    # func and scf

    def _func_call(self, op: Op, *args: Any) -> list[Any]:
        return self._call(self._functions[op.attrs["callee"]].body, args)

    def _scf_if(self, op: Op, condition: int) -> list[Any]:
        region = op.regions[0 if condition else 1]
        return self._region(region, [])[1] if region else []

    def _scf_for(self, op: Op, lower: int, upper: int, step: int, *carried: Any) -> list[Any]:
        if signed(step, 32) <= 0:
            raise Invalid("the step of a loop must be positive")
        values = list(carried)
        while signed(lower, 32) < signed(upper, 32):
            _, values = self._region(op.regions[0], [lower, *values])
            lower = (lower + step) & 0xFFFFFFFF
        return values

    def _scf_while(self, op: Op, *args: Any) -> list[Any]:
        values = list(args)
        while True:
            _, (go, *values) = self._region(op.regions[0], values)
            if not go:
                return values
            _, values = self._region(op.regions[1], values)

    def _scf_index_switch(self, op: Op, selector: int) -> list[Any]:
        cases = [value & 0xFFFFFFFF for value in op.attrs["cases"]]
        number = cases.index(selector) if selector in cases else len(cases)
        return self._region(op.regions[number], [])[1]

    def _scf_execute_region(self, op: Op) -> list[Any]:
        return self._region(op.regions[0], [])[1]

    def _scf_parallel(self, op: Op, *operands: Any) -> list[Any]:
        rank = len(op.regions[0][0].args)
        bounds = [
            [signed(word, 32) for word in operands[k * rank : k * rank + rank]] for k in (0, 1)
        ]
        steps = [signed(word, 32) for word in operands[2 * rank : 3 * rank]]
        if any(step <= 0 for step in steps):
            raise Invalid("the step of a loop must be positive")
        values = list(operands[3 * rank :])
        for place in product(*map(range, *bounds, steps)):
            reduce, found = self._region(op.regions[0], [i & 0xFFFFFFFF for i in place])
            for number, region in enumerate(reduce.regions):
                _, (values[number],) = self._region(region, [values[number], found[number]])
        return values


def _map(function: Callable[..., int], *values: Any) -> Any:
    """`function` on scalars, or on the lanes of vectors."""
    if isinstance(values[0], list):
        return [function(*row) for row in zip(*values, strict=True)]
    return function(*values)


def _choose(condition: int, a: int, b: int) -> int:
    return a if condition else b


def _lane(op: Op, computed: Sequence[int], words: Sequence[int]) -> int:
    lane = computed[0] if op.attrs["lane"] is None else op.attrs["lane"]
    if not 0 <= lane < len(words):
        raise Invalid("no such lane")
    return lane


def _slice(op: Op, view: View, computed: Sequence[int]) -> View:
    """The part of `view` that the op's offsets, sizes and strides describe."""
    rest = iter(computed)
    offsets, sizes, strides = (
        [next(rest) if n is None else n for n in op.attrs[key]]
        for key in ("offsets", "sizes", "strides")
    )
    for offset, size, stride, limit in zip(offsets, sizes, strides, view.sizes, strict=True):
        if size <= 0 or offset < 0 or offset + (size - 1) * stride >= limit:
            raise Invalid("slice out of range")
    start = view.offset + sum(o * s for o, s in zip(offsets, view.strides, strict=True))
    steps = [a * b for a, b in zip(strides, view.strides, strict=True)]
    kept = [n for n in range(len(sizes)) if n not in op.attrs.get("dropped", ())]
    return View(view.buffer, [sizes[n] for n in kept], [steps[n] for n in kept], start)


# Entering and leaving


def _check_facts(facts: dict[str, Any], type: Type, given: Argument) -> None:
    words = [given] if isinstance(given, int) else given
    width = element_of(type).width
    if any(not 0 <= word < 1 << width for word in words):
        raise Invalid("an argument does not fit")
    if "value" in facts and facts["value"] != given:
        raise Invalid("an argument breaks its declared value")
    low, high = facts.get("range", (0, 0xFFFFFFFF))
    if any(not low <= word <= high for word in words):
        raise Invalid("an argument breaks its declared range")


def _argument(type: Type, given: Argument) -> Any:
    if isinstance(given, int):
        assert isinstance(type, Int)
        return given
    assert isinstance(type, Mem)
    known = prod(size for size in type.shape if size is not None)
    if not known or len(given) % known:
        raise Invalid("an argument of the wrong size")
    sizes = [len(given) // known if size is None else size for size in type.shape]
    if prod(sizes) != len(given):
        raise Invalid("an argument of the wrong size")
    return View.fresh(sizes, given)


def _words(view: View) -> list[int]:
    return [_defined(word) for word in view.words()]
