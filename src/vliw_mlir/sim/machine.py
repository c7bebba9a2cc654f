"""The simulator: a program, the memory it works on, and the state of its run."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, NoReturn, cast

import numpy as np

from vliw_mlir.semantics import WORD_MASK, Words
from vliw_mlir.sim.decode import COMPARE, A, B, DecodedProgram, Flags, Ints, decode
from vliw_mlir.sim.outcome import Status, Trap, TrapReason
from vliw_mlir.sim.program import Program
from vliw_mlir.sim.verify import enumerate_slots, slot_name, write_conflicts

SLICE = 1 << 24
"""Bundles executed without a break; an interrupt from the keyboard waits for the next."""


class Machine:
    """A program, the memory it works on, and the state of the run.

    `memory` is a writable one-dimensional uint32 array, changed in place. With `strict` off,
    slots of one bundle that write the same word do not trap, the later one wins; so it is
    with two taken jumps. `step_limit` bounds the bundles executed in the whole life of the
    machine. `debug_values` gives the words that `compare` and `vcompare` check, by key (a
    list in a key counts as a tuple); keys without a value are not checked.

    After a trap the state is that before the bundle which trapped.

    Raises `CompileError` when the program is not legal on its target.
    """

    decoded: DecodedProgram
    memory: Words
    scratch: Words
    pc: int
    """The bundle to execute next."""
    status: Status
    executed: Ints
    """How often each bundle was executed."""
    taken: Ints
    """How often each slot (numbered through the program) was a jump that was taken."""
    trap: Trap | None
    """Why the machine stopped, if it trapped."""

    def __init__(
        self,
        program: Program | DecodedProgram,
        memory: Words,
        *,
        strict: bool = True,
        step_limit: int | None = None,
        debug_values: Mapping[Hashable, int] | None = None,
    ):
        if memory.dtype != np.uint32 or memory.ndim != 1 or not memory.flags.carray:
            raise TypeError("memory must be a writable, contiguous array of uint32 words")
        self.decoded = program if isinstance(program, DecodedProgram) else decode(program)
        self.memory = memory
        self.scratch = np.zeros(self.decoded.target.scratch, dtype=np.uint32)
        self.pc = 0
        self.status = Status.RUNNING
        self.executed = np.zeros(self.decoded.n_bundles, dtype=np.int64)
        self.taken = np.zeros(len(self.decoded.code), dtype=np.int64)
        self.trap = None
        self._strict = strict
        self._step_limit = step_limit
        self._steps = 0
        self._trace = np.zeros(64, dtype=np.uint32)
        self._traced = 0
        self._staged = np.zeros(self.decoded.most_words_written, dtype=np.uint32)
        self._expected, self._known = _expectations(self.decoded, debug_values or {})

    @property
    def cycles(self) -> int:
        """Cycles so far."""
        return int(self.executed @ self.decoded.timed)

    @property
    def trace_buffer(self) -> Words:
        """The words written by `trace_write` so far."""
        return self._trace[: self._traced].copy()

    def run(self) -> Status:
        """Run until the program halts or pauses, and say which; resumes a paused program.

        Raises `Trap` when it can do neither; running it again raises the same.
        """
        while True:
            self._advance(SLICE)
            if self.status is not Status.RUNNING:
                return self.status

    def step(self) -> Status:
        """Execute one bundle, unless the program has ended. Raises `Trap` like `run`."""
        self._advance(1)
        return self.status

    def _advance(self, budget: int) -> None:
        """Execute up to `budget` bundles."""
        # Imports numba, which takes longer than anything else about a small program.
        from vliw_mlir.sim.loop import execute

        if self.trap is not None:
            raise self.trap
        if self.status is Status.HALTED:
            return
        allowed = budget
        if self._step_limit is not None:
            allowed = max(0, min(budget, self._step_limit - self._steps))
        self._reserve_trace()
        decoded = self.decoded
        status, self.pc, self._traced, steps, reason, slot, other = execute(
            decoded.first,
            decoded.code,
            decoded.conflict,
            self._strict,
            self.scratch,
            self.memory,
            self._staged,
            self._expected,
            self._known,
            self._trace,
            self._traced,
            self.executed,
            self.taken,
            self.pc,
            allowed,
        )
        self.status = Status(status)
        self._steps += steps
        if self.status is Status.TRAPPED:
            self._trap_in_slot(TrapReason(reason), slot, other)
        if self.status is Status.RUNNING and steps == allowed < budget:
            self._trap(TrapReason.STEP_LIMIT, f"more than {self._step_limit} bundles executed")

    def _reserve_trace(self) -> None:
        """Make room for what the next bundle may append to the trace buffer."""
        if len(self._trace) - self._traced < self.decoded.most_slots:
            more = np.zeros(len(self._trace) + self.decoded.most_slots, dtype=np.uint32)
            self._trace = np.concatenate([self._trace, more])

    def _trap_in_slot(self, reason: TrapReason, slot: int, other: int) -> NoReturn:
        """Trap in `slot`, numbered through the program, which may conflict with `other`."""
        decoded = self.decoded
        first = int(decoded.first[self.pc])
        bundle = decoded.program.bundles[self.pc]
        if reason is TrapReason.SCRATCH_CONFLICT:
            other, slot, word = next(write_conflicts(bundle, decoded.target))
            what, address = f"scratch word {word} is written", word
        else:
            other, slot = other - first, slot - first
            what, address = self._describe(reason, first + slot, first + other)
        if other != slot:
            what += f", and by {slot_name(bundle, other)} too"
        engine, position, _ = list(enumerate_slots(bundle))[slot]
        self._trap(
            reason,
            what,
            engine=engine,
            slot=position,
            address=address,
            source=decoded.program.source(self.pc, slot) or None,
        )

    def _describe(self, reason: TrapReason, slot: int, other: int) -> tuple[str, int | None]:
        """What goes wrong in `slot`, and the address concerned."""
        _, lanes, _, a, b, _ = self.decoded.code[slot].tolist()
        match reason:
            case TrapReason.MEMORY:
                start = int(self.scratch[a])
                words = f"word {start}" if lanes == 1 else f"words {start}..{start + lanes - 1}"
                what = f"access to {words} of memory, which has {len(self.memory)}"
                return what, max(start, len(self.memory))
            case TrapReason.MEMORY_CONFLICT:
                address = int(self.scratch[self.decoded.code[[slot, other], A]].max())
                return f"memory word {address} is written", address
            case TrapReason.DIVISION:
                return "division by zero", None
            case TrapReason.JUMP:
                return f"jump to bundle {self.scratch[a]} of {self.decoded.n_bundles}", None
            case TrapReason.JUMP_CONFLICT:
                return "a jump is taken", None
            case _:
                return self._describe_compare(a, b, lanes), None

    def _describe_compare(self, start: int, key: int, lanes: int) -> str:
        """Which word is not the one that debug information expects."""
        words, expected = self.scratch[start : start + lanes], self._expected[key, :lanes]
        lane = int(np.flatnonzero(self._known[key, :lanes] & (words != expected))[0])
        name = self.decoded.keys[key][lane]
        return f"scratch word {start + lane} is {words[lane]}, expected {expected[lane]} ({name!r})"

    def _trap(self, reason: TrapReason, what: str, **place: Any) -> NoReturn:
        self.status = Status.TRAPPED
        self.trap = Trap(reason, what, bundle=self.pc, cycle=self.cycles, **place)
        raise self.trap


def _expectations(decoded: DecodedProgram, values: Mapping[Hashable, int]) -> tuple[Words, Flags]:
    """Per key of the program and lane: the word to expect, and whether one is known."""
    vlen = decoded.target.vlen
    expected = np.zeros((len(decoded.keys), vlen), dtype=np.uint32)
    known = np.zeros((len(decoded.keys), vlen), dtype=np.bool_)
    if not values:
        return expected, known
    for slot in np.flatnonzero(decoded.opcode == COMPARE).tolist():
        number = int(decoded.code[slot, B])
        for lane, key in enumerate(decoded.keys[number]):
            word = _lookup(values, key)
            if word is not None:
                expected[number, lane], known[number, lane] = word & WORD_MASK, True
    return expected, known


def _lookup(values: Mapping[Hashable, int], key: Any) -> int | None:
    try:
        return values.get(_as_key(key))
    except TypeError:  # An unhashable key cannot have a value.
        return None


def _as_key(key: Any) -> Hashable:
    """A key as it was before it went through a program file, where tuples become lists."""
    if isinstance(key, list | tuple):
        return tuple(_as_key(part) for part in cast(list[Any], key))
    return key
