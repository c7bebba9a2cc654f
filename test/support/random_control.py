"""Random control flow: loops, branches, calls and graphs of blocks."""

from __future__ import annotations

from collections.abc import Sequence

from support.random_ast import (
    I1,
    I32,
    INDEX,
    Block,
    Function,
    Mem,
    Region,
    Type,
    Value,
    Vec,
    memref_of,
)
from support.random_builder import Builder, Size, Statement
from support.random_evaluate import DIVISIONS
from support.random_statements import apply, condition

MAX_REPEAT = 500
"""How often the innermost code runs at most, estimated."""
MAX_DEPTH = 4


def _body_budget(b: Builder) -> int:
    return b.rng.choice((1, 2, 3, 5, 8, 12))


def _may_nest(b: Builder) -> bool:
    return b.depth < MAX_DEPTH


def _carried(b: Builder, most: int) -> list[Value]:
    """Initial values for a loop's carried values."""
    types: list[Type] = [v.type for v in b.scope if isinstance(v.type, Vec)]
    values = [
        b.pick(b.choose(types) if types and b.chance(0.2) else b.int_type())
        for _ in range(b.rng.randint(0, most))
    ]
    memrefs = b.memrefs(where=lambda t: None not in t.shape)
    if memrefs and b.chance(0.06):
        values.append(b.choose(memrefs))
    return values


def _args_for(b: Builder, values: Sequence[Value]) -> list[Value]:
    """New values of the types of `values`, with what is known of memrefs."""
    args = [Value(v.type) for v in values]
    for arg, value in zip(args, values, strict=True):
        if isinstance(value.type, Mem):
            # What comes around the loop may be any memref of this type.
            b.derive(arg, [m for m in b.scope if m.type == value.type], b.sizes(value))
    return args


def _picks(b: Builder, values: Sequence[Value], *, local_since: int = 0) -> list[Value]:
    """A value to pass on for each of `values`."""
    fresh = b.scope[local_since:]
    return [
        _some_memref(b, v, fresh) if isinstance(v.type, Mem) else b.pick(v.type) for v in values
    ]


def _some_memref(b: Builder, like: Value, fresh: Sequence[Value]) -> Value:
    # A memref allocated in a loop must not be passed to its next iteration.
    made_here = {v for v in fresh if v in b.facts.local}
    same = [
        m
        for m in b.memrefs(writable=like not in b.facts.read_only)
        if m.type == like.type and b.sizes(m) == b.sizes(like)
    ]
    return b.choose([m for m in same if m not in made_here] or [like])


def _yield_from(b: Builder, budget: int, like: Sequence[Value], start: int) -> None:
    """A random body, then `scf.yield` of one value for each of `like`."""
    b.body(budget)
    if b.chance(0.7):
        b.flush(start)
    b.emit("scf.yield", _picks(b, like, local_since=start))


def for_loop(b: Builder) -> None:
    if not _may_nest(b):
        return
    iv, bounds, trips = _loop_bounds(b)
    carried = _carried(b, 3)
    args = _args_for(b, carried)
    start = len(b.scope)
    with b.region([iv, *args], trips) as block:
        _yield_from(b, _body_budget(b), args, start)
    _emit_loop(b, "scf.for", [*bounds, *carried], args, [[block]])


def _emit_loop(
    b: Builder,
    name: str,
    operands: Sequence[Value],
    args: Sequence[Value],
    regions: Sequence[Region],
) -> None:
    results = b.emit(name, operands, [a.type for a in args], regions=regions)
    for result, arg in zip(results, args, strict=True):
        _like(b, result, arg)


def _like(b: Builder, result: Value, arg: Value) -> None:
    """Note of a memref what is known of another."""
    if isinstance(arg.type, Mem):
        b.derive(result, [arg], b.sizes(arg))


