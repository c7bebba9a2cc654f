"""Random kernels of the SSA level, made for what simplification looks for.

Few values, constants with special bits, the same operations over and over: folds, common
subexpressions and the patterns of rewrite rules come up all the time. `generate(seed)` makes the
same kernel for the same seed. Kernels never trap.
"""

from __future__ import annotations

from random import Random

from xdsl.dialects import scf
from xdsl.dialects.builtin import FunctionType, MemRefType, ModuleOp, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from support.differential import Subject
from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import SIGNATURE
from vliw_mlir.semantics import FUNCTIONS

WORDS = 64
"""The size of the only argument, a buffer; inputs are its first words, results go to the rest."""
INPUTS = 16
LANES = 4

CONSTANTS = (
    *(0, 1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 24, 31, 32, 33, 100, 255, 256, 0xFFFF, 0x10000),
    *(0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFF00, 0xFFFF0000, 0xFFFFFFFE, 0xFFFFFFFF),
)
DIVIDING = [name for name, function in FUNCTIONS.items() if function.traps]
OTHERS = [name for name, function in FUNCTIONS.items() if not function.traps]
COMMON = ("add", "sub", "mul", "and", "or", "xor", "shl", "shru", "eq", "ult", "select", "ne")


def generate(seed: int, size: int = 40) -> ModuleOp:
    """The random kernel of a number, of about `size` operations."""
    return _Generator(Random(f"patterns {seed}"), size).module()


def patterns(seed: int, size: int = 40) -> Subject:
    """The random kernel of a number, with three inputs."""
    rng = Random(f"input {seed}")
    choices = (lambda: rng.getrandbits(32), lambda: rng.choice(CONSTANTS))
    inputs = [[rng.choice(choices)() for _ in range(WORDS)] for _ in range(3)]
    return Subject(f"patterns {seed}", str(generate(seed, size)), [[words] for words in inputs])


