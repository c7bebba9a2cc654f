"""Checking ranges and boolean forms against what values turn out to be when a kernel runs."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike
from xdsl.dialects.builtin import ModuleOp, VectorType, i32
from xdsl.ir import Block, Operation, SSAValue

from vliw_mlir.abi import build_image
from vliw_mlir.analysis.boolean_forms import BooleanForm, BooleanForms
from vliw_mlir.analysis.entry_loads import sharp_ranges
from vliw_mlir.analysis.word_sets import TOP, WordSet, constant
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.errors import TrapError
from vliw_mlir.interp.interpreter import compile_kernel


class Watch:
    """Lets a kernel trace its values, and compares the trace with their sets.

    The module is changed: every word is traced after the number of what is said of it.
    """

    def __init__(self, module: ModuleOp):
        func = kernel_function(module)
        self.ranges = sharp_ranges(func)
        self.forms = BooleanForms(func, self.ranges)
        self.claims: list[tuple[str, WordSet]] = []
        for block in [b for op in func.walk() for r in op.regions for b in r.blocks]:
            self._watch(block)
        self._kernel = compile_kernel(module)

    def violations(self, args: Sequence[int | ArrayLike], step_limit: int) -> list[str]:
        """What values were that they should not be, in a run on `args`."""
        image = build_image(self._kernel.interface, args)
        # A trap still leaves what came before it: nothing to check then, values are not kept.
        try:
            trace = self._kernel.run(image, step_limit=step_limit).trace
        except TrapError:
            return []
        found: list[str] = []
        for number, value in zip(trace[::2], trace[1::2], strict=True):
            name, claim = self.claims[number]
            if value not in claim:
                found.append(f"{name} is {value}, not in {claim}")
        return found

    def _watch(self, block: Block) -> None:
        ops = list(block.ops)
        first = ops[0]
        inherited = self.ranges.refinements(block)
        for arg in block.args:
            self._trace(arg, self.ranges.of(arg), block, first)
        for value, claim in inherited.items():
            assert self.ranges.at(value, block) == claim
            self._trace(value, claim, block, first)
        for op in ops[:-1]:
            after = op.next_op
            for result in op.results:
                self._trace(result, self.ranges.of(result), block, after)
                form = self.forms.of(result)
                if form is not None and form.terms and result not in self.forms.booleans:
                    self._check_form(result, form, block, after)

    def _check_form(
        self, value: SSAValue, form: BooleanForm, block: Block, before: Operation
    ) -> None:
        """Trace the difference of a value and its form, which is 0."""
        e = BeforeOp(before)
        difference = e.function("sub", value, e.splat(form.constant, value))
        for number, coefficient in form.terms:
            boolean = self.forms.booleans[number]
            term = e.function("mul", boolean, e.splat(coefficient, boolean))
            difference = e.function("sub", difference, term)
        self._trace(difference, constant(0), block, before, f"{value.name_hint} minus {form}")

    def _trace(
        self, value: SSAValue, claim: WordSet, block: Block, before: Operation, name: str = ""
    ) -> None:
        if claim is TOP or not (value.type == i32 or isinstance(value.type, VectorType)):
            return
        number = word.ConstantOp(len(self.claims))
        self.claims.append((name or f"{value.name_hint or value.owner}", claim))
        block.insert_op_before(number, before)
        lanes = word.lanes_of(value.type)
        words = [value]
        if lanes is not None:
            extracts = [word.ExtractOp(value, lane) for lane in range(lanes)]
            for extract in extracts:
                block.insert_op_before(extract, before)
            words = [extract.result for extract in extracts]
        for one in words:
            for traced in (number.result, one):
                block.insert_op_before(word.TraceWriteOp(traced), before)
