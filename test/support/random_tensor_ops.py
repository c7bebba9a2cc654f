"""The ops that random programs on tensors are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from support.random_tensors import (
    INDEX,
    SHAPES,
    Block,
    Builder,
    Env,
    Value,
    random_array,
    signed,
    tensor_type,
)

Binary = Callable[[Any, Any, int], Any]

BINARY: dict[str, Binary] = {
    "addi": lambda a, b, w: a + b,
    "subi": lambda a, b, w: a - b,
    "muli": lambda a, b, w: a * b,
    "andi": lambda a, b, w: a & b,
    "ori": lambda a, b, w: a | b,
    "xori": lambda a, b, w: a ^ b,
    "maxui": lambda a, b, w: np.maximum(a, b),
    "minui": lambda a, b, w: np.minimum(a, b),
    "maxsi": lambda a, b, w: np.maximum(signed(a, w), signed(b, w)),
    "minsi": lambda a, b, w: np.minimum(signed(a, w), signed(b, w)),
}

REDUCTIONS = tuple(name for name in BINARY if name != "subi")


def constant(b: Builder) -> None:
    value = b.new(b.rng.choice(b.shapes), b.rng.choice((32, 32, 8)))
    assert value.shape is not None
    array = random_array(b.rng, value.shape, value.width)
    if b.rng.random() < 0.4 and array.size:
        array[...] = array.flat[0]
    text = str(array.tolist()) if array.size else ""
    b.op(f"arith.constant dense<{text}> : {value.type}", value, lambda _: array)


def splat(b: Builder) -> None:
    value = b.new(b.rng.choice(b.shapes), b.rng.choice((32, 32, 8)))
    x = b.scalar(value.width)
    b.op(
        f"tensor.splat {x.name} : {value.type}",
        value,
        lambda env: np.full(value.shape, env[x.name]),
    )


def from_elements(b: Builder) -> None:
    shape = b.rng.choice([s for s in b.shapes if 0 < prod(s) <= 6] or [(2,)])
    names = [b.scalar(32).name for _ in range(prod(shape))]
    value = b.new(shape)
    b.op(
        f"tensor.from_elements {', '.join(names)} : {value.type}",
        value,
        lambda env: np.array([env[n] for n in names]).reshape(shape),
    )


def elementwise(b: Builder) -> None:
    x = b.tensor()
    assert x is not None
    y = b.like(x)
    name = b.rng.choice(list(BINARY))
    b.op(
        f"arith.{name} {x.name}, {y.name} : {x.type}",
        b.new(x.shape, x.width),
        lambda env: BINARY[name](env[x.name], env[y.name], x.width),
    )


def division(b: Builder) -> None:
    x = b.tensor()
    assert x is not None
    y = b.like(x)
    ones = b.op(
        f"arith.constant dense<1> : {x.type}", b.new(x.shape, x.width), lambda _: np.ones(x.shape)
    )
    divisor = b.op(
        f"arith.ori {y.name}, {ones.name} : {x.type}",
        b.new(x.shape, x.width),
        lambda env: env[y.name] | np.uint64(1),
    )
    b.op(
        f"arith.divui {x.name}, {divisor.name} : {x.type}",
        b.new(x.shape, x.width),
        lambda env: env[x.name] // env[divisor.name],
    )


def select(b: Builder) -> None:
    x = b.tensor()
    assert x is not None
    y = b.like(x)
    flags = f"tensor<{x.type.removeprefix('tensor<').rpartition('i')[0]}i1>"
    condition = Value(b.name("c"), x.shape, 1)
    b.op(
        f"arith.cmpi slt, {x.name}, {y.name} : {x.type}",
        condition,
        lambda env: signed(env[x.name], x.width) < signed(env[y.name], x.width),
        visible=False,
    )
    b.op(
        f"arith.select {condition.name}, {y.name}, {x.name} : {flags}, {x.type}",
        b.new(x.shape, x.width),
        lambda env: np.where(env[condition.name], env[y.name], env[x.name]),
    )


def _indices(b: Builder, shape: Sequence[int]) -> list[Value]:
    return [b.index(size) for size in shape]


def _at(env: Env, indices: Sequence[Value]) -> tuple[int, ...]:
    return tuple(int(env[i.name]) for i in indices)


def _names(values: Sequence[Value]) -> str:
    return ", ".join(v.name for v in values)


def extract(b: Builder) -> None:
    x = b.tensor(lambda v: 0 not in (v.shape or ()))
    if x is None:
        return
    assert x.shape is not None
    indices = _indices(b, x.shape)
    b.op(
        f"tensor.extract {x.name}[{_names(indices)}] : {x.type}",
        b.new(None, x.width),
        lambda env: env[x.name][_at(env, indices)],
    )


def insert(b: Builder) -> None:
    x = b.tensor(lambda v: 0 not in (v.shape or ()))
    if x is None:
        return
    assert x.shape is not None
    indices = _indices(b, x.shape)
    element = b.scalar(x.width)

    def compute(env: Env) -> Any:
        array = env[x.name].copy()
        array[_at(env, indices)] = env[element.name]
        return array

    b.op(
        f"tensor.insert {element.name} into {x.name}[{_names(indices)}] : {x.type}",
        b.new(x.shape, x.width),
        compute,
    )


def _slice(b: Builder, shape: Sequence[int]) -> tuple[str, list[int], Callable[[Env], Any]]:
    """A random slice: its text, sizes, and the numpy subscript."""
    sizes, strides = [], []
    offsets: list[int | Value] = []
    for size in shape:
        length = b.rng.randint(1, size) if size else 0
        stride = b.rng.randint(1, (size - 1) // (length - 1)) if length > 1 else 1
        room = size - (length - 1) * stride if length else 1
        dynamic = b.rng.random() < 0.5
        offsets.append(b.index(room) if dynamic else b.rng.randrange(room))
        sizes.append(length)
        strides.append(stride)
    texts = [o.name if isinstance(o, Value) else str(o) for o in offsets]
    text = f"[{', '.join(texts)}] {sizes} {strides}"

    def subscript(env: Env) -> Any:
        starts = [int(env[o.name]) if isinstance(o, Value) else o for o in offsets]
        return tuple(
            slice(start, start + (length - 1) * stride + 1 if length else start, stride)
            for start, length, stride in zip(starts, sizes, strides, strict=True)
        )

    return text, sizes, subscript


def _reduced(b: Builder, sizes: Sequence[int]) -> tuple[int, ...]:
    """Sizes with perhaps some of the ones left out."""
    return tuple(size for size in sizes if size != 1 or b.rng.random() < 0.5)


def extract_slice(b: Builder) -> None:
    x = b.tensor()
    assert x is not None
    assert x.shape is not None
    text, sizes, subscript = _slice(b, x.shape)
    value = b.new(_reduced(b, sizes), x.width)
    b.op(
        f"tensor.extract_slice {x.name}{text} : {x.type} to {value.type}",
        value,
        lambda env: env[x.name][subscript(env)].reshape(value.shape),
    )


def insert_slice(b: Builder) -> None:
    x = b.tensor()
    assert x is not None
    assert x.shape is not None
    text, sizes, subscript = _slice(b, x.shape)

    def fits(v: Value) -> bool:
        long = [s for s in v.shape or () if s != 1]
        return v.width == x.width and long == [s for s in sizes if s != 1]

    part = b.tensor(fits)
    if part is None:
        return

    def compute(env: Env) -> Any:
        array = env[x.name].copy()
        array[subscript(env)] = env[part.name].reshape(sizes)
        return array

    b.op(
        f"tensor.insert_slice {part.name} into {x.name}{text} : {part.type} into {x.type}",
        b.new(x.shape, x.width),
        compute,
    )


def reshape(b: Builder) -> None:
    x = b.tensor()
    assert x is not None
    assert x.shape is not None
    shape = b.rng.choice([s for s in SHAPES if prod(s) == prod(x.shape)] or [x.shape])
    sizes = Value(b.name("shape"), (len(shape),), INDEX)
    b.op(
        f"arith.constant dense<{list(shape) if shape else ''}> : {sizes.type}",
        sizes,
        lambda _: np.array(shape, np.uint64),
        visible=False,
    )
    value = b.new(shape, x.width)
    b.op(
        f"tensor.reshape {x.name}({sizes.name}) : ({x.type}, {sizes.type}) -> {value.type}",
        value,
        lambda env: env[x.name].reshape(shape),
    )


def collapse(b: Builder) -> None:
    x = b.tensor(lambda v: len(v.shape or ()) > 1)
    if x is None:
        return
    assert x.shape is not None
    value = b.new((prod(x.shape),), x.width)
    b.op(
        f"tensor.collapse_shape {x.name} [{[*range(len(x.shape))]}] : {x.type} into {value.type}",
        value,
        lambda env: env[x.name].reshape(-1),
    )


def concat(b: Builder) -> None:
    x = b.tensor(lambda v: bool(v.shape) and prod(v.shape or ()) < 40)
    if x is None:
        return
    assert x.shape is not None
    y = b.like(x)
    dim = b.rng.randrange(len(x.shape))
    value = b.new(tuple(s * (2 if d == dim else 1) for d, s in enumerate(x.shape)), x.width)
    b.op(
        f"tensor.concat dim({dim}) {x.name}, {y.name} : ({x.type}, {y.type}) -> {value.type}",
        value,
        lambda env: np.concatenate([env[x.name], env[y.name]], dim),
    )


def pad(b: Builder) -> None:
    x = b.tensor(lambda v: bool(v.shape) and prod(v.shape or ()) < 40)
    if x is None:
        return
    assert x.shape is not None
    low = [b.rng.randint(0, 1) for _ in x.shape]
    high = [b.rng.randint(0, 1) for _ in x.shape]
    with_ = b.scalar(x.width)
    shape = tuple(lo + s + hi for lo, s, hi in zip(low, x.shape, high, strict=True))
    value = b.new(shape, x.width)
    arguments = ", ".join(f"{b.name('i')}: index" for _ in shape)
    element = f"i{x.width}"
    b.op(
        f"tensor.pad {x.name} low{low} high{high} {{\n^bb0({arguments}):\n"
        f"tensor.yield {with_.name} : {element}\n}} : {x.type} to {value.type}",
        value,
        lambda env: np.pad(
            env[x.name], list(zip(low, high, strict=True)), constant_values=env[with_.name]
        ),
    )


def transpose(b: Builder) -> None:
    x = b.tensor(lambda v: len(v.shape or ()) > 1)
    if x is None:
        return
    assert x.shape is not None
    order = b.rng.sample(range(len(x.shape)), len(x.shape))
    value = b.new(tuple(x.shape[d] for d in order), x.width)
    out = _empty(b, value)
    b.op(
        f"linalg.transpose ins({x.name} : {x.type}) outs({out} : {value.type}) "
        f"permutation = {order}",
        value,
        lambda env: env[x.name].transpose(order),
    )


def _empty(b: Builder, like: Value) -> str:
    name = b.name("e")
    b.block.lines.append(f"{name} = tensor.empty() : {like.type}")
    return name


def broadcast(b: Builder) -> None:
    x = b.tensor(lambda v: prod(v.shape or ()) < 20 and len(v.shape or ()) < 3)
    if x is None:
        return
    assert x.shape is not None
    dim = b.rng.randint(0, len(x.shape))
    size = b.rng.randint(1, 3)
    value = b.new((*x.shape[:dim], size, *x.shape[dim:]), x.width)
    out = _empty(b, value)
    b.op(
        f"linalg.broadcast ins({x.name} : {x.type}) outs({out} : {value.type}) "
        f"dimensions = [{dim}]",
        value,
        lambda env: np.broadcast_to(np.expand_dims(env[x.name], dim), value.shape),
    )


def _of_shape(b: Builder, shape: tuple[int, ...], width: int) -> Value:
    found = b.tensor(lambda v: v.shape == shape and v.width == width)
    if found is not None:
        return found
    word, value = b.scalar(width), b.new(shape, width)
    return b.op(
        f"tensor.splat {word.name} : {value.type}",
        value,
        lambda env: np.full(shape, env[word.name]),
    )


def reduce(b: Builder) -> None:
    x = b.tensor(lambda v: bool(v.shape))
    if x is None:
        return
    assert x.shape is not None
    dim = b.rng.randrange(len(x.shape))
    shape = tuple(s for d, s in enumerate(x.shape) if d != dim)
    init = _of_shape(b, shape, x.width)
    # A difference is no reduction of a kernel op, so it becomes loops.
    name = b.rng.choice((*REDUCTIONS, "subi"))

    def compute(env: Env) -> Any:
        total = env[init.name]
        for part in np.moveaxis(env[x.name], dim, 0):
            total = np.asarray(BINARY[name](total, part, x.width)).astype(np.uint64)
            total &= np.uint64((1 << x.width) - 1)
        return total

    element = f"i{x.width}"
    args = [b.name("x"), b.name("acc"), b.name("r")]
    b.op(
        f"linalg.reduce ins({x.name} : {x.type}) outs({init.name} : {init.type}) "
        f"dimensions = [{dim}]\n({args[0]}: {element}, {args[1]}: {element}) {{\n"
        f"{args[2]} = arith.{name} {args[1]}, {args[0]} : {element}\n"
        f"linalg.yield {args[2]} : {element}\n}}",
        b.new(shape, x.width),
        compute,
    )


def generic(b: Builder) -> None:
    """An element-wise body over tensors reached by random maps, with a reduction perhaps."""
    sizes = [b.rng.randint(1, 4) for _ in range(b.rng.randint(1, 3))]
    dims = [f"d{i}" for i in range(len(sizes))]
    points = list(product(*map(range, sizes)))
    inputs: list[tuple[Value, str, Callable[[Sequence[int]], tuple[int, ...]]]] = []
    for _ in range(b.rng.randint(1, 3)):
        x = b.tensor(lambda v: v.width == 32 and 0 not in (v.shape or ()))
        if x is None:
            continue
        assert x.shape is not None
        chosen = [_subscript(b, size, sizes) for size in x.shape]
        texts = ", ".join(text for text, _ in chosen)
        inputs.append((x, texts, _picker([pick for _, pick in chosen])))
    kept = [d for d in range(len(sizes)) if b.rng.random() < 0.7]
    b.rng.shuffle(kept)
    shape = tuple(sizes[d] for d in kept)
    out = _of_shape(b, shape, 32)
    # So that each dimension has a size: one more operand in the order of the loops.
    order = b.op(
        f"arith.constant dense<1> : {tensor_type(sizes)}",
        b.new(tuple(sizes)),
        lambda _: np.ones(sizes),
    )
    inputs.append((order, ", ".join(dims), tuple))
    names = [b.rng.choice(list(BINARY)) for _ in inputs]
    last = b.rng.choice((*REDUCTIONS, "subi"))
    with_index = b.rng.random() < 0.3
    captured = b.scalar(32)

    def compute(env: Env) -> Any:
        result = env[out.name].copy()
        for point in points:
            total = env[captured.name]
            for (x, _, pick), name in zip(inputs, names, strict=True):
                total = _wrapped(BINARY[name](total, env[x.name][pick(point)], 32))
            if with_index:
                total = _wrapped(total + np.uint64(point[0]))
            at = tuple(point[d] for d in kept)
            result[at] = _wrapped(BINARY[last](result[at], total, 32))
        return result

    maps = [texts for _, texts, _ in inputs] + [", ".join(dims[d] for d in kept)]
    affine = ", ".join(f"affine_map<({', '.join(dims)}) -> ({m})>" for m in maps)
    kinds = ", ".join('"parallel"' if d in kept else '"reduction"' for d in range(len(sizes)))
    arguments = [b.name("x") for _ in inputs]
    acc = b.name("acc")
    current, lines = captured.name, list[str]()
    for argument, name in zip(arguments, names, strict=True):
        following = b.name("t")
        lines.append(f"{following} = arith.{name} {current}, {argument} : i32")
        current = following
    if with_index:
        at, word, following = b.name("i"), b.name("w"), b.name("t")
        lines.append(f"{at} = linalg.index 0 : index")
        lines.append(f"{word} = arith.index_cast {at} : index to i32")
        lines.append(f"{following} = arith.addi {current}, {word} : i32")
        current = following
    yielded = b.name("t")
    lines.append(f"{yielded} = arith.{last} {acc}, {current} : i32")
    ins = ", ".join(x.name for x, _, _ in inputs)
    types = ", ".join(x.type for x, _, _ in inputs)
    parameters = ", ".join(f"{a}: i32" for a in (*arguments, acc))
    body = "\n".join(lines)
    b.op(
        f"linalg.generic {{indexing_maps = [{affine}], iterator_types = [{kinds}]}} "
        f"ins({ins} : {types}) outs({out.name} : {out.type}) {{\n^bb0({parameters}):\n{body}\n"
        f"linalg.yield {yielded} : i32\n}} -> {out.type}",
        b.new(shape),
        compute,
    )


def _wrapped(word: Any) -> np.uint64:
    return np.asarray(word).astype(np.uint64) & np.uint64(0xFFFFFFFF)


def _subscript(
    b: Builder, size: int, sizes: Sequence[int]
) -> tuple[str, Callable[[Sequence[int]], int]]:
    """An affine expression of the loops that stays below `size`."""
    choices: list[tuple[str, Callable[[Sequence[int]], int]]] = [("0", lambda p: 0)]
    choices.append((f"{size - 1}", lambda p: size - 1))
    for d, bound in enumerate(sizes):
        # A loop that is a subscript by itself must have the size of the dimension.
        if bound == size:
            choices += [(f"d{d}", lambda p, d=d: p[d])] * 4
        if (bound - 1) // 2 < size:
            choices.append((f"d{d} floordiv 2", lambda p, d=d: p[d] // 2))
        if size > 1:
            choices.append((f"d{d} mod {size}", lambda p, d=d: p[d] % size))
        for e, other in enumerate(sizes):
            if bound + other - 1 <= size and e != d:
                choices.append((f"d{d} + d{e}", lambda p, d=d, e=e: p[d] + p[e]))
    return b.rng.choice(choices)


def _picker(
    picks: Sequence[Callable[[Sequence[int]], int]],
) -> Callable[[Sequence[int]], tuple[int, ...]]:
    return lambda point: tuple(pick(point) for pick in picks)


def gather(b: Builder) -> None:
    """A `linalg.generic` that reads elements at computed positions."""
    x = b.tensor(lambda v: v.width == 32 and 0 not in (v.shape or ()) and bool(v.shape))
    indices = b.tensor(lambda v: v.width == 32 and 0 not in (v.shape or ()))
    if x is None or indices is None:
        return
    assert x.shape is not None
    assert indices.shape is not None
    rank, shape = len(indices.shape), x.shape
    limits = [b.constant(size, INDEX) for size in shape]
    value = b.new(indices.shape)
    out = _empty(b, value)
    dims = ", ".join(f"d{i}" for i in range(rank))
    affine = f"affine_map<({dims}) -> ({dims})>"
    kinds = ", ".join(['"parallel"'] * rank)
    word, old, at, read = b.name("x"), b.name("o"), b.name("i"), b.name("r")
    positions = [b.name("p") for _ in shape]
    lines = [f"{at} = arith.index_castui {word} : i32 to index"] + [
        f"{position} = arith.remui {at}, {limit.name} : index"
        for position, limit in zip(positions, limits, strict=True)
    ]
    lines.append(f"{read} = tensor.extract {x.name}[{', '.join(positions)}] : {x.type}")
    body = "\n".join(lines)
    b.op(
        f"linalg.generic {{indexing_maps = [{affine}, {affine}], iterator_types = [{kinds}]}} "
        f"ins({indices.name} : {indices.type}) outs({out} : {value.type}) {{\n"
        f"^bb0({word}: i32, {old}: i32):\n{body}\nlinalg.yield {read} : i32\n}} -> {value.type}",
        value,
        lambda env: env[x.name][
            tuple((env[indices.name] % np.uint64(s)).astype(int) for s in shape)
        ],
    )


def _fill(b: Builder, block: Block, count: int) -> None:
    """Add some ops to a nested block."""
    outer, b.block = b.block, block
    b.depth += 1
    for _ in range(count):
        b.rng.choice(b.ops)(b)
    b.depth -= 1
    b.block = outer


def _yielded(b: Builder, block: Block, like: Value) -> Value:
    found = [v for v in block.values if v.type == like.type]
    return b.rng.choice(found[-3:] if b.rng.random() < 0.7 else found)


def _results(b: Builder, values: Sequence[Value]) -> list[Value]:
    """The results of an op, of the types of `values`."""
    name = b.name("r")
    many = len(values) > 1
    return [Value(f"{name}#{i}" if many else name, v.shape, v.width) for i, v in enumerate(values)]


def _binding(results: Sequence[Value]) -> str:
    name = results[0].name.partition("#")[0]
    return f"{name}:{len(results)}" if len(results) > 1 else name


def _types(values: Sequence[Value]) -> str:
    return ", ".join(v.type for v in values)


def _carried(b: Builder) -> list[Value]:
    found = [b.pick(lambda v: v.width != INDEX) for _ in range(b.rng.randint(1, 3))]
    return [v for v in found if v is not None]


def _pass(env: Env, sources: Sequence[Value], targets: Sequence[Value]) -> None:
    values = [env[v.name] for v in sources]
    for target, value in zip(targets, values, strict=True):
        env[target.name] = value


def for_loop(b: Builder) -> None:
    if b.depth > 1:
        return
    inits = _carried(b)
    count = b.rng.randint(0, 4)
    zero, one, end = (b.constant(n, INDEX) for n in (0, 1, count))
    counter = Value(b.name("i"), None, INDEX, max(count, 1))
    args = [Value(b.name("x"), v.shape, v.width) for v in inits]
    block = b.nested([counter, *args])
    _fill(b, block, b.rng.randint(1, 6))
    yielded = [_yielded(b, block, v) for v in inits]
    results = _results(b, inits)
    pairs = ", ".join(f"{a.name} = {v.name}" for a, v in zip(args, inits, strict=True))
    body = "\n".join(block.lines)
    b.block.lines.append(
        f"{_binding(results)} = scf.for {counter.name} = {zero.name} to {end.name} step "
        f"{one.name} iter_args({pairs}) -> ({_types(inits)}) {{\n{body}\n"
        f"scf.yield {_names(yielded)} : {_types(yielded)}\n}}"
    )

    def step(env: Env) -> None:
        _pass(env, inits, args)
        for i in range(count):
            env[counter.name] = np.uint64(i)
            block.run(env)
            _pass(env, yielded, args)
        _pass(env, args, results)

    b.block.steps.append(step)
    b.block.values += results


def while_loop(b: Builder) -> None:
    """A loop that a counter ends, which passes on what it likes."""
    if b.depth > 1:
        return
    inits = _carried(b)
    count = b.rng.randint(0, 3)
    zero, one, end = (b.constant(n, INDEX) for n in (0, 1, count))
    counter = Value(b.name("k"), None, INDEX, count + 1)
    before = [Value(b.name("x"), v.shape, v.width) for v in inits]
    test = b.nested([counter, *before])
    _fill(b, test, b.rng.randint(0, 3))
    go = b.name("go")
    test.lines.append(f"{go} = arith.cmpi ult, {counter.name}, {end.name} : index")
    kinds = [b.rng.choice(inits) for _ in range(b.rng.randint(1, 3))]
    passed = [_yielded(b, test, v) for v in kinds]
    after_counter = Value(b.name("k"), None, INDEX, max(count, 1))
    after = [Value(b.name("y"), v.shape, v.width) for v in kinds]
    body = b.nested([after_counter, *after])
    _fill(b, body, b.rng.randint(1, 4))
    following = b.name("k")
    body.lines.append(f"{following} = arith.addi {after_counter.name}, {one.name} : index")
    yielded = [_yielded(b, body, v) for v in inits]
    name = b.name("r")
    results = [Value(f"{name}#{i + 1}", v.shape, v.width) for i, v in enumerate(kinds)]
    starts = ", ".join(
        f"{a.name} = {v.name}" for a, v in zip((counter, *before), (zero, *inits), strict=True)
    )
    parameters = ", ".join(f"{v.name}: {v.type}" for v in (after_counter, *after))
    test_lines, body_lines = "\n".join(test.lines), "\n".join(body.lines)
    b.block.lines.append(
        f"{name}:{len(kinds) + 1} = scf.while ({starts}) : (index, {_types(inits)}) -> "
        f"(index, {_types(kinds)}) {{\n{test_lines}\n"
        f"scf.condition({go}) {counter.name}, {_names(passed)} : index, {_types(passed)}\n"
        f"}} do {{\n"
        f"^bb0({parameters}):\n{body_lines}\n"
        f"scf.yield {following}, {_names(yielded)} : index, {_types(yielded)}\n}}"
    )

    def step(env: Env) -> None:
        _pass(env, inits, before)
        for i in range(count + 1):
            env[counter.name] = env[after_counter.name] = np.uint64(i)
            test.run(env)
            _pass(env, passed, after)
            if i == count:
                break
            body.run(env)
            _pass(env, yielded, before)
        _pass(env, after, results)

    b.block.steps.append(step)
    b.block.values += results


def condition(b: Builder) -> None:
    if b.depth > 2:
        return
    kinds = _carried(b)
    x, y = b.scalar(32), b.scalar(32)
    flag = b.name("c")
    b.block.lines.append(f"{flag} = arith.cmpi ult, {x.name}, {y.name} : i32")
    blocks = [b.nested([]), b.nested([])]
    ends: list[list[Value]] = []
    for block in blocks:
        _fill(b, block, b.rng.randint(0, 4))
        ends.append([_yielded(b, block, v) for v in kinds])
    results = _results(b, kinds)
    texts = [
        "\n".join(block.lines) + f"\nscf.yield {_names(end)} : {_types(end)}"
        for block, end in zip(blocks, ends, strict=True)
    ]
    b.block.lines.append(
        f"{_binding(results)} = scf.if {flag} -> ({_types(kinds)}) {{\n{texts[0]}\n}} else {{\n"
        f"{texts[1]}\n}}"
    )

    def step(env: Env) -> None:
        taken = 0 if env[x.name] < env[y.name] else 1
        blocks[taken].run(env)
        _pass(env, ends[taken], results)

    b.block.steps.append(step)
    b.block.values += results


def blocks(b: Builder) -> None:
    """A loop of blocks in the function, whose values are used after it."""
    if b.depth > 0:
        return
    inits, kinds, leaving = _carried(b), _carried(b), _carried(b)
    count = b.rng.randint(0, 3)
    zero, one, end = (b.constant(n, INDEX) for n in (0, 1, count))
    counter = Value(b.name("k"), None, INDEX, count + 1)
    head_args = [Value(b.name("x"), v.shape, v.width) for v in inits]
    body_args = [Value(b.name("y"), v.shape, v.width) for v in kinds]
    exit_args = [Value(b.name("z"), v.shape, v.width) for v in leaving]
    head = b.nested([counter, *head_args])
    _fill(b, head, b.rng.randint(0, 4))
    to_body = [_yielded(b, head, v) for v in kinds]
    to_exit = [_yielded(b, head, v) for v in leaving]
    body = Block([*head.values, *body_args])
    _fill(b, body, b.rng.randint(0, 4))
    to_head = [_yielded(b, body, v) for v in inits]
    go, following = b.name("go"), b.name("k")
    names = [b.name("block").replace("%", "^") for _ in range(3)]

    def target(number: int, values: Sequence[Value]) -> str:
        return f"{names[number]}({_names(values)} : {_types(values)})"

    def header(number: int, values: Sequence[Value]) -> str:
        return f"{names[number]}({', '.join(f'{v.name}: {v.type}' for v in values)}):"

    next_counter = Value(following, None, INDEX)
    b.block.lines += [
        f"cf.br {target(0, [zero, *inits])}",
        header(0, [counter, *head_args]),
        *head.lines,
        f"{go} = arith.cmpi ult, {counter.name}, {end.name} : index",
        f"cf.cond_br {go}, {target(1, to_body)}, {target(2, to_exit)}",
        header(1, body_args),
        *body.lines,
        f"{following} = arith.addi {counter.name}, {one.name} : index",
        f"cf.br {target(0, [next_counter, *to_head])}",
        header(2, exit_args),
    ]

    def step(env: Env) -> None:
        _pass(env, inits, head_args)
        for i in range(count + 1):
            env[counter.name] = np.uint64(i)
            head.run(env)
            if i == count:
                break
            _pass(env, to_body, body_args)
            body.run(env)
            _pass(env, to_head, head_args)
        _pass(env, to_exit, exit_args)

    b.block.steps.append(step)
    b.block.values += [v for v in head.values if v not in b.block.values] + exit_args


CONTROL: tuple[Callable[[Builder], None], ...] = (
    *(for_loop,) * 2,
    *(condition,) * 2,
    while_loop,
    blocks,
)

UPDATES: tuple[Callable[[Builder], None], ...] = (
    *(elementwise,) * 2,
    extract,
    *(insert,) * 4,
    extract_slice,
    *(insert_slice,) * 3,
    transpose,
    *CONTROL,
)
"""What may go wrong when buffers are written in place."""

OPS: tuple[Callable[[Builder], None], ...] = (
    constant,
    splat,
    from_elements,
    division,
    select,
    reshape,
    collapse,
    concat,
    pad,
    transpose,
    broadcast,
    reduce,
    gather,
    *(elementwise,) * 6,
    *(extract,) * 2,
    *(insert,) * 3,
    *(extract_slice,) * 2,
    *(insert_slice,) * 3,
    *(generic,) * 2,
    *CONTROL,
)
"""What a program is made of, some more often than others."""

BY_ITEM: tuple[Callable[[Builder], None], ...] = (
    constant,
    splat,
    division,
    select,
    reshape,
    transpose,
    broadcast,
    reduce,
    extract_slice,
    *(elementwise,) * 8,
    *(gather,) * 2,
    *(for_loop,) * 2,
    while_loop,
    condition,
)
"""What computes on single items, and a little else."""
