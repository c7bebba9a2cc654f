"""Random straight-line code: arithmetic, memory and vectors."""

from __future__ import annotations

from support.random_ast import (
    I1,
    I8,
    I16,
    I32,
    INDEX,
    Global,
    Int,
    Mem,
    Type,
    Value,
    Vec,
    memref_of,
)
from support.random_builder import LEAST_DYNAMIC_SIZE, Builder, Size, Statement
from support.random_evaluate import BINARY_OPS, DIVISIONS, EXTENDED_OPS

_SHIFTS = ("arith.shli", "arith.shrui", "arith.shrsi")
_OVERFLOW_OPS = ("arith.addi", "arith.subi", "arith.muli", "arith.shli")
OPERATIONS = ("arith.addi", "arith.subi", "arith.muli", "arith.xori", "arith.andi", "arith.shli")
"""The ops that programs have most."""
_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


# Arithmetic


def _operation(b: Builder) -> str:
    return b.choose(OPERATIONS) if b.chance(0.3) else b.choose(BINARY_OPS)


def apply(b: Builder, name: str, type: Type, lhs: Value, rhs: Value) -> Value:
    """A binary op that does not trap: divisors are made nonzero, most shift counts small."""
    if name in DIVISIONS:
        rhs = _nonzero(b, rhs)
    if name in _SHIFTS and b.chance(0.8):
        rhs = _mask(b, rhs)
    if name in _OVERFLOW_OPS and b.chance(0.05):
        # The flags promise nothing here: what overflows wraps.
        return b.value(name, [lhs, rhs], type, overflow=b.choose(("nsw", "nuw")))
    return b.value(name, [lhs, rhs], type)


def _full(b: Builder, word: int, type: Type) -> Value:
    """A constant, or a vector of it."""
    if isinstance(type, Int):
        return b.constant(word, type)
    assert isinstance(type, Vec)
    word &= (1 << type.element.width) - 1
    return b.value("arith.constant", [], type, value=[word] * type.lanes)


def _nonzero(b: Builder, divisor: Value) -> Value:
    type = divisor.type
    element = type if isinstance(type, Int) else type.element
    way = b.weighted({"or": 3, "constant": 3, "select": 2, "max": 1})
    if way == "constant":
        return _full(b, b.word(element) or 1, type)
    if way == "select" and isinstance(type, Int):
        zero = b.value("arith.cmpi", [divisor, b.constant(0, type)], I1, predicate="eq")
        return b.value("arith.select", [zero, b.constant(b.word(type) or 1, type), divisor], type)
    if way == "max":
        return b.value("arith.maxui", [divisor, _full(b, 1, type)], type)
    return b.value("arith.ori", [divisor, _full(b, 1, type)], type)


def _mask(b: Builder, count: Value) -> Value:
    type = count.type
    width = (type if isinstance(type, Int) else type.element).width
    if b.chance(0.6):
        return _full(b, b.rng.randrange(width), type)
    return b.value("arith.andi", [count, _full(b, width - 1, type)], type)


def arithmetic(b: Builder) -> None:
    type = b.int_type()
    apply(b, _operation(b), type, b.pick(type), b.pick(type))


def extended_arithmetic(b: Builder) -> None:
    name, type = b.choose(EXTENDED_OPS), b.int_type()
    if name == "arith.addui_extended" and type == INDEX:
        # xDSL does not know it.
        type = I32
    second = I1 if name in ("arith.addui_extended", "arith.subui_extended") else type
    b.emit(name, [b.pick(type), b.pick(type)], [type, second])


def comparison(b: Builder) -> None:
    type = b.int_type()
    b.value("arith.cmpi", [b.pick(type), b.pick(type)], I1, predicate=b.choose(_PREDICATES))


def condition(b: Builder) -> Value:
    """An i1, often a new comparison."""
    if b.chance(0.6):
        comparison(b)
        return b.scope[-1]
    return b.pick(I1)


