"""Operations with a constant whose users can all take the constant themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.cfg import block_of
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.transforms.dead_code import eliminate_dead_code
from vliw_mlir.transforms.reassociation.places import Places
from vliw_mlir.transforms.rewriting import replace_op, uniform_constant

FUNCTIONS = ("xor", "add")
"""The functions whose constant can be absorbed. Both flip the lowest bit if it is odd."""


@dataclass(frozen=True)
class AbsorbConstants(ModulePass):
    """Remove `r ^ C` and `r + C` with several uses, if the users can take in the constant.

    `(r ^ C) ^ t` becomes `r ^ t'` for free when `t' = t ^ C` is computed outside of the loops
    around it, or when `t` is a selection of values from outside, each of which takes in `C`
    there. `(r ^ C) & 1` becomes `(r & 1) ^ (C & 1)`, a negation that costs what is saved, at
    worst, and nothing when selections and sums take it in (`simplify` does that). `reassociate`
    does the same for a value with one use.

    Works on the SSA level, best after loop-invariant code motion and `reassociate`, and before
    `simplify`. All users must be in the block of the value, and no more than one of them may
    need a negation. Takes time linear in the number of uses.

    Statistics: `num-absorbed`.
    """

    name = "absorb-constants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for function in op.ops:
            if not isinstance(function, FuncOp):
                continue
            absorber = _Absorber()
            for inner in list(function.body.walk()):
                if isinstance(inner, word.ArithmeticOp) and absorber.remove(inner):
                    statistics.count("num-absorbed")
            eliminate_dead_code(function.body)


_NAME = AbsorbConstants.name

Rewrite: TypeAlias = Callable[[], None]
"""Lets a user take in the constant."""

Take: TypeAlias = Callable[[Operation], SSAValue]
"""Computes a value joined with the constant, for use by an operation and in front of it."""

MAX_DEPTH = 8
"""How many selections and joins to look through."""


@dataclass
class _Absorber:
    """Removes operations of one function."""

    _places: Places = field(default_factory=Places)
    _outside: dict[tuple[Operation, str, SSAValue, int], SSAValue] = field(
        default_factory=dict[tuple[Operation, str, SSAValue, int], SSAValue]
    )
    """Values joined with a constant in front of a loop."""

    def remove(self, op: word.ArithmeticOp) -> bool:
        """Let the users of `op` take in its constant, if all can; whether they did."""
        name = op.function.name
        if name not in FUNCTIONS or not op.result.has_more_than_one_use():
            return False
        root, constant = op.operands[0], uniform_constant(op.operands[1])
        if constant is None or uniform_constant(root) is not None:
            return False
        taker = _Taker(self, op, name, root, constant)
        users = [use.operation for use in op.result.uses]
        rewrites: list[Rewrite] = []
        for user in users:
            rewrite = taker.rewrite(user)
            if rewrite is None:
                return False
            rewrites.append(rewrite)
        if taker.negations > 1 or taker.negations == len(users):
            return False
        remark(op, _NAME, f"constant taken in by {len(users)} users", RemarkKind.PASSED)
        for rewrite in rewrites:
            rewrite()
        return True

    def can_leave(self, value: SSAValue, block: Block | None) -> bool:
        """Whether `value` is a constant, or from outside of the innermost loop around `block`."""
        return (
            uniform_constant(value) is not None or self._depth(value) < self._places.of(block).depth
        )

    def joined(
        self, name: str, value: SSAValue, constant: int, block: Block | None, user: Operation
    ) -> SSAValue:
        """`value` joined with a constant, computed outside of all loops that it can leave."""
        loops = self._places.of(block).loops[self._depth(value) :]
        place = loops[0] if loops else user
        key = (place, name, value, constant)
        found = self._outside.get(key)
        if found is None:
            e = BeforeOp(place)
            found = self._outside[key] = e.function(name, value, e.splat(constant, value))
        return found

    def _depth(self, value: SSAValue) -> int:
        return self._places.of(block_of(value)).depth


@dataclass
class _Taker:
    """How users of `name(root, constant)`, which is `op`, take in the constant."""

    absorber: _Absorber
    op: word.ArithmeticOp
    name: str
    root: SSAValue
    constant: int
    negations: int = 0

    def rewrite(self, user: Operation) -> Rewrite | None:
        """How `user` is rewritten to use the root alone, None if it cannot be."""
        if not isinstance(user, word.ArithmeticOp) or user.parent is not self.op.parent:
            return None
        others = [v for v in user.operands if v is not self.op.result]
        if user.function.name == self.name and others:
            take = self._take(others[0])
            return None if take is None else lambda: self._rewrite_join(user, take)
        if user.function.name == "and" and others and uniform_constant(others[0]) == 1:
            self.negations += self.constant & 1
            return lambda: self._rewrite_low_bit(user)
        return None

    def _take(self, value: SSAValue, depth: int = 0) -> Take | None:
        """What computes `value` joined with the constant, None if that costs something here."""
        block = self.op.parent
        if self.absorber.can_leave(value, block):
            return lambda user: self.absorber.joined(self.name, value, self.constant, block, user)
        owner = value.owner if isinstance(value, OpResult) else None
        if not isinstance(owner, word.ArithmeticOp) or owner.parent is not block:
            return None
        if value.has_more_than_one_use() or depth == MAX_DEPTH:
            return None
        if isinstance(owner, word.SelectOp):
            return self._take_selection(owner, depth + 1)
        if owner.function.name == self.name:
            return self._take_join(owner, depth + 1)
        return None

    def _take_selection(self, op: word.SelectOp, depth: int) -> Take | None:
        on_true, on_false = self._take(op.on_true, depth), self._take(op.on_false, depth)
        if on_true is None or on_false is None:
            return None

        def select(user: Operation) -> SSAValue:
            arms = on_true(user), on_false(user)
            return BeforeOp(user).function("select", op.condition, *arms)

        return select

    def _take_join(self, op: word.ArithmeticOp, depth: int) -> Take | None:
        for value, other in (tuple(op.operands), tuple(op.operands)[::-1]):
            take = self._take(value, depth)
            if take is not None:
                name = self.name
                return lambda user: BeforeOp(user).function(name, other, take(user))
        return None

    def _rewrite_join(self, user: Operation, take: Take) -> None:
        replace_op(user, [BeforeOp(user).function(self.name, self.root, take(user))])

    def _rewrite_low_bit(self, user: Operation) -> None:
        e = BeforeOp(user)
        one = e.splat(1, self.root)
        bit = e.function("and", self.root, one)
        replace_op(user, [e.function("xor", bit, one) if self.constant & 1 else bit])
