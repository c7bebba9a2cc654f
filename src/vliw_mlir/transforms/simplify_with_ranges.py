"""Simplification by what is known of the words that values can be."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.boolean_forms import DEFAULT_MAX_TERMS, BooleanForms
from vliw_mlir.analysis.entry_loads import sharp_ranges
from vliw_mlir.analysis.word_sets import WordSet, meet
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.instrument import RemarkKind, Statistics, remark
from vliw_mlir.transforms.form_values import FormValues
from vliw_mlir.transforms.range_rules import RULES


@dataclass(frozen=True)
class SimplifyWithRanges(ModulePass):
    """Use ranges, known bits and affine forms over booleans to make values simpler.

    - An operand that can only be one word becomes a constant: comparisons decided by ranges,
      shifts that leave nothing, loads of what never changes.
    - An operation that has no effect on what its operand can be goes: masks of bits that are
      not there, remainders of less than the divisor, decided selections and extremes.
    - Signed operations of words whose signs are known become unsigned; `or` and `xor` of words
      without a common bit become sums, which fuse with more.
    - A value that is affine over booleans is computed from these where that is cheaper:
      `select(b == 0, 1, 2)` becomes `1 + b`, and `2 * (1 + b) + (1 + c)` becomes
      `multiply_add(b, 2, c) + 3`, such that further steps of the kind start from the sum without
      the constant. A value with the same form as an earlier one is replaced by it.

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
        self._ranges = sharp_ranges(func)
        self._forms = FormValues(BooleanForms(func, self._ranges, max_terms), target_of(func))
        # What more is known in the regions that are being gone through.
        self._refined: dict[SSAValue, WordSet] = {}

    def run(self) -> None:
        for block in self._func.body.blocks:
            self._block(block)

    def known(self, value: SSAValue) -> WordSet:
        """What a value can be here."""
        original = self._forms.original(value)
        known = self._refined.get(original) or self._ranges.of(original)
        form = self._forms.of(value)
        return known if form is None else meet(known, form.to_set()) or known

    def _block(self, block: Block) -> None:
        refined = self._refined
        self._refined = refined | self._ranges.refinements(block)
        with self._forms.scope(block):
            for arg in block.args:
                self._forms.offer(arg)
            for op in list(block.ops):
                self._operation(op)
        self._refined = refined

    def _operation(self, op: Operation) -> None:
        self._use_constants(op)
        if isinstance(op, word.ArithmeticOp) and op.result.first_use is not None:
            self._arithmetic(op)
        for region in op.regions:
            for block in region.blocks:
                self._block(block)
        for result in op.results:
            self._forms.offer(result)

    def _use_constants(self, op: Operation) -> None:
        for number, operand in enumerate(op.operands):
            known = self.known(operand)
            if known.lo != known.hi or isinstance(operand.owner, word.ConstantOp):
                continue
            constant = BeforeOp(op).splat(known.lo, operand)
            self._forms.let_stand_for(constant, operand)
            op.operands[number] = constant
            self._statistics.count("num-constants")
            remark(
                op,
                SimplifyWithRanges.name,
                lambda number=number, known=known: f"operand {number} is always {known}",
                _PASSED,
            )

    def _arithmetic(self, op: word.ArithmeticOp) -> None:
        operands = [self.known(operand) for operand in op.operands]
        rule, last = RULES.get(op.function.name), op.prev_op
        by, counter = None, "num-simplified"
        if rule is not None:
            by = rule(BeforeOp(op), op, *operands)
        if by is None:
            by, counter = self._forms.earlier(op.result), "num-same-form"
        if by is None:
            by, counter = self._forms.cheaper(op), "num-by-form"
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
            # A new operation computes it.
            self._forms.let_stand_for(by, op.result)
        if by.name_hint is None:
            by.name_hint = op.result.name_hint
        self._forms.replace(op.result, by)
