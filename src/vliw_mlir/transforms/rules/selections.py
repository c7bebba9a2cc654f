"""Rules for `select`. Selections take a scarce slot; arithmetic on a 0/1 condition does not."""

from collections.abc import Iterator

from vliw_mlir.semantics import COMPARISONS, FUNCTIONS
from vliw_mlir.transforms.rules.rule import Rule

_PLAIN = (
    Rule("select-same", "select(c, x, x)", "x"),
    Rule("select-true", "select(C, x, y)", "x", "C"),
    Rule("select-false", "select(C, x, y)", "y", "C == 0"),
    # Conditions
    Rule("select-nonzero", "select(0 < c, x, y)", "select(c, x, y)"),
    Rule("select-not", "select(c ^ 1, x, y)", "select(c, y, x)", "ones(c) < 2"),
    Rule("select-zero", "select(c == 0, x, y)", "select(c, y, x)"),
    Rule("select-equal", "select(x == y, x, y)", "y"),
    Rule("select-equal-swapped", "select(x == y, y, x)", "x"),
    Rule("select-difference", "select(x ^ y, x, y)", "x"),
    # The same condition again
    Rule("select-nested-true", "select(c, select(c, x, y), z)", "select(c, x, z)"),
    Rule("select-nested-false", "select(c, x, select(c, y, z))", "select(c, x, z)"),
    Rule("select-own-condition", "select(c, x, c)", "select(c, x, 0)"),
    Rule("select-condition", "select(c, c, 0)", "c"),
    Rule("select-condition-or", "select(c, c, x)", "c | x", "(ones(c) | ones(x)) < 2"),
    # Booleans
    Rule("select-one-zero", "select(c, 1, 0)", "c", "ones(c) < 2"),
    Rule("select-zero-one", "select(c, 0, 1)", "c == 0"),
    Rule("select-or", "select(c, 1, x)", "c | x", "(ones(c) | ones(x)) < 2"),
    Rule("select-and-not", "select(c, 0, x)", "c < x", "(ones(c) | ones(x)) < 2"),
    Rule("select-successor", "select(c, C, D)", "c + D", "ones(c) < 2 and C - D == 1"),
    Rule("select-predecessor", "select(c, C, D)", "D - c", "ones(c) < 2 and D - C == 1"),
    Rule("select-or-zero", "select(c, x, 0)", "c * x", "ones(c) < 2"),
    Rule(
        "select-with-and",
        "select(c, select(d, x, y), y)",
        "select(c & d, x, y)",
        "ones(c) < 2 and ones(d) < 2",
    ),
    Rule("select-with-or", "select(c, x, select(d, x, y))", "select(c | d, x, y)"),
    # A change that is made or not
    Rule("select-add", "select(c, x + y, x)", "x + c*y", "ones(c) < 2"),
    Rule("select-sub", "select(c, x - y, x)", "x - c*y", "ones(c) < 2"),
    Rule("select-xor", "select(c, x ^ y, x)", "x ^ c*y", "ones(c) < 2"),
    Rule("select-or-into", "select(c, x | y, x)", "x | c*y", "ones(c) < 2"),
)


def _apply(function: str, x: str, y: str) -> str:
    """A function of two terms. Two functions have names that mean something else in Python."""
    operator = {"and": "&", "or": "|"}.get(function)
    return f"{function}({x}, {y})" if operator is None else f"({x} {operator} {y})"


def _of_constants() -> Iterator[Rule]:
    """A function of one of two constants is one of two constants."""
    for name, function in FUNCTIONS.items():
        if function.arity != 2:
            continue
        yield Rule(
            f"{name}-of-selected-constant",
            _apply(name, "select(c, C, D)", "E"),
            f"select(c, {_apply(name, 'C', 'E')}, {_apply(name, 'D', 'E')})",
            "E" if function.traps else "",
            single_use=True,
        )
        if not function.commutative:
            yield Rule(
                f"{name}-by-selected-constant",
                _apply(name, "E", "select(c, C, D)"),
                f"select(c, {_apply(name, 'E', 'C')}, {_apply(name, 'E', 'D')})",
                "C and D" if function.traps else "",
                single_use=True,
            )


def _of_same_function() -> Iterator[Rule]:
    """Select the operand that differs instead of the result."""
    for name, function in FUNCTIONS.items():
        if function.arity != 2 or name in COMPARISONS:
            continue
        yield Rule(
            f"select-of-{name}",
            f"select(c, {_apply(name, 'x', 'z')}, {_apply(name, 'y', 'z')})",
            _apply(name, "select(c, x, y)", "z"),
        )
        if not function.commutative:
            yield Rule(
                f"select-of-{name}-by",
                f"select(c, {_apply(name, 'z', 'x')}, {_apply(name, 'z', 'y')})",
                _apply(name, "z", "select(c, x, y)"),
            )


RULES = (*_PLAIN, *_of_constants(), *_of_same_function())
