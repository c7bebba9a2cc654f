"""The loop that executes bundles, compiled to machine code on its first use.

The only module that imports numba, which takes 0.2 s: import it where a run starts. The
machine code is kept in a file beside this one. Numba renews it when this file changes, and
only then: touch this file after changing what a word function means or an opcode's number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba  # pyright: ignore[reportMissingTypeStubs]
import numpy as np

from vliw_mlir.semantics import FUNCTIONS, WordFunction, Words
from vliw_mlir.sim.decode import (
    ADD_IMM,
    BROADCAST,
    COMPARE,
    COND_JUMP,
    CONST,
    HALT,
    JUMP,
    JUMP_INDIRECT,
    LANES,
    LAST_WRITING,
    LOAD,
    MULTIPLY_ADD,
    OP,
    PAUSE,
    SELECT,
    STORE,
    TRACE_WRITE,
    A,
    B,
    C,
    D,
    Flags,
    Ints,
)
from vliw_mlir.sim.outcome import Status, TrapReason
from vliw_mlir.target.isa import ARITHMETIC

F = TypeVar("F", bound=Callable[..., Any])


def _compiled(**options: Any) -> Callable[[F], F]:
    """A decorator that has numba compile a function."""
    # No array is made or kept here, so none needs its references counted: that alone would
    # take longer than the rest. Divisors are checked before, so a division cannot raise.
    njit = cast(Callable[..., Any], numba.njit)
    return njit(_nrt=False, error_model="numpy", **options)


def _inlined(function: F) -> F:
    return _compiled(inline="always")(function)


def _kept_on_disk(function: F) -> F:
    try:
        return _compiled(cache=True)(function)
    except RuntimeError:  # There is no directory to write to: compile anew in each process.
        return _compiled()(function)


_wide = cast(Callable[[Any], int], np.int64)
"""A word as a signed 64-bit integer, which holds what word functions compute with."""

_index = cast(Callable[[Any], int], np.uint64)
"""An index that is never negative.

For signed ones the compiled code also handles negative indices, as Python does, and cannot
do several lanes at once; that takes twice as long. Mixed with `_wide` they become floats.
"""

# Compiled code takes plain integers.
_RUNNING = int(Status.RUNNING)
_PAUSED = int(Status.PAUSED)
_HALTED = int(Status.HALTED)
_TRAPPED = int(Status.TRAPPED)
_NO_TRAP = 0
_MEMORY = int(TrapReason.MEMORY)
_DIVISION = int(TrapReason.DIVISION)
_JUMP = int(TrapReason.JUMP)
_JUMP_CONFLICT = int(TrapReason.JUMP_CONFLICT)
_SCRATCH_CONFLICT = int(TrapReason.SCRATCH_CONFLICT)
_MEMORY_CONFLICT = int(TrapReason.MEMORY_CONFLICT)
_COMPARE = int(TrapReason.COMPARE)

_ARITHMETIC_FUNCTIONS: list[WordFunction] = [FUNCTIONS[name] for name in ARITHMETIC.values()]
_DIVIDES = np.array([function.traps for function in _ARITHMETIC_FUNCTIONS])


_ARITHMETIC_CASE = """
    if op == {opcode}:
        for lane in range(lanes):
            x, y = wide(scratch[a + lane]), wide(scratch[b + lane])
            staged[at + lane] = {expression}
        return
