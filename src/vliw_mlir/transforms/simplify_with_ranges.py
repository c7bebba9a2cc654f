"""Simplification by what is known of the words that values can be."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.boolean_forms import DEFAULT_MAX_TERMS, BooleanForm, BooleanForms
from vliw_mlir.analysis.costs import function_cycles
from vliw_mlir.analysis.entry_loads import sharp_ranges
from vliw_mlir.analysis.word_sets import WordSet
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.semantics import WORD_MASK
from vliw_mlir.target import Target


@dataclass(frozen=True)
class SimplifyWithRanges(ModulePass):
    """Use ranges, known bits and affine forms over booleans to make values simpler.

    - An operand that can only be one word becomes a constant: comparisons decided by ranges,
      shifts that leave nothing, loads of what never changes.
    - An operation that has no effect on what its operand can be goes: masks of bits that are
      not there, remainders of less than the divisor, decided selections and extremes.
    - Signed operations of words whose signs are known become unsigned; `or` and `xor` of words
      without a common bit become sums, which fuse with more.
    - A value that is affine over booleans is computed from the boolean itself where that takes
      one operation that is not dearer: `select(b == 0, 1, 2)` becomes `1 + b`. A value with the
      same form as an earlier one is replaced by it.

    Expects the SSA level. Leaves operations without use and conditions that are constants to
    `simplify`, and control flow alone. Takes linear time.

    Statistics: `num-constants`, `num-simplified`, `num-by-form`, `num-same-form`.
    """

    name = "simplify-with-ranges"

    max_terms: int = DEFAULT_MAX_TERMS
    """The most booleans in an affine form."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                _Simplifier(func, self.max_terms, statistics).run()


_PASSED = RemarkKind.PASSED


