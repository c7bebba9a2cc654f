"""Fusion of loops that follow each other."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import NoMemoryEffect

from vliw_mlir.analysis.affine import Affine
from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.analysis.cfg import terminator
from vliw_mlir.analysis.dependence import (
    EARLIER,
    LATER,
    AccessGroup,
    DependenceTest,
    accesses_of,
    carried_dependence,
    unordered_effects,
)
from vliw_mlir.analysis.loops import constant_word, count_ops, counter_of
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.transforms.loop_building import loop_like
from vliw_mlir.transforms.rewriting import inline_block, move_before, replace_op


@dataclass(frozen=True)
class FuseLoops(ModulePass):
    """Make one loop of counted loops that follow each other and have the same bounds.

    The loops may have computations between them, no accesses. The later one must not use what
    the earlier one results in, and no iteration of it may depend on a later iteration of the
    earlier one (Kennedy and McKinley, "Maximizing Loop Parallelism and Improving Data Locality
    via Loop Fusion and Distribution", 1993). Loops with independent iterations are only fused
    with their like, and only if the iterations remain independent.

    Expects the SSA level. Statistics: `num-fused`.
    """

    name = "fuse-loops"

    max_ops: int = 1024
    """The most operations that the new loop may have."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                run = _Run(self, func, statistics)
                for block in func.body.blocks:
                    run.block(block)


@dataclass
class _Run:
    options: FuseLoops
    func: FuncOp
    statistics: Statistics

    def __post_init__(self) -> None:
        self.aliases = AliasAnalysis(self.func)

    def block(self, block: Block) -> None:
        """Fuse the loops in `block`, then those inside of them."""
        chain: _Chain | None = None
        for op in list(block.ops):
            if isinstance(op, scf.ForOp):
                if chain is None or not self.extend(chain, op):
                    self.finish(chain)
                    chain = _Chain(op, self.aliases)
            elif not op.has_trait(NoMemoryEffect):
                self.finish(chain)
                chain = None
        self.finish(chain)
        for op in block.ops:
            for region in op.regions:
                for inner in region.blocks:
                    self.block(inner)

    def extend(self, chain: _Chain, loop: scf.ForOp) -> bool:
        """Add a loop to those that are to be fused, if that may be."""
        reason = chain.why_not(loop, self.options.max_ops)
        if reason is not None:
            remark(loop, self.options.name, f"not fused: {reason}", RemarkKind.MISSED)
            return False
        message = "fused with the loop before"
        remark(loop, self.options.name, message, RemarkKind.PASSED)
        chain.add(loop)
        return True

    def finish(self, chain: _Chain | None) -> None:
        if chain is None or len(chain.loops) == 1:
            return
        self.statistics.count("num-fused", len(chain.loops) - 1)
        chain.fuse()
        # What was known of offsets refers to the counters that are no more.
        self.aliases = AliasAnalysis(self.func)


class _Chain:
    """Loops of one block that are to become one."""

    def __init__(self, loop: scf.ForOp, aliases: AliasAnalysis):
        self.loops = [loop]
        self._aliases = aliases
        self._accesses = accesses_of([loop], aliases)
        self._is_parallel = carried_dependence(loop, aliases).is_parallel
        self._ops = count_ops(loop.body)

    def why_not(self, loop: scf.ForOp, max_ops: int) -> str | None:
        """Why `loop`, which follows the others, must not become one with them."""
        first = self.loops[0]
        bounds = zip(first.operands[:3], loop.operands[:3], strict=True)
        if not all(_are_equal(a, b) for a, b in bounds):
            return "the bounds are not the same as those of the loop before"
        if first.attributes != loop.attributes:
            return "it is marked otherwise than the loop before"
        if self._ops + count_ops(loop.body) > max_ops:
            return f"the new loop would have more than {max_ops} operations"
        for one in (first, loop):
            if reason := unordered_effects(one):
                return reason
        if _needed_before(loop, first) is None:
            return "it needs what the loop before results in"
        if self._is_parallel != carried_dependence(loop, self._aliases).is_parallel:
            return "only one of the loops has independent iterations"
        test = DependenceTest(self._aliases, [first])
        accesses = self._with_counter_of_first(loop)
        if found := test.find(self._accesses, accesses, [EARLIER]):
            return f"a dependence would be turned around: {found}"
        if self._is_parallel and (found := test.find(self._accesses, accesses, [LATER])):
            return f"iterations would depend on each other: {found}"
        return None

    def _with_counter_of_first(self, loop: scf.ForOp) -> list[AccessGroup]:
        """The accesses of `loop` as if they were in the first one."""
        counter, first = counter_of(loop), counter_of(self.loops[0])

        def renamed(form: Affine | None) -> Affine | None:
            if form is None:
                return None
            return form.without(counter) + Affine(0, {first: 1}).scaled(form.coefficient(counter))

        groups = accesses_of([loop], self._aliases)
        return [replace(group, form=renamed(group.form)) for group in groups]

    def add(self, loop: scf.ForOp) -> None:
        self._accesses += self._with_counter_of_first(loop)
        self._ops += count_ops(loop.body)
        self.loops.append(loop)

    def fuse(self) -> None:
        """Make one loop in place of the first one."""
        first = self.loops[0]
        for loop in self.loops[1:]:
            for op in _needed_before(loop, first) or ():
                move_before(op, first)
        initial = [value for loop in self.loops for value in loop.iter_args]
        made = loop_like(first, initial=initial)
        BeforeOp(first).append(made)
        counter, *arguments = made.body.block.args
        end = terminator(made.body)
        values: list[SSAValue] = []
        results = list(made.results)
        for loop in self.loops:
            count = len(loop.results)
            own, arguments = arguments[:count], arguments[count:]
            values += inline_block(loop.body.block, [counter, *own], end)
            replaced, results = results[:count], results[count:]
            replace_op(loop, replaced)
        end.operands = values


def _are_equal(a: SSAValue, b: SSAValue) -> bool:
    constant = constant_word(a)
    return a is b or (constant is not None and constant == constant_word(b))


def _needed_before(loop: scf.ForOp, first: scf.ForOp) -> list[Operation] | None:
    """What `loop` needs of the operations between `first` and it; None if loops are needed."""
    between: list[Operation] = []
    op = loop.prev_op
    while op is not None and op is not first:
        between.append(op)
        op = op.prev_op
    used = {operand for inner in loop.walk() for operand in inner.operands}
    needed: list[Operation] = []
    for op in (*between, first):
        if not used.intersection(op.results):
            continue
        if isinstance(op, scf.ForOp):
            return None
        needed.append(op)
        used.update(op.operands)
    return needed[::-1]
