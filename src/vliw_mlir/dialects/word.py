"""The SSA level: words, vectors of words, and memory as buffers of words.

Every value is a 32-bit word (`i32`), a vector of words (`vector<Nxi32>`), or a *buffer*:
a base object in memory with a known number of words. One op set serves words and vectors
alike; on vectors it works lane by lane. Truth values are words, 0 or 1; `word.test` turns
one into the `i1` that `scf` and `cf` branch on.

What an arithmetic op computes is said once, in `vliw_mlir.semantics`.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from enum import auto
from functools import cache
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IntAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import (
    Attribute,
    Dialect,
    Operation,
    ParametrizedAttribute,
    SpacedOpaqueSyntaxAttribute,
    SSAValue,
    TypeAttribute,
)
from xdsl.irdl import (
    AnyAttr,
    AnyOf,
    BaseAttr,
    EqAttrConstraint,
    IRDLOperation,
    ParamAttrConstraint,
    VarConstraint,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    param_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import (
    Commutative,
    ConstantLike,
    MemoryAllocEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    Pure,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from vliw_mlir.semantics import FUNCTIONS, WORD_MASK, WordFunction

WORD = EqAttrConstraint(i32)
VECTOR = VectorType.constr(WORD)
WORD_OR_VECTOR = AnyOf((WORD, VECTOR))

DYNAMIC = -1
"""The size of a buffer whose size is known only at run time."""


class Predicate(StrEnum):
    """How two words are compared; the values are names of word functions."""

    eq = auto()
    ne = auto()
    ult = auto()
    ule = auto()
    ugt = auto()
    uge = auto()
    slt = auto()
    sle = auto()
    sgt = auto()
    sge = auto()


@irdl_attr_definition
class PredicateAttr(EnumAttribute[Predicate], SpacedOpaqueSyntaxAttribute):
    """A comparison predicate."""

    name = "word.predicate"


@irdl_attr_definition
class BufferType(ParametrizedAttribute, TypeAttribute):
    """A base object in memory: contiguous words at an address known at run time.

    Two buffers that come from distinct kernel arguments or allocations never overlap.

    Syntax: `!word.buffer<16>`, or `!word.buffer<?>` when the size is not known.
    """

    name = "word.buffer"

    size: IntAttr = param_def()
    """Words, or `DYNAMIC`."""

    def __init__(self, size: int | IntAttr | None):
        if not isinstance(size, IntAttr):
            size = IntAttr(DYNAMIC if size is None else size)
        super().__init__(size)

    @property
    def words(self) -> int | None:
        """The size in words, None when known only at run time."""
        return None if self.size.data == DYNAMIC else self.size.data

    def verify(self) -> None:
        if self.size.data < DYNAMIC:
            raise VerifyException("the size of a buffer must not be negative")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            if parser.parse_optional_punctuation("?"):
                return (IntAttr(DYNAMIC),)
            return (IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False)),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("?" if self.words is None else str(self.words))


def lanes_of(type: Attribute) -> int | None:
    """Lanes of a vector type, None for a word."""
    if isinstance(type, VectorType):
        return cast(VectorType, type).get_shape()[0]
    return None


@cache
def vector_of(lanes: int) -> VectorType:
    """The type of vectors of `lanes` words; made once, as that takes long."""
    return VectorType(i32, [lanes])


def _verify_vector(*types: Attribute) -> None:
    for type in types:
        if not isinstance(type, VectorType):
            continue
        shape = type.get_shape()
        if len(shape) != 1 or 0 in shape or type.get_num_scalable_dims():
            raise VerifyException(
                f"expected a vector of one dimension, fixed and not 0, got {type}"
            )


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """A constant word, or a vector of constant words.

    ```mlir
    %0 = word.constant 42 : i32
    %1 = word.constant dense<[0, 1, 2, 3]> : vector<4xi32>
    ```
    """

    name = "word.constant"
    T: ClassVar = VarConstraint("T", WORD_OR_VECTOR)

    value = prop_def(
        IntegerAttr.constr(WORD & T) | ParamAttrConstraint(DenseIntOrFPElementsAttr, (T, AnyAttr()))
    )
    result = result_def(T)

    traits = traits_def(Pure(), ConstantLike())
    assembly_format = "attr-dict $value"

    def __init__(self, value: int | Sequence[int]):
        if isinstance(value, int):
            super().__init__(properties={"value": word_attr(value)}, result_types=[i32])
            return
        type = VectorType(i32, [len(value)])
        dense = DenseIntOrFPElementsAttr.from_list(type, [_as_signed(v) for v in value])
        super().__init__(properties={"value": dense}, result_types=[type])

    def verify_(self) -> None:
        _verify_vector(self.result.type)

    def word(self) -> int:
        """The value of a scalar constant, in [0, 2**32)."""
        if not isinstance(self.value, IntegerAttr):
            raise ValueError("not a scalar constant")
        return self.value.value.data & WORD_MASK

    def words(self) -> tuple[int, ...]:
        """The value of each lane (of the one word for a scalar), in [0, 2**32)."""
        if isinstance(self.value, IntegerAttr):
            return (self.word(),)
        return tuple(cast(int, v) & WORD_MASK for v in self.value.get_values())


def _as_signed(word: int) -> int:
    """The builtin attributes print signed values; keep them in that range."""
    word &= WORD_MASK
    return word - (1 << 32) if word >> 31 else word


def word_attr(value: int) -> IntegerAttr:
    """An `i32` attribute holding `value` modulo 2**32."""
    return IntegerAttr(_as_signed(value), i32)


class ArithmeticOp(IRDLOperation, ABC):
    """An op that applies a word function to words or lane-wise to vectors.

    All operands and the result have one type.
    """

    T: ClassVar = VarConstraint("T", WORD_OR_VECTOR)
    result = result_def(T)

    FUNCTION: ClassVar[str] = ""
    """Name of the word function, unless the op picks one by an attribute."""

    @property
    def function(self) -> WordFunction:
        """The word function this op applies."""
        return FUNCTIONS[self.FUNCTION]

    def verify_(self) -> None:
        _verify_vector(self.result.type)


class BinaryOp(ArithmeticOp, ABC):
    """A word function of two operands."""

    lhs = operand_def(ArithmeticOp.T)
    rhs = operand_def(ArithmeticOp.T)

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        super().__init__(operands=[lhs, rhs], result_types=[SSAValue.get(lhs).type])


@irdl_op_definition
class AddOp(BinaryOp):
    """`lhs + rhs` modulo 2^32: `%r = word.add %a, %b : i32`."""

    name = "word.add"
    FUNCTION: ClassVar = "add"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class SubOp(BinaryOp):
    """`lhs - rhs` modulo 2^32: `%r = word.sub %a, %b : i32`."""

    name = "word.sub"
    FUNCTION: ClassVar = "sub"
    traits = traits_def(Pure())


@irdl_op_definition
class MulOp(BinaryOp):
    """`lhs * rhs` modulo 2^32: `%r = word.mul %a, %b : i32`."""

    name = "word.mul"
    FUNCTION: ClassVar = "mul"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class AndOp(BinaryOp):
    """Bitwise and: `%r = word.and %a, %b : i32`."""

    name = "word.and"
    FUNCTION: ClassVar = "and"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class OrOp(BinaryOp):
    """Bitwise or: `%r = word.or %a, %b : i32`."""

    name = "word.or"
    FUNCTION: ClassVar = "or"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class XorOp(BinaryOp):
    """Bitwise exclusive or: `%r = word.xor %a, %b : i32`."""

    name = "word.xor"
    FUNCTION: ClassVar = "xor"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class ShlOp(BinaryOp):
    """Shift left; a count of 32 or more gives 0: `%r = word.shl %a, %n : i32`."""

    name = "word.shl"
    FUNCTION: ClassVar = "shl"
    traits = traits_def(Pure())


@irdl_op_definition
class ShruOp(BinaryOp):
    """Shift right filling with zeros; a count of 32 or more gives 0."""

    name = "word.shru"
    FUNCTION: ClassVar = "shru"
    traits = traits_def(Pure())


@irdl_op_definition
class ShrsOp(BinaryOp):
    """Shift right filling with the sign; a count of 32 or more gives all sign bits."""

    name = "word.shrs"
    FUNCTION: ClassVar = "shrs"
    traits = traits_def(Pure())


@irdl_op_definition
class RotlOp(BinaryOp):
    """Rotate left by the count modulo 32: `%r = word.rotl %a, %n : i32`."""

    name = "word.rotl"
    FUNCTION: ClassVar = "rotl"
    traits = traits_def(Pure())


@irdl_op_definition
class RotrOp(BinaryOp):
    """Rotate right by the count modulo 32: `%r = word.rotr %a, %n : i32`."""

    name = "word.rotr"
    FUNCTION: ClassVar = "rotr"
    traits = traits_def(Pure())


@irdl_op_definition
class DivuOp(BinaryOp):
    """Unsigned division, truncating. Traps when the divisor is zero."""

    name = "word.divu"
    FUNCTION: ClassVar = "divu"
    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class DivsOp(BinaryOp):
    """Signed division, truncating; -2^31 / -1 wraps. Traps when the divisor is zero."""

    name = "word.divs"
    FUNCTION: ClassVar = "divs"
    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class CeildivuOp(BinaryOp):
    """Unsigned division, rounding up. Traps when the divisor is zero."""

    name = "word.ceildivu"
    FUNCTION: ClassVar = "ceildivu"
    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class CeildivsOp(BinaryOp):
    """Signed division, rounding towards +infinity. Traps when the divisor is zero."""

    name = "word.ceildivs"
    FUNCTION: ClassVar = "ceildivs"
    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class FloordivsOp(BinaryOp):
    """Signed division, rounding towards -infinity. Traps when the divisor is zero."""

    name = "word.floordivs"
    FUNCTION: ClassVar = "floordivs"
    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class RemuOp(BinaryOp):
    """Unsigned remainder. Traps when the divisor is zero."""

    name = "word.remu"
    FUNCTION: ClassVar = "remu"
    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class RemsOp(BinaryOp):
    """Signed remainder with the sign of the dividend. Traps when the divisor is zero."""

    name = "word.rems"
    FUNCTION: ClassVar = "rems"
    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class MinuOp(BinaryOp):
    """The smaller of two unsigned words."""

    name = "word.minu"
    FUNCTION: ClassVar = "minu"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class MaxuOp(BinaryOp):
    """The larger of two unsigned words."""

    name = "word.maxu"
    FUNCTION: ClassVar = "maxu"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class MinsOp(BinaryOp):
    """The smaller of two signed words."""

    name = "word.mins"
    FUNCTION: ClassVar = "mins"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class MaxsOp(BinaryOp):
    """The larger of two signed words."""

    name = "word.maxs"
    FUNCTION: ClassVar = "maxs"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class MulhuOp(BinaryOp):
    """The high word of the unsigned 64-bit product."""

    name = "word.mulhu"
    FUNCTION: ClassVar = "mulhu"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class MulhsOp(BinaryOp):
    """The high word of the signed 64-bit product."""

    name = "word.mulhs"
    FUNCTION: ClassVar = "mulhs"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class CmpOp(ArithmeticOp):
    """Compare two words; the result is 1 when the predicate holds, else 0.

    Predicates: `eq ne ult ule ugt uge slt sle sgt sge`.

    ```mlir
    %0 = word.cmp ult, %a, %b : vector<8xi32>
    ```
    """

    name = "word.cmp"
    predicate = prop_def(PredicateAttr)
    lhs = operand_def(ArithmeticOp.T)
    rhs = operand_def(ArithmeticOp.T)
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
class SelectOp(ArithmeticOp):
    """`condition != 0 ? on_true : on_false`, lane by lane on vectors.

    ```mlir
    %0 = word.select %c, %a, %b : i32
    ```
    """

    name = "word.select"
    FUNCTION: ClassVar = "select"
    condition = operand_def(ArithmeticOp.T)
    on_true = operand_def(ArithmeticOp.T)
    on_false = operand_def(ArithmeticOp.T)
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
class MultiplyAddOp(ArithmeticOp):
    """`a * b + c` modulo 2^32: `%r = word.multiply_add %a, %b, %c : vector<8xi32>`."""

    name = "word.multiply_add"
    FUNCTION: ClassVar = "multiply_add"
    a = operand_def(ArithmeticOp.T)
    b = operand_def(ArithmeticOp.T)
    c = operand_def(ArithmeticOp.T)
    traits = traits_def(Pure())

    assembly_format = "$a `,` $b `,` $c attr-dict `:` type($result)"

    def __init__(self, a: SSAValue | Operation, b: SSAValue | Operation, c: SSAValue | Operation):
        super().__init__(operands=[a, b, c], result_types=[SSAValue.get(a).type])


@irdl_op_definition
class SelectByDifferenceOp(IRDLOperation):
    """`word.select` by a condition of 0 or 1, given the difference of what it selects from.

    ```mlir
    %0 = word.select_by_difference %c, %a, %b, %d : vector<8xi32>
    ```

    With `%d` = `%a - %b` and `%c` 0 or 1 it is also `%c * %d + %b`, so that instruction
    selection may do it by a multiply-add. That both hold is up to who makes it: the result is
    `%c != 0 ? %a : %b`.
    """

    T: ClassVar = VarConstraint("T", WORD_OR_VECTOR)
    name = "word.select_by_difference"
    condition = operand_def(T)
    on_true = operand_def(T)
    on_false = operand_def(T)
    difference = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())

    assembly_format = (
        "$condition `,` $on_true `,` $on_false `,` $difference attr-dict `:` type($result)"
    )

    def __init__(
        self, condition: SSAValue, on_true: SSAValue, on_false: SSAValue, difference: SSAValue
    ):
        super().__init__(
            operands=[condition, on_true, on_false, difference], result_types=[on_true.type]
        )


@irdl_op_definition
class BroadcastOp(IRDLOperation):
    """A word in every lane: `%v = word.broadcast %x : vector<8xi32>`."""

    name = "word.broadcast"
    source = operand_def(WORD)
    result = result_def(VECTOR)
    traits = traits_def(Pure())

    assembly_format = "$source attr-dict `:` type($result)"

    def __init__(self, source: SSAValue | Operation, lanes: int):
        super().__init__(operands=[source], result_types=[VectorType(i32, [lanes])])

    def verify_(self) -> None:
        _verify_vector(self.result.type)


@irdl_op_definition
class FromElementsOp(IRDLOperation):
    """A vector of the given words, lane 0 first.

    ```mlir
    %v = word.from_elements %a, %b, %c, %d : vector<4xi32>
    ```
    """

    name = "word.from_elements"
    elements = var_operand_def(WORD)
    result = result_def(VECTOR)
    traits = traits_def(Pure())

    assembly_format = "$elements attr-dict `:` type($result)"

    def __init__(self, elements: Sequence[SSAValue | Operation]):
        super().__init__(operands=[elements], result_types=[VectorType(i32, [len(elements)])])

    def verify_(self) -> None:
        _verify_vector(self.result.type)
        if lanes_of(self.result.type) != len(self.elements):
            raise VerifyException(
                f"{len(self.elements)} elements for a result of {self.result.type}"
            )


@irdl_op_definition
class ExtractOp(IRDLOperation):
    """One lane of a vector: `%x = word.extract %v[3] : vector<8xi32>`."""

    name = "word.extract"
    vector = operand_def(VECTOR)
    lane = prop_def(IntegerAttr.constr(EqAttrConstraint(i64)))
    result = result_def(WORD)
    traits = traits_def(Pure())

    assembly_format = "$vector `[` $lane `]` attr-dict `:` type($vector)"

    def __init__(self, vector: SSAValue | Operation, lane: int):
        super().__init__(
            operands=[vector],
            properties={"lane": IntegerAttr(lane, i64)},
            result_types=[i32],
        )

    def verify_(self) -> None:
        _verify_lane(self.vector.type, self.lane)


@irdl_op_definition
class InsertOp(IRDLOperation):
    """A vector with one lane replaced: `%w = word.insert %x, %v[3] : vector<8xi32>`."""

    name = "word.insert"
    T: ClassVar = VarConstraint("T", VECTOR)
    element = operand_def(WORD)
    vector = operand_def(T)
    lane = prop_def(IntegerAttr.constr(EqAttrConstraint(i64)))
    result = result_def(T)
    traits = traits_def(Pure())

    assembly_format = "$element `,` $vector `[` $lane `]` attr-dict `:` type($vector)"

    def __init__(self, element: SSAValue | Operation, vector: SSAValue | Operation, lane: int):
        super().__init__(
            operands=[element, vector],
            properties={"lane": IntegerAttr(lane, i64)},
            result_types=[SSAValue.get(vector).type],
        )

    def verify_(self) -> None:
        _verify_lane(self.vector.type, self.lane)


@irdl_op_definition
class ConcatOp(IRDLOperation):
    """Words and vectors one after the other, as one vector.

    It says that its parts are adjacent: instruction selection lets them be computed side by
    side, so that neither this nor the slices of it take instructions.

    ```mlir
    %w = word.concat %a, %b, %x : vector<8xi32>, vector<8xi32>, i32 -> vector<17xi32>
    ```
    """

    name = "word.concat"
    parts = var_operand_def(WORD_OR_VECTOR)
    result = result_def(VECTOR)
    traits = traits_def(Pure())

    assembly_format = "$parts attr-dict `:` type($parts) `->` type($result)"

    def __init__(self, parts: Sequence[SSAValue | Operation]):
        lanes = sum(lanes_of(SSAValue.get(part).type) or 1 for part in parts)
        super().__init__(operands=[parts], result_types=[vector_of(lanes)])

    def verify_(self) -> None:
        _verify_vector(self.result.type, *self.parts.types)
        lanes = sum(lanes_of(type) or 1 for type in self.parts.types)
        if lanes != lanes_of(self.result.type):
            raise VerifyException(f"{lanes} words for a result of {self.result.type}")


@irdl_op_definition
class SliceOp(IRDLOperation):
    """Consecutive lanes of a vector, from a fixed one on: a window, which takes no instruction.

    ```mlir
    %v = word.slice %w[3] : vector<17xi32> -> vector<8xi32>
    ```
    """

    name = "word.slice"
    vector = operand_def(VECTOR)
    lane = prop_def(IntegerAttr.constr(EqAttrConstraint(i64)))
    result = result_def(VECTOR)
    traits = traits_def(Pure())

    assembly_format = "$vector `[` $lane `]` attr-dict `:` type($vector) `->` type($result)"

    def __init__(self, vector: SSAValue | Operation, lane: int, lanes: int):
        super().__init__(
            operands=[vector],
            properties={"lane": IntegerAttr(lane, i64)},
            result_types=[vector_of(lanes)],
        )

    def verify_(self) -> None:
        _verify_lane(self.vector.type, self.lane)
        _verify_vector(self.result.type)
        end = self.lane.value.data + (lanes_of(self.result.type) or 1)
        if end > (lanes_of(self.vector.type) or 1):
            raise VerifyException(f"lane {end - 1} of {self.vector.type}")


def _verify_lane(type: Attribute, lane: IntegerAttr) -> None:
    _verify_vector(type)
    lanes = lanes_of(type)
    if lanes is not None and not 0 <= lane.value.data < lanes:
        raise VerifyException(f"lane {lane.value.data} of a vector of {lanes} lanes")


@irdl_op_definition
class TestOp(IRDLOperation):
    """The `i1` that `scf` and `cf` branch on: whether a word is not zero.

    ```mlir
    %c = word.test %x
    ```
    """

    name = "word.test"
    word = operand_def(WORD)
    result = result_def(i1)
    traits = traits_def(Pure())

    assembly_format = "$word attr-dict"

    def __init__(self, word: SSAValue | Operation):
        super().__init__(operands=[word], result_types=[i1])


@irdl_op_definition
class AllocOp(IRDLOperation):
    """Words of the kernel's own memory, at an address that stays the same for the run.

    With `init` the words hold the given values each time the op runs; else they hold
    anything. Executing the op again gives the same buffer again.

    ```mlir
    %0 = word.alloc : !word.buffer<16>
    %1 = word.alloc init dense<[1, 2, 3]> : vector<3xi32> : !word.buffer<3>
    ```
    """

    name = "word.alloc"
    init = opt_prop_def(BaseAttr(DenseIntOrFPElementsAttr))
    result = result_def(BufferType)
    traits = traits_def(MemoryAllocEffect(), MemoryWriteEffect())

    assembly_format = "(`init` $init^)? attr-dict `:` type($result)"

    def __init__(self, words: int, init: Sequence[int] | None = None):
        attr = None
        if init is not None:
            values = [_as_signed(v) for v in init]
            attr = DenseIntOrFPElementsAttr.from_list(VectorType(i32, [words]), values)
        super().__init__(properties={"init": attr}, result_types=[BufferType(words)])

    def verify_(self) -> None:
        words = self.result.type.words
        if words is None:
            raise VerifyException("the size of an allocation must be known")
        if self.init is None:
            return
        type = self.init.get_type()
        if type != VectorType(i32, [words]):
            raise VerifyException(f"init of {type} for a buffer of {words} words")

    def init_words(self) -> tuple[int, ...] | None:
        """The initial words in [0, 2**32), None when the op does not say."""
        if self.init is None:
            return None
        return tuple(cast(int, v) & WORD_MASK for v in self.init.get_values())


@irdl_op_definition
class AddressOp(IRDLOperation):
    """The word address at which a buffer starts: `%a = word.address %b : !word.buffer<8>`."""

    name = "word.address"
    buffer = operand_def(BufferType)
    result = result_def(WORD)
    traits = traits_def(Pure())

    assembly_format = "$buffer attr-dict `:` type($buffer)"

    def __init__(self, buffer: SSAValue | Operation):
        super().__init__(operands=[buffer], result_types=[i32])


@irdl_op_definition
class SubbufferOp(IRDLOperation):
    """The part of a buffer that starts `offset` words into it, as a buffer.

    ```mlir
    %s = word.subbuffer %b[%offset] : !word.buffer<64> to !word.buffer<?>
    ```
    """

    name = "word.subbuffer"
    buffer = operand_def(BufferType)
    offset = operand_def(WORD)
    result = result_def(BufferType)
    traits = traits_def(Pure())

    assembly_format = "$buffer `[` $offset `]` attr-dict `:` type($buffer) `to` type($result)"

    def __init__(
        self, buffer: SSAValue | Operation, offset: SSAValue | Operation, words: int | None
    ):
        super().__init__(operands=[buffer, offset], result_types=[BufferType(words)])


class AccessOp(IRDLOperation, ABC):
    """A memory access: words of a base object, at a distance from its start.

    Marked `absolute`, the offset is the address itself; the buffer then only says which
    object is accessed: `word.load %buffer[%address] absolute : …`.
    """

    # Each op repeats it at its place: IRDL orders inherited operands last.
    buffer = operand_def(BufferType)
    absolute = opt_prop_def(UnitAttr)


@irdl_op_definition
class LoadOp(AccessOp):
    """Load a word, or as many consecutive words as the result has lanes.

    ```mlir
    %0 = word.load %buffer[%offset] : !word.buffer<64> -> i32
    %1 = word.load %buffer[%offset] : !word.buffer<64> -> vector<8xi32>
    ```
    """

    name = "word.load"
    buffer = operand_def(BufferType)
    offset = operand_def(WORD)
    result = result_def(WORD_OR_VECTOR)
    traits = traits_def(MemoryReadEffect())

    assembly_format = (
        "$buffer `[` $offset `]` (`absolute` $absolute^)? attr-dict "
        "`:` type($buffer) `->` type($result)"
    )

    def __init__(
        self, buffer: SSAValue | Operation, offset: SSAValue | Operation, type: Attribute = i32
    ):
        super().__init__(operands=[buffer, offset], result_types=[type])

    def verify_(self) -> None:
        _verify_vector(self.result.type)


@irdl_op_definition
class StoreOp(AccessOp):
    """Store a word, or the lanes of a vector to consecutive words.

    ```mlir
    word.store %value, %buffer[%offset] : i32, !word.buffer<64>
    ```
    """

    name = "word.store"
    value = operand_def(WORD_OR_VECTOR)
    buffer = operand_def(BufferType)
    offset = operand_def(WORD)
    traits = traits_def(MemoryWriteEffect())

    assembly_format = (
        "$value `,` $buffer `[` $offset `]` (`absolute` $absolute^)? attr-dict "
        "`:` type($value) `,` type($buffer)"
    )

    def __init__(
        self,
        value: SSAValue | Operation,
        buffer: SSAValue | Operation,
        offset: SSAValue | Operation,
    ):
        super().__init__(operands=[value, buffer, offset])

    def verify_(self) -> None:
        _verify_vector(self.value.type)


@irdl_op_definition
class GatherOp(AccessOp):
    """Load one word per lane, each from its own offset.

    ```mlir
    %0 = word.gather %buffer[%offsets] : !word.buffer<64> -> vector<8xi32>
    ```
    """

    name = "word.gather"
    T: ClassVar = VarConstraint("T", VECTOR)
    buffer = operand_def(BufferType)
    offsets = operand_def(T)
    result = result_def(T)
    traits = traits_def(MemoryReadEffect())

    assembly_format = (
        "$buffer `[` $offsets `]` (`absolute` $absolute^)? attr-dict "
        "`:` type($buffer) `->` type($result)"
    )

    def __init__(self, buffer: SSAValue | Operation, offsets: SSAValue | Operation):
        super().__init__(operands=[buffer, offsets], result_types=[SSAValue.get(offsets).type])

    def verify_(self) -> None:
        _verify_vector(self.result.type)


@irdl_op_definition
class ScatterOp(AccessOp):
    """Store one word per lane, each to its own offset; of equal offsets the last lane stays.

    ```mlir
    word.scatter %values, %buffer[%offsets] : vector<8xi32>, !word.buffer<64>
    ```
    """

    name = "word.scatter"
    T: ClassVar = VarConstraint("T", VECTOR)
    values = operand_def(T)
    buffer = operand_def(BufferType)
    offsets = operand_def(T)
    traits = traits_def(MemoryWriteEffect())

    assembly_format = (
        "$values `,` $buffer `[` $offsets `]` (`absolute` $absolute^)? attr-dict "
        "`:` type($values) `,` type($buffer)"
    )

    def __init__(
        self,
        values: SSAValue | Operation,
        buffer: SSAValue | Operation,
        offsets: SSAValue | Operation,
    ):
        super().__init__(operands=[values, buffer, offsets])

    def verify_(self) -> None:
        _verify_vector(self.values.type)


@irdl_op_definition
class TraceWriteOp(IRDLOperation):
    """Append a word to the machine's trace buffer: `word.trace_write %x`."""

    name = "word.trace_write"
    word = operand_def(WORD)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "$word attr-dict"

    def __init__(self, word: SSAValue | Operation):
        super().__init__(operands=[word])