def selection(b: Builder) -> None:
    type = b.int_type()
    b.value("arith.select", [condition(b), b.pick(type), b.pick(type)], type)


def conversion(b: Builder) -> None:
    source, target = b.int_type(), b.int_type()
    b.convert(b.pick(source), target)


def constant(b: Builder) -> None:
    type = b.int_type()
    b.constant(b.word(type), type)


def chain(b: Builder) -> None:
    """Several ops of one type, each using the last: hashes, polynomials."""
    type = b.weighted({I32: 6, INDEX: 1, I16: 1, I8: 1})
    value = b.pick(type)
    for _ in range(b.rng.randrange(2, 6)):
        other = value if b.chance(0.2) else b.pick(type)
        operands = (value, other) if b.chance(0.7) else (other, value)
        value = apply(b, _operation(b), type, *operands)


def crowd(b: Builder) -> None:
    """Many values that live at the same time."""
    types: list[Type] = [I32, I32, I32]
    types += [v.type for v in b.scope if isinstance(v.type, Vec)]
    type = b.choose(types)
    values = [b.pick(type)]
    for _ in range(b.rng.randrange(10, 50)):
        values.append(apply(b, _operation(b), type, b.choose(values), b.pick(type)))
    b.rng.shuffle(values)
    total = values[0]
    for value in values[1:]:
        total = b.value(b.choose(("arith.addi", "arith.xori")), [total, value], type)


# Memory


def load_from(b: Builder, memref: Value) -> Value:
    element = memref_of(memref).element
    value = b.value("memref.load", [memref, *b.subscripts(memref)], element)
    bound = b.facts.entries_below.get(memref)
    if bound is not None and b.chance(0.7):
        # A subscript from memory, known to be in range.
        index = value
        if element != INDEX:
            index = b.value("arith.index_castui", [value], INDEX)
        b.facts.below[index] = bound
    return value


def store_to(b: Builder, memref: Value, word: Value | None = None) -> None:
    word = word or b.pick(memref_of(memref).element)
    b.emit("memref.store", [word, memref, *b.subscripts(memref)])


def load(b: Builder) -> None:
    if memrefs := b.memrefs():
        load_from(b, b.choose(memrefs))


def store(b: Builder) -> None:
    if memrefs := b.memrefs(writable=True):
        store_to(b, b.choose(memrefs))


def update(b: Builder) -> None:
    """Load, change and store an element."""
    memrefs = b.memrefs(writable=True)
    if not memrefs:
        return
    memref = b.choose(memrefs)
    type = memref_of(memref).element
    place = b.subscripts(memref)
    old = b.value("memref.load", [memref, *place], type)
    new = apply(b, _operation(b), type, old, b.pick(type))
    b.emit("memref.store", [new, memref, *place])


def memref_type(b: Builder, *, small: bool = False) -> Mem:
    """The type of a new array."""
    shapes = (
        ((2,), (4,), (8,), (3,), (2, 3), (9,))
        if small
        else ((8,), (9,), (16,), (20,), (33,), (64,), (4, 8), (3, 5), (8, 8), (2, 16), (2, 3, 4))
    )
    return Mem(b.choose(shapes), b.weighted({I32: 12, I16: 2, I8: 2, INDEX: 0.5, I1: 0.3}))


def allocation(b: Builder) -> None:
    """A local array, which is filled at once."""
    sources = [m for m in b.memrefs() if None not in _shape(m) and _words(m) <= 32]
    if sources and b.chance(0.3):
        source = b.choose(sources)
        type = memref_of(source)
        type = Mem(type.shape, type.element)
        target = _allocate(b, type)
        b.emit("memref.copy", [source, target])
        return
    type = memref_type(b, small=True)
    word = b.pick(type.element)
    target = _allocate(b, type)
    fill(b, target, word)


def _shape(memref: Value) -> tuple[int | None, ...]:
    return memref_of(memref).shape