class _Simplifier:
    def __init__(self, func: FuncOp, max_terms: int, statistics: Statistics):
        self._func = func
        self._statistics = statistics
        self._target = target_of(func)
        self._ranges = sharp_ranges(func)
        self._forms = BooleanForms(func, self._ranges, max_terms)
        # What more is known in the regions that are being gone through.
        self._refined: dict[SSAValue, WordSet] = {}
        # What has been replaced by what; and for each new value one that it is equal to, of
        # which the analyses know.
        self._replaced: dict[SSAValue, SSAValue] = {}
        self._original: dict[SSAValue, SSAValue] = {}
        # The first available value of each form, and those that the open scopes have added.
        self._by_form: dict[tuple[Attribute, BooleanForm], SSAValue] = {}
        self._offered: list[tuple[Attribute, BooleanForm]] = []

    def run(self) -> None:
        for block in self._func.body.blocks:
            self._block(block)

    def known(self, value: SSAValue) -> WordSet:
        """What a value can be here."""
        value = self._original.get(value, value)
        return self._refined.get(value) or self._forms.set_of(value)

    # Walking

    def _block(self, block: Block) -> None:
        with self._scope(block):
            for arg in block.args:
                self._offer(arg)
            for op in list(block.ops):
                self._operation(op)

    @contextmanager
    def _scope(self, block: Block) -> Generator[None]:
        """Let hold what is known in a block and which values are available, until its end."""
        refined, by_form, offered = self._refined, self._by_form, len(self._offered)
        self._refined = refined | self._ranges.refinements(block)
        region = block.parent
        if region is None or region.blocks.first is not region.blocks.last:
            # Values of other blocks of a control-flow graph need not be available.
            self._by_form = {}
        try:
            yield
        finally:
            for key in self._offered[offered:]:
                del self._by_form[key]
            del self._offered[offered:]
            self._refined, self._by_form = refined, by_form

    def _operation(self, op: Operation) -> None:
        self._use_constants(op)
        if isinstance(op, word.ArithmeticOp) and op.result.first_use is not None:
            self._arithmetic(op)
        for region in op.regions:
            for block in region.blocks:
                self._block(block)
        for result in op.results:
            self._offer(result)

    def _use_constants(self, op: Operation) -> None:
        for number, operand in enumerate(op.operands):
            known = self.known(operand)
            if known.lo != known.hi or isinstance(operand.owner, word.ConstantOp):
                continue
            constant = BeforeOp(op).splat(known.lo, operand)
            self._original[constant] = self._original.get(operand, operand)
            op.operands[number] = constant
            self._statistics.count("num-constants")
            remark(op, SimplifyWithRanges.name, f"operand {number} is always {known}", _PASSED)

    def _arithmetic(self, op: word.ArithmeticOp) -> None:
        operands = [self.known(operand) for operand in op.operands]
        rule, last = _RULES.get(op.function.name), op.prev_op
        by, counter = None, "num-simplified"
        if rule is not None:
            by = rule(BeforeOp(op), op, *operands)
        if by is None:
            by, counter = self._by_earlier_form(op), "num-same-form"
        if by is None:
            by, counter = self._from_boolean(op), "num-by-form"
        if by is None:
            return
        self._statistics.count(counter)
        remark(
            op,
            SimplifyWithRanges.name,
            lambda: f"simplified '{op.function.name}' of {', '.join(map(str, operands))}",
            _PASSED,
        )
        if op.prev_op is not last:
            # It is computed by a new operation.
            self._original[by] = op.result
        self._replace(op.result, by)

    def _replace(self, old: SSAValue, new: SSAValue) -> None:
        self._replaced[old] = new
        if new.name_hint is None:
            new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
        self._offer(new)

    # Affine forms

    def _form(self, value: SSAValue) -> BooleanForm | None:
        form = self._forms.of(self._original.get(value, value))
        return form if form is not None and form.terms else None

    def _offer(self, value: SSAValue) -> None:
        """Let later values with the same form be replaced by this one."""
        form = self._form(value)
        key = (value.type, form) if form is not None else None
        if key is not None and key not in self._by_form and value.first_use is not None:
            self._by_form[key] = value
            self._offered.append(key)

    def _by_earlier_form(self, op: word.ArithmeticOp) -> SSAValue | None:
        form = self._form(op.result)
        return None if form is None else self._by_form.get((op.result.type, form))

    def _from_boolean(self, op: word.ArithmeticOp) -> SSAValue | None:
        """Compute a function of one boolean from that boolean, if it is not dearer."""
        form = self._form(op.result)
        if form is None or len(form.terms) != 1:
            return None
        number, coefficient = form.terms[0]
        boolean = self._forms.booleans[number]
        boolean = self._replaced.get(boolean, boolean)
        if boolean is op.result or boolean.type != op.result.type:
            return None
        vector = word.lanes_of(op.result.type) is not None
        functions = _affine_functions(form.constant, coefficient, self._target, vector)
        old = function_cycles(self._target, op.function.name, vector=vector)
        new = sum(function_cycles(self._target, name, vector=vector) for name in functions)
        is_direct = boolean in op.operands or len(functions) > 1
        if new > old or (new == old and is_direct) or new == float("inf"):
            return None
        return _affine(BeforeOp(op), boolean, form.constant, coefficient, functions)


def _affine_functions(constant: int, coefficient: int, target: Target, vector: bool) -> list[str]:
    """The word functions that compute `constant + coefficient * b`."""
    if coefficient == 1:
        return ["add"] if constant else []
    if coefficient == WORD_MASK:
        return ["sub"]
    if constant == 0:
        return ["mul"]
    fused = function_cycles(target, "multiply_add", vector=vector)
    apart = sum(function_cycles(target, name, vector=vector) for name in ("mul", "add"))
    return ["multiply_add"] if fused < apart else ["mul", "add"]


def _affine(
    e: BeforeOp, boolean: SSAValue, constant: int, coefficient: int, functions: list[str]
) -> SSAValue:
    match functions:
        case []:
            return boolean
        case ["sub"]:
            return e.function("sub", e.splat(constant, boolean), boolean)
        case ["multiply_add"]:
            factor, summand = e.splat(coefficient, boolean), e.splat(constant, boolean)
            return e.function("multiply_add", boolean, factor, summand)
        case _:
            value = boolean
            if "mul" in functions:
                value = e.function("mul", value, e.splat(coefficient, boolean))
            if "add" in functions:
                value = e.function("add", value, e.splat(constant, boolean))
            return value


# Rules by function: a simpler value in place of the result, given what the operands can be.

_Rule: TypeAlias = Callable[..., SSAValue | None]


