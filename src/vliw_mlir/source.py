"""Reading MLIR text: the context that knows all dialects, and a parser that keeps positions."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import NoReturn

from xdsl.context import Context
from xdsl.dialects.builtin import (
    FileLineColLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import AttributeInvT, Block, BlockArgument, Operation, SSAValue
from xdsl.parser import ForwardDeclaredValue, Parser, ParserState, UnresolvedOperand
from xdsl.universe import Universe
from xdsl.utils.exceptions import MultipleSpansParseError, ParseError, VerifyException
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from vliw_mlir.dialects.upstream import OVERRIDES
from vliw_mlir.errors import CompileError
from vliw_mlir.suggest import did_you_mean


class SyntaxFailure(CompileError):
    """Text that is not well-formed MLIR."""


@cache
def multiverse() -> Universe:
    """All dialects, passes and targets: of xDSL, of this project and of installed plug-ins.

    Raises `CompileError` when two plug-ins define the same name.
    """
    try:
        return Universe.get_multiverse()
    except ValueError as e:
        raise CompileError(f"cannot load the installed xDSL plug-ins: {e}") from e


def make_context(*, allow_unregistered: bool = False) -> Context:
    """A context with every dialect registered, each imported when the text first uses it."""
    ctx = Context(allow_unregistered=allow_unregistered)
    register_dialects(ctx)
    return ctx


def register_dialects(ctx: Context) -> None:
    """Register every dialect in the empty context `ctx`.

    Dialects of xDSL that fall short of MLIR are replaced by those of `dialects.upstream`.
    """
    for name, factory in multiverse().all_dialects.items():
        ctx.register_dialect(name, OVERRIDES.get(name, factory))


def parse_module(
    ctx: Context,
    text: str,
    name: str = "<string>",
    *,
    line_offset: int = 0,
    implicit_module: bool = True,
) -> ModuleOp:
    """Parse `text`, the content of the file `name`, into a module.

    Every operation and block argument written without `loc(…)` gets its position in the text;
    `line_offset` is the number of lines that come before `text` in the file. With
    `implicit_module`, operations outside of a module are put into one.

    Raises `SyntaxFailure` for text that does not parse.
    """
    positions = Positions(text, name, line_offset)
    try:
        return LocatedParser(ctx, text, positions).parse_module(implicit_module)
    except ParseError as e:
        raise SyntaxFailure(_message(e, positions), positions.place(e.span.start)) from e
    except RecursionError as e:
        raise SyntaxFailure("regions or attributes are nested too deeply", name) from e


def _message(error: ParseError, positions: Positions) -> str:
    message = " ".join(error.msg.split())
    if not isinstance(error, MultipleSpansParseError):
        return message
    places = ", ".join(positions.place(span.start) for span, _ in error.refs)
    return f"{message} ({(error.ref_text or 'see').rstrip(':')}: {places})"


class Positions:
    """Lines and columns, both from 1, of the offsets in a text."""

    def __init__(self, text: str, name: str, line_offset: int = 0):
        self.name = name
        self._file = StringAttr(name)
        self._line_offset = line_offset
        self._line_starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """The line in the file and the column of an offset in the text."""
        line = bisect_right(self._line_starts, offset)
        return line + self._line_offset, offset - self._line_starts[line - 1] + 1

    def place(self, offset: int) -> str:
        """`file:line:col` of an offset."""
        line, column = self.line_and_column(offset)
        return f"{self.name}:{line}:{column}"

    def location(self, offset: int) -> FileLineColLoc:
        """The location attribute of an offset."""
        line, column = self.line_and_column(offset)
        return FileLineColLoc(self._file, IntAttr(line), IntAttr(column))


class LinearLexer(MLIRLexer):
    """xDSL's lexer, without the exponential time that it takes for a string left open."""

    # The same expression with possessive repetitions, which never try again.
    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')


