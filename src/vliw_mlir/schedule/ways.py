"""The ways in which a target can run an instruction.

A vector function may run on an engine for vectors, or lane by lane on engines for words, at no
cost but the slots: lanes are words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from vliw_mlir.schedule.machine import MOVE, Instruction, Reg
from vliw_mlir.target import Target

LANE_MNEMONICS = {"vselect": "select", "vbroadcast": MOVE}
"""What does for one lane what a vector instruction of another name does for all."""

MachineSlot = tuple[str, tuple[Any, ...]]
"""Mnemonic and operands of what takes one slot, operands as in `Instruction`."""


@dataclass(frozen=True, slots=True)
class Way:
    """Slots of one engine that together do what an instruction does, in any order."""

    engine: str
    count: int
    """How many slots it takes: one, or one per lane."""
    other: int = -1
    """Which of the `others` of the instruction it is a way of, -1 for the instruction itself."""


def ways_of(instruction: Instruction, target: Target) -> tuple[Way, ...]:
    """All ways to run an instruction, preferred ones first."""
    ways = _ways(target, instruction.engine, instruction.mnemonic)
    for number, other in enumerate(instruction.others):
        ways += tuple(
            Way(way.engine, way.count, number)
            for way in _ways(target, other.engine, other.mnemonic)
        )
    return ways


def slots_of(instruction: Instruction, way: Way, target: Target) -> Iterator[MachineSlot]:
    """What fills the slots of a way, lanes in order."""
    chosen = instruction if way.other < 0 else instruction.others[way.other]
    if way.count == 1:
        yield chosen.mnemonic, chosen.operands
        return
    mnemonic = LANE_MNEMONICS.get(chosen.mnemonic, chosen.mnemonic)
    roles = target.formats[chosen.engine, chosen.mnemonic].roles
    for lane in range(way.count):
        operands = tuple(
            Reg(operand.register, operand.lane + lane) if role.is_vector else operand
            for role, operand in zip(roles, chosen.operands, strict=True)
        )
        # A broadcast becomes moves.
        yield mnemonic, operands + operands[1:] * (chosen.mnemonic == "vbroadcast")


@lru_cache(maxsize=1024)
def _ways(target: Target, engine: str, mnemonic: str) -> tuple[Way, ...]:
    form = target.formats[engine, mnemonic]
    ways = [Way(name, 1) for name in target.engines_for(mnemonic, vector=form.vector)]
    by_lane = mnemonic if form.vector else LANE_MNEMONICS.get(mnemonic)
    if by_lane is not None and target.vlen > 1:
        ways += [Way(name, target.vlen) for name in target.engines_for(by_lane)]
    return tuple(ways)
