"""How often to copy the bodies of loops: by what the copies save."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import scf
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from vliw_mlir.analysis.affine import AffineForms
from vliw_mlir.analysis.bounds import straight_line_work
from vliw_mlir.analysis.latencies import latency
from vliw_mlir.analysis.loops import Bounds, constant_bounds, count_ops, counts
from vliw_mlir.analysis.resource_bound import Work
from vliw_mlir.analysis.update_chains import most_scattered
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.transforms.unroll_times import Factor, Shape, Times
from vliw_mlir.transforms.unrolling import why_not_unrolled

FACTORS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
"""What is tried for loops that are not unrolled fully."""

TOLERANCE = 1.02
"""By how much the time may exceed the least one, to save copies."""

TOLERANCE_OF_PIPELINES = 1.06
"""The same where iterations overlap: with fewer copies there is room for more of them."""

NEARLY_FULL = 4
"""A loop that would run at most so many times is unrolled fully: without a counter, addresses
are constants."""


class UnrollPlan:
    """How often to unroll each loop of a function, decided for inner loops first.

    What a loop inside is going to be counts for those around it. A loop that has loops or
    branches inside which stay is left alone. All that is planned leads to at most `max_ops`
    operations in the function, apart from what is asked for. With `pipelined`, iterations of
    loops overlap where that is possible.
    """

    factors: dict[scf.ForOp, Factor]
    """The loops to be unrolled."""

    def __init__(
        self,
        func: FuncOp,
        asked: Mapping[scf.ForOp, Factor],
        max_ops: int,
        *,
        pipelined: bool = False,
    ):
        self.factors = {}
        self._asked = asked
        self._pipelined = pipelined
        self._target = target_of(func)
        self._left = max_ops - count_ops(func.body)
        for block in func.body.blocks:
            self._block(block)

    def _block(self, block: Block) -> Shape:
        """Plan for the loops in a block; its shape as the body of a loop."""
        shape = Shape()
        ready: dict[SSAValue, int] = {}
        carried: dict[SSAValue, int] = dict.fromkeys(block.args[1:], 0)
        for op in block.ops:
            part = self._op(op)
            shape.ops += part.ops
            shape.work.update(part.work)
            shape.is_straight &= part.is_straight
            end = max((ready.get(value, 0) for value in op.operands), default=0) + part.path
            shape.path = max(shape.path, end)
            ready.update(dict.fromkeys(op.results, end))
            through = [carried[value] for value in op.operands if value in carried]
            if through:
                carried.update(dict.fromkeys(op.results, max(through) + part.chain))
        last = block.last_op
        if last is not None:
            shape.chain = max((carried.get(value, 0) for value in last.operands), default=0)
        updates = most_scattered(block, AffineForms())
        if updates:
            shape.updates, shape.update = len(updates), updates[0].cycles(self._target)
        return shape

    def _op(self, op: Operation) -> Shape:
        if isinstance(op, scf.ForOp):
            return self._loop(op)
        if not op.regions:
            cycles = latency(op, self._target)
            return Shape(counts(op), straight_line_work([op], self._target), cycles, cycles)
        blocks = [self._block(block) for region in op.regions for block in region.blocks]
        return Shape(1 + sum(block.ops for block in blocks), is_straight=False)

    def _loop(self, loop: scf.ForOp) -> Shape:
        body = self._block(loop.body.block)
        factor = self._asked[loop] if loop in self._asked else self._choose(loop, body)
        if factor != 1:
            self.factors[loop] = factor
        bounds = constant_bounds(loop)
        if factor is None and bounds is not None:
            shape = _repeated(body, bounds.trips)
        else:
            shape = Shape(_ops_unrolled(body.ops, bounds, factor or 1), is_straight=False)
        self._left -= shape.ops - body.ops - 1
        return shape

    def _is_possible(self, loop: scf.ForOp, factor: int, body: Shape) -> bool:
        """Whether to try to unroll a loop by a factor."""
        bounds = constant_bounds(loop)
        if why_not_unrolled(loop, factor) is not None:
            return False
        if _ops_unrolled(body.ops, bounds, factor) - body.ops - 1 > self._left:
            return False
        # What is known only later is divided when the program runs, which is a shift then.
        return factor.bit_count() == 1 if bounds is None else factor < bounds.trips

    def _choose(self, loop: scf.ForOp, body: Shape) -> Factor:
        """The fewest copies with which a loop takes about the least time possible."""
        bounds = constant_bounds(loop)
        if not body.is_straight or not body.ops or (bounds is not None and not bounds.trips):
            return 1
        times = Times(loop, body, self._target, pipelined=self._pipelined)
        tried: list[Factor] = [1, *(f for f in FACTORS[1:] if self._is_possible(loop, f, body))]
        if bounds is not None and (bounds.trips - 1) * body.ops <= self._left:
            tried.append(None)
        ratios = times.ratios(tried)
        limit = TOLERANCE_OF_PIPELINES if times.overlap else TOLERANCE
        good = [
            factor
            for factor, ratio in zip(tried, ratios, strict=True)
            if ratio <= limit * min(ratios)
        ]
        if bounds is None:
            return good[0]
        # A loop for the rest is one more, and what it does cannot be shared with the others.
        best = next((f for f in good if f is None or bounds.trips % f == 0), good[0])
        is_nearly_full = best is not None and best > 1 and best * NEARLY_FULL >= bounds.trips
        return None if is_nearly_full and None in tried else best


def _ops_unrolled(ops: int, bounds: Bounds | None, factor: int) -> int:
    """Operations of a loop with a body of `ops` that is unrolled by `factor`: the copies, their
    counters, and likewise for the rest."""
    has_rest = factor > 1 and (bounds is None or bounds.trips % factor > 0)
    return 1 + ops * factor + factor - 1 + has_rest * (ops + 1)


def _repeated(body: Shape, times: int) -> Shape:
    """So many copies of a body, one after another."""
    work = Work({ways: count * times for ways, count in body.work.items()})
    path = (times - 1) * body.chain + body.path if times else 0
    return Shape(body.ops * times, work, path, times * body.chain)
