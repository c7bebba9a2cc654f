"""Which bits of a word may be set, judged from the function that computes it.

Far weaker than ranges or a data-flow analysis, but it costs next to nothing: one look at the
operands' masks per operation. The same idea as LLVM's known bits, zeros only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vliw_mlir.semantics import COMPARISONS, FUNCTIONS, SIGN_BIT, WORD_BITS, WORD_MASK


def fill(bound: int) -> int:
    """The mask of the bits that words up to `bound` may have."""
    return min((1 << bound.bit_length()) - 1, WORD_MASK)


def possible_bits(function: str, masks: Sequence[int], constants: Sequence[int | None]) -> int:
    """The bits that may be set in `function` of words.

    `masks` gives the bits that may be set in each operand, `constants` the value of each
    operand that is known. Of a function that traps, only results that it gives are meant.
    """
    transfer = _TRANSFER.get(function)
    return WORD_MASK if transfer is None else transfer(masks, constants)


_Masks = Sequence[int]
_Constants = Sequence[int | None]
_Transfer = Callable[[_Masks, _Constants], int]


def _sum(a: int, b: int) -> int:
    if not a & b:
        # No two bits meet, so nothing is carried.
        return a | b
    return fill(a + b) & (WORD_MASK << _low_zeros(a | b))


def _product(a: int, b: int) -> int:
    if a == 0 or b == 0:
        return 0
    low_zeros = _low_zeros(a) + _low_zeros(b)
    return fill(a * b) & (WORD_MASK << low_zeros)


def _low_zeros(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


def _shl(masks: _Masks, constants: _Constants) -> int:
    count = constants[1]
    if count is None:
        return WORD_MASK << _low_zeros(masks[0]) & WORD_MASK if masks[0] else 0
    return masks[0] << count & WORD_MASK if count < WORD_BITS else 0


def _shru(masks: _Masks, constants: _Constants) -> int:
    count = constants[1]
    if count is None:
        return fill(masks[0])
    return masks[0] >> count if count < WORD_BITS else 0


def _shrs(masks: _Masks, constants: _Constants) -> int:
    return WORD_MASK if masks[0] & SIGN_BIT else _shru(masks, constants)


def _rotl(masks: _Masks, constants: _Constants) -> int:
    count = constants[1]
    return WORD_MASK if count is None else FUNCTIONS["rotl"].scalar(masks[0], count)


def _rotr(masks: _Masks, constants: _Constants) -> int:
    count = constants[1]
    return WORD_MASK if count is None else FUNCTIONS["rotr"].scalar(masks[0], count)


def _divu(masks: _Masks, constants: _Constants) -> int:
    return fill(masks[0] // (constants[1] or 1))


def _remu(masks: _Masks, constants: _Constants) -> int:
    # What is divided by at most b leaves less than b, and never more than there was.
    return fill(min(masks[0], max(masks[1] - 1, 0)))


def _multiply_add(masks: _Masks, constants: _Constants) -> int:
    return _sum(_product(masks[0], masks[1]), masks[2])


_TRANSFER: dict[str, _Transfer] = {
    **dict.fromkeys(COMPARISONS, lambda masks, constants: 1),
    "add": lambda masks, constants: _sum(masks[0], masks[1]),
    "mul": lambda masks, constants: _product(masks[0], masks[1]),
    "and": lambda masks, constants: masks[0] & masks[1],
    "or": lambda masks, constants: masks[0] | masks[1],
    "xor": lambda masks, constants: masks[0] | masks[1],
    "shl": _shl,
    "shru": _shru,
    "shrs": _shrs,
    "rotl": _rotl,
    "rotr": _rotr,
    "divu": _divu,
    "remu": _remu,
    "ceildivu": lambda masks, constants: fill(masks[0]),
    "minu": lambda masks, constants: (masks[0] | masks[1]) & fill(min(masks[0], masks[1])),
    "maxu": lambda masks, constants: masks[0] | masks[1],
    "mins": lambda masks, constants: masks[0] | masks[1],
    "maxs": lambda masks, constants: masks[0] | masks[1],
    "mulhu": lambda masks, constants: fill(masks[0] * masks[1] >> WORD_BITS),
    "select": lambda masks, constants: masks[1] | masks[2],
    "multiply_add": _multiply_add,
}
