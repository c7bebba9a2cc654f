"""Random programs do the same on the simulator as on the plain machine."""

from contextlib import suppress
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.machine_code import machine, random_program
from support.plain_machine import PlainMachine, PlainTrap
from vliw_mlir.sim.outcome import Status, Trap, TrapReason
from vliw_mlir.target import Target

MEMORY = 100
STEPS = 300

TARGETS = {
    "default": Target.default(),
    "narrow": Target.from_dict(
        {"vlen": 4, "scratch": 256, "engines": dict.fromkeys(Target.default().slots, 1)}
    ),
    "wide": Target.from_dict({"vlen": 16, "scratch": 4096, "engines": {"flow": 3, "store": 5}}),
    "scalar": Target.from_dict({"vlen": 1, "scratch": 64}),
    "odd": Target.from_dict({"vlen": 5, "scratch": 97, "engines": {"alu": 0, "load": 7}}),
}


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
@settings(max_examples=80)
@given(seed=st.integers(0, 2**32 - 1))
def test_random_programs(target: Target, seed: int):
    random = Random(seed)
    bundles = random_program(random, target, bundles=random.randint(1, 40), memory=MEMORY)
    words = [random.getrandbits(32) for _ in range(MEMORY)]
    ours = machine(bundles, words, target=target, strict=False, step_limit=STEPS)
    plain = PlainMachine(bundles, words, target.vlen, target.scratch)
    # No zeros to begin with, or else most divisions trap.
    for address in range(target.scratch):
        ours.scratch[address] = plain.scratch[address] = random.getrandbits(32) | 1

    trapped = plain_trapped = False
    try:
        while ours.run() is Status.PAUSED:
            pass
    except Trap as trap:
        trapped = trap.reason is not TrapReason.STEP_LIMIT
    try:
        while plain.state != "halted" and plain.steps < STEPS:
            plain.step()
    except PlainTrap:
        plain_trapped = True
    if plain.pc == len(bundles) and not plain_trapped:
        plain.state = "halted"

    assert trapped == plain_trapped
    assert ours.pc == plain.pc
    assert ours.cycles == plain.cycles
    assert ours.scratch.tolist() == plain.scratch
    assert ours.memory.tolist() == plain.memory
    assert ours.trace_buffer.tolist() == plain.trace
    assert int(ours.executed.sum()) == plain.steps


@settings(max_examples=80)
@given(seed=st.integers(0, 2**32 - 1))
def test_strictness_only_adds_traps(seed: int):
    random = Random(seed)
    bundles = random_program(random, TARGETS["wide"], bundles=20, memory=MEMORY)
    strict, lax = (
        machine(bundles, MEMORY, target=TARGETS["wide"], strict=strict, step_limit=STEPS)
        for strict in (True, False)
    )
    with suppress(Trap):
        while strict.run() is Status.PAUSED:
            pass
    while not strict.trap and lax.status is not Status.HALTED:
        lax.step()
    while strict.trap and lax.executed.sum() < strict.executed.sum():
        lax.step()
    assert lax.pc == strict.pc
    assert lax.scratch.tolist() == strict.scratch.tolist()
    assert lax.memory.tolist() == strict.memory.tolist()