def _words(memref: Value) -> int:
    words = 1
    for size in _shape(memref):
        words *= size or 1
    return words


def _allocate(b: Builder, type: Mem) -> Value:
    memref = b.value(b.choose(("memref.alloca", "memref.alloc")), [], type)
    b.facts.local.add(memref)
    return memref


def fill(b: Builder, memref: Value, word: Value, place: tuple[Value, ...] = ()) -> None:
    """Write all elements: a nest of loops, or one store after the other."""
    sizes = _shape(memref)
    if len(place) == len(sizes):
        element = memref_of(memref).element
        value = word
        if b.chance(0.5) and place:
            value = b.value("arith.addi", [word, b.convert(place[-1], element)], element)
        b.emit("memref.store", [value, memref, *place])
        return
    size = sizes[len(place)]
    assert size is not None
    if size <= 4 and b.chance(0.5):
        for number in range(size):
            fill(b, memref, word, (*place, b.constant(number, INDEX)))
        return
    bounds = [b.constant(n, INDEX) for n in (0, size, 1)]
    iv = Value(INDEX)
    b.facts.below[iv] = size
    with b.region([iv], size) as block:
        fill(b, memref, word, (*place, iv))
        b.emit("scf.yield")
    b.emit("scf.for", bounds, regions=[[block]])


def global_constant(b: Builder) -> None:
    if b.globals and b.chance(0.5):
        found = b.choose(b.globals)
    else:
        type = memref_type(b, small=b.chance(0.7))
        size = 1
        for d in type.shape:
            size *= d or 1
        values = [b.word(type.element) for _ in range(size)]
        found = Global(f"g{len(b.globals)}", type, values)
        b.globals.append(found)
    memref = b.value("memref.get_global", [], found.type, **{"global": found.name})
    b.facts.read_only.add(memref)
    load_from(b, memref)


def copy(b: Builder) -> None:
    targets = b.memrefs(writable=True, where=lambda t: None not in t.shape)
    pairs = [
        (source, target)
        for target in targets
        for source in b.memrefs()
        if _shape(source) == _shape(target)
        and memref_of(source).element == memref_of(target).element
        and source is not target
        and _words(source) * b.repeat <= 500
    ]
    # Source and target of a copy must not overlap, so at least one is a whole local array.
    whole = [pair for pair in pairs if any(_is_whole_local(b, m) for m in pair)]
    if whole:
        b.emit("memref.copy", b.choose(whole))


def _is_whole_local(b: Builder, memref: Value) -> bool:
    return memref in b.facts.local and memref_of(memref).strides is None


def _strides(type: Mem) -> list[int | None]:
    if type.strides is not None:
        return list(type.strides)
    strides: list[int | None] = []
    step: int | None = 1
    for size in reversed(type.shape):
        strides.insert(0, step)
        step = None if step is None or size is None else step * size
    return strides