def _and(e: BeforeOp, op: word.ArithmeticOp, a: WordSet, b: WordSet) -> SSAValue | None:
    if not a.possible & ~b.ones:
        return op.operands[0]
    return op.operands[1] if not b.possible & ~a.ones else None


def _or(e: BeforeOp, op: word.ArithmeticOp, a: WordSet, b: WordSet) -> SSAValue | None:
    if not b.possible & ~a.ones:
        return op.operands[0]
    if not a.possible & ~b.ones:
        return op.operands[1]
    return _disjoint(e, op, a, b)


def _disjoint(e: BeforeOp, op: word.ArithmeticOp, a: WordSet, b: WordSet) -> SSAValue | None:
    return None if a.possible & b.possible else e.function("add", *op.operands)


def _remu(e: BeforeOp, op: word.ArithmeticOp, a: WordSet, b: WordSet) -> SSAValue | None:
    return op.operands[0] if a.hi < b.lo else None


def _shrs(e: BeforeOp, op: word.ArithmeticOp, a: WordSet, count: WordSet) -> SSAValue | None:
    return e.function("shru", *op.operands) if a.is_nonnegative else None


def _select(
    e: BeforeOp, op: word.ArithmeticOp, condition: WordSet, a: WordSet, b: WordSet
) -> SSAValue | None:
    if condition.hi == 0:
        return op.operands[2]
    return op.operands[1] if condition.lo else None


def _minimum(e: BeforeOp, op: word.ArithmeticOp, a: WordSet, b: WordSet) -> SSAValue | None:
    if a.hi <= b.lo:
        return op.operands[0]
    return op.operands[1] if b.hi <= a.lo else None


def _maximum(e: BeforeOp, op: word.ArithmeticOp, a: WordSet, b: WordSet) -> SSAValue | None:
    if a.lo >= b.hi:
        return op.operands[0]
    return op.operands[1] if b.lo >= a.hi else None


def _signed_extreme(unsigned: str, better: Callable[[int, int], bool]) -> _Rule:
    def rule(e: BeforeOp, op: word.ArithmeticOp, a: WordSet, b: WordSet) -> SSAValue | None:
        (a_lo, a_hi), (b_lo, b_hi) = a.signed_bounds, b.signed_bounds
        if better(a_lo, b_hi) and better(a_hi, b_lo):
            return op.operands[0]
        if better(b_lo, a_hi) and better(b_hi, a_lo):
            return op.operands[1]
        return e.function(unsigned, *op.operands) if _have_same_sign(a, b) else None

    return rule


def _have_same_sign(a: WordSet, b: WordSet) -> bool:
    return (a.is_nonnegative and b.is_nonnegative) or (a.is_negative and b.is_negative)


def _if_nonnegative(unsigned: str) -> _Rule:
    def rule(e: BeforeOp, op: word.ArithmeticOp, a: WordSet, b: WordSet) -> SSAValue | None:
        if a.is_nonnegative and b.is_nonnegative:
            return e.function(unsigned, *op.operands)
        return None

    return rule


def _if_same_sign(unsigned: str) -> _Rule:
    def rule(e: BeforeOp, op: word.ArithmeticOp, a: WordSet, b: WordSet) -> SSAValue | None:
        return e.function(unsigned, *op.operands) if _have_same_sign(a, b) else None

    return rule


_RULES: dict[str, _Rule] = {
    "and": _and,
    "or": _or,
    "xor": _disjoint,
    "remu": _remu,
    "shrs": _shrs,
    "select": _select,
    "minu": _minimum,
    "maxu": _maximum,
    "mins": _signed_extreme("minu", int.__le__),
    "maxs": _signed_extreme("maxu", int.__ge__),
    "mulhs": _if_nonnegative("mulhu"),
    "divs": _if_nonnegative("divu"),
    "floordivs": _if_nonnegative("divu"),
    "ceildivs": _if_nonnegative("ceildivu"),
    "rems": _if_nonnegative("remu"),
    "slt": _if_same_sign("ult"),
    "sle": _if_same_sign("ule"),
    "sgt": _if_same_sign("ugt"),
    "sge": _if_same_sign("uge"),
}
