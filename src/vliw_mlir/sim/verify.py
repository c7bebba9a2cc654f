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

IMMEDIATE_MIN = -(1 << 31)
IMMEDIATE_MAX = (1 << 32) - 1
"""Bounds of an immediate; a negative one means its two's complement word."""


def check_program(program: Program) -> None:
    """Raise a `CompileError` with the first of the violations when there are any."""
    violations = verify_program(program)
    if violations:
        more = f" (and {len(violations) - 1} more violations)" if len(violations) > 1 else ""
        raise CompileError(f"illegal program: {violations[0]}{more}")


def verify_program(program: Program) -> list[str]:
    """One line for each violation, naming bundle, engine and slot, and the source if known."""
    lines: list[str] = []
    n_bundles = len(program.bundles)
    for index, bundle in enumerate(program.bundles):
        for slot, message in _violations(bundle, program.target, n_bundles, index):
            source = program.source(index, slot) if slot is not None else ""
            lines.append(f"bundle {index}: {message}" + (f" [{source}]" if source else ""))
    return lines


def verify_bundle(
    bundle: Bundle, target: Target, n_bundles: int, index: int | None = None
) -> Iterator[str]:
    """One line for each violation in a bundle of a program of `n_bundles` bundles.

    `index` is the bundle's own number; relative jumps are checked only when it is given.
    """
    for _, message in _violations(bundle, target, n_bundles, index):
        yield message


def write_conflicts(bundle: Bundle, target: Target) -> Iterator[tuple[int, int, int]]:
    """Slots that write the same scratch word: `(slot, later slot, first common word)`.

    Slots are numbered through the bundle. The slots must be legal.
    """
    writes: list[tuple[int, int, int]] = []
    for number, (engine, _, slot) in enumerate(enumerate_slots(bundle)):
        form = target.formats[engine, slot[0]]
        for is_def, _, start, words in form.accesses(slot[1:], target.vlen):
            if not is_def:
                continue
            for other, other_start, other_end in writes:
                if start < other_end and other_start < start + words:
                    yield other, number, max(start, other_start)
            writes.append((number, start, start + words))


def enumerate_slots(bundle: Bundle) -> Iterator[tuple[str, int, Slot]]:
    """The slots of a bundle in bundle order: `(engine, position in the engine, slot)`."""
    for engine, slots in bundle.items():
        for position, slot in enumerate(slots):
            yield engine, position, slot


def slot_name(bundle: Bundle, number: int) -> str:
    """How messages call slot `number` of a bundle: its engine and position there."""
    engine, position, _ = list(enumerate_slots(bundle))[number]
    return f"{engine} slot {position}"


def _violations(
    bundle: Bundle, target: Target, n_bundles: int, index: int | None
) -> Iterator[tuple[int | None, str]]:
    """`(slot in bundle order, message)`; the slot is None for a violation of the bundle."""
    legal = True
    for engine, slots in bundle.items():
        limit = target.slots.get(engine)
        if limit is None:
            legal = False
            yield None, f"unknown engine '{engine}' (known: {', '.join(target.slots)})"
        elif len(slots) > limit:
            yield None, f"engine '{engine}' has {limit} slots per bundle, {len(slots)} are used"
    for number, (engine, position, slot) in enumerate(enumerate_slots(bundle)):
        if engine not in target.slots:
            continue
        for message in _slot_violations(engine, slot, target, n_bundles, index):
            legal = False
            yield number, f"{engine} slot {position}: {message}"
    if not legal:
        return
    for first, second, word in write_conflicts(bundle, target):
        names = f"{slot_name(bundle, first)} and {slot_name(bundle, second)}"
        yield second, f"{names} both write scratch word {word}"


def _slot_violations(
    engine: str, slot: Slot, target: Target, n_bundles: int, index: int | None
) -> Iterator[str]:
    # Programs come from files and from users' code: the types are only a promise.
    given = cast(Any, slot)
    if not isinstance(given, tuple | list) or not given or not isinstance(given[0], str):
        yield f"{given!r} is not (mnemonic, operands…)"
        return
    mnemonic, operands = slot[0], slot[1:]
    form = target.formats.get((engine, mnemonic))
    if form is None:
        yield f"engine '{engine}' does not run '{mnemonic}'"
        return
    if len(operands) != form.arity and not (form.variadic and len(operands) > form.arity):
        yield f"'{mnemonic}' takes {form.arity} operands, {len(operands)} are given"
        return
    messages = [
        (number, message)
        for number, (role, operand) in enumerate(zip(form.roles, operands, strict=False))
        if (message := _operand_violation(form, role, operand, target, n_bundles, index))
    ]
    if not messages:
        messages = list(_scratch_violations(form, operands, target))
    for number, message in messages:
        yield f"'{mnemonic}' operand {number + 1}: {message}"


def _operand_violation(
    form: Format, role: Role, operand: Any, target: Target, n_bundles: int, index: int | None
) -> str | None:
    """What is wrong with one operand by itself, scratch bounds aside."""
    if role is Role.KEY:
        if form.mnemonic == "vcompare" and not is_key_per_lane(operand, target.vlen):
            return f"{operand!r} is not a list of {target.vlen} keys"
        return None
    if type(operand) is not int:
        return f"{operand!r} is not an integer"
    if role is Role.TARGET and not 0 <= operand <= n_bundles:
        return f"bundle {operand} is outside of the program's {n_bundles} bundles"
    if role is Role.RELATIVE and index is not None and not 0 <= index + 1 + operand <= n_bundles:
        return f"bundle {index + 1 + operand} is outside of the program's {n_bundles} bundles"
    if not IMMEDIATE_MIN <= operand <= IMMEDIATE_MAX:
        return f"{operand} does not fit in 32 bits"
    return None


def _scratch_violations(
    form: Format, operands: Sequence[Any], target: Target
) -> Iterator[tuple[int, str]]:
    for _, number, start, words in form.accesses(operands, target.vlen):
        if start < 0 or start + words > target.scratch:
            what = f"word {start} is" if words == 1 else f"words {start}..{start + words - 1} are"
            yield number, f"{what} outside of the {target.scratch} words of scratch"


def is_key_per_lane(keys: Any, vlen: int) -> bool:
    """Whether `keys` is what `vcompare` takes: one key for each lane."""
    return isinstance(keys, tuple | list) and len(cast(Sequence[Any], keys)) == vlen
