"""Emitters for the ops of the SSA level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from xdsl.ir import Operation, SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.interp.codegen import Code, Emitter, tuple_of
from vliw_mlir.semantics import FUNCTIONS, WORD_MASK, WordFunction


def _constant(code: Code, op: word.ConstantOp) -> None:
    if word.lanes_of(op.result.type) is None:
        code.alias(op.result, str(op.word()))
    else:
        code.alias(op.result, code.fresh_constant(np.array(op.words(), np.uint32)))


def _arithmetic(code: Code, op: word.ArithmeticOp) -> None:
    _apply(code, op.function, op.operands, op.result)


def _apply(
    code: Code, function: WordFunction, operands: Sequence[SSAValue], result: SSAValue
) -> None:
    names = code.names(operands)
    if word.lanes_of(result.type) is None:
        code.define(result, function.expr.format(*names))
    else:
        code.define(result, f"{code.array_function(function)}({', '.join(names)})")


def _select_by_difference(code: Code, op: word.SelectByDifferenceOp) -> None:
    _apply(code, FUNCTIONS["select"], [op.condition, op.on_true, op.on_false], op.result)


def _broadcast(code: Code, op: word.BroadcastOp) -> None:
    lanes = word.lanes_of(op.result.type)
    code.define(op.result, f"full({lanes}, {code.name(op.source)}, uint32)")


def _from_elements(code: Code, op: word.FromElementsOp) -> None:
    code.define(op.result, f"array({tuple_of(code.names(op.elements))}, uint32)")


def _extract(code: Code, op: word.ExtractOp) -> None:
    code.define(op.result, f"{code.name(op.vector)}.item({op.lane.value.data})")


def _insert(code: Code, op: word.InsertOp) -> None:
    element, vector = code.names([op.element, op.vector])
    code.define(op.result, f"insert_element({element}, {vector}, {op.lane.value.data})")


def _concat(code: Code, op: word.ConcatOp) -> None:
    code.define(op.result, f"concat({tuple_of(code.names(op.parts))})")


def _slice(code: Code, op: word.SliceOp) -> None:
    lane, lanes = op.lane.value.data, word.lanes_of(op.result.type) or 1
    code.define(op.result, f"{code.name(op.vector)}[{lane} : {lane + lanes}]")


def _test(code: Code, op: word.TestOp) -> None:
    # Python takes a word as a condition as it is.
    code.alias(op.result, code.name(op.word))


def _alloc(code: Code, op: word.AllocOp) -> None:
    words = op.result.type.words
    assert words is not None
    code.define(op.result, f"heap + {code.heap_words}")
    code.heap_words += words
    init = op.init_words()
    if init is not None:
        values = code.fresh_constant(np.array(init, np.uint32))
        code.line(f"store_words(memory, {code.name(op.result)}, {values})")


def _address(code: Code, op: word.AddressOp) -> None:
    code.alias(op.result, code.name(op.buffer))


def _subbuffer(code: Code, op: word.SubbufferOp) -> None:
    buffer, offset = code.names([op.buffer, op.offset])
    code.define(op.result, f"({buffer} + {offset}) & {WORD_MASK}")


def _place(code: Code, op: word.LoadOp | word.StoreOp) -> str:
    """The expression for the address of the first word accessed."""
    buffer, offset = code.names([op.buffer, op.offset])
    return offset if op.absolute else f"({buffer} + {offset}) & {WORD_MASK}"


def _places(code: Code, op: word.GatherOp | word.ScatterOp) -> str:
    """The expression for the address of each lane; uint32 arrays wrap by themselves."""
    buffer, offsets = code.names([op.buffer, op.offsets])
    return offsets if op.absolute else f"{buffer} + {offsets}"


def _load(code: Code, op: word.LoadOp) -> None:
    place = _place(code, op)
    lanes = word.lanes_of(op.result.type)
    if lanes is None:
        code.define(op.result, f"memory[{place}]", address=place)
    else:
        code.define(op.result, f"load_words(memory, {place}, {lanes})")


def _store(code: Code, op: word.StoreOp) -> None:
    place, value = _place(code, op), code.name(op.value)
    if word.lanes_of(op.value.type) is None:
        code.line(f"memory[{place}] = {value}", address=place)
    else:
        code.line(f"store_words(memory, {place}, {value})")


def _gather(code: Code, op: word.GatherOp) -> None:
    code.define(op.result, f"gather_words(memory, {_places(code, op)})")


def _scatter(code: Code, op: word.ScatterOp) -> None:
    code.line(f"scatter_words(memory, {_places(code, op)}, {code.name(op.values)})")


def _trace_write(code: Code, op: word.TraceWriteOp) -> None:
    code.line(f"trace.append({code.name(op.word)})")


def _pause(code: Code, op: word.PauseOp) -> None:
    """Nobody waits to resume the interpreter."""


def _core_id(code: Code, op: word.CoreIdOp) -> None:
    code.alias(op.result, "0")


def _compare(code: Code, op: word.CompareOp) -> None:
    keys = code.fresh_constant([key.data for key in op.keys])
    code.line(f"check({keys}, {code.name(op.value)})")


EMITTERS: dict[type[Operation], Emitter] = {
    word.ConstantOp: _constant,
    **dict.fromkeys(word.BINARY_OPS, cast(Emitter, _arithmetic)),
    word.CmpOp: _arithmetic,
    word.SelectOp: _arithmetic,
    word.MultiplyAddOp: _arithmetic,
    word.SelectByDifferenceOp: _select_by_difference,
    word.BroadcastOp: _broadcast,
    word.FromElementsOp: _from_elements,
    word.ExtractOp: _extract,
    word.InsertOp: _insert,
    word.ConcatOp: _concat,
    word.SliceOp: _slice,
    word.TestOp: _test,
    word.AllocOp: _alloc,
    word.AddressOp: _address,
    word.SubbufferOp: _subbuffer,
    word.LoadOp: _load,
    word.StoreOp: _store,
    word.GatherOp: _gather,
    word.ScatterOp: _scatter,
    word.TraceWriteOp: _trace_write,
    word.PauseOp: _pause,
    word.CoreIdOp: _core_id,
    word.CompareOp: _compare,
}
