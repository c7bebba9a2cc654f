"""Operations of `tensor` that xDSL lacks."""

from __future__ import annotations

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DenseArrayBase, IndexType, TensorType, UnitAttr, i64
from xdsl.dialects.tensor import YieldOp
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from vliw_mlir.dialects.upstream.extension import extend


@irdl_op_definition
class RankOp(IRDLOperation):
    """The number of dimensions of a tensor: `%n = tensor.rank %t : tensor<4x4xi32>`."""

    name = "tensor.rank"

    tensor = operand_def(TensorType[Attribute])
    result = result_def(IndexType)

    traits = traits_def(Pure())

    assembly_format = "$tensor attr-dict `:` type($tensor)"


@irdl_op_definition
class BitcastOp(IRDLOperation):
    """The same bits as elements of another type of the same width."""

    name = "tensor.bitcast"

    source = operand_def(TensorType[Attribute])
    dest = result_def(TensorType[Attribute])

    traits = traits_def(Pure())

    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"


@irdl_op_definition
class GenerateOp(IRDLOperation):
    """A tensor whose elements the body computes from their indices.

    ```
    %t = tensor.generate %n {
    ^bb0(%i: index):
      tensor.yield %a : i32
    } : tensor<?xi32>
    ```
    """

    name = "tensor.generate"

    dynamicExtents = var_operand_def(IndexType)
    body = region_def("single_block")
    result = result_def(TensorType[Attribute])

    traits = traits_def(RecursiveMemoryEffect())

    assembly_format = "$dynamicExtents $body attr-dict `:` type($result)"

    def verify_(self) -> None:
        type = self.result.type
        dynamic = sum(size < 0 for size in type.get_shape())
        if len(self.dynamicExtents) != dynamic:
            raise VerifyException(f"{type} needs {dynamic} sizes, not {len(self.dynamicExtents)}")
        if self.body.block.arg_types != (IndexType(),) * type.get_num_dims():
            raise VerifyException(f"body must take {type.get_num_dims()} values of type index")
        last = self.body.block.last_op
        if not isinstance(last, YieldOp) or last.operand_types != (type.element_type,):
            raise VerifyException(f"body must yield one {type.element_type}")


@irdl_op_definition
class GatherOp(IRDLOperation):
    """Slices of a tensor at the coordinates in the last dimension of `indices`.

    ```
    %r = tensor.gather %t[%ix] gather_dims([0])
        : (tensor<8xi32>, tensor<4x1xindex>) -> tensor<4xi32>
    ```
    """

    name = "tensor.gather"

    source = operand_def(TensorType[Attribute])
    indices = operand_def(TensorType[Attribute])
    gather_dims = prop_def(DenseArrayBase.constr(i64))
    unique = opt_prop_def(UnitAttr)
    result = result_def(TensorType[Attribute])

    traits = traits_def(Pure())

    assembly_format = (
        "$source `[` $indices `]` `gather_dims` `(` $gather_dims `)` (`unique` $unique^)? "
        "attr-dict `:` functional-type(operands, results)"
    )

    def verify_(self) -> None:
        source, indices, result = self.source.type, self.indices.type, self.result.type
        assert isa(source, TensorType[Attribute])
        assert isa(indices, TensorType[Attribute])
        assert isa(result, TensorType[Attribute])
        dims = self.gather_dims.get_values()
        rank = source.get_num_dims()
        if list(dims) != sorted(set(dims)) or not set(dims) <= set(range(rank)):
            raise VerifyException(f"gather_dims {list(dims)} must be increasing dimensions")
        if not indices.get_shape() or indices.get_shape()[-1] != len(dims):
            raise VerifyException(f"last dimension of {indices} must be {len(dims)}")
        leading = indices.get_shape()[:-1]
        slice_ = source.get_shape()
        whole = (*leading, *(1 if d in dims else slice_[d] for d in range(rank)))
        reduced = (*leading, *(slice_[d] for d in range(rank) if d not in dims))
        if result.get_shape() not in (whole, reduced):
            raise VerifyException(f"result shape must be {list(reduced)} or {list(whole)}")


Tensor = extend(tensor.Tensor, [RankOp, BitcastOp, GenerateOp, GatherOp])
