"""The forward data-flow analysis behind `ranges`.

Abstract interpretation (Cousot and Cousot) over structured control flow: loops are iterated
with widening until nothing grows, then everything is computed once more from what was found,
which sharpens it again (narrowing). Of the arguments of blocks in a control-flow graph nothing
is known.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from xdsl.dialects import scf
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.hints import isa

from vliw_mlir.analysis.buffers import STORELESS, base_buffer
from vliw_mlir.analysis.cfg import reverse_postorder
from vliw_mlir.analysis.refine import Fact, implied, refine
from vliw_mlir.analysis.transfer import transfer
from vliw_mlir.analysis.word_sets import (
    TOP,
    WordSet,
    constant,
    from_signed,
    hull,
    join,
    meet,
    widen,
    words,
)
from vliw_mlir.dialects import word
from vliw_mlir.semantics import SIGN_BIT, WORD_MASK

JOINS_BEFORE_WIDENING = 2
"""How often a loop's values may grow as they do before they are widened."""

Sets: TypeAlias = dict[SSAValue, WordSet]


class Flow:
    """One run of the analysis, under an assumption about the content of buffers.

    `content` gives the words that a load can find; whether the stores that the function makes
    agree with it, is for the caller to see.
    """

    sets: Sets
    """What is known of each value wherever it is used; nothing of those left out."""
    refined: dict[Block, Sets]
    """What more is known of values within a block, because of the conditions for it to run."""
    stored: Sets
    """What is stored to each argument and allocation."""
    unknown_stores: bool
    """Whether there may be other stores."""

    def __init__(
        self,
        func: FuncOp,
        arguments: Mapping[SSAValue, WordSet],
        content: Callable[[word.LoadOp | word.GatherOp], WordSet],
    ):
        self.sets = dict(arguments)
        self.refined = {}
        self.stored = {}
        self.unknown_stores = False
        self._func = func
        self._content = content
        # For each loop: what its carried values are at the start of an iteration, how often
        # that has grown, and what the last iteration has passed on.
        self._carried: dict[Operation, list[WordSet]] = {}
        self._growths: dict[Operation, int] = {}
        self._passed: dict[Operation, list[WordSet]] = {}
        self._narrowing = False

    def run(self) -> None:
        """Fill in the results."""
        self._region(self._func.body)
        if not self._carried:
            return
        # Sound whatever the transfer functions are like: each step computes supersets of what
        # can be from supersets of what can be.
        self._narrowing = True
        self.refined.clear()
        self.stored.clear()
        self._region(self._func.body)

    def get(self, value: SSAValue) -> WordSet:
        """What is known of a value now."""
        return self.sets.get(value, TOP)

    def get_all(self, values: Sequence[SSAValue]) -> list[WordSet]:
        """What is known of values now."""
        sets = self.sets
        return [sets.get(value, TOP) for value in values]

    def set_all(self, values: Sequence[SSAValue], sets: Sequence[WordSet]) -> None:
        """Make known what values are."""
        self.sets.update(zip(values, sets, strict=True))

    # Control flow

    def _region(self, region: Region) -> list[WordSet]:
        """Go through a region; what its only block passes on, nothing if it has several."""
        blocks = reverse_postorder(region)
        for block in blocks:
            for op in block.ops:
                handler = _HANDLERS.get(op.name)
                if handler is not None:
                    handler(self, op)
                elif op.name not in STORELESS or op.regions:
                    self.unknown_stores = True
        last = blocks[0].last_op if len(blocks) == 1 else None
        return [] if last is None else self.get_all(last.operands)

    @contextmanager
    def _assuming(self, facts: Sequence[Fact], within: Block | None = None) -> Generator[None]:
        """Let facts hold for a while; they are recorded as what is known in a block."""
        before: Sets = {}
        for value, fact in facts:
            old = self.get(value)
            new = meet(old, fact)
            if new is None or new == old:
                continue
            before.setdefault(value, old)
            self.sets[value] = new
        if within is not None:
            self.refined[within] = {value: self.sets[value] for value in before}
        try:
            yield
        finally:
            self.sets.update(before)

    def _facts(self, condition: SSAValue, truth: bool) -> list[Fact]:
        """What holds where a branch on an `i1` goes one way."""
        if not isinstance(condition.owner, word.TestOp):
            return []
        return list(implied(condition.owner.word, truth, self.get))

    def _is_possible(self, condition: SSAValue, truth: bool) -> bool:
        if not isinstance(condition.owner, word.TestOp):
            return True
        known = self.get(condition.owner.word)
        return known.hi > 0 if truth else 0 in known

    def _merge(self, op: Operation, sides: Sequence[Sequence[WordSet]]) -> None:
        """Let each result of `op` be what one of `sides` has for it."""
        for number, result in enumerate(op.results):
            sets = [side[number] for side in sides if number < len(side)]
            known = sets[0] if len(sets) == len(sides) else TOP
            for other in sets[1:]:
                known = join(known, other)
            self.sets[result] = known

    def if_(self, op: scf.IfOp) -> None:
        sides: list[list[WordSet]] = []
        for region, truth in ((op.true_region, True), (op.false_region, False)):
            if not region.blocks:
                continue
            with self._assuming(self._facts(op.cond, truth), region.blocks[0]):
                yielded = self._region(region)
            if self._is_possible(op.cond, truth):
                sides.append(yielded)
        self._merge(op, sides)

    def execute_region(self, op: scf.ExecuteRegionOp) -> None:
        self._merge(op, [self._region(op.region)])

    # Loops

    def for_(self, op: scf.ForOp) -> None:
        body = op.body.block
        induction, *carried = body.args
        initial = self.get_all(op.iter_args)
        lb, ub, step = self.get(op.lb), self.get(op.ub), self.get(op.step)
        trips = _most_trips(lb, ub, step)
        # The body only runs while the lower bound is below the upper one.
        facts = list(zip((op.lb, op.ub), refine("slt", lb, ub), strict=True))
        self.sets[induction] = _induction(lb, ub, step)

        def sharpen(sets: list[WordSet]) -> list[WordSet]:
            if not trips:
                return sets
            # At the start of the last iteration all others have added something.
            bounds = (self._accumulated(op, i, trips - 1) for i in range(len(sets)))
            return [meet(known, bound) or known for known, bound in zip(sets, bounds, strict=True)]

        def iterate(sets: Sequence[WordSet]) -> list[WordSet]:
            self.set_all(carried, sets)
            with self._assuming(facts, body):
                return self._region(op.body)

        passed = self._iterate(op, initial, iterate, sharpen)
        runs = transfer("slt", lb, ub)
        if runs.hi == 0:
            self.set_all(op.results, initial)
            return
        self.set_all(op.results, passed if runs.lo else _join_all(initial, passed))

    def while_(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)

        def iterate(sets: Sequence[WordSet]) -> list[WordSet]:
            self.set_all(before.args, sets)
            self._region(op.before_region)
            with self._assuming(self._facts(condition.condition, True), after):
                self.set_all(after.args, self.get_all(condition.args))
                return self._region(op.after_region)

        self._iterate(op, self.get_all(op.arguments), iterate, list)
        with self._assuming(self._facts(condition.condition, False)):
            left = self.get_all(condition.args)
        self.set_all(op.results, left)

    def _iterate(
        self,
        op: Operation,
        initial: list[WordSet],
        iterate: Callable[[Sequence[WordSet]], list[WordSet]],
        sharpen: Callable[[list[WordSet]], list[WordSet]],
    ) -> list[WordSet]:
        """Find what carried values can be at the start of an iteration; what is passed on then.

        A loop that is reached again, because one around it is iterated, goes on from what it
        had: so the work for nested loops stays bounded by how often sets can grow.
        """
        if self._narrowing:
            carried = sharpen(_join_all(initial, self._passed[op]))
            self._passed[op] = passed = iterate(carried)
            return passed
        carried = self._carried.get(op)
        carried = initial if carried is None else self._grow(op, carried, initial)
        while True:
            passed = iterate(carried)
            grown = self._grow(op, carried, passed)
            if grown == carried:
                break
            carried = grown
        self._carried[op], self._passed[op] = carried, passed
        return passed

    def _grow(self, op: Operation, old: list[WordSet], new: list[WordSet]) -> list[WordSet]:
        growths = self._growths.get(op, 0)
        combine = join if growths < JOINS_BEFORE_WIDENING else widen
        grown = [combine(a, b) for a, b in zip(old, new, strict=True)]
        if grown != old:
            self._growths[op] = growths + 1
        return grown

    def _accumulated(self, op: scf.ForOp, number: int, times: int) -> WordSet:
        """What a carried value can be to which iterations have added at most `times` times."""
        argument, end = op.body.block.args[number + 1], op.body.block.last_op
        assert end is not None
        sum = end.operands[number].owner
        if isinstance(sum, word.AddOp) and argument in sum.operands:
            least, most = self.get(sum.rhs if sum.lhs is argument else sum.lhs).signed_bounds
        elif isinstance(sum, word.SubOp) and sum.lhs is argument:
            subtracted = self.get(sum.rhs).signed_bounds
            least, most = -subtracted[1], -subtracted[0]
        else:
            return TOP
        initial = self.get(op.iter_args[number])
        return from_signed(initial.lo + times * min(0, least), initial.hi + times * max(0, most))

    # Operations

    def arithmetic(self, op: word.ArithmeticOp) -> None:
        self.sets[op.result] = transfer(op.function.name, *self.get_all(op.operands))

    def select(self, op: word.SelectOp) -> None:
        """Each operand counts for what it can be where it is chosen."""
        sets = [self.get(op.condition)]
        for value, truth in ((op.on_true, True), (op.on_false, False)):
            known = self.get(value)
            if known.lo != known.hi:
                facts = implied(op.condition, truth, self.get)
                # Nearly always there is one at most, and others take time to find.
                refined = next((found for fact, found in facts if fact is value), known)
                known = meet(known, refined) or known
            sets.append(known)
        self.sets[op.result] = transfer("select", *sets)

    def constant(self, op: word.ConstantOp) -> None:
        values = op.words()
        self.sets[op.result] = constant(values[0]) if len(values) == 1 else hull(values)

    def any_operand(self, op: Operation) -> None:
        """The result is made of the operands' words."""
        known = self.get(op.operands[0])
        for operand in op.operands[1:]:
            known = join(known, self.get(operand))
        self.sets[op.results[0]] = known

    def load(self, op: word.LoadOp) -> None:
        lanes = word.lanes_of(op.result.type)
        # Lanes beyond the end of a buffer hold anything.
        is_within = lanes is None or self._is_within(op, lanes)
        self.sets[op.result] = self._content(op) if is_within else TOP

    def gather(self, op: word.GatherOp) -> None:
        self.sets[op.result] = self._content(op)

    def store(self, op: word.StoreOp | word.ScatterOp) -> None:
        known = self.get(op.value if isinstance(op, word.StoreOp) else op.values)
        base = base_buffer(op.buffer)
        if base is None:
            self.unknown_stores = True
            return
        stored = self.stored.get(base)
        self.stored[base] = known if stored is None else join(stored, known)

    def _is_within(self, op: word.LoadOp, lanes: int) -> bool:
        type = op.buffer.type
        if not isa(type, word.BufferType) or type.words is None or op.absolute is not None:
            return False
        is_whole = base_buffer(op.buffer) is op.buffer
        return is_whole and self.get(op.offset).hi + lanes <= type.words


