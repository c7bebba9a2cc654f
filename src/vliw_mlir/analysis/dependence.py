"""Memory dependences between the iterations of loops.

Two accesses depend on each other if they may touch the same word and one of them writes. The
question asked here is how many iterations apart: by testing ever finer hypotheses about the
distance in each loop of a nest (Banerjee's inequalities and the GCD test over a hierarchy of
direction vectors; Allen and Kennedy, "Optimizing Compilers for Modern Architectures", chapter
3) on affine forms of offsets modulo 2^32, given that a subscript stays within its buffer.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import gcd

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from vliw_mlir.analysis.affine import Affine
from vliw_mlir.analysis.alias import Access, AliasAnalysis, is_opaque
from vliw_mlir.analysis.buffers import is_identified
from vliw_mlir.analysis.iterations import MODULUS, loop_facts
from vliw_mlir.analysis.loops import is_defined_in
from vliw_mlir.analysis.strided_interval import StridedInterval, single
from vliw_mlir.dialects import word
from vliw_mlir.errors import op_location
from vliw_mlir.semantics import to_signed

Vector = tuple[int, ...]
"""For each loop of a nest, outermost first: 1 if of two accesses that depend on each other the
second one happens in a later iteration, -1 in an earlier one, 0 in the same."""

Distances = tuple[int, int]
"""The least and the largest number of iterations from a first to a second access."""

SAME: Distances = (0, 0)
LATER: Distances = (1, MODULUS)
EARLIER: Distances = (-MODULUS, -1)
ANY: Distances = (-MODULUS, MODULUS)

_DISTANCES = {0: SAME, 1: LATER, -1: EARLIER}

MAX_DIFFERENCES = 4096
"""How many distances of accesses that are alike are tried one by one."""

MAX_PAIRS = 2048
"""How many pairs of unlike accesses are tested; with more, nothing is known."""

TOO_MANY = "there are too many unlike accesses"

MAX_TRIES = 16
"""How many distances in iterations that do not come true are tried one by one."""


@dataclass(frozen=True)
class Dependence:
    """Two accesses that may touch the same word, the first one in an earlier iteration."""

    first: Access
    second: Access

    def __str__(self) -> str:
        a, b = (f"{x.op.name} at {op_location(x.op) or '?'}" for x in (self.first, self.second))
        return f"{a} and {b} may touch the same word"


@dataclass(frozen=True)
class Carried:
    """What is known of the dependences that a loop carries from one iteration to another."""

    nearest: int | None
    """The least number of iterations apart at which two accesses may depend on each other;
    None if they never do."""
    reason: Dependence | str = ""
    """Which accesses, or why nothing is known; for people."""

    @property
    def is_parallel(self) -> bool:
        """Whether the iterations may run in any order."""
        return self.nearest is None


def carried_dependence(loop: scf.ForOp, aliases: AliasAnalysis) -> Carried:
    """The nearest memory dependence between different iterations of `loop`.

    Values that the loop carries are not looked at. Where nothing can be told, the distance
    is 1.
    """
    if reason := unordered_effects(loop):
        return Carried(1, reason)
    test = DependenceTest(aliases, [loop])
    nearest = Carried(None)
    for number, (first, second) in enumerate(test.pairs(accesses_of([loop], aliases))):
        if number == MAX_PAIRS:
            return Carried(1, TOO_MANY)
        distance = test.nearest(first, second, nearest.nearest)
        if distance is not None:
            nearest = Carried(distance, first.dependence(second))
        if distance == 1:
            break
    return nearest


def direction_vectors(
    loops: Sequence[scf.ForOp], aliases: AliasAnalysis
) -> dict[Vector, Dependence | str]:
    """The directions of all dependences that a nest of loops carries, each with one example.

    Each loop lies in the one before it. All vectors are lexicographically positive: what comes
    first happens in an earlier iteration of the first loop that tells them apart. Accesses
    that are not in all of the loops count as if they were in every iteration. Values that
    loops carry are not looked at.
    """
    if reason := unordered_effects(loops[0]):
        return dict.fromkeys(_all_vectors(len(loops)), reason)
    test = DependenceTest(aliases, loops)
    found: dict[Vector, Dependence | str] = {}
    possible = (3 ** len(loops) - 1) // 2
    for number, (first, second) in enumerate(test.pairs(accesses_of(loops[:1], aliases))):
        if number == MAX_PAIRS:
            return dict.fromkeys(_all_vectors(len(loops)), TOO_MANY) | found
        for vector in test.vectors(first, second):
            found.setdefault(vector, first.dependence(second))
        if len(found) == possible:
            break
    return found


def _all_vectors(length: int) -> Iterator[Vector]:
    """The lexicographically positive vectors."""
    if length == 0:
        return
    for rest in _all_vectors(length - 1):
        yield (0, *rest)
    free = [()]
    for _ in range(length - 1):
        free = [(*prefix, sign) for prefix in free for sign in (0, 1, -1)]
    for rest in free:
        yield (1, *rest)


# Accesses


def unordered_effects(op: Operation) -> str | None:
    """Why not all effects of what is within `op` are accesses of memory; None if they are."""
    for inner in op.walk():
        if isinstance(inner, word.TraceWriteOp) or is_opaque(type(inner)):
            return f"the effects of {_place(inner)} must stay in order"
        if isinstance(inner, word.AllocOp) and inner.init is not None:
            return f"{_place(inner)} writes all of its buffer"
    return None


def _place(op: Operation) -> str:
    return f"{op.name} at {op_location(op) or '?'}"


@dataclass(frozen=True, eq=False)
class AccessGroup:
    """Accesses of the same buffer that differ at most by a constant in their offsets."""

    buffer: SSAValue
    form: Affine | None
    """What their offsets have in common, with 0 as the constant; None if nothing is known."""
    words: int
    writes: bool
    members: dict[int, Access]
    """One access of each constant, a signed number."""

    @property
    def constants(self) -> StridedInterval:
        """A superset of the constants."""
        low, high = min(self.members), max(self.members)
        step = 0
        for constant in self.members:
            step = gcd(step, constant - low)
        return StridedInterval(low, high, step)

    def dependence(self, other: AccessGroup) -> Dependence:
        """An example of a dependence of accesses of this group and another."""
        return Dependence(next(iter(self.members.values())), next(iter(other.members.values())))


def accesses_of(ops: Iterable[Operation], aliases: AliasAnalysis) -> list[AccessGroup]:
    """The accesses within `ops`, grouped, in the order of the program.

    Equal ones count once; linear in the number of accesses.
    """
    groups: dict[object, AccessGroup] = {}
    for inner in chain.from_iterable(op.walk() for op in ops):
        if not isinstance(inner, word.AccessOp):
            continue
        access = aliases.access(inner)
        offset = access.offset
        terms = None if offset is None else frozenset(offset.terms.items())
        key = (access.buffer, terms, access.words, access.writes)
        group = groups.get(key)
        if group is None:
            form = None if offset is None else Affine(0, offset.terms)
            group = AccessGroup(access.buffer, form, access.words, access.writes, {})
            groups[key] = group
        group.members.setdefault(0 if offset is None else to_signed(offset.constant), access)
    return list(groups.values())


# The test


class DependenceTest:
    """Tests accesses of a nest of loops, each of which lies in the one before it."""

    def __init__(self, aliases: AliasAnalysis, loops: Sequence[scf.ForOp]):
        self._aliases = aliases
        self._loops = loops
        self._facts = [loop_facts(loop, aliases) for loop in loops]
        self._repeating: dict[SSAValue, list[Operation]] = {}

    def pairs(self, groups: Sequence[AccessGroup]) -> Iterator[tuple[AccessGroup, AccessGroup]]:
        """The ordered pairs of groups that may overlap, one of which writes."""
        for number, a in enumerate(groups):
            if not a.writes:
                continue
            for other, b in enumerate(groups):
                if (b.writes and other < number) or not self.is_pair(a, b):
                    continue
                yield a, b
                if a is not b:
                    yield b, a

    def is_pair(self, a: AccessGroup, b: AccessGroup) -> bool:
        """Whether one of two groups writes, and their buffers may overlap."""
        return (a.writes or b.writes) and not self._aliases.is_distinct(a.buffer, b.buffer)

    def find(
        self,
        first: Sequence[AccessGroup],
        second: Sequence[AccessGroup],
        hypothesis: Sequence[Distances],
    ) -> Dependence | None:
        """An example of a dependence of one of the `second` groups on one of the `first`, as
        far apart as the hypothesis says; of too many of them, any."""
        pairs = [(a, b) for a in first for b in second if self.is_pair(a, b)]
        for number, (a, b) in enumerate(pairs):
            if number == MAX_PAIRS or self.may_meet(a, b, hypothesis):
                return a.dependence(b)
        return None

    def vectors(self, first: AccessGroup, second: AccessGroup) -> list[Vector]:
        """The lexicographically positive directions in which `second` may depend on `first`."""
        found: list[Vector] = []
        pending: list[Vector] = [()]
        while pending:
            vector = pending.pop()
            is_complete = len(vector) == len(self._loops)
            if not self.may_meet(first, second, self._hypothesis(vector), is_complete):
                continue
            if not is_complete:
                signs = (0, 1, -1) if any(vector) else (0, 1)
                pending += [(*vector, sign) for sign in signs]
            elif any(vector):
                found.append(vector)
        return found

    def _hypothesis(self, vector: Vector) -> list[Distances]:
        """What a vector says about the distances; no signs for inner loops is any."""
        free = len(self._loops) - len(vector)
        return [*(_DISTANCES[sign] for sign in vector), *[ANY] * free]

    def nearest(
        self, first: AccessGroup, second: AccessGroup, below: int | None = None
    ) -> int | None:
        """A lower bound of the iterations of the outermost loop from `first` to `second`, at
        least 1; None if they never meet, or only when at least `below` are between them."""
        inner = [ANY] * (len(self._loops) - 1)
        most = self._facts[0].most if below is None else min(self._facts[0].most, below - 1)

        def meets(low: int, high: int) -> bool:
            exact = low == high
            return self.may_meet(first, second, [(low, high), *inner], refine=exact)

        low = 1
        for _ in range(MAX_TRIES):
            if low > most or not meets(low, most):
                return None
            distances = range(low, most)
            low += bisect_left(distances, True, key=lambda high, low=low: meets(low, high))
            if meets(low, low):
                return low
            low += 1
        return low

    def may_meet(
        self,
        first: AccessGroup,
        second: AccessGroup,
        hypothesis: Sequence[Distances],
        refine: bool = True,
    ) -> bool:
        """Whether accesses that are as far apart as the hypothesis says may touch one word.

        With `refine`, the members of the groups are looked at one by one if need be.
        """
        hypothesis = [
            (max(low, -facts.most), min(high, facts.most))
            for facts, (low, high) in zip(self._facts, hypothesis, strict=True)
        ]
        if any(low > high for low, high in hypothesis):
            return False
        if first.form is None or second.form is None or first.buffer is not second.buffer:
            return True
        if not self._is_same(first.buffer, hypothesis):
            return True
        moved = self._difference(first.form, second.form, hypothesis)
        window = 1 - second.words, first.words - 1
        apart = second.constants + first.constants.scaled(-1)
        if not (moved + apart).meets(*window):
            return False
        count = len(first.members) * len(second.members)
        if not refine or count == 1 or count > MAX_DIFFERENCES:
            return True
        differences = {b - a for a in first.members for b in second.members}
        return any((moved + single(difference)).meets(*window) for difference in differences)

    def _difference(
        self, first: Affine, second: Affine, hypothesis: Sequence[Distances]
    ) -> StridedInterval:
        """What the second offset may be more than the first one."""
        total = single(0)
        counters = {facts.counter for facts in self._facts}
        for facts, distances in zip(self._facts, hypothesis, strict=True):
            factors = first.coefficient(facts.counter), second.coefficient(facts.counter)
            if factors != (0, 0):
                total += facts.difference(*factors, distances)
        for value in {**first.terms, **second.terms}:
            if value in counters:
                continue
            a, b = first.coefficient(value), second.coefficient(value)
            known = self._aliases.interval(Affine(0, {value: 1}))
            if self._is_same(value, hypothesis):
                total += known.scaled(b - a)
            else:
                total += known.scaled(b) + known.scaled(-a)
        return total

    def _is_same(self, value: SSAValue, hypothesis: Sequence[Distances]) -> bool:
        """Whether a value is the same at both accesses: if all that may run again between
        them, with the definition in it, is loops that are in the same iteration."""
        around = self._repeating.get(value)
        if around is None:
            around = self._repeating[value] = self._find_repeating(value)
        if not around:
            return True
        still = [
            loop
            for loop, distances in zip(self._loops, hypothesis, strict=True)
            if distances == SAME
        ]
        return all(any(op is loop for loop in still) for op in around)

    def _find_repeating(self, value: SSAValue) -> list[Operation]:
        """What may run a value's definition again within the nest, outwards."""
        outermost = self._loops[0]
        if not is_defined_in(value, outermost):
            return []
        if isinstance(value.owner, word.AllocOp) or is_identified(value):
            return []
        found: list[Operation] = []
        block = value.owner if isinstance(value.owner, Block) else value.owner.parent
        while block is not None:
            region, op = block.parent, block.parent_op()
            assert region is not None
            assert op is not None
            if isinstance(op, scf.ForOp | scf.WhileOp) or len(region.blocks) > 1:
                found.append(op)
            block = None if op is outermost else op.parent
        return found
