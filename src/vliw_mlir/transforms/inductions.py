"""Induction variables: carried values that grow by the same amount in each iteration."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from vliw_mlir.analysis.affine import Affine, AffineForms
from vliw_mlir.analysis.cfg import terminator
from vliw_mlir.analysis.loops import (
    constant_bounds,
    constant_signed,
    counter_of,
    is_defined_in,
)
from vliw_mlir.dialects.emitter import BeforeOp, Emitter
from vliw_mlir.semantics import to_signed
from vliw_mlir.transforms.places import materialize


@dataclass(frozen=True)
class Induction:
    """A value that a loop carries and that grows by the same in each iteration."""

    number: int
    """Among the values carried."""
    growth: Affine
    """By how much it grows while the counter grows by 1; of values from outside of the loop."""


def find_inductions(loop: scf.ForOp) -> list[Induction]:
    """The induction variables of a loop whose counter does not wrap around."""
    step = constant_signed(loop.step)
    if step is None or (step != 1 and constant_bounds(loop) is None):
        return []
    forms = AffineForms()
    found: list[Induction] = []
    for argument, next_value in zip(
        loop.body.block.args[1:], terminator(loop.body).operands, strict=True
    ):
        form = forms.of(next_value) if argument.type == i32 else Affine()
        growth = form.without(argument)
        if form.coefficient(argument) != 1 or any(is_defined_in(v, loop) for v in growth.terms):
            continue
        if step != 1:
            if not growth.is_constant or growth.constant % step:
                continue
            growth = Affine(growth.constant // step)
        if growth != Affine():
            found.append(Induction(argument.index - 1, growth))
    return found


def replace_induction(loop: scf.ForOp, induction: Induction) -> None:
    """Compute an induction variable from the counter instead of carrying it.

    The loop goes on to carry its first value, which is the same in every iteration.
    """
    number = induction.number
    argument, result = loop.body.block.args[1 + number], loop.results[number]
    first_op = loop.body.block.first_op
    assert first_op is not None
    argument.replace_all_uses_with(_value_at(counter_of(loop), loop, induction, BeforeOp(first_op)))
    terminator(loop.body).operands[number] = argument
    if result.first_use is not None:
        here = BeforeOp(loop)
        result.replace_all_uses_with(_value_at(_end(loop, here), loop, induction, here))


def _end(loop: scf.ForOp, here: Emitter) -> SSAValue:
    """What the counter is when the loop ends."""
    bounds = constant_bounds(loop)
    if bounds is not None:
        return here.constant(bounds.low + bounds.trips * bounds.step)
    return here.function("maxs", loop.lb, loop.ub)


def _value_at(counter: SSAValue, loop: scf.ForOp, induction: Induction, here: Emitter) -> SSAValue:
    """What an induction variable is for a value of the counter."""
    forms = AffineForms()
    first = forms.of(loop.iter_args[induction.number])
    passed = forms.of(counter) - forms.of(loop.lb)
    growth = induction.growth
    if growth.is_constant:
        return materialize(first + passed.scaled(to_signed(growth.constant)), here)
    grown = here.function("mul", materialize(passed, here), materialize(growth, here))
    return here.function("add", materialize(first, here), grown)
