"""`arith` where xDSL is short of MLIR: comparisons, selections and casts of vectors and tensors,
and the flags of newer operations."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.arith import CMPI_COMPARISON_OPERATIONS, boolLike, signlessIntegerLike
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    UnitAttr,
    UnrankedTensorType,
    VectorType,
    container_of,
    i1,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.printer import Printer
from xdsl.traits import HasCanonicalizationPatternsTrait, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.type import get_element_type_or_self, have_compatible_shape

from vliw_mlir.dialects.upstream.extension import Redefinition, extend

integerLike = container_of(IntegerType)


def i1_like(type: Attribute) -> Attribute:
    """`type`, a scalar, vector or tensor, with `i1` in place of its elements."""
    match type:
        case VectorType():
            return VectorType(i1, type.shape, type.scalable_dims)
        case TensorType():
            return TensorType(i1, type.shape, type.encoding)
        case UnrankedTensorType():
            return UnrankedTensorType(i1)
        case _:
            return i1


class _ScalarCmpiPatterns(HasCanonicalizationPatternsTrait):
    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from xdsl.transforms.canonicalization_patterns import arith as patterns

        class EqualScalarOperands(patterns.ApplyCmpiPredicateToEqualOperands):
            """xDSL's pattern makes an `i1` constant whatever the type of the result."""

            @op_type_rewrite_pattern
            def match_and_rewrite(self, op: arith.CmpiOp, rewriter: PatternRewriter) -> None:
                if op.result.type == i1:
                    super().match_and_rewrite(op, rewriter)

        return (EqualScalarOperands(),)


@irdl_op_definition
class CmpiOp(Redefinition, arith.CmpiOp):
    """Integer comparison; lane-wise on vectors and tensors.

    ```
    %c = arith.cmpi ult, %a, %b : vector<8xi32>
    ```
    """

    predicate = prop_def(IntegerAttr)
    lhs = operand_def(signlessIntegerLike)
    rhs = operand_def(signlessIntegerLike)
    result = result_def(boolLike)

    def __init__(
        self, operand1: Operation | SSAValue, operand2: Operation | SSAValue, arg: int | str
    ):
        operand1 = SSAValue.get(operand1)
        number = CMPI_COMPARISON_OPERATIONS.index(arg) if isinstance(arg, str) else arg
        IRDLOperation.__init__(
            self,
            operands=[operand1, operand2],
            result_types=[i1_like(operand1.type)],
            properties={"predicate": IntegerAttr(number, 64)},
        )

    def verify_(self) -> None:
        if self.lhs.type != self.rhs.type:
            raise VerifyException(
                f"operands must have the same type, not {self.lhs.type} and {self.rhs.type}"
            )
        if self.result.type != i1_like(self.lhs.type):
            raise VerifyException(
                f"result must be {i1_like(self.lhs.type)}, not {self.result.type}"
            )
        if self.predicate.value.data not in range(len(CMPI_COMPARISON_OPERATIONS)):
            raise VerifyException(f"unknown predicate {self.predicate.value.data}")

    @classmethod
    def parse(cls, parser: Parser) -> CmpiOp:
        predicate = parser.parse_identifier()
        if predicate not in CMPI_COMPARISON_OPERATIONS:
            known = ", ".join(CMPI_COMPARISON_OPERATIONS)
            parser.raise_error(f"unknown predicate '{predicate}', not one of {known}")
        parser.parse_punctuation(",")
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        op = cls(parser.resolve_operand(lhs, type), parser.resolve_operand(rhs, type), predicate)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {CMPI_COMPARISON_OPERATIONS[self.predicate.value.data]}, ")
        printer.print_operand(self.lhs)
        printer.print_string(", ")
        printer.print_operand(self.rhs)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)


# IRDL adds the traits of a subclass to those inherited; here one has to go.
CmpiOp.traits = traits_def(Pure(), _ScalarCmpiPatterns())


