"""The values in scope as expressions that are simplified as they are made.

An `Expression` says how a value is computed; equal computations are one expression (value
numbering), constants are known, and every new computation passes through constant folding and
the rewrite rules before an operation is created for it.
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from vliw_mlir.analysis.possible_bits import possible_bits
from vliw_mlir.dialects import word
from vliw_mlir.semantics import FUNCTIONS, WORD_MASK
from vliw_mlir.transforms.rules.matcher import CONSTANT, Matcher, Words

OPAQUE = "opaque"
"""The function of a value of which nothing is known."""

MAX_DEPTH = 8
"""How deep rules may build on the results of rules."""

Key: TypeAlias = tuple[Hashable, ...]


class Expression:
    """How one value is computed."""

    __slots__ = ("args", "constant", "function", "number", "ones", "value")

    value: SSAValue
    function: str
    """A word function, `CONSTANT`, `OPAQUE`, or the name of another pure operation."""
    args: tuple[Expression, ...]
    constant: Words | None
    """The value of a constant: one word (also of a vector full of it), or a word per lane."""
    ones: int
    """The bits that may be set, in any lane."""
    number: int
    """Counts expressions, in the order in which they were made."""

    def __init__(
        self,
        value: SSAValue,
        function: str,
        args: tuple[Expression, ...],
        ones: int,
        number: int,
        constant: Words | None = None,
    ):
        self.value = value
        self.function = function
        self.args = args
        self.ones = ones
        self.number = number
        self.constant = constant

    @property
    def word(self) -> int | None:
        """The value if it is one known word, in all lanes."""
        return self.constant if isinstance(self.constant, int) else None


class Expressions:
    """The expressions of one function, and the making of new ones.

    New operations go in front of `anchor`, constants to the start of the function.
    """

    anchor: Operation
    folded: int
    """How many operations became constants."""
    rewritten: int
    """How many operations a rule replaced."""
    merged: int
    """How many operations were found to compute what another one does."""

    def __init__(self, entry: Block, matcher: Matcher):
        self.folded = self.rewritten = self.merged = 0
        self._matcher = matcher
        self._entry = entry
        self._last_constant: Operation | None = None
        self._by_value: dict[SSAValue, Expression] = {}
        self._by_key: dict[Key, Expression] = {}
        self._constants: dict[tuple[Attribute, Words], Expression] = {}
        # What to undo at the end of the scopes that are open: entries made and replaced.
        self._undo: list[tuple[dict[Any, Expression], Any, Expression | None]] = []
        self._depth = 0
        self._count = 0
        self._hoists = False

    # Scopes

    def enter(self) -> int:
        """Begin a scope; the result is to be given to `leave`."""
        return len(self._undo)

    def leave(self, mark: int) -> None:
        """End a scope: forget what was found out in it, for it need not hold elsewhere."""
        while len(self._undo) > mark:
            table, key, old = self._undo.pop()
            if old is None:
                del table[key]
            else:
                table[key] = old

    @contextmanager
    def scope(self) -> Generator[None]:
        """A scope for a `with` block."""
        mark = self.enter()
        yield
        self.leave(mark)

    def assume(self, expression: Expression, constant: int) -> None:
        """Take it that a value is a constant, until the end of the scope."""
        if expression.constant is not None:
            return
        old = self._by_value[expression.value]
        self._undo.append((self._by_value, expression.value, old))
        self._by_value[expression.value] = self.constant_like(constant, expression)

    # Looking up

    def of(self, value: SSAValue) -> Expression:
        """The expression of a value."""
        found = self._by_value.get(value)
        return self.define(value, OPAQUE, ()) if found is None else found

    def operands(self, op: Operation) -> tuple[Expression, ...]:
        """The expressions of the operands of `op`, which then uses their values."""
        values = tuple(op.operands)
        found = tuple(map(self.of, values))
        for number, (expression, value) in enumerate(zip(found, values, strict=True)):
            if expression.value is not value:
                op.operands[number] = expression.value
        return found

    def find(self, key: Key) -> Expression | None:
        """What was recorded under `key`, if its operation is still there."""
        found = self._by_key.get(key)
        if found is None:
            return None
        # Only results of operations are recorded by key.
        block = found.value.owner.parent
        if block is None or (self._hoists and not self._is_around_anchor(block)):
            return None
        return found

    @contextmanager
    def hoisting(self, anchor: Operation) -> Generator[None]:
        """Put new operations in front of `anchor`, an operation around the one being walked."""
        old, self.anchor = self.anchor, anchor
        hoists, self._hoists = self._hoists, anchor is not old
        yield
        self.anchor, self._hoists = old, hoists

    def _is_around_anchor(self, block: Block | Operation | Region) -> bool:
        """Whether what `block` defined so far is there at the anchor, too."""
        current = self.anchor.parent
        while current is not None and current is not block:
            op = current.parent_op()
            current = None if op is None else op.parent
        return current is block

    # Defining

    def define(
        self,
        value: SSAValue,
        function: str,
        args: tuple[Expression, ...],
        key: Key | None = None,
        *,
        ones: int = WORD_MASK,
    ) -> Expression:
        """Record how a value is computed, for later look-up under `key`."""
        self._count += 1
        made = Expression(value, function, args, ones, self._count)
        self._by_value[value] = made
        if key is not None:
            self._undo.append((self._by_key, key, self._by_key.get(key)))
            self._by_key[key] = made
        return made

    def define_function(
        self, value: SSAValue, function: str, args: tuple[Expression, ...]
    ) -> Expression:
        """Record that a value is a word function of expressions."""
        ones = possible_bits(function, [a.ones for a in args], [a.word for a in args])
        return self.define(value, function, args, _key(function, args), ones=ones)

    def define_constant(self, op: word.ConstantOp) -> Expression:
        """Record a constant; one of equal value that was there before takes its place."""
        words = op.words()
        value: Words = words[0] if len(set(words)) == 1 else words
        type = op.result.type
        found = self._find_constant(type, value)
        if found is not None:
            self._by_value[op.result] = found
            return found
        if op.parent is not self._entry:
            op.detach()
            self._insert_constant(op)
        return self._record_constant(op, type, value)

    # Making

    def constant_like(self, words: Words, like: Expression) -> Expression:
        """A constant of the type of `like`."""
        return self.constant(words, like.value.type)

    def constant(self, words: Words, type: Attribute = i32) -> Expression:
        """A constant word, or vector."""
        found = self._find_constant(type, words)
        if found is not None:
            return found
        op = _constant_op(words, type)
        op.location = self.anchor.location
        self._insert_constant(op)
        return self._record_constant(op, type, words)

    def apply(self, function: str, args: Sequence[Expression]) -> Expression:
        """A word function of expressions, computed by a new operation if need be."""
        args = ordered(function, args)
        simpler = self.simplify(function, args)
        if simpler is not None:
            return simpler
        op = make_function_op(function, [arg.value for arg in args])
        self.insert(op)
        (result,) = op.results
        return self.define_function(result, function, args)

    def insert(self, op: Operation) -> None:
        """Put a new operation at the anchor."""
        op.location = self.anchor.location
        block = self.anchor.parent
        assert block is not None
        block.insert_op_before(op, self.anchor)

    def simplify(self, function: str, args: tuple[Expression, ...]) -> Expression | None:
        """What `function(*args)` is equal to: a constant, something simpler, or an earlier value.

        `args` must be `ordered`. None when it has to be computed.
        """
        folded = self._fold(function, args)
        if folded is not None:
            self.folded += 1
            return folded
        if self._depth < MAX_DEPTH:
            self._depth += 1
            simpler = self._matcher.rewrite(self, function, args)
            self._depth -= 1
            if simpler is not None:
                self.rewritten += 1
                return simpler[1]
        found = self.find(_key(function, args))
        if found is not None:
            self.merged += 1
        return found

    def is_used_elsewhere(self, expression: Expression) -> bool:
        """Whether an operand is needed besides by the operation that is being rewritten.

        An operand from another block is taken to be: it may be computed less often there.
        """
        if expression.value.owner.parent is not self.anchor.parent:
            return True
        if self._depth == 1:
            return expression.value.has_more_than_one_use()
        # The operation is only being made: nothing uses its operands on its behalf yet.
        return expression.value.first_use is not None

    def _fold(self, function: str, args: tuple[Expression, ...]) -> Expression | None:
        constants: list[Words] = []
        for arg in args:
            if arg.constant is None:
                return None
            constants.append(arg.constant)
        scalar = FUNCTIONS[function].scalar
        try:
            words = _lane_wise(scalar, constants)
        except ZeroDivisionError:
            return None
        return self.constant_like(words, args[0])

    def _find_constant(self, type: Attribute, words: Words) -> Expression | None:
        found = self._constants.get((type, words))
        if found is None or found.value.owner.parent is None:
            return None
        return found

    def _record_constant(self, op: word.ConstantOp, type: Attribute, words: Words) -> Expression:
        self._count += 1
        ones = words
        if not isinstance(ones, int):
            ones = 0
            for lane in words if isinstance(words, tuple) else ():
                ones |= lane
        made = Expression(op.result, CONSTANT, (), ones, self._count, words)
        self._by_value[op.result] = made
        self._constants[type, words] = made
        return made

    def _insert_constant(self, op: Operation) -> None:
        """Put a constant at the start of the function, after those that were put there before."""
        last = self._last_constant
        if last is not None and last.parent is self._entry:
            self._entry.insert_op_after(op, last)
        elif self._entry.first_op is not None:
            self._entry.insert_op_before(op, self._entry.first_op)
        self._last_constant = op


def _key(function: str, args: tuple[Expression, ...]) -> Key:
    if len(args) == 2 and args[0].number > args[1].number and FUNCTIONS[function].commutative:
        return (function, args[1], args[0])
    return (function, *args)


def ordered(function: str, args: Sequence[Expression]) -> tuple[Expression, ...]:
    """The operands with constants last if the function is commutative."""
    if (
        len(args) == 2
        and args[0].constant is not None
        and args[1].constant is None
        and FUNCTIONS[function].commutative
    ):
        return (args[1], args[0])
    return tuple(args)


def _lane_wise(scalar: Any, constants: Sequence[Words]) -> Words:
    """A word function of constants, lane by lane if one differs among the lanes."""
    lanes = next((len(c) for c in constants if isinstance(c, tuple)), None)
    if lanes is None:
        return scalar(*constants)
    rows = [c if isinstance(c, tuple) else (c,) * lanes for c in constants]
    words = tuple(scalar(*column) for column in zip(*rows, strict=True))
    return words[0] if len(set(words)) == 1 else words


def _constant_op(words: Words, type: Attribute) -> word.ConstantOp:
    lanes = word.lanes_of(type)
    if not isinstance(words, int):
        return word.ConstantOp(words)
    if lanes is not None:
        return word.ConstantOp([words] * lanes)
    properties = {"value": word.word_attr(words)}
    return word.ConstantOp.create(properties=properties, result_types=(type,))


_PREDICATES = {p: word.PredicateAttr(p) for p in word.Predicate}


def make_function_op(function: str, operands: Sequence[SSAValue]) -> Operation:
    """An operation that computes a word function."""
    type: Attribute = operands[-1].type
    op_type = _OPS.get(function)
    if op_type is not None:
        return op_type.create(operands=operands, result_types=(type,))
    predicate = _PREDICATES[word.Predicate(function)]
    return word.CmpOp.create(
        operands=operands, result_types=(type,), properties={"predicate": predicate}
    )


_OPS: dict[str, type[Operation]] = {
    **word.BINARY_OP_BY_FUNCTION,
    "select": word.SelectOp,
    "multiply_add": word.MultiplyAddOp,
}
