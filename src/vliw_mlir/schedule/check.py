"""An independent check of the bundles of a block.

The block is run twice on *tags*, which say what made a word: its instructions one after the other
on registers, and its bundles on scratch. Every operand must have the same tags both times, and so
must what lives out of the block, at its end or at a side exit. Nothing is taken from the dependence
graph or the allocator.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from vliw_mlir.schedule.emit_block import PlacedSlot
from vliw_mlir.schedule.liveness import Liveness
from vliw_mlir.schedule.machine import (
    EFFECTS,
    JUMPS,
    MOVE,
    UNDEFINED,
    Access,
    Instruction,
    MachineFunction,
    Reg,
    exit_target,
    is_move,
    may_run_early,
)
from vliw_mlir.target.isa import ARITHMETIC

Tag: TypeAlias = tuple[str | int, int, int]
"""What made a word: instruction, 0 and lane; or "in", a register and a word of it that lives into
the block."""

Words: TypeAlias = dict[tuple[int, int], Tag | None]
"""What words hold, by register and lane."""


def check_block(
    function: MachineFunction,
    instructions: Sequence[Instruction],
    live: Liveness,
    fixed: Mapping[int, int],
    bundles: Sequence[Sequence[PlacedSlot]],
) -> list[str]:
    """One line for each way in which the bundles differ from the instructions; none if correct.

    The last of the instructions is the terminator, if there is one. `fixed` has the places of the
    registers that live into the block or out of it.
    """
    expected = _Expected(function, instructions, live)
    replay = _Replay(expected, fixed, live)
    for cycle, bundle in enumerate(bundles):
        replay.run_bundle(cycle, bundle)
    replay.check_end(live.end, len(bundles))
    return replay.problems


@dataclass
class _Expected:
    """What the instructions do, one after the other."""

    function: MachineFunction
    instructions: Sequence[Instruction]
    live: Liveness
    numbers: dict[int, int] = field(default_factory=dict[int, int])
    """The number of each instruction, by its identity."""
    reads: list[dict[Access, list[Tag | None]]] = field(
        default_factory=list[dict[Access, list["Tag | None"]]]
    )
    """What each instruction, or another one in its place, reads."""
    words: Words = field(default_factory=dict[tuple[int, int], "Tag | None"])
    """What each word of a register holds at last; None for nothing in particular."""
    leaving: dict[int, Words] = field(default_factory=dict[int, "Words"])
    """The same at each side exit, for the registers that live out there."""

    def __post_init__(self) -> None:
        for register in self.live.entry:
            for word in range(self.function.widths[register]):
                self.words[register, word] = ("in", register, word)
        for number, instruction in enumerate(self.instructions):
            self.numbers[id(instruction)] = number
            self._run(number, instruction)

    def _run(self, number: int, instruction: Instruction) -> None:
        function = self.function
        if instruction.mnemonic == UNDEFINED:
            register: int = instruction.operands[0].register
            for word in range(function.widths[register]):
                self.words[register, word] = None
            self.reads.append({})
            return
        alternatives = (instruction, *instruction.others)
        self.reads.append(
            {
                access: [self._word(access, word) for word in range(access.words)]
                for alternative in alternatives
                for access in function.accesses(alternative)
                if not access.is_def
            }
        )
        copied = next(iter(self.reads[-1].values())) if is_move(instruction) else None
        for access in function.accesses(instruction):
            if not access.is_def:
                continue
            for word in range(access.words):
                tag = (number, 0, word) if copied is None else copied[word]
                self.words[access.register, access.lane + word] = tag
        if instruction.mnemonic == "cond_jump":
            self.leaving[number] = self.held(self.live.into.get(exit_target(instruction), ()))

    def held(self, registers: Collection[int]) -> Words:
        """What the words of registers hold now."""
        return {
            (register, word): self.words.get((register, word))
            for register in registers
            for word in range(self.function.widths[register])
        }

    def _word(self, access: Access, word: int) -> Tag | None:
        return self.words.get((access.register, access.lane + word))


class _Replay:
    """Runs bundles on tags."""

    def __init__(self, expected: _Expected, fixed: Mapping[int, int], live: Liveness):
        self.expected = expected
        self.function = expected.function
        self.target = expected.function.target
        self.fixed = fixed
        self.scratch: dict[int, Tag | None] = {}
        self.cycles: dict[int, list[int]] = {}
        """The cycle of each slot of each instruction."""
        self.problems: list[str] = []
        self.cycle = 0
        for register in live.entry:
            for word in range(self.function.widths[register]):
                self.scratch[fixed[register] + word] = ("in", register, word)

    def report(self, message: str) -> None:
        self.problems.append(f"cycle {self.cycle}: {message}")

    def run_bundle(self, cycle: int, bundle: Sequence[PlacedSlot]) -> None:
        self.cycle = cycle
        counts: dict[str, int] = {}
        written: dict[int, Tag | None] = {}
        for slot in bundle:
            counts[slot.engine] = counts.get(slot.engine, 0) + 1
            for address, tag in self._run_slot(slot):
                if address in written:
                    self.report(f"word {address} is written twice")
                written[address] = tag
        for engine, count in counts.items():
            if count > self.target.slots[engine]:
                self.report(f"{count} slots of '{engine}'")
        self.scratch.update(written)
        for slot in bundle:
            number = self.expected.numbers.get(id(slot.instruction), -1)
            self._check_places(self.expected.leaving.get(number, {}))

    def _check_places(self, words: Words) -> None:
        """Check that registers have in their places what they have to."""
        for (register, word), wanted in words.items():
            found = self.scratch.get(self.fixed[register] + word)
            if wanted is not None and found != wanted:
                self.report(f"word {word} of register {register} is {found}, not {wanted}")

    def _run_slot(self, slot: PlacedSlot) -> Iterator[tuple[int, Tag | None]]:
        """Check what a slot reads; the words that it writes."""
        number = self.expected.numbers.get(id(slot.instruction))
        if number is None:
            self.report(f"{slot.mnemonic} is not of this block")
            return
        self.cycles.setdefault(number, []).append(self.cycle)
        instruction = slot.instruction
        if slot.way.other >= 0:
            instruction = instruction.others[slot.way.other]
        by_lane = slot.way.count > 1
        if slot.mnemonic not in _mnemonics(instruction, by_lane):
            self.report(f"{slot.mnemonic} in place of {instruction.mnemonic}")
            return
        sources: list[Tag | None] = []
        accesses = {access.operand: access for access in self.function.accesses(instruction)}
        for place, operand in enumerate(instruction.operands):
            if not isinstance(operand, Reg):
                if slot.operands[place] != operand:
                    self.report(f"operand {place} of {slot.mnemonic} is not {operand}")
                continue
            access, address = accesses[place], slot.operands[place]
            # In one slot per lane, operands of one word are the same for all lanes.
            lanes = range(access.words)
            if by_lane and access.words > 1:
                lanes = range(slot.lane, slot.lane + 1)
            if not access.is_def:
                sources = list(self._read(slot, number, access, address, lanes))
        if by_lane and instruction.mnemonic == "vbroadcast":
            sources = []
        for place, access in accesses.items():
            if not access.is_def:
                continue
            lanes = range(slot.lane, slot.lane + 1) if by_lane else range(access.words)
            for position, lane in enumerate(lanes):
                tag = sources[position] if is_move(slot.instruction) else (number, 0, lane)
                yield slot.operands[place] + position, tag

    def _read(
        self, slot: PlacedSlot, number: int, access: Access, address: int, lanes: range
    ) -> Iterator[Tag | None]:
        wanted = self.expected.reads[number][access]
        for position, lane in enumerate(lanes):
            found = self.scratch.get(address + position)
            if wanted[lane] is not None and found != wanted[lane]:
                self.report(
                    f"{slot.mnemonic} of instruction {number} reads {found} in word "
                    f"{address + position}, not {wanted[lane]}"
                )
            yield found

    def check_end(self, live_out: Collection[int], length: int) -> None:
        """Check what is left of all bundles, and the order in which instructions ran."""
        self.cycle = length
        self._check_places(self.expected.held(live_out))
        for number, instruction in enumerate(self.expected.instructions):
            if instruction.mnemonic in EFFECTS and len(self.cycles.get(number, ())) != 1:
                self.report(f"{instruction.mnemonic} runs {len(self.cycles.get(number, ()))} times")
        self._check_order(length)
        self._check_exits()

    def _check_order(self, length: int) -> None:
        instructions = self.expected.instructions
        keys = {i.key: number for number, i in enumerate(instructions) if i.key is not None}
        for number, instruction in enumerate(instructions):
            for key, distance in instruction.after:
                first = keys.get(key)
                if first not in self.cycles or number not in self.cycles:
                    continue
                if min(self.cycles[number]) < max(self.cycles[first]) + distance:
                    self.report(f"instruction {number} runs before {first}")
        last = len(instructions) - 1
        is_jump = last >= 0 and instructions[last].mnemonic in JUMPS
        if is_jump and self.cycles.get(last) != [length - 1]:
            self.report("the terminator is not in the last bundle")

    def _check_exits(self) -> None:
        """Check that what has effects runs on the right side of each side exit."""
        last_exit = last_effect = -1
        for number, instruction in enumerate(self.expected.instructions):
            cycles = self.cycles.get(number, ())
            if not cycles or may_run_early(instruction):
                continue
            if min(cycles) <= last_exit:
                self.report(f"{instruction.mnemonic} runs before a side exit in front of it")
            if instruction.mnemonic == "cond_jump":
                last_exit = max(last_exit, *cycles)
                if last_effect > min(cycles):
                    self.report("an effect runs after a side exit behind it")
            elif instruction.mnemonic in EFFECTS:
                last_effect = max(last_effect, *cycles)


def _mnemonics(instruction: Instruction, by_lane: bool) -> tuple[str, ...]:
    """The mnemonics that may do what an instruction does."""
    if not by_lane:
        return (instruction.mnemonic,)
    if instruction.mnemonic in ARITHMETIC:
        return (instruction.mnemonic,)
    return {"vselect": ("select",), "vbroadcast": (MOVE,)}.get(instruction.mnemonic, ())
