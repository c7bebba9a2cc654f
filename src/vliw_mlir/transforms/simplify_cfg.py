"""Simplification of the graph of blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import cf
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.cfg import edges, reverse_postorder, successors
from vliw_mlir.analysis.loops import constant_word
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.instrument import Statistics
from vliw_mlir.transforms.rewriting import erase_unreachable_blocks, replace_op

MOST_SELECTS = 2
"""How many arguments may differ between two branches to one block that become one branch."""


@dataclass(frozen=True)
class SimplifyCfg(ModulePass):
    """Simplify the blocks of functions and the branches between them.

    - A branch with a constant condition, or to one block with the same arguments on both sides,
      becomes a jump; so does one to one block with at most two arguments that differ, which are
      selected then.
    - A branch to a block that does nothing but branch on goes to where that leads, if this is
      known on the way: from constants for the block's arguments, or as the same condition was
      tested before (jump threading).
    - A test whether two words are not equal is one of their `xor`.
    - A block joins the one before if there is no other way from there or to it.
    - An argument that is the same value on all ways becomes that value.
    - Blocks that cannot be reached go.

    Expects the SSA level; structured control flow stays. Repeated while something changes, each
    time linear in the size of the function. Statistics: `num-folded`, `num-threaded`,
    `num-merged`, `num-arguments`, `num-unreachable`.
    """

    name = "simplify-cfg"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        regions = [region for inner in op.walk() for region in inner.regions]
        for region in regions:
            if region.first_block is not region.last_block:
                _Simplifier(region, statistics).run()


_BRANCHES = (cf.BranchOp, cf.ConditionalBranchOp)

Edge: TypeAlias = tuple[Block, Sequence[SSAValue]]
"""Where a branch leads, and what the arguments of that block become."""


@dataclass
class _Simplifier:
    region: Region
    statistics: Statistics

    def run(self) -> None:
        steps = (self._drop_unreachable, self._branches, self._arguments, self._merge)
        while sum(step() for step in steps):
            pass

    # Each step tells whether it has changed anything.

    def _drop_unreachable(self) -> bool:
        return self._count("num-unreachable", erase_unreachable_blocks(self.region))

    def _branches(self) -> bool:
        threaded = folded = 0
        # Backwards, so that where a block leads is simple already.
        for block in reversed(reverse_postorder(self.region)):
            branch = block.last_op
            if isinstance(branch, _BRANCHES):
                folded += _fold(branch) or _simplify_test(branch)
                threaded += _thread(block)
        self._count("num-folded", folded)
        self._count("num-threaded", threaded)
        return folded + threaded > 0

    def _arguments(self) -> bool:
        incoming: dict[Block, list[Block]] = {}
        for block in self.region.blocks:
            for successor in dict.fromkeys(successors(block)):
                incoming.setdefault(successor, []).append(block)
        found = sum(_drop_arguments(block, before) for block, before in incoming.items())
        return self._count("num-arguments", found)

    def _merge(self) -> bool:
        order = reverse_postorder(self.region)
        ways = Counter(successor for block in order for successor in successors(block))
        merged = 0
        gone: set[Block] = set()
        for block in order:
            while block not in gone and (following := _only_successor(block)) is not None:
                is_entry = following is self.region.first_block
                if ways[following] != 1 or following is block or is_entry:
                    break
                _join(block, following)
                gone.add(following)
                merged += 1
        for block in gone:
            self.region.erase_block(block)
        return self._count("num-merged", merged)

    def _count(self, name: str, number: int) -> bool:
        self.statistics.count(name, number)
        return number > 0


def _only_successor(block: Block) -> Block | None:
    last = block.last_op
    return last.successor if isinstance(last, cf.BranchOp) else None


def _join(block: Block, following: Block) -> None:
    """Move what is in `following` to the end of `block`, which jumps there."""
    jump = block.last_op
    assert isinstance(jump, cf.BranchOp)
    for argument, value in zip(following.args, jump.arguments, strict=True):
        value.name_hint = value.name_hint or argument.name_hint
        argument.replace_all_uses_with(value)
    block.erase_op(jump)
    for op in list(following.ops):
        op.detach()
        block.add_op(op)


# Branches


def _replace_branch(old: Operation, new: Operation) -> None:
    BeforeOp(old).append(new)
    block = old.parent
    assert block is not None
    block.erase_op(old)


def _replace_ways(branch: Operation, ways: Sequence[Edge]) -> None:
    """Let a branch lead elsewhere, or pass other values."""
    if isinstance(branch, cf.ConditionalBranchOp):
        (then, then_args), (otherwise, else_args) = ways
        made = cf.ConditionalBranchOp(branch.cond, then, then_args, otherwise, else_args)
        _replace_branch(branch, made)
        return
    [(block, arguments)] = ways
    _replace_branch(branch, cf.BranchOp(block, *arguments))


def _fold(branch: cf.BranchOp | cf.ConditionalBranchOp) -> bool:
    """Make a jump of a branch whose way is known, or that leads to one block anyway."""
    if not isinstance(branch, cf.ConditionalBranchOp):
        return False
    then, otherwise = edges(branch)
    condition = _known(branch.cond)
    if condition is not None:
        block, arguments = then if condition else otherwise
    elif then[0] is otherwise[0]:
        block, arguments = then[0], _selected(branch)
    else:
        return False
    if arguments is None:
        return False
    _replace_branch(branch, cf.BranchOp(block, *arguments))
    return True


def _simplify_test(branch: cf.BranchOp | cf.ConditionalBranchOp) -> bool:
    """Let a branch test `x ^ y` instead of `(x == y) ^ 1`."""
    test = branch.cond.owner if isinstance(branch, cf.ConditionalBranchOp) else None
    if not isinstance(test, word.TestOp):
        return False
    negation = test.word.owner
    if not isinstance(negation, word.XorOp) or constant_word(negation.operands[1]) != 1:
        return False
    equal = negation.operands[0].owner
    if not isinstance(equal, word.CmpOp) or equal.function.name != "eq":
        return False
    here = BeforeOp(test)
    different = here.function("xor", *equal.operands)
    replace_op(test, [here.emit(word.TestOp(different))])
    return True


def _known(condition: SSAValue) -> bool | None:
    """What a condition is, if it tests a constant."""
    test = condition.owner
    value = constant_word(test.word) if isinstance(test, word.TestOp) else None
    return None if value is None else value != 0


def _selected(branch: cf.ConditionalBranchOp) -> list[SSAValue] | None:
    """The arguments of a branch that leads to one block on both sides, selected where they
    differ; None if that would take too much."""
    pairs = list(zip(branch.then_arguments, branch.else_arguments, strict=True))
    different = [a for a, b in pairs if a is not b]
    test = branch.cond.owner
    if not different:
        return list(branch.then_arguments)
    if len(different) > MOST_SELECTS or not isinstance(test, word.TestOp):
        return None
    if any(value.type != i32 for value in different):
        return None
    here = BeforeOp(branch)
    return [a if a is b else here.function("select", test.word, a, b) for a, b in pairs]


def _thread(block: Block) -> bool:
    """Let the branch at the end of a block go past blocks that only branch on."""
    branch = block.last_op
    assert branch is not None
    old = edges(branch)
    if isinstance(branch, cf.ConditionalBranchOp):
        word_ = _tested(branch.cond)
        new = [_follow(edge, block, {word_: way}) for edge, way in zip(old, (1, 0), strict=True)]
    else:
        new = [_follow(edge, block, {}) for edge in old]
    if all(a is b for a, b in zip(old, new, strict=True)):
        return False
    _replace_ways(branch, new)
    return True


def _tested(condition: SSAValue) -> SSAValue:
    """The word that a condition tests; the condition itself if it is none of those."""
    test = condition.owner
    return test.word if isinstance(test, word.TestOp) else condition


def _follow(edge: Edge, start: Block, truths: dict[SSAValue, int]) -> Edge:
    """Where an edge from the block `start` leads in the end.

    `truths` are words, and conditions, of which it is known whether they are zero.
    """
    current = edge
    seen: set[Block] = set()
    while current[0] is not start:
        if current[0] in seen:
            # Around and around: nothing else ever happens there.
            return edge
        seen.add(current[0])
        following = _past(*current, truths)
        if following is None:
            break
        current = following
    return current


def _past(block: Block, arguments: Sequence[SSAValue], truths: dict[SSAValue, int]) -> Edge | None:
    """Where a block leads with some arguments if it only branches on; None if it does more, or
    that is not known."""
    branch = block.last_op
    if not isinstance(branch, _BRANCHES):
        return None
    test = branch.prev_op
    if test is not None and (not isinstance(test, word.TestOp) or test.prev_op is not None):
        return None
    values = (*block.args, *(test.results if test is not None else ()))
    if any(use.operation.parent is not block for value in values for use in value.uses):
        return None
    given: dict[SSAValue, SSAValue] = dict(zip(block.args, arguments, strict=True))
    ways = edges(branch)
    if isinstance(branch, cf.ConditionalBranchOp):
        tested = _tested(branch.cond)
        tested = _tested(given.get(tested, tested))
        truth = constant_word(tested)
        truth = truths.get(tested) if truth is None else truth
        if truth is None:
            return None
        ways = [ways[0] if truth else ways[1]]
    [(following, passed)] = ways
    if any(value in values and value not in given for value in passed):
        return None
    return following, [given.get(value, value) for value in passed]


# Arguments


def _drop_arguments(block: Block, before: Sequence[Block]) -> int:
    """Replace arguments of a block that have one value only; their number.

    `before` are the blocks that lead to it.
    """
    if block.parent is None or block is block.parent.first_block:
        return 0
    branches = [op for b in before if isinstance(op := b.last_op, _BRANCHES)]
    if len(branches) < len(before):
        return 0
    numbers: list[int] = []
    for number, argument in enumerate(block.args):
        value = _only_value(block, number, branches)
        if value is not None:
            argument.replace_all_uses_with(value)
            numbers.append(number)
    for branch in branches if numbers else ():
        _replace_ways(branch, [_without(edge, block, numbers) for edge in edges(branch)])
    for number in reversed(numbers):
        block.erase_arg(block.args[number])
    return len(numbers)


def _only_value(block: Block, number: int, branches: Sequence[Operation]) -> SSAValue | None:
    """What an argument is, whichever way the block is reached; None if that is not one value."""
    ways = [arguments for op in branches for target, arguments in edges(op) if target is block]
    found = {arguments[number] for arguments in ways} - {block.args[number]}
    return found.pop() if len(found) == 1 else None


def _without(edge: Edge, block: Block, numbers: Sequence[int]) -> Edge:
    """An edge that does not pass some arguments if it leads to `block`."""
    target, values = edge
    if target is not block:
        return edge
    return target, [value for n, value in enumerate(values) if n not in numbers]
