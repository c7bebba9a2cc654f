"""Rebuilding a function of standard dialects at the tensor level.

The conversion walks a function once, in dominance order, and emits each op's replacement
into a new function: one pass, no intermediate casts. What the handlers of all dialects
share is here: the type conversion, the value map, emission, and control-flow regions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    IndexType,
    IntegerType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    TensorType,
    UnknownLoc,
    VectorType,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.hints import isa
from xdsl.utils.type import get_element_type_or_self

from vliw_mlir.analysis.cfg import reverse_postorder
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import Emitter, Index
from vliw_mlir.dialects.facts import width_of
from vliw_mlir.errors import fail
from vliw_mlir.lowering.indices import word_or_constant
from vliw_mlir.semantics import WORD_MASK

Handler: TypeAlias = Callable[["Converter", Any], None]


@dataclass(frozen=True)
class Memref:
    """What a memref value stands for: a strided view of a buffer.

    Element `(i, j, …)` is the word at `offset + i * strides[0] + j * strides[1] + …`.
    """

    buffer: SSAValue
    offset: Index
    """Words from the start of the buffer."""
    sizes: Sequence[Index | None]
    """Size of each dimension, None where the function does not compute it."""
    strides: Sequence[Index | None]
    """Words between neighbours along each dimension, None where not known."""
    has_base: bool = True
    """Whether the buffer is the whole memref that the view is a part of.

    It is not when the view came through a block argument or result: the buffer then starts
    where that view did.
    """


@dataclass
class Converter(Emitter):
    """The state of one function's conversion."""

    handlers: Mapping[str, Handler]
    """How to convert the op of each name."""
    values: dict[SSAValue, SSAValue | Memref] = field(
        default_factory=dict[SSAValue, "SSAValue | Memref"]
    )
    """What each value of the old function has become."""
    blocks: dict[Block, Block] = field(default_factory=dict[Block, Block])
    """What each block of the old function has become."""
    globals: dict[str, SSAValue] = field(default_factory=dict[str, SSAValue])
    """The buffer of each `memref.global` used so far."""
    entry: Block = field(default_factory=Block)
    """The entry block of the new function."""
    block: Block = field(default_factory=Block)
    """The block that ops are emitted at the end of."""
    op: Operation | None = None
    """The op being converted."""

    # Emission

    def append(self, op: Operation) -> None:
        """Append `op`, at the source place of the op being converted."""
        if self.op is not None and isinstance(op.location, UnknownLoc):
            op.location = self.op.location
        self.block.add_op(op)

    def emit_at_entry(self, op: Operation) -> SSAValue:
        """Insert `op` at the start of the function, so that all code can use its result."""
        if self.op is not None:
            op.location = self.op.location
        if (first := self.entry.first_op) is None:
            self.entry.add_op(op)
        else:
            self.entry.insert_op_before(op, first)
        return op.results[0]

    # Values

    def get(self, value: SSAValue) -> SSAValue:
        """The word, vector or tensor that `value` has become."""
        converted = self.values[value]
        assert isinstance(converted, SSAValue)
        return converted

    def get_all(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """`get` of each value."""
        return [self.get(value) for value in values]

    def memref(self, value: SSAValue) -> Memref:
        """The view that the memref `value` has become."""
        converted = self.values[value]
        assert isinstance(converted, Memref)
        return converted

    def set(self, old: SSAValue, new: SSAValue | Memref) -> None:
        """Record what `old` has become. A buffer becomes the view that `old`'s type says."""
        if isinstance(new, SSAValue) and isinstance(new.type, word.BufferType):
            new = self.view(new, cast(MemRefType[Attribute], old.type))
        self.values[old] = new

    def replace(self, *results: SSAValue | Memref) -> None:
        """Record what the results of the op being converted have become."""
        assert self.op is not None
        for old, new in zip(self.op.results, results, strict=True):
            self.set(old, new)

    def view(self, buffer: SSAValue, type: MemRefType[Attribute]) -> Memref:
        """A whole buffer seen through a memref type; the view starts at the buffer's start."""
        sizes = tuple(None if d < 0 else d for d in type.get_shape())
        layout = type.layout
        if isinstance(layout, NoneAttr):
            return Memref(buffer, 0, sizes, row_major_strides(sizes))
        if not isinstance(layout, StridedLayoutAttr):
            self.fail(f"memref layout {layout} is not supported; use a strided layout")
        strides = tuple(None if isinstance(s, NoneAttr) else s.data for s in layout.strides)
        return Memref(buffer, 0, sizes, strides, has_base=layout.get_offset() == 0)

    def passable(self, value: SSAValue) -> SSAValue:
        """`value` as one SSA value, to be passed through a block argument or result.

        A memref is passed as the buffer that starts where its view starts.
        """
        converted = self.values[value]
        if isinstance(converted, SSAValue):
            return converted
        if converted.offset == 0:
            start = converted.buffer
        else:
            start = self.emit(
                word.SubbufferOp(converted.buffer, self.as_word(converted.offset), None)
            )
        expected = self.convert_type(value.type)
        if start.type != expected:
            # The static size of a buffer is a fact, not a part of the value.
            assert isinstance(expected, word.BufferType)
            zero = self.constant(0)
            start = self.emit(word.SubbufferOp(start, zero, expected.words))
        return start

    def index(self, value: SSAValue) -> Index:
        """The word that `value` has become, its signed value where it is a constant."""
        return word_or_constant(self.get(value))

    # Types

    def convert_type(self, type: Attribute) -> Attribute:
        """The type at the tensor level that stands for a type of the standard dialects.

        Fails at the current op for types that do not fit in words.
        """
        if width_of(type) is not None:
            return i32
        if isa(type, VectorType[Attribute]):
            if type.get_num_dims() != 1 or type.get_num_scalable_dims():
                self.fail(f"{type}: only vectors of one fixed dimension are supported")
            if 0 in type.get_shape():
                self.fail(f"{type}: a vector needs at least one lane")
            self._check_element(type.element_type)
            return VectorType(i32, type.get_shape())
        if isa(type, TensorType[Attribute]):
            if not type.has_static_shape():
                self.fail(f"{type}: tensors need a static shape")
            self._check_element(type.element_type)
            return TensorType(i32, type.get_shape())
        if isa(type, MemRefType[Attribute]):
            self._check_element(type.element_type)
            return word.BufferType(_buffer_words(type))
        if isinstance(type, word.BufferType):
            return type
        self.fail(_why_not(type))

    def _check_element(self, type: Attribute) -> None:
        if width_of(type) is None:
            self.fail(_why_not(type))

    def width(self, value: SSAValue) -> int:
        """Bits of the integer, or of each integer in a vector, tensor or memref.

        Fails at the current op for types that do not fit in words.
        """
        self.convert_type(value.type)
        width = width_of(get_element_type_or_self(value.type))
        assert width is not None
        return width

    def fail(self, message: str) -> NoReturn:
        """Raise a `CompileError` at the op being converted."""
        assert self.op is not None
        fail(self.op, message)

    # Regions

    def convert_region(self, old: Region, *, is_body: bool = False) -> Region:
        """Convert a region; its blocks are converted in dominance order.

        `is_body` tells that it is the body of the function.
        """
        new = Region()
        order = reverse_postorder(old)
        for block in order:
            types = [self.convert_type(arg.type) for arg in block.args]
            self.blocks[block] = Block(arg_types=types)
            for old_arg, new_arg in zip(block.args, self.blocks[block].args, strict=True):
                new_arg.name_hint = old_arg.name_hint
                self.set(old_arg, new_arg)
        if is_body:
            self.entry = self.blocks[order[0]]
        new.add_block([self.blocks[block] for block in order])
        for block in order:
            self.convert_block(block)
        return new

    def convert_block(self, old: Block, into: Block | None = None) -> None:
        """Emit the conversion of the ops of `old` at the end of `into`, or of its new block."""
        outer_block, outer_op = self.block, self.op
        self.block = self.blocks[old] if into is None else into
        for op in old.ops:
            self.convert_op(op)
        self.block, self.op = outer_block, outer_op

    def convert_op(self, op: Operation) -> None:
        """Emit the replacement of one op."""
        outer, self.op = self.op, op
        handler = self.handlers.get(op.name)
        if handler is not None:
            handler(self, op)
        elif op.dialect_name() in ("word", "kernel"):
            self._keep(op)
        else:
            self._reject(op)
        self._name_results(op)
        self.op = outer

    def _keep(self, op: Operation) -> None:
        """An op that already is at the tensor or SSA level stays as it is."""
        new = op.clone({old: self.passable(old) for old in op.operands})
        self.append(new)
        self.replace(*new.results)

    def _reject(self, op: Operation) -> NoReturn:
        """Fail for the type that makes `op` hopeless if there is one, else for the op."""
        for value in (*op.operands, *op.results):
            self.convert_type(value.type)
        self.fail(f"'{op.name}' is not supported")

    def _name_results(self, op: Operation) -> None:
        for old in op.results:
            new = self.values.get(old)
            if isinstance(new, SSAValue) and new.name_hint is None:
                new.name_hint = old.name_hint


def row_major_strides(sizes: Sequence[Index | None]) -> tuple[int | None, ...]:
    """Strides of a contiguous array; those outside a size that is not constant are unknown."""
    strides: list[int | None] = []
    step: int | None = 1
    for size in reversed(sizes):
        strides.append(step)
        step = step * size if isinstance(step, int) and isinstance(size, int) else None
    return tuple(reversed(strides))


def _buffer_words(type: MemRefType[Attribute]) -> int | None:
    """Words from the first to the last element of a memref, None when not known."""
    sizes = type.get_shape()
    if not isinstance(type.layout, NoneAttr) or any(d < 0 for d in sizes):
        return None
    words = 1
    for size in sizes:
        words *= size
    return words


def _why_not(type: Attribute) -> str:
    if isinstance(type, AnyFloat):
        return f"{type}: floating point is not supported; the machine computes on 32-bit words"
    if isinstance(type, IntegerType | IndexType | ComplexType):
        return f"{type} is not supported; integers must be signless, of 1, 8, 16 or 32 bits"
    return f"type {type} is not supported"


def constant_word(converter: Converter, value: int, what: str = "constant") -> int:
    """`value` as a word in [0, 2**32); fails when it is outside the 32-bit range."""
    if not -(1 << 31) <= value <= WORD_MASK:
        converter.fail(f"{what} {value} does not fit in 32 bits")
    return value & WORD_MASK
