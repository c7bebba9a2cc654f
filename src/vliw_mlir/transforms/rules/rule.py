"""A rewrite rule: what it replaces by what, and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from vliw_mlir.semantics import FUNCTIONS
from vliw_mlir.transforms.rules.term import Apply, Term, is_constant, parse, subterms


@dataclass(frozen=True)
class Rule:
    """Replace what `pattern` matches by `result` if `where` holds.

    The three are terms, see `vliw_mlir.transforms.rules.term`; those parts of the result that
    depend on constants only are computed. Commutative functions match either way round, with
    constants always on the right. A rule holds for words and for vectors, and it may not make
    a program trap; a test proves each one.

    The operations in the pattern must not be used elsewhere when the result takes two
    operations or more, or when `single_use` demands it: then nothing is computed twice.
    """

    name: str
    pattern_text: str
    result_text: str
    where_text: str = ""
    single_use: bool = False

    @cached_property
    def pattern(self) -> Apply:
        term = parse(self.pattern_text)
        assert isinstance(term, Apply)
        return term

    @cached_property
    def result(self) -> Term:
        return parse(self.result_text)

    @cached_property
    def where(self) -> Term | None:
        return parse(self.where_text) if self.where_text else None

    @cached_property
    def needs_single_uses(self) -> bool:
        """Whether the operations inside of the pattern must not be used elsewhere."""
        return self.single_use or len(list(computed(self.result))) > 1

    @cached_property
    def introduces(self) -> frozenset[str]:
        """The word functions that the result has and the pattern has not."""
        return frozenset(functions(self.result)) - frozenset(functions(self.pattern))

    def suits(self, available: frozenset[str]) -> bool:
        """Whether the rule is an improvement for a machine that has the functions `available`.

        A rule may lead to a function that must be composed only from another such function.
        """
        removes = frozenset(functions(self.pattern))
        return self.introduces <= available or not removes <= available


def computed(term: Term) -> Iterator[Apply]:
    """The parts of a term that need an operation, outermost first."""
    return (t for t in subterms(term) if isinstance(t, Apply) and not is_constant(t))


def functions(term: Term) -> Iterator[str]:
    """The word functions that operations must compute for a term."""
    return (t.function for t in computed(term) if t.function in FUNCTIONS)