@irdl_op_definition
class PauseOp(IRDLOperation):
    """Stop the machine until it is resumed: `word.pause`."""

    name = "word.pause"
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__()


@irdl_op_definition
class CoreIdOp(IRDLOperation):
    """The number of the core, 0 on this machine: `%i = word.core_id`."""

    name = "word.core_id"
    result = result_def(WORD)
    traits = traits_def(Pure())

    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__(result_types=[i32])


@irdl_op_definition
class CompareOp(IRDLOperation):
    """Check a value against the debug value of a key; costs nothing, changes nothing.

    One key for a word, one per lane for a vector.

    ```mlir
    word.compare %x, ["after round 3"] : i32
    ```
    """

    name = "word.compare"
    value = operand_def(WORD_OR_VECTOR)
    keys = prop_def(ArrayAttr[StringAttr])
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "$value `,` $keys attr-dict `:` type($value)"

    def __init__(self, value: SSAValue | Operation, keys: Sequence[str]):
        attr = ArrayAttr([StringAttr(key) for key in keys])
        super().__init__(operands=[value], properties={"keys": attr})

    def verify_(self) -> None:
        _verify_vector(self.value.type)
        lanes = lanes_of(self.value.type) or 1
        if lanes != len(self.keys):
            raise VerifyException(f"{len(self.keys)} keys for {lanes} words")


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

Word = Dialect(
    "word",
    [
        ConstantOp,
        *BINARY_OPS,
        CmpOp,
        SelectOp,
        MultiplyAddOp,
        SelectByDifferenceOp,
        BroadcastOp,
        FromElementsOp,
        ExtractOp,
        InsertOp,
        ConcatOp,
        SliceOp,
        TestOp,
        AllocOp,
        AddressOp,
        SubbufferOp,
        LoadOp,
        StoreOp,
        GatherOp,
        ScatterOp,
        TraceWriteOp,
        PauseOp,
        CoreIdOp,
        CompareOp,
    ],
    [BufferType, PredicateAttr],
)
