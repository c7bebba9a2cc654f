"""`linalg` operations that xDSL lacks: named contractions and convolutions, `map`, and the short
form of `map` and `reduce` for a single operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, cast

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, linalg
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    IntegerType,
    MemRefType,
    TensorType,
    i64,
)
from xdsl.dialects.linalg import ops
from xdsl.dialects.linalg.abstract_ops import ElementwiseOperation, NamedOperation
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from vliw_mlir.dialects.upstream.extension import extend


def _map(loops: int, *results: AffineExpr) -> AffineMap:
    return AffineMap(loops, 0, results)


_0, _1, _2, _3 = (AffineExpr.dimension(i) for i in range(4))


def _extended(value: SSAValue, type: Attribute) -> SSAValue:
    """`value` sign-extended to `type`, as named operations do with narrower inputs."""
    if value.type == type:
        return value
    return arith.ExtSIOp(value, cast(IntegerType, type)).result


def _multiply_add(types: Sequence[Attribute]) -> Region:
    """A body that adds the product of two inputs to the output."""
    is_float = isinstance(types[-1], AnyFloat)
    add, mul = (arith.AddfOp, arith.MulfOp) if is_float else (arith.AddiOp, arith.MuliOp)

    block = Block(arg_types=types)
    with ImplicitBuilder(block) as (lhs, rhs, sum):
        product = mul(_extended(lhs, types[-1]), _extended(rhs, types[-1]))
        ops.YieldOp(add(sum, product))
    return Region(block)


class Contraction(NamedOperation):
    """Sums of products of two inputs, added to the output."""

    MAPS: ClassVar[tuple[AffineMap, ...]]
    """How the loops reach the elements of both inputs and of the output."""
    PARALLEL: ClassVar[int]
    """The number of parallel loops, which come before the reductions."""

    @classmethod
    def get_hidden_region(cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
        return _multiply_add(cls.body_arg_types((*inputs, *outputs)))

    def get_default_indexing_maps(self) -> Sequence[AffineMap]:
        return self.MAPS

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        parallel = (IteratorTypeAttr.parallel(),) * self.PARALLEL
        reductions = self.MAPS[0].num_dims - self.PARALLEL
        return ArrayAttr((*parallel, *(IteratorTypeAttr.reduction(),) * reductions))


@irdl_op_definition
class DotOp(Contraction):
    """The dot product of two vectors."""

    name = "linalg.dot"
    MAPS: ClassVar = (_map(1, _0), _map(1, _0), _map(1))
    PARALLEL: ClassVar = 0


@irdl_op_definition
class MatvecOp(Contraction):
    """A matrix times a vector."""

    name = "linalg.matvec"
    MAPS: ClassVar = (_map(2, _0, _1), _map(2, _1), _map(2, _0))
    PARALLEL: ClassVar = 1


@irdl_op_definition
class VecmatOp(Contraction):
    """A vector times a matrix."""

    name = "linalg.vecmat"
    MAPS: ClassVar = (_map(2, _1), _map(2, _1, _0), _map(2, _0))
    PARALLEL: ClassVar = 1


@irdl_op_definition
class BatchMatmulOp(Contraction):
    """A matrix product for every index of the first dimension."""

    name = "linalg.batch_matmul"
    MAPS: ClassVar = (_map(4, _0, _1, _3), _map(4, _0, _3, _2), _map(4, _0, _1, _2))
    PARALLEL: ClassVar = 3


@irdl_op_definition
class Conv1DOp(Contraction):
    """One-dimensional convolution without channels."""

    name = "linalg.conv_1d"
    MAPS: ClassVar = (_map(2, _0 + _1), _map(2, _1), _map(2, _0))
    PARALLEL: ClassVar = 1


@irdl_op_definition
class Conv2DOp(Contraction):
    """Two-dimensional convolution without channels."""

    name = "linalg.conv_2d"
    MAPS: ClassVar = (_map(4, _0 + _2, _1 + _3), _map(4, _2, _3), _map(4, _0, _1))
    PARALLEL: ClassVar = 2


class MatmulOp(ops.MatmulOp):
    """A matrix product; narrower inputs are sign-extended."""

    # Like the ops below that only say otherwise what xDSL's compute, it adds no fields: IRDL's
    # definition of the base serves it as well.

    @classmethod
    def get_hidden_region(cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
        return _multiply_add(cls.body_arg_types((*inputs, *outputs)))


class PoolingNchwMaxOp(ops.PoolingNchwMaxOp):
    """Max pooling: the greatest input of a window and the old output."""

    @classmethod
    def get_hidden_region(cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
        types = cls.body_arg_types((*inputs, *outputs))
        maximum = arith.MaximumfOp if isinstance(types[-1], AnyFloat) else arith.MaxSIOp

        block = Block(arg_types=types)
        with ImplicitBuilder(block) as (element, _, greatest):
            ops.YieldOp(maximum(greatest, _extended(element, types[-1])))
        return Region(block)


class _Division(ElementwiseOperation):
    INTEGER: ClassVar[type[arith.DivSIOp] | type[arith.DivUIOp]]

    @classmethod
    def get_hidden_region(cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
        types = cls.body_arg_types((*inputs, *outputs))
        divide = arith.DivfOp if isinstance(types[-1], AnyFloat) else cls.INTEGER

        block = Block(arg_types=types)
        with ImplicitBuilder(block) as (lhs, rhs, _):
            ops.YieldOp(divide(lhs, rhs))
        return Region(block)


@irdl_op_definition
class DivOp(_Division):
    """Signed division, element by element."""

    name = "linalg.div"
    INTEGER: ClassVar = arith.DivSIOp


@irdl_op_definition
class DivUnsignedOp(_Division):
    """Unsigned division, element by element."""

    name = "linalg.div_unsigned"
    INTEGER: ClassVar = arith.DivUIOp


@irdl_op_definition
class MapOp(IRDLOperation):
    """Applies a scalar computation to the elements of tensors or memrefs of the same shape.

    The body takes an element of each input, and in newer MLIR the old element of the output.

    ```
    %r = linalg.map ins(%a, %b : tensor<8xi32>, tensor<8xi32>) outs(%c : tensor<8xi32>)
      (%x: i32, %y: i32, %out: i32) { … linalg.yield %z : i32 }
    %r = linalg.map { arith.addi } ins(%a, %b : …) outs(%c : …)
    ```
    """

    name = "linalg.map"

    inputs = var_operand_def(MemRefType | TensorType)
    init = operand_def(MemRefType | TensorType)
    result = var_result_def(TensorType)
    mapper = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect())

    def verify_(self) -> None:
        shapes = {_shaped(value.type).get_shape() for value in self.operands}
        if len(shapes) > 1:
            raise VerifyException("all operands must have the same shape")
        elements = tuple(_shaped(value.type).get_element_type() for value in self.operands)
        if self.mapper.block.arg_types not in (elements, elements[:-1]):
            raise VerifyException("the body must take the elements of the operands")
        last = self.mapper.block.last_op
        if not isinstance(last, ops.YieldOp) or last.operand_types != elements[-1:]:
            raise VerifyException(f"the body must yield one {elements[-1]}")
        if self.result.types != _result_types(self.init):
            raise VerifyException("the results must be the output, if it is a tensor")

    @classmethod
    def parse(cls, parser: Parser) -> MapOp:
        payload = _parse_payload(parser)
        inputs = _parse_operands(parser, "ins") if parser.parse_optional_keyword("ins") else []
        parser.parse_keyword("outs")
        outputs = _parse_operands(parser, "outs")
        if len(outputs) != 1:
            parser.raise_error(f"expected one output, got {len(outputs)}")
        attributes = parser.parse_optional_attr_dict()
        operands = [*inputs, *outputs]
        region = (
            payload.region(operands, lambda args: args[:-1]) if payload else _parse_body(parser)
        )
        return cls.build(
            operands=[inputs, outputs[0]],
            result_types=[_result_types(outputs[0])],
            regions=[region],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        if self.inputs:
            printer.print_string(" ins(")
            printer.print_list(self.inputs, printer.print_operand)
            printer.print_string(" : ")
            printer.print_list(self.inputs.types, printer.print_attribute)
            printer.print_string(")")
        printer.print_string(" outs(")
        printer.print_operand(self.init)
        printer.print_string(" : ")
        printer.print_attribute(self.init.type)
        printer.print_string(")")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(self.mapper.block.args, printer.print_block_argument)
        printer.print_string(" ")
        printer.print_region(self.mapper, print_entry_block_args=False)


class ReduceOp(ops.ReduceOp):
    """A reduction; the body may be a single operation:

    ```
    %r = linalg.reduce { arith.addi } ins(%a : …) outs(%c : …) dimensions = [1]
    ```
    """

    @classmethod
    def parse(cls, parser: Parser) -> ReduceOp:
        payload = _parse_payload(parser)
        if payload is None:
            return super().parse(parser)
        parser.parse_keyword("ins")
        inputs = _parse_operands(parser, "ins")
        parser.parse_keyword("outs")
        outputs = _parse_operands(parser, "outs")
        if len(inputs) != 1 or len(outputs) != 1:
            parser.raise_error("expected one input and one output")
        parser.parse_keyword("dimensions")
        parser.parse_punctuation("=")
        dimensions = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_integer
        )
        # The accumulator is the first operand of the operation, as in MLIR.
        region = payload.region([*inputs, *outputs], lambda args: (args[1], args[0]))
        return cls(inputs[0], outputs[0], DenseArrayBase.from_list(i64, dimensions), region)


class _Payload:
    """The operation between braces in the short form: `{ arith.addi {attribute = …} }`."""

    def __init__(self, type: type[Operation], attributes: dict[str, Attribute]):
        self._type = type
        self._attributes = attributes

    def region(
        self,
        operands: Sequence[SSAValue],
        select: Callable[[Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> Region:
        """A body that takes the elements of `operands`, applies the operation to those that
        `select` picks and yields the result, of the type of the last element."""
        elements = [_shaped(value.type).get_element_type() for value in operands]
        block = Block(arg_types=elements)
        properties, attributes = self._split_attributes()
        op = self._type.create(
            operands=select(block.args),
            result_types=elements[-1:],
            properties=properties,
            attributes=attributes,
        )
        block.add_ops([op, ops.YieldOp(*op.results)])
        return Region(block)

    def _split_attributes(self) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
        if not issubclass(self._type, IRDLOperation):
            return {}, self._attributes
        known = self._type.get_irdl_definition().properties
        properties = {n: p.default_value for n, p in known.items() if p.default_value is not None}
        properties |= {n: a for n, a in self._attributes.items() if n in known}
        return properties, {n: a for n, a in self._attributes.items() if n not in known}


def _parse_payload(parser: Parser) -> _Payload | None:
    if parser.parse_optional_punctuation("{") is None:
        return None
    name = parser.parse_identifier()
    known = parser.ctx.get_optional_op(name)
    if known is None:
        parser.raise_error(f"operation '{name}' is not registered")
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation("}")
    return _Payload(known, attributes)


def _parse_operands(parser: Parser, keyword: str) -> list[SSAValue]:
    """The operands and types in the parentheses after `keyword`."""
    position = parser.pos
    with parser.in_parens():
        values = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    for type in types:
        if not isa(type, MemRefType | TensorType[Attribute]):
            parser.raise_error(f"expected tensors or memrefs in '{keyword}', not {type}", position)
    return list(parser.resolve_operands(values, types, position))


def _parse_body(parser: Parser) -> Region:
    arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
    return parser.parse_region(arguments)


def _shaped(type: Attribute) -> MemRefType | TensorType[Attribute]:
    assert isa(type, MemRefType | TensorType[Attribute])
    return type


def _result_types(output: SSAValue) -> tuple[Attribute, ...]:
    return (output.type,) if isa(output.type, TensorType[Attribute]) else ()


Linalg = extend(
    linalg.Linalg,
    [
        DotOp,
        MatvecOp,
        VecmatOp,
        BatchMatmulOp,
        Conv1DOp,
        Conv2DOp,
        DivOp,
        DivUnsignedOp,
        MatmulOp,
        PoolingNchwMaxOp,
        MapOp,
        ReduceOp,
    ],
)
