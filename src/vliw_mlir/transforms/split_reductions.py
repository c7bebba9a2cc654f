"""Splitting sums and the like into partial ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.cfg import terminator
from vliw_mlir.analysis.loops import count_ops, is_innermost, loops_in
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.semantics import REDUCTIONS
from vliw_mlir.transforms.loop_building import mark, number_asked
from vliw_mlir.transforms.unrolling import begin_unrolling, end_unrolling, why_not_unrolled
from vliw_mlir.transforms.vectorize.reductions import reduction_function

SPLIT = "vliw.split_reductions"
"""On a loop: into how many parts to split what it reduces, `4 : i64`. 1 leaves it alone."""


@dataclass(frozen=True)
class SplitReductions(ModulePass):
    """Split each reduction that an innermost loop carries into partial ones.

    The loop is unrolled by `factor`, and of the iterations that become one each combines into a
    value of its own; the values are combined behind the loop. So a chain of `factor` dependent
    operations becomes one. All functions that reduce are associative and commutative on words.
    Other carried values go from copy to copy. A loop for the remaining iterations follows.

    The attribute `vliw.split_reductions` of a loop, `4 : i64`, comes before the options. Loops
    made by this pass have it with the value 1. Expects the SSA level. Linear in the size of the
    result. Statistics: `num-split`.
    """

    name = "split-reductions"

    factor: int = 4
    """Into how many parts a reduction is split. With 1, only loops that ask for it change."""
    max_ops: int = 1024
    """The most operations that the new body may have; limits the factor."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for func in op.ops:
            if isinstance(func, FuncOp):
                for loop in [loop for loop in loops_in(func.body) if loop.results]:
                    self._loop(loop, statistics)

    def _loop(self, loop: scf.ForOp, statistics: Statistics) -> None:
        asked = number_asked(loop, SPLIT)
        limit = self.max_ops // max(count_ops(loop.body), 1)
        factor = min(self.factor, limit) if asked is None else asked
        if factor <= 1 or (asked is None and not is_innermost(loop)):
            return
        functions = [reduction_function(loop, n) for n in range(len(loop.results))]
        reason = why_not_unrolled(loop, factor)
        if not any(functions):
            reason = "it carries no reduction"
        if reason is not None:
            remark(loop, self.name, f"not split: {reason}", RemarkKind.MISSED)
            return
        message = f"reductions split into {factor} parts"
        remark(loop, self.name, message, RemarkKind.PASSED)
        statistics.count("num-split", sum(f is not None for f in functions))
        for made in _split(loop, factor, functions):
            if made is not None:
                mark(made, SPLIT)


def _split(
    loop: scf.ForOp, factor: int, functions: Sequence[str | None]
) -> tuple[scf.ForOp, scf.ForOp | None]:
    """Unroll `loop` with partial reductions by the given functions; the new loop and the rest."""
    here = BeforeOp(loop)
    # What it carried, then the other parts of each reduction.
    initial = list(loop.iter_args)
    for number, function in enumerate(functions):
        if function is not None:
            neutral = here.splat(REDUCTIONS[function], initial[number])
            initial += [neutral] * (factor - 1)
    main, counters, copier = begin_unrolling(loop, factor, initial)
    _, *arguments = main.body.block.args
    end = terminator(main.body)
    values = _Parts(arguments, functions, factor)
    for part, counter in enumerate(counters):
        results = copier.copy(loop.body.block, [counter, *values.of_part(part)], end)
        values.set_part(part, results)
    end.operands = values.all
    here = BeforeOp(loop)
    results = _Parts(main.results, functions, factor)
    return main, end_unrolling(loop, main, factor, results.combined(here))


class _Parts:
    """Values of which some come in parts: first one of each, then the other parts of each."""

    def __init__(self, values: Sequence[SSAValue], functions: Sequence[str | None], factor: int):
        self.all = list(values)
        self._functions = functions
        self._factor = factor

    def _place(self, number: int, part: int) -> int:
        """Where a part of a value is; all parts are one if the value comes in none."""
        if part == 0 or self._functions[number] is None:
            return number
        before = sum(function is not None for function in self._functions[:number])
        return len(self._functions) + before * (self._factor - 1) + part - 1

    def of_part(self, part: int) -> list[SSAValue]:
        """One part of each value."""
        return [self.all[self._place(n, part)] for n in range(len(self._functions))]

    def set_part(self, part: int, values: Sequence[SSAValue]) -> None:
        """Replace one part of each value."""
        for number, value in enumerate(values):
            self.all[self._place(number, part)] = value

    def combined(self, here: BeforeOp) -> list[SSAValue]:
        """All parts of each value together."""
        found: list[SSAValue] = []
        for number, function in enumerate(self._functions):
            parts = [self.all[self._place(number, part)] for part in range(self._factor)]
            while function is not None and len(parts) > 1:
                pairs = zip(parts[::2], parts[1::2], strict=False)
                odd = parts[len(parts) // 2 * 2 :]
                parts = [here.function(function, a, b) for a, b in pairs] + odd
            found.append(parts[0])
        return found
