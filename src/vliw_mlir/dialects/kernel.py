"""The tensor level: whole arrays of words as values, without addresses or loops over them.

Every value is a tensor of words of a static shape (`tensor<4x8xi32>`) or a word of the
SSA level. Element-wise ops carry the names and meanings of the SSA level's. Scalar
computation beside the tensors is already in `word` ops, control flow in `scf`.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from enum import auto
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    TensorType,
    i32,
    i64,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Dialect, Operation, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    EqAttrConstraint,
    IRDLOperation,
    ParamAttrConstraint,
    VarConstraint,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Commutative, ConstantLike, NoMemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from vliw_mlir.dialects.word import Predicate, PredicateAttr
from vliw_mlir.semantics import FUNCTIONS, WORD_MASK, WordFunction

WORD = EqAttrConstraint(i32)
TENSOR = TensorType.constr(WORD)


class ReductionKind(StrEnum):
    """How a reduction combines words; the values are names of word functions."""

    add = auto()
    mul = auto()
    # `and` and `or` are Python keywords.
    and_ = "and"
    or_ = "or"
    xor = auto()
    minu = auto()
    maxu = auto()
    mins = auto()
    maxs = auto()


@irdl_attr_definition
class ReductionKindAttr(EnumAttribute[ReductionKind], SpacedOpaqueSyntaxAttribute):
    """The combining function of a reduction."""

    name = "kernel.reduction_kind"


def shape_of(value: SSAValue | Attribute) -> tuple[int, ...]:
    """The static shape of a tensor value or type."""
    type = value.type if isinstance(value, SSAValue) else value
    return cast(TensorType[Attribute], type).get_shape()


def _verify_static(*values: SSAValue) -> None:
    for value in values:
        type: Attribute = value.type
        if isinstance(type, TensorType) and any(d < 0 for d in shape_of(value)):
            raise VerifyException(f"expected a static shape, got {type}")


class KernelOp(IRDLOperation, ABC):
    """An op of the tensor level; all its tensors have static shapes."""

    def verify_(self) -> None:
        _verify_static(*self.operands, *self.results)


@irdl_op_definition
class ConstantOp(KernelOp):
    """A tensor of constants: `%0 = kernel.constant dense<[1, 2]> : tensor<2xi32>`."""

    name = "kernel.constant"
    T: ClassVar = VarConstraint("T", TENSOR)
    value = prop_def(ParamAttrConstraint(DenseIntOrFPElementsAttr, (T, AnyAttr())))
    result = result_def(T)
    traits = traits_def(Pure(), ConstantLike())

    assembly_format = "attr-dict $value"

    def __init__(self, value: DenseIntOrFPElementsAttr):
        super().__init__(properties={"value": value}, result_types=[value.get_type()])

    def words(self) -> tuple[int, ...]:
        """The elements, row-major, in [0, 2**32)."""
        return tuple(cast(int, v) & WORD_MASK for v in self.value.get_values())


@irdl_op_definition
class EmptyOp(KernelOp):
    """A tensor of unspecified words: `%0 = kernel.empty : tensor<16xi32>`."""

    name = "kernel.empty"
    result = result_def(TENSOR)
    traits = traits_def(Pure())

    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, type: Attribute):
        super().__init__(result_types=[type])


@irdl_op_definition
class SplatOp(KernelOp):
    """A word in every element: `%t = kernel.splat %x : tensor<4x8xi32>`."""

    name = "kernel.splat"
    source = operand_def(WORD)
    result = result_def(TENSOR)
    traits = traits_def(Pure())

    assembly_format = "$source attr-dict `:` type($result)"

    def __init__(self, source: SSAValue | Operation, type: Attribute):
        super().__init__(operands=[source], result_types=[type])


@irdl_op_definition
class IotaOp(KernelOp):
    """Each element is its own index along one dimension.

    ```mlir
    %0 = kernel.iota 1 : tensor<2x3xi32>  // [[0, 1, 2], [0, 1, 2]]
    ```
    """

    name = "kernel.iota"
    dim = prop_def(IntegerAttr.constr(EqAttrConstraint(i64)))
    result = result_def(TENSOR)
    traits = traits_def(Pure())

    assembly_format = "$dim attr-dict `:` type($result)"

    def __init__(self, dim: int, type: Attribute):
        super().__init__(properties={"dim": IntegerAttr(dim, i64)}, result_types=[type])

    def verify_(self) -> None:
        super().verify_()
        rank = len(shape_of(self.result))
        if not 0 <= self.dim.value.data < rank:
            raise VerifyException(f"dimension {self.dim.value.data} of a tensor of rank {rank}")


class ElementwiseOp(KernelOp, ABC):
    """An op that applies a word function element by element; all types are equal."""

    T: ClassVar = VarConstraint("T", TENSOR)
    result = result_def(T)

    FUNCTION: ClassVar[str] = ""
    """Name of the word function, unless the op picks one by an attribute."""

    @property
    def function(self) -> WordFunction:
        """The word function this op applies."""
        return FUNCTIONS[self.FUNCTION]


class BinaryOp(ElementwiseOp, ABC):
    """A word function of two tensors."""

    lhs = operand_def(ElementwiseOp.T)
    rhs = operand_def(ElementwiseOp.T)

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        super().__init__(operands=[lhs, rhs], result_types=[SSAValue.get(lhs).type])


@irdl_op_definition
class AddOp(BinaryOp):
    """Element-wise `word.add`: `%r = kernel.add %a, %b : tensor<8xi32>`."""

    name = "kernel.add"
    FUNCTION: ClassVar = "add"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class SubOp(BinaryOp):
    """Element-wise `word.sub`: `%r = kernel.sub %a, %b : tensor<8xi32>`."""

    name = "kernel.sub"
    FUNCTION: ClassVar = "sub"
    traits = traits_def(Pure())


@irdl_op_definition
class MulOp(BinaryOp):
    """Element-wise `word.mul`: `%r = kernel.mul %a, %b : tensor<8xi32>`."""

    name = "kernel.mul"
    FUNCTION: ClassVar = "mul"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class AndOp(BinaryOp):
    """Element-wise `word.and`: `%r = kernel.and %a, %b : tensor<8xi32>`."""

    name = "kernel.and"
    FUNCTION: ClassVar = "and"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class OrOp(BinaryOp):
    """Element-wise `word.or`: `%r = kernel.or %a, %b : tensor<8xi32>`."""

    name = "kernel.or"
    FUNCTION: ClassVar = "or"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class XorOp(BinaryOp):
    """Element-wise `word.xor`: `%r = kernel.xor %a, %b : tensor<8xi32>`."""

    name = "kernel.xor"
    FUNCTION: ClassVar = "xor"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class ShlOp(BinaryOp):
    """Element-wise `word.shl`: `%r = kernel.shl %a, %b : tensor<8xi32>`."""

    name = "kernel.shl"
    FUNCTION: ClassVar = "shl"
    traits = traits_def(Pure())


@irdl_op_definition
class ShruOp(BinaryOp):
    """Element-wise `word.shru`: `%r = kernel.shru %a, %b : tensor<8xi32>`."""

    name = "kernel.shru"
    FUNCTION: ClassVar = "shru"
    traits = traits_def(Pure())


@irdl_op_definition
class ShrsOp(BinaryOp):
    """Element-wise `word.shrs`: `%r = kernel.shrs %a, %b : tensor<8xi32>`."""

    name = "kernel.shrs"
    FUNCTION: ClassVar = "shrs"
    traits = traits_def(Pure())


@irdl_op_definition
class RotlOp(BinaryOp):
    """Element-wise `word.rotl`: `%r = kernel.rotl %a, %b : tensor<8xi32>`."""

    name = "kernel.rotl"
    FUNCTION: ClassVar = "rotl"
    traits = traits_def(Pure())


@irdl_op_definition
class RotrOp(BinaryOp):
    """Element-wise `word.rotr`: `%r = kernel.rotr %a, %b : tensor<8xi32>`."""

    name = "kernel.rotr"
    FUNCTION: ClassVar = "rotr"
    traits = traits_def(Pure())


@irdl_op_definition
class DivuOp(BinaryOp):
    """Element-wise `word.divu`: `%r = kernel.divu %a, %b : tensor<8xi32>`."""

    name = "kernel.divu"
    FUNCTION: ClassVar = "divu"
    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class DivsOp(BinaryOp):
    """Element-wise `word.divs`: `%r = kernel.divs %a, %b : tensor<8xi32>`."""

    name = "kernel.divs"
    FUNCTION: ClassVar = "divs"
    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class CeildivuOp(BinaryOp):
    """Element-wise `word.ceildivu`: `%r = kernel.ceildivu %a, %b : tensor<8xi32>`."""

    name = "kernel.ceildivu"
    FUNCTION: ClassVar = "ceildivu"
    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class CeildivsOp(BinaryOp):
    """Element-wise `word.ceildivs`: `%r = kernel.ceildivs %a, %b : tensor<8xi32>`."""

    name = "kernel.ceildivs"
    FUNCTION: ClassVar = "ceildivs"
    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class FloordivsOp(BinaryOp):
    """Element-wise `word.floordivs`: `%r = kernel.floordivs %a, %b : tensor<8xi32>`."""

    name = "kernel.floordivs"
    FUNCTION: ClassVar = "floordivs"
    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class RemuOp(BinaryOp):
    """Element-wise `word.remu`: `%r = kernel.remu %a, %b : tensor<8xi32>`."""

    name = "kernel.remu"
    FUNCTION: ClassVar = "remu"
    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class RemsOp(BinaryOp):
    """Element-wise `word.rems`: `%r = kernel.rems %a, %b : tensor<8xi32>`."""

    name = "kernel.rems"
    FUNCTION: ClassVar = "rems"
    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class MinuOp(BinaryOp):
    """Element-wise `word.minu`: `%r = kernel.minu %a, %b : tensor<8xi32>`."""

    name = "kernel.minu"
    FUNCTION: ClassVar = "minu"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class MaxuOp(BinaryOp):
    """Element-wise `word.maxu`: `%r = kernel.maxu %a, %b : tensor<8xi32>`."""

    name = "kernel.maxu"
    FUNCTION: ClassVar = "maxu"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class MinsOp(BinaryOp):
    """Element-wise `word.mins`: `%r = kernel.mins %a, %b : tensor<8xi32>`."""

    name = "kernel.mins"
    FUNCTION: ClassVar = "mins"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class MaxsOp(BinaryOp):
    """Element-wise `word.maxs`: `%r = kernel.maxs %a, %b : tensor<8xi32>`."""

    name = "kernel.maxs"
    FUNCTION: ClassVar = "maxs"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class MulhuOp(BinaryOp):
    """Element-wise `word.mulhu`: `%r = kernel.mulhu %a, %b : tensor<8xi32>`."""

    name = "kernel.mulhu"
    FUNCTION: ClassVar = "mulhu"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class MulhsOp(BinaryOp):
    """Element-wise `word.mulhs`: `%r = kernel.mulhs %a, %b : tensor<8xi32>`."""

    name = "kernel.mulhs"
    FUNCTION: ClassVar = "mulhs"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class CmpOp(ElementwiseOp):
    """Compare element by element, giving 0 or 1; predicates as `word.cmp`.

    ```mlir
    %0 = kernel.cmp ult, %a, %b : tensor<8xi32>
    ```
    """

    name = "kernel.cmp"
    predicate = prop_def(PredicateAttr)
    lhs = operand_def(ElementwiseOp.T)
    rhs = operand_def(ElementwiseOp.T)
    traits = traits_def(Pure())

    assembly_format = "$predicate `,` $lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, predicate: str, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        super().__init__(
            operands=[lhs, rhs],
            properties={"predicate": PredicateAttr(Predicate(predicate))},
            result_types=[SSAValue.get(lhs).type],
        )

    @property
    def function(self) -> WordFunction:
        return FUNCTIONS[str(self.predicate.data)]


@irdl_op_definition
class SelectOp(ElementwiseOp):
    """`condition != 0 ? on_true : on_false`, element by element."""

    name = "kernel.select"
    FUNCTION: ClassVar = "select"
    condition = operand_def(ElementwiseOp.T)
    on_true = operand_def(ElementwiseOp.T)
    on_false = operand_def(ElementwiseOp.T)
    traits = traits_def(Pure())

    assembly_format = "$condition `,` $on_true `,` $on_false attr-dict `:` type($result)"

    def __init__(
        self,
        condition: SSAValue | Operation,
        on_true: SSAValue | Operation,
        on_false: SSAValue | Operation,
    ):
        super().__init__(
            operands=[condition, on_true, on_false], result_types=[SSAValue.get(on_true).type]
        )


@irdl_op_definition
class MultiplyAddOp(ElementwiseOp):
    """`a * b + c` modulo 2^32, element by element."""

    name = "kernel.multiply_add"
    FUNCTION: ClassVar = "multiply_add"
    a = operand_def(ElementwiseOp.T)
    b = operand_def(ElementwiseOp.T)
    c = operand_def(ElementwiseOp.T)
    traits = traits_def(Pure())

    assembly_format = "$a `,` $b `,` $c attr-dict `:` type($result)"

    def __init__(self, a: SSAValue | Operation, b: SSAValue | Operation, c: SSAValue | Operation):
        super().__init__(operands=[a, b, c], result_types=[SSAValue.get(a).type])


@irdl_op_definition
class BroadcastOp(KernelOp):
    """Repeat a tensor along new dimensions, or permute its dimensions.

    Dimension `i` of the source becomes dimension `dims[i]` of the result; along all other
    dimensions of the result the elements repeat. With all dimensions named this is a
    transposition.

    ```mlir
    %0 = kernel.broadcast %a dims [1] : tensor<3xi32> to tensor<2x3xi32>
    ```
    """

    name = "kernel.broadcast"
    source = operand_def(TENSOR)
    dims = prop_def(DenseArrayBase.constr(i64))
    result = result_def(TENSOR)
    traits = traits_def(Pure())

    assembly_format = "$source `dims` $dims attr-dict `:` type($source) `to` type($result)"

    def __init__(self, source: SSAValue | Operation, dims: Sequence[int], type: Attribute):
        super().__init__(
            operands=[source],
            properties={"dims": DenseArrayBase.from_list(i64, dims)},
            result_types=[type],
        )

    def verify_(self) -> None:
        super().verify_()
        dims = self.dims.get_values()
        source, result = shape_of(self.source), shape_of(self.result)
        if len(dims) != len(source) or len(set(dims)) != len(dims):
            raise VerifyException("expected one distinct result dimension per source dimension")
        for i, dim in enumerate(dims):
            if not 0 <= dim < len(result) or result[dim] != source[i]:
                raise VerifyException(f"source dimension {i} does not match result dimension {dim}")


@irdl_op_definition
class ReshapeOp(KernelOp):
    """The same words in another shape, row-major.

    ```mlir
    %0 = kernel.reshape %a : tensor<2x3xi32> to tensor<6xi32>
    ```
    """

    name = "kernel.reshape"
    source = operand_def(TENSOR)
    result = result_def(TENSOR)
    traits = traits_def(Pure())

    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    def __init__(self, source: SSAValue | Operation, type: Attribute):
        super().__init__(operands=[source], result_types=[type])

    def verify_(self) -> None:
        super().verify_()
        if _elements(self.source) != _elements(self.result):
            raise VerifyException(f"{self.source.type} and {self.result.type} differ in size")


def _elements(value: SSAValue) -> int:
    count = 1
    for dim in shape_of(value):
        count *= dim
    return count


@irdl_op_definition
class ReduceOp(KernelOp):
    """Combine the elements along some dimensions, starting from `init`.

    ```mlir
    %0 = kernel.reduce add, %a, %init dims [1] : tensor<4x8xi32> to tensor<4xi32>
    ```
    """

    name = "kernel.reduce"
    T: ClassVar = VarConstraint("T", TENSOR)
    kind = prop_def(ReductionKindAttr)
    source = operand_def(TENSOR)
    init = operand_def(T)
    dims = prop_def(DenseArrayBase.constr(i64))
    result = result_def(T)
    traits = traits_def(Pure())

    assembly_format = (
        "$kind `,` $source `,` $init `dims` $dims attr-dict `:` type($source) `to` type($result)"
    )

    def __init__(
        self,
        kind: ReductionKind,
        source: SSAValue | Operation,
        init: SSAValue | Operation,
        dims: Sequence[int],
    ):
        super().__init__(
            operands=[source, init],
            properties={
                "kind": ReductionKindAttr(kind),
                "dims": DenseArrayBase.from_list(i64, dims),
            },
            result_types=[SSAValue.get(init).type],
        )

    @property
    def function(self) -> WordFunction:
        """The combining word function."""
        return FUNCTIONS[str(self.kind.data)]

    def verify_(self) -> None:
        super().verify_()
        dims = self.dims.get_values()
        source = shape_of(self.source)
        if len(set(dims)) != len(dims) or not all(0 <= d < len(source) for d in dims):
            raise VerifyException("expected distinct dimensions of the source")
        kept = tuple(size for d, size in enumerate(source) if d not in dims)
        if shape_of(self.result) != kept:
            raise VerifyException(f"reducing {self.source.type} does not give {self.result.type}")


@irdl_op_definition
class GatherOp(KernelOp):
    """Pick elements of a tensor: one index tensor per dimension of the source.

    ```mlir
    %0 = kernel.gather %a[%i, %j] : tensor<9x9xi32>, tensor<4xi32>
    ```
    """

    name = "kernel.gather"
    T: ClassVar = VarConstraint("T", TENSOR)
    source = operand_def(TENSOR)
    indices = var_operand_def(T)
    result = result_def(T)
    traits = traits_def(NoMemoryEffect())

    assembly_format = "$source `[` $indices `]` attr-dict `:` type($source) `,` type($result)"

    def __init__(self, source: SSAValue | Operation, indices: Sequence[SSAValue | Operation]):
        super().__init__(operands=[source, indices], result_types=[SSAValue.get(indices[0]).type])

    def verify_(self) -> None:
        super().verify_()
        _verify_index_count(self.source, len(self.indices))


@irdl_op_definition
class ScatterOp(KernelOp):
    """A tensor with some elements replaced: one index tensor per dimension.

    Of equal indices, the last in row-major order stays.

    ```mlir
    %0 = kernel.scatter %v, %a[%i, %j] : tensor<4xi32>, tensor<9x9xi32>
    ```
    """

    name = "kernel.scatter"
    T: ClassVar = VarConstraint("T", TENSOR)
    U: ClassVar = VarConstraint("U", TENSOR)
    values = operand_def(T)
    dest = operand_def(U)
    indices = var_operand_def(T)
    result = result_def(U)
    traits = traits_def(NoMemoryEffect())

    assembly_format = (
        "$values `,` $dest `[` $indices `]` attr-dict `:` type($values) `,` type($result)"
    )

    def __init__(
        self,
        values: SSAValue | Operation,
        dest: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
    ):
        super().__init__(operands=[values, dest, indices], result_types=[SSAValue.get(dest).type])

    def verify_(self) -> None:
        super().verify_()
        _verify_index_count(self.dest, len(self.indices))


def _verify_index_count(tensor: SSAValue, count: int) -> None:
    rank = len(shape_of(tensor))
    if count != rank:
        raise VerifyException(f"{count} indices into a tensor of rank {rank}")


@irdl_op_definition
class ExtractOp(KernelOp):
    """One element of a tensor: `%x = kernel.extract %t[%i, %j] : tensor<4x4xi32>`."""

    name = "kernel.extract"
    source = operand_def(TENSOR)
    indices = var_operand_def(WORD)
    result = result_def(WORD)
    traits = traits_def(NoMemoryEffect())

    assembly_format = "$source `[` $indices `]` attr-dict `:` type($source)"

    def __init__(self, source: SSAValue | Operation, indices: Sequence[SSAValue | Operation]):
        super().__init__(operands=[source, indices], result_types=[i32])

    def verify_(self) -> None:
        super().verify_()
        _verify_index_count(self.source, len(self.indices))


@irdl_op_definition
class InsertOp(KernelOp):
    """A tensor with one element replaced: `%u = kernel.insert %x, %t[%i] : tensor<4xi32>`."""

    name = "kernel.insert"
    T: ClassVar = VarConstraint("T", TENSOR)
    element = operand_def(WORD)
    dest = operand_def(T)
    indices = var_operand_def(WORD)
    result = result_def(T)
    traits = traits_def(NoMemoryEffect())

    assembly_format = "$element `,` $dest `[` $indices `]` attr-dict `:` type($result)"

    def __init__(
        self,
        element: SSAValue | Operation,
        dest: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
    ):
        super().__init__(operands=[element, dest, indices], result_types=[SSAValue.get(dest).type])

    def verify_(self) -> None:
        super().verify_()
        _verify_index_count(self.dest, len(self.indices))


@irdl_op_definition
class ExtractSliceOp(KernelOp):
    """A rectangular, possibly strided part of a tensor; its shape is the result's.

    ```mlir
    %0 = kernel.extract_slice %t[%i, %j] strides [1, 2] : tensor<8x8xi32> to tensor<2x4xi32>
    ```
    """

    name = "kernel.extract_slice"
    source = operand_def(TENSOR)
    offsets = var_operand_def(WORD)
    strides = prop_def(DenseArrayBase.constr(i64))
    result = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())

    assembly_format = (
        "$source `[` $offsets `]` `strides` $strides attr-dict `:` type($source) `to` type($result)"
    )

    def __init__(
        self,
        source: SSAValue | Operation,
        offsets: Sequence[SSAValue | Operation],
        strides: Sequence[int],
        type: Attribute,
    ):
        super().__init__(
            operands=[source, offsets],
            properties={"strides": DenseArrayBase.from_list(i64, strides)},
            result_types=[type],
        )

    def verify_(self) -> None:
        super().verify_()
        _verify_slice(self.source, self.result, len(self.offsets), len(self.strides))


@irdl_op_definition
class InsertSliceOp(KernelOp):
    """A tensor with a rectangular, possibly strided part replaced.

    ```mlir
    %0 = kernel.insert_slice %s, %t[%i, %j] strides [1, 1] : tensor<2x4xi32>, tensor<8x8xi32>
    ```
    """

    name = "kernel.insert_slice"
    T: ClassVar = VarConstraint("T", TENSOR)
    source = operand_def(TENSOR)
    dest = operand_def(T)
    offsets = var_operand_def(WORD)
    strides = prop_def(DenseArrayBase.constr(i64))
    result = result_def(T)
    traits = traits_def(NoMemoryEffect())

    assembly_format = (
        "$source `,` $dest `[` $offsets `]` `strides` $strides attr-dict "
        "`:` type($source) `,` type($result)"
    )

    def __init__(
        self,
        source: SSAValue | Operation,
        dest: SSAValue | Operation,
        offsets: Sequence[SSAValue | Operation],
        strides: Sequence[int],
    ):
        super().__init__(
            operands=[source, dest, offsets],
            properties={"strides": DenseArrayBase.from_list(i64, strides)},
            result_types=[SSAValue.get(dest).type],
        )

    def verify_(self) -> None:
        super().verify_()
        _verify_slice(self.dest, self.source, len(self.offsets), len(self.strides))


def _verify_slice(whole: SSAValue, part: SSAValue, offsets: int, strides: int) -> None:
    rank = len(shape_of(whole))
    if not rank == len(shape_of(part)) == offsets == strides:
        raise VerifyException("expected one offset and stride per dimension, and equal ranks")


BINARY_OPS: tuple[type[BinaryOp], ...] = (
    AddOp,
    SubOp,
    MulOp,
    AndOp,
    OrOp,
    XorOp,
    ShlOp,
    ShruOp,
    ShrsOp,
    RotlOp,
    RotrOp,
    DivuOp,
    DivsOp,
    CeildivuOp,
    CeildivsOp,
    FloordivsOp,
    RemuOp,
    RemsOp,
    MinuOp,
    MaxuOp,
    MinsOp,
    MaxsOp,
    MulhuOp,
    MulhsOp,
)

BINARY_OP_BY_FUNCTION: dict[str, type[BinaryOp]] = {op.FUNCTION: op for op in BINARY_OPS}
"""The op that applies each word function of two operands, comparisons aside."""

Kernel = Dialect(
    "kernel",
    [
        *BINARY_OPS,
        ConstantOp,
        EmptyOp,
        SplatOp,
        IotaOp,
        CmpOp,
        SelectOp,
        MultiplyAddOp,
        BroadcastOp,
        ReshapeOp,
        ReduceOp,
        GatherOp,
        ScatterOp,
        ExtractOp,
        InsertOp,
        ExtractSliceOp,
        InsertSliceOp,
    ],
    [ReductionKindAttr],
)
