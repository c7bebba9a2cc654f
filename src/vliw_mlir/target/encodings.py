"""Which instructions of a target compute a word function."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from vliw_mlir.target import Target
from vliw_mlir.target.isa import ARITHMETIC

MNEMONICS: dict[str, str] = {function: mnemonic for mnemonic, function in ARITHMETIC.items()}
"""The arithmetic mnemonic of each word function that is an instruction."""

VECTOR_MNEMONICS = {"select": "vselect", "multiply_add": "multiply_add"}
SCALAR_MNEMONICS = {"select": "select"}
"""Functions whose instruction has a name of its own per width."""


class Encoding(Enum):
    """How a target computes a function of words or vectors."""

    DIRECT = "one instruction"
    LANES = "one scalar instruction per lane"
    NONE = "not as such; it must be expanded"


def mnemonic_for(function: str, *, vector: bool) -> str | None:
    """The instruction that computes a word function, None when the ISA has none."""
    table = VECTOR_MNEMONICS if vector else SCALAR_MNEMONICS
    return table.get(function) or MNEMONICS.get(function)


def encoding_of(target: Target, function: str, *, vector: bool) -> Encoding:
    """The preferred encoding of a word function on a target."""
    if _runs(target, function, vector=vector):
        return Encoding.DIRECT
    if vector and _runs(target, function, vector=False):
        return Encoding.LANES
    return Encoding.NONE


def _runs(target: Target, function: str, *, vector: bool) -> bool:
    mnemonic = mnemonic_for(function, vector=vector)
    if mnemonic is None:
        return False
    return bool(target.engines_for(mnemonic, vector=vector and mnemonic in ARITHMETIC))


Usage: TypeAlias = tuple[tuple[str, int], ...]
"""Slots of engines that one way of computing something takes, by engine name."""


def alternatives(target: Target, function: str, *, vector: bool) -> tuple[Usage, ...]:
    """Every way in which the target's own instructions compute a word function.

    Empty when the function must be composed of others.
    """
    mnemonic = mnemonic_for(function, vector=vector)
    ways: list[Usage] = []
    if mnemonic is not None:
        lane_wise = vector and mnemonic in ARITHMETIC
        ways += [((engine, 1),) for engine in target.engines_for(mnemonic, vector=lane_wise)]
    scalar = mnemonic_for(function, vector=False)
    if vector and scalar is not None:
        ways += [((engine, target.vlen),) for engine in target.engines_for(scalar)]
    return tuple(ways)
