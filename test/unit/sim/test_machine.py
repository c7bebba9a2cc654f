"""What every instruction does, and how programs start, pause and end."""

from typing import Any

import numpy as np
import pytest

from support.machine_code import EDGE_WORDS, machine, program
from vliw_mlir.semantics import FUNCTIONS
from vliw_mlir.sim.decode import decode
from vliw_mlir.sim.machine import Machine
from vliw_mlir.sim.outcome import Status, Trap, TrapReason
from vliw_mlir.sim.program import Bundle
from vliw_mlir.target import Target
from vliw_mlir.target.isa import ARITHMETIC

PAIRS = [(a, b) for a in EDGE_WORDS for b in EDGE_WORDS]


def words_after(bundle: Bundle, scratch: dict[int, int], **options: Any) -> list[int]:
    """The scratch after one bundle."""
    made = machine([bundle], scratch=scratch, **options)
    assert made.run() is Status.HALTED
    assert made.cycles == 1
    return made.scratch.tolist()


@pytest.mark.parametrize("mnemonic", ARITHMETIC)
def test_arithmetic(mnemonic: str):
    """Scalar and lane-wise, all means what the word functions mean."""
    function = FUNCTIONS[ARITHMETIC[mnemonic]]
    pairs = [(a, b) for a, b in PAIRS if b or not function.traps]
    pairs += pairs[: -len(pairs) % 8]
    scalars = [{"alu": [(mnemonic, 500 + n, n, 200 + n)]} for n in range(len(pairs))]
    vectors = [{"valu": [(mnemonic, 700 + n, n, 200 + n)]} for n in range(0, len(pairs), 8)]
    made = machine([*scalars, *vectors])
    made.scratch[: len(pairs)] = [a for a, _ in pairs]
    made.scratch[200 : 200 + len(pairs)] = [b for _, b in pairs]
    made.run()
    expected = [function.scalar(a, b) for a, b in pairs]
    assert made.scratch[500 : 500 + len(pairs)].tolist() == expected
    assert made.scratch[700 : 700 + len(pairs)].tolist() == expected


def test_multiply_add():
    scratch = dict(enumerate(EDGE_WORDS[:8]))
    scratch |= {8 + n: word for n, word in enumerate(EDGE_WORDS[3:11])}
    scratch |= {16 + n: word for n, word in enumerate(EDGE_WORDS[1:9])}
    after = words_after({"valu": [("multiply_add", 30, 0, 8, 16)]}, scratch)
    assert after[30:38] == [
        (scratch[n] * scratch[8 + n] + scratch[16 + n]) % 2**32 for n in range(8)
    ]


def test_vbroadcast():
    after = words_after({"valu": [("vbroadcast", 10, 15)]}, {15: 7, 18: 3})
    assert after[9:19] == [0, 7, 7, 7, 7, 7, 7, 7, 7, 3]


def test_select():
    bundle: Bundle = {"flow": [("select", 0, 1, 2, 3)]}
    assert words_after(bundle, {1: 1, 2: 20, 3: 30})[0] == 20
    assert words_after(bundle, {1: 0x80000000, 2: 20, 3: 30})[0] == 20
    assert words_after(bundle, {1: 0, 2: 20, 3: 30})[0] == 30


def test_vselect():
    scratch = {n: n % 3 for n in range(8)} | {n: n for n in range(8, 24)}
    after = words_after({"flow": [("vselect", 30, 0, 8, 16)]}, scratch)
    assert after[30:38] == [16, 9, 10, 19, 12, 13, 22, 15]


@pytest.mark.parametrize(
    ("immediate", "word"),
    [(0, 0), (5, 5), (-1, 2**32 - 1), (-(2**31), 2**31), (2**32 - 1, 2**32 - 1)],
)
def test_immediates(immediate: int, word: int):
    assert words_after({"load": [("const", 3, immediate)]}, {3: 9})[3] == word
    after = words_after({"flow": [("add_imm", 3, 4, immediate)]}, {4: 7})
    assert after[3] == (7 + word) % 2**32


