"""Programs as flat arrays: the form the simulator's loop runs.

Decoding resolves what is known before the run: engines and mnemonics become opcodes,
`load_offset` a load at its effective addresses, `cond_jump_rel` a jump to an absolute
bundle, negative immediates their words. It handles all slots of a kind at once: programs
of 100,000 straight-line bundles run each of them only once, so decoding counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vliw_mlir.semantics import WORD_MASK
from vliw_mlir.sim.program import Program, Slot
from vliw_mlir.sim.verify import check_program, is_key_per_lane, operand_limits
from vliw_mlir.target import Target
from vliw_mlir.target.isa import ARITHMETIC, DEBUG_ENGINE, Format, Role

# Opcodes. Those that write scratch come first, arithmetic in the order of `ARITHMETIC`.
# The scalar and the vector form of an instruction share one, they differ in `LANES`.
MULTIPLY_ADD = len(ARITHMETIC)
BROADCAST, SELECT, CONST, ADD_IMM, LOAD = range(MULTIPLY_ADD + 1, MULTIPLY_ADD + 6)
LAST_WRITING = LOAD
STORE, COND_JUMP, JUMP, JUMP_INDIRECT, HALT, PAUSE, TRACE_WRITE, COMPARE, COMMENT = range(
    LAST_WRITING + 1, LAST_WRITING + 10
)

OPCODES: dict[str, int] = {
    **{mnemonic: number for number, mnemonic in enumerate(ARITHMETIC)},
    "multiply_add": MULTIPLY_ADD,
    "vbroadcast": BROADCAST,
    "select": SELECT,
    "vselect": SELECT,
    "const": CONST,
    # The only core is number 0, which is what an operand column holds that is not used.
    "coreid": CONST,
    "add_imm": ADD_IMM,
    "load": LOAD,
    "load_offset": LOAD,
    "vload": LOAD,
    "store": STORE,
    "vstore": STORE,
    "cond_jump": COND_JUMP,
    "cond_jump_rel": COND_JUMP,
    "jump": JUMP,
    "jump_indirect": JUMP_INDIRECT,
    "halt": HALT,
    "pause": PAUSE,
    "trace_write": TRACE_WRITE,
    "compare": COMPARE,
    "vcompare": COMPARE,
    "comment": COMMENT,
}

OP, LANES, D, A, B, C = range(6)
"""Columns of `DecodedProgram.code`: opcode, words per vector operand, operands.

