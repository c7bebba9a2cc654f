"""Algebraic rewrite rules on words, as data.

Every rule makes a term cheaper or more canonical for machines on which all one-slot functions
cost the same: it never adds an operation, and it decreases a fixed measure, so that rewriting
ends. Canonical forms:

- constants on the right; `x + C` for `x - C`; `x << k` for products with powers of two;
- the comparisons `==`, `<` and `slt`, with `^ 1` for a negation; `0 < x` for `x != 0`;
- `+` for `|` and `^` of words without common bits, because sums become multiply-adds;
- arithmetic for selections that one operation can compute from a 0/1 condition.

`test/unit/transforms/rules` proves each rule for all words with an SMT solver.

Rotations are not recognized: the machine has none, and `(x << k) + (x >> 32 - k)` takes one
operation less than a rotation, as a multiply-add of what the shift gives.
"""

from vliw_mlir.transforms.rules import (
    arithmetic,
    bitwise,
    comparisons,
    divisions,
    extremes,
    selections,
    shifts,
)
from vliw_mlir.transforms.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    *arithmetic.RULES,
    *bitwise.RULES,
    *shifts.RULES,
    *comparisons.RULES,
    *selections.RULES,
    *extremes.RULES,
    *divisions.RULES,
)
"""All rules. Of those that match, the first one is applied."""

__all__ = ["RULES", "Rule"]
