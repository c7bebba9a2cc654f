"""Python source made from operations, with a table that leads from lines back to operations.

A word becomes a Python int in [0, 2**32), a vector or tensor a numpy array of uint32 that is
never written to, a buffer the word address of its start. Every SSA value has one Python
variable, or stands for a literal.

To let the interpreter know an op, write an emitter, a function of the `Code` and the op that
defines the op's results, and enter it in the `EMITTERS` of its dialect's file.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from xdsl.ir import Block, Operation, SSAValue

from vliw_mlir.errors import fail
from vliw_mlir.semantics import WordFunction
from vliw_mlir.verifier import verify_operation

MAX_DEPTH = 16
"""Regions nested deeper become functions: Python limits nested loops to 20, indentation to 100."""

Emitter = Callable[["Code", Any], None]
"""Writes the code of one operation."""


class Line(NamedTuple):
    """One line of generated Python."""

    depth: int
    text: str
    op: Operation
    """The operation that the line belongs to."""
    address: str | None
    """The expression that subscripts the memory, if one does."""


class _Outlined(NamedTuple):
    """A function still to be emitted."""

    name: str
    parameters: list[str]
    op: Operation
    """The operation that the function computes."""
    body: Emitter


class Code:
    """The source being generated."""

    lines: list[Line]
    constants: dict[str, Any]
    """Objects that the source refers to by name."""
    heap_words: int
    """Words of the kernel's own memory, which starts at the variable `heap`."""
    depth: int
    """Indentation of the next line."""

    def __init__(self, emitters: Mapping[type[Operation], Emitter], top: Operation):
        self.lines = []
        self.constants = {}
        self.heap_words = 0
        self.depth = 0
        self._emitters = emitters
        self._op = top
        self._names: dict[SSAValue, str] = {}
        self._count = 0
        self._outlined: list[_Outlined] = []

    # --- values

    def name(self, value: SSAValue) -> str:
        """The variable of `value`, or the literal it stands for."""
        if value not in self._names:
            self._names[value] = self._fresh("v")
        return self._names[value]

    def names(self, values: Sequence[SSAValue]) -> list[str]:
        """The variables of `values`."""
        return [self.name(value) for value in values]

    def define(self, value: SSAValue, expression: str, *, address: str | None = None) -> None:
        """Compute `value`. An `address` is the part of the expression that subscripts memory."""
        self.line(f"{self.name(value)} = {expression}", address=address)

    def alias(self, value: SSAValue, text: str) -> None:
        """Let `value` stand for a literal or for the variable of a value that dominates it."""
        if value in self._names:
            # A use in a block that was written before has the name already.
            self.define(value, text)
        else:
            self._names[value] = text

    def unify(self, value: SSAValue, other: SSAValue) -> None:
        """Let two values that are never live at the same time share a variable."""
        self._names[value] = self.name(other)

    def assign(self, targets: Sequence[SSAValue], sources: Sequence[SSAValue]) -> None:
        """Copy all `sources` to `targets` at once."""
        pairs = zip(self.names(targets), self.names(sources), strict=True)
        moves = [(target, source) for target, source in pairs if target != source]
        if moves:
            left, right = zip(*moves, strict=True)
            self.line(f"{', '.join(left)} = {', '.join(right)}")

    def constant(self, name: str, value: Any) -> str:
        """Make an object known to the source under `name`."""
        self.constants[name] = value
        return name

    def fresh_constant(self, value: Any) -> str:
        """Make an object known to the source under a name of its own."""
        return self.constant(self._fresh("k"), value)

    def array_function(self, function: WordFunction) -> str:
        """The name of the lane-wise form of a word function."""
        return self.constant(f"{function.name}_lanes", function.array)

    def _fresh(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    # --- lines

    def line(self, text: str, *, address: str | None = None) -> None:
        """Append one line, which belongs to the operation being emitted."""
        self.lines.append(Line(self.depth, text, self._op, address))

    @contextmanager
    def indented(self, header: str) -> Generator[None]:
        """A compound statement: `header` and whatever is emitted inside."""
        self.line(header)
        self.depth += 1
        start = len(self.lines)
        yield
        if len(self.lines) == start:
            self.line("pass")
        self.depth -= 1

    @contextmanager
    def apart(self) -> Generator[list[Line]]:
        """Collect what is emitted inside, to be put in place by `splice`."""
        outer, outer_depth = self.lines, self.depth
        self.lines, self.depth = [], 0
        yield self.lines
        self.lines, self.depth = outer, outer_depth

    def splice(self, lines: Sequence[Line]) -> None:
        """Append lines collected by `apart`."""
        self.lines += [line._replace(depth=line.depth + self.depth) for line in lines]

    # --- operations

    def emit(self, op: Operation) -> None:
        """Emit one operation.

        Raises `CompileError` when no emitter knows it, or when it has regions and does not
        verify: emitters rely on the structure of regions.
        """
        with self.at(op):
            if op.regions:
                verify_operation(op)
            if op.regions and self.depth >= MAX_DEPTH:
                self.outline(op, _emit_and_return)
            else:
                self.emitter(op)(self, op)

    @contextmanager
    def at(self, op: Operation) -> Generator[None]:
        """Lines emitted inside belong to `op`."""
        outer, self._op = self._op, op
        yield
        self._op = outer

    def emitter(self, op: Operation) -> Emitter:
        """What emits `op`. Raises `CompileError` when nothing does."""
        for cls in type(op).__mro__:
            if (emitter := self._emitters.get(cls)) is not None:
                return emitter
        fail(
            op,
            f"'{op.name}' is not an op of the tensor or SSA level; run convert-std-to-kernel first",
        )

    def emit_body(self, block: Block) -> Operation:
        """Emit the operations of `block` but for the terminator, which is returned.

        Raises `CompileError` as `emit` does, and when the terminator does not verify.
        """
        terminator = block.last_op
        if terminator is None:
            fail(self._op, "a block has no terminator")
        op = block.first_op
        while op is not None and op is not terminator:
            self.emit(op)
            op = op.next_op
        verify_operation(terminator)
        return terminator

    # --- functions

    def emit_outlined(self) -> None:
        """Emit the functions that `outline` called."""
        while self._outlined:
            name, parameters, op, body = self._outlined.pop()
            with self.at(op), self.indented(f"def {name}({', '.join(parameters)}):"):
                body(self, op)

    def outline(self, op: Operation, body: Emitter) -> None:
        """Define the results of `op` by the call of a function, which has to return them as a
        tuple. `body` writes the function later."""
        function = self._fresh("f")
        parameters = self._captured(op)
        call = f"{function}({', '.join(parameters)})"
        results = self.names(op.results)
        self.line(f"{tuple_of(results)} = {call}" if results else call)
        self._outlined.append(_Outlined(function, parameters, op, body))

    def _captured(self, op: Operation) -> list[str]:
        """The variables that `op` and the operations in it read and do not define."""
        inside: set[SSAValue] = set()
        used: dict[SSAValue, None] = {}
        for current in op.walk():
            inside.update(current.results)
            inside.update(*(block.args for region in current.regions for block in region.blocks))
            used.update(dict.fromkeys(current.operands))
        names = (self.name(value) for value in used if value not in inside)
        return [name for name in dict.fromkeys(names) if name.isidentifier()]


def _emit_and_return(code: Code, op: Operation) -> None:
    code.emitter(op)(code, op)
    code.line(f"return {tuple_of(code.names(op.results))}")


def tuple_of(items: Sequence[str]) -> str:
    """A Python tuple of the given expressions."""
    return f"({', '.join(items)},)" if items else "()"
