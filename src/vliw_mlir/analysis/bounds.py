"""Resource lower bounds of an SSA-level function: per block, per loop iteration, in all.

Every op counts with the slots of the target's encodings, alternatives kept open (see
`resource_bound`). What a good back end gets for nothing counts nothing: lanes are words, so
taking a vector apart is free, and putting one together of words that are computed for it; others
are moved. A constant counts once per function, and so does the address of a constant offset. A
loop adds the advance and test of its counter and its jump, to each iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects import cf, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.hints import isa

from vliw_mlir.analysis.loops import constant_bounds
from vliw_mlir.analysis.resource_bound import Bound, Work, resource_bound
from vliw_mlir.dialects import word
from vliw_mlir.dialects.expansions import EXPANSIONS, functions_used
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.errors import fail, op_location
from vliw_mlir.target import Target
from vliw_mlir.target.encodings import Usage, alternatives

UNKNOWN_TRIPS = 64
"""How often a loop is taken to run when costs are compared and nothing is known."""

EXPECTED_TRIPS = "vliw.expected_trips"
"""Attribute of a loop: how often it is taken to run when its bounds do not tell."""


def expected_trips(loop: Operation) -> int:
    """How often a loop is taken to run whose bounds do not tell."""
    expected = loop.attributes.get(EXPECTED_TRIPS)
    return expected.value.data if isa(expected, IntegerAttr) else UNKNOWN_TRIPS


@dataclass
class RegionBound:
    """The bound of the straight-line work of a region, and of the regions within."""

    name: str
    """`function`, or the name of the op that holds the region."""
    location: str | None
    bound: Bound
    """Of one execution, without what the regions within do."""
    trips: int | None
    """How often the region runs per execution of what encloses it, None if unknown."""
    inner: list[RegionBound] = field(default_factory=list["RegionBound"])
    expected_trips: int = UNKNOWN_TRIPS
    """How often it is taken to run if that is unknown."""

    @property
    def cycles(self) -> float | None:
        """Cycles of one execution with all that is within; None if a trip count is unknown."""
        total = self.bound.cycles
        for region in self.inner:
            cycles = region.cycles
            if cycles is None or region.trips is None:
                return None
            total += cycles * region.trips
        return total


def function_bound(func: FuncOp) -> RegionBound:
    """The bound of a function and of every loop in it.

    Of the two sides of an `scf.if` the one with the lower bound counts, so that the bound
    holds whichever is taken. Raises `CompileError` for ops that are not of the SSA level.
    """
    return _Builder(target_of(func)).function(func)


def block_estimate(block: Block, target: Target) -> float:
    """Cycles of the ops of a block with all that is within, to compare alternatives by.

    Unlike a bound, it takes what is expected where a trip count is not known.
    """
    builder = _Builder(target)
    work, inner = builder.block(block)
    work.update(builder.shared)
    return builder.bound(work).cycles + sum(_estimate(region) for region in inner)


def straight_line_work(ops: Iterable[Operation], target: Target) -> Work:
    """The work of ops of one block, without those that have regions and without what counts
    once per function. Raises `CompileError` for ops that are not of the SSA level."""
    builder, work = _Builder(target), Work()
    for op in ops:
        if isinstance(op, word.ArithmeticOp):
            vector = word.lanes_of(op.result.type) is not None
            builder.function_work(work, op.function.name, vector=vector)
        elif not op.regions:
            builder.other(work, op)
    return work


def counting_work(target: Target) -> Work:
    """The work of a counted loop in each iteration besides that of its body."""
    work = Work()
    _Builder(target).counting(work)
    return work


def _estimate(region: RegionBound) -> float:
    once = region.bound.cycles + sum(_estimate(inner) for inner in region.inner)
    return once * (region.expected_trips if region.trips is None else region.trips)


def is_free(op: Operation) -> bool:
    """Whether an operation takes no slot, or only once per function."""
    return type(op) in _FREE or isinstance(op, word.ConstantOp)


def function_work(target: Target, function: str, *, vector: bool) -> Work:
    """The work of one application of a word function; composed if the target lacks it."""
    ways = alternatives(target, function, vector=vector)
    if ways or function not in EXPANSIONS:
        return Work({tuple(sorted(ways)): 1})
    work: Work = Work()
    for part in functions_used(function):
        work.update(function_work(target, part, vector=vector))
    return work


def open_select_ways(target: Target, *, vector: bool) -> tuple[Usage, ...]:
    """How to select by a boolean when the difference of the alternatives is there."""
    ways = {*alternatives(target, "select", vector=vector)}
    ways |= {*alternatives(target, "multiply_add", vector=vector)}
    return tuple(sorted(ways))


def broadcast_ways(target: Target) -> tuple[Usage, ...]:
    """How a word gets into all lanes: by an instruction, or by a move per lane."""
    ways: list[Usage] = [((e, 1),) for e in target.engines_for("vbroadcast")]
    ways += [((e, target.vlen),) for e in target.engines_for("|")]
    return tuple(sorted(ways))


class _Builder:
    def __init__(self, target: Target):
        self.target = target
        self.shared: Work = Work()
        """What counts once per function."""
        self.constants: set[tuple[int, ...]] = set()
        self.addresses: set[tuple[SSAValue, int]] = set()

    def function(self, func: FuncOp) -> RegionBound:
        work: Work = Work()
        inner: list[RegionBound] = []
        blocks = list(func.body.blocks)
        if len(blocks) == 1:
            work, inner = self.block(blocks[0])
        else:
            inner = [self.region("block", b.first_op or func, [b], None) for b in blocks]
        for arg in blocks[0].args:
            if arg.uses:
                self.add(self.shared, "load")
                self.add(self.shared, "const", "add_imm")
        work.update(self.shared)
        return RegionBound("function", op_location(func), self.bound(work), 1, inner)

    def region(
        self, name: str, op: Operation, blocks: list[Block], trips: int | None
    ) -> RegionBound:
        work: Work = Work()
        inner: list[RegionBound] = []
        for block in blocks:
            block_work, block_inner = self.block(block)
            work.update(block_work)
            inner += block_inner
        if isinstance(op, scf.ForOp):
            self.counting(work)
        if isinstance(op, scf.WhileOp):
            self.add(work, "cond_jump", "cond_jump_rel")
        expected = expected_trips(op)
        return RegionBound(name, op_location(op), self.bound(work), trips, inner, expected)

    def block(self, block: Block) -> tuple[Work, list[RegionBound]]:
        work: Work = Work()
        inner: list[RegionBound] = []
        for op in block.ops:
            match op:
                case scf.ForOp():
                    bounds = constant_bounds(op)
                    trips = None if bounds is None else bounds.trips
                    inner.append(self.region(op.name, op, [op.body.block], trips))
                case scf.WhileOp():
                    blocks = [op.before_region.block, op.after_region.block]
                    inner.append(self.region(op.name, op, blocks, None))
                case scf.IfOp():
                    self.add(work, "cond_jump", "cond_jump_rel")
                    inner.append(self.cheaper_side(op))
                case scf.ExecuteRegionOp():
                    inner.append(self.region(op.name, op, list(op.region.blocks), 1))
                case word.ArithmeticOp():
                    vector = word.lanes_of(op.result.type) is not None
                    self.function_work(work, op.function.name, vector=vector)
                case _:
                    self.other(work, op)
        return work, inner

    def cheaper_side(self, op: scf.IfOp) -> RegionBound:
        def side(region: Region) -> RegionBound:
            return self.region(op.name, op, list(region.blocks), 1)

        sides = [side(region) for region in (op.true_region, op.false_region)]
        return min(sides, key=lambda region: region.cycles or region.bound.cycles)

    def other(self, work: Work, op: Operation) -> None:
        handler = _HANDLERS.get(type(op))
        if handler is not None:
            handler(self, work, op)
        elif type(op) not in _FREE:
            fail(op, f"'{op.name}' is not an op of the SSA level")

    # Work

    def bound(self, work: Work) -> Bound:
        return resource_bound(work, self.target.slots)

    def add(self, work: Work, *mnemonics: str, count: int = 1) -> None:
        """One instruction, any of those given, `count` times."""
        ways: list[Usage] = [
            ((engine, 1),) for name in mnemonics for engine in self.target.engines_for(name)
        ]
        work[tuple(sorted(ways))] += count

    def counting(self, work: Work) -> None:
        """The advance and test of a counter, and the jump."""
        self.function_work(work, "add", vector=False)
        self.function_work(work, "ult", vector=False)
        self.add(work, "cond_jump", "cond_jump_rel")

    def function_work(self, work: Work, function: str, *, vector: bool) -> None:
        work.update(function_work(self.target, function, vector=vector))

    def broadcast(self, work: Work) -> None:
        work[broadcast_ways(self.target)] += 1

    def constant(self, words: tuple[int, ...]) -> None:
        """A constant; each counts once. A vector of one value is made from the word."""
        if words in self.constants:
            return
        self.constants.add(words)
        if len(words) > 1 and len(set(words)) == 1:
            self.constant(words[:1])
            self.broadcast(self.shared)
        else:
            self.add(self.shared, "const", "add_imm", count=len(words))

    def access(self, work: Work, scalar: str, vector: str, value: SSAValue) -> None:
        """A load or store of a word or of consecutive words."""
        lanes = word.lanes_of(value.type)
        if lanes is not None and self.target.engines_for(vector):
            self.add(work, vector)
        else:
            self.add(work, scalar, count=lanes or 1)

    def address(self, work: Work, op: word.AccessOp, offset: SSAValue) -> None:
        """The sum of a buffer's address and an offset, hoisted when the offset is constant."""
        if op.absolute is not None:
            return
        if isinstance(offset.owner, word.ConstantOp):
            key = (op.buffer, offset.owner.words()[0])
            if key[1] != 0 and key not in self.addresses:
                self.addresses.add(key)
                self.function_work(self.shared, "add", vector=False)
            return
        if _folds(offset):
            return
        vector = word.lanes_of(offset.type) is not None
        self.function_work(work, "add", vector=vector)