def subview(b: Builder) -> None:
    memrefs = b.memrefs(where=lambda t: t.shape != (1,))
    if not memrefs:
        return
    source = b.choose(memrefs)
    type = memref_of(source)
    offsets: list[int | None] = []
    sizes: list[int] = []
    steps: list[int] = []
    computed: list[Value] = []
    for size in b.sizes(source):
        least = size if isinstance(size, int) else LEAST_DYNAMIC_SIZE
        steps.append(step := b.weighted({1: 6, 2: 1, 3: 0.3}))
        sizes.append(count := b.rng.randint(1, (least - 1) // step + 1))
        span = (count - 1) * step + 1
        if b.chance(0.5):
            offsets.append(b.rng.randrange(least - span + 1))
        else:
            offsets.append(None)
            computed.append(b.subscript(size, span))
    dropped = [n for n, count in enumerate(sizes) if count == 1 and len(sizes) > 1]
    dropped = dropped[: len(sizes) - 1] if b.chance(0.6) else []
    result = _subview_type(type, offsets, sizes, steps, dropped)
    lists = {"offsets": offsets, "sizes": sizes, "strides": steps, "dropped": dropped}
    memref = b.value("memref.subview", [source, *computed], result, **lists)
    b.derive(memref, [source], [size for size in result.shape if size is not None])


def _subview_type(
    type: Mem, offsets: list[int | None], sizes: list[int], steps: list[int], dropped: list[int]
) -> Mem:
    strides = _strides(type)
    offset = type.offset
    for start, stride in zip(offsets, strides, strict=True):
        if offset is None or start is None or (stride is None and start):
            offset = None
        else:
            offset += start * (stride or 0)
    kept = [n for n in range(len(sizes)) if n not in dropped]
    new_strides = [None if s is None else s * k for s, k in zip(strides, steps, strict=True)]
    return Mem(
        tuple(sizes[n] for n in kept),
        type.element,
        tuple(new_strides[n] for n in kept),
        offset,
    )


def reshape(b: Builder) -> None:
    """Join or split dimensions of a contiguous array."""
    memrefs = b.memrefs(where=lambda t: t.strides is None and None not in t.shape)
    if not memrefs:
        return
    source = b.choose(memrefs)
    type = memref_of(source)
    shape = [size for size in type.shape if size is not None]
    if len(shape) > 1:
        groups = [[0, 1], *([n] for n in range(2, len(shape)))]
        joined = Mem((shape[0] * shape[1], *shape[2:]), type.element)
        memref = b.value("memref.collapse_shape", [source], joined, groups=groups)
    else:
        rows = b.choose([n for n in range(1, shape[0] + 1) if shape[0] % n == 0])
        split = [rows, shape[0] // rows]
        memref = b.value(
            "memref.expand_shape",
            [source],
            Mem(tuple(split), type.element),
            groups=[[0, 1]],
            shape=split,
        )
    b.derive(memref, [source], [size for size in memref_of(memref).shape if size is not None])


def cast_memref(b: Builder) -> None:
    """Forget a static size."""
    memrefs = b.memrefs(
        where=lambda t: t.strides is None and (t.shape[0] or 0) >= LEAST_DYNAMIC_SIZE
    )
    if not memrefs:
        return
    source = b.choose(memrefs)
    type = memref_of(source)
    result = Mem((None, *type.shape[1:]), type.element)
    memref = b.value("memref.cast", [source], result)
    b.derive(memref, [source], b.sizes(source))


def dimension(b: Builder) -> None:
    memrefs = b.memrefs(where=lambda t: None not in t.shape)
    if not memrefs:
        return
    memref = b.choose(memrefs)
    sizes = b.sizes(memref)
    number = b.rng.randrange(len(sizes))
    b.value("memref.dim", [memref, b.constant(number, INDEX)], INDEX)


def select_memref(b: Builder) -> None:
    """One of two memrefs, chosen at run time."""
    memrefs = b.memrefs()
    if not memrefs:
        return
    first = b.choose(memrefs)
    same = [m for m in memrefs if m.type == first.type and b.sizes(m) == b.sizes(first)]
    second = b.choose(same)
    memref = b.value("arith.select", [condition(b), first, second], first.type)
    b.derive(memref, [first, second], b.sizes(first))


# Vectors


def vector_type(b: Builder) -> Vec:
    element = b.weighted({I32: 12, INDEX: 0.5, I16: 1, I8: 1})
    return Vec(b.choose(b.lanes), element)


def _some_vector(b: Builder) -> tuple[Value, Vec]:
    vectors = [(v, v.type) for v in b.scope if isinstance(v.type, Vec)]
    if vectors and b.chance(0.8):
        return b.choose(vectors)
    type = vector_type(b)
    return b.pick(type), type


def _last_stride(type: Mem) -> int | None:
    return 1 if type.strides is None else type.strides[-1]


def _vector_memrefs(b: Builder, least: int = 1) -> list[Value]:
    """Memrefs that vectors can be loaded from."""
    return [
        m
        for m in b.memrefs(where=lambda t: _last_stride(t) == 1 and t.element != I1)
        if _least(b.sizes(m)[-1]) >= least
    ]


def vector_memory(b: Builder) -> None:
    """A vector load, arithmetic, often a vector store."""
    lanes = b.choose(b.lanes)
    memrefs = _vector_memrefs(b, lanes)
    if not memrefs:
        return
    source, target = b.choose(memrefs), b.choose(memrefs)
    type = Vec(lanes, memref_of(source).element)
    value = b.value("vector.load", [source, *b.subscripts(source, lanes)], type)
    for _ in range(b.rng.randrange(3)):
        value = apply(b, _operation(b), type, value, b.pick(type))
    if target not in b.facts.read_only and memref_of(target).element == type.element:
        b.emit("vector.store", [value, target, *b.subscripts(target, lanes)])


def vector_tail(b: Builder) -> None:
    """A vector access of which only the lanes inside the array take part."""
    memrefs = _vector_memrefs(b)
    if not memrefs:
        return
    memref, lanes = b.choose(memrefs), b.choose(b.lanes)
    type = Vec(lanes, memref_of(memref).element)
    place = b.subscripts(memref)
    may_store = memref not in b.facts.read_only
    size = b.sizes(memref)[-1]
    if b.chance(0.5) and isinstance(size, int):
        in_bounds = "false"
        pad = b.pick(type.element)
        value = b.value("vector.transfer_read", [memref, pad, *place], type, in_bounds=in_bounds)
        if may_store:
            value = apply(b, _operation(b), type, value, b.pick(type))
            b.emit("vector.transfer_write", [value, memref, *place], in_bounds=in_bounds)
        return
    end = size if isinstance(size, Value) else b.constant(size, INDEX)
    left = b.value("arith.subi", [end, place[-1]], INDEX)
    mask = b.value("vector.create_mask", [left], Vec(lanes, I1))
    if b.chance(0.3):
        mask = b.value("arith.andi", [mask, b.pick(mask.type)], mask.type)
    value = b.value("vector.maskedload", [memref, mask, b.pick(type), *place], type)
    if may_store:
        value = apply(b, _operation(b), type, value, b.pick(type))
        b.emit("vector.maskedstore", [memref, mask, value, *place])


def vector_gather(b: Builder) -> None:
    """A load from or a store to computed places of a row."""
    memrefs = _vector_memrefs(b)
    if not memrefs:
        return
    memref, lanes = b.choose(memrefs), b.choose(b.lanes)
    type, steps = Vec(lanes, memref_of(memref).element), Vec(lanes, b.choose((I32, I32, INDEX)))
    *outer, _ = b.subscripts(memref)
    limit = _full(b, _least(b.sizes(memref)[-1]), steps)
    index = b.value("arith.remui", [b.pick(steps), limit], steps)
    place = [*outer, b.constant(0, INDEX)]
    mask = b.pick(Vec(lanes, I1)) if b.chance(0.5) else _full(b, 1, Vec(lanes, I1))
    operands = [memref, index, mask, b.pick(type), *place]
    if memref not in b.facts.read_only and b.chance(0.4):
        b.emit("vector.scatter", operands)
    else:
        b.value("vector.gather", operands, type)


def vector_parts(b: Builder) -> None:
    """Vectors out of lanes and parts of vectors."""
    vector, type = _some_vector(b)
    way = b.choose(("elements", "step", "extract", "insert"))
    if way == "elements":
        elements = [b.pick(type.element) for _ in range(type.lanes)]
        b.value("vector.from_elements", elements, type)
    elif way == "step":
        b.value("vector.step", [], Vec(type.lanes, INDEX))
    elif (part := b.choose(b.lanes)) <= type.lanes:
        start = b.rng.randrange(type.lanes - part + 1)
        small = Vec(part, type.element)
        if way == "extract":
            b.value("vector.extract_strided_slice", [vector], small, start=start, size=part)
        else:
            b.value("vector.insert_strided_slice", [b.pick(small), vector], type, start=start)


def _least(size: Size) -> int:
    return size if isinstance(size, int) else LEAST_DYNAMIC_SIZE


def vector_arithmetic(b: Builder) -> None:
    _, type = _some_vector(b)
    for _ in range(b.rng.randrange(1, 4)):
        apply(b, _operation(b), type, b.pick(type), b.pick(type))


def vector_selection(b: Builder) -> None:
    _, type = _some_vector(b)
    if b.chance(0.3):
        b.value("arith.select", [condition(b), b.pick(type), b.pick(type)], type)
        return
    mask = Vec(type.lanes, I1)
    if b.chance(0.7):
        operands = [b.pick(type), b.pick(type)]
        b.value("arith.cmpi", operands, mask, predicate=b.choose(_PREDICATES))
    b.value("arith.select", [b.pick(mask), b.pick(type), b.pick(type)], type)


def vector_lane(b: Builder) -> None:
    """Read or write a lane."""
    vector, type = _some_vector(b)
    lane = None if b.chance(0.3) else b.rng.randrange(type.lanes)
    place = [b.subscript(type.lanes)] if lane is None else []
    if b.chance(0.5):
        b.value("vector.extract", [vector, *place], type.element, lane=lane)
    else:
        b.value("vector.insert", [b.pick(type.element), vector, *place], type, lane=lane)


def vector_shuffle(b: Builder) -> None:
    _, type = _some_vector(b)
    result = Vec(b.choose(b.lanes), type.element)
    mask = [b.rng.randrange(2 * type.lanes) for _ in range(result.lanes)]
    b.value("vector.shuffle", [b.pick(type), b.pick(type)], result, mask=mask)


def vector_reduction(b: Builder) -> None:
    vector, type = _some_vector(b)
    element = type.element
    kinds = ("add", "mul", "and", "or", "xor", "minui", "maxui", "minsi", "maxsi")
    start = [b.pick(element)] if b.chance(0.3) else []
    b.value("vector.reduction", [vector, *start], element, kind=b.choose(kinds))


def vector_conversion(b: Builder) -> None:
    vector, type = _some_vector(b)
    target = b.choose([t for t in (I1, I8, I16, I32, INDEX) if t != type.element])
    if INDEX in (type.element, target):
        name = b.choose(("arith.index_cast", "arith.index_castui"))
    elif target.width < type.element.width:
        name = "arith.trunci"
    else:
        name = b.choose(("arith.extui", "arith.extsi"))
    b.value(name, [vector], Vec(type.lanes, target))


STRAIGHT_LINE: dict[str, tuple[int, Statement]] = {
    "arithmetic": (30, arithmetic),
    "extended": (4, extended_arithmetic),
    "comparison": (6, comparison),
    "selection": (6, selection),
    "conversion": (6, conversion),
    "constant": (2, constant),
    "chain": (8, chain),
    "crowd": (1, crowd),
    "load": (14, load),
    "store": (12, store),
    "update": (5, update),
    "allocation": (2, allocation),
    "global": (2, global_constant),
    "copy": (1, copy),
    "subview": (3, subview),
    "reshape": (1, reshape),
    "memref_cast": (1, cast_memref),
    "dim": (1, dimension),
    "memref_select": (1, select_memref),
}
"""Statements by name, with their weight."""

VECTOR: dict[str, tuple[int, Statement]] = {
    "vector_memory": (8, vector_memory),
    "vector_tail": (2, vector_tail),
    "vector_gather": (2, vector_gather),
    "vector_parts": (2, vector_parts),
    "vector_arithmetic": (7, vector_arithmetic),
    "vector_selection": (3, vector_selection),
    "vector_lane": (4, vector_lane),
    "vector_shuffle": (1, vector_shuffle),
    "vector_reduction": (2, vector_reduction),
    "vector_conversion": (1, vector_conversion),
}
"""Statements on vectors, for programs that have some."""
