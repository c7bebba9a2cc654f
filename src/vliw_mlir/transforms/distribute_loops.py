"""Distribution of loops: what is in one loop becomes several loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.analysis.cfg import terminator
from vliw_mlir.analysis.dependence import (
    LATER,
    SAME,
    AccessGroup,
    DependenceTest,
    accesses_of,
    unordered_effects,
)
from vliw_mlir.analysis.loops import is_innermost, loops_in
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.transforms.copying import Copier, Copy
from vliw_mlir.transforms.loop_building import loop_like
from vliw_mlir.transforms.loop_nests import read_only_test
from vliw_mlir.transforms.rewriting import replace_op
from vliw_mlir.transforms.vectorize.reductions import reduction_function

MOST_STATEMENTS = 24
"""How many stores and carried values of a loop are looked at."""


@dataclass(frozen=True)
class DistributeLoops(ModulePass):
    """Make several loops of an innermost one, if only a part of it is the same in any order.

    Stores and carried values that depend on each other around the loop stay together; what is
    left is put in an order that keeps all dependences (Allen and Kennedy, "Optimizing Compilers
    for Modern Architectures", 2001, section 2.3). Parts with independent iterations, or with
    reductions at most, become loops other than those of the rest, so that they can be
    vectorized. Computations and loads of memory that is not written are repeated in each loop
    that needs them; values are not kept in memory from one loop to the other.

    With `all` every part that can be separated becomes a loop. Expects the SSA level. Takes
    quadratic time in the stores and carried values of a loop, of which there may be
    `MOST_STATEMENTS`. Statistics: `num-distributed`, `num-loops`.
    """

    name = "distribute-loops"

    all: bool = False
    """Whether to separate whatever can be."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                for loop in [loop for loop in loops_in(func.body) if is_innermost(loop)]:
                    # What was known of offsets refers to the loops that are no more.
                    self._loop(loop, AliasAnalysis(func), statistics)

    def _loop(self, loop: scf.ForOp, aliases: AliasAnalysis, statistics: Statistics) -> None:
        reason = unordered_effects(loop)
        if any(isinstance(op, word.AllocOp) for op in loop.body.walk()):
            reason = "each iteration has memory of its own"
        body = _Body(loop, aliases)
        if len(body.statements) > MOST_STATEMENTS:
            reason = f"there are more than {MOST_STATEMENTS} stores and carried values"
        if reason is not None:
            remark(loop, self.name, f"not distributed: {reason}", RemarkKind.MISSED)
            return
        parts = body.parts()
        if not self.all:
            parts = _together(parts)
        if len(parts) <= 1:
            return
        remark(loop, self.name, f"distributed into {len(parts)} loops", RemarkKind.PASSED)
        statistics.count("num-distributed")
        statistics.count("num-loops", len(parts))
        body.distribute([part.statements for part in parts])


@dataclass(eq=False)
class _Statement:
    """A part of a loop's body that is done in one loop: an operation with effects or that
    reads memory which the loop writes, or a carried value."""

    op: Operation | None
    """The operation; None for a carried value."""
    carried: int | None
    """The number of the carried value; None for an operation."""
    needed: set[Operation] = field(default_factory=set[Operation])
    """The operations that it depends on within an iteration, itself included."""
    arguments: set[SSAValue] = field(default_factory=set[SSAValue])
    """The carried values that it uses."""
    accesses: list[AccessGroup] = field(default_factory=list[AccessGroup])


@dataclass
class _Part:
    """Statements that have to be in one loop, or may be."""

    statements: list[_Statement]
    is_parallel: bool


def _together(parts: Sequence[_Part]) -> list[_Part]:
    """Join parts that follow each other and are of the same kind."""
    joined: list[_Part] = []
    for part in parts:
        if joined and joined[-1].is_parallel == part.is_parallel:
            joined[-1].statements += part.statements
        else:
            joined.append(part)
    return joined


class _Body:
    """The body of a loop as statements and what they depend on."""

    def __init__(self, loop: scf.ForOp, aliases: AliasAnalysis):
        self._loop = loop
        self._aliases = aliases
        self._test = DependenceTest(aliases, [loop])
        self._is_read_only = read_only_test(loop, aliases)
        block, end = loop.body.block, terminator(loop.body)
        carried = block.args[1:]
        self._ops = [op for op in block.ops if op is not end]
        fixed = [op for op in self._ops if self._is_fixed(op)]
        self.statements = [self._statement(op, None, [op]) for op in fixed]
        for number, value in enumerate(end.operands):
            maker = value.owner
            roots = [maker] if isinstance(maker, Operation) and maker.parent is block else []
            made = self._statement(None, number, roots)
            made.arguments |= {carried[number], *({value} & set(carried))}
            self.statements.append(made)

    def _is_fixed(self, op: Operation) -> bool:
        """Whether an operation must not be repeated or left out."""
        return any(isinstance(o, word.AccessOp) and not self._is_read_only(o) for o in op.walk())

    def _statement(
        self, op: Operation | None, carried: int | None, roots: Sequence[Operation]
    ) -> _Statement:
        block = self._loop.body.block
        made = _Statement(op, carried)
        pending = list(roots)
        while pending:
            current = pending.pop()
            if current in made.needed:
                continue
            made.needed.add(current)
            for value in (v for inner in current.walk() for v in inner.operands):
                owner = value.owner
                if isinstance(owner, Operation) and owner.parent is block:
                    pending.append(owner)
                elif owner is block and value is not block.args[0]:
                    made.arguments.add(value)
        if op is not None:
            made.accesses = accesses_of([op], self._aliases)
        return made

    # Parts

    def parts(self) -> list[_Part]:
        """The statements that have to be together, in an order that keeps all dependences."""
        after = self._reachable()
        count = len(self.statements)
        component = [
            next(m for m in range(n + 1) if m == n or (after[n] >> m & 1 and after[m] >> n & 1))
            for n in range(count)
        ]
        pending = sorted(set(component))
        parts: list[_Part] = []
        while pending:
            number = next(
                n for n in pending if not any(after[m] >> n & 1 for m in pending if m != n)
            )
            pending.remove(number)
            statements = [self.statements[n] for n in range(count) if component[n] == number]
            parts.append(_Part(statements, self._is_parallel(statements)))
        return parts

    def _reachable(self) -> list[int]:
        """For each statement the set of those that depend on it, as bits, directly or not."""
        count = len(self.statements)
        after = [
            sum(1 << n for n in range(count) if n != m and self._is_before(m, n))
            for m in range(count)
        ]
        for middle in range(count):
            for n in range(count):
                if after[n] >> middle & 1:
                    after[n] |= after[middle]
        return after

    def _is_before(self, m: int, n: int) -> bool:
        """Whether statement `n` depends on statement `m`, or has to be where that is."""
        first, second = self.statements[m], self.statements[n]
        if self._is_bound(first, second) or self._is_bound(second, first):
            return True
        if m < n and self._test.find(first.accesses, second.accesses, [SAME]):
            return True
        return self._test.find(first.accesses, second.accesses, [LATER]) is not None

    def _is_bound(self, user: _Statement, maker: _Statement) -> bool:
        """Whether one statement uses what another one makes, within an iteration or from the
        one before."""
        if maker.carried is None:
            return maker.op in user.needed
        return self._loop.body.block.args[1 + maker.carried] in user.arguments

    def _is_parallel(self, statements: Sequence[_Statement]) -> bool:
        """Whether the iterations of a loop over some statements are independent, apart from
        reductions."""
        accesses = [group for statement in statements for group in statement.accesses]
        if self._test.find(accesses, accesses, [LATER]):
            return False
        carried = [s.carried for s in statements if s.carried is not None]
        return all(reduction_function(self._loop, number) is not None for number in carried)

    # Rewriting

    def distribute(self, parts: Sequence[Sequence[_Statement]]) -> None:
        """Make one loop for each part, in this order, in place of the loop."""
        results: dict[int, SSAValue] = {}
        for part in parts:
            numbers = [s.carried for s in part if s.carried is not None]
            results |= zip(numbers, self._make(part, numbers), strict=True)
        replace_op(self._loop, [results[number] for number in range(len(results))])

    def _make(self, part: Sequence[_Statement], numbers: Sequence[int]) -> Sequence[SSAValue]:
        """A loop with the statements of a part, and the carried values of these numbers."""
        loop, body = self._loop, self._loop.body.block
        made = loop_like(loop, initial=[loop.iter_args[number] for number in numbers])
        BeforeOp(loop).append(made)
        copy = Copy(Copier(made))
        counter, *arguments = made.body.block.args
        copy.define(body.args[0], counter)
        for number, argument in zip(numbers, arguments, strict=True):
            copy.define(body.args[1 + number], argument)
        needed = set[Operation]().union(*(statement.needed for statement in part))
        end = terminator(made.body)
        for op in self._ops:
            if op in needed:
                copy.op(op, end)
        yielded = terminator(loop.body).operands
        end.operands = [copy.use(yielded[number]) for number in numbers]
        return made.results
