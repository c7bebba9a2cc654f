"""Reassociation: invariant parts of sums and the like are computed outside of loops."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.transforms.dead_code import eliminate_dead_code
from vliw_mlir.transforms.reassociation.places import Places
from vliw_mlir.transforms.reassociation.plans import (
    Plan,
    Planner,
    TreePlanner,
    arms_of,
    over_selection,
)
from vliw_mlir.transforms.reassociation.trees import JOINING, IsInner, Tree, tree_of
from vliw_mlir.transforms.rewriting import only_user
from vliw_mlir.transforms.rules import RULES
from vliw_mlir.transforms.rules.matcher import matcher_for
from vliw_mlir.transforms.simplification import control, values
from vliw_mlir.transforms.simplification.expressions import Expression
from vliw_mlir.transforms.simplification.walk import Walk
from vliw_mlir.transforms.simplify import available_functions


@dataclass(frozen=True)
class Reassociate(ModulePass):
    """Reorder sums, products, `and`, `or`, `xor`, minima and maxima.

    Operands from outside of loops are joined first, outside of the loops; constants are joined
    with them, or last if there are none. In a sum, multiples of one value become one multiple.
    With `distribute_over_selects`, what comes from outside of a loop moves into the arms of a
    selection in the loop whose arms come from outside, too: `(x ^ C) ^ (p ? a : b)` becomes
    `x ^ (p ? a ^ C : b ^ C)`, with two operations before the loop for one in it.

    A tree of operations is rewritten only if that takes fewer operations, those in loops counted
    as often as they run, or to bring a constant to its top; else its shape stays. So no chain of
    dependences gets longer without need.

    Works on the SSA level, best after loop-invariant code motion: how deep in loops a value is
    *defined* decides. Also simplifies what it meets (see `simplify`). Takes time linear in the
    number of operations.

    Ranking by loop depth is that of LLVM's `Reassociate`.

    Statistics: `num-reassociated`, `num-distributed`.
    """

    name = "reassociate"

    distribute_over_selects: bool = True
    """Whether to move invariant operands into the arms of selections."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        matcher = matcher_for(RULES, available_functions(target_of(op)))
        for function in op.ops:
            if not isinstance(function, FuncOp) or function.is_declaration:
                continue
            visitor = _Reassociation(self.distribute_over_selects, statistics)
            handlers = {**values.HANDLERS, **control.HANDLERS, word.ArithmeticOp: visitor.visit}
            Walk(function.body, matcher, handlers)
            eliminate_dead_code(function.body)


_NAME = Reassociate.name


class _Reassociation:
    """Reassociates the trees of a function, each when its topmost operation is reached."""

    def __init__(self, distributes: bool, statistics: Statistics):
        self._distributes = distributes
        self._statistics = statistics
        self._places = Places()

    def visit(self, walk: Walk, op: word.ArithmeticOp) -> Operation | None:
        values.simplify_arithmetic(walk, op)
        if op.parent is None:
            return
        root = walk.expressions.of(op.result)
        if root.function not in JOINING or _belongs_to_user(op, root.function):
            return
        better = self._better(root, walk, op)
        if better is not None and better.value is not op.result:
            walk.become(op, better)

    def _better(self, root: Expression, walk: Walk, op: word.ArithmeticOp) -> Expression | None:
        """The value of a tree computed in a better way, None if there is none."""

        def is_inner(expression: Expression) -> bool:
            value = expression.value
            return value.owner.parent is op.parent and not value.has_more_than_one_use()

        tree = tree_of(root, is_inner)
        if not tree.leaves:
            return None
        place = self._places.of(op.parent)
        planner = Planner(self._places, place)
        trees = TreePlanner(tree, planner)
        cost = tree.operations * place.runs[-1]
        plan = trees.plan()
        new_cost = planner.cost(plan)
        distributed = self._distributed(tree, trees, planner, is_inner)
        if distributed is not None and distributed[1] < min(cost, new_cost):
            plan, new_cost = distributed
            remark(op, _NAME, "moved invariant operands into a selection", RemarkKind.PASSED)
            self._statistics.count("num-distributed")
        elif new_cost < cost or (new_cost == cost and _has_buried_constant(root, tree)):
            remark(op, _NAME, f"operations from {cost} to {new_cost}", RemarkKind.PASSED)
            self._statistics.count("num-reassociated")
        else:
            return None
        return planner.carry_out(plan, walk.expressions, root)

    def _distributed(
        self, tree: Tree, trees: TreePlanner, planner: Planner, is_inner: IsInner
    ) -> tuple[Plan, int] | None:
        """A plan that moves what comes from outside into a selection, and what it costs.

        The selections are there already, so they do not count.
        """
        if not self._distributes:
            return None
        outside = trees.outer_part()
        moved = tree.constant if outside is None else outside.plan
        innermost = max(trees.depths)
        if outside is None and moved == tree.neutral:
            return None

        def comes_from_outside(arm: Expression) -> bool:
            return arm.constant is not None or planner.depth(arm) < innermost

        for number, leaf in enumerate(tree.leaves):
            if leaf.function != "select" or not is_inner(leaf) or tree.factors[number] != 1:
                continue
            if trees.depths[number] < innermost or not all(
                comes_from_outside(arm) for arm in arms_of(leaf, is_inner)
            ):
                continue
            plan, selections = over_selection(
                planner, leaf, lambda arm: planner.node(tree.function, arm, moved), is_inner
            )
            plan = trees.plan({number: plan})
            return plan, planner.cost(plan) - selections * planner.runs
        return None


def _belongs_to_user(op: word.ArithmeticOp, function: str) -> bool:
    """Whether the only use of `op` is in a tree of which it is a part."""
    user = only_user(op)
    return user is not None and JOINING.get(user.function.name) == JOINING[function]


def _has_buried_constant(root: Expression, tree: Tree) -> bool:
    """Whether there is a constant in the tree that is not at its top."""
    if tree.constant == tree.neutral:
        return False
    return all(arg.constant is None for arg in root.args)
