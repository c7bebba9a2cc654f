"""Running small kernels, and what the word functions should compute, said a second time."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from math import ceil, floor, trunc

from xdsl.dialects.builtin import ModuleOp

from vliw_mlir.abi import MemoryImage, build_image
from vliw_mlir.interp import CompiledKernel, compile_kernel
from vliw_mlir.source import make_context, parse_module

M32 = (1 << 32) - 1

EDGES = (0, 1, 2, 3, 7, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF)
RANDOM = random.Random(7)
WORDS = (*EDGES, *(RANDOM.getrandbits(32) for _ in range(6)))
PAIRS = [(a, b) for a in WORDS for b in WORDS]


def signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word


def _rotate(word: int, left: int) -> int:
    bits = f"{word:032b}"
    left %= 32
    return int(bits[left:] + bits[:left], 2)


EXPECTED: dict[str, Callable[..., int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a * 2**b if b < 32 else 0,
    "shru": lambda a, b: a // 2**b if b < 32 else 0,
    "shrs": lambda a, b: signed(a) // 2 ** min(b, 32),
    "rotl": _rotate,
    "rotr": lambda a, b: _rotate(a, -b),
    "divu": lambda a, b: a // b,
    "divs": lambda a, b: trunc(Fraction(signed(a), signed(b))),
    "ceildivu": lambda a, b: ceil(Fraction(a, b)),
    "ceildivs": lambda a, b: ceil(Fraction(signed(a), signed(b))),
    "floordivs": lambda a, b: floor(Fraction(signed(a), signed(b))),
    "remu": lambda a, b: a - a // b * b,
    "rems": lambda a, b: signed(a) - trunc(Fraction(signed(a), signed(b))) * signed(b),
    "minu": min,
    "maxu": max,
    "mins": lambda a, b: min(signed(a), signed(b)),
    "maxs": lambda a, b: max(signed(a), signed(b)),
    "mulhu": lambda a, b: a * b // 2**32,
    "mulhs": lambda a, b: signed(a) * signed(b) // 2**32,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "ult": lambda a, b: a < b,
    "ule": lambda a, b: a <= b,
    "ugt": lambda a, b: a > b,
    "uge": lambda a, b: a >= b,
    "slt": lambda a, b: signed(a) < signed(b),
    "sle": lambda a, b: signed(a) <= signed(b),
    "sgt": lambda a, b: signed(a) > signed(b),
    "sge": lambda a, b: signed(a) >= signed(b),
}
"""Every word function of two operands, on integers; the result counts modulo 2**32."""

DIVISIONS = ("divu", "divs", "ceildivu", "ceildivs", "floordivs", "remu", "rems")
COMPARISONS = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")


def operands_of(name: str) -> list[tuple[int, int]]:
    """The pairs of words on which to try a function."""
    return [(a, b) for a, b in PAIRS if b or name not in DIVISIONS]


def parse(text: str) -> ModuleOp:
    return parse_module(make_context(), text, "k.mlir")


@cache
def compiled(text: str) -> CompiledKernel:
    """The kernel in `text`."""
    return compile_kernel(parse(text))


def run(text: str, *args: int | Sequence[int], **options: object) -> MemoryImage:
    """Run the kernel in `text` and return the memory it leaves behind."""
    kernel = compiled(text)
    image = build_image(kernel.interface, args)
    kernel.run(image, **options)
    return image


def results(text: str, *args: int | Sequence[int]) -> list[object]:
    """Run the kernel in `text` and return its results, arrays as lists."""
    values = run(text, *args).results()
    return [v if isinstance(v, int) else v.tolist() for v in values]


def kernel(types: str, body: str, results: str = "") -> str:
    """A kernel of `!word.buffer` arguments `%a, %b, …` of the given sizes.

    `types` is like `64 8`; a size of 0 makes an i32.
    """
    sizes = [int(size) for size in types.split()]
    names = "abcdefgh"[: len(sizes)]
    args = ", ".join(
        f"%{n}: !word.buffer<{s}>" if s else f"%{n}: i32" for n, s in zip(names, sizes, strict=True)
    )
    outer = ", ".join(f"memref<{s}xi32>" if s else "i32" for s in sizes)
    arrow = f"-> ({results})"
    return (
        f"func.func @k({args}) {arrow} attributes {{vliw.signature = ({outer}) {arrow}}} {{\n"
        f"{body}\n}}"
    )