@irdl_op_definition
class SelectOp(Redefinition, arith.SelectOp):
    """Chooses the first value where the condition is 1, else the second.

    A scalar condition chooses between whole values, one of the same shape lane by lane:

    ```
    %r = arith.select %c, %a, %b : vector<8xi32>
    %r = arith.select %cs, %a, %b : vector<8xi1>, vector<8xi32>
    ```
    """

    _T: ClassVar = VarConstraint("T", AnyAttr())
    cond = operand_def(boolLike)
    lhs = operand_def(_T)
    rhs = operand_def(_T)
    result = result_def(_T)

    assembly_format = None

    def verify_(self) -> None:
        if self.cond.type != i1 and self.cond.type != i1_like(self.result.type):
            raise VerifyException(
                f"condition must be i1 or {i1_like(self.result.type)}, not {self.cond.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> SelectOp:
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        if len(operands) != 3:
            parser.raise_error(f"expected 3 operands, got {len(operands)}")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        condition_type: Attribute = i1
        type = parser.parse_type()
        if parser.parse_optional_punctuation(","):
            condition_type, type = type, parser.parse_type()
        op = cls(
            parser.resolve_operand(operands[0], condition_type),
            parser.resolve_operand(operands[1], type),
            parser.resolve_operand(operands[2], type),
        )
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if self.cond.type != i1:
            printer.print_attribute(self.cond.type)
            printer.print_string(", ")
        printer.print_attribute(self.result.type)


def _verify_cast(op: IRDLOperation) -> tuple[Attribute, Attribute]:
    """Check that a cast keeps the shape; returns the element types of source and result."""
    source, result = op.operands[0].type, op.results[0].type
    if not have_compatible_shape(source, result):
        raise VerifyException(f"cannot cast {source} to {result}: the shapes differ")
    return get_element_type_or_self(source), get_element_type_or_self(result)


def _verify_width(op: IRDLOperation, *, wider: bool) -> None:
    source, result = _verify_cast(op)
    assert isinstance(source, IntegerType)
    assert isinstance(result, IntegerType)
    if source.bitwidth == result.bitwidth or (source.bitwidth < result.bitwidth) != wider:
        what = "wider" if wider else "narrower"
        raise VerifyException(f"the result must be {what} than the operand: {source} to {result}")


def _verify_index_cast(op: IRDLOperation) -> None:
    source, result = _verify_cast(op)
    if isinstance(source, IndexType) == isinstance(result, IndexType):
        raise VerifyException(f"casts between index and integers, not {source} to {result}")


_FLAG_CAST = "(`nneg` $nonNeg^)? attr-dict `:` type($input) `to` type($result)"


@irdl_op_definition
class IndexCastOp(Redefinition, arith.IndexCastOp):
    """Signed cast between integers and index, also of vectors and tensors."""

    input = operand_def(signlessIntegerLike)
    result = result_def(signlessIntegerLike)

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def verify_(self) -> None:
        _verify_index_cast(self)


@irdl_op_definition
class IndexCastUIOp(IRDLOperation):
    """Unsigned cast between integers and index: `arith.index_castui %a : i32 to index`."""

    name = "arith.index_castui"

    input = operand_def(signlessIntegerLike)
    nonNeg = opt_prop_def(UnitAttr)
    result = result_def(signlessIntegerLike)

    traits = traits_def(Pure())

    assembly_format = f"$input {_FLAG_CAST}"

    def __init__(self, input_arg: SSAValue | Operation, target_type: Attribute):
        super().__init__(operands=[input_arg], result_types=[target_type])

    def verify_(self) -> None:
        _verify_index_cast(self)


@irdl_op_definition
class ExtUIOp(Redefinition, arith.ExtUIOp):
    """Zero extension, also of vectors and tensors."""

    input = operand_def(integerLike)
    nonNeg = opt_prop_def(UnitAttr)
    result = result_def(integerLike)

    assembly_format = f"$input {_FLAG_CAST}"

    def verify_(self) -> None:
        _verify_width(self, wider=True)


@irdl_op_definition
class ExtSIOp(Redefinition, arith.ExtSIOp):
    """Sign extension, also of vectors and tensors."""

    input = operand_def(integerLike)
    result = result_def(integerLike)

    traits = traits_def(Pure())

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def verify_(self) -> None:
        _verify_width(self, wider=True)


@irdl_op_definition
class TruncIOp(Redefinition, arith.TruncIOp):
    """Truncation, also of vectors and tensors."""

    input = operand_def(integerLike)
    overflow_flags = prop_def(
        arith.IntegerOverflowAttr,
        default_value=arith.IntegerOverflowAttr("none"),
        prop_name="overflowFlags",
    )
    result = result_def(integerLike)

    assembly_format = (
        "$input (`overflow` `` $overflowFlags^)? attr-dict `:` type($input) `to` type($result)"
    )

    def verify_(self) -> None:
        _verify_width(self, wider=False)


class ExactOperation(Redefinition, arith.SignlessIntegerBinaryOperation):
    """A division or right shift, which may be marked as having no remainder."""

    T: ClassVar = VarConstraint("T", signlessIntegerLike)

    lhs = operand_def(T)
    rhs = operand_def(T)
    isExact = opt_prop_def(UnitAttr)
    result = result_def(T)

    assembly_format = "$lhs `,` $rhs (`exact` $isExact^)? attr-dict `:` type($result)"

    def verify_(self) -> None:
        pass


@irdl_op_definition
class DivUIOp(ExactOperation, arith.DivUIOp):
    """Unsigned division: `arith.divui %a, %b exact : i32`."""


@irdl_op_definition
class DivSIOp(ExactOperation, arith.DivSIOp):
    """Signed division: `arith.divsi %a, %b exact : i32`."""


@irdl_op_definition
class ShRUIOp(ExactOperation, arith.ShRUIOp):
    """Logical right shift: `arith.shrui %a, %b exact : i32`."""


@irdl_op_definition
class ShRSIOp(ExactOperation, arith.ShRSIOp):
    """Arithmetic right shift: `arith.shrsi %a, %b exact : i32`."""


@irdl_op_definition
class SubUIExtendedOp(IRDLOperation):
    """Unsigned subtraction with borrow: `%d, %b = arith.subui_extended %x, %y : i32, i1`."""

    name = "arith.subui_extended"

    T: ClassVar = VarConstraint("T", signlessIntegerLike)

    lhs = operand_def(T)
    rhs = operand_def(T)
    diff = result_def(T)
    borrow = result_def(boolLike)

    traits = traits_def(Pure())

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($diff) `,` type($borrow)"

    def verify_(self) -> None:
        if self.borrow.type != i1_like(self.lhs.type):
            raise VerifyException(
                f"borrow must be {i1_like(self.lhs.type)}, not {self.borrow.type}"
            )


Arith = extend(
    arith.Arith,
    [
        CmpiOp,
        SelectOp,
        IndexCastOp,
        IndexCastUIOp,
        ExtUIOp,
        ExtSIOp,
        TruncIOp,
        DivUIOp,
        DivSIOp,
        ShRUIOp,
        ShRSIOp,
        SubUIExtendedOp,
    ],
)
