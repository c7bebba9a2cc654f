"""Applies rewrite rules: each becomes Python code, found by the functions at its top.

A rule is expanded into one *variant* per way its commutative functions may be written. To
rewrite `f(a, b)`, only the variants are tried whose pattern starts with `f` and whose operands
there are compatible with the functions that compute `a` and `b`; which these are is worked out
once for each such combination.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TypeAlias

from vliw_mlir.semantics import FUNCTIONS, WORD_MASK
from vliw_mlir.transforms.rules.rule import Rule
from vliw_mlir.transforms.rules.term import (
    CODE_NAMES,
    Apply,
    Captured,
    Literal,
    Term,
    Variable,
    code,
    is_constant,
    subterms,
)

CONSTANT = "constant"
"""What is called the function of an expression that is a constant."""

Words: TypeAlias = int | tuple[int, ...]
"""The value of a constant: one word, also for a vector full of it, or a word per lane."""


class Expression(Protocol):
    """What a matcher has to know of a value."""

    @property
    def function(self) -> str:
        """The word function that computes it, `CONSTANT`, or any other name."""
        ...

    @property
    def args(self) -> Sequence[Expression]:
        """What the function is applied to."""
        ...

    @property
    def constant(self) -> Words | None:
        """The value of a constant."""
        ...

    @property
    def ones(self) -> int:
        """The bits that may be set, in any lane."""
        ...


class Builder(Protocol):
    """What makes the expressions that a rule leads to."""

    def apply(self, function: str, args: Sequence[Any]) -> Any:
        """An expression for a word function of expressions."""
        ...

    def constant_like(self, words: Words, like: Any) -> Any:
        """A constant of the type of `like`."""
        ...

    def is_used_elsewhere(self, expression: Any) -> bool:
        """Whether an operand of what is being rewritten has other uses."""
        ...


Variant: TypeAlias = Callable[[Builder, Sequence[Any]], Any]


class Matcher:
    """A set of rules, ready to be applied."""

    def __init__(self, rules: Iterable[Rule]):
        self._rules: dict[str, list[Rule]] = {}
        self._candidates: dict[tuple[str, ...], list[tuple[Rule, Variant]]] = {}
        for rule in rules:
            self._rules.setdefault(rule.pattern.function, []).append(rule)

    def rewrite(
        self, builder: Builder, function: str, args: Sequence[Expression]
    ) -> tuple[Rule, Any] | None:
        """The first rule that applies to `function(*args)`, and what it leads to.

        Constants among the operands of a commutative function must come last.
        """
        key = (function, *[arg.function for arg in args])
        candidates = self._candidates.get(key)
        if candidates is None:
            candidates = self._candidates[key] = list(self._compatible(key))
        for rule, variant in candidates:
            result = variant(builder, args)
            if result is not None:
                return rule, result
        return None

    def _compatible(self, key: tuple[str, ...]) -> Iterator[tuple[Rule, Variant]]:
        for rule in self._rules.get(key[0], ()):
            for pattern in arrangements(rule.pattern):
                shapes = map(_shape, pattern.args)
                if all(s in (None, f) for s, f in zip(shapes, key[1:], strict=True)):
                    yield rule, _compile(rule, pattern)


@cache
def matcher_for(rules: tuple[Rule, ...], available: frozenset[str]) -> Matcher:
    """A matcher of the rules that suit a machine that has the functions `available`."""
    return Matcher(rule for rule in rules if rule.suits(available))


def _shape(term: Term) -> str | None:
    """The function an expression must have to match, None for any."""
    if isinstance(term, Variable):
        return None
    return CONSTANT if is_constant(term) else term.function if isinstance(term, Apply) else None


def arrangements(pattern: Apply) -> list[Apply]:
    """The pattern with the operands of its commutative functions in all orders that matter."""
    found: dict[Apply, Apply] = {}
    for arrangement in _orders(pattern):
        assert isinstance(arrangement, Apply)
        # Patterns that differ in the names of variables only match the same.
        found.setdefault(_with_numbered_variables(arrangement), arrangement)
    return list(found.values())


def _orders(term: Term) -> Iterator[Term]:
    if not isinstance(term, Apply):
        yield term
        return
    for args in _products([list(_orders(arg)) for arg in term.args]):
        yield Apply(term.function, args)
        if FUNCTIONS[term.function].commutative and not is_constant(args[1]):
            yield Apply(term.function, (args[1], args[0]))


def _products(choices: list[list[Term]]) -> Iterator[tuple[Term, ...]]:
    if not choices:
        yield ()
        return
    for first in choices[0]:
        for rest in _products(choices[1:]):
            yield (first, *rest)


def _with_numbered_variables(pattern: Apply) -> Apply:
    numbers: dict[Term, Variable] = {}

    def renamed(term: Term) -> Term:
        match term:
            case Variable():
                return numbers.setdefault(term, Variable(str(len(numbers))))
            case Apply(function=function, args=args):
                return Apply(function, tuple(map(renamed, args)))
            case _:
                return term

    return Apply(pattern.function, tuple(map(renamed, pattern.args)))


@cache
def _compile(rule: Rule, pattern: Apply) -> Variant:
    """The code for one variant of a rule, as a Python function."""
    writer = _Writer(rule, pattern)
    names: dict[str, Any] = {**CODE_NAMES, "lane_by_lane": _lane_by_lane}
    try:
        exec(compile("\n".join(writer.lines), f"<rule {rule.name}>", "exec"), names)
    except SyntaxError as e:
        raise ValueError(f"rule {rule.name}: {e}\n" + "\n".join(writer.lines)) from e
    return names["variant"]


def _lane_by_lane(
    compute: Callable[..., tuple[int, ...] | None], *constants: Words
) -> tuple[Words, ...] | None:
    """`compute` for vectors of different constants; None when it is None for some lane."""
    lanes = next(len(c) for c in constants if isinstance(c, tuple))
    columns: list[tuple[int, ...]] = []
    for lane in range(lanes):
        words = [c[lane] if isinstance(c, tuple) else c for c in constants]
        column = compute(*words)
        if column is None:
            return None
        columns.append(column)
    rows = list(zip(*columns, strict=True))
    return tuple(row[0] if len(set(row)) == 1 else row for row in rows)


@dataclass
class _Bound:
    """A name in the pattern and the code for the expression or constant it stands for."""

    variables: set[str]
    constants: set[str]


class _Writer:
    """Writes the two functions of a variant.

    `compute(C, D, ones_x)` gives the constants of the result, or None where the rule does not
    hold; `variant(build, args)` matches and builds.
    """

    def __init__(self, rule: Rule, pattern: Apply):
        self.lines: list[str] = []
        self._rule = rule
        self._bound = _Bound(set(), set())
        self._computed: list[Term] = []
        self._result = self._build(rule.result)
        self._needs_compute = rule.where is not None or bool(self._computed)
        self._match: list[str] = []
        self._single_uses: list[str] = []
        for number, arg in enumerate(pattern.args):
            self._match_term(arg, f"a{number}", known=_shape(arg) is not None)
        if self._needs_compute:
            self._write_compute()
        self._write_variant(len(pattern.args))

    # The pattern

    def _fail_unless(self, condition: str) -> None:
        self._match.append(f"    if not ({condition}): return None")

    def _match_term(self, term: Term, place: str, *, known: bool) -> None:
        """Match `term` with the expression `place`; `known` if its function is already right."""
        if isinstance(term, Variable):
            self._match_variable(term.name, place)
        elif is_constant(term):
            self._match_constant(term, place, known=known)
        elif isinstance(term, Apply):
            self._match_apply(term, place, known=known)

    def _match_variable(self, name: str, place: str) -> None:
        if name in self._bound.variables:
            self._fail_unless(f"{place} is {name}")
            return
        self._bound.variables.add(name)
        if name != place:
            self._match.append(f"    {name} = {place}")

    def _match_constant(self, term: Term, place: str, *, known: bool) -> None:
        if not isinstance(term, Captured):
            self._fail_unless(f"{place}.constant == {_evaluate(term)}")
        elif term.name in self._bound.constants:
            self._fail_unless(f"{place}.constant == {term.name}")
        else:
            self._bound.constants.add(term.name)
            self._match.append(f"    {term.name} = {place}.constant")
            if not known:
                self._fail_unless(f"{term.name} is not None")

    def _match_apply(self, term: Apply, place: str, *, known: bool) -> None:
        if not known:
            self._fail_unless(f"{place}.function == {term.function!r}")
        if self._rule.needs_single_uses:
            self._single_uses.append(place)
        names = [f"{place}_{number}" for number in range(len(term.args))]
        self._match.append(f"    {', '.join(names)} = {place}.args")
        for arg, name in zip(term.args, names, strict=True):
            self._match_term(arg, name, known=False)

    # The result

    def _build(self, term: Term) -> str:
        """Code that builds `term`."""
        if is_constant(term):
            self._computed.append(term)
            return f"build.constant_like(k{len(self._computed) - 1}, a0)"
        match term:
            case Variable(name=name):
                return name
            case Apply(function=function, args=args):
                parts = ", ".join(self._build(arg) for arg in args)
                return f"build.apply({function!r}, ({parts},))"
            case Captured() | Literal():
                raise AssertionError("constants are computed")

    def _inputs(self) -> list[str]:
        """The arguments of `compute`: constants, and masks of variables."""
        terms = [self._rule.where, *self._computed]
        masks = {
            f"ones_{t.args[0].name}": f"{t.args[0].name}.ones"
            for term in terms
            if term is not None
            for t in subterms(term)
            if isinstance(t, Apply) and t.function == "ones" and isinstance(t.args[0], Variable)
        }
        self._masks = masks
        return [*sorted(self._bound.constants), *masks]

    def _write_compute(self) -> None:
        inputs = self._inputs()
        self.lines.append(f"def compute({', '.join(inputs)}):")
        if self._rule.where is not None:
            self.lines.append(f"    if not {code(self._rule.where)}: return None")
        values = "".join(f"{code(term)}, " for term in self._computed)
        self.lines.append(f"    return ({values})")

    def _write_variant(self, arity: int) -> None:
        args = ", ".join(f"a{number}" for number in range(arity))
        self.lines += ["def variant(build, args):", f"    {args}, = args", *self._match]
        if self._needs_compute:
            self._write_call()
        self.lines += [
            f"    if build.is_used_elsewhere({place}): return None" for place in self._single_uses
        ]
        self.lines.append(f"    return {self._result}")

    def _write_call(self) -> None:
        inputs = self._inputs()
        self.lines += [f"    {name} = {mask}" for name, mask in self._masks.items()]
        call = f"compute({', '.join(inputs)})"
        constants = sorted(self._bound.constants)
        if constants:
            scalar = " and ".join(f"type({name}) is int" for name in constants)
            lanes = f"lane_by_lane(compute, {', '.join(inputs)})"
            call = f"{call} if {scalar} else {lanes}"
        self.lines += [f"    k = {call}", "    if k is None: return None"]
        if self._computed:
            names = "".join(f"k{number}, " for number in range(len(self._computed)))
            self.lines.append(f"    {names}= k")


def _evaluate(term: Term) -> int:
    return eval(code(term), dict(CODE_NAMES)) & WORD_MASK
