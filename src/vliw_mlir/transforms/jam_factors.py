"""How many iterations of the loops of a nest to do together: by what the copies share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import ceil, prod

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.analysis.bounds import UNKNOWN_TRIPS, straight_line_work
from vliw_mlir.analysis.latencies import carried_chain
from vliw_mlir.analysis.loops import constant_bounds, count_ops, counter_of
from vliw_mlir.analysis.pressure import words_of
from vliw_mlir.analysis.resource_bound import Work, resource_bound
from vliw_mlir.dialects import word
from vliw_mlir.target import Target
from vliw_mlir.transforms.loop_nests import read_only_test

FACTORS = (1, 2, 3, 4, 6, 8)
"""What is tried for each loop."""

MOST_COPIES = 64
"""The most copies of an innermost body."""

TOLERANCE = 1.05
"""By how much the cost may exceed the least one, to save copies."""

SCRATCH_SHARE = 2
"""What the nest keeps in registers takes at most one part in so many of scratch."""

_PURE = (word.ArithmeticOp, word.BroadcastOp, word.ConstantOp)

Loops = frozenset[scf.ForOp]
Factors = dict[scf.ForOp, int]


class Variation:
    """Which operations in a nest differ between the iterations of which of its loops.

    An operation that does not differ between iterations done together is done once for all.
    """

    def __init__(self, outermost: scf.ForOp, loops: Sequence[scf.ForOp], aliases: AliasAnalysis):
        self._loops = frozenset(loops)
        self._is_read_only = read_only_test(outermost, aliases)
        self._values: dict[SSAValue, Loops] = {}
        self._ops: dict[Operation, Loops] = {}
        self._loop(outermost, frozenset())

    def of(self, op: Operation) -> Loops:
        """The loops that `op` differs with, which is in the nest but in no region other than
        the bodies of loops."""
        return self._ops[op]

    def _loop(self, loop: scf.ForOp, around: Loops) -> None:
        inside = around | ({loop} & self._loops)
        counter, *carried = loop.body.block.args
        bounds = self._operands((loop.lb, loop.ub, loop.step))
        self._values[counter] = bounds | ({loop} & self._loops)
        # Each copy carries its own.
        self._values.update(dict.fromkeys(carried, inside))
        for op in loop.body.block.ops:
            if isinstance(op, scf.ForOp):
                self._loop(op, inside)
                found = inside
            elif isinstance(op, _PURE) or self._is_read_only(op):
                found = self._operands(op.operands)
            else:
                found = inside
            self._ops[op] = found
            self._values.update(dict.fromkeys(op.results, found))

    def _operands(self, values: Sequence[SSAValue]) -> Loops:
        """The loops that any of the values differs with."""
        return frozenset[scf.ForOp]().union(
            *(self._values.get(value, frozenset()) for value in values)
        )


def choose_factors(
    outermost: scf.ForOp,
    legal: Mapping[scf.ForOp, int],
    aliases: AliasAnalysis,
    target: Target,
    max_ops: int,
) -> Factors:
    """How many iterations of each loop in the nest of `outermost` to do together.

    `legal` has the loops that may be jammed, with the largest factors. The choice is the one
    with the fewest copies of those that take about the least time by their slots and by what
    iterations wait for, among those that
    keep values in at most half of scratch and lead to at most `max_ops` operations.
    """
    nest = _Nest(outermost, list(legal), aliases, target, max_ops)
    tried: list[tuple[float, Factors]] = []
    options = [[f for f in FACTORS if f <= most] for most in legal.values()]
    ops = max(count_ops(outermost.body), 1)
    for choice in product(*options):
        factors = dict(zip(legal, choice, strict=True))
        copies = prod(choice)
        if copies > 1 and (copies > MOST_COPIES or copies * ops > max_ops):
            continue
        if copies > 1 and nest.words(factors) * SCRATCH_SHARE > target.scratch:
            continue
        tried.append((nest.cost(factors), factors))
    limit = min(cost for cost, _ in tried) * TOLERANCE
    good = [(cost, factors) for cost, factors in tried if cost <= limit]
    _, best = min(good, key=lambda item: (prod(item[1].values()), item[0]))
    return best


@dataclass
class _Body:
    """The operations of a loop's body, without those of loops inside."""

    around: list[scf.ForOp]
    """The loops around them, outermost first."""
    work: dict[Loops, Work] = field(default_factory=dict[Loops, Work])
    """By the loops that they differ with; of as many iterations as a vector has lanes."""
    words: dict[Loops, int] = field(default_factory=dict[Loops, int])
    """Words that stay in registers, likewise."""
    chain: int = 0
    """Cycles that an iteration takes at least, however many are done together: the next one
    waits for what it carries. 0 if copies of the loop's body will be in one block anyway."""


