"""Register pressure at the SSA level: how many words of scratch are live where.

A value is live from its definition to its last use, also as a part of another one; one that is
used inside of a loop but defined before it is live throughout the loop. Parts of values, and
values side by side, take no words of their own. Words are counted in program order, so this is
what an allocator faces if nothing is moved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.errors import op_location


@dataclass(frozen=True)
class Point:
    """The pressure at one op."""

    op: Operation
    depth: int
    """How many regions are around the op, that of the function not counted."""
    words: int
    """Words live just after the op, with what is live through all that encloses it."""


@dataclass
class Pressure:
    """The pressure at every op of a function."""

    points: list[Point] = field(default_factory=list[Point])

    @property
    def peak(self) -> Point | None:
        """The first op with the highest pressure, None in an empty function."""
        return max(self.points, key=lambda point: point.words, default=None)


_VIEWS = (word.SliceOp, word.ExtractOp, word.ConcatOp, word.TestOp)
"""The operations whose results are words of their operands."""


def words_of(value: SSAValue) -> int:
    """Words of scratch that a value takes: none for words of another value."""
    if value.type == i1 or isinstance(value.owner, _VIEWS):
        return 0
    return word.lanes_of(value.type) or 1


def function_pressure(func: FuncOp) -> Pressure:
    """The pressure at every op of `func`, in program order.

    Blocks of a control-flow graph are looked at one by one: what is live across them counts in
    each block that it is live in only from the definition or to the last use there.
    """
    pressure = Pressure()
    for block in func.body.blocks:
        _profile(block, 0, 0, pressure)
    return pressure


def block_pressure(block: Block) -> int:
    """The most words of what is defined in `block`, with all that is within, live at once."""
    pressure = Pressure()
    _profile(block, 0, 0, pressure)
    peak = pressure.peak
    return 0 if peak is None else peak.words


def _profile(block: Block, around: int, depth: int, pressure: Pressure) -> None:
    """Add the points of `block`; `around` words are live through all of it."""
    ops = list(block.ops)
    lasts = _last_uses(block, ops)
    ends = [0] * len(ops)
    """Words that are used last at each op."""
    live = around
    for arg in block.args:
        last = lasts[arg]
        live += words_of(arg) if last is not None else 0
        if last is not None:
            ends[last] += words_of(arg)
    for number, op in enumerate(ops):
        if op.regions:
            # What lives on after the op, or is used in it, lives all through its regions.
            for region in op.regions:
                for inner in region.blocks:
                    _profile(inner, live, depth + 1, pressure)
        live -= ends[number]
        for result in op.results:
            last = lasts[result]
            if last is not None and last > number:
                live += words_of(result)
                ends[last] += words_of(result)
        pressure.points.append(Point(op, depth, live))


def _last_uses(block: Block, ops: Sequence[Operation]) -> dict[SSAValue, int | None]:
    """The position of the last op of a block that uses each of the block's values: itself, within
    its regions, or through a view. None if there is no such op."""
    position = {op: number for number, op in enumerate(ops)}
    lasts: dict[SSAValue, int | None] = {}
    for value in [*(result for op in reversed(ops) for result in op.results), *block.args]:
        last: int | None = None
        for use in value.uses:
            op = _within(use.operation, block)
            # A use in another block of the graph: live to the end of this one.
            here = len(ops) - 1 if op is None else position[op]
            if op is use.operation and isinstance(op, _VIEWS):
                here = max(here, lasts[op.results[0]] or 0)
            last = here if last is None else max(last, here)
        lasts[value] = last
    return lasts


def _within(op: Operation, block: Block) -> Operation | None:
    """The operation of `block` that is `op` or around it."""
    current: Operation | None = op
    while current is not None and current.parent is not block:
        current = current.parent_op()
    return current


def report(pressure: Pressure, width: int = 40) -> Iterator[str]:
    """Lines that tell the peak and draw the profile, at most `width` marks wide."""
    peak = pressure.peak
    if peak is None:
        yield "no ops"
        return
    place = op_location(peak.op) or "?"
    yield f"peak {peak.words} words at {peak.op.name} ({place})"
    for point in pressure.points:
        marks = "#" * round(width * point.words / max(peak.words, 1))
        yield f"{point.words:6} {'  ' * point.depth}{point.op.name:24} {marks}"