def _join_all(a: Sequence[WordSet], b: Sequence[WordSet]) -> list[WordSet]:
    return [join(x, y) for x, y in zip(a, b, strict=True)]


def _may_wrap(ub: WordSet, step: WordSet) -> bool:
    """Whether the counter of a loop may pass the greatest signed word, or count down."""
    return not step.is_nonnegative or ub.signed_bounds[1] - 1 + step.hi >= SIGN_BIT


def _induction(lb: WordSet, ub: WordSet, step: WordSet) -> WordSet:
    """The counter of a loop within its body."""
    # No step changes the bits below its lowest one.
    fixed = (1 << min(lb.trailing_known, step.trailing_zeros)) - 1
    multiples = words(0, WORD_MASK, lb.zeros & fixed, lb.ones & fixed)
    first, last = lb.signed_bounds[0], ub.signed_bounds[1] - 1
    if _may_wrap(ub, step) or first > last:
        return multiples
    if lb.constant is not None and step.constant:
        last -= (last - first) % step.lo
    return meet(from_signed(first, last), multiples) or multiples


def _most_trips(lb: WordSet, ub: WordSet, step: WordSet) -> int | None:
    """The most iterations that a loop can have, None when that is not known."""
    if step.lo == 0 or _may_wrap(ub, step):
        return None
    return max(0, -((lb.signed_bounds[0] - ub.signed_bounds[1]) // step.lo))


_HANDLERS: dict[str, Callable[[Flow, Any], None]] = {
    **{op.name: Flow.arithmetic for op in (*word.BINARY_OPS, word.CmpOp, word.MultiplyAddOp)},
    scf.ForOp.name: Flow.for_,
    scf.WhileOp.name: Flow.while_,
    scf.IfOp.name: Flow.if_,
    scf.ExecuteRegionOp.name: Flow.execute_region,
    word.SelectOp.name: Flow.select,
    word.SelectByDifferenceOp.name: Flow.any_operand,
    word.ConstantOp.name: Flow.constant,
    word.BroadcastOp.name: Flow.any_operand,
    word.ExtractOp.name: Flow.any_operand,
    word.FromElementsOp.name: Flow.any_operand,
    word.InsertOp.name: Flow.any_operand,
    word.ConcatOp.name: Flow.any_operand,
    word.SliceOp.name: Flow.any_operand,
    word.LoadOp.name: Flow.load,
    word.GatherOp.name: Flow.gather,
    word.StoreOp.name: Flow.store,
    word.ScatterOp.name: Flow.store,
}
"""What is done for operations, by name: that includes subclasses made for their syntax."""