class _Nest:
    """What a nest of loops costs."""

    def __init__(
        self,
        outermost: scf.ForOp,
        candidates: Sequence[scf.ForOp],
        aliases: AliasAnalysis,
        target: Target,
        max_ops: int,
    ):
        self._aliases = aliases
        self._max_ops = max_ops
        self._target = target
        self._candidates = frozenset(candidates)
        self._variation = Variation(outermost, candidates, aliases)
        self._bodies = [self._body(around) for around in _bodies([outermost])]

    def cost(self, factors: Factors) -> float:
        """Cycles of the nest by its slots and chains, without what loops themselves take."""
        return sum(self._cost(body, factors) for body in self._bodies)

    def _cost(self, body: _Body, factors: Factors) -> float:
        work: Work = Work()
        for loops, part in body.work.items():
            copies = _copies(loops, factors)
            for ways, count in part.items():
                work[ways] += count * copies
        slots = resource_bound(work, self._target.slots).cycles / self._target.vlen
        cycles = max(slots, body.chain)
        return cycles * prod(ceil(_trips(loop) / factors.get(loop, 1)) for loop in body.around)

    def words(self, factors: Factors) -> int:
        """The most words that the copies of a body keep in registers."""
        return max(
            sum(words * _copies(loops, factors) for loops, words in body.words.items())
            for body in self._bodies
        )

    def _body(self, around: list[scf.ForOp]) -> _Body:
        body = _Body(around)
        loop = around[-1]
        if self._stays(loop):
            body.chain = carried_chain(loop.body.block, self._target)
        everywhere = self._candidates & frozenset(around)
        body.words[everywhere] = sum(words_of(value) for value in loop.results)
        for op in loop.body.block.ops:
            if isinstance(op, scf.ForOp):
                continue
            loops = self._variation.of(op)
            part = body.work.setdefault(loops, Work())
            part.update(self._work(op, loop))
            if loops != everywhere and not isinstance(op, word.ConstantOp):
                # What copies share lives from the first to the last of them.
                body.words.setdefault(loops, 0)
                body.words[loops] += sum(words_of(value) for value in op.results)
        return body

    def _stays(self, loop: scf.ForOp) -> bool:
        """Whether a loop is too long to be unrolled fully."""
        bounds = constant_bounds(loop)
        return bounds is None or bounds.trips * count_ops(loop.body) > self._max_ops

    def _work(self, op: Operation, loop: scf.ForOp) -> Work:
        """The work of an operation in as many iterations of `loop` as a vector has lanes."""
        if self._is_part_of_multiply_add(op):
            return Work()
        once = straight_line_work(op.walk(), self._target)
        together = isinstance(op, word.LoadOp) and self._is_consecutive(op, loop)
        return once if together else Work({w: n * self._target.vlen for w, n in once.items()})

    def _is_part_of_multiply_add(self, op: Operation) -> bool:
        """Whether a product of vectors will be done by the sum that uses it."""
        if not isinstance(op, word.MulOp) or word.lanes_of(op.result.type) is None:
            return False
        users = [use.operation for use in op.result.uses]
        has_instruction = bool(self._target.engines_for("multiply_add"))
        return has_instruction and len(users) == 1 and isinstance(users[0], word.AddOp)

    def _is_consecutive(self, load: word.LoadOp, loop: scf.ForOp) -> bool:
        """Whether iterations of a loop load neighbouring words, which one vector load can do
        when the loop is unrolled."""
        if not self._target.engines_for("vload") or word.lanes_of(load.result.type) is not None:
            return False
        offset = self._aliases.access(load).offset
        return offset is not None and abs(offset.coefficient(counter_of(loop))) == 1


def _bodies(around: list[scf.ForOp]) -> Iterator[list[scf.ForOp]]:
    """The loops of a nest, each with those around it."""
    yield around
    for op in around[-1].body.block.ops:
        if isinstance(op, scf.ForOp):
            yield from _bodies([*around, op])


def _copies(loops: Loops, factors: Factors) -> int:
    """How often something is done that differs with some loops."""
    return prod(factors[loop] for loop in loops)


def _trips(loop: scf.ForOp) -> int:
    bounds = constant_bounds(loop)
    return UNKNOWN_TRIPS if bounds is None else bounds.trips