def test_coreid_is_zero():
    assert words_after({"flow": [("coreid", 3)]}, {3: 9})[3] == 0


def test_loads():
    memory = [100 + n for n in range(20)]
    bundle: Bundle = {"load": [("load", 0, 1), ("load_offset", 2, 3, 5)]}
    after = words_after(bundle, {1: 19, 3: 4, 8: 6}, memory=memory)
    assert (after[0], after[2], after[7]) == (119, 0, 106)
    after = words_after({"load": [("vload", 20, 1)]}, {1: 12}, memory=memory)
    assert after[20:28] == memory[12:]
    after = words_after({"load": [("load_offset", 10, 9, -6)]}, {3: 11}, memory=memory)
    assert after[4] == 111


def test_stores():
    made = machine(
        [{"store": [("store", 0, 1), ("vstore", 2, 10)]}],
        20,
        scratch={0: 3, 1: 33, 2: 12} | {10 + n: n + 1 for n in range(8)},
    )
    made.run()
    assert made.memory.tolist() == [0] * 3 + [33] + [0] * 8 + [1, 2, 3, 4, 5, 6, 7, 8]


def test_slots_see_the_state_before_the_bundle():
    made = machine(
        [
            {
                "alu": [("+", 0, 1, 1), ("+", 1, 0, 0)],
                "load": [("load", 2, 3), ("vload", 20, 3)],
                "store": [("store", 3, 0), ("store", 2, 1)],
                "flow": [("cond_jump", 0, 2)],
                "valu": [("vbroadcast", 8, 9), ("+", 30, 8, 8)],
            },
            {"flow": [("halt",)]},
            {"alu": [("+", 5, 0, 1)]},
        ],
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        scratch={0: 10, 1: 100, 2: 9, 3: 1, 9: 7},
    )
    made.run()
    scratch = made.scratch.tolist()
    assert scratch[:6] == [200, 20, 2, 1, 0, 220]
    assert scratch[8:16] == [7] * 8
    assert scratch[20:28] == [2, 3, 4, 5, 6, 7, 8, 9]
    assert scratch[30:38] == [0, 14, 0, 0, 0, 0, 0, 0]
    assert made.memory.tolist() == [1, 10, 3, 4, 5, 6, 7, 8, 9, 100]


def test_operands_may_overlap_the_result():
    words = {n: n + 1 for n in range(9)}
    after = words_after({"valu": [("+", 1, 0, 0)]}, words)
    assert after[:10] == [1, 2, 4, 6, 8, 10, 12, 14, 16, 0]
    after = words_after({"valu": [("vbroadcast", 0, 4)]}, words)
    assert after[:9] == [5, 5, 5, 5, 5, 5, 5, 5, 9]


def jump_program(jump: tuple[Any, ...]) -> list[Bundle]:
    """Writes word 2 beside the jump; then word 5 if that bundle is not jumped over."""
    return [
        {"load": [("const", 9, 3)]},
        {"flow": [jump], "load": [("const", 2, 1)]},
        {"load": [("const", 5, 1)]},
        {"load": [("const", 6, 1)]},
    ]


@pytest.mark.parametrize(
    ("jump", "condition", "taken"),
    [
        (("jump", 3), 0, True),
        (("cond_jump", 8, 3), 1, True),
        (("cond_jump", 8, 3), 2**31, True),
        (("cond_jump", 8, 3), 0, False),
        (("cond_jump_rel", 8, 1), 1, True),
        (("cond_jump_rel", 8, 0), 1, False),
        (("cond_jump_rel", 8, 1), 0, False),
        (("jump_indirect", 9), 0, True),
    ],
)
def test_jumps(jump: tuple[Any, ...], condition: int, taken: bool):
    made = machine(jump_program(jump), scratch={8: condition})
    assert made.run() is Status.HALTED
    assert made.scratch[[2, 5, 6]].tolist() == [1, int(not taken), 1]
    assert made.cycles == 4 - taken
    assert made.pc == 4


