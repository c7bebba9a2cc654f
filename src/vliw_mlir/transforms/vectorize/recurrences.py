"""What a loop carries from one iteration to the next, by how iterations can run side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TypeAlias

from xdsl.dialects import scf
from xdsl.dialects.builtin import i32
from xdsl.ir import BlockArgument, Operation, SSAValue

from vliw_mlir.analysis.affine import AffineForms
from vliw_mlir.analysis.cfg import terminator
from vliw_mlir.analysis.loops import constant_bounds, constant_signed, counter_of
from vliw_mlir.analysis.refine import NEGATED
from vliw_mlir.dialects import word
from vliw_mlir.semantics import REDUCTIONS, SIGN_BIT, to_signed
from vliw_mlir.transforms.vectorize.reductions import reduction_function
from vliw_mlir.transforms.vectorize.shapes import Illegal


@dataclass(frozen=True)
class Reduction:
    """A value that every iteration only combines something into."""

    number: int
    """Which of the carried values."""
    function: str


@dataclass(frozen=True)
class Best:
    """Values that are chosen anew, all at once, whenever a key is better than the best so far,
    or whenever a condition holds. Only the choice itself looks at them.

    Choosing per lane, and then among lanes, gives the same, if of equal keys the first or last
    one wins that did before.
    """

    numbers: tuple[int, ...]
    """The carried values."""
    condition: SSAValue
    """A word that says whether this iteration is chosen."""
    if_true: bool
    """Whether it is chosen if the condition holds, or if it does not."""
    key: int | None = None
    """The carried value that is the best key so far; None if there are no keys."""
    better: str | None = None
    """The strict order of keys: the function that tells that the first of two is better."""
    last: bool = True
    """Whether the last of equal keys is chosen, or the first."""
    place: int | None = None
    """The carried value that grows, as a signed number, from each choice to the next. If the
    last of equal keys is chosen, it is never the least number."""

    @property
    def needs_place(self) -> bool:
        """Whether something is chosen that depends on which of equal keys it is chosen with."""
        return self.numbers != (self.key,)


@dataclass(frozen=True)
class Scan:
    """A value into which every iteration combines something, and that is used on the way."""

    number: int
    function: str
    argument: SSAValue
    """The carried value as the body sees it."""
    chain: tuple[word.BinaryOp, ...]
    """The operations that combine something into it, from first to last."""

    @property
    def inputs(self) -> list[SSAValue]:
        """What an iteration combines into it."""
        values: list[SSAValue] = []
        before = self.argument
        for op in self.chain:
            values.append(op.rhs if op.lhs is before else op.lhs)
            before = op.result
        return values

    @property
    def done(self) -> list[word.BinaryOp]:
        """The last operations of the chain: those that only serve to get its result."""
        only = takewhile(lambda op: op.result.has_one_use(), reversed(self.chain[:-1]))
        return [self.chain[-1], *only]

    @property
    def needs_argument(self) -> bool:
        """Whether what there was before the iteration is needed besides the result."""
        return len(self.done) < len(self.chain) or not self.argument.has_one_use()


@dataclass(frozen=True)
class Previous:
    """What the iteration before has computed, not from itself."""

    number: int
    value: SSAValue


Recurrence: TypeAlias = Reduction | Best | Scan | Previous


def find_recurrences(loop: scf.ForOp) -> list[Recurrence]:
    """What each of the values is that `loop` carries.

    A value that can depend on itself in any other way counts as `Previous`: that shows when
    operations are put in order. Raises `Illegal` if other values than words are carried.
    """
    if any(value.type != i32 for value in loop.iter_args):
        raise Illegal("it carries other values than words")
    found: list[Recurrence] = list(_find_best(loop))
    taken = {number for group in found if isinstance(group, Best) for number in group.numbers}
    for number in range(len(loop.iter_args)):
        if number in taken:
            continue
        function = reduction_function(loop, number)
        if function is not None:
            found.append(Reduction(number, function))
        else:
            found.append(_find_scan(loop, number) or Previous(number, _yielded(loop, number)))
    return found


def numbers_of(recurrence: Recurrence) -> tuple[int, ...]:
    """The carried values that a recurrence is about."""
    return recurrence.numbers if isinstance(recurrence, Best) else (recurrence.number,)


def _yielded(loop: scf.ForOp, number: int) -> SSAValue:
    return terminator(loop.body).operands[number]


def _carried(loop: scf.ForOp, number: int) -> SSAValue:
    return loop.body.block.args[1 + number]


def _users(value: SSAValue) -> set[Operation]:
    return {use.operation for use in value.uses}


# Scans


def _find_scan(loop: scf.ForOp, number: int) -> Scan | None:
    last = _yielded(loop, number).owner
    if not isinstance(last, word.BinaryOp) or last.FUNCTION not in REDUCTIONS:
        return None
    argument = _carried(loop, number)
    chain = _chain(argument, last)
    return Scan(number, last.FUNCTION, argument, tuple(chain)) if chain else None


def _chain(start: SSAValue, last: word.BinaryOp) -> list[word.BinaryOp]:
    """Operations of one function that lead from `start` to the result of `last`; empty if
    there are none."""
    came_from: dict[word.BinaryOp, word.BinaryOp | None] = {last: None}
    pending = [last]
    while pending:
        op = pending.pop()
        if start in op.operands:
            return list(_follow(op, came_from))
        for value in op.operands:
            before = value.owner
            if not isinstance(before, word.BinaryOp) or before.FUNCTION != last.FUNCTION:
                continue
            if before not in came_from and before.parent is last.parent:
                came_from[before] = op
                pending.append(before)
    return []


def _follow(
    op: word.BinaryOp | None, following: dict[word.BinaryOp, word.BinaryOp | None]
) -> Iterator[word.BinaryOp]:
    while op is not None:
        yield op
        op = following[op]


# Choices


@dataclass(frozen=True)
class _Choice:
    """A carried value that becomes another one under a condition."""

    number: int
    op: word.SelectOp
    value: SSAValue
    if_true: bool


_SWAPPED = {
    "ult": "ugt",
    "ule": "uge",
    "ugt": "ult",
    "uge": "ule",
    "slt": "sgt",
    "sle": "sge",
    "sgt": "slt",
    "sge": "sle",
}
"""The comparisons that can be between keys, each with what it is when operands trade places."""

_STRICT = {"ule": "ult", "uge": "ugt", "sle": "slt", "sge": "sgt"}

_EXTREMES = {"ult": "minu", "ugt": "maxu", "slt": "mins", "sgt": "maxs"}
"""The better one of two keys, by the strict order of keys."""


def _find_best(loop: scf.ForOp) -> Iterator[Best]:
    """Groups of carried values that are chosen together."""
    groups: dict[tuple[SSAValue, bool], list[_Choice]] = {}
    for number in range(len(loop.iter_args)):
        choice = _choice(loop, number)
        if choice is not None:
            groups.setdefault((choice.op.condition, choice.if_true), []).append(choice)
    for (condition, if_true), choices in groups.items():
        numbers = tuple(choice.number for choice in choices)
        best = _with_key(Best(numbers, condition, if_true), choices, loop)
        if best is None or not _is_alone(best, loop):
            continue
        best = replace(best, place=_place(best, choices, loop))
        if best.place is not None or not best.last or _grows(counter_of(loop), loop):
            yield best


def _choice(loop: scf.ForOp, number: int) -> _Choice | None:
    """How a carried value is chosen, if it is."""
    carried, op = _carried(loop, number), _yielded(loop, number).owner
    if not isinstance(op, word.SelectOp) or op.parent is not loop.body.block:
        return None
    if carried is op.on_false:
        return _Choice(number, op, op.on_true, True)
    return _Choice(number, op, op.on_false, False) if carried is op.on_true else None


def _with_key(best: Best, choices: Sequence[_Choice], loop: scf.ForOp) -> Best | None:
    """`best` with what the condition compares, if it compares keys."""
    op = best.condition.owner
    arguments = loop.body.block.args[1:]
    if not isinstance(op, word.CmpOp) or not {op.lhs, op.rhs} & set(arguments):
        return best
    predicate = str(op.predicate.data)
    new, old = op.lhs, op.rhs
    if old not in arguments:
        new, old, predicate = old, new, _SWAPPED.get(predicate, predicate)
    if not best.if_true:
        predicate = NEGATED[predicate]
    if predicate not in _SWAPPED or not isinstance(old, BlockArgument):
        return None
    better = _STRICT.get(predicate, predicate)
    key = old.index - 1
    chosen = {choice.number: choice.value for choice in choices}
    if key in chosen and chosen[key] is not new:
        return None
    if key not in chosen and not _is_extreme(_yielded(loop, key), _EXTREMES[better], new, old):
        return None
    numbers = tuple(sorted({*best.numbers, key}))
    return replace(best, numbers=numbers, key=key, better=better, last=predicate != better)


def _is_extreme(value: SSAValue, function: str, a: SSAValue, b: SSAValue) -> bool:
    op = value.owner
    if not isinstance(op, word.BinaryOp) or op.function.name != function:
        return False
    return {*op.operands} == {a, b}


def _is_alone(best: Best, loop: scf.ForOp) -> bool:
    """Whether nothing but the choice sees what has been chosen so far."""
    end = terminator(loop.body)
    updates = {number: end.operands[number] for number in best.numbers}
    owners = {value.owner for value in updates.values()}
    if best.key is not None and not _users(best.condition) <= owners:
        return False
    for number, value in updates.items():
        allowed = {value.owner, best.condition.owner if number == best.key else value.owner}
        if not value.has_one_use() or not _users(_carried(loop, number)) <= allowed:
            return False
    return True


def _place(best: Best, choices: Sequence[_Choice], loop: scf.ForOp) -> int | None:
    """A chosen value that grows with the iterations."""
    for choice in choices:
        is_counter = choice.value is counter_of(loop) and not best.last
        if choice.number != best.key and (is_counter or _grows(choice.value, loop)):
            return choice.number
    return None


def _grows(value: SSAValue, loop: scf.ForOp) -> bool:
    """Whether `value`, as a signed number more than the least, is larger in each iteration
    than in the one before."""
    counter, bounds = counter_of(loop), constant_bounds(loop)
    if value is counter:
        low = constant_signed(loop.lb)
        return low is not None and low > -SIGN_BIT
    form = AffineForms().of(value)
    factor = form.coefficient(counter)
    if bounds is None or bounds.trips == 0 or factor <= 0 or set(form.terms) != {counter}:
        return False
    constant = to_signed(form.constant)
    low, high = bounds.low * factor + constant, bounds.last * factor + constant
    return low > -SIGN_BIT and high < SIGN_BIT
