"""Values by their affine forms over booleans: finding them again, and computing them cheaply."""

from __future__ import annotations

from collections.abc import Collection, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from math import gcd
from typing import TypeAlias

from xdsl.ir import Attribute, Block, Operation, SSAValue

from vliw_mlir.analysis.boolean_forms import BooleanForm, BooleanForms
from vliw_mlir.analysis.costs import function_cycles
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.semantics import WORD_MASK, to_signed
from vliw_mlir.target import Target

MAX_DEPTH = 4
"""How many operations back it is looked at what is needed no more."""

MAX_USERS = 16
"""How many users of a value are looked at."""

_Key: TypeAlias = "tuple[Attribute, BooleanForm]"


class FormValues:
    """The values that are available while a function is gone through and changed, by form."""

    def __init__(self, forms: BooleanForms, target: Target):
        self._forms = forms
        self._target = target
        # For each new value one that it is equal to, of which the analyses know; the forms of
        # those that are equal to none; and what has been replaced by what.
        self._original: dict[SSAValue, SSAValue] = {}
        self._made: dict[SSAValue, BooleanForm] = {}
        self._replaced: dict[SSAValue, SSAValue] = {}
        # The first available value of each form, and those that the open scopes have added.
        self._available: dict[_Key, SSAValue] = {}
        self._offered: list[_Key] = []

    def original(self, value: SSAValue) -> SSAValue:
        """The value that was there at the time of the analyses and that `value` is equal to."""
        return self._original.get(value, value)

    def let_stand_for(self, new: SSAValue, old: SSAValue) -> None:
        """Let the new value `new` be known to be equal to `old`."""
        self._original[new] = self.original(old)

    def replace(self, old: SSAValue, new: SSAValue) -> None:
        """Let `new` be used instead of `old`."""
        self._replaced[old] = new
        old.replace_all_uses_with(new)
        self.offer(new)

    def of(self, value: SSAValue) -> BooleanForm | None:
        """The form of a value."""
        made = self._made.get(value)
        return self._forms.of(self.original(value)) if made is None else made

    @contextmanager
    def scope(self, block: Block) -> Generator[None]:
        """While it is open, values that are offered are available; `block` is gone through."""
        available, offered = self._available, len(self._offered)
        region = block.parent
        if region is None or region.blocks.first is not region.blocks.last:
            # Values of other blocks of a control-flow graph need not be available.
            self._available = {}
        try:
            yield
        finally:
            for key in self._offered[offered:]:
                del self._available[key]
            del self._offered[offered:]
            self._available = available

    def offer(self, value: SSAValue) -> None:
        """Make a value available that is in use, unless there is another one of its form."""
        form = self.of(value)
        if form is None or form.is_constant or value.first_use is None:
            return
        key = (value.type, form)
        if key not in self._available:
            self._available[key] = value
            self._offered.append(key)

    def earlier(self, value: SSAValue) -> SSAValue | None:
        """An available value with the same form."""
        form = self.of(value)
        return None if form is None else self._available.get((value.type, form))

    def cheaper(self, op: word.ArithmeticOp) -> SSAValue | None:
        """The result of `op`, computed from booleans in front of it where that is cheaper."""
        form = self.of(op.result)
        if form is None or form.is_constant:
            return None
        plan = self._plan(form, op.result.type)
        if plan is None or op.result in plan.uses:
            return None
        vector = word.lanes_of(op.result.type) is not None
        new = plan.cycles(self._target, vector)
        replaced = self._needed_for(op, plan.uses)
        old = sum(function_cycles(self._target, x.function.name, vector=vector) for x in replaced)
        operands = {
            operand for x in replaced for operand in x.operands if not _is_constant(operand)
        }
        # Without gain in cycles, it may still come from values that are there earlier, or have
        # its constant added last: what comes next starts from the sum without it.
        is_same = operands <= {*plan.uses, *(x.result for x in replaced)}
        is_last = plan.base is None or not plan.constant or _adds_constant(op)
        if new > old or (new == old and is_same and is_last) or new == float("inf"):
            return None
        return self._compute(plan, op)

    # Plans

    def _plan(self, form: BooleanForm, type: Attribute) -> _Plan | None:
        """How to compute a form from available values of a type."""
        number, coefficient = form.terms[-1]
        boolean = self._boolean(number)
        if boolean.type != type:
            return None
        if len(form.terms) == 1:
            return _Plan(boolean, coefficient, form.constant)
        # The sum without the constant, of which the youngest boolean is added, not subtracted.
        sign = 1 if to_signed(coefficient) > 0 else -1
        total = BooleanForm(0, form.scaled(sign).terms)
        for factor, candidate in ((sign, total), (-sign, total.scaled(-1))):
            value = self._available.get((type, candidate))
            if value is not None:
                return _Plan(value, factor, form.constant)
        if total.terms[-1][1] != 1:
            return None
        older = BooleanForm(0, total.terms[:-1])
        for factor in _common_factors(older):
            base = self._value_of(_divided(older, factor), type)
            if base is not None:
                return _Plan(boolean, sign, form.constant, base, factor, total)
        return None

    def _value_of(self, form: BooleanForm, type: Attribute) -> SSAValue | None:
        """The boolean that a form without constant is, or an available value."""
        if len(form.terms) == 1 and form.terms[0][1] == 1:
            boolean = self._boolean(form.terms[0][0])
            return boolean if boolean.type == type else None
        return self._available.get((type, form))

    def _boolean(self, number: int) -> SSAValue:
        boolean = self._forms.booleans[number]
        return self._replaced.get(boolean, boolean)

    def _needed_for(
        self, op: word.ArithmeticOp, kept: Collection[SSAValue], depth: int = 0
    ) -> list[word.ArithmeticOp]:
        """`op` and what is computed in its block for it alone, except for values to be kept."""
        needed = [op]
        for operand in dict.fromkeys(op.operands) if depth < MAX_DEPTH else ():
            inner = operand.owner
            if not isinstance(inner, word.ArithmeticOp) or operand in kept:
                continue
            if inner.parent is op.parent and _is_only_used_by(operand, op):
                needed += self._needed_for(inner, kept, depth + 1)
        return needed

    def _compute(self, plan: _Plan, op: word.ArithmeticOp) -> SSAValue:
        e = BeforeOp(op)
        value = plan.value
        if plan.base is not None:
            value = _multiply_add(e, self._target, plan.base, plan.base_factor, value)
            assert plan.total is not None
            self._made[value] = plan.total
        result = _affine(e, self._target, value, plan.factor, plan.constant)
        if result is not value:
            self.offer(value)
        return result


