"""Operations of `vector` that xDSL lacks."""

from __future__ import annotations

from math import prod
from typing import ClassVar

from xdsl.dialects import vector
from xdsl.dialects.builtin import (
    I1,
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    TensorType,
    VectorType,
    i64,
)
from xdsl.dialects.vector import CombiningKindAttr
from xdsl.ir import Attribute
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from vliw_mlir.dialects.upstream.extension import extend

_ELEMENT = VarConstraint("T", AnyAttr())
_VECTOR = VarConstraint("V", VectorType.constr(_ELEMENT))
_DENSE_ARRAY = DenseArrayBase.constr(i64)


def _vector_type(type: Attribute) -> VectorType[Attribute]:
    assert isa(type, VectorType[Attribute])
    return type


def _integers(array: ArrayAttr[IntegerAttr]) -> list[int]:
    return [element.value.data for element in array]


@irdl_op_definition
class SplatOp(IRDLOperation):
    """The older name of `vector.broadcast` of a scalar: `vector.splat %a : vector<8xi32>`."""

    name = "vector.splat"

    input = operand_def(_ELEMENT)
    aggregate = result_def(VectorType.constr(_ELEMENT))

    traits = traits_def(Pure())

    assembly_format = "$input attr-dict `:` type($aggregate)"


@irdl_op_definition
class ExtractElementOp(IRDLOperation):
    """The older form of `vector.extract`:
    `vector.extractelement %v[%i : index] : vector<8xi32>`."""

    name = "vector.extractelement"

    vector = operand_def(VectorType.constr(_ELEMENT))
    position = opt_operand_def(IntegerType | IndexType)
    result = result_def(_ELEMENT)

    traits = traits_def(Pure())

    assembly_format = (
        "$vector `[` ($position^ `:` type($position))? `]` attr-dict `:` type($vector)"
    )

    def verify_(self) -> None:
        _verify_position(self.vector.type, self.position is not None)


@irdl_op_definition
class InsertElementOp(IRDLOperation):
    """The older form of `vector.insert`:
    `vector.insertelement %a, %v[%i : index] : vector<8xi32>`."""

    name = "vector.insertelement"

    source = operand_def(_ELEMENT)
    dest = operand_def(_VECTOR)
    position = opt_operand_def(IntegerType | IndexType)
    result = result_def(_VECTOR)

    traits = traits_def(Pure())

    assembly_format = (
        "$source `,` $dest `[` ($position^ `:` type($position))? `]` attr-dict `:` type($result)"
    )

    def verify_(self) -> None:
        _verify_position(self.dest.type, self.position is not None)


def _verify_position(type: Attribute, has_position: bool) -> None:
    rank = _vector_type(type).get_num_dims()
    if rank > 1:
        raise VerifyException(f"needs a vector of at most one dimension, not {type}")
    if has_position != (rank == 1):
        raise VerifyException(f"{type} needs {'a' if rank else 'no'} position")


@irdl_op_definition
class ConstantMaskOp(IRDLOperation):
    """A mask that is set in the leading block of the given size:
    `vector.constant_mask [4] : vector<8xi1>`."""

    name = "vector.constant_mask"

    mask_dim_sizes = prop_def(_DENSE_ARRAY)
    result = result_def(VectorType[I1])

    traits = traits_def(Pure())

    assembly_format = "$mask_dim_sizes attr-dict `:` type($result)"

    def verify_(self) -> None:
        shape = _vector_type(self.result.type).get_shape()
        sizes = self.mask_dim_sizes.get_values()
        if len(sizes) != len(shape):
            raise VerifyException(f"needs {len(shape)} sizes for {self.result.type}")
        if any(not 0 <= size <= extent for size, extent in zip(sizes, shape, strict=True)):
            raise VerifyException(f"mask sizes {list(sizes)} exceed {self.result.type}")
        if 0 in sizes and any(sizes):
            raise VerifyException("either all mask sizes are 0 or none is")


@irdl_op_definition
class GatherOp(IRDLOperation):
    """Loads a vector from scattered places: lane i from `base` at the offsets plus index i of the
    innermost dimension, where the mask is set, else from `pass_thru`.

    ```
    %r = vector.gather %m[%c0][%ix], %mask, %other
        : memref<64xi32>, vector<8xi32>, vector<8xi1>, vector<8xi32> into vector<8xi32>
    ```
    """

    name = "vector.gather"

    base = operand_def(MemRefType | TensorType)
    offsets = var_operand_def(IndexType)
    indices = operand_def(VectorType)
    mask = operand_def(VectorType[I1])
    pass_thru = operand_def(_VECTOR)
    result = result_def(_VECTOR)

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = (
        "$base `[` $offsets `]` `[` $indices `]` `,` $mask `,` $pass_thru attr-dict `:` "
        "type($base) `,` type($indices) `,` type($mask) `,` type($pass_thru) `into` type($result)"
    )

    def verify_(self) -> None:
        _verify_indexed(self.base.type, len(self.offsets), self.result.type)
        _verify_same_shape(self.indices.type, self.mask.type, self.result.type)