class LocatedParser(Parser):
    """xDSL's parser, with a source location for every operation and block argument."""

    _positions: Positions
    _operation_start: int = 0
    """Offset of the operation that was begun last."""
    _early_uses: dict[SSAValue, Span]
    """The first use of each placeholder, which stands for a value not yet defined."""
    _early_aliases: set[str]
    """Aliases that were read before the parser came to their definition."""

    def __init__(self, ctx: Context, text: str, positions: Positions):
        # Not the constructor of Parser: that one makes a lexer of its own and starts it.
        super(Parser, self).__init__(ParserState(LinearLexer(Input(text, positions.name))), ctx)
        self.ssa_values = {}
        self.blocks = {}
        self.forward_block_references = defaultdict(list)
        self.forward_ssa_references = {}
        self._positions = positions
        self._early_uses = {}
        self._early_aliases = set()

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        if allow_implicit_module and self._current_token.kind == MLIRTokenKind.EOF:
            module = ModuleOp([])
        else:
            module = self._parse_nonempty_module(allow_implicit_module)
        if isinstance(module.location, UnknownLoc):
            module.location = self._positions.location(0)
        return module

    def _parse_nonempty_module(self, allow_implicit_module: bool) -> ModuleOp:
        try:
            return super().parse_module(allow_implicit_module)
        except ParseError as e:
            # xDSL reports undefined values at the end of the text, when all else is parsed.
            undefined = next(self._placeholders(), None)
            if undefined is None or not e.msg.startswith("values used but not defined"):
                raise
            self._raise_undefined(undefined)

    def _placeholders(self) -> Iterator[SSAValue]:
        """The placeholders that a later definition may still replace."""
        for references in self.forward_ssa_references.values():
            yield from references.values()

    def _raise_undefined(self, placeholder: SSAValue) -> NoReturn:
        span = self._early_uses[placeholder]
        self.raise_error(f"value {span.text} is used but not defined", span)

    def resolve_operand(
        self, operand: UnresolvedOperand, type: AttributeInvT
    ) -> SSAValue[AttributeInvT]:
        value = super().resolve_operand(operand, type)
        if isinstance(value, ForwardDeclaredValue):
            self._early_uses.setdefault(value, operand.span)
        return value

    def _parse_location(self) -> LocationAttr:
        name, start = self._current_token.text, self._current_token.span.start
        if self._alias_definitions.get(name, -1) > start and name not in self.attribute_aliases:
            # MLIR prints the aliases of locations behind the module.
            self._resume_from(self._alias_definitions[name])
            self._parse_alias_def()
            self._early_aliases.add(name)
            self._resume_from(start)
        return super()._parse_location()

    @cached_property
    def _alias_definitions(self) -> dict[str, int]:
        """The offset of the definition of each attribute alias."""
        definitions = re.finditer(r"^(#[\w$.]+)\s*=", self.lexer.input.content, re.MULTILINE)
        return {match[1]: match.start() for match in definitions}

    def _parse_alias_def(self) -> None:
        name = self._current_token.text
        if name in self._early_aliases:
            self._early_aliases.remove(name)
            del self.attribute_aliases[name]
        super()._parse_alias_def()

    def parse_operation(self) -> Operation:
        span = self._current_token.span
        self._operation_start = span.start
        try:
            op = super().parse_operation()
        except (ParseError, CompileError, RecursionError):
            raise
        except (VerifyException, ValueError, TypeError) as e:
            # Constructors of operations and attributes refuse what they are given.
            self.raise_error(str(e), span)
        except Exception as e:
            self.raise_error(f"cannot parse this operation: {type(e).__name__}: {e}", span)
        for operand in op.operands:
            # A definition inside of the operation came too early to replace its operand.
            if isinstance(operand, ForwardDeclaredValue) and operand not in self._placeholders():
                self._raise_undefined(operand)
        if isinstance(op.location, UnknownLoc):
            op.location = self._positions.location(span.start)
        return op

    def _parse_block(self) -> Block:
        name = self._current_token.text.removeprefix("^")
        known, definition = self.blocks.get(name, (None, None))
        is_awaited = name in self.forward_block_references
        if known is not None and definition is None and not is_awaited:
            # xDSL does not record where a block is that branches before it have named.
            self.raise_error(f"re-declaration of block '{name}'")
        return super()._parse_block()

    def _get_op_by_name(self, name: str) -> type[Operation]:
        known = self.ctx.get_optional_op(name, dialect_stack=self._parser_state.dialect_stack)
        if known is not None:
            return known
        start = self.lexer.input.content.find(name, self._operation_start)
        span = Span(start, start + len(name), self.lexer.input)
        self.raise_error(f"operation '{name}' is not registered{self._hint(name)}", span)

    def _hint(self, name: str) -> str:
        dialect = name.split(".")[0]
        if dialect in self.ctx.registered_dialect_names:
            return did_you_mean(name, (op.name for op in self.ctx.loaded_ops))
        return did_you_mean(dialect, self.ctx.registered_dialect_names)

    def _register_ssa_definition(
        self, name: str, values: Sequence[SSAValue], span: Span[str]
    ) -> None:
        super()._register_ssa_definition(name, values, span)
        for value in values:
            if isinstance(value, BlockArgument) and isinstance(value.location, UnknownLoc):
                value.location = self._positions.location(span.start)
