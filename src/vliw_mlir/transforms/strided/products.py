"""Products of one value by several constants, computed from a single one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.ir import SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.dialects.emitter import BeforeOp
from vliw_mlir.semantics import WORD_BITS, WORD_MASK
from vliw_mlir.transforms.rewriting import replace_op, uniform_constant

Product: TypeAlias = word.MulOp | word.MultiplyAddOp


@dataclass(frozen=True)
class SharedProduct:
    """`x * factor`, from which all that is done with `x` can be computed."""

    source: SSAValue
    """x"""
    factor: int
    users: Mapping[Product, int]
    """For each product of `x`, what `x * factor` has to be multiplied by for it."""

    @property
    def replaced(self) -> list[Product]:
        """The products that are `x * factor` themselves."""
        return [op for op in self.users if _is_itself(op, self.users[op])]

    def use(self, product: SSAValue) -> None:
        """Compute all from `product`, which is `x * factor`."""
        for op, factor in self.users.items():
            if _is_itself(op, factor):
                replace_op(op, [product])
                continue
            here = BeforeOp(op)
            operands = product, here.splat(factor, product), *op.operands[2:]
            result = here.function(op.function.name, *operands)
            result.name_hint = op.result.name_hint
            replace_op(op, [result])


def shared_product(value: SSAValue, users: Sequence[word.ArithmeticOp]) -> SharedProduct | None:
    """The product that takes the place of `value` for all its users; None if there is none.

    All of them have to multiply it by constants, the same in all lanes, and one of them must
    do nothing else: it is replaced. Modulo 2^32 a product by an odd number can be undone:
    `x * c` is `(x * m) * (c / m)`.
    """
    constants: dict[Product, int] = {}
    for op in users:
        constant = _constant_factor(op, value)
        if constant is None:
            return None
        assert isinstance(op, Product)
        constants[op] = constant
    for op, factor in constants.items():
        quotients = {user: quotient(c, factor) for user, c in constants.items()}
        known = {user: q for user, q in quotients.items() if q is not None}
        if isinstance(op, word.MulOp) and len(known) == len(quotients):
            return SharedProduct(value, factor, known)
    return None


def quotient(number: int, divisor: int) -> int | None:
    """A word `q` with `q * divisor == number` modulo 2^32; None if there is none."""
    if divisor == 0:
        return 0 if number == 0 else None
    unit = divisor & -divisor
    if number % unit:
        return None
    return number // unit * pow(divisor // unit, -1, 1 << WORD_BITS) & WORD_MASK


def _is_itself(op: Product, factor: int) -> bool:
    return factor == 1 and isinstance(op, word.MulOp)


def _constant_factor(op: word.ArithmeticOp, value: SSAValue) -> int | None:
    """What `op` multiplies `value` by, if it uses it only for that."""
    if not isinstance(op, Product) or list(op.operands).count(value) != 1:
        return None
    first, second = op.operands[:2]
    if value not in (first, second):
        return None
    return uniform_constant(second if first == value else first)