@irdl_op_definition
class ScatterOp(IRDLOperation):
    """Stores a vector to scattered places, the counterpart of `vector.gather`; of lanes that go
    to the same place the last one counts."""

    name = "vector.scatter"

    base = operand_def(MemRefType | TensorType)
    offsets = var_operand_def(IndexType)
    indices = operand_def(VectorType)
    mask = operand_def(VectorType[I1])
    valueToStore = operand_def(VectorType)
    result = opt_result_def(TensorType)

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = (
        "$base `[` $offsets `]` `[` $indices `]` `,` $mask `,` $valueToStore attr-dict `:` "
        "type($base) `,` type($indices) `,` type($mask) `,` type($valueToStore) "
        "(`->` type($result)^)?"
    )

    def verify_(self) -> None:
        _verify_indexed(self.base.type, len(self.offsets), self.valueToStore.type)
        _verify_same_shape(self.indices.type, self.mask.type, self.valueToStore.type)


def _verify_indexed(base: Attribute, offsets: int, vector: Attribute) -> None:
    assert isa(base, MemRefType | TensorType[Attribute])
    if offsets != base.get_num_dims():
        raise VerifyException(f"{base} needs {base.get_num_dims()} offsets, not {offsets}")
    if base.element_type != _vector_type(vector).element_type:
        raise VerifyException(f"elements of {base} and {vector} differ")


def _verify_same_shape(*types: Attribute) -> None:
    if len({_vector_type(type).get_shape() for type in types}) > 1:
        raise VerifyException(f"the shapes of {', '.join(map(str, types))} differ")


@irdl_op_definition
class ShapeCastOp(IRDLOperation):
    """Another shape for the same elements:
    `vector.shape_cast %v : vector<8xi32> to vector<2x4xi32>`."""

    name = "vector.shape_cast"

    source = operand_def(VectorType.constr(_ELEMENT))
    result = result_def(VectorType.constr(_ELEMENT))

    traits = traits_def(Pure())

    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    def verify_(self) -> None:
        source, result = _vector_type(self.source.type), _vector_type(self.result.type)
        if prod(source.get_shape()) != prod(result.get_shape()):
            raise VerifyException(f"{source} and {result} have different numbers of elements")


@irdl_op_definition
class TransposeOp(IRDLOperation):
    """Permutes dimensions:
    `vector.transpose %v, [1, 0] : vector<4x8xi32> to vector<8x4xi32>`."""

    name = "vector.transpose"

    vector = operand_def(VectorType.constr(_ELEMENT))
    permutation = prop_def(_DENSE_ARRAY)
    result = result_def(VectorType.constr(_ELEMENT))

    traits = traits_def(Pure())

    assembly_format = "$vector `,` $permutation attr-dict `:` type($vector) `to` type($result)"

    def verify_(self) -> None:
        source, result = _vector_type(self.vector.type), _vector_type(self.result.type)
        permutation = self.permutation.get_values()
        if sorted(permutation) != list(range(source.get_num_dims())):
            raise VerifyException(f"{list(permutation)} is no permutation of the dimensions")
        if tuple(source.get_shape()[d] for d in permutation) != result.get_shape():
            raise VerifyException(f"{source} does not transpose to {result}")


@irdl_op_definition
class ExtractStridedSliceOp(IRDLOperation):
    """Takes a block of a vector; dimensions not mentioned are taken whole.

    ```
    %s = vector.extract_strided_slice %v {offsets = [2], sizes = [4], strides = [1]}
        : vector<8xi32> to vector<4xi32>
    ```
    """

    name = "vector.extract_strided_slice"

    vector = operand_def(VectorType.constr(_ELEMENT))
    offsets = prop_def(ArrayAttr[IntegerAttr])
    sizes = prop_def(ArrayAttr[IntegerAttr])
    strides = prop_def(ArrayAttr[IntegerAttr])
    result = result_def(VectorType.constr(_ELEMENT))

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())

    assembly_format = "$vector attr-dict `:` type($vector) `to` type($result)"

    def verify_(self) -> None:
        shape = _vector_type(self.vector.type).get_shape()
        sizes = _integers(self.sizes)
        _verify_slice(shape, _integers(self.offsets), sizes, _integers(self.strides))
        wanted = (*sizes, *shape[len(sizes) :])
        if _vector_type(self.result.type).get_shape() != wanted:
            raise VerifyException(f"result must have the shape {list(wanted)}")