def _folds(offset: SSAValue) -> bool:
    """Whether `offset` is the sum, for one access only, of a value and a constant.

    `buffer + (x + c)` takes one addition per access: `(buffer + c) + x`.
    """
    op = offset.owner
    return (
        isinstance(op, word.AddOp)
        and not op.result.has_more_than_one_use()
        and any(isinstance(operand.owner, word.ConstantOp) for operand in op.operands)
    )


def _constant(b: _Builder, work: Work, op: word.ConstantOp) -> None:
    b.constant(op.words())


def _select_by_difference(b: _Builder, work: Work, op: word.SelectByDifferenceOp) -> None:
    vector = word.lanes_of(op.result.type) is not None
    if ways := open_select_ways(b.target, vector=vector):
        work[ways] += 1
    else:
        b.function_work(work, "select", vector=vector)


def _broadcast(b: _Builder, work: Work, op: word.BroadcastOp) -> None:
    b.broadcast(work)


def _subbuffer(b: _Builder, work: Work, op: word.SubbufferOp) -> None:
    b.function_work(work, "add", vector=False)


def _alloc(b: _Builder, work: Work, op: word.AllocOp) -> None:
    b.add(b.shared, "const", "add_imm")
    b.add(work, "store", count=len(op.init_words() or ()))


