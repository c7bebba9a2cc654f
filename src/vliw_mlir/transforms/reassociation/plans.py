"""Plans for computing the value of a tree, and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from vliw_mlir.semantics import WORD_MASK
from vliw_mlir.transforms.reassociation.places import Place, Places
from vliw_mlir.transforms.reassociation.trees import JOIN, NOTHING, IsInner, Tree
from vliw_mlir.transforms.simplification.expressions import Expression, Expressions


@dataclass(frozen=True, eq=False)
class Node:
    """An operation that is planned."""

    function: str
    args: tuple[Plan, ...]
    depth: int
    """How many loops there are around the place where it can be computed."""
    is_constant: bool


Plan: TypeAlias = Expression | Node | int
"""A value that is there, an operation, or a constant."""


class Planner:
    """Makes plans for values needed at one place."""

    def __init__(self, places: Places, place: Place):
        self._places = places
        self._place = place

    @property
    def runs(self) -> int:
        """How often an operation at the place runs."""
        return self._place.runs[-1]

    def node(self, function: str, *args: Plan) -> Node:
        """Plan an operation."""
        depth = max(map(self.depth, args))
        return Node(function, args, depth, all(map(_is_constant, args)))

    def depth(self, plan: Plan) -> int:
        """How many loops there are around the place where a plan can be carried out."""
        if isinstance(plan, Node):
            return plan.depth
        return 0 if isinstance(plan, int) else self._places.depth(plan)

    def cost(self, plan: Plan) -> int:
        """How many operations a plan executes, in loops and before them."""
        pending, seen, total = [plan], set[int](), 0
        while pending:
            current = pending.pop()
            if not isinstance(current, Node) or id(current) in seen:
                continue
            seen.add(id(current))
            pending += current.args
            if not current.is_constant:
                total += self._place.runs[current.depth]
        return total

    def carry_out(self, plan: Plan, e: Expressions, like: Expression) -> Expression:
        """Compute what is planned, each operation outside of as many loops as possible.

        `like` is an expression of the type of the result. Equal plans are carried out once.
        """
        done = dict[int, Expression]()
        pending = [plan]
        while pending:
            current = pending[-1]
            if not isinstance(current, Node) or id(current) in done:
                pending.pop()
                continue
            missing = [a for a in current.args if isinstance(a, Node) and id(a) not in done]
            if missing:
                pending += missing
                continue
            pending.pop()
            args = [self._value(a, done, e, like) for a in current.args]
            loops = self._place.loops[current.depth :]
            with e.hoisting(loops[0] if loops else e.anchor):
                done[id(current)] = e.apply(current.function, args)
        return self._value(plan, done, e, like)

    def _value(
        self, plan: Plan, done: Mapping[int, Expression], e: Expressions, like: Expression
    ) -> Expression:
        if isinstance(plan, Node):
            return done[id(plan)]
        return e.constant_like(plan, like) if isinstance(plan, int) else plan


def _is_constant(plan: Plan) -> bool:
    if isinstance(plan, Node):
        return plan.is_constant
    return isinstance(plan, int) or plan.constant is not None


@dataclass(frozen=True)
class Part:
    """A plan for some leaves of a tree; in a sum it may be planned with the wrong sign."""

    plan: Plan
    negative: bool = False


class TreePlanner:
    """Plans for the value of one tree."""

    def __init__(self, tree: Tree, planner: Planner):
        self._tree = tree
        self._planner = planner
        self.depths = [planner.depth(leaf) for leaf in tree.leaves]

    def plan(self, replaced: Mapping[int, Plan] | None = None) -> Plan:
        """Join leaves from outside of loops first, the constant with them, else last.

        `replaced` has plans for leaves that stand for the leaf and for all that comes from
        outside of the innermost loop that the tree needs.
        """
        innermost = max(self.depths)
        outer = None if replaced is not None else self.outer_part()
        inner = self._part_at(innermost, replaced or {})
        joined = inner if outer is None else self._join(inner, outer)
        if joined is None:
            return self._tree.constant
        constant_is_in = outer is not None or replaced is not None
        return self._finish(joined, self._tree.neutral if constant_is_in else self._tree.constant)

    def outer_part(self) -> Part | None:
        """What all leaves but those in the innermost loop come to, with the constant."""
        outer: Part | None = None
        for depth in sorted(set(self.depths))[:-1]:
            part = self._part_at(depth, {})
            if part is not None and outer is None:
                part = Part(self._finish(part, self._tree.constant))
            outer = self._join(part, outer)
        return outer

    def _part_at(self, depth: int, replaced: Mapping[int, Plan]) -> Part | None:
        """A plan for the leaves of a depth, in the shape of the tree."""
        stack: list[Part | None] = []
        for number in self._tree.order:
            if number == JOIN:
                right = stack.pop()
                stack[-1] = self._join(stack[-1], right)
            elif number == NOTHING or self.depths[number] != depth:
                stack.append(None)
            elif number in replaced:
                stack.append(Part(replaced[number]))
            else:
                stack.append(self._leaf(number))
        (part,) = stack
        return part

    def _leaf(self, number: int) -> Part | None:
        leaf, factor = self._tree.leaves[number], self._tree.factors[number]
        if factor == 0:
            return None
        negative = -factor & WORD_MASK
        if factor == 1 or negative == 1:
            return Part(leaf, factor != 1)
        for scale in (factor, negative):
            if scale.bit_count() == 1:
                shifted = self._planner.node("shl", leaf, scale.bit_length() - 1)
                return Part(shifted, scale is not factor)
        return Part(self._planner.node("mul", leaf, factor))

    def _join(self, a: Part | None, b: Part | None) -> Part | None:
        if a is None or b is None:
            return b if a is None else a
        node = self._planner.node
        if a.negative == b.negative:
            return Part(node(self._tree.function, a.plan, b.plan), a.negative)
        plus, minus = (b, a) if a.negative else (a, b)
        return Part(node("sub", plus.plan, minus.plan))

    def _finish(self, part: Part, constant: int) -> Plan:
        """The plan for a part with a constant, with the right sign."""
        if part.negative:
            return self._planner.node("sub", constant, part.plan)
        if constant == self._tree.neutral:
            return part.plan
        return self._planner.node(self._tree.function, part.plan, constant)


def over_selection(
    planner: Planner,
    selection: Expression,
    apply: Callable[[Plan], Plan],
    is_inner: IsInner,
) -> tuple[Plan, int]:
    """A plan for a function of a selection, applied to what is selected; its selections.

    What is selected from nested selections counts, if those are used for nothing else.
    """
    count = 1
    arms: list[Plan] = []
    for arm in selection.args[1:]:
        if arm.function == "select" and is_inner(arm):
            plan, inner = over_selection(planner, arm, apply, is_inner)
            count += inner
        else:
            plan = apply(arm)
        arms.append(plan)
    return planner.node("select", selection.args[0], *arms), count


def arms_of(selection: Expression, is_inner: IsInner) -> Sequence[Expression]:
    """What is selected by a selection and by those nested in it."""
    found: list[Expression] = []
    for arm in selection.args[1:]:
        if arm.function == "select" and is_inner(arm):
            found += arms_of(arm, is_inner)
        else:
            found.append(arm)
    return found
