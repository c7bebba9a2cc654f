from copy import deepcopy
from random import Random
from typing import Any

import pytest

from support.machine_code import program, random_program
from vliw_mlir.errors import CompileError
from vliw_mlir.sim.decode import decode
from vliw_mlir.sim.program import Bundle
from vliw_mlir.sim.verify import check_program, verify_bundle, verify_program, write_conflicts
from vliw_mlir.target import Target

DEFAULT = Target.default()
LAST = 1535
"""The last word of scratch."""


def violations(bundle: Bundle, target: Target = DEFAULT) -> list[str]:
    return list(verify_bundle(bundle, target, n_bundles=10, index=3))


@pytest.mark.parametrize(
    "bundle",
    [
        {},
        {"alu": []},
        {"alu": [("+", LAST, 0, 1)], "valu": [("+", LAST - 8, 0, LAST - 7)]},
        {"alu": [("+", n, 0, 0) for n in range(12)]},
        {"load": [("const", 0, 2**32 - 1), ("const", 1, -(2**31))]},
        {"load": [("load_offset", 0, 8, 7), ("load_offset", 1540, 1536, -5)]},
        {"flow": [("cond_jump", 0, 10)]},
        {"flow": [("jump", 0)]},
        {"flow": [("cond_jump_rel", 0, 6)]},
        {"flow": [("cond_jump_rel", 0, -4)]},
        {"flow": [("halt",)]},
        {"debug": [("compare", 0, ["any", {"thing": 1}]), ("vcompare", 0, list("abcdefgh"))]},
        {"debug": [("comment", "one"), ("comment", 1, 2, 3)]},
        {"valu": [("vbroadcast", 0, LAST)], "store": [("vstore", LAST, LAST - 7)]},
        {"alu": [["+", 0, 1, 2]]},
    ],
)
def test_legal_bundles(bundle: Bundle):
    assert violations(bundle) == []


@pytest.mark.parametrize(
    ("bundle", "message"),
    [
        ({"fpu": []}, "unknown engine 'fpu' (known: alu, valu, load, store, flow, debug)"),
        (
            {"load": [("const", n, 0) for n in range(3)]},
            "engine 'load' has 2 slots per bundle, 3 are used",
        ),
        ({"alu": [("load", 0, 1)]}, "alu slot 0: engine 'alu' does not run 'load'"),
        ({"alu": [()]}, "alu slot 0: () is not (mnemonic, operands…)"),
        ({"alu": ["+"]}, "alu slot 0: '+' is not (mnemonic, operands…)"),
        ({"alu": [(["+"], 1, 2, 3)]}, "alu slot 0: (['+'], 1, 2, 3) is not (mnemonic, operands…)"),
        ({"alu": [("+", 0, 1)]}, "alu slot 0: '+' takes 3 operands, 2 are given"),
        ({"debug": [("comment",)]}, "debug slot 0: 'comment' takes 1 operands, 0 are given"),
        (
            {"debug": [("compare", 0, 1, 2)]},
            "debug slot 0: 'compare' takes 2 operands, 3 are given",
        ),
        ({"alu": [("+", 0, "r1", 2)]}, "alu slot 0: '+' operand 2: 'r1' is not an integer"),
        ({"alu": [("+", True, 1, 2)]}, "alu slot 0: '+' operand 1: True is not an integer"),
        ({"alu": [("+", 0, 1.0, 2)]}, "alu slot 0: '+' operand 2: 1.0 is not an integer"),
        (
            {"alu": [("+", 0, 1, 2), ("+", 1536, 1, 2)]},
            "alu slot 1: '+' operand 1: word 1536 is outside of the 1536 words of scratch",
        ),
        (
            {"alu": [("+", 0, 1, -1)]},
            "alu slot 0: '+' operand 3: word -1 is outside of the 1536 words of scratch",
        ),
        (
            {"valu": [("multiply_add", 0, 8, 16, 1529)]},
            "valu slot 0: 'multiply_add' operand 4: words 1529..1536 are outside of the "
            "1536 words of scratch",
        ),
        (
            {"load": [("load_offset", 0, 1530, 6)]},
            "load slot 0: 'load_offset' operand 2: word 1536 is outside of the 1536 words of "
            "scratch",
        ),
        (
            {"load": [("const", 0, 2**32)]},
            "load slot 0: 'const' operand 2: 4294967296 does not fit in 32 bits",
        ),
        (
            {"flow": [("add_imm", 0, 0, -(2**31) - 1)]},
            "flow slot 0: 'add_imm' operand 3: -2147483649 does not fit in 32 bits",
        ),
        (
            {"load": [("const", 0, 2**70)]},
            f"load slot 0: 'const' operand 2: {2**70} does not fit in 32 bits",
        ),
        (
            {"flow": [("jump", 11)]},
            "flow slot 0: 'jump' operand 1: bundle 11 is outside of the program's 10 bundles",
        ),
        (
            {"flow": [("cond_jump", 0, -1)]},
            "flow slot 0: 'cond_jump' operand 2: bundle -1 is outside of the program's 10 bundles",
        ),
        (
            {"flow": [("cond_jump_rel", 0, 7)]},
            "flow slot 0: 'cond_jump_rel' operand 2: bundle 11 is outside of the program's "
            "10 bundles",
        ),
        (
            {"debug": [("vcompare", 0, ["k"] * 7)]},
            f"debug slot 0: 'vcompare' operand 2: {['k'] * 7} is not a list of 8 keys",
        ),
        (
            {"alu": [("+", 5, 1, 2)], "valu": [("vbroadcast", 0, 9)]},
            "alu slot 0 and valu slot 0 both write scratch word 5",
        ),
    ],
)
def test_violations(bundle: Bundle, message: str):
    assert violations(bundle) == [message]
    bundles = [{}, {}, {}, bundle, {}, {}, {}, {}, {}, {}]
    assert verify_program(program(bundles)) == [f"bundle 3: {message}"]


