"""`memref` with MLIR's syntax for globals and casts, and with transposed views."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I64,
    AffineMapAttr,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    TensorType,
    UnitAttr,
    UnrankedMemRefType,
)
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineDimExpr
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoMemoryEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from vliw_mlir.dialects.upstream.extension import Redefinition, extend

_OWN_SYNTAX = ("sym_name", "sym_visibility", "type", "initial_value", "constant")


@irdl_op_definition
class GlobalOp(Redefinition, memref.GlobalOp):
    """A statically allocated memref, with contents, uninitialized or declared elsewhere.

    ```
    memref.global "private" constant @table : memref<4xi32> = dense<[1, 2, 3, 4]>
    memref.global @scratch : memref<4xi32> = uninitialized
    memref.global "private" @elsewhere : memref<4xi32>
    ```
    """

    sym_name = prop_def(StringAttr)
    sym_visibility = opt_prop_def(StringAttr)
    type = prop_def(MemRefType)
    initial_value = opt_prop_def(UnitAttr | DenseIntOrFPElementsAttr)
    constant = opt_prop_def(UnitAttr)
    alignment = opt_prop_def(IntegerAttr[I64])

    def verify_(self) -> None:
        if any(size < 0 for size in self.type.get_shape()):
            raise VerifyException(f"type must have a static shape, not {self.type}")
        value = self.initial_value
        if isinstance(value, DenseIntOrFPElementsAttr) and value.type != _contents(self.type):
            raise VerifyException(f"initial value must be a {_contents(self.type)}")
        if self.alignment is not None and self.alignment.value.data.bit_count() != 1:
            raise VerifyException("alignment must be a power of 2")

    @classmethod
    def parse(cls, parser: Parser) -> GlobalOp:
        visibility = parser.parse_optional_str_literal()
        constant = parser.parse_optional_keyword("constant") is not None
        name = parser.parse_symbol_name()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        if not isa(type, MemRefType):
            parser.raise_error(f"expected a memref type, not {type}")
        properties: dict[str, Attribute | None] = {
            "sym_name": name,
            "sym_visibility": None if visibility is None else StringAttr(visibility),
            "type": type,
            "initial_value": _parse_initial_value(parser, type),
            "constant": UnitAttr() if constant else None,
        }
        attributes = parser.parse_optional_attr_dict()
        properties["alignment"] = attributes.pop("alignment", None)
        return cls.build(properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if self.sym_visibility is not None:
            printer.print_string_literal(self.sym_visibility.data)
            printer.print_string(" ")
        if self.constant is not None:
            printer.print_string("constant ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" : ")
        printer.print_attribute(self.type)
        match self.initial_value:
            case DenseIntOrFPElementsAttr() as value:
                printer.print_string(" = ")
                value.print_without_type(printer)
            case UnitAttr():
                printer.print_string(" = uninitialized")
            case _:
                pass
        printer.print_op_attributes(
            self.properties | self.attributes, reserved_attr_names=_OWN_SYNTAX
        )


def _parse_initial_value(parser: Parser, type: MemRefType) -> Attribute | None:
    if parser.parse_optional_punctuation("=") is None:
        return None
    if parser.parse_optional_keyword("uninitialized"):
        return UnitAttr()
    parser.parse_keyword("dense")
    return parser.parse_dense_int_or_fp_elements_attr(_contents(type))


def _contents(type: MemRefType) -> TensorType[Any]:
    return TensorType(type.element_type, type.shape)


@irdl_op_definition
class CastOp(Redefinition, memref.CastOp):
    """Forgets or asserts sizes: `memref.cast %m : memref<4xi32> to memref<?xi32>`."""

    source = operand_def(MemRefType | UnrankedMemRefType)
    dest = result_def(MemRefType | UnrankedMemRefType)

    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"

    def verify_(self) -> None:
        _verify_compatible(self.source.type, self.dest.type, "cast")


def _verify_compatible(source: Attribute, dest: Attribute, verb: str) -> None:
    """Check that two memref types can describe the same elements."""
    if not isa(source, MemRefType) or not isa(dest, MemRefType):
        return
    sizes = list(zip_longest(source.get_shape(), dest.get_shape(), fillvalue=None))
    fits = all(None not in (a, b) and (a == b or DYNAMIC_INDEX in (a, b)) for a, b in sizes)
    if source.element_type != dest.element_type or not fits:
        raise VerifyException(f"cannot {verb} {source} to {dest}")


@irdl_op_definition
class RankOp(Redefinition, memref.RankOp):
    """The number of dimensions: `memref.rank %m : memref<4xi32>`."""

    source = operand_def(MemRefType | UnrankedMemRefType)
    rank = result_def(IndexType)

    assembly_format = "$source attr-dict `:` type($source)"

    def verify_(self) -> None:
        pass


@irdl_op_definition
class CopyOp(Redefinition, memref.CopyOp):
    """Copies all elements: `memref.copy %a, %b : memref<4xi32> to memref<4xi32>`."""

    source = operand_def(MemRefType)
    destination = operand_def(MemRefType)

    assembly_format = "$source `,` $destination attr-dict `:` type($source) `to` type($destination)"

    def verify_(self) -> None:
        _verify_compatible(self.source.type, self.destination.type, "copy")


@irdl_op_definition
class TransposeOp(IRDLOperation):
    """A view of a memref with its dimensions in another order.

    ```
    memref.transpose %m (i, j) -> (j, i) : memref<2x3xi32> to memref<3x2xi32, strided<[1, 3]>>
    ```
    """

    name = "memref.transpose"

    source = operand_def(MemRefType)
    result = result_def(MemRefType)
    permutation = prop_def(AffineMapAttr)

    traits = traits_def(NoMemoryEffect())

    @property
    def order(self) -> list[int]:
        """For each dimension of the result, which dimension of the source it is."""
        results = self.permutation.data.results
        return [expr.position for expr in results if isinstance(expr, AffineDimExpr)]

    def verify_(self) -> None:
        source, result = self.source.type, self.result.type
        assert isa(source, MemRefType)
        assert isa(result, MemRefType)
        sizes = source.get_shape()
        if self.permutation.data.num_symbols or sorted(self.order) != list(range(len(sizes))):
            raise VerifyException(f"{self.permutation.data} does not permute the dimensions")
        permuted = tuple(sizes[dim] for dim in self.order)
        if source.element_type != result.element_type or permuted != result.get_shape():
            raise VerifyException(f"cannot transpose {source} to {result} by this permutation")

    @classmethod
    def parse(cls, parser: Parser) -> TransposeOp:
        source = parser.parse_unresolved_operand()
        permutation = AffineMapAttr(parser.parse_affine_map())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source_type = parser.parse_type()
        parser.parse_keyword("to")
        return cls.build(
            operands=[parser.resolve_operand(source, source_type)],
            result_types=[parser.parse_type()],
            properties={"permutation": permutation},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.source)
        printer.print_string(f" {self.permutation.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)


MemRef = extend(memref.MemRef, [GlobalOp, CastOp, RankOp, CopyOp, TransposeOp])
