"""Random kernels: `generate(seed)` makes the same program for the same seed, always.

A program is made of the small IR of `random_ast`. All generated programs are well-defined:
subscripts stay in their memref, memory is written before it is read, loops end, and divisors
are not zero; only programs of the kind `traps` divide by zero, in at least one of their runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from support.random_ast import (
    I1,
    I8,
    I16,
    I32,
    INDEX,
    Argument,
    Function,
    Global,
    Int,
    Mem,
    Program,
    Type,
    Value,
    element_of,
)
from support.random_builder import LEAST_DYNAMIC_SIZE, Builder, Statement
from support.random_control import CONTROL, TRAPS, graph
from support.random_evaluate import Invalid, Outcome, Trap, evaluate
from support.random_nests import NESTS
from support.random_statements import STRAIGHT_LINE, VECTOR, memref_type

KINDS = ("plain", "nests", "traps")

BUDGETS = (6, 10, 15, 20, 30, 30, 40, 60, 100, 300)
"""About how many ops to make."""


@dataclass(frozen=True)
class Options:
    """What programs to make."""

    kind: str = "plain"
    """`plain`, `nests` for programs of loop nests, `traps` for ones that divide by zero."""
    without: frozenset[str] = frozenset()
    """Names of statements to leave out; also `graph`, `functions`, `dynamic`, `narrow_args`,
    `address` and `vector` (all of its statements)."""
    size: int | None = None
    """About how many ops; None for mostly few, sometimes many."""

    def has(self, feature: str) -> bool:
        return feature not in self.without


def generate(seed: int, options: Options | None = None) -> Program:
    """The random program of a number."""
    options = options or Options()
    attempt = 0
    while True:
        # A string seed is hashed in the same way on every machine.
        rng = Random(f"{options.kind} {seed} {attempt}")
        program = _Kernel(rng, options).program(f"seed {seed}, kind {options.kind}")
        if _is_good(program, options):
            return program
        attempt += 1


def expectation(program: Program, args: Sequence[Argument]) -> Outcome | None:
    """What a run leaves behind, None when it traps."""
    try:
        return evaluate(program, args)
    except Trap:
        return None


def _is_good(program: Program, options: Options) -> bool:
    try:
        outcomes = [expectation(program, args) for args in program.inputs]
    except Invalid as e:
        if "too many steps" not in str(e):
            raise AssertionError(f"the generator is wrong: {e}\n{program}") from e
        return False
    return options.kind != "traps" or None in outcomes


@dataclass
class _Parameters:
    """The arguments of the kernel being made."""

    values: list[Value] = field(default_factory=list[Value])
    facts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    sizes: dict[int, int] = field(default_factory=dict[int, int])
    """The argument that gives the size of a memref, by the memref's number."""
    read_only: set[int] = field(default_factory=set[int])
    entries_below: dict[int, int] = field(default_factory=dict[int, int])

    def add(self, type: Type, **facts: Any) -> int:
        self.values.append(Value(type))
        self.facts.append(facts)
        return len(self.values) - 1


