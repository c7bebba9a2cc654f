"""`scf` with MLIR's syntax for parallel loops, loops without values, single result types, implicit
terminators and regions of several blocks, and with what MLIR demands of the values yielded."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, i1
from xdsl.ir import Attribute, Region
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import SingleBlockImplicitTerminator, ensure_terminator
from xdsl.utils.exceptions import VerifyException

from vliw_mlir.dialects.upstream.extension import extend

# These classes add no fields: IRDL's definition of the base serves them as well.


class WhileOp(scf.WhileOp):
    """A loop with the condition in its first region.

    ```
    %r = scf.while (%x = %a) : (i32) -> i32 { … scf.condition(%c) %y : i32 } do { … }
    scf.while : () -> () { … scf.condition(%c) } do { … }
    ```
    """

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        before, after = self.before_region.block, self.after_region.block
        condition, last = before.last_op, after.last_op
        if not isinstance(condition, scf.ConditionOp):
            raise VerifyException("first region must end with 'scf.condition'")
        if not isinstance(last, scf.YieldOp):
            raise VerifyException("second region must end with 'scf.yield'")
        carried, passed = self.arguments.types, self.res.types
        _same(before.arg_types, carried, "arguments of the first region", "operands")
        _same(condition.args.types, passed, "values of 'scf.condition'", "results")
        _same(after.arg_types, passed, "arguments of the second region", "results")
        _same(last.operand_types, carried, "values of 'scf.yield'", "operands")

    @classmethod
    def parse(cls, parser: Parser) -> WhileOp:
        pairs = parser.parse_optional_comma_separated_list(
            parser.Delimiter.PAREN, lambda: _parse_assignment(parser)
        )
        parser.parse_punctuation(":")
        position = parser.pos
        type = parser.parse_function_type()
        names = [name for name, _ in pairs or ()]
        values = [value for _, value in pairs or ()]
        operands = parser.resolve_operands(values, type.inputs.data, position)
        arguments = [name.resolve(t) for name, t in zip(names, type.inputs.data, strict=True)]
        before = parser.parse_region(arguments)
        parser.parse_keyword("do")
        after = parser.parse_region()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls(operands, type.outputs.data, before, after)
        op.attributes.update(attributes.data if attributes else {})
        return op

    def print(self, printer: Printer) -> None:
        if self.arguments:
            super().print(printer)
            return
        printer.print_string(" : ")
        printer.print_operation_type(self)
        printer.print_string(" ")
        printer.print_region(self.before_region)
        printer.print_string(" do ")
        printer.print_region(self.after_region)
        printer.print_op_attributes(self.attributes, print_keyword=True)


def _parse_assignment(parser: Parser) -> tuple[Parser.UnresolvedArgument, UnresolvedOperand]:
    argument = parser.parse_argument(expect_type=False)
    parser.parse_punctuation("=")
    return argument, parser.parse_unresolved_operand()


def _same(got: Sequence[Attribute], wanted: Sequence[Attribute], what: str, model: str) -> None:
    if tuple(got) != tuple(wanted):
        raise VerifyException(
            f"{what} must have the types of the {model}: ({_list(wanted)}), not ({_list(got)})"
        )


def _list(types: Sequence[Attribute]) -> str:
    return ", ".join(map(str, types))


class ForOp(scf.ForOp):
    """A counted loop; a single result's type may stand without parentheses.

    ```
    %r = scf.for %i = %low to %high step %n iter_args(%x = %a) -> i32 { … scf.yield %y : i32 }
    ```
    """

    @classmethod
    def parse(cls, parser: Parser) -> ForOp:
        counter = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        bounds = [parser.parse_unresolved_operand()]
        for keyword in ("to", "step"):
            parser.parse_keyword(keyword)
            bounds.append(parser.parse_unresolved_operand())
        position = parser.pos
        pairs: Sequence[tuple[Parser.UnresolvedArgument, UnresolvedOperand]] = ()
        types: Sequence[Attribute] = ()
        if parser.parse_optional_keyword("iter_args"):
            pairs = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: _parse_assignment(parser)
            )
            types = _parse_result_types(parser)
        carried = parser.resolve_operands([value for _, value in pairs], types, position)
        type = parser.parse_type() if parser.parse_optional_punctuation(":") else IndexType()
        low, high, step = (parser.resolve_operand(bound, type) for bound in bounds)
        names = [name.resolve(t) for (name, _), t in zip(pairs, types, strict=True)]
        body = parser.parse_region([counter.resolve(type), *names])
        op = cls(low, high, step, carried, body)
        op.attributes.update(parser.parse_optional_attr_dict())
        if not pairs:
            ensure_terminator(op, SingleBlockImplicitTerminator(scf.YieldOp))
        return op


class IfOp(scf.IfOp):
    """A choice between two regions, each of which yields the results.

    ```
    %r = scf.if %c -> i32 { … scf.yield %x : i32 } else { … scf.yield %y : i32 }
    ```
    """

    def verify_(self) -> None:
        super().verify_()
        if self.results and not self.false_region.blocks:
            raise VerifyException("with results must have an else region")
        _verify_yields(self)

    @classmethod
    def parse(cls, parser: Parser) -> IfOp:
        condition = parser.parse_operand(i1)
        types = _parse_result_types(parser)
        on_true = cls.parse_region_with_yield(parser)
        has_else = parser.parse_optional_keyword("else")
        on_false = cls.parse_region_with_yield(parser) if has_else else Region()
        return cls(condition, types, on_true, on_false, parser.parse_optional_attr_dict())


class ExecuteRegionOp(scf.ExecuteRegionOp):
    """Blocks that run once, in place; any of them may yield the results.

    ```
    %r = scf.execute_region -> i32 {
      cf.cond_br %c, ^a, ^b
    ^a:
      scf.yield %x : i32
    ^b:
      scf.yield %y : i32
    }
    ```
    """

    def verify_(self) -> None:
        super().verify_()
        _verify_yields(self)

    @classmethod
    def parse(cls, parser: Parser) -> ExecuteRegionOp:
        op = cls(_parse_result_types(parser), parser.parse_region())
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        if self.results:
            printer.print_string(" -> ")
            _print_result_types(printer, self.result_types)
        printer.print_string(" ")
        # xDSL leaves out all terminators when there are no results: also the branches.
        printer.print_region(self.region)
        printer.print_op_attributes(self.attributes)


def _verify_yields(op: scf.IfOp | scf.ExecuteRegionOp) -> None:
    for block in (block for region in op.regions for block in region.blocks):
        if isinstance(last := block.last_op, scf.YieldOp):
            _same(last.operand_types, op.result_types, "values of 'scf.yield'", "results")


class IndexSwitchOp(scf.IndexSwitchOp):
    """A choice among regions; those that yield nothing may leave out their terminator."""

    @classmethod
    def parse(cls, parser: Parser) -> IndexSwitchOp:
        op = super().parse(parser)
        ensure_terminator(op, SingleBlockImplicitTerminator(scf.YieldOp))
        return op


class ParallelOp(scf.ParallelOp):
    """Nested loops whose iterations may run in any order.

    ```
    scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) { … scf.reduce }
    %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%a) -> i32 {
      …
      scf.reduce(%x : i32) { ^bb0(%l: i32, %r: i32): … scf.reduce.return %s : i32 }
    }
    ```
    """

    @classmethod
    def parse(cls, parser: Parser) -> ParallelOp:
        index = IndexType()
        names = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        parser.parse_punctuation("=")

        def operands() -> list[UnresolvedOperand]:
            return parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_unresolved_operand
            )

        lower = [parser.resolve_operand(v, index) for v in operands()]
        parser.parse_keyword("to")
        upper = [parser.resolve_operand(v, index) for v in operands()]
        parser.parse_keyword("step")
        steps = [parser.resolve_operand(v, index) for v in operands()]
        initial = operands() if parser.parse_optional_keyword("init") else []
        position = parser.pos
        types = _parse_result_types(parser)
        values = parser.resolve_operands(initial, types, position)
        body = parser.parse_region([name.resolve(index) for name in names])
        attributes = parser.parse_optional_attr_dict()
        op = cls(lower, upper, steps, body, values)
        op.attributes.update(attributes)
        ensure_terminator(op, SingleBlockImplicitTerminator(scf.ReduceOp))
        return op

    def print(self, printer: Printer) -> None:
        block = self.body.block
        printer.print_string(" (")
        printer.print_list(block.args, printer.print_ssa_value)
        printer.print_string(")")
        for keyword, values in (
            ("=", self.lowerBound),
            ("to", self.upperBound),
            ("step", self.step),
            ("init", self.initVals),
        ):
            if keyword == "init" and not values:
                continue
            printer.print_string(f" {keyword} (")
            printer.print_list(values, printer.print_operand)
            printer.print_string(")")
        if self.res:
            printer.print_string(" -> ")
            _print_result_types(printer, self.res.types)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.print_op_attributes(self.attributes)


def _parse_result_types(parser: Parser) -> Sequence[Attribute]:
    """Types after an arrow, if there is one."""
    if parser.parse_optional_punctuation("->") is None:
        return ()
    types = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if types is None else types


def _print_result_types(printer: Printer, types: Sequence[Attribute]) -> None:
    if len(types) == 1:
        printer.print_attribute(types[0])
        return
    with printer.in_parens():
        printer.print_list(types, printer.print_attribute)


Scf = extend(scf.Scf, [WhileOp, ForOp, IfOp, ExecuteRegionOp, IndexSwitchOp, ParallelOp])
