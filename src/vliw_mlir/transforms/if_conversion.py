"""Conversion of branches into straight-line code with selects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import Pure

from vliw_mlir.analysis.affine import AffineForms
from vliw_mlir.analysis.alias import Access, access_of
from vliw_mlir.analysis.bounds import function_work, straight_line_work
from vliw_mlir.analysis.cfg import terminator
from vliw_mlir.analysis.ranges import Ranges
from vliw_mlir.analysis.resource_bound import Work, resource_bound
from vliw_mlir.analysis.speculation import Speculation, ValidPlaces, size_of, valid_places
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.errors import op_location
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.target import Target
from vliw_mlir.transforms.rewriting import replace_op

WINDOW = 64
"""How many operations behind a branch are looked at for accesses of the same words."""


@dataclass(frozen=True)
class IfConversion(ModulePass):
    """Execute both regions of an `scf.if`, and select what is right.

    Inner branches come before those around them. A branch is converted if that needs at most
    `max_cycles` by the machine's slots, and if nothing in it can go wrong when its condition
    does not hold:

    - computations without effects are executed in any case;
    - a divisor that may be 0 is replaced by 1 where the condition does not hold;
    - a load is executed if its words are proven to lie within its buffer, or are accessed in any
      case, in front of the branch, behind it, or in its other region as well. Otherwise it
      loads the first words of its buffer where the condition does not hold, if the buffer has
      as many;
    - a store of such words stores what is there already where the condition does not hold. Other
      stores do so to the first words of their buffer, if the buffer has as many, with
      `mask_stores` and in innermost loops only: iterations then wait for each other, but can be
      pipelined.

    Branches with other effects or with loops stay. This is the if-conversion of Allen, Kennedy,
    Porterfield and Warren, "Conversion of Control Dependence to Data Dependence" (POPL 1983),
    with selects in place of predicates. Expects the SSA level with scf; near linear in the
    number of operations.

    Statistics: `num-converted`, `num-masked`, `num-conditional-stores`.
    """

    name = "if-conversion"

    max_cycles: int = 8
    """The most cycles that both regions and the selects of a branch may take together."""

    mask_stores: bool = False
    """Whether stores of words that are not known to be within their buffer are executed in
    loops."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for func in op.ops:
            if isinstance(func, FuncOp) and any(isinstance(o, scf.IfOp) for o in func.walk()):
                run = _Run(self, target_of(op), Ranges(func), statistics)
                for block in func.body.blocks:
                    run.block(block, ValidPlaces())


@dataclass
class _Run:
    options: IfConversion
    target: Target
    ranges: Ranges
    statistics: Statistics
    forms: AffineForms = field(default_factory=AffineForms)
    """Of values in front of what is looked at; what is behind may still change."""

    def block(self, block: Block, valid: ValidPlaces) -> None:
        """Convert the branches in `block`, inner ones first. `valid` is what it can access."""
        for op in list(block.ops):
            for region in op.regions:
                for inner in region.blocks:
                    self.block(inner, ValidPlaces(valid))
            if isinstance(op, scf.IfOp):
                self.branch(op, valid)
            elif isinstance(op, word.AccessOp):
                valid.add(access_of(op, self.forms))

    def branch(self, op: scf.IfOp, valid: ValidPlaces) -> None:
        conversion = _Conversion(op, self, valid)
        if (reason := conversion.why_not()) is not None:
            remark(op, self.options.name, f"not converted: {reason}", RemarkKind.MISSED)
            return
        remark(op, self.options.name, conversion.describe, RemarkKind.PASSED)
        self.statistics.count("num-converted")
        conversion.convert()


