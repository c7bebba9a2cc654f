"""Alias analysis: whether two accesses of memory touch the same words.

An access goes to words of a base object: an argument of the kernel or an allocation. Different
base objects never overlap, and a subscript stays within its object. Within one, the difference
of two offsets decides: a constant, or a set of numbers bounded by the ranges of what occurs in
it.

    aliases = AliasAnalysis(func)
    aliases.relation(aliases.access(load), aliases.access(store))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cache

from xdsl.dialects import scf
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from vliw_mlir.analysis.affine import Affine, AffineForms
from vliw_mlir.analysis.buffers import base_objects, root_of
from vliw_mlir.analysis.loops import constant_bounds
from vliw_mlir.analysis.ranges import Ranges
from vliw_mlir.analysis.strided_interval import StridedInterval, from_words, single
from vliw_mlir.dialects import word
from vliw_mlir.semantics import SIGN_BIT, WORD_MASK, to_signed


@dataclass(frozen=True)
class Access:
    """One access of memory."""

    op: word.AccessOp | word.AllocOp
    """An allocation accesses its buffer to set initial words."""
    writes: bool
    buffer: SSAValue
    """The buffer it goes to, subbuffers followed to what they are part of."""
    offset: Affine | None
    """The first word it touches, counted from the start of `buffer`; None if not known, as for
    gathers. Of absolute accesses, `buffer` itself is a term, which stands for its address."""
    words: int
    """How many words from there on it touches; 1 for gathers and scatters. They end below 2^31,
    counted from the constant of the offset as a signed number."""


class Alias(Enum):
    """What two accesses have to do with each other."""

    NO = "no"
    """They have no word in common."""
    MAY = "may"
    """Nothing is known, or they have only some words in common."""
    MUST = "must"
    """They touch the same words."""


# Accesses


def access_of(op: word.AccessOp | word.AllocOp, forms: AffineForms) -> Access:
    """What is known of one access."""
    if isinstance(op, word.AllocOp):
        return Access(op, True, op.result, Affine(), op.result.type.words or 0)
    root = root_of(op.buffer)
    match op:
        case word.LoadOp():
            writes, offset, type = False, op.offset, op.result.type
        case word.StoreOp():
            writes, offset, type = True, op.offset, op.value.type
        case _:
            return Access(op, isinstance(op, word.ScatterOp), root, None, 1)
    words = word.lanes_of(type) or 1
    form = _offset(op, offset, forms.of)
    if to_signed(form.constant) + words > SIGN_BIT:
        # Signed constants shall be in the order of the words: so it has none.
        form = _offset(op, offset, _as_term)
    return Access(op, writes, root, form, words)


def _as_term(value: SSAValue) -> Affine:
    return Affine(0, {value: 1})


def _offset(op: word.AccessOp, offset: SSAValue, form_of: Callable[[SSAValue], Affine]) -> Affine:
    """Where the access begins within the root of its buffer."""
    if op.absolute is not None:
        return _absolute(form_of(offset), form_of) - _as_term(root_of(op.buffer))
    return form_of(offset) + _start(op.buffer, form_of)


def _start(buffer: SSAValue, form_of: Callable[[SSAValue], Affine]) -> Affine:
    """Where `buffer` starts within its root."""
    form = Affine()
    while isinstance(buffer.owner, word.SubbufferOp):
        form += form_of(buffer.owner.offset)
        buffer = buffer.owner.buffer
    return form


def _absolute(form: Affine, form_of: Callable[[SSAValue], Affine]) -> Affine:
    """A form in which roots stand for the addresses of buffers."""
    for value, factor in form.terms.items():
        op = value.owner
        if isinstance(op, word.AddressOp):
            start = _as_term(root_of(op.buffer)) + _start(op.buffer, form_of)
            form = form.without(value) + start.scaled(factor)
    return form


def accesses_in(op: Operation, forms: AffineForms) -> list[Access] | None:
    """All accesses within `op`; None if something else in it touches memory."""
    accesses: list[Access] = []
    for inner in op.walk():
        if isinstance(inner, word.AccessOp):
            accesses.append(access_of(inner, forms))
        elif isinstance(inner, _OTHER_EFFECTS):
            return None
    return accesses


_OTHER_EFFECTS = (word.AllocOp, word.TraceWriteOp, word.PauseOp)


@cache
def is_opaque(op_type: type[Operation]) -> bool:
    """Whether operations of a type may touch any memory, in ways that no `Access` tells.

    A pause is: whoever resumes the machine sees memory, and may change it. So are operations
    of other levels. What is in regions does not count.
    """
    if issubclass(op_type, ReturnOp):
        return False
    return issubclass(op_type, word.PauseOp) or not op_type.name.startswith(_SSA_LEVEL)


_SSA_LEVEL = ("word.", "scf.", "cf.")


def words_within(access: Access) -> int:
    """How many of the words of an access, from the first on, surely lie in its buffer.

    Subscripts do, and so does what is stored; but a vector load may go beyond the end.
    """
    if access.writes or access.words == 1:
        return access.words
    size = _size(access.buffer)
    if size is None or access.offset is None or not access.offset.is_constant:
        return 1
    return max(1, min(access.words, size - to_signed(access.offset.constant)))


# Relations


class AliasAnalysis:
    """Answers for the accesses of one function of the SSA level.

    Answers hold at one moment: a value that occurs in both offsets is taken to be the same.
    So accesses in different iterations may only be compared if at least one of the offsets has
    no term from within the loop.
    """

    def __init__(self, func: FuncOp):
        self.forms = AffineForms()
        self.ranges = Ranges(func)
        self._accesses: dict[word.AccessOp | word.AllocOp, Access] = {}
        self._base_objects: dict[SSAValue, frozenset[SSAValue] | None] = {}
        self._intervals: dict[SSAValue, StridedInterval] = {}

    def access(self, op: word.AccessOp | word.AllocOp) -> Access:
        """What is known of an access."""
        found = self._accesses.get(op)
        if found is None:
            found = self._accesses[op] = access_of(op, self.forms)
        return found

    def relation(self, a: Access, b: Access) -> Alias:
        """Whether two accesses touch the same words."""
        if a.buffer is not b.buffer:
            return Alias.NO if self.is_distinct(a.buffer, b.buffer) else Alias.MAY
        if a.offset is not None and b.offset is not None:
            difference = a.offset - b.offset
            if difference.is_constant and a.words == b.words and difference.constant == 0:
                return Alias.MUST
            if not self.interval(difference).meets(1 - a.words, b.words - 1):
                return Alias.NO
        return Alias.NO if self.are_apart(a, b) else Alias.MAY

    def may_overlap(self, a: Access, b: Access) -> bool:
        """Whether two accesses may have a word in common."""
        return self.relation(a, b) is not Alias.NO

    def is_distinct(self, a: SSAValue, b: SSAValue) -> bool:
        """Whether two roots never overlap."""
        if a is b:
            return False
        objects = self.base_objects(a), self.base_objects(b)
        return objects[0] is not None and objects[1] is not None and not objects[0] & objects[1]

    def base_objects(self, root: SSAValue) -> frozenset[SSAValue] | None:
        """The base objects that a root may be part of; None if that is not known."""
        if root not in self._base_objects:
            self._base_objects[root] = base_objects(root)
        return self._base_objects[root]

    def is_in_bounds(self, access: Access) -> bool:
        """Whether an access, executed anywhere, lies within a buffer of known size."""
        size = _size(access.buffer)
        span = self._span(access)
        if size is None or span is None:
            return False
        return span.low >= 0 and span.high + access.words <= size

    def interval(self, form: Affine) -> StridedInterval:
        """A superset of what a form can be, as numbers that are it modulo 2^32."""
        total = single(to_signed(form.constant))
        for value, factor in form.terms.items():
            total += self._interval_of(value).scaled(to_signed(factor))
        return total

    def _interval_of(self, value: SSAValue) -> StridedInterval:
        found = self._intervals.get(value)
        if found is None:
            found = self._counter(value) or from_words(self.ranges.of(value))
            self._intervals[value] = found
        return found

    def _counter(self, value: SSAValue) -> StridedInterval | None:
        """The values of the counter of a loop with constant bounds that runs."""
        if not isinstance(value, BlockArgument) or value.index != 0:
            return None
        loop = value.block.parent_op()
        bounds = constant_bounds(loop) if isinstance(loop, scf.ForOp) else None
        if bounds is None or bounds.low >= bounds.high:
            return None
        step = bounds.step if bounds.last > bounds.low else 0
        return StridedInterval(bounds.low, bounds.last, step)

    def are_apart(self, a: Access, b: Access) -> bool:
        """Whether all words of their buffer that one may ever touch lie before those of the
        other."""
        first, second = self._span(a), self._span(b)
        if first is None or second is None or min(first.low, second.low) < 0:
            return False
        if max(first.high, second.high) > WORD_MASK:
            return False
        return first.high + a.words <= second.low or second.high + b.words <= first.low

    def _span(self, access: Access) -> StridedInterval | None:
        """The offsets from the root at which the access may begin."""
        if access.offset is not None:
            return self.interval(access.offset)
        op = access.op
        assert isinstance(op, word.GatherOp | word.ScatterOp)
        if op.absolute is not None:
            return None
        return self._interval_of(op.offsets) + self.interval(_start(op.buffer, self.forms.of))


def _size(root: SSAValue) -> int | None:
    type = root.type
    assert isinstance(type, word.BufferType)
    return type.words