def _from_elements(b: _Builder, work: Work, op: word.FromElementsOp) -> None:
    moves = words_to_move(op)
    if moves:
        b.add(work, "|", "add_imm", count=moves)


def words_to_move(op: word.FromElementsOp) -> int:
    """How many words cannot be computed in their lanes of the vector that `op` makes."""
    return sum(_must_move(value, lane, op) for lane, value in enumerate(op.elements))


def _must_move(value: SSAValue, lane: int, op: word.FromElementsOp) -> bool:
    """Whether a word cannot be computed in its lane of the vector that `op` makes."""
    if op.elements.index(value) != lane:
        return True
    match value.owner:
        case word.ExtractOp(vector=vector, lane=place):
            # A vector of which only words are used may be changed in place.
            stays = place.value.data == lane and vector.type == op.result.type
            return not stays or any(
                not isinstance(u.operation, word.ExtractOp) for u in vector.uses
            )
        case word.ConstantOp() | Block():
            return True
        case _:
            users = (use.operation for use in value.uses)
            first = next((user for user in users if isinstance(user, word.FromElementsOp)), op)
            return first is not op


def _load(b: _Builder, work: Work, op: word.LoadOp) -> None:
    b.address(work, op, op.offset)
    b.access(work, "load", "vload", op.result)


