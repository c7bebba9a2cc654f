"""Unrolling one counted loop: fully, or by a factor with a loop for the rest."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import SSAValue

from vliw_mlir.analysis.bounds import EXPECTED_TRIPS, expected_trips
from vliw_mlir.analysis.cfg import terminator
from vliw_mlir.analysis.loops import (
    Bounds,
    constant_bounds,
    constant_signed,
    constant_word,
    counter_of,
)
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.semantics import SIGN_BIT
from vliw_mlir.transforms.copying import Copier
from vliw_mlir.transforms.loop_building import loop_like
from vliw_mlir.transforms.rewriting import replace_op


def unroll_fully(loop: scf.ForOp, bounds: Bounds) -> list[scf.ForOp]:
    """Replace `loop` by one copy of its body per iteration; the loops in the copies.

    `bounds` are those of `loop`.
    """
    copier = Copier(loop)
    values: Sequence[SSAValue] = loop.iter_args
    for counter in bounds.counters:
        values = copier.copy(loop.body.block, [counter, *values], loop)
    replace_op(loop, values)
    return copier.loops


def why_not_unrolled(loop: scf.ForOp, factor: int) -> str | None:
    """Why `unroll_by` cannot unroll `loop` by `factor`; None if it can."""
    step = constant_signed(loop.step)
    if step is None or step <= 0:
        return "its step is not a positive constant"
    if step * factor >= SIGN_BIT:
        return "the counter would wrap around"
    bounds = constant_bounds(loop)
    if bounds is not None and bounds.trips < factor:
        return f"it runs {bounds.trips} times only"
    if bounds is None and constant_word(loop.lb) is not None and constant_word(loop.ub) is not None:
        return "its counter wraps around"
    return None


def unroll_by(loop: scf.ForOp, factor: int) -> tuple[scf.ForOp, scf.ForOp | None]:
    """Let a new loop in front of `loop` do `factor` iterations at a time, one after another.

    What remains, fewer than `factor` iterations, is left to `loop`; the result is the new loop
    and what does the rest, None if nothing is left. `why_not_unrolled` must be None.
    """
    main, counters, copier = begin_unrolling(loop, factor)
    values: Sequence[SSAValue] = main.body.block.args[1:]
    end = terminator(main.body)
    for counter in counters:
        values = copier.copy(loop.body.block, [counter, *values], end)
    end.operands = values
    return main, end_unrolling(loop, main, factor)


def begin_unrolling(
    loop: scf.ForOp, factor: int, initial: Sequence[SSAValue] | None = None
) -> tuple[scf.ForOp, list[SSAValue], Copier]:
    """An empty loop in front of `loop` with a step `factor` times as large, the counters of the
    iterations of `loop` that belong into one of its iterations, and what makes copies for it.

    It carries `initial`, or what `loop` does.
    """
    bounds = constant_bounds(loop)
    step = constant_word(loop.step)
    assert step is not None
    here = BeforeOp(loop)
    if bounds is None:
        middle = _dynamic_middle(here, loop, step, factor)
    else:
        middle = here.constant(bounds.low + bounds.trips // factor * factor * step)
    main = loop_like(loop, high=middle, step=here.constant(step * factor), initial=initial)
    here.append(main)
    copier = Copier(main)
    counter = counter_of(main)
    counters: list[SSAValue] = [counter]
    end = terminator(main.body)
    for number in range(1, factor):
        distance = copier.constant(number * step)
        counters.append(BeforeOp(end).function("add", counter, distance))
    return main, counters, copier


def end_unrolling(
    loop: scf.ForOp, main: scf.ForOp, factor: int, results: Sequence[SSAValue] | None = None
) -> scf.ForOp | None:
    """Leave to `loop` what `main`, which does `factor` of its iterations at a time, does not do;
    None if nothing is left.

    `results` are the values carried so far, those of `main` if there is nothing else to them.
    """
    results = main.results if results is None else results
    bounds = constant_bounds(loop)
    if bounds is None:
        main.attributes[EXPECTED_TRIPS] = IntegerAttr(max(expected_trips(loop) // factor, 1), i64)
        loop.attributes[EXPECTED_TRIPS] = IntegerAttr(max(factor // 2, 1), i64)
    if bounds is not None and bounds.trips % factor == 0:
        replace_op(loop, results)
        return None
    loop.operands = [main.ub, loop.ub, loop.step, *results]
    return loop


def _dynamic_middle(here: BeforeOp, loop: scf.ForOp, step: int, factor: int) -> SSAValue:
    """Where the counter of `loop` is after the most iterations that are a multiple of
    `factor`.

    The distance of the bounds is right as an unsigned word even where it is not as a signed
    one.
    """
    distance = here.function("sub", here.function("maxs", loop.lb, loop.ub), loop.lb)
    if step == 1:
        rest = here.function("remu", distance, here.constant(factor))
        return here.function("add", loop.lb, here.function("sub", distance, rest))
    trips = here.function("ceildivu", distance, here.constant(step))
    chunks = here.function("divu", trips, here.constant(factor))
    # A counter that passes the largest word goes on from the smallest one: not here.
    ends = here.function("sle", loop.ub, here.constant(SIGN_BIT - step))
    chunks = here.function("select", ends, chunks, here.constant(0))
    advance = here.function("mul", chunks, here.constant(factor * step))
    return here.function("add", loop.lb, advance)
