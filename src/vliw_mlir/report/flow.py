"""What flows where in a program, as its bundles show it: control, and data through scratch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vliw_mlir.sim.program import Program, Slot
from vliw_mlir.sim.verify import enumerate_slots
from vliw_mlir.target.isa import DEBUG_INSTRUCTIONS, JUMPS, TERMINATORS, Format, Role


@dataclass(slots=True)
class SlotFlow:
    """What a slot reads and writes: the first words and how many."""

    reads: list[tuple[int, int]]
    writes: list[tuple[int, int]]


def slot_flows(program: Program) -> list[list[SlotFlow]]:
    """What each slot of each bundle reads and writes, debug slots nothing.

    The program must be legal.
    """
    target = program.target
    layouts = {key: _layout(form, target.vlen) for key, form in target.formats.items()}
    return [
        [_slot_flow(slot, *layouts[engine, slot[0]]) for engine, _, slot in enumerate_slots(bundle)]
        for bundle in program.bundles
    ]


_Layout = tuple[int | None, list[tuple[bool, int, int]]]
"""Of an instruction: which operand is an offset, and for each scratch access whether it is a
write, which operand it is and how many words it takes."""


def _layout(form: Format, vlen: int) -> _Layout:
    if form.mnemonic in DEBUG_INSTRUCTIONS:
        return None, []
    zeros = [0] * form.arity
    accesses = [(write, place, words) for write, place, _, words in form.accesses(zeros, vlen)]
    return form.offset_place, accesses


def _slot_flow(
    slot: Slot, offset_place: int | None, accesses: Iterable[tuple[bool, int, int]]
) -> SlotFlow:
    flow = SlotFlow([], [])
    offset = 0 if offset_place is None else slot[1 + offset_place]
    for is_write, place, words in accesses:
        (flow.writes if is_write else flow.reads).append((slot[1 + place] + offset, words))
    return flow


# Control


def followers(program: Program) -> list[Sequence[int]]:
    """The bundles that may run after each; the end of the program may be among them.

    `jump_indirect` may lead to any.
    """
    return [_followers(program, number) for number in range(len(program.bundles))]


def _followers(program: Program, number: int) -> Sequence[int]:
    found, falls_through = [number + 1], True
    for engine, _, slot in enumerate_slots(program.bundles[number]):
        if slot[0] not in JUMPS and slot[0] not in TERMINATORS:
            continue
        falls_through = falls_through and slot[0] not in TERMINATORS
        if slot[0] == "jump_indirect":
            return range(len(program.bundles) + 1)
        roles = program.target.formats[engine, slot[0]].roles
        for role, operand in zip(roles, slot[1:], strict=False):
            if role is Role.TARGET:
                found.append(operand)
            elif role is Role.RELATIVE:
                found.append(number + 1 + operand)
    return found if falls_through else found[1:]


# Data


@dataclass(slots=True)
class Chains:
    """How the slots of consecutive bundles depend on each other through scratch.

    Slots are numbered through all of the bundles. Each list has an entry per slot.
    """

    before: list[int]
    """How many others have to run one after the other before it."""
    behind: list[int]
    """How many have to after it."""
    producer: list[int]
    """The last of those before it, -1 for none."""
    consumer: list[int]
    """The first of those after it, -1 for none."""


def chains(flows: Sequence[Sequence[SlotFlow]], scratch: int) -> Chains:
    """The longest chains of bundles that run in order."""
    producers = _producers(flows, scratch)
    count = len(producers)
    found = Chains([0] * count, [0] * count, [-1] * count, [-1] * count)
    for number, others in enumerate(producers):
        for other in sorted(others):
            if found.before[other] >= found.before[number]:
                found.before[number], found.producer[number] = found.before[other] + 1, other
    for number in reversed(range(count)):
        for other in producers[number]:
            if found.behind[number] >= found.behind[other]:
                found.behind[other], found.consumer[other] = found.behind[number] + 1, number
    return found


def _producers(flows: Sequence[Sequence[SlotFlow]], scratch: int) -> list[set[int]]:
    """The slots that wrote the words that each reads."""
    producers: list[set[int]] = []
    writer = [-1] * scratch
    for bundle in flows:
        first = len(producers)
        for flow in bundle:
            found = {n for start, words in flow.reads for n in writer[start : start + words]}
            producers.append(found - {-1})
        for number, flow in enumerate(bundle, first):
            for start, words in flow.writes:
                writer[start : start + words] = [number] * words
    return producers


def words_in_use(program: Program, flows: Sequence[Sequence[SlotFlow]]) -> list[int]:
    """How many words of scratch hold what is read later, when each bundle begins.

    Nothing is read after the end.
    """
    # Sets of words are integers with a bit per word.
    reads = [_words(access for flow in bundle for access in flow.reads) for bundle in flows]
    writes = [_words(access for flow in bundle for access in flow.writes) for bundle in flows]
    after = followers(program)
    live = [0] * (len(flows) + 1)
    is_changed = True
    while is_changed:
        is_changed = False
        for number in reversed(range(len(flows))):
            needed = 0
            for follower in after[number]:
                needed |= live[follower]
            needed = reads[number] | needed & ~writes[number]
            is_changed = is_changed or needed != live[number]
            live[number] = needed
    return [words.bit_count() for words in live[:-1]]


def _words(accesses: Iterable[tuple[int, int]]) -> int:
    words = 0
    for start, count in accesses:
        words |= ((1 << count) - 1) << start
    return words