@pytest.mark.parametrize("jump", [("jump", 4), ("cond_jump_rel", 9, 2), ("jump_indirect", 8)])
def test_a_jump_to_the_end_halts(jump: tuple[Any, ...]):
    made = machine(jump_program(jump), scratch={8: 4})
    assert made.run() is Status.HALTED
    assert made.scratch[[2, 5, 6]].tolist() == [1, 0, 0]
    assert made.cycles == 2


def test_a_backward_jump_counts_a_loop():
    made = machine(
        [
            {"load": [("const", 0, 5), ("const", 1, 1)]},
            {"alu": [("-", 0, 0, 1), ("+", 2, 2, 1)]},
            {"flow": [("cond_jump_rel", 0, -2)]},
        ]
    )
    made.run()
    assert made.scratch[2] == 5
    assert made.cycles == 11
    assert made.executed.tolist() == [1, 5, 5]
    assert made.taken.tolist() == [0, 0, 0, 0, 4]


def test_halt_ends_the_run_with_its_bundle():
    made = machine([{"flow": [("halt",)], "load": [("const", 0, 1)]}, {"load": [("const", 0, 2)]}])
    assert made.run() is Status.HALTED
    assert made.run() is Status.HALTED
    assert made.step() is Status.HALTED
    assert (made.scratch[0], made.cycles) == (1, 1)


def test_pause_and_resume():
    made = machine(
        [
            {"flow": [("pause",)], "load": [("const", 0, 1)]},
            {"load": [("const", 0, 2)]},
            {"flow": [("pause",)]},
        ]
    )
    assert made.status is Status.RUNNING
    assert made.run() is Status.PAUSED
    assert (made.scratch[0], made.cycles, made.pc) == (1, 1, 1)
    assert made.run() is Status.PAUSED
    assert (made.scratch[0], made.cycles, made.pc) == (2, 3, 3)
    assert made.run() is Status.HALTED
    assert made.cycles == 3


def test_several_flow_slots():
    target = Target.from_dict({"engines": {"flow": 3}})
    made = machine(
        [{"flow": [("pause",), ("cond_jump", 0, 2), ("jump", 3)]}, {}, {}, {"flow": [("halt",)]}],
        target=target,
    )
    assert made.run() is Status.PAUSED
    assert made.pc == 3
    assert made.run() is Status.HALTED
    made = machine([{"flow": [("halt",), ("pause",)]}], target=target)
    assert made.run() is Status.HALTED


def test_empty_and_debug_bundles_cost_nothing():
    made = machine([{}, {"debug": [("comment", "hello")]}, {"alu": []}, {"alu": [("+", 0, 0, 0)]}])
    assert made.run() is Status.HALTED
    assert made.cycles == 1
    assert made.executed.tolist() == [1, 1, 1, 1]


def test_an_empty_program_halts():
    made = machine([])
    assert made.run() is Status.HALTED
    assert (made.cycles, made.pc) == (0, 0)


def test_trace_write_appends_words():
    made = machine(
        [
            {"load": [("const", 0, 1000), ("const", 1, 1)]},
            {"flow": [("trace_write", 0)], "alu": [("-", 0, 0, 1)]},
            {"flow": [("cond_jump", 0, 1)]},
        ]
    )
    made.run()
    assert made.trace_buffer.tolist() == list(range(1000, 0, -1))
    assert made.cycles == 2001


def test_steps():
    made = machine([{"load": [("const", 0, 1)]}, {}, {"flow": [("pause",)]}, {}])
    assert [made.step() for _ in range(3)] == [Status.RUNNING, Status.RUNNING, Status.PAUSED]
    assert (made.pc, made.cycles) == (3, 2)
    assert made.step() is Status.HALTED


