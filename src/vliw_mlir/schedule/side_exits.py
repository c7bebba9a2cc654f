"""What side exits of a superblock demand of the order of its instructions.

A bundle with a jump that is taken runs as a whole. So what has an effect runs no later than the
exits behind it in the program, and later than those before it; what may trap runs later than
those before it. All else may run before an exit or not at all. See Hwu et al., "The Superblock"
(Journal of Supercomputing 7, 1993), section 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vliw_mlir.schedule.machine import EFFECTS, Instruction, may_run_early


def exit_order(instructions: Iterable[Instruction]) -> Iterator[tuple[int, int, int]]:
    """Pairs of instructions that have to run in order, and how many cycles apart at least.

    Instructions are counted from 0.
    """
    last: int | None = None
    effects: list[int] = []
    for number, instruction in enumerate(instructions):
        if may_run_early(instruction):
            continue
        if last is not None:
            yield last, number, 1
        if instruction.mnemonic == "cond_jump":
            yield from ((effect, number, 0) for effect in effects)
            last, effects = number, []
        elif instruction.mnemonic in EFFECTS:
            effects.append(number)
