"""Interchange of perfectly nested loops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block
from xdsl.passes import ModulePass
from xdsl.utils.hints import isa

from vliw_mlir.analysis.alias import Access, AliasAnalysis
from vliw_mlir.analysis.dependence import direction_vectors
from vliw_mlir.analysis.loops import counter_of, is_defined_in, is_innermost
from vliw_mlir.dialects import word
from vliw_mlir.errors import fail
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.transforms.loop_nests import LoopNest, find_nest, permute_nest
from vliw_mlir.transforms.vectorize.reductions import reduction_function

ORDER = "vliw.order"
"""On the outermost loop of a nest: its loops in the order wanted, `array<i64: 1, 0>`."""

Order = tuple[int, ...]
"""The loops of a nest from the outermost to the innermost one, by their numbers as they are."""


@dataclass(frozen=True)
class InterchangeLoops(ModulePass):
    """Interchange loops so that more memory stays the same in the innermost one.

    In a nest of loops with nothing but moveable code between them, one loop becomes the innermost
    one if more accesses then go to the same word in all of its iterations; these words can be
    kept in registers. So loops over independent items come to lie outside of loops over rounds
    that change each item. A loop whose iterations are independent must remain outside of the
    innermost one if there is one in the nest now. Everything else keeps its order.

    An order is legal if no dependence is turned around: every direction vector stays
    lexicographically positive (Allen and Kennedy, "Automatic Loop Interchange", 1984). Values
    that loops carry must be reductions through all loops of the nest. Pure code in front of an
    inner loop moves into it, or out of the nest.

    `order` and the attribute `vliw.order` of an outermost loop ask for an order: the numbers of
    the loops as they are, outermost first. Expects the SSA level. Statistics:
    `num-interchanged`.
    """

    name = "interchange-loops"

    order: tuple[int, ...] = ()
    """The order wanted for nests of as many loops; empty to choose by the accesses."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if sorted(self.order) != list(range(len(self.order))):
            fail(op, f"order must be a permutation, not {','.join(map(str, self.order))}")
        statistics = Statistics(self)
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                run = _Run(self, func, statistics)
                for block in func.body.blocks:
                    run.block(block)


@dataclass
class _Run:
    options: InterchangeLoops
    func: FuncOp
    statistics: Statistics

    @cached_property
    def aliases(self) -> AliasAnalysis:
        return AliasAnalysis(self.func)

    def block(self, block: Block) -> None:
        """Interchange the nests in `block`, and those inside of what stays."""
        for op in list(block.ops):
            if isinstance(op, scf.ForOp):
                self.block(self.loop(op).body.block)
                continue
            for region in op.regions:
                for inner in region.blocks:
                    self.block(inner)

    def loop(self, loop: scf.ForOp) -> scf.ForOp:
        """Interchange the nest that starts with `loop`; the loop to go on inside of."""
        if is_innermost(loop):
            return loop
        nest = find_nest(loop, self.aliases)
        as_it_is = tuple(range(len(nest.loops)))
        asked = self._asked(nest)
        if len(nest.loops) == 1:
            return loop
        choice = _Choice(nest, self.aliases)
        for order in choice.wanted() if asked is None else [asked]:
            reason = choice.why_not(order)
            text = f"the order {_text(order)} of {_text(as_it_is)}"
            if reason is not None:
                remark(loop, self.options.name, f"not put into {text}: {reason}", RemarkKind.MISSED)
            elif order != as_it_is:
                remark(loop, self.options.name, f"put into {text}", RemarkKind.PASSED)
                self.statistics.count("num-interchanged")
                innermost = permute_nest(nest, order)
                # What was known of offsets refers to the loops that are no more.
                del self.aliases
                return innermost
        return loop

    def _asked(self, nest: LoopNest) -> Order | None:
        """The order that an attribute or an option asks for."""
        loop, count = nest.loops[0], len(nest.loops)
        attr = loop.attributes.pop(ORDER, None)
        if attr is None:
            return self.options.order if len(self.options.order) == count > 1 else None
        if not isa(attr, DenseArrayBase[IntegerType]):
            fail(loop, f"{ORDER} must be like array<i64: 1, 0>, not {attr}")
        order = attr.get_values()
        if sorted(order) != list(range(len(order))):
            fail(loop, f"{ORDER} must be a permutation, not {attr}")
        if len(order) == count:
            return order
        message = f"{ORDER} names {len(order)} loops, but the nest has {count}"
        remark(loop, self.options.name, message, RemarkKind.MISSED)
        return None


def _text(order: Order) -> str:
    return ", ".join(map(str, order))


class _Choice:
    """The choice of an order for a nest."""

    def __init__(self, nest: LoopNest, aliases: AliasAnalysis):
        self.loops = nest.loops
        self.vectors = direction_vectors(nest.loops, aliases)
        accesses = [
            aliases.access(op) for op in self.loops[0].walk() if isinstance(op, word.AccessOp)
        ]
        self.invariant = [
            sum(self._is_invariant(access, loop) for access in accesses) for loop in self.loops
        ]
        """For each loop, how many accesses go to the same word in all of its iterations."""

    def _is_invariant(self, access: Access, loop: scf.ForOp) -> bool:
        if access.offset is None or is_defined_in(access.buffer, self.loops[0]):
            return False
        others = [counter_of(other) for other in self.loops if other is not loop]
        return all(
            value in others or not is_defined_in(value, self.loops[0])
            for value in access.offset.terms
        )

    def wanted(self) -> Iterator[Order]:
        """Orders better than the one there is, best first."""
        numbers = range(len(self.loops))
        last = numbers[-1]
        has_parallel = len(self._carrying(tuple(numbers))) < len(numbers)
        better = [n for n in numbers if self.invariant[n] > self.invariant[last]]
        for number in sorted(better, key=lambda n: (-self.invariant[n], -n)):
            order = (*(n for n in numbers if n != number), number)
            if not has_parallel or not self._carrying(order) >= set(numbers[:-1]):
                yield order

    def _carrying(self, order: Order) -> set[int]:
        """The places in an order of the loops that carry dependences."""
        return {
            next(place for place, number in enumerate(order) if vector[number])
            for vector in self.vectors
        }

    def why_not(self, order: Order) -> str | None:
        """Why an order is not possible, None if it is."""
        for vector, reason in self.vectors.items():
            signs = [vector[n] for n in order if vector[n]]
            if signs and signs[0] < 0:
                return f"a dependence would be turned around: {reason}"
        outermost = self.loops[0]
        for number in range(len(outermost.results)):
            if reduction_function(outermost, number) is None:
                return f"carried value {number} is not a reduction"
        return None
