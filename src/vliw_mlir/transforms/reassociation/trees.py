"""Trees of one associative and commutative function, taken apart into leaves and a constant.

In the tree of a sum there are also differences and products with constants: every leaf has a
factor, modulo 2^32.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from vliw_mlir.semantics import FUNCTIONS, REDUCTIONS, WORD_BITS, WORD_MASK
from vliw_mlir.transforms.simplification.expressions import Expression

JOIN = -1
"""In the order of a tree: the function of the two parts before it."""
NOTHING = -2
"""In the order of a tree: a part without leaves of its own."""

IDEMPOTENT = frozenset(REDUCTIONS) - {"add", "mul", "xor"}
"""The functions of which `f(x, x)` is `x`."""

JOINING = {**{name: name for name in REDUCTIONS}, "sub": "add"}
"""The functions that join parts of trees, and the function of the tree."""

IsInner = Callable[[Expression], bool]
"""Whether an operand is computed for one operation alone, and belongs to its tree."""


@dataclass
class Tree:
    """A tree of `function`, its parts in postfix order."""

    function: str
    order: list[int] = field(default_factory=list[int])
    """Numbers of leaves, each where it occurs first, `JOIN` and `NOTHING`."""
    leaves: list[Expression] = field(default_factory=list[Expression])
    factors: list[int] = field(default_factory=list[int])
    """By leaf: its factor in a sum; else how often it counts, 0 or 1."""
    constant: int = 0
    operations: int = 0
    """How many operations the tree takes as it is."""

    _numbers: dict[Expression, int] = field(default_factory=dict[Expression, int])

    def __post_init__(self) -> None:
        self.constant = self.neutral

    @property
    def neutral(self) -> int:
        """The constant that changes nothing."""
        return REDUCTIONS[self.function]

    def add_leaf(self, leaf: Expression, factor: int) -> None:
        """Let a leaf occur (again), in a sum with a factor."""
        number = None if self.function == "mul" else self._numbers.get(leaf)
        if number is None:
            number = self._numbers[leaf] = len(self.leaves)
            self.leaves.append(leaf)
            self.factors.append(factor)
            self.order.append(number)
            return
        self.order.append(NOTHING)
        if self.function == "add":
            self.factors[number] = (self.factors[number] + factor) & WORD_MASK
        elif self.function == "xor":
            self.factors[number] ^= 1

    def add_constant(self, word: int) -> None:
        """Join the tree with a constant."""
        self.order.append(NOTHING)
        self.constant = FUNCTIONS[self.function].scalar(self.constant, word)


def tree_of(root: Expression, is_inner: IsInner) -> Tree:
    """The tree with `root` at its top, whose function must be one of `JOINING`."""
    function = JOINING[root.function]
    tree = Tree(function)
    expand = _expand_sum if function == "add" else _expand
    # Explicit stack: trees are as deep as chains are long.
    pending: list[tuple[Expression, int] | None] = [(root, 1)]
    while pending:
        item = pending.pop()
        if item is None:
            tree.order.append(JOIN)
            continue
        node, factor = item
        if node.word is not None:
            constant = node.word * factor & WORD_MASK if function == "add" else node.word
            tree.add_constant(constant)
            continue
        parts = expand(node, factor, function) if node is root or is_inner(node) else None
        if parts is None:
            tree.add_leaf(node, factor)
            continue
        tree.operations += 1
        pending += parts
    return tree


_Parts = list["tuple[Expression, int] | None"]


def _expand(node: Expression, factor: int, function: str) -> _Parts | None:
    """The parts of a node in reverse, None if it is a leaf."""
    if node.function != function:
        return None
    return [None, (node.args[1], factor), (node.args[0], factor)]


def _expand_sum(node: Expression, factor: int, function: str) -> _Parts | None:
    match node.function:
        case "add":
            return [None, (node.args[1], factor), (node.args[0], factor)]
        case "sub":
            return [None, (node.args[1], -factor & WORD_MASK), (node.args[0], factor)]
        case "mul":
            scale = node.args[1].word
        case "shl":
            count = node.args[1].word
            scale = None if count is None else (1 << count if count < WORD_BITS else 0)
        case _:
            return None
    # The factor of a sum is better applied once than to each of its parts.
    if scale is None or node.args[0].function in ("add", "sub"):
        return None
    return [(node.args[0], factor * scale & WORD_MASK)]