class _Kernel:
    def __init__(self, rng: Random, options: Options):
        self._rng = rng
        self._options = options
        self._globals: list[Global] = []
        self._functions: list[Function] = []
        lanes = {8: [8], 4: [4], 0: [8, 4, 16, 3]}
        self._lanes = lanes[rng.choice((8, 8, 8, 4, 0))]
        statements = {**STRAIGHT_LINE, **CONTROL, **NESTS}
        if options.has("vector") and rng.random() < 0.4:
            statements |= VECTOR
        self._statements = {k: v for k, v in statements.items() if options.has(k)}
        if options.kind == "nests":
            weights = {"nest": 6, "load": 1, "arithmetic": 1}
            self._statements = {n: (w, self._statements[n][1]) for n, w in weights.items()}
        elif rng.random() < 0.2:
            # Programs of few kinds of statements go deeper into each.
            always = ("arithmetic", "chain", "load")
            self._statements = {
                name: statement
                for name, statement in self._statements.items()
                if name in always or rng.random() < 0.4
            }

    def program(self, origin: str) -> Program:
        if self._options.has("functions") and self._chance(0.35):
            for number in range(self._rng.choice((1, 1, 2))):
                self._functions.append(self._private(f"f{number}"))
        budgets = (10, 20, 30) if self._options.kind == "nests" else BUDGETS
        budget = self._options.size or self._rng.choice(budgets)
        parameters = self._parameters()
        self._functions.append(self._kernel(parameters, budget))
        inputs = [self._inputs(parameters) for _ in range(2)]
        return Program(origin, self._functions, self._globals, inputs, parameters.sizes)

    def _chance(self, probability: float) -> bool:
        return self._rng.random() < probability

    def _builder(self, statements: dict[str, tuple[int, Statement]]) -> Builder:
        functions = list(self._functions)
        return Builder(self._rng, statements, functions, self._globals, self._lanes)

    # Functions

    def _private(self, name: str) -> Function:
        b = self._builder(self._statements)
        args = [Value(b.int_type()) for _ in range(self._rng.randrange(4))]
        args += [Value(memref_type(b, small=True)) for _ in range(self._rng.choice((0, 0, 1, 2)))]
        self._rng.shuffle(args)
        result_types: list[Type] = [b.int_type() for _ in range(self._rng.choice((0, 1, 1, 2)))]
        b.scope = list(args)
        return self._finish(b, name, args, [{} for _ in args], result_types, 0.15)

    def _kernel(self, parameters: _Parameters, budget: int) -> Function:
        statements = dict(self._statements)
        if self._options.kind == "traps":
            statements |= TRAPS
        b = self._builder(statements)
        b.scope = list(parameters.values)
        for number in parameters.read_only:
            b.facts.read_only.add(parameters.values[number])
        for number, bound in parameters.entries_below.items():
            b.facts.entries_below[parameters.values[number]] = bound
        args, facts = list(parameters.values), list(parameters.facts)
        if self._options.kind == "traps":
            divisors, quotients = Value(Mem((8,), I32)), Value(Mem((8,), I32))
            b.trapping = divisors, quotients
            args += [divisors, quotients]
            facts += [{}, {}]
        result_types: list[Type] = [I32] * self._rng.choice((0, 0, 1, 1, 2, 3))
        if self._options.has("narrow_args") and result_types and self._chance(0.1):
            result_types[0] = self._rng.choice((I1, I8, I16, INDEX))
        self._enter(b, parameters)
        return self._finish(b, "kernel", args, facts, result_types, 0.2, budget)

    def _enter(self, b: Builder, parameters: _Parameters) -> None:
        """Make the sizes of memrefs known as values of type index."""
        entry = b.block
        for memref_number, size_number in parameters.sizes.items():
            size, memref = parameters.values[size_number], parameters.values[memref_number]
            index = b.convert(size, INDEX)
            type = memref.type
            assert isinstance(type, Mem)
            b.facts.sizes[memref] = [index, *(d for d in type.shape[1:] if d is not None)]
        assert b.block is entry

    def _finish(
        self,
        b: Builder,
        name: str,
        args: list[Value],
        facts: list[dict[str, Any]],
        result_types: list[Type],
        graph_probability: float,
        budget: int = 12,
    ) -> Function:
        """A body for the function, structured or a graph of blocks."""
        b.block.args = args
        if self._options.has("graph") and self._chance(graph_probability):
            start = b.block.ops
            region = graph(b, args, result_types, "func.return", budget)
            region[0].ops[:0] = start
            return Function(name, region, result_types, facts)
        b.body(budget)
        b.flush(limit=20)
        b.emit("func.return", [b.pick(t) for t in result_types])
        return Function(name, [b.block], result_types, facts)

    # Arguments

    def _parameters(self) -> _Parameters:
        rng, parameters = self._rng, _Parameters()
        has = self._options.has
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            type = (
                rng.choice((I8, I16, I1, INDEX))
                if has("narrow_args") and self._chance(0.1)
                else I32
            )
            parameters.add(type, **self._scalar_facts(type))
        b = self._builder(self._statements)
        for _ in range(rng.choice((1, 2, 2, 3))):
            if has("dynamic") and self._chance(0.15):
                self._add_dynamic(parameters)
                continue
            type = memref_type(b)
            if not has("narrow_args"):
                type = Mem(type.shape, I32)
            number = parameters.add(type)
            self._memref_facts(parameters, number, type)
        if not any(
            n not in parameters.read_only
            for n, v in enumerate(parameters.values)
            if isinstance(v.type, Mem)
        ):
            parameters.add(Mem((16,), I32))
        return parameters

    def _add_dynamic(self, parameters: _Parameters) -> None:
        facts = {"range": (LEAST_DYNAMIC_SIZE, 40)} if self._chance(0.5) else {}
        size = parameters.add(I32, **facts)
        columns = self._rng.choice(((), (), (4,), (8,)))
        element = self._rng.choice((I32, I32, I16))
        memref = parameters.add(Mem((None, *columns), element))
        parameters.sizes[memref] = size

    def _scalar_facts(self, type: Int) -> dict[str, Any]:
        top = (1 << type.width) - 1
        if self._chance(0.12):
            return {"value": self._rng.choice((0, 1, 5, 16, 100, top)) & top}
        return {"range": self._range(top)} if self._chance(0.2) else {}

    def _range(self, top: int) -> tuple[int, int]:
        low = self._rng.choice((0, 0, 1, 5, 1 << 31)) & top
        high = min(top, low + self._rng.choice((0, 1, 6, 15, 100, 1 << 20)))
        return low, high

    def _memref_facts(self, parameters: _Parameters, number: int, type: Mem) -> None:
        facts = parameters.facts[number]
        top = (1 << type.element.width) - 1
        if self._chance(0.2):
            facts["range"] = self._range(top)
        if self._chance(0.25):
            parameters.read_only.add(number)
            if self._chance(0.6):
                # Subscripts for other arrays, as in a gather.
                bound = self._rng.choice((2, 8, 16))
                facts["range"] = (0, min(bound - 1, top))
                parameters.entries_below[number] = bound
        if self._options.has("address") and self._chance(0.02):
            taken = [f["address"] for f in parameters.facts if "address" in f]
            facts["address"] = 2048 + 1024 * len(taken)

    # Inputs

    def _inputs(self, parameters: _Parameters) -> list[Argument]:
        """Arguments for one run."""
        b = self._builder(self._statements)
        values: list[Argument] = []
        is_size = set(parameters.sizes.values())
        for number, (value, facts) in enumerate(
            zip(parameters.values, parameters.facts, strict=True)
        ):
            if number in is_size:
                values.append(self._rng.randint(LEAST_DYNAMIC_SIZE, 24))
            elif isinstance(value.type, Mem):
                values.append(self._words(b, value.type, number, parameters, values, facts))
            else:
                values.append(self._word(b, element_of(value.type), facts))
        if self._options.kind == "traps":
            values.append([self._rng.choice((0, 1, 2, 3, 5, 77, 0xFFFFFFFF)) for _ in range(8)])
            values.append([0] * 8)
        return values

    def _words(
        self,
        b: Builder,
        type: Mem,
        number: int,
        parameters: _Parameters,
        values: list[Argument],
        facts: dict[str, Any],
    ) -> list[int]:
        size = 1
        for d in type.shape:
            given = values[parameters.sizes[number]] if d is None else d
            assert isinstance(given, int)
            size *= given
        if self._chance(0.1):
            return [self._word(b, type.element, facts)] * size
        if self._chance(0.2) and "range" not in facts:
            return [n & ((1 << type.element.width) - 1) for n in range(size)]
        return [self._word(b, type.element, facts) for _ in range(size)]

    def _word(self, b: Builder, type: Int, facts: dict[str, Any]) -> int:
        if "value" in facts:
            return facts["value"]
        if "range" in facts:
            return self._rng.randint(*facts["range"])
        return b.word(type)