def _is_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, word.ConstantOp)


def _adds_constant(op: word.ArithmeticOp) -> bool:
    return op.function.name in ("add", "sub") and any(map(_is_constant, op.operands))


def _is_only_used_by(value: SSAValue, op: Operation) -> bool:
    """Whether no other operation uses a value but those that have been replaced."""
    users = [use.operation for use in islice(value.uses, MAX_USERS + 1)]
    return len(users) <= MAX_USERS and all(user is op or _is_unused(user) for user in users)


def _is_unused(op: Operation) -> bool:
    return isinstance(op, word.ArithmeticOp) and op.result.first_use is None


@dataclass(frozen=True)
class _Plan:
    """Compute `(base * base_factor + value) * factor + constant`, without base `value` alone."""

    value: SSAValue
    factor: int
    constant: int
    base: SSAValue | None = None
    base_factor: int = 0
    total: BooleanForm | None = None
    """The form of the inner sum."""

    @property
    def uses(self) -> list[SSAValue]:
        return [self.value] if self.base is None else [self.base, self.value]

    def cycles(self, target: Target, vector: bool) -> float:
        functions = _affine_functions(target, vector, self.factor, self.constant)
        if self.base is not None:
            functions += _multiply_add_functions(target, vector, self.base_factor)
        return sum(function_cycles(target, name, vector=vector) for name in functions)


def _common_factors(form: BooleanForm) -> list[int]:
    """The factors that may be taken out of a form, the largest one first."""
    common = gcd(*(to_signed(coefficient) for _, coefficient in form.terms))
    factors = [common, *(f for f in (2, 1) if f < common and common % f == 0)]
    return [sign * factor for factor in factors for sign in (1, -1)]


def _divided(form: BooleanForm, factor: int) -> BooleanForm:
    """The form that, times `factor`, is `form`; the factor is a common one."""
    terms = ((number, to_signed(coefficient) // factor) for number, coefficient in form.terms)
    return BooleanForm(0, tuple((number, quotient & WORD_MASK) for number, quotient in terms))


# Emission: `x * factor + constant`, and `x * factor + y`. Factors count modulo 2**32.


def _affine_functions(target: Target, vector: bool, factor: int, constant: int) -> list[str]:
    if factor & WORD_MASK == 1:
        return ["add"] if constant else []
    if factor & WORD_MASK == WORD_MASK:
        return ["sub"]
    if constant == 0:
        return ["mul"]
    return _multiply_add_functions(target, vector, factor)


def _multiply_add_functions(target: Target, vector: bool, factor: int) -> list[str]:
    if factor & WORD_MASK == 1:
        return ["add"]
    if factor & WORD_MASK == WORD_MASK:
        return ["sub"]
    fused = function_cycles(target, "multiply_add", vector=vector)
    apart = sum(function_cycles(target, name, vector=vector) for name in ("mul", "add"))
    return ["multiply_add"] if fused < apart else ["mul", "add"]


def _affine(e: BeforeOp, target: Target, x: SSAValue, factor: int, constant: int) -> SSAValue:
    vector = word.lanes_of(x.type) is not None
    match _affine_functions(target, vector, factor, constant):
        case []:
            return x
        case ["mul"]:
            return e.function("mul", x, e.splat(factor, x))
        case _:
            return _multiply_add(e, target, x, factor, e.splat(constant, x))


def _multiply_add(e: BeforeOp, target: Target, x: SSAValue, factor: int, y: SSAValue) -> SSAValue:
    vector = word.lanes_of(x.type) is not None
    match _multiply_add_functions(target, vector, factor):
        case ["add"]:
            return e.function("add", x, y)
        case ["sub"]:
            return e.function("sub", y, x)
        case ["multiply_add"]:
            return e.function("multiply_add", x, e.splat(factor, x), y)
        case _:
            return e.function("add", e.function("mul", x, e.splat(factor, x)), y)