`D` is the scratch address written, the other operands fill `A`, `B`, `C` in order.
"""

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class DecodedProgram:
    """A program as flat arrays. Slots are numbered through the program, in bundle order."""

    program: Program
    first: Ints
    """The first slot of each bundle, and one entry more for the end."""
    bundle: Ints
    """The bundle of each slot."""
    engine: Ints
    """The engine of each slot, as its position in the target."""
    code: Ints
    """One row per slot, with the columns above."""
    timed: Flags
    """Per bundle: whether it costs a cycle, having a slot of an engine other than `debug`."""
    conflict: Flags
    """Per bundle: whether two of its slots write the same scratch word."""
    keys: list[list[Any]]
    """What debug slots mention, a key per lane; column `B` of a compare is a position here."""

    @property
    def target(self) -> Target:
        return self.program.target

    @property
    def n_bundles(self) -> int:
        return len(self.first) - 1

    @property
    def opcode(self) -> Ints:
        """The opcode of each slot."""
        return self.code[:, OP]

    @cached_property
    def most_slots(self) -> int:
        """Slots of the fullest bundle."""
        return int(np.diff(self.first).max(initial=0))

    @cached_property
    def most_words_written(self) -> int:
        """Scratch words that the bundle with most of them writes."""
        writing = self.opcode <= LAST_WRITING
        words = np.bincount(self.bundle[writing], weights=self.code[writing, LANES])
        return int(words.max(initial=0))


def decode(program: Program) -> DecodedProgram:
    """Decode a program for its target.

    Raises `CompileError` when a slot is not legal there. Slots of one bundle that write the
    same scratch word are let through; `conflict` marks their bundle.
    """
    try:
        return _Decoder(program).decode()
    except _IllegalProgram as e:
        check_program(program)
        raise AssertionError("the decoder refuses a program that the verifier accepts") from e


class _IllegalProgram(Exception):
    """Something is not legal; the verifier says what."""


def _require(legal: object) -> None:
    if not legal:
        raise _IllegalProgram


class _Decoder:
    """The steps of decoding one program."""

    program: Program
    target: Target
    forms: list[Format]
    """The instructions of the target's engines; a slot's kind is a position here."""
    kinds: dict[str, dict[str, int]]
    """The kind of each mnemonic of each engine."""
    keys: list[list[Any]]
    """The keys of the debug slots so far."""

    def __init__(self, program: Program):
        self.program = program
        self.target = program.target
        self.forms = list(self.target.formats.values())
        self.kinds = {engine: {} for engine in self.target.slots}
        for kind, (engine, mnemonic) in enumerate(self.target.formats):
            self.kinds[engine][mnemonic] = kind
        self.limits = operand_limits(self.target, len(program.bundles))
        self.keys = []

    def decode(self) -> DecodedProgram:
        kind, operands, first = self.flatten()
        n_bundles = len(first) - 1
        bundle = np.repeat(np.arange(n_bundles), np.diff(first))
        code = self.encode(kind, operands, bundle)

        numbers = {name: number for number, name in enumerate(self.target.slots)}
        engines = np.array([numbers[name] for name, _ in self.target.formats], dtype=np.int64)
        is_debug = np.array(
            [name == DEBUG_ENGINE for name, _ in self.target.formats], dtype=np.bool_
        )
        timed = np.zeros(n_bundles, dtype=np.bool_)
        timed[bundle[~is_debug[kind]]] = True
        return DecodedProgram(
            program=self.program,
            first=first,
            bundle=bundle,
            engine=engines[kind],
            code=code,
            timed=timed,
            conflict=self.find_conflicts(code, bundle),
            keys=self.keys,
        )

    def flatten(self) -> tuple[Ints, Ints, Ints]:
        """The kind of each slot, the operands of all slots, the first slot of each bundle."""
        kind: list[int] = []
        lengths: list[int] = []
        operands: list[Any] = []
        first: list[int] = [0]
        limits = self.target.slots
        try:
            for bundle in self.program.bundles:
                for engine, slots in bundle.items():
                    _require(len(slots) <= limits[engine])
                    kinds = self.kinds[engine]
                    if engine == DEBUG_ENGINE:
                        slots = [self.extract_key(slot) for slot in slots]
                    for slot in slots:
                        kind.append(kinds[slot[0]])
                        lengths.append(len(slot))
                        operands += slot[1:]
                first.append(len(kind))
        except (KeyError, TypeError, IndexError) as e:
            raise _IllegalProgram from e
        arity = np.array([form.arity for form in self.forms], dtype=np.int64)
        kind_array = np.array(kind, dtype=np.int64)
        _require((arity[kind_array] + 1 == lengths).all())
        # Not isinstance: a bool is no operand.
        _require(set(map(type, operands)) <= {int})
        try:
            operand_array = np.array(operands, dtype=np.int64)
        except OverflowError as e:
            raise _IllegalProgram from e
        return kind_array, operand_array, np.array(first, dtype=np.int64)

    def extract_key(self, slot: Slot) -> Slot:
        """The debug slot with its position in `keys` in place of its key."""
        form = self.target.formats[DEBUG_ENGINE, slot[0]]
        place = 1 + form.roles.index(Role.KEY)
        _require(len(slot) == place + 1 or (form.variadic and len(slot) > place))
        key = slot[place]
        per_lane = form.mnemonic == "vcompare"
        _require(not per_lane or is_key_per_lane(key, self.target.vlen))
        self.keys.append(key if per_lane else [key])
        return (*slot[:place], len(self.keys) - 1)

    def encode(self, kind: Ints, operands: Ints, bundle: Ints) -> Ints:
        """The row of code of each slot."""
        arity = np.array([form.arity for form in self.forms], dtype=np.int64)[kind]
        start = np.cumsum(arity) - arity
        code = np.zeros((len(kind), 6), dtype=np.int64)
        used = np.bincount(kind, minlength=len(self.forms)) > 0
        for number, form in enumerate(self.forms):
            if not used[number]:
                continue
            slots = np.flatnonzero(kind == number)
            at = start[slots]
            offset = 0 if form.offset_place is None else operands[at + form.offset_place]
            code[slots, OP] = OPCODES[form.mnemonic]
            code[slots, LANES] = self.target.vlen if any(r.is_vector for r in form.roles) else 1
            columns = iter((A, B, C))
            for place, role in enumerate(form.roles):
                column = D if role.is_def else next(columns)
                values = operands[at + place]
                code[slots, column] = self.resolve(role, values, offset, bundle[slots])
        return code

    def resolve(self, role: Role, values: Ints, offset: Ints | int, bundle: Ints) -> Ints:
        """What the loop needs of the operands that slots of one kind have in one place."""
        if role is Role.KEY:
            return values
        if role is Role.RELATIVE:
            values = values + bundle + 1
        elif role.is_def or role.is_use:
            # No overflow can lead back into scratch: the offset has 32 bits.
            values = values + offset
        least, greatest = self.limits[role]
        _require(values.min() >= least and values.max() <= greatest)
        return values & WORD_MASK if role is Role.IMM else values

    def find_conflicts(self, code: Ints, bundle: Ints) -> Flags:
        """Per bundle, whether two of its slots write the same scratch word."""
        writing = np.flatnonzero(code[:, OP] <= LAST_WRITING)
        # Sorted by bundle and first word: if any two ranges overlap, two neighbours do.
        start = bundle[writing] * self.target.scratch + code[writing, D]
        order = np.argsort(start, kind="stable")
        start = start[order]
        end = start + code[writing, LANES][order]
        flags = np.zeros(len(self.program.bundles), dtype=np.bool_)
        flags[bundle[writing][order][1:][start[1:] < end[:-1]]] = True
        return flags