def _store(b: _Builder, work: Work, op: word.StoreOp) -> None:
    b.address(work, op, op.offset)
    b.access(work, "store", "vstore", op.value)


def _gather(b: _Builder, work: Work, op: word.GatherOp) -> None:
    b.address(work, op, op.offsets)
    b.add(work, "load", count=word.lanes_of(op.result.type) or 1)


def _scatter(b: _Builder, work: Work, op: word.ScatterOp) -> None:
    b.address(work, op, op.offsets)
    b.add(work, "store", count=word.lanes_of(op.values.type) or 1)


def _return(b: _Builder, work: Work, op: ReturnOp) -> None:
    for _ in op.arguments:
        b.add(work, "store")
        b.add(work, "const", "add_imm")


def _trace_write(b: _Builder, work: Work, op: word.TraceWriteOp) -> None:
    b.add(work, "trace_write")


def _pause(b: _Builder, work: Work, op: word.PauseOp) -> None:
    b.add(work, "pause")


def _branch(b: _Builder, work: Work, op: cf.ConditionalBranchOp) -> None:
    b.add(work, "cond_jump", "cond_jump_rel")


_HANDLERS: dict[type[Operation], Callable[[_Builder, Work, Any], None]] = {
    word.ConstantOp: _constant,
    word.SelectByDifferenceOp: _select_by_difference,
    word.BroadcastOp: _broadcast,
    word.SubbufferOp: _subbuffer,
    word.AllocOp: _alloc,
    word.FromElementsOp: _from_elements,
    word.LoadOp: _load,
    word.StoreOp: _store,
    word.GatherOp: _gather,
    word.ScatterOp: _scatter,
    word.TraceWriteOp: _trace_write,
    word.PauseOp: _pause,
    ReturnOp: _return,
    cf.ConditionalBranchOp: _branch,
}

_FREE: frozenset[type[Operation]] = frozenset(
    {
        word.ExtractOp,
        word.InsertOp,
        word.ConcatOp,
        word.SliceOp,
        word.TestOp,
        word.AddressOp,
        word.CompareOp,
        word.CoreIdOp,
        scf.YieldOp,
        scf.ConditionOp,
        cf.BranchOp,
    }
)
"""What costs no slot, or is done by moving nothing."""


def report(region: RegionBound, depth: int = 0) -> Iterator[str]:
    """Lines that tell a bound and those within, for people and FileCheck."""
    indent = "  " * depth
    trips = "" if depth == 0 else f" x {'?' if region.trips is None else region.trips}"
    place = f" at {region.location}" if region.location else ""
    binding = ", ".join(region.bound.binding) or "nothing"
    used = ", ".join(f"{e} {n:.1f}" for e, n in region.bound.used.items() if n)
    total = region.cycles
    summary = "" if total is None else f", {total:.1f} with all within"
    yield (
        f"{indent}{region.name}{trips}{place}: {region.bound.cycles:.1f} cycles "
        f"bound by {binding}{summary} [{used}]"
    )
    for inner in region.inner:
        yield from report(inner, depth + 1)
