"""The terms that rewrite rules are written in.

A term is written as a Python expression, which means what the machine's own mnemonics mean:

- `x`, `y`: any value; `C`, `D`: the value of a constant;
- `7`, and the constants of the word `BITS` (32), `SIGN` (the sign bit), `ONES` (all bits);
- `+ - * & | ^ << >> // %` and `-x`, `~x`: the word functions, all unsigned; `==`, `<`, …: the
  comparisons, also unsigned;
- `shrs(x, y)`, `select(c, x, y)`, …: any word function by its name in `vliw_mlir.semantics`;
- `and`, `or` between conditions.

Where only constants may stand, there are further functions, see `CONSTANT_FUNCTIONS`, and
`ones(x)`, a mask of the bits that may be set in the value `x`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from vliw_mlir.semantics import EXPR_NAMES, FUNCTIONS, SIGN_BIT, WORD_BITS, WORD_MASK


@dataclass(frozen=True)
class Variable:
    """Any value, the same wherever the name stands."""

    name: str


@dataclass(frozen=True)
class Captured:
    """The value of a constant; lane by lane for a vector of different constants."""

    name: str


@dataclass(frozen=True)
class Literal:
    """A given constant. `name` is set for those that depend on the width of a word."""

    value: int
    name: str = ""


@dataclass(frozen=True)
class Apply:
    """A function of terms."""

    function: str
    args: tuple[Term, ...]


Term: TypeAlias = Variable | Captured | Literal | Apply

POSSIBLE = "ones"
"""The function of a value that gives a mask of the bits that may be set in it."""

WORD_LITERALS = {
    "BITS": Literal(WORD_BITS, "BITS"),
    "SIGN": Literal(SIGN_BIT, "SIGN"),
    "ONES": Literal(WORD_MASK, "ONES"),
}


def log2(word: int) -> int:
    """The number of the highest bit set; the logarithm of a power of two."""
    return word.bit_length() - 1


def fill(word: int) -> int:
    """All bits up to the highest one set."""
    return (1 << word.bit_length()) - 1


CONSTANT_FUNCTIONS: dict[str, Callable[[int], int]] = {
    "log2": log2,
    "fill": fill,
    "is_power_of_two": lambda word: int(word.bit_count() == 1),
    "is_mask": lambda word: int(word & (word + 1) == 0),
}
"""Functions of constants only. `is_mask`: no bits set but the lowest ones."""

CODE_NAMES: dict[str, Callable[..., int]] = {**EXPR_NAMES, **CONSTANT_FUNCTIONS}
"""The names that the code of a constant term uses."""

_BINARY: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "shru",
    ast.FloorDiv: "divu",
    ast.Mod: "remu",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "ult",
    ast.LtE: "ule",
    ast.Gt: "ugt",
    ast.GtE: "uge",
    ast.And: "and",
    ast.Or: "or",
}


def parse(text: str) -> Term:
    """The term that `text` means. Raises `ValueError` for what is none."""
    return _term(ast.parse(text, mode="eval").body)


def _term(node: ast.expr) -> Term:
    match node:
        case ast.Constant(value=int(value)):
            return Literal(value)
        case ast.Name(id=name) if name in WORD_LITERALS:
            return WORD_LITERALS[name]
        case ast.Name(id=name):
            return Captured(name) if name.isupper() else Variable(name)
        case ast.BinOp(left=left, op=operator, right=right):
            return Apply(_BINARY[type(operator)], (_term(left), _term(right)))
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            return Apply(_BINARY[type(operator)], (_term(left), _term(right)))
        case ast.BoolOp(op=operator, values=[first, *rest]):
            term = _truth(first)
            for value in rest:
                term = Apply(_BINARY[type(operator)], (term, _truth(value)))
            return term
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return Apply("sub", (Literal(0), _term(operand)))
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            return Apply("xor", (_term(operand), WORD_LITERALS["ONES"]))
        case ast.Call(func=ast.Name(id=name), args=args):
            if name in FUNCTIONS or name in CONSTANT_FUNCTIONS or name == POSSIBLE:
                return Apply(name, tuple(map(_term, args)))
        case _:
            pass
    raise ValueError(f"not a term of a rewrite rule: {ast.unparse(node)}")


def _truth(node: ast.expr) -> Term:
    """0 or 1 for a part of a condition."""
    return Apply("ne", (_term(node), Literal(0)))


def subterms(term: Term) -> Iterator[Term]:
    """The term and all terms in it, outermost first."""
    yield term
    if isinstance(term, Apply):
        for arg in term.args:
            yield from subterms(arg)


def is_constant(term: Term) -> bool:
    """Whether the term is known once the constants of the pattern are."""
    match term:
        case Variable():
            return False
        case Apply(function="ones"):
            return True
        case Apply(args=args):
            return all(map(is_constant, args))
        case _:
            return True


def code(term: Term) -> str:
    """Python for the value of a constant term.

    A captured constant is a variable of its name, and `ones(x)` is `ones_x`. Raises
    ZeroDivisionError where the term divides by zero.
    """
    match term:
        case Literal(value=value):
            return str(value & WORD_MASK)
        case Captured(name=name):
            return name
        case Apply(function="ones", args=(Variable(name=name),)):
            return f"ones_{name}"
        case Apply(function=function, args=args) if function in CONSTANT_FUNCTIONS:
            return f"{function}({code(args[0])})"
        case Apply(function=function, args=args):
            return "(" + FUNCTIONS[function].expr.format(*map(code, args)) + ")"
        case Variable(name=name):
            raise ValueError(f"{name} is not a constant")
