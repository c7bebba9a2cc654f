"""Vectors of any length in terms of the target's vectors and words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from xdsl.context import Context
from xdsl.dialects import cf
from xdsl.dialects.builtin import ModuleOp, VectorType, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.analysis.cfg import reverse_postorder
from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.dialects.facts import target_of
from vliw_mlir.errors import fail


@dataclass(frozen=True)
class LegalizeVectors(ModulePass):
    """Split vectors whose length is not the target's into its vectors and single words.

    A vector of N lanes becomes N / VLEN vectors and N % VLEN words. Expects the SSA level
    with control flow in blocks; guarantees that all vectors have VLEN lanes, except for what
    `word.concat` makes of vectors and words so that slices of VLEN lanes and single lanes can
    be taken. Blocks that cannot be reached are dropped.
    """

    name = "legalize-vectors"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        vlen = target_of(op).vlen
        for func in op.ops:
            if isinstance(func, FuncOp):
                _Legalizer(vlen).run(func)


@dataclass
class _Legalizer:
    vlen: int
    parts: dict[SSAValue, list[SSAValue]] = field(default_factory=dict[SSAValue, list[SSAValue]])
    """What each vector of another length has become."""
    wholes: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """All parts of a vector in one, for slices that do not meet the parts."""

    def run(self, func: FuncOp) -> None:
        if any(self.is_split(type) for type in func.function_type.inputs):
            fail(func, "a function at the SSA level takes words and buffers only")
        order = reverse_postorder(func.body)
        _drop_others(func.body, order)
        ops = [op for block in order for op in block.ops]
        split_args = [arg for block in order for arg in block.args if self.is_split(arg.type)]
        for arg in split_args:
            self._split_argument(arg.block, arg)
        dead = [op for op in ops if self._legalize(op)]
        for op in reversed(dead):
            op.detach()
            op.erase()
        for arg in reversed(split_args):
            arg.block.erase_arg(arg)

    def is_split(self, type: Attribute) -> bool:
        lanes = word.lanes_of(type)
        return lanes is not None and lanes != self.vlen

    def pieces(self, lanes: int) -> list[tuple[int, int]]:
        """First lane and lanes of each part of a vector; parts of one lane are words."""
        whole = lanes - lanes % self.vlen
        return [(lane, self.vlen) for lane in range(0, whole, self.vlen)] + [
            (lane, 1) for lane in range(whole, lanes)
        ]

    def piece_type(self, lanes: int) -> Attribute:
        # On a target with vectors of one lane a part is still a vector.
        return VectorType(i32, [lanes]) if lanes == self.vlen else i32

    def pieces_of(self, value: SSAValue) -> list[tuple[int, int]]:
        return self.pieces(word.lanes_of(value.type) or 0)

    def piece_types(self, value: SSAValue) -> list[tuple[int, Attribute]]:
        """First lane and type of each part."""
        return [(first, self.piece_type(lanes)) for first, lanes in self.pieces_of(value)]

    def _split_argument(self, block: Block, arg: SSAValue) -> None:
        parts = [block.insert_arg(type, len(block.args)) for _, type in self.piece_types(arg)]
        first = block.first_op
        assert first is not None
        self._set(BeforeOp(first), arg, parts)

    def _set(self, e: BeforeOp, value: SSAValue, parts: Sequence[SSAValue]) -> None:
        """Record what a vector has become, and put that together if windows need it."""
        self.parts[value] = list(parts)
        if value not in self.wholes and any(self._is_window(use.operation) for use in value.uses):
            self.wholes[value] = e.emit(word.ConcatOp(parts))

    def _is_window(self, op: Operation) -> bool:
        """Whether an operation takes VLEN lanes that are not those of a part."""
        if not isinstance(op, word.SliceOp):
            return False
        lane = op.lane.value.data
        vectors = {(lane + first, n) for first, n in self.pieces_of(op.result) if n == self.vlen}
        return not vectors.issubset(self.pieces_of(op.vector))

    def _legalize(self, op: Operation) -> bool:
        """Emit the replacement of `op` before it; whether there was anything to replace."""
        if not any(self.is_split(v.type) for v in (*op.operands, *op.results)):
            return False
        handler = _HANDLERS.get(_ARITHMETIC if isinstance(op, _ARITHMETIC) else type(op))
        if handler is None:
            fail(op, f"'{op.name}' on vectors is not supported here; lower control flow first")
        new = handler(self, BeforeOp(op), op)
        if new is not None:
            self._set(BeforeOp(op), op.results[0], new)
        return True

    def number_of(self, value: SSAValue, lane: int) -> int:
        """The number of the part that holds a lane."""
        vectors = (word.lanes_of(value.type) or 0) // self.vlen
        return min(lane // self.vlen, vectors) + max(0, lane - vectors * self.vlen)

    def find(self, value: SSAValue, lane: int) -> tuple[SSAValue, int]:
        """The part that holds a lane, and the lane's number there."""
        part = self.parts.get(value, [value])[self.number_of(value, lane)]
        return part, 0 if part.type == i32 else lane % self.vlen

    def vector_at(self, e: BeforeOp, value: SSAValue, lane: int) -> SSAValue:
        """VLEN lanes of a vector."""
        if (lane, self.vlen) in self.pieces_of(value):
            return self.find(value, lane)[0]
        return e.emit(word.SliceOp(self.wholes[value], lane, self.vlen))