"""


def _make_arithmetic() -> Callable[[int, int, Words, int, int, Words, int], None]:
    """The arithmetic of the machine: one function with a loop over the lanes for each opcode."""
    cases = [
        _ARITHMETIC_CASE.format(opcode=opcode, expression=function.expr.format("x", "y"))
        for opcode, function in enumerate(_ARITHMETIC_FUNCTIONS)
    ]
    scope: dict[str, Any] = {"wide": np.int64}
    exec("def arithmetic(op, lanes, scratch, a, b, staged, at):" + "".join(cases), scope)
    return _inlined(scope["arithmetic"])


_arithmetic = _make_arithmetic()
_multiply_add = _inlined(FUNCTIONS["multiply_add"].scalar)


@_inlined
def _stage(code: Ints, slot: int, scratch: Words, memory: Words, staged: Words, at: int) -> int:
    """Put what a slot writes to scratch into `staged[at:]`; return why it traps, or 0.

    Word functions are defined on integers; 64 bits, wrapping around, keep the low word right.
    """
    op, lanes = code[slot, OP], _index(code[slot, LANES])
    a, b, c = _index(code[slot, A]), _index(code[slot, B]), _index(code[slot, C])
    if op < MULTIPLY_ADD:
        if _DIVIDES[op]:
            for lane in range(lanes):
                if scratch[b + lane] == 0:
                    return _DIVISION
        _arithmetic(op, lanes, scratch, a, b, staged, at)
    elif op == MULTIPLY_ADD:
        for lane in range(lanes):
            x, y = _wide(scratch[a + lane]), _wide(scratch[b + lane])
            staged[at + lane] = _multiply_add(x, y, _wide(scratch[c + lane]))
    elif op == BROADCAST:
        word = scratch[a]
        for lane in range(lanes):
            staged[at + lane] = word
    elif op == SELECT:
        for lane in range(lanes):
            chosen = b if scratch[a + lane] != 0 else c
            staged[at + lane] = scratch[chosen + lane]
    elif op == CONST:
        staged[at] = a
    elif op == ADD_IMM:
        staged[at] = _index(scratch[a]) + b
    elif op == LOAD:
        address = _index(scratch[a])
        if address + lanes > _index(len(memory)):
            return _MEMORY
        for lane in range(lanes):
            staged[at + lane] = memory[address + lane]
    return _NO_TRAP


@_inlined
def _check_store(
    code: Ints, first: int, slot: int, strict: bool, scratch: Words, memory: Words
) -> tuple[int, int]:
    """Why a store traps, or 0, and the earlier slot of its bundle that it conflicts with."""
    address, lanes = _index(scratch[code[slot, A]]), _index(code[slot, LANES])
    if address + lanes > _index(len(memory)):
        return _MEMORY, slot
    if not strict:
        return _NO_TRAP, slot
    for other in range(first, slot):
        if code[other, OP] == STORE:
            start = _index(scratch[code[other, A]])
            if start < address + lanes and address < start + _index(code[other, LANES]):
                return _MEMORY_CONFLICT, other
    return _NO_TRAP, slot


@_inlined
def _commit(
    code: Ints, first: int, end: int, stores: bool, scratch: Words, memory: Words, staged: Words
) -> None:
    """Let the writes of a bundle land.

    Those to memory come first: a store reads scratch as it was, and memory is not read here.
    """
    if stores:
        for slot in range(first, end):
            if code[slot, OP] == STORE:
                address, source = _index(scratch[code[slot, A]]), _index(code[slot, B])
                for lane in range(_index(code[slot, LANES])):
                    memory[address + lane] = scratch[source + lane]
    at = _index(0)
    for slot in range(first, end):
        if code[slot, OP] <= LAST_WRITING:
            dest, lanes = _index(code[slot, D]), _index(code[slot, LANES])
            for lane in range(lanes):
                scratch[dest + lane] = staged[at + lane]
            at += lanes


@_kept_on_disk
def execute(
    first: Ints,
    code: Ints,
    conflict: Flags,
    strict: bool,
    scratch: Words,
    memory: Words,
    staged: Words,
    expected: Words,
    known: Flags,
    trace: Words,
    traced: int,
    executed: Ints,
    taken: Ints,
    pc: int,
    budget: int,
) -> tuple[int, int, int, int, int, int, int]:
    """Execute up to `budget` bundles, beginning with `pc`.

    Changes `scratch`, `memory`, `trace` (from `traced` on), and the counts `executed` per
    bundle and `taken` per slot. Returns how it ended, the new `pc`, `traced` and the number
    of bundles executed, and for a trap its reason, the slot, and the slot it conflicts with.
    A bundle that cannot be executed to its end has had no effect.
    """
    steps = 0
    while True:
        if pc >= len(first) - 1:
            return _HALTED, pc, traced, steps, _NO_TRAP, -1, -1
        if steps == budget:
            return _RUNNING, pc, traced, steps, _NO_TRAP, -1, -1
        start, end = first[pc], first[pc + 1]
        if strict and conflict[pc]:
            return _TRAPPED, pc, traced, steps, _SCRATCH_CONFLICT, start, start
        status = _RUNNING
        staged_words = _index(0)
        stores = False
        logged = traced
        next_pc = pc + 1
        jump = -1
        for slot in range(start, end):
            op = code[slot, OP]
            a = code[slot, A]
            target = -1
            if op <= LAST_WRITING:
                reason = _stage(code, slot, scratch, memory, staged, staged_words)
                if reason != _NO_TRAP:
                    return _TRAPPED, pc, traced, steps, reason, slot, slot
                staged_words += _index(code[slot, LANES])
            elif op == STORE:
                reason, other = _check_store(code, start, slot, strict, scratch, memory)
                if reason != _NO_TRAP:
                    return _TRAPPED, pc, traced, steps, reason, slot, other
                stores = True
            elif op == COND_JUMP:
                if scratch[a] != 0:
                    target = code[slot, B]
            elif op == JUMP:
                target = a
            elif op == JUMP_INDIRECT:
                target = _wide(scratch[a])
                if target >= len(first):
                    return _TRAPPED, pc, traced, steps, _JUMP, slot, slot
            elif op == HALT:
                status = _HALTED
            elif op == PAUSE:
                status = max(status, _PAUSED)
            elif op == TRACE_WRITE:
                if logged == len(trace):
                    return _RUNNING, pc, traced, steps, _NO_TRAP, -1, -1
                trace[logged] = scratch[a]
                logged += 1
            elif op == COMPARE:
                key = code[slot, B]
                for lane in range(code[slot, LANES]):
                    if known[key, lane] and scratch[a + lane] != expected[key, lane]:
                        return _TRAPPED, pc, traced, steps, _COMPARE, slot, slot
            if target >= 0:
                if strict and jump >= 0:
                    return _TRAPPED, pc, traced, steps, _JUMP_CONFLICT, slot, jump
                next_pc, jump = target, slot
        _commit(code, start, end, stores, scratch, memory, staged)
        executed[pc] += 1
        if jump >= 0:
            taken[jump] += 1
        traced = logged
        pc = next_pc
        steps += 1
        if status != _RUNNING:
            return status, pc, traced, steps, _NO_TRAP, -1, -1
