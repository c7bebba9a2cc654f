"""Affine functions of loop counters as values that are carried and increased."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.affine import Affine, AffineForms
from vliw_mlir.analysis.cfg import terminator
from vliw_mlir.analysis.loops import counter_of, is_defined_in
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp, Emitter
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.transforms.dead_code import eliminate_dead_code
from vliw_mlir.transforms.promotion import with_more_results


@dataclass(frozen=True)
class StrengthReduction(ModulePass):
    """Carry `a*i + b` from one iteration to the next, and add `a * step` in each.

    For words that are affine functions of the counter `i` of an `scf.for`, with a constant `a`
    and a `b` that does not change in the loop. Functions that differ by a constant share one
    carried value. Done only where operations are saved: since a multiplication takes one slot
    like an addition, a function that takes one operation stays, and with `carry_cost` it takes
    more than that to be worth a carried value.

    Works on the SSA level. A carried value stands in the way of passes that reorder or widen
    loops, so this belongs behind them. Takes time linear in the number of operations.

    The classic transformation (Allen, Cocke and Kennedy, 1981), decided by operation counts.

    Statistics: `num-carried`, `num-removed-operations`.
    """

    name = "strength-reduction"

    carry_cost: int = 1
    """Operations per iteration that a carried value is taken to cost besides its addition."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for function in op.ops:
            if not isinstance(function, FuncOp):
                continue
            # Inner loops first: what they start with may be a function of the counter around.
            loops = [o for o in function.body.walk(region_first=True) if isinstance(o, scf.ForOp)]
            for loop in loops:
                self._reduce(loop, statistics)
            eliminate_dead_code(function.body)

    def _reduce(self, loop: scf.ForOp, statistics: Statistics) -> None:
        for group in _groups(loop):
            saved, cost = len(group.removed()), group.cost(self.carry_cost)
            if saved <= cost:
                message = f"{saved} operations are too few to carry a multiple of the counter"
                remark(loop, self.name, message, RemarkKind.MISSED)
                continue
            message = f"{saved} operations for multiples of the counter become {cost}"
            remark(loop, self.name, message, RemarkKind.PASSED)
            loop = group.carry(loop)
            statistics.count("num-carried")
            statistics.count("num-removed-operations", saved)


@dataclass(frozen=True)
class _Function:
    """A value that is an affine function of the counter."""

    op: word.ArithmeticOp
    form: Affine


@dataclass(frozen=True)
class _Group:
    """Functions of the counter that differ by constants."""

    functions: Sequence[_Function]

    def cost(self, carry_cost: int) -> int:
        """The operations per iteration when they are carried."""
        constants = {function.form.constant for function in self.functions}
        return len(constants) + carry_cost

    def removed(self) -> set[Operation]:
        """The operations that nothing needs when the functions are carried."""
        removed: set[Operation] = {function.op for function in self.functions}
        block = self.functions[0].op.parent
        pending = list(removed)
        while pending:
            for value in pending.pop().operands:
                op = value.owner
                if not isinstance(op, word.ArithmeticOp) or op.parent is not block:
                    continue
                if op not in removed and all(use.operation in removed for use in op.result.uses):
                    removed.add(op)
                    pending.append(op)
        return removed

    def carry(self, loop: scf.ForOp) -> scf.ForOp:
        """Carry the functions in a loop that takes the place of `loop`, and is the result."""
        first = self.functions[0]
        counter = counter_of(loop)
        factor = first.form.terms[counter]
        before = BeforeOp(loop)
        start = _emit(before, first.form.without(counter), {loop.lb: factor})
        increment = _emit(before, Affine(), {loop.step: factor})
        body = loop.body.block
        carried = body.insert_arg(i32, len(body.args))
        carried.name_hint = first.op.result.name_hint
        for function in self.functions:
            distance = function.form.constant - first.form.constant
            self._replace(function.op, carried, distance)
        end = terminator(loop.body)
        following = BeforeOp(end).function("add", carried, increment)
        end.operands = [*end.operands, following]
        new = with_more_results(loop, [start], [carried])
        assert isinstance(new, scf.ForOp)
        return new

    def _replace(self, op: word.ArithmeticOp, carried: SSAValue, distance: int) -> None:
        value = carried
        if distance:
            e = BeforeOp(op)
            value = e.function("add", carried, e.constant(distance))
        op.result.replace_all_uses_with(value)


def _groups(loop: scf.ForOp) -> list[_Group]:
    """The affine functions of the counter that something else than such functions uses."""
    counter, forms = counter_of(loop), AffineForms()
    functions: dict[SSAValue, _Function] = {}
    for op in loop.body.block.ops:
        if not isinstance(op, word.ArithmeticOp) or op.result.type != i32:
            continue
        form = forms.of(op.result)
        others = form.without(counter).terms
        if counter in form.terms and not any(is_defined_in(value, loop) for value in others):
            functions[op.result] = _Function(op, form)
    groups: dict[frozenset[tuple[SSAValue, int]], list[_Function]] = {}
    for value, function in functions.items():
        users = (use.operation for use in value.uses)
        if all(_result_of(user) in functions for user in users):
            continue
        groups.setdefault(frozenset(function.form.terms.items()), []).append(function)
    return [_Group(group) for group in groups.values()]


def _result_of(op: Operation) -> OpResult | None:
    return op.results[0] if isinstance(op, word.ArithmeticOp) else None


def _emit(e: Emitter, form: Affine, more: Mapping[SSAValue, int]) -> SSAValue:
    """Compute an affine form, plus multiples of further values."""
    total: SSAValue = e.constant(form.constant)
    for value, factor in (*form.terms.items(), *more.items()):
        total = e.function("add", total, e.function("mul", value, e.constant(factor)))
    return total