def _drop_others(region: Region, kept: Sequence[Block]) -> None:
    """Drop the blocks of `region` that are not among `kept`; none of those uses them."""
    known = set(kept)
    others = [block for block in region.blocks if block not in known]
    for block in others:
        region.detach_block(block)
    for block in others:
        block.drop_all_references()


_ARITHMETIC = word.ArithmeticOp

_Handler: TypeAlias = Callable[[_Legalizer, BeforeOp, Any], list[SSAValue] | None]
"""Emits the replacement of an op; the parts of its result, if that is a split vector."""


def _offset(e: BeforeOp, base: SSAValue, words: int) -> SSAValue:
    return base if words == 0 else e.function("add", base, e.constant(words))


def _lane_wise(
    s: _Legalizer, e: BeforeOp, op: word.ArithmeticOp | word.SelectByDifferenceOp
) -> list[SSAValue]:
    return [
        e.emit(
            type(op).create(
                operands=operands, result_types=[operands[-1].type], properties=op.properties
            )
        )
        for operands in zip(*(s.parts[v] for v in op.operands), strict=True)
    ]


def _constant(s: _Legalizer, e: BeforeOp, op: word.ConstantOp) -> list[SSAValue]:
    words = op.words()
    return [
        e.emit(word.ConstantOp(words[first : first + lanes] if lanes == s.vlen else words[first]))
        for first, lanes in s.pieces_of(op.result)
    ]


def _broadcast(s: _Legalizer, e: BeforeOp, op: word.BroadcastOp) -> list[SSAValue]:
    return [
        e.emit(word.BroadcastOp(op.source, lanes)) if lanes == s.vlen else op.source
        for _, lanes in s.pieces_of(op.result)
    ]


def _from_elements(s: _Legalizer, e: BeforeOp, op: word.FromElementsOp) -> list[SSAValue]:
    elements = list(op.elements)
    return [
        e.emit(word.FromElementsOp(elements[first : first + lanes]))
        if lanes == s.vlen
        else elements[first]
        for first, lanes in s.pieces_of(op.result)
    ]


def _extract(s: _Legalizer, e: BeforeOp, op: word.ExtractOp) -> None:
    op.result.replace_all_uses_with(_word_of(e, *s.find(op.vector, op.lane.value.data)))


def _insert(s: _Legalizer, e: BeforeOp, op: word.InsertOp) -> list[SSAValue]:
    parts = list(s.parts[op.vector])
    number = s.number_of(op.vector, op.lane.value.data)
    part, lane = s.find(op.vector, op.lane.value.data)
    # The parts need not be distinct values.
    is_word = part.type == i32
    parts[number] = op.element if is_word else e.emit(word.InsertOp(op.element, part, lane))
    return parts


def _concat(s: _Legalizer, e: BeforeOp, op: word.ConcatOp) -> list[SSAValue] | None:
    parts = [part for value in op.parts for part in s.parts.get(value, [value])]
    at = [(part, lane) for part in parts for lane in range(word.lanes_of(part.type) or 1)]
    pieces: list[SSAValue] = []
    for first, lanes in s.pieces(len(at)):
        held = at[first : first + lanes]
        part = held[0][0]
        if lanes != s.vlen:
            pieces.append(_word_of(e, *held[0]))
        elif part.type != i32 and held == [(part, lane) for lane in range(lanes)]:
            pieces.append(part)
        elif all(part.type == i32 for part, _ in held):
            pieces.append(e.emit(word.FromElementsOp([part for part, _ in held])))
        else:
            if op.result not in s.wholes:
                s.wholes[op.result] = e.emit(word.ConcatOp(parts))
            pieces.append(e.emit(word.SliceOp(s.wholes[op.result], first, lanes)))
    return _result(s, op.result, pieces)


