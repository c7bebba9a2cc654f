"""How often loops are likely to run whose bounds are data."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, i64

from vliw_mlir.analysis.affine import AffineForms
from vliw_mlir.analysis.bounds import EXPECTED_TRIPS
from vliw_mlir.analysis.loops import constant_bounds, counter_of
from vliw_mlir.dialects import word


def guessed_trips(loop: scf.ForOp) -> int | None:
    """A guess for a loop over a segment of arrays whose ends are loaded; None without one.

    An outer loop of known bounds that does one segment after the other, as over the rows of a
    sparse matrix, most likely goes through the arrays once.
    """
    outer = loop.parent_op()
    if not isinstance(outer, scf.ForOp) or constant_bounds(loop) is not None:
        return None
    bounds = constant_bounds(outer)
    is_data = all(isinstance(bound.owner, word.LoadOp) for bound in (loop.lb, loop.ub))
    if bounds is None or not bounds.trips or not is_data:
        return None
    forms, counter = AffineForms(), counter_of(loop)
    sizes = [
        op.buffer.type.words
        for op in loop.body.block.ops
        if isinstance(op, word.LoadOp)
        and isinstance(op.buffer.type, word.BufferType)
        and forms.of(op.offset).terms == {counter: 1}
    ]
    known = [size for size in sizes if size is not None]
    return max(1, min(known) // bounds.trips) if known else None


def note_expected_trips(loop: scf.ForOp) -> None:
    """Say on a loop how often it is likely to run, where nothing is said and there is a guess."""
    trips = None if EXPECTED_TRIPS in loop.attributes else guessed_trips(loop)
    if trips is not None:
        loop.attributes[EXPECTED_TRIPS] = IntegerAttr(trips, i64)