def _loop_bounds(b: Builder) -> tuple[Value, list[Value], int]:
    """The variable, the bounds and step, and about how often the loop runs."""
    limit = max(1, MAX_REPEAT // b.repeat)
    memrefs = b.memrefs()
    if memrefs and b.chance(0.55):
        size = b.choose(b.sizes(b.choose(memrefs)))
        if _estimate(size) <= limit:
            return _loop_over(b, size)
    type = I32 if b.chance(0.15) else INDEX
    iv = Value(type)
    if b.chance(0.3):
        most = b.rng.randint(1, min(limit, 9))
        upper = apply(b, "arith.remui", type, b.pick(type), b.constant(most + 1, type))
        return iv, [b.constant(b.choose((0, 0, 1)), type), upper, b.constant(1, type)], most
    lower = b.choose((0, 0, 0, 1, 2, 5, -3))
    step = b.choose((1, 1, 1, 2, 3, 7))
    trips = b.rng.randint(0, min(limit, 12))
    upper = lower + trips * step - b.rng.randrange(step)
    if lower >= 0 and type == INDEX:
        b.facts.below[iv] = max(upper, 1)
    return iv, [b.constant(n, type) for n in (lower, upper, step)], trips


def _estimate(size: Size) -> int:
    return size if isinstance(size, int) else 20


def _loop_over(b: Builder, size: Size) -> tuple[Value, list[Value], int]:
    """A loop over a dimension of an array."""
    iv = Value(INDEX)
    step = b.choose((1, 1, 1, 2, 8))
    b.facts.below[iv] = size if isinstance(size, Value) else (size - 1) // step * step + 1
    upper = size if isinstance(size, Value) else b.constant(size, INDEX)
    bounds = [b.constant(0, INDEX), upper, b.constant(step, INDEX)]
    return iv, bounds, -(-_estimate(size) // step)


def while_loop(b: Builder) -> None:
    """A loop that ends on a random condition, or when its counter reaches a limit."""
    if not _may_nest(b):
        return
    trips = b.rng.randint(1, max(1, min(12, MAX_REPEAT // b.repeat)))
    type = b.choose((I32, INDEX))
    limit = b.constant(trips, type)
    inits = [b.constant(0, type), *_carried(b, 2)]
    before_args = _args_for(b, inits)
    start = len(b.scope)
    with b.region(before_args, trips) as before:
        b.body(b.choose((0, 0, 1, 4)))
        below = b.value("arith.cmpi", [before_args[0], limit], I1, predicate="ult")
        go = below
        if b.chance(0.6):
            go = b.value("arith.andi", [below, condition(b)], I1)
        passed = [before_args[0], *(before_args[1:] if b.chance(0.6) else _carried(b, 2))]
        passed = [v if not isinstance(v.type, Mem) else before_args[0] for v in passed]
        b.emit("scf.condition", [go, *passed])
    after_args = [Value(v.type) for v in passed]
    with b.region(after_args, trips) as after:
        b.body(b.choose((0, 1, 3, 6)))
        if b.chance(0.5):
            b.flush(start)
        count = b.value("arith.addi", [after_args[0], b.constant(1, type)], type)
        b.emit("scf.yield", [count, *_picks(b, before_args[1:], local_since=start)])
    b.emit("scf.while", inits, [v.type for v in passed], regions=[[before], [after]])


def _result_types(b: Builder, most: int) -> list[Type]:
    types = [v.type for v in b.scope if isinstance(v.type, Vec)]
    return [
        b.choose(types) if types and b.chance(0.15) else b.int_type()
        for _ in range(b.rng.randint(0, most))
    ]


def _branch(b: Builder, budget: int, like: Sequence[Value]) -> Block:
    start = len(b.scope)
    with b.region() as block:
        _yield_from(b, budget, like, start)
    return block


def branch(b: Builder) -> None:
    if not _may_nest(b):
        return
    test = condition(b)
    like = [Value(t) for t in _result_types(b, 2)]
    memrefs = b.memrefs()
    if memrefs and b.chance(0.05):
        like.append(b.choose(memrefs))
    on_true = _branch(b, _body_budget(b) // 2, like)
    on_false = None
    if like or b.chance(0.4):
        on_false = _branch(b, _body_budget(b) // 2, like)
    regions = [[on_true], [on_false] if on_false else []]
    results = b.emit("scf.if", [test], [v.type for v in like], regions=regions)
    for result, value in zip(results, like, strict=True):
        if isinstance(value.type, Mem):
            same = [m for m in b.memrefs() if m.type == value.type]
            b.derive(result, same, b.sizes(value))


def guarded_division(b: Builder) -> None:
    """A division that runs only where the divisor is not zero."""
    type = b.int_type()
    divisor = b.pick(type)
    test = b.value("arith.cmpi", [divisor, b.constant(0, type)], I1, predicate="ne")
    name = b.choose(("arith.divui", "arith.remui", "arith.divsi", "arith.remsi"))
    with b.region() as on_true:
        b.emit("scf.yield", [b.value(name, [b.pick(type), divisor], type)])
    with b.region() as on_false:
        b.emit("scf.yield", [b.pick(type)])
    b.emit("scf.if", [test], [type], regions=[[on_true], [on_false]])


def guarded_access(b: Builder) -> None:
    """A load or store that runs only where the subscript is in range."""
    memrefs = b.memrefs(where=lambda t: len(t.shape) == 1)
    if not memrefs:
        return
    memref = b.choose(memrefs)
    (size,) = b.sizes(memref)
    index = b.pick(INDEX)
    bound = size if isinstance(size, Value) else b.constant(size, INDEX)
    test = b.value("arith.cmpi", [index, bound], I1, predicate="ult")
    element = memref_of(memref).element
    if memref not in b.facts.read_only and b.chance(0.5):
        with b.region() as block:
            b.emit("memref.store", [b.pick(element), memref, index])
            b.emit("scf.yield")
        b.emit("scf.if", [test], regions=[[block], []])
        return
    with b.region() as on_true:
        b.emit("scf.yield", [b.value("memref.load", [memref, index], element)])
    with b.region() as on_false:
        b.emit("scf.yield", [b.pick(element)])
    b.emit("scf.if", [test], [element], regions=[[on_true], [on_false]])


def switch(b: Builder) -> None:
    if not _may_nest(b):
        return
    selector = b.pick(INDEX)
    if b.chance(0.7):
        selector = b.value("arith.andi", [selector, b.constant(3, INDEX)], INDEX)
    cases = b.rng.sample((0, 1, 2, 3, 4, 7, -1, 100), b.rng.randint(1, 4))
    like = [Value(t) for t in _result_types(b, 2)]
    regions = [[_branch(b, b.rng.randrange(4), like)] for _ in range(len(cases) + 1)]
    types = [v.type for v in like]
    b.emit("scf.index_switch", [selector], types, regions=regions, cases=cases)


def execute_region(b: Builder) -> None:
    """A region of its own, with a graph of blocks inside."""
    if not _may_nest(b):
        return
    types = _result_types(b, 2)
    b.depth += 1
    region = graph(b, [], types, "scf.yield", _body_budget(b) + 4)
    b.depth -= 1
    b.emit("scf.execute_region", [], types, regions=[region])


def parallel(b: Builder) -> None:
    """A loop nest whose iterations touch different elements."""
    targets = b.memrefs(writable=True, where=lambda t: None not in t.shape and t.strides is None)
    if not targets or not _may_nest(b) or b.repeat > 10:
        return
    target = b.choose(targets)
    shape = [size for size in b.sizes(target) if isinstance(size, int)]
    ivs = [Value(INDEX) for _ in shape]
    trips = 1
    for iv, size in zip(ivs, shape, strict=True):
        b.facts.below[iv] = size
        trips *= size
    bounds = [b.constant(n, INDEX) for n in (*[0] * len(shape), *shape, *[1] * len(shape))]
    element = memref_of(target).element
    inits = [b.pick(b.int_type()) for _ in range(b.choose((0, 0, 1, 2)))]
    with b.region(ivs, trips) as block:
        value = b.value("memref.load", [target, *ivs], element)
        for _ in range(b.rng.randrange(1, 4)):
            name = b.choose(("arith.addi", "arith.xori", "arith.muli", "arith.subi"))
            value = b.value(name, [value, b.pick(element)], element)
        b.emit("memref.store", [value, target, *ivs])
        found = [b.pick(v.type) for v in inits]
        b.emit("scf.reduce", found, regions=[_combine(b, v) for v in found])
    types = [v.type for v in inits]
    b.emit("scf.parallel", [*bounds, *inits], types, regions=[[block]])


def _combine(b: Builder, value: Value) -> Region:
    """The combination of two values by an associative, commutative op."""
    type = value.type
    name = b.choose(("arith.addi", "arith.xori", "arith.minui", "arith.maxsi", "arith.andi"))
    args = [Value(type), Value(type)]
    with b.region(args) as block:
        b.emit("scf.reduce.return", [b.value(name, args, type)])
    return [block]


def call(b: Builder) -> None:
    options = [f for f in b.functions if _cost(f) * b.repeat <= MAX_REPEAT * 4]
    if not options:
        return
    function = b.choose(options)
    args: list[Value] = []
    for parameter in function.args:
        if not isinstance(parameter.type, Mem):
            args.append(b.pick(parameter.type))
            continue
        memrefs = [m for m in b.memrefs(writable=True) if m.type == parameter.type]
        if not memrefs:
            return
        args.append(b.choose(memrefs))
    b.emit("func.call", args, function.result_types, callee=function.name)


def _cost(function: Function) -> int:
    """Ops in a function, those in loops counted several times."""

    def cost(region: Region) -> int:
        return sum(
            1 + sum(map(cost, op.regions)) * (8 if op.name in ("scf.for", "scf.while") else 1)
            for block in region
            for op in block.ops
        )

    return cost(function.body) * (1 if len(function.body) == 1 else 4)


def trapping_division(b: Builder) -> None:
    """A division by a word from memory that may be zero. Its result cannot be known without
    dividing and is stored, so no compiler may leave it out.
    """
    if b.trapping is None:
        return
    divisors, quotients = b.trapping
    divisor = b.value("memref.load", [divisors, b.subscript(8)], I32)
    dividend = b.value("arith.ori", [b.pick(I32), b.constant(0x40000001, I32)], I32)
    quotient = b.value(b.choose(DIVISIONS), [dividend, divisor], I32)
    place = b.constant(b.rng.randrange(8), INDEX)
    old = b.value("memref.load", [quotients, place], I32)
    b.emit("memref.store", [b.value("arith.addi", [old, quotient], I32), quotients, place])


# Graphs of blocks


def graph(
    b: Builder, args: Sequence[Value], result_types: Sequence[Type], leave: str, budget: int
) -> Region:
    """A region of several blocks that ends with `leave` ops. Its loops, of any shape, end when
    the fuel that all blocks hand on is used up.
    """
    return _Graph(b, args, result_types, leave).build(budget)


class _Graph:
    def __init__(self, b: Builder, args: Sequence[Value], result_types: Sequence[Type], leave: str):
        self._b = b
        self._result_types = result_types
        self._leave = leave
        count = b.rng.randint(2, 7)
        self._blocks = [Block(list(args))]
        for _ in range(count - 1):
            types = [b.int_type() for _ in range(b.rng.choice((0, 0, 1, 1, 2)))]
            self._blocks.append(Block([Value(I32), *(Value(t) for t in types)]))
        self._targets = [self._choose_targets(n) for n in range(count)]
        self._keep_reachable()

    def _choose_targets(self, number: int) -> list[int]:
        """Of a block: none to leave, one to branch, two for a condition, more for a switch.

        Only the second of two may lead back.
        """
        b, count = self._b, len(self._blocks)
        if number == count - 1 or (number and b.chance(0.1)):
            return []
        later = range(number + 1, count)
        kind = b.weighted({"br": 3, "forward": 3, "back": 3, "switch": 2})
        if kind == "br":
            return [b.choose(later)]
        if kind == "back" and count > 1:
            return [b.choose(later), b.rng.randint(1, number) if number else b.choose(later)]
        return [b.choose(later) for _ in range(2 if kind == "forward" else b.rng.randint(3, 4))]

    def _keep_reachable(self) -> None:
        reachable = self._reachable_without(None)
        if self._b.chance(0.1):
            return
        numbers = {n: new for new, n in enumerate(sorted(reachable))}
        self._blocks = [self._blocks[n] for n in numbers]
        self._targets = [[numbers[t] for t in self._targets[n]] for n in numbers]

    def _reachable_without(self, removed: int | None) -> set[int]:
        seen: set[int] = set()
        worklist = [0] if removed != 0 else []
        while worklist:
            number = worklist.pop()
            if number not in seen:
                seen.add(number)
                worklist += [t for t in self._targets[number] if t != removed]
        return seen

    def build(self, budget: int) -> Region:
        b = self._b
        outer_block, outer_scope, outer_repeat = b.block, b.scope, b.repeat
        b.repeat *= 6
        defined: dict[int, list[Value]] = {}
        everywhere = self._reachable_without(None)
        for number, block in self._in_dominance_order():
            b.scope = list(outer_scope)
            for other, values in defined.items():
                if number in everywhere and number not in self._reachable_without(other):
                    b.scope += values
            start = len(b.scope)
            b.scope += block.args
            b.block = block
            if number == 0:
                self._fuel = b.constant(b.choose((2, 5, 9)), I32)
            b.body(budget // len(self._blocks))
            self._terminate(number, self._fuel if number == 0 else block.args[0], start)
            defined[number] = b.scope[start:]
        b.block, b.scope, b.repeat = outer_block, outer_scope, outer_repeat
        return self._blocks

    def _in_dominance_order(self) -> list[tuple[int, Block]]:
        """Dominators come first: they dominate fewer-dominated blocks."""
        everywhere = self._reachable_without(None)
        rank = {
            n: sum(n not in self._reachable_without(other) for other in everywhere)
            for n in range(len(self._blocks))
        }
        return sorted(enumerate(self._blocks), key=lambda pair: (rank[pair[0]], pair[0]))

    def _terminate(self, number: int, fuel: Value, start: int) -> None:
        b, targets = self._b, self._targets[number]
        if b.chance(0.5):
            b.flush(start, limit=3)
        if not targets:
            b.emit(self._leave, [b.pick(t) for t in self._result_types])
            return
        less = b.value("arith.subi", [fuel, b.constant(1, I32)], I32)
        successors = [self._edge(target, less) for target in targets]
        match len(targets):
            case 1:
                b.emit("cf.br")
            case 2:
                b.emit("cf.cond_br", [self._condition(fuel, back=targets[1] <= number)])
            case _:
                flag = b.value("arith.andi", [b.pick(I32), b.constant(3, I32)], I32)
                cases = b.rng.sample((0, 1, 2, 3, 9, -1), len(targets) - 1)
                b.emit("cf.switch", [flag], cases=cases)
        b.block.ops[-1].successors = successors

    def _condition(self, fuel: Value, *, back: bool) -> Value:
        """Whether to go forward; without fuel there is no way back."""
        b, forward = self._b, condition(self._b)
        if not back:
            return forward
        empty = b.value("arith.cmpi", [fuel, b.constant(0, I32)], I1, predicate="sle")
        return b.value("arith.ori", [empty, forward], I1)

    def _edge(self, target: int, fuel: Value) -> tuple[Block, list[Value]]:
        block = self._blocks[target]
        passed = [fuel, *(self._b.pick(a.type) for a in block.args[1:])]
        self._b.used.update(passed)
        return block, passed


CONTROL: dict[str, tuple[int, Statement]] = {
    "for": (9, for_loop),
    "while": (3, while_loop),
    "if": (7, branch),
    "switch": (2, switch),
    "guarded_division": (2, guarded_division),
    "guarded_access": (2, guarded_access),
    "execute_region": (1, execute_region),
    "parallel": (1, parallel),
    "call": (3, call),
}
"""Statements by name, with their weight."""

TRAPS: dict[str, tuple[int, Statement]] = {"trapping_division": (10, trapping_division)}
"""Statements for programs that may trap."""