def _slice(s: _Legalizer, e: BeforeOp, op: word.SliceOp) -> list[SSAValue] | None:
    lane = op.lane.value.data
    pieces = [
        s.vector_at(e, op.vector, lane + first)
        if lanes == s.vlen
        else _word_of(e, *s.find(op.vector, lane + first))
        for first, lanes in s.pieces_of(op.result)
    ]
    return _result(s, op.result, pieces)


def _result(s: _Legalizer, result: SSAValue, pieces: list[SSAValue]) -> list[SSAValue] | None:
    """The parts of a result; if that is not to be split, its only part takes its place."""
    if s.is_split(result.type):
        return pieces
    result.replace_all_uses_with(pieces[0])
    return None


def _word_of(e: BeforeOp, part: SSAValue, lane: int) -> SSAValue:
    """A lane of a part, which may be a word."""
    return part if part.type == i32 else e.emit(word.ExtractOp(part, lane))


def _load(s: _Legalizer, e: BeforeOp, op: word.LoadOp) -> list[SSAValue]:
    return [
        e.emit(_access(op, word.LoadOp(op.buffer, _offset(e, op.offset, first), type)))
        for first, type in s.piece_types(op.result)
    ]


def _store(s: _Legalizer, e: BeforeOp, op: word.StoreOp) -> None:
    for (first, _), part in zip(s.pieces_of(op.value), s.parts[op.value], strict=True):
        e.append(_access(op, word.StoreOp(part, op.buffer, _offset(e, op.offset, first))))


def _gather(s: _Legalizer, e: BeforeOp, op: word.GatherOp) -> list[SSAValue]:
    return [
        e.emit(
            _access(
                op,
                word.LoadOp(op.buffer, part)
                if word.lanes_of(part.type) is None
                else word.GatherOp(op.buffer, part),
            )
        )
        for part in s.parts[op.offsets]
    ]


def _scatter(s: _Legalizer, e: BeforeOp, op: word.ScatterOp) -> None:
    for value, offset in zip(s.parts[op.values], s.parts[op.offsets], strict=True):
        kind = word.StoreOp if word.lanes_of(value.type) is None else word.ScatterOp
        e.append(_access(op, kind(value, op.buffer, offset)))


def _access(old: word.AccessOp, new: word.AccessOp) -> word.AccessOp:
    """`new`, with what all accesses have in common as in `old`."""
    new.absolute = old.absolute
    return new


def _compare(s: _Legalizer, e: BeforeOp, op: word.CompareOp) -> None:
    keys = [key.data for key in op.keys]
    for (first, lanes), part in zip(s.pieces_of(op.value), s.parts[op.value], strict=True):
        e.append(word.CompareOp(part, keys[first : first + lanes]))


def _branch(s: _Legalizer, e: BeforeOp, op: cf.BranchOp) -> None:
    e.append(cf.BranchOp(op.successor, *_pass(s, op.arguments)))


def _cond_branch(s: _Legalizer, e: BeforeOp, op: cf.ConditionalBranchOp) -> None:
    e.append(
        cf.ConditionalBranchOp(
            op.cond,
            op.then_block,
            _pass(s, op.then_arguments),
            op.else_block,
            _pass(s, op.else_arguments),
        )
    )


def _pass(s: _Legalizer, values: Sequence[SSAValue]) -> list[SSAValue]:
    """Branch operands in the order of the successor's arguments: parts come last."""
    kept = [v for v in values if v not in s.parts]
    return kept + [part for v in values if v in s.parts for part in s.parts[v]]


def _return(s: _Legalizer, e: BeforeOp, op: ReturnOp) -> None:
    fail(op, "a function at the SSA level returns words only")


_HANDLERS: dict[type, _Handler] = {
    _ARITHMETIC: _lane_wise,
    word.SelectByDifferenceOp: _lane_wise,
    word.ConstantOp: _constant,
    word.BroadcastOp: _broadcast,
    word.FromElementsOp: _from_elements,
    word.ExtractOp: _extract,
    word.InsertOp: _insert,
    word.ConcatOp: _concat,
    word.SliceOp: _slice,
    word.LoadOp: _load,
    word.StoreOp: _store,
    word.GatherOp: _gather,
    word.ScatterOp: _scatter,
    word.CompareOp: _compare,
    cf.BranchOp: _branch,
    cf.ConditionalBranchOp: _cond_branch,
    ReturnOp: _return,
}
