"""Memory dependences between the iterations of a loop.

Two accesses of a loop depend on each other if they may touch the same word and one of them
writes. The question asked here is by how many iterations of the loop: strong SIV and
Banerjee tests on the affine forms of the offsets (Allen and Kennedy, "Optimizing Compilers
for Modern Architectures", chapter 3), given that a subscript stays within its buffer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from vliw_mlir.analysis.affine import Affine, AffineForms
from vliw_mlir.analysis.alias import Access, accesses_in, is_distinct
from vliw_mlir.analysis.loops import (
    constant_bounds,
    constant_word,
    enclosing_loops,
    is_defined_in,
)
from vliw_mlir.errors import op_location
from vliw_mlir.semantics import WORD_MASK, to_signed


@dataclass(frozen=True)
class Carried:
    """What is known of the dependences that a loop carries from one iteration to another."""

    nearest: int | None
    """The least number of iterations apart at which two may depend on each other; None if
    they never do."""
    reason: str = ""
    """Which accesses, or why it is not known; for people."""

    @property
    def is_parallel(self) -> bool:
        """Whether the iterations may run in any order."""
        return self.nearest is None


def carried_dependence(loop: scf.ForOp, forms: AffineForms) -> Carried:
    """The nearest memory dependence between different iterations of `loop`.

    Values that the loop carries are not looked at. Where nothing can be told, the distance
    is 1.
    """
    accesses = accesses_in(loop, forms)
    if accesses is None:
        return Carried(1, "it has effects that must stay in order")
    nearest = Carried(None)
    for a, b in _pairs(accesses):
        distance = _Pair(loop, a, b).least_distance()
        if distance is not None and (nearest.nearest is None or distance < nearest.nearest):
            nearest = Carried(distance, _describe(a, b))
    return nearest


def _describe(a: Access, b: Access) -> str:
    places = [op_location(access.op) or "?" for access in (a, b)]
    return f"{a.op.name} at {places[0]} and {b.op.name} at {places[1]} may touch the same word"


def _pairs(accesses: list[Access]) -> Iterator[tuple[Access, Access]]:
    """Pairs of accesses that may overlap, of which the first writes; each pair once."""
    done: set[Operation] = set()
    for write in accesses:
        if not write.writes:
            continue
        for other in accesses:
            if other.op not in done and not is_distinct(write.buffer, other.buffer):
                yield write, other
        done.add(write.op)


def _counters(op: Operation, within: scf.ForOp) -> set[SSAValue]:
    """The counters of the loops around `op` inside of `within`."""
    return {inner.body.block.args[0] for inner in enclosing_loops(op, within)}


class _Pair:
    """Two accesses of a loop, in two iterations that are d apart.

    `a(i) - b(i - d) = constant + inner + step * d`, where `inner` is what counters of inner
    loops add, which vary freely on both sides. The accesses meet when that lies strictly
    between `-a.words` and `b.words`.
    """

    def __init__(self, loop: scf.ForOp, a: Access, b: Access):
        self.loop = loop
        self.counter = loop.body.block.args[0]
        self.a = a
        self.b = b

    def least_distance(self) -> int | None:
        """The least |d| >= 1 at which the accesses may meet, None if there is none."""
        a, b = self.a, self.b
        if a.buffer is not b.buffer or a.offset is None or b.offset is None:
            return 1
        step = self._step(a.offset, b.offset)
        inner = self._inner_range()
        if step is None or inner is None:
            return 1
        rest = self._invariant_difference(a.offset, b.offset)
        if rest is None:
            return 1
        low = rest + inner[0] - (b.words - 1)
        high = rest + inner[1] + (a.words - 1)
        if step == 0:
            return 1 if low <= 0 <= high else None
        most = self._most(step, max(abs(low), abs(high)))
        if most is None:
            return 1
        candidates = [
            d
            for first, last in ((-high, -low), (low, high))
            if (d := self._least_in(first, min(last, most * abs(step)), step, rest)) is not None
        ]
        return min(candidates, default=None)

    def _least_in(self, first: int, last: int, step: int, rest: int) -> int | None:
        """The least d >= 1 with `|step| * d` in first..last at which the accesses can meet."""
        stride = self._inner_stride()
        size = abs(step)
        d = max(1, -(-first // size))
        # What the inner counters leave over repeats with this period.
        period = stride // gcd(stride, size) if stride else 1
        for candidate in range(d, min(d + period, last // size + 1)):
            if self._residues_meet(candidate * step, rest, stride):
                return candidate
        return None

    def _residues_meet(self, moved: int, rest: int, stride: int) -> bool:
        """Whether a distance in words, of either sign, is left over by inner strides."""
        if stride <= 1:
            return True
        overlaps = range(1 - self.a.words, self.b.words)
        return any(
            (rest + sign * moved - word_) % stride == 0 for sign in (1, -1) for word_ in overlaps
        )

    def _inner_stride(self) -> int:
        """The greatest common divisor of all that inner counters move by; 0 without any."""
        stride = 0
        for access in (self.a, self.b):
            assert access.offset is not None
            for inner in enclosing_loops(access.op, self.loop):
                coefficient = access.offset.coefficient(inner.body.block.args[0])
                bounds = constant_bounds(inner)
                # The counter starts anywhere, but all its values are steps apart.
                if coefficient and bounds is not None:
                    stride = gcd(stride, coefficient * gcd(bounds.step, bounds.low))
        return stride

    def _step(self, a: Affine, b: Affine) -> int | None:
        """Words that both offsets move per iteration; None if that differs or is not known."""
        coefficient = a.coefficient(self.counter)
        step = constant_word(self.loop.step)
        if coefficient != b.coefficient(self.counter) or step is None:
            return None
        return coefficient * to_signed(step)

    def _inner_range(self) -> tuple[int, int] | None:
        """The least and most that counters of inner loops add; None if that is not known."""
        low = high = 0
        for access, sign in ((self.a, 1), (self.b, -1)):
            assert access.offset is not None
            for inner in enclosing_loops(access.op, self.loop):
                factor = sign * access.offset.coefficient(inner.body.block.args[0])
                bounds = constant_bounds(inner)
                if factor and bounds is None:
                    return None
                if factor and bounds is not None and bounds.trips:
                    ends = factor * bounds.low, factor * bounds.last
                    low, high = low + min(ends), high + max(ends)
        return low, high

    def _invariant_difference(self, a: Affine, b: Affine) -> int | None:
        """The constant by which the rest of the offsets differs; None if it may vary."""
        counters = {self.counter}
        for access in (self.a, self.b):
            counters |= _counters(access.op, self.loop)
        for form in (a, b):
            for value in form.terms:
                if value not in counters and is_defined_in(value, self.loop):
                    return None
        difference = a - b
        if any(value not in counters for value in difference.terms):
            return None
        return to_signed(difference.constant)

    def _most(self, step: int, reach: int) -> int | None:
        """The most iterations apart; None when offsets so far apart could wrap around.

        `reach` is what the offsets may differ by besides.
        """
        bounds = constant_bounds(self.loop)
        if bounds is None:
            # Words that are a power of two apart meet again after a wrap, others do not.
            return WORD_MASK if abs(step) == 1 else None
        most = bounds.trips - 1
        return most if most * abs(step) + reach <= WORD_MASK else None
