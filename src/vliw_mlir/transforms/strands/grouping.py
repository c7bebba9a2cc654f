"""Which ops of a block one loop over items can compute.

Typed fusion (Kennedy and McKinley, "Typed fusion with applications to parallel and sequential
code generation", 1993), one shape of items after the other: ops of one shape can share a loop
unless one of them needs whole tensors that depend on another.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects import scf
from xdsl.ir import Block, Operation
from xdsl.traits import is_side_effect_free

from vliw_mlir.dialects import kernel
from vliw_mlir.lowering.bufferize.plan import Plan
from vliw_mlir.transforms.strands.items import Shape, reads_item


@dataclass(frozen=True)
class Strand:
    """Ops that one loop over items can compute, in the order of their dependences."""

    shape: Shape
    ops: Sequence[Operation]


def find_strands(block: Block, shapes: Mapping[Operation, Shape], plan: Plan) -> list[Strand]:
    """The strands in `block` that are worth a loop of their own.

    `shapes` are those of the items of all ops that are computed item by item; `plan` is what
    the lowering of tensors would do with the function as it is. The ops of `block` are moved
    so that those of a strand follow one another.
    """
    graph = _Graph(block, shapes)
    strands: list[Strand] = []
    for shape in dict.fromkeys(shapes.values()):
        groups = [ops for ops in graph.groups(shape) if _is_worthwhile(ops, plan)]
        if groups:
            graph.merge(groups)
        strands += [Strand(shape, ops) for ops in groups]
    if strands:
        graph.reorder()
    return strands


def _is_worthwhile(ops: Sequence[Operation], plan: Plan) -> bool:
    """Whether to form a strand of `ops`: for loops; else to compute several results in one loop
    instead of several, if no more tensors are stored for it than without."""
    if any(isinstance(op, scf.ForOp) for op in ops):
        return True
    members = set(ops)
    outputs = [op for op in ops if any(u.operation not in members for u in op.results[0].uses)]
    stored = [op for op in ops if not plan.is_deferred(op.results[0])]
    return len(outputs) > 1 and _tensors(outputs) <= _tensors(stored)


def _tensors(ops: Sequence[Operation]) -> int:
    return sum(not isinstance(op, kernel.ReduceOp) for op in ops)


@dataclass(eq=False)
class _Node:
    """An op, or ops that share a loop."""

    number: int
    """The position of the first op."""
    ops: Sequence[Operation]
    sources: dict[_Node, bool] = field(default_factory=dict["_Node", bool])
    """What must come before; and whether it may be in the same loop."""


_Dependences: TypeAlias = dict[Operation, bool]


class _Graph:
    """The dependences among the ops of a block, its terminator aside."""

    _order: list[_Node]
    """Each node after those that it depends on."""

    def __init__(self, block: Block, shapes: Mapping[Operation, Shape]):
        self._block = block
        self._shapes = shapes
        ops = [op for op in block.ops if op is not block.last_op]
        self._positions = {op: number for number, op in enumerate(ops)}
        self._dependences: list[_Dependences] = []
        last_effect: Operation | None = None
        for op in ops:
            dependences = self._operands(op)
            if not is_side_effect_free(op):
                if last_effect is not None:
                    dependences[last_effect] = False
                last_effect = op
            self._dependences.append(dependences)
        self._connect([_Node(number, [op]) for number, op in enumerate(ops)])

    def _operands(self, op: Operation) -> _Dependences:
        """The ops of the block that `op` and what is inside of it depend on."""
        found: _Dependences = {}
        for inner in op.walk():
            for index, value in enumerate(inner.operands):
                source = value.owner
                if source in self._positions and source is not op:
                    assert isinstance(source, Operation)
                    fits = self._same_items(source, op) and reads_item(inner, index)
                    found[source] = fits and found.get(source, True)
        return found

    def _same_items(self, source: Operation, op: Operation) -> bool:
        if isinstance(source, kernel.ReduceOp):
            return False
        return op in self._shapes and self._shapes.get(source) == self._shapes[op]

    def _connect(self, nodes: Iterable[_Node]) -> None:
        """Set the dependences of `nodes` from those of their ops, and sort them."""
        nodes = list(nodes)
        node_of = {op: node for node in nodes for op in node.ops}
        users: dict[_Node, list[_Node]] = defaultdict(list)
        for node in nodes:
            node.sources = {}
            for op in node.ops:
                for source, fits in self._dependences[self._positions[op]].items():
                    other = node_of[source]
                    if other is not node:
                        node.sources[other] = fits and node.sources.get(other, True)
            for source in node.sources:
                users[source].append(node)
        self._order = _sorted(nodes, users)

    def groups(self, shape: Shape) -> list[list[Operation]]:
        """The ops on items of `shape` that may share a loop and depend on one another."""
        nodes = [node for node in self._order if self._shapes.get(node.ops[0]) == shape]
        typed = set(nodes)
        stages = self._stages(typed)
        leader: dict[_Node, _Node] = {node: node for node in nodes}

        def find(node: _Node) -> _Node:
            while leader[node] is not node:
                leader[node] = leader[leader[node]]
                node = leader[node]
            return node

        for node in nodes:
            for source, fits in node.sources.items():
                if fits and source in typed and stages[source] == stages[node]:
                    leader[find(source)] = find(node)
        groups: dict[_Node, list[Operation]] = defaultdict(list)
        for node in nodes:
            groups[find(node)] += node.ops
        return list(groups.values())

    def _stages(self, typed: set[_Node]) -> dict[_Node, int]:
        """When each node can be computed: nodes of `typed` in one stage can share a loop.

        A node comes after the stage of each typed node that it depends on and that it cannot
        share a loop with; and then, if it can, as late as its first user.
        """
        stages: dict[_Node, int] = {}
        first_user: dict[_Node, int] = {}
        bound = set[_Node]()
        for node in self._order:
            stages[node] = 0
            for source, fits in node.sources.items():
                apart = source in typed and not (fits and node in typed)
                stages[node] = max(stages[node], stages[source] + apart)
                if apart:
                    bound.add(source)
        for node in reversed(self._order):
            if node in typed and node in first_user and node not in bound:
                stages[node] = first_user[node]
            for source in node.sources:
                first_user[source] = min(stages[node], first_user.get(source, stages[node]))
        return stages

    def merge(self, groups: Iterable[Sequence[Operation]]) -> None:
        """Let each of the groups be one node."""
        merged = [_Node(self._positions[ops[0]], ops) for ops in groups]
        members = {op for node in merged for op in node.ops}
        rest = [node for node in self._order if node.ops[0] not in members]
        self._connect([*rest, *merged])

    def reorder(self) -> None:
        """Bring the ops of the block in the order of the nodes."""
        end = self._block.last_op
        assert end is not None
        for node in self._order:
            for op in node.ops:
                op.detach()
                self._block.insert_op_before(op, end)


def _sorted(nodes: Sequence[_Node], users: Mapping[_Node, Sequence[_Node]]) -> list[_Node]:
    """Each node after its sources, otherwise in the order of the numbers."""
    by_number = {node.number: node for node in nodes}
    waiting = {node: len(node.sources) for node in nodes}
    ready = [node.number for node in nodes if not node.sources]
    heapq.heapify(ready)
    order: list[_Node] = []
    while ready:
        node = by_number[heapq.heappop(ready)]
        order.append(node)
        for user in users.get(node, ()):
            waiting[user] -= 1
            if not waiting[user]:
                heapq.heappush(ready, user.number)
    assert len(order) == len(nodes)
    return order