class _Conversion:
    """The conversion of one branch, in which there are no branches any more."""

    def __init__(self, op: scf.IfOp, run: _Run, valid: ValidPlaces):
        self.op = op
        self.run = run
        self.valid = valid
        self.masked: set[Operation] = set()
        """Operations that need another operand where their region is not taken."""
        self.regions = [region for region in op.regions if region.blocks]
        self.ops = [
            inner
            for region in self.regions
            for inner in region.block.ops
            if not isinstance(inner, scf.YieldOp)
        ]

    def describe(self) -> str:
        """What is going to be done, for people."""
        return f"{len(self.ops)} operations are executed in any case"

    def why_not(self) -> str | None:
        """Why the branch must stay, None if it need not."""
        if not isinstance(self.op.cond.owner, word.TestOp):
            return "its condition is not a word"
        if any(isinstance(result.type, word.BufferType) for result in self.op.results):
            return "it chooses between buffers"
        for op in self.ops:
            if not _is_convertible(op):
                return f"it contains {_place(op)}"
        cycles = resource_bound(self._work(), self.run.target.slots).cycles
        if cycles > self.run.options.max_cycles:
            return f"it would take {cycles:.1f} cycles, more than {self.run.options.max_cycles}"
        return self._why_not_safe()

    def _work(self) -> Work:
        """The work of both regions and of the selects."""
        target = self.run.target
        work = straight_line_work(self.ops, target)
        chosen = [result.type for result in self.op.results]
        chosen += [op.value.type for op in self.ops if isinstance(op, word.StoreOp)]
        for type in chosen:
            vector = word.lanes_of(type) is not None
            work.update(function_work(target, "select", vector=vector))
        return work

    def _why_not_safe(self) -> str | None:
        speculation = Speculation(self.op, self.run.ranges, self.run.forms)
        behind = valid_places(_surely_executed_behind(self.op), AffineForms())
        inside = [valid_places(region.block.ops, self.run.forms) for region in self.regions]
        for number, region in enumerate(self.regions):
            other = inside[1 - number] if len(inside) == 2 else ValidPlaces()
            for op in region.block.ops:
                if not self._is_safe(op, speculation, [self.valid, behind, other]):
                    return f"{_place(op)} may be outside of its buffer"
        return None

    def _is_safe(self, op: Operation, speculation: Speculation, valid: list[ValidPlaces]) -> bool:
        """Whether `op` may be executed in any case; it may have to be masked for that."""
        match op:
            case word.BinaryOp() if op.function.traps:
                if not speculation.is_nonzero(op.rhs):
                    self.masked.add(op)
                return True
            case word.AccessOp():
                access = access_of(op, self.run.forms)
                if any(places.contains(access) for places in valid) or speculation.is_in_bounds(op):
                    return True
                self.masked.add(op)
                if isinstance(op, word.StoreOp) and not self._may_mask_stores():
                    return False
                return _can_be_masked(op, access)
            case _:
                return True

    def _may_mask_stores(self) -> bool:
        """Whether there are only branches in the way of a loop of one block."""
        loop = self.op.parent_op()
        if not self.run.options.mask_stores or not isinstance(loop, scf.ForOp | scf.WhileOp):
            return False
        inside = (inner for inner in loop.walk() if inner is not loop)
        return not any(inner.regions for inner in inside if not isinstance(inner, scf.IfOp))

    # Conversion

    def convert(self) -> None:
        """Replace the branch."""
        op = self.op
        ends = [tuple(terminator(region).operands) for region in self.regions]
        for region in self.regions:
            for inner in list(region.block.ops):
                if not isinstance(inner, scf.YieldOp):
                    self._convert(inner, taken=region is op.true_region)
        chosen: list[SSAValue] = []
        for result in op.results:
            on_true, on_false = (end[result.index] for end in ends)
            same = on_true is on_false
            chosen.append(on_true if same else self._select(op, on_true, on_false))
        for value, result in zip(chosen, op.results, strict=True):
            value.name_hint = value.name_hint or result.name_hint
        replace_op(op, chosen)

    def _convert(self, op: Operation, *, taken: bool) -> None:
        """Move `op` in front of the branch, from the region that is `taken` when the condition
        holds or the other one."""
        op.detach()
        block = self.op.parent
        assert block is not None
        block.insert_op_before(op, self.op)
        if op in self.masked:
            # The offset of an access, or a divisor.
            harmless = 0 if isinstance(op, word.AccessOp) else 1
            place = 2 if isinstance(op, word.StoreOp) else 1
            value = op.operands[place]
            op.operands[place] = self._choose(op, value, BeforeOp(op).splat(harmless, value), taken)
            self.run.statistics.count("num-masked")
        if isinstance(op, word.StoreOp):
            old = word.LoadOp(op.buffer, op.offset, op.value.type)
            old.absolute = op.absolute
            op.operands[0] = self._choose(op, op.value, BeforeOp(op).emit(old), taken)
            self.run.statistics.count("num-conditional-stores")
        if isinstance(op, word.AccessOp):
            self.valid.add(access_of(op, self.run.forms))

    def _choose(
        self, before: Operation, value: SSAValue, otherwise: SSAValue, taken: bool
    ) -> SSAValue:
        """`value` if the region is taken that `taken` tells."""
        sides = (value, otherwise) if taken else (otherwise, value)
        return self._select(before, *sides)

    def _select(self, before: Operation, on_true: SSAValue, on_false: SSAValue) -> SSAValue:
        here, test = BeforeOp(before), self.op.cond.owner
        assert isinstance(test, word.TestOp)
        condition = here.broadcast(test.word, on_true)
        return here.function("select", condition, on_true, on_false)


def _can_be_masked(op: word.AccessOp, access: Access) -> bool:
    """Whether an access may go to the first words of its buffer instead."""
    size = size_of(access)
    is_scatter = isinstance(op, word.ScatterOp)
    is_root = op.buffer is access.buffer and op.absolute is None
    return not is_scatter and is_root and size is not None and size >= access.words


def _is_convertible(op: Operation) -> bool:
    """Whether there is a way to execute `op` in any case, as far as its type tells."""
    if isinstance(op, word.AllocOp):
        return op.init is None
    kinds = (word.ArithmeticOp, word.LoadOp, word.GatherOp, word.StoreOp)
    return not op.regions and (op.has_trait(Pure) or isinstance(op, kinds))


def _place(op: Operation) -> str:
    return f"{op.name} at {op_location(op) or '?'}"


def _surely_executed_behind(op: Operation) -> Iterator[Operation]:
    """Operations in the block of `op` that are executed after it unless the program traps."""
    following = op.next_op
    for _ in range(WINDOW):
        if following is None or not _surely_ends(following):
            return
        yield following
        following = following.next_op


def _surely_ends(op: Operation) -> bool:
    return not any(
        isinstance(inner, word.PauseOp) or (inner.regions and not isinstance(inner, scf.IfOp))
        for inner in op.walk()
    )