def test_every_violation_is_reported():
    bundle = {"alu": [("+", -1, 0, 2000), ("frob",)], "fpu": [("x",)]}
    assert len(violations(bundle)) == 4


def test_relative_jumps_need_the_index():
    bundle: Bundle = {"flow": [("cond_jump_rel", 0, 100)]}
    assert list(verify_bundle(bundle, DEFAULT, n_bundles=10)) == []


def test_limits_come_from_the_target():
    target = Target.from_dict({"vlen": 4, "scratch": 16, "engines": {"alu": 1, "store": 0}})
    assert violations({"valu": [("+", 0, 8, 12)]}, target) == []
    assert len(violations({"valu": [("+", 0, 8, 13)]}, target)) == 1
    assert len(violations({"alu": [("+", 0, 1, 2), ("+", 1, 1, 2)]}, target)) == 1
    assert violations({"store": [("store", 0, 1)]}, target) == [
        "engine 'store' has 0 slots per bundle, 1 are used",
        "store slot 0: engine 'store' does not run 'store'",
    ]


@pytest.mark.parametrize(("engine", "mnemonic"), [("debug", "jump"), ("alu", "compare")])
def test_debug_instructions_belong_to_the_debug_engine(engine: str, mnemonic: str):
    """Else debug slots could change state, or the jumps of an endless loop cost nothing."""
    with pytest.raises(CompileError, match=f"engine '{engine}': cannot run '{mnemonic}'"):
        Target.from_dict({"engines": {engine: {"instructions": [mnemonic]}}})


def test_conflicts_name_both_slots_and_the_first_common_word():
    bundle: Bundle = {
        "valu": [("vbroadcast", 10, 0), ("vbroadcast", 17, 0), ("vbroadcast", 25, 0)],
        "load": [("load_offset", 30, 1, 2)],
    }
    assert list(write_conflicts(bundle, DEFAULT)) == [(0, 1, 17), (2, 3, 32)]


def test_check_program_points_at_the_source():
    bundles: list[Bundle] = [{"alu": [("+", 0, 1, 2), ("+", 0, 1, 2)]}, {"alu": [("?",)]}]
    sources = [["a.mlir:1:1", "a.mlir:2:2"], [""]]
    with pytest.raises(CompileError) as error:
        check_program(program(bundles, sources=sources))
    assert str(error.value) == (
        "illegal program: bundle 0: alu slot 0 and alu slot 1 both write scratch word 0 "
        "[a.mlir:2:2] (and 1 more violations)"
    )
    check_program(program([{"alu": [("+", 0, 1, 2)]}]))


def _mutate(random: Random, bundles: list[Bundle]) -> list[Bundle]:
    """Bundles with one slot changed in a way that is often illegal."""
    mutant = deepcopy(bundles)
    bundle = random.choice([b for b in mutant if any(b.values())])
    engine = random.choice([e for e, slots in bundle.items() if slots])
    position = random.randrange(len(bundle[engine]))
    slot: list[Any] = list(bundle[engine][position])
    values = [-1, 0, 63, 64, 2000, -(2**31) - 1, 2**32, 2**64, "x", 1.0, True, None, ["k"] * 8]
    match random.randrange(5):
        case 0:
            slot[random.randrange(len(slot))] = random.choice(values)
        case 1:
            slot.append(random.choice(values))
        case 2:
            slot.pop()
        case 3:
            bundle["flow" if engine == "alu" else "alu"] = bundle.pop(engine)
        case _:
            bundle[engine] = bundle[engine] * 4
    if position < len(bundle.get(engine, [])):
        bundle[engine][position] = tuple(slot)
    return mutant


def test_the_decoder_refuses_what_the_verifier_reports():
    target = Target.from_dict({"scratch": 64})
    random = Random(0)
    refused = 0
    for _ in range(500):
        bundles = random_program(random, target, bundles=5, memory=20)
        if random.random() < 0.6:
            bundles = _mutate(random, bundles)
        # Conflicts alone are let through, and not looked for beside other violations.
        messages = [
            message
            for message in verify_program(program(bundles, target))
            if " both write " not in message
        ]
        if messages:
            refused += 1
            with pytest.raises(CompileError, match="illegal program"):
                decode(program(bundles, target))
            continue
        decoded = decode(program(bundles, target))
        for bundle, conflict in zip(bundles, decoded.conflict.tolist(), strict=True):
            assert conflict == any(write_conflicts(bundle, target))
    assert 100 < refused < 400
