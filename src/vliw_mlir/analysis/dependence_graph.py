"""The dependence graph of a function: what has to happen before what, and why.

Data, memory and control in one graph (Ferrante, Ottenstein and Warren, "The Program Dependence
Graph and Its Use in Optimization", TOPLAS 1987). Memory is looked at within blocks; an
operation with regions stands for all that it contains as far as its own block is concerned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region

from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.analysis.cfg import reverse_postorder, successors
from vliw_mlir.analysis.dominance import DominatorTree
from vliw_mlir.analysis.memory_effects import Effects, MemoryEffects
from vliw_mlir.analysis.natural_loops import reversed_graph
from vliw_mlir.dialects import word

MOST_PAIRS = 20_000
"""How many pairs of accesses of a block are looked at. What comes then stays in order."""


class Kind(Enum):
    """Why one operation has to come before another."""

    DATA = "data"
    """It computes an operand, also of what the other one contains."""
    FLOW = "flow"
    """It stores what the other one may load."""
    ANTI = "anti"
    """It loads what the other one may overwrite."""
    OUTPUT = "output"
    """Both may store to the same word."""
    ORDER = "order"
    """Both have effects that can be told apart from outside."""
    CONTROL = "control"
    """It decides whether the other one runs."""


@dataclass(frozen=True)
class Edge:
    """One operation has to come before another."""

    first: Operation
    second: Operation
    kind: Kind


@dataclass
class DependenceGraph:
    """Operations and what they depend on."""

    nodes: list[Operation] = field(default_factory=list[Operation])
    """In the order of the text; operations before those in their regions."""
    edges: list[Edge] = field(default_factory=list[Edge])

    def before(self, op: Operation) -> list[Edge]:
        """What an operation depends on."""
        return [edge for edge in self.edges if edge.second is op]

    def after(self, op: Operation) -> list[Edge]:
        """What depends on an operation."""
        return [edge for edge in self.edges if edge.first is op]


def function_graph(func: FuncOp, aliases: AliasAnalysis) -> DependenceGraph:
    """The dependence graph of a function of the SSA level.

    Takes time linear in its size, apart from `MOST_PAIRS` per block.
    """
    graph = DependenceGraph([op for op in func.walk() if op is not func])
    graph.edges += _data(graph.nodes)
    effects = MemoryEffects(aliases)
    for op in (func, *graph.nodes):
        for region in op.regions:
            for block in region.blocks:
                graph.edges += _Memory(aliases, effects).block(block)
            graph.edges += _control(region, None if op is func else op)
    return graph


# Data


def _data(nodes: Sequence[Operation]) -> Iterator[Edge]:
    for op in nodes:
        makers = (value.owner for value in op.operands)
        for maker in dict.fromkeys(m for m in makers if isinstance(m, Operation)):
            yield Edge(maker, op, Kind.DATA)


# Memory


class _Memory:
    """Finds the dependences between the effects of operations in a block."""

    def __init__(self, aliases: AliasAnalysis, effects: MemoryEffects):
        self._aliases = aliases
        self._effects = effects

    def block(self, block: Block) -> Iterator[Edge]:
        before: list[tuple[Operation, Effects, bool]] = []
        pairs = 0
        for op in block.ops:
            effects = self._effects.of(op)
            is_ordered = _is_ordered(op, effects)
            if not effects.accesses and not is_ordered:
                continue
            pairs += len(before) * max(len(effects.accesses), 1)
            if pairs > MOST_PAIRS:
                # From here on one after the other.
                yield from (Edge(other, op, Kind.ORDER) for other, _, _ in before)
                before = [(op, effects, is_ordered)]
                continue
            for other, earlier, was_ordered in before:
                kind = Kind.ORDER if is_ordered and was_ordered else self._kind(earlier, effects)
                if kind is not None:
                    yield Edge(other, op, kind)
            before.append((op, effects, is_ordered))

    def _kind(self, before: Effects, after: Effects) -> Kind | None:
        if before.opaque is not None or after.opaque is not None:
            return Kind.ORDER
        for kind, some, others in (
            (Kind.FLOW, before.writes, after.reads),
            (Kind.OUTPUT, before.writes, after.writes),
            (Kind.ANTI, before.reads, after.writes),
        ):
            if any(self._aliases.may_overlap(a, b) for a in some for b in others):
                return kind
        return None


def _is_ordered(op: Operation, effects: Effects) -> bool:
    """Whether an operation has effects other than on known words of memory."""
    return effects.opaque is not None or any(isinstance(o, word.TraceWriteOp) for o in op.walk())


# Control


def _control(region: Region, around: Operation | None) -> Iterator[Edge]:
    """The dependences of what is in a region on its branches, and on the operation around it."""
    for block, deciding in _deciding_branches(region).items():
        for op in block.ops:
            yield from (Edge(first, op, Kind.CONTROL) for first in deciding if first is not op)
            if not deciding and around is not None:
                yield Edge(around, op, Kind.CONTROL)


def _deciding_branches(region: Region) -> dict[Block, list[Operation]]:
    """For each block that can be reached, the branches that decide whether it runs: it lies on
    all ways on from one side of them, but not from the other."""
    order = reverse_postorder(region)
    numbers = {block: number for number, block in enumerate(order)}
    after = _postdominators([[numbers[s] for s in successors(block)] for block in order])
    found: dict[Block, list[Operation]] = {block: [] for block in order}
    for number, block in enumerate(order):
        branch = block.last_op
        if branch is None:
            continue
        for successor in dict.fromkeys(successors(block)):
            current = numbers[successor]
            while current != after[number]:
                if branch not in found[order[current]]:
                    found[order[current]].append(branch)
                current = after[current]
    return found


def _postdominators(graph: Sequence[Sequence[int]]) -> list[int]:
    """For each node the first one that is on all ways from it to an end, behind it.

    The number behind the last node stands for the end. A node from which there is no way to an
    end is taken to be one.
    """
    end = len(graph)
    backwards = reversed_graph(graph)
    tree = DominatorTree(backwards, end)
    endless = [node for node in range(end) if not tree.is_reachable(node)]
    if endless:
        backwards[end] += endless
        tree = DominatorTree(backwards, end)
    return tree.immediate
