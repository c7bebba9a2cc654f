"""Static verification: whether a program is legal on its target.

What can be seen without running it: instructions the machine has, their operands, slot
limits, scratch bounds, jump targets, and slots of one bundle that write the same scratch
word. Everything else (memory bounds, division by zero, …) traps in the simulator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from vliw_mlir.errors import CompileError
from vliw_mlir.sim.program import Bundle, Program, Slot
from vliw_mlir.target import Target
from vliw_mlir.target.isa import Format, Role


def check_program(program: Program) -> None:
    """Raise a `CompileError` with the first of the violations when there are any."""
    violations = verify_program(program)
    if violations:
        more = f" (and {len(violations) - 1} more violations)" if len(violations) > 1 else ""
        raise CompileError(f"illegal program: {violations[0]}{more}")


def verify_program(program: Program) -> list[str]:
    """One line for each violation, naming bundle, engine and slot, and the source if known."""
    verifier = _Verifier(program.target, len(program.bundles))
    lines: list[str] = []
    for index, bundle in enumerate(program.bundles):
        for slot, message in verifier.bundle_violations(bundle, index):
            source = program.source(index, slot) if slot is not None else ""
            lines.append(f"bundle {index}: {message}" + (f" [{source}]" if source else ""))
    return lines


def verify_bundle(
    bundle: Bundle, target: Target, n_bundles: int, index: int | None = None
) -> Iterator[str]:
    """One line for each violation in a bundle of a program of `n_bundles` bundles.

    `index` is the bundle's own number; relative jumps are checked only when it is given.
    """
    for _, message in _Verifier(target, n_bundles).bundle_violations(bundle, index):
        yield message


def write_conflicts(bundle: Bundle, target: Target) -> Iterator[tuple[int, int, int]]:
    """Slots that write the same scratch word: `(slot, later slot, first common word)`.

    Slots are numbered through the bundle. They must be legal.
    """
    writer: dict[int, int] = {}
    found: set[tuple[int, int]] = set()
    for number, (engine, _, slot) in enumerate(enumerate_slots(bundle)):
        form = target.formats[engine, slot[0]]
        for is_def, _, start, words in form.accesses(slot[1:], target.vlen):
            if not is_def:
                continue
            for word in range(start, start + words):
                other = writer.setdefault(word, number)
                if other != number and (other, number) not in found:
                    found.add((other, number))
                    yield other, number, word


def enumerate_slots(bundle: Bundle) -> Iterator[tuple[str, int, Slot]]:
    """The slots of a bundle in bundle order: `(engine, position in the engine, slot)`."""
    for engine, slots in bundle.items():
        for position, slot in enumerate(slots):
            yield engine, position, slot


def slot_name(bundle: Bundle, number: int) -> str:
    """How messages call slot `number` of a bundle: its engine and position there."""
    engine, position, _ = list(enumerate_slots(bundle))[number]
    return f"{engine} slot {position}"


def operand_limits(target: Target, n_bundles: int) -> dict[Role, tuple[int, int]]:
    """The least and the greatest value of an operand, for each role that has such.

    Of a scratch address it is the one after adding the offset, of a relative jump the bundle
    jumped to. A negative immediate means its two's complement word.
    """
    word, vector = (0, target.scratch - 1), (0, target.scratch - target.vlen)
    immediate = (-(1 << 31), (1 << 32) - 1)
    # A jump to one past the end is legal: the program ends there.
    bundle = (0, n_bundles)
    return {
        Role.DEF: word,
        Role.USE: word,
        Role.VDEF: vector,
        Role.VUSE: vector,
        Role.IMM: immediate,
        Role.OFFSET: immediate,
        Role.TARGET: bundle,
        Role.RELATIVE: bundle,
    }


def is_key_per_lane(keys: Any, vlen: int) -> bool:
    """Whether `keys` is what `vcompare` takes: one key for each lane."""
    return isinstance(keys, tuple | list) and len(cast(Sequence[Any], keys)) == vlen


class _Verifier:
    """Verifies the bundles of programs of `n_bundles` bundles for a target."""

    def __init__(self, target: Target, n_bundles: int):
        self.target = target
        self.n_bundles = n_bundles
        self.limits = operand_limits(target, n_bundles)

    def bundle_violations(
        self, bundle: Bundle, index: int | None
    ) -> Iterator[tuple[int | None, str]]:
        """`(slot in bundle order, message)`; the slot is None when it is not about one."""
        known = self.target.slots
        legal = True
        for engine, slots in bundle.items():
            if engine not in known:
                legal = False
                yield None, f"unknown engine '{engine}' (known: {', '.join(known)})"
            elif len(slots) > known[engine]:
                uses = f"{known[engine]} slots per bundle, {len(slots)} are used"
                yield None, f"engine '{engine}' has {uses}"
        for number, (engine, position, slot) in enumerate(enumerate_slots(bundle)):
            if engine not in known:
                continue
            for message in self.slot_violations(engine, slot, index):
                legal = False
                yield number, f"{engine} slot {position}: {message}"
        if not legal:
            return
        for first, second, word in write_conflicts(bundle, self.target):
            names = f"{slot_name(bundle, first)} and {slot_name(bundle, second)}"
            yield second, f"{names} both write scratch word {word}"

    def slot_violations(self, engine: str, slot: Slot, index: int | None) -> Iterator[str]:
        # Programs come from files and from users' code: the types are only a promise.
        given = cast(Any, slot)
        if not isinstance(given, tuple | list) or not given or not isinstance(given[0], str):
            yield f"{given!r} is not (mnemonic, operands…)"
            return
        mnemonic, operands = slot[0], slot[1:]
        form = self.target.formats.get((engine, mnemonic))
        if form is None:
            yield f"engine '{engine}' does not run '{mnemonic}'"
            return
        if len(operands) != form.arity and not (form.variadic and len(operands) > form.arity):
            yield f"'{mnemonic}' takes {form.arity} operands, {len(operands)} are given"
            return
        for number, role in enumerate(form.roles):
            if message := self.operand_violation(form, role, operands[number], operands, index):
                yield f"'{mnemonic}' operand {number + 1}: {message}"

    def operand_violation(
        self, form: Format, role: Role, operand: Any, operands: Sequence[Any], index: int | None
    ) -> str | None:
        """What is wrong with one of the operands, or None."""
        if role is Role.KEY:
            if form.mnemonic == "vcompare" and not is_key_per_lane(operand, self.target.vlen):
                return f"{operand!r} is not a list of {self.target.vlen} keys"
            return None
        if type(operand) is not int:
            return f"{operand!r} is not an integer"
        value = operand
        if role is Role.RELATIVE:
            if index is None:
                return None
            value += index + 1
        elif form.offset_place is not None and (role.is_def or role.is_use):
            offset = operands[form.offset_place]
            value += offset if type(offset) is int else 0
        least, greatest = self.limits[role]
        if least <= value <= greatest:
            return None
        if role in (Role.TARGET, Role.RELATIVE):
            return f"bundle {value} is outside of the program's {self.n_bundles} bundles"
        if role in (Role.IMM, Role.OFFSET):
            return f"{value} does not fit in 32 bits"
        last = value + (self.target.vlen if role.is_vector else 1) - 1
        words = f"word {value} is" if last == value else f"words {value}..{last} are"
        return f"{words} outside of the {self.target.scratch} words of scratch"
