"""The walk that simplifies a function: one operation after the other, in dominance order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.traits import IsolatedFromAbove

from vliw_mlir.analysis.cfg import reverse_postorder, successors
from vliw_mlir.analysis.dominance import DominatorTree
from vliw_mlir.dialects import word
from vliw_mlir.transforms.dead_code import has_effects
from vliw_mlir.transforms.rewriting import erase_unreachable_blocks
from vliw_mlir.transforms.rules.matcher import Matcher
from vliw_mlir.transforms.simplification.expressions import Expression, Expressions, Key

Handler: TypeAlias = Callable[["Walk", Any], Operation | None]
"""Simplifies an operation. Gives the operation to go on with, None for the one that followed."""


class Walk:
    """One walk over a function, with what was found out on the way.

    When an operation is reached, all that its operands depend on is simplified already, values
    that come around a loop aside.
    """

    expressions: Expressions
    changes: int
    """How many operations were replaced, or changed."""
    control_changes: int
    """How many loops, branches and values that they hand on were replaced."""

    def __init__(self, body: Region, matcher: Matcher, handlers: Mapping[type[Operation], Handler]):
        self.changes = self.control_changes = 0
        self.expressions = Expressions(body.blocks[0], matcher)
        self._handlers = dict(handlers)
        self.region(body)

    def region(self, region: Region) -> None:
        """Walk the blocks of a region, each after those that dominate it, in a scope."""
        if region.first_block is None:
            return
        if region.first_block is region.last_block:
            with self.expressions.scope():
                self.block(region.first_block)
            return
        self._dominator_tree(reverse_postorder(region))
        erase_unreachable_blocks(region)

    def _dominator_tree(self, order: list[Block]) -> None:
        numbers = {block: number for number, block in enumerate(order)}
        tree = DominatorTree([[numbers[s] for s in successors(block)] for block in order])
        children: list[list[int]] = [[] for _ in order]
        for number, parent in enumerate(tree.immediate[1:], 1):
            children[parent].append(number)
        e = self.expressions
        pending = [(e.enter(), iter([0]))]
        while pending:
            mark, rest = pending[-1]
            number = next(rest, None)
            if number is None:
                e.leave(mark)
                pending.pop()
            else:
                # What a block finds out holds in those that it dominates, not in its siblings.
                pending.append((e.enter(), iter(children[number])))
                self.block(order[number])

    def block(self, block: Block) -> None:
        """Walk the operations of a block."""
        op = block.first_op
        while op is not None:
            self.expressions.anchor = op
            following = op.next_op
            op = self._handler(type(op))(self, op) or following

    def _handler(self, op_type: type[Operation]) -> Handler:
        """The handler for operations of a type, or of one that it is derived from."""
        found = self._handlers.get(op_type)
        if found is None:
            bases = (t for t in op_type.__mro__ if t in self._handlers)
            found = self._handlers[op_type] = self._handlers.get(next(bases, op_type), other)
        return found

    def become(self, op: Operation, expression: Expression) -> None:
        """Replace `op` by what its only result is equal to."""
        self.changes += 1
        (result,) = op.results
        result.replace_all_uses_with(expression.value)
        _erase_unused(op)

    def merge(self, op: Operation, args: tuple[Expression, ...], key: Key) -> None:
        """Replace a pure operation by an earlier one that is equal to it, or record it."""
        found = self.expressions.find(key)
        if found is None:
            self.expressions.define(op.results[0], op.name, args, key)
            return
        self.expressions.merged += 1
        self.become(op, found)

    def replace_value(self, old: SSAValue, new: SSAValue) -> None:
        """Use `new` for a value that control flow hands on."""
        if old.first_use is not None:
            self.control_changes += 1
            old.replace_all_uses_with(new)


def other(walk: Walk, op: Operation) -> None:
    """An operation of which nothing is known: only what it contains is simplified."""
    walk.expressions.operands(op)
    if op.regions and not op.has_trait(IsolatedFromAbove):
        for region in op.regions:
            walk.region(region)


def _erase_unused(op: Operation) -> None:
    """Erase `op`, and what only it made use of."""
    pending = [op]
    while pending:
        current = pending.pop()
        block = current.parent
        if block is None:
            continue
        operands = tuple(current.operands)
        block.erase_op(current)
        for value in operands:
            # Not isinstance, which is slow for abstract classes.
            if value.first_use is None and type(value) is OpResult and _is_unused(value.op):
                pending.append(value.op)


def _is_unused(op: Operation) -> bool:
    # A constant may yet be needed, in place of a value that is known within a branch.
    if op.regions or isinstance(op, word.ConstantOp) or has_effects(type(op)):
        return False
    return all(result.first_use is None for result in op.results)