@irdl_op_definition
class InsertStridedSliceOp(IRDLOperation):
    """Puts a vector into a block of another one of at least its rank.

    ```
    %r = vector.insert_strided_slice %s, %v {offsets = [2], strides = [1]}
        : vector<4xi32> into vector<8xi32>
    ```
    """

    name = "vector.insert_strided_slice"

    valueToStore = operand_def(VectorType.constr(_ELEMENT))
    dest = operand_def(_VECTOR)
    offsets = prop_def(ArrayAttr[IntegerAttr])
    strides = prop_def(ArrayAttr[IntegerAttr])
    res = result_def(_VECTOR)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())

    assembly_format = "$valueToStore `,` $dest attr-dict `:` type($valueToStore) `into` type($dest)"

    def verify_(self) -> None:
        inner = _vector_type(self.valueToStore.type).get_shape()
        outer = _vector_type(self.dest.type).get_shape()
        offsets, strides = _integers(self.offsets), _integers(self.strides)
        if len(offsets) != len(outer) or len(strides) != len(inner) or len(inner) > len(outer):
            raise VerifyException(
                f"needs {len(outer)} offsets and {len(inner)} strides, one per dimension"
            )
        leading = len(outer) - len(inner)
        sizes = [1] * leading + list(inner)
        _verify_slice(outer, offsets, sizes, [1] * leading + strides)


def _verify_slice(
    shape: tuple[int, ...], offsets: list[int], sizes: list[int], strides: list[int]
) -> None:
    if not len(offsets) == len(sizes) == len(strides) <= len(shape):
        raise VerifyException("needs as many offsets as sizes and strides, and not too many")
    if any(stride != 1 for stride in strides):
        raise VerifyException("strides must be 1")
    for offset, size, extent in zip(offsets, sizes, shape, strict=False):
        if offset < 0 or size < 1 or offset + size > extent:
            raise VerifyException(f"{offset}..{offset + size - 1} lies outside 0..{extent - 1}")


@irdl_op_definition
class FromElementsOp(IRDLOperation):
    """A vector of the given elements: `vector.from_elements %a, %b : vector<2xi32>`."""

    name = "vector.from_elements"

    elements = var_operand_def(_ELEMENT)
    dest = result_def(VectorType.constr(_ELEMENT))

    traits = traits_def(Pure())

    assembly_format = "$elements attr-dict `:` type($dest)"

    def verify_(self) -> None:
        _verify_element_count(self.dest.type, len(self.elements))


@irdl_op_definition
class ToElementsOp(IRDLOperation):
    """All elements of a vector: `%a:2 = vector.to_elements %v : vector<2xi32>`."""

    name = "vector.to_elements"

    source = operand_def(VectorType.constr(_ELEMENT))
    elements = var_result_def(_ELEMENT)

    traits = traits_def(Pure())

    def verify_(self) -> None:
        _verify_element_count(self.source.type, len(self.elements))

    @classmethod
    def parse(cls, parser: Parser) -> ToElementsOp:
        source = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        if not isa(type, VectorType[Attribute]):
            parser.raise_error(f"expected a vector type, not {type}")
        return cls.build(
            operands=[parser.resolve_operand(source, type)],
            result_types=[[type.element_type] * prod(type.get_shape())],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.source)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)


def _verify_element_count(type: Attribute, count: int) -> None:
    wanted = prod(_vector_type(type).get_shape())
    if count != wanted:
        raise VerifyException(f"{type} has {wanted} elements, not {count}")


@irdl_op_definition
class StepOp(IRDLOperation):
    """The vector 0, 1, 2, …: `vector.step : vector<8xindex>`."""

    name = "vector.step"

    result = result_def(VectorType[IndexType])

    traits = traits_def(Pure())

    assembly_format = "attr-dict `:` type($result)"


@irdl_op_definition
class MultiDimReductionOp(IRDLOperation):
    """Reduces some dimensions into an accumulator.

    ```
    %r = vector.multi_reduction <add>, %v, %acc [0] : vector<4x8xi32> to vector<8xi32>
    ```
    """

    name = "vector.multi_reduction"

    _D: ClassVar = VarConstraint("D", AnyAttr())

    kind = prop_def(CombiningKindAttr)
    source = operand_def(VectorType)
    acc = operand_def(_D)
    reduction_dims = prop_def(_DENSE_ARRAY)
    dest = result_def(_D)

    traits = traits_def(Pure())

    assembly_format = (
        "$kind `,` $source `,` $acc $reduction_dims attr-dict `:` type($source) `to` type($dest)"
    )

    def verify_(self) -> None:
        source = _vector_type(self.source.type)
        reduced = set(self.reduction_dims.get_values())
        if not reduced <= set(range(source.get_num_dims())):
            raise VerifyException(f"{source} has no dimensions {sorted(reduced)}")
        shape = [size for d, size in enumerate(source.get_shape()) if d not in reduced]
        wanted = VectorType(source.element_type, shape) if shape else source.element_type
        if self.dest.type != wanted:
            raise VerifyException(f"result must be {wanted}, not {self.dest.type}")


Vector = extend(
    vector.Vector,
    [
        SplatOp,
        ExtractElementOp,
        InsertElementOp,
        ConstantMaskOp,
        GatherOp,
        ScatterOp,
        ShapeCastOp,
        TransposeOp,
        ExtractStridedSliceOp,
        InsertStridedSliceOp,
        FromElementsOp,
        ToElementsOp,
        StepOp,
        MultiDimReductionOp,
    ],
)