def test_debug_values():
    bundles: list[Bundle] = [
        {"load": [("const", 2, 5)], "debug": [("compare", 2, "before")]},
        {"debug": [("compare", 2, ("round", 1)), ("vcompare", 0, [*"abcdefg", ["h", 0]])]},
        {"debug": [("compare", 2, ["round", 1]), ("compare", 2, {"un": "hashable"})]},
    ]
    known = {"before": 0, ("round", 1): 5, "c": 5, "b": 0, ("h", 0): 0}
    assert machine(bundles, debug_values=known).run() is Status.HALTED
    assert machine(bundles).run() is Status.HALTED
    for wrong, bundle in (("before", 0), (("round", 1), 1), ("c", 1), (("h", 0), 1)):
        made = machine(bundles, debug_values=known | {wrong: 77})
        with pytest.raises(Trap) as trap:
            made.run()
        assert (trap.value.reason, trap.value.bundle) == (TrapReason.COMPARE, bundle)
        assert repr(wrong if isinstance(wrong, str) else wrong[0]) in str(trap.value)


def test_debug_values_are_words():
    bundles: list[Bundle] = [{"debug": [("compare", 2, "k")]}]
    assert machine(bundles, scratch={2: 2**32 - 1}, debug_values={"k": -1}).run() is Status.HALTED


@pytest.mark.parametrize("vlen", [1, 4, 16])
def test_vectors_have_the_length_of_the_target(vlen: int):
    target = Target.from_dict({"vlen": vlen, "scratch": 256})
    made = machine(
        [
            {"load": [("const", 0, 1), ("const", 1, 40)]},
            {"load": [("vload", 200, 0)], "valu": [("vbroadcast", 100, 1)]},
            {"valu": [("+", 150, 200, 100)], "flow": [("vselect", 50, 200, 100, 200)]},
            {"store": [("vstore", 1, 150)], "debug": [("vcompare", 100, ["k"] * vlen)]},
        ],
        list(range(64)),
        target=target,
        debug_values={"k": 40},
    )
    made.run()
    vector = [41 + n for n in range(vlen)]
    assert made.memory[40 : 41 + vlen].tolist() == [*vector, 40 + vlen]
    assert made.scratch[50 : 51 + vlen].tolist() == [40] * vlen + [0]


def test_engines_are_those_of_the_target():
    target = Target.from_dict(
        {
            "engines": {
                "alu": {"slots": 1, "instructions": ["+", "load", "cond_jump"]},
                "wide": {"slots": 2, "arithmetic": "vector", "instructions": ["*", "+"]},
            }
        }
    )
    made = machine(
        [{"wide": [("+", 16, 0, 8), ("*", 24, 0, 8)], "alu": [("load", 40, 0)]}],
        scratch={n: n for n in range(16)},
        memory=[7],
        target=target,
    )
    made.run()
    assert made.scratch[16:24].tolist() == [8 + 2 * n for n in range(8)]
    assert made.scratch[24:32].tolist() == [n * (8 + n) for n in range(8)]
    assert made.scratch[40] == 7


def test_a_decoded_program_runs_many_times():
    decoded = decode(program([{"load": [("load", 0, 1)]}, {"store": [("store", 1, 2)]}]))
    for word in (3, 4):
        made = Machine(decoded, np.array([word], dtype=np.uint32))
        made.run()
        assert (made.scratch[0], made.memory[0]) == (word, 0)


def test_memory_is_changed_in_place():
    memory = np.zeros(4, dtype=np.uint32)
    made = Machine(program([{"load": [("const", 0, 2)]}, {"store": [("store", 0, 0)]}]), memory)
    made.run()
    assert made.memory is memory
    assert memory.tolist() == [0, 0, 2, 0]


@pytest.mark.parametrize(
    "memory", [np.zeros(4), np.zeros((2, 2), np.uint32), np.zeros(8, np.uint32)[::2]]
)
def test_memory_must_be_words(memory: Any):
    with pytest.raises(TypeError, match="uint32"):
        Machine(program([]), memory)
