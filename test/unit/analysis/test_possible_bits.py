import random

import pytest

from vliw_mlir.analysis.possible_bits import fill, possible_bits
from vliw_mlir.semantics import FUNCTIONS

MASK = 0xFFFFFFFF


@pytest.mark.parametrize("name", FUNCTIONS)
def test_mask_covers_all_results(name):
    function, rng = FUNCTIONS[name], random.Random(name)
    masks = (1, 2, 3, 6, 0xF0, 0xFF, 0x100, 0xFFFF0000, 0x7FFFFFFF, 0x80000000, MASK, 0)
    for _ in range(2000):
        operands = [
            rng.choice((rng.choice(masks), rng.getrandbits(32))) for _ in range(function.arity)
        ]
        constants = [m if rng.random() < 0.4 else None for m in operands]
        mask = possible_bits(name, operands, constants)
        words = [
            m if constant is not None else m & rng.choice((MASK, rng.getrandbits(32)))
            for m, constant in zip(operands, constants, strict=True)
        ]
        if function.traps and words[1] == 0:
            continue
        result = function.scalar(*words)
        assert result & ~mask == 0, (operands, constants, words)


def known(name, *operands):
    masks = [abs(o) for o in operands]
    return possible_bits(name, masks, [None if o < 0 else o for o in operands])


def test_masks_are_close():
    """Operands that are not constants are written as negative masks."""
    assert known("eq", -MASK, -MASK) == 1
    assert known("and", -MASK, 0xFF) == 0xFF
    assert known("add", -0xF0, -0x0F) == 0xFF
    assert known("add", -1, -1) == 3
    assert known("add", -8, -8) == 0x18
    assert known("mul", -1, -0xFF) == 0xFF
    assert known("shl", -1, 4) == 0x10
    assert known("shru", -MASK, 28) == 0xF
    assert known("remu", -MASK, 10) == 0xF
    assert known("divu", -0xFF, 16) == 0xF
    assert known("select", -MASK, 1, 4) == 5
    assert known("minu", -MASK, -3) == 3
    assert known("sub", -1, -1) == MASK


def test_fill():
    assert [fill(n) for n in (0, 1, 2, 4, 5, 1 << 40)] == [0, 1, 3, 7, 7, MASK]
