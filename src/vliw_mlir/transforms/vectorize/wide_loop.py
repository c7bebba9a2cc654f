"""Replacing a loop by one that does several vectors of iterations at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i32, i64
from xdsl.ir import Block, Operation, Region, SSAValue

from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.analysis.bounds import EXPECTED_TRIPS, expected_trips
from vliw_mlir.analysis.loops import Bounds, constant_bounds, constant_word
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp, Emitter
from vliw_mlir.semantics import WORD_MASK
from vliw_mlir.transforms.rewriting import inline_block, replace_op
from vliw_mlir.transforms.vectorize.carried import CarriedForm, form_of
from vliw_mlir.transforms.vectorize.masked import MaskingWidener
from vliw_mlir.transforms.vectorize.order import steps_of
from vliw_mlir.transforms.vectorize.recurrences import Previous, Scan, find_recurrences
from vliw_mlir.transforms.vectorize.shapes import VARYING, Illegal, Shapes
from vliw_mlir.transforms.vectorize.widen import AtEnd, Widener

WIDENED = "vliw.widened"
"""Marks a loop that is not to be widened: it was, or it is what such a loop leaves over."""


@dataclass(frozen=True)
class Form:
    """How to widen a loop."""

    parts: int = 1
    """How many vectors of iterations one wide iteration does."""
    may_repeat: bool = False
    """Whether iterations may be done again behind the loop, so that the last vector is full."""


def widen_loop(loop: scf.ForOp, form: Form, aliases: AliasAnalysis, vlen: int) -> scf.ForOp:
    """Replace `loop` by one that does vectors of `vlen` iterations, and code for what is left:
    vectors behind the loop, if the number of iterations is constant, and a loop.

    The wide loop is the result. Raises `Illegal` when the loop cannot be widened, and leaves
    it as it is then.
    """
    return _Loop(loop, form, aliases, vlen).replace()


class _Loop:
    """The widening of one loop."""

    def __init__(self, loop: scf.ForOp, form: Form, aliases: AliasAnalysis, vlen: int):
        self.loop = loop
        self.parts = form.parts
        self.may_repeat = form.may_repeat
        self.vlen = vlen
        self.bounds = constant_bounds(loop)
        if self.bounds is not None and self.bounds.trips < vlen * form.parts:
            raise Illegal(
                f"it runs {self.bounds.trips} times, less than the {vlen * form.parts} lanes "
                "of what is done at once"
            )
        if self.bounds is None and constant_word(loop.step) != 1:
            raise Illegal("its bounds are not constant and its step is not 1")
        recurrences = find_recurrences(loop)
        self.shapes = Shapes(loop, [VARYING] * len(loop.iter_args))
        self.steps = steps_of(loop, recurrences, aliases)
        self.carried = [form_of(r, loop, form.parts, vlen) for r in recurrences]
        self.forms = dict(zip(recurrences, self.carried, strict=True))
        step = constant_word(loop.step)
        assert step is not None
        self.step = step

    def replace(self) -> scf.ForOp:
        before = BeforeOp(self.loop)
        upper = self._upper(before)
        initial = [value for form in self.carried for value in form.initial(before)]
        body = Block(arg_types=[i32, *(value.type for value in initial)])
        body.args[0].name_hint = self.loop.body.block.args[0].name_hint
        starts = range(0, self.parts * self.vlen, self.vlen)
        self._iteration(body, body.args[0], body.args[1:], starts)
        step = before.constant(self.step * self.vlen * self.parts)
        wide = scf.ForOp(self.loop.lb, upper, step, initial, Region(body))
        wide.attributes.update(self.loop.attributes)
        wide.attributes[WIDENED] = UnitAttr()
        before.append(wide)
        state, done = self._tail(before, list(wide.results))
        totals: dict[int, SSAValue] = {}
        for form, own in self._divided(state):
            totals.update(form.totals(before, own))
        values = [totals[number] for number in range(len(self.loop.results))]
        if self.bounds is None or done < self.bounds.trips:
            start = upper
            if self.bounds is not None and done > self._whole:
                start = self._counter(before, self.bounds, done)
            values = self._rest(before, values, start)
            if self.bounds is None:
                wide.attributes[EXPECTED_TRIPS] = self._expected(expected_trips(self.loop))
        for old, new in zip(self.loop.results, values, strict=True):
            new.name_hint = old.name_hint
        replace_op(self.loop, values)
        return wide

    def _expected(self, trips: int) -> IntegerAttr:
        return IntegerAttr(max(1, trips // (self.vlen * self.parts)), i64)

    @property
    def _whole(self) -> int:
        """How many iterations the wide loop does, if that is known."""
        assert self.bounds is not None
        return self.bounds.trips - self.bounds.trips % (self.vlen * self.parts)

    def _upper(self, e: Emitter) -> SSAValue:
        """Where whole groups of iterations end."""
        if self.bounds is not None:
            return self._counter(e, self.bounds, self._whole)
        # Signed bounds: without iterations the end is the start; else the difference fits a word.
        end = e.function("maxs", self.loop.ub, self.loop.lb)
        count = e.function("sub", end, self.loop.lb)
        whole = e.function("and", count, e.constant(-self.vlen * self.parts & WORD_MASK))
        return e.function("add", self.loop.lb, whole)

    def _counter(self, e: Emitter, bounds: Bounds, iteration: int) -> SSAValue:
        """The counter in an iteration, or what it would be in the one behind the last."""
        if iteration == bounds.trips:
            return self.loop.ub
        return e.constant(bounds.low + iteration * bounds.step)

    def _divided(self, state: Sequence[SSAValue]) -> list[tuple[CarriedForm, Sequence[SSAValue]]]:
        """What is carried, divided among the forms."""
        values = iter(state)
        return [(form, list(islice(values, form.size))) for form in self.carried]

    def _iteration(
        self, block: Block, counter: SSAValue, state: Sequence[SSAValue], starts: Sequence[int]
    ) -> None:
        """Emit a wide iteration at the end of `block`, with what it carries on as the end."""
        widener = MaskingWidener(self.shapes, self.vlen, starts)
        widener.begin(counter)
        for form, own in self._divided(state):
            form.enter(widener, own)
        for step in self.steps:
            if isinstance(step, Scan):
                self.forms[step].resolve(widener, AtEnd(block, step.chain[-1]))
            elif isinstance(step, Previous):
                self.forms[step].resolve(widener, AtEnd(block, self.loop))
            else:
                self._widen(step, widener, AtEnd(block, step))
        end = AtEnd(block, self.loop)
        end.append(scf.YieldOp(*[v for form in self.carried for v in form.leave(widener, end)]))

    def _widen(self, op: Operation, widener: Widener, e: AtEnd) -> None:
        for form in self.carried:
            if isinstance(op, word.ArithmeticOp) and form.takes_over(op):
                return form.widen(op, widener, e)
        return widener.widen(op, e)

    def _tail(self, e: BeforeOp, state: list[SSAValue]) -> tuple[list[SSAValue], int]:
        """Emit vectors for the iterations behind the wide loop; what is carried on, and how
        many iterations are done then."""
        if self.bounds is None:
            return state, 0
        left = self.bounds.trips - self._whole
        starts = [*range(0, left - self.vlen + 1, self.vlen)]
        done = self._whole + len(starts) * self.vlen
        if self.may_repeat and done < self.bounds.trips:
            starts.append(left - self.vlen)
            done = self.bounds.trips
        if not starts:
            return state, done
        block = Block()
        self._iteration(block, self._counter(e, self.bounds, self._whole), state, starts)
        return inline_block(block, [], e.op), done

    def _rest(self, e: BeforeOp, values: Sequence[SSAValue], start: SSAValue) -> list[SSAValue]:
        """Emit a loop for the iterations from `start` on; what it carries in the end."""
        rest = self.loop.clone()
        rest.attributes[WIDENED] = UnitAttr()
        if self.bounds is None:
            rest.attributes[EXPECTED_TRIPS] = IntegerAttr(self.vlen * self.parts // 2, i64)
        rest.operands = [start, *rest.operands[1:3], *values]
        e.append(rest)
        return list(rest.results)
