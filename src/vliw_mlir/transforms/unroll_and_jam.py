"""Unrolling of outer loops with the loops inside made one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.analysis.cfg import terminator
from vliw_mlir.analysis.dependence import (
    EARLIER,
    SAME,
    AccessGroup,
    Dependence,
    DependenceTest,
    Distances,
    accesses_of,
    unordered_effects,
)
from vliw_mlir.analysis.loops import (
    constant_bounds,
    constant_word,
    count_ops,
    is_defined_in,
    is_innermost,
    loops_in,
)
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.target import Target
from vliw_mlir.transforms.copying import Copy
from vliw_mlir.transforms.jam_factors import FACTORS, Variation, choose_factors
from vliw_mlir.transforms.loop_building import loop_like, mark, number_asked
from vliw_mlir.transforms.unrolling import (
    begin_unrolling,
    end_unrolling,
    unroll_fully,
    why_not_unrolled,
)

JAM = "vliw.unroll_and_jam"
"""On a loop: how many of its iterations to do together, `4 : i64`. 1 leaves the loop alone."""

MOST_LOOPS = 3
"""Factors are chosen for so many loops of a nest at once; there are many combinations."""


@dataclass(frozen=True)
class UnrollAndJam(ModulePass):
    """Do several iterations of an outer loop together in each iteration of the loops inside.

    The loop around innermost ones is unrolled by `factor`, and the copies of each loop inside
    become one loop: more independent work for each of its iterations, and what all copies load
    is loaded once (Callahan, Cocke and Kennedy, "Estimating Interlock and Improving Balance for
    Pipelined Architectures", 1988). A loop for the remaining iterations follows. The bounds of
    the loops inside must be the same in all iterations of the outer one, the outer one must
    carry no values, and no dependence may be turned around.

    Without a factor, the loops of each nest are taken together: of the factors for all of them
    that keep sums and shared values in half of the target's scratch, those with the least
    resource bound, and of about equal ones those with the fewest copies. A loop inside that is
    too long to be unrolled fully takes at least as long as its iterations wait for each other,
    which is time for copies. Consecutive words
    that iterations of the innermost loop load count as parts of vectors. A loop whose
    iterations are all done together is no loop any more.

    The attribute `vliw.unroll_and_jam` of a loop, `4 : i64`, comes before the options. Loops
    made by this pass have it with the value 1. Expects the SSA level. Statistics: `num-jammed`.
    """

    name = "unroll-and-jam"

    factor: int = 0
    """How many iterations of loops around innermost ones are done together; 0 to choose for all
    loops by cost. With 1, only loops that ask for it change."""
    max_ops: int = 1024
    """The most operations that the new body may have; limits the factor."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for func in op.ops:
            if not isinstance(func, FuncOp) or func.is_declaration:
                continue
            aliases = AliasAnalysis(func)
            if self.factor == 0:
                for nest in _outermost_loops(func.body):
                    self._choose(nest, aliases, target_of(func))
            for loop in [loop for loop in reversed(loops_in(func.body)) if not is_innermost(loop)]:
                factor = self._factor(loop)
                if factor > 1 and self._jam(loop, factor, aliases):
                    statistics.count("num-jammed")

    def _factor(self, loop: scf.ForOp) -> int:
        asked = number_asked(loop, JAM)
        if asked is not None:
            return asked
        inner = [op for op in loop.body.walk() if isinstance(op, scf.ForOp | scf.WhileOp)]
        if not all(isinstance(op, scf.ForOp) and is_innermost(op) for op in inner):
            return 1
        return min(max(self.factor, 1), self.max_ops // max(count_ops(loop.body), 1))

    def _choose(self, outermost: scf.ForOp, aliases: AliasAnalysis, target: Target) -> None:
        """Choose factors for the loops of a nest and note them as its attributes."""
        loops = [op for op in outermost.walk() if isinstance(op, scf.ForOp)]
        loops = [op for op in loops if not is_innermost(op) and JAM not in op.attributes]
        if len(loops) > MOST_LOOPS:
            for op in outermost.body.block.ops:
                if isinstance(op, scf.ForOp):
                    self._choose(op, aliases, target)
            return
        legal = {loop: _most_legal(loop, aliases) for loop in loops}
        legal = {loop: most for loop, most in legal.items() if most > 1}
        if not legal:
            return
        factors = choose_factors(outermost, legal, aliases, target, self.max_ops)
        if max(factors.values()) == 1:
            remark(outermost, self.name, "not jammed: it would not pay", RemarkKind.MISSED)
            return
        for loop, factor in factors.items():
            mark(loop, JAM, factor)

    def _jam(self, loop: scf.ForOp, factor: int, aliases: AliasAnalysis) -> bool:
        jam = _Jam(loop, factor, aliases)
        reason = why_not_unrolled(loop, factor) or jam.why_not()
        if reason is not None:
            remark(loop, self.name, f"not jammed: {reason}", RemarkKind.MISSED)
            return False
        remark(loop, self.name, f"{factor} iterations jammed", RemarkKind.PASSED)
        main, counters, copier = begin_unrolling(loop, factor)
        copies = [copier.begin(loop.body.block, [counter]) for counter in counters]
        jam.copy(loop.body.block, copies, terminator(main.body))
        rest = end_unrolling(loop, main, factor)
        for made in (main, rest):
            if made is not None:
                mark(made, JAM)
        bounds = constant_bounds(main)
        if bounds is not None and bounds.trips == 1:
            unroll_fully(main, bounds)
        return True


def _outermost_loops(region: Region) -> Iterator[scf.ForOp]:
    """The counted loops of a region that are in no other counted loop."""
    for block in region.blocks:
        for op in list(block.ops):
            if isinstance(op, scf.ForOp):
                yield op
                continue
            for inner in op.regions:
                yield from _outermost_loops(inner)


def _most_legal(loop: scf.ForOp, aliases: AliasAnalysis) -> int:
    """The largest factor to be tried by which `loop` can be jammed."""
    most = 1
    for factor in FACTORS[1:]:
        if why_not_unrolled(loop, factor) or _Jam(loop, factor, aliases).why_not():
            break
        most = factor
    return most


Part = scf.ForOp | list[Operation]
"""Part of a block: a loop whose copies become one, or operations copied as they are, for one
iteration after another."""


@dataclass
class _Jam:
    loop: scf.ForOp
    factor: int
    aliases: AliasAnalysis

    @cached_property
    def _variation(self) -> Variation:
        return Variation(self.loop, [self.loop], self.aliases)

    def why_not(self) -> str | None:
        """Why the copies of the loops inside must not become one; None if they may."""
        if self.loop.results:
            return "it carries values"
        if all(isinstance(part, list) for part in self._parts(self.loop.body.block)):
            return "there is no loop inside with the same bounds in all iterations"
        if reason := unordered_effects(self.loop):
            return reason
        violated = self._violated(self.loop.body.block, [])
        return None if violated is None else f"a dependence would be turned around: {violated}"

    def _parts(self, block: Block) -> Iterator[Part]:
        """The parts of `block`, without its terminator."""
        run: list[Operation] = []
        for op in block.ops:
            if isinstance(op, scf.ForOp) and self._has_shared_bounds(op):
                yield run
                yield op
                run = []
            elif op is not block.last_op:
                run.append(op)
        yield run

    def _has_shared_bounds(self, inner: scf.ForOp) -> bool:
        return all(
            constant_word(bound) is not None or not is_defined_in(bound, self.loop)
            for bound in (inner.lb, inner.ub, inner.step)
        )

    def _violated(self, block: Block, inner: Sequence[scf.ForOp]) -> Dependence | None:
        """A dependence from an iteration to a later one whose second access would come first.

        `block` is the body of the last of the `inner` loops, whose copies become one.
        """
        test = DependenceTest(self.aliases, [self.loop, *inner])
        together: list[Distances] = [(1, self.factor - 1), *[SAME] * len(inner)]
        parts = list(self._parts(block))
        accesses = [self._accesses(part) for part in parts]
        for before, after in combinations(accesses, 2):
            if found := test.find(after, before, together):
                return found
        for part, groups in zip(parts, accesses, strict=True):
            if isinstance(part, list):
                continue
            deeper = DependenceTest(self.aliases, [self.loop, *inner, part])
            found = deeper.find(groups, groups, [*together, EARLIER])
            if found := found or self._violated(part.body.block, [*inner, part]):
                return found
        return None

    def _accesses(self, part: Part) -> list[AccessGroup]:
        return accesses_of(part if isinstance(part, list) else [part], self.aliases)

    # Copying

    def copy(self, block: Block, copies: Sequence[Copy], before: Operation) -> None:
        """Copy all parts of `block` in front of `before`; once for all where that is enough."""
        for part in self._parts(block):
            if isinstance(part, scf.ForOp):
                self._copy_loop(part, copies, before)
                continue
            for copy in copies:
                for op in part:
                    if copy is copies[0] or self._variation.of(op):
                        copy.op(op, before)
                        continue
                    for result in op.results:
                        copy.define(result, copies[0].use(result))

    def _copy_loop(self, loop: scf.ForOp, copies: Sequence[Copy], before: Operation) -> None:
        """One loop in front of `before` for all copies of `loop`."""
        low, high, step = (copies[0].use(bound) for bound in (loop.lb, loop.ub, loop.step))
        initial = [copy.use(value) for copy in copies for value in loop.iter_args]
        made = loop_like(loop, low=low, high=high, step=step, initial=initial)
        end, old = terminator(made.body), loop.body.block
        carried = iter(made.body.block.args[1:])
        for copy in copies:
            copy.define(old.args[0], made.body.block.args[0])
            _define(copy, old.args[1:], carried)
        self.copy(old, copies, end)
        end.operands = [copy.use(v) for copy in copies for v in terminator(loop.body).operands]
        BeforeOp(before).append(made)
        results = iter(made.results)
        for copy in copies:
            _define(copy, loop.results, results)


def _define(copy: Copy, old: Sequence[SSAValue], new: Iterator[SSAValue]) -> None:
    """Let as many of the `new` values take the place of the `old` ones."""
    for value in old:
        taken = next(new)
        taken.name_hint = value.name_hint
        copy.define(value, taken)