class _Generator:
    def __init__(self, rng: Random, size: int):
        self._rng = rng
        self._left = size
        self._block = Block()
        self._scope: list[SSAValue] = []
        self._vectors: list[SSAValue] = []

    def module(self) -> ModuleOp:
        function = FuncOp("kernel", ([word.BufferType(WORDS)], []))
        function.attributes[SIGNATURE] = FunctionType.from_lists([MemRefType(i32, [WORDS])], [])
        self._block = function.body.block
        self._buffer = self._block.args[0]
        self._offsets = [self._add(word.ConstantOp(n)) for n in range(WORDS)]
        for offset in self._offsets[:INPUTS]:
            self._scope.append(self._add(word.LoadOp(self._buffer, offset)))
        while self._left > 0:
            self._statement(0)
        self._store_results()
        self._block.add_op(ReturnOp())
        return ModuleOp([function])

    def _add(self, op):
        self._block.add_op(op)
        return op.results[0] if op.results else None

    def _store_results(self) -> None:
        places = iter(self._offsets[INPUTS:])
        for value in self._scope[:-17:-1]:
            self._block.add_op(word.StoreOp(value, self._buffer, next(places)))
        for value in self._vectors[:-5:-1]:
            for lane in range(LANES):
                element = self._add(word.ExtractOp(value, lane))
                self._block.add_op(word.StoreOp(element, self._buffer, next(places)))

    # Values

    def _word(self) -> SSAValue:
        if self._rng.random() < 0.35:
            return self._add(word.ConstantOp(self._rng.choice(CONSTANTS)))
        # The values made last, mostly: patterns are chains.
        return self._scope[-1 - min(int(self._rng.expovariate(0.3)), len(self._scope) - 1)]

    def _vector(self) -> SSAValue:
        kind = self._rng.random()
        if not self._vectors or kind < 0.1:
            return self._add(word.FromElementsOp([self._word() for _ in range(LANES)]))
        if kind < 0.25:
            return self._add(word.BroadcastOp(self._word(), LANES))
        if kind < 0.4:
            return self._add(word.ConstantOp([self._rng.choice(CONSTANTS)] * LANES))
        if kind < 0.5:
            return self._add(word.ConstantOp(self._rng.choices(CONSTANTS, k=LANES)))
        return self._vectors[-1 - min(int(self._rng.expovariate(0.3)), len(self._vectors) - 1)]

    # Statements

    def _statement(self, depth: int) -> None:
        self._left -= 1
        kind = self._rng.random()
        if depth < 3 and kind < 0.06:
            self._if(depth)
        elif depth < 3 and kind < 0.1:
            self._for(depth)
        elif depth < 3 and kind < 0.12:
            self._while(depth)
        elif kind < 0.3:
            self._vector_statement()
        else:
            self._scope.append(self._function(self._word))

    def _function(self, operand) -> SSAValue:
        rng = self._rng
        if rng.random() < 0.08:
            divisor = operand()
            one = self._constant_like(1, divisor)
            divisor = self._add(word.OrOp(divisor, one))
            op = word.BINARY_OP_BY_FUNCTION[rng.choice(DIVIDING)](operand(), divisor)
            return self._add(op)
        name = rng.choice(COMMON) if rng.random() < 0.6 else rng.choice(OTHERS)
        if name == "select":
            return self._add(word.SelectOp(operand(), operand(), operand()))
        if name == "multiply_add":
            return self._add(word.MultiplyAddOp(operand(), operand(), operand()))
        if name in word.BINARY_OP_BY_FUNCTION:
            return self._add(word.BINARY_OP_BY_FUNCTION[name](operand(), operand()))
        return self._add(word.CmpOp(name, operand(), operand()))

    def _constant_like(self, value: int, like: SSAValue) -> SSAValue:
        lanes = word.lanes_of(like.type)
        return self._add(word.ConstantOp(value if lanes is None else [value] * lanes))

    def _vector_statement(self) -> None:
        kind = self._rng.random()
        if kind < 0.2:
            lane = self._rng.randrange(LANES)
            self._scope.append(self._add(word.ExtractOp(self._vector(), lane)))
        elif kind < 0.35:
            op = word.InsertOp(self._word(), self._vector(), self._rng.randrange(LANES))
            self._vectors.append(self._add(op))
        elif kind < 0.45:
            vector = self._vector()
            elements = [self._add(word.ExtractOp(vector, lane)) for lane in range(LANES)]
            self._vectors.append(self._add(word.FromElementsOp(elements)))
        else:
            self._vectors.append(self._function(self._vector))

    def _body(self, depth: int, arguments: int, results: int, add_end) -> Block:
        """A block of statements that ends with what `add_end` makes of `results` values."""
        outer, scope, vectors = self._block, self._scope[:], self._vectors[:]
        self._block = Block(arg_types=[i32] * arguments)
        self._scope += self._block.args
        for _ in range(self._rng.randrange(4)):
            self._statement(depth + 1)
        self._block.add_op(add_end([self._word() for _ in range(results)]))
        inner, self._block, self._scope, self._vectors = self._block, outer, scope, vectors
        return inner

    def _if(self, depth: int) -> None:
        condition = self._add(word.TestOp(self._word()))
        results = self._rng.randrange(3)
        on_true = Region(self._body(depth, 0, results, _yield))
        on_false = Region(self._body(depth, 0, results, _yield))
        op = scf.IfOp(condition, [i32] * results, on_true, on_false)
        self._block.add_op(op)
        self._scope += op.results

    def _for(self, depth: int) -> None:
        rng = self._rng
        lower, step = rng.choice((0, 0, 1, 5, 0xFFFFFFFE)), rng.choice((1, 1, 3))
        upper = lower + rng.choice((0, 1, 2, 5)) * step
        bounds = [self._add(word.ConstantOp(n)) for n in (lower, upper, step)]
        carried = [self._word() for _ in range(rng.randrange(4))]
        body = self._body(depth, 1 + len(carried), len(carried), _yield)
        op = scf.ForOp(*bounds, carried, body)
        self._block.add_op(op)
        self._scope += op.results

    def _while(self, depth: int) -> None:
        """A loop that counts down a carried word from at most 3."""
        three = self._add(word.ConstantOp(3))
        count = self._add(word.AndOp(self._word(), three))
        carried = [count, *(self._word() for _ in range(self._rng.randrange(3)))]

        def condition(values: list[SSAValue]) -> scf.ConditionOp:
            counter = self._block.args[0]
            return scf.ConditionOp(self._add(word.TestOp(counter)), counter, *values)

        def advance(values: list[SSAValue]) -> scf.YieldOp:
            one = self._add(word.ConstantOp(1))
            return scf.YieldOp(self._add(word.SubOp(self._block.args[0], one)), *values)

        passed = self._rng.randrange(3)
        before = self._body(depth, len(carried), passed, condition)
        after = self._body(depth, 1 + passed, len(carried) - 1, advance)
        types = [i32] * (1 + passed)
        op = scf.WhileOp(carried, types, Region(before), Region(after))
        self._block.add_op(op)
        self._scope += op.results


def _yield(values: list[SSAValue]) -> scf.YieldOp:
    return scf.YieldOp(*values)
