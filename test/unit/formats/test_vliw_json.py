"""Program files: from programs to IR and back, and what malformed ones say."""

from __future__ import annotations

import json
from dataclasses import replace
from io import BytesIO, StringIO
from random import Random
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from support.machine_code import random_program
from vliw_mlir.abi import Argument, Interface, Result, SpillArea
from vliw_mlir.dialects.facts import set_target
from vliw_mlir.dialects.vliw import ProgramOp
from vliw_mlir.errors import CompileError
from vliw_mlir.formats.vliw_json import VliwJsonFrontend, VliwJsonTarget, program_op
from vliw_mlir.sim.program import Program
from vliw_mlir.sim.verify import write_conflicts
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.target import Target
from vliw_mlir.verifier import verify

INTERFACE = Interface(
    "k",
    (
        Argument("scalar", value=0xFFFFFFFF),
        Argument("scalar", 8, range=(3, 200)),
        Argument("memref", 32, (2, None)),
        Argument("memref", 1, (4,), address=4096),
        Argument("tensor", 16, (3,), range=(0, 0xFFFF)),
        Argument("memref", 32, ()),
    ),
    (Result("scalar", 32), Result("tensor", 8, (2, 2)), Result("scalar", 1)),
    SpillArea(5000, 12),
)


def read(text: str | bytes) -> Program:
    """The program in a file, by way of the IR."""
    data = text if isinstance(text, bytes) else text.encode()
    module = VliwJsonFrontend().parse(make_context(), BytesIO(data), "p.json")
    verify(module)
    return program_op(module).to_program()


def write(program: Program) -> str:
    """The program file of a program, by way of the IR as text. Its sources become places there."""
    module = ModuleOp([ProgramOp.from_program(program)])
    if program.target != Target.default():
        set_target(module, program.target)
    module = parse_module(make_context(), str(module))
    output = StringIO()
    VliwJsonTarget().emit(make_context(), module, output)
    return output.getvalue()


def test_interface_survives() -> None:
    program = Program([{"flow": [("halt",)]}], INTERFACE)
    assert read(program.dumps()) == program
    assert Program.loads(write(program)).interface == INTERFACE


@pytest.mark.parametrize("seed", range(10))
def test_program_survives(seed: int) -> None:
    target = Target.from_dict({"vlen": 4, "scratch": 64, "engines": {"load": 3}})
    bundles = [
        {}
        if any(write_conflicts(bundle, target))
        else {engine: slots for engine, slots in bundle.items() if slots}
        for bundle in random_program(Random(seed), target, bundles=40, memory=64)
    ]
    program = Program(bundles, INTERFACE, target)
    assert read(program.dumps()) == program
    assert replace(Program.loads(write(program)), sources=None) == program


def test_jumps_become_labels_and_numbers_again() -> None:
    bundles = [
        {"flow": [("jump", 2)]},
        {"flow": [("cond_jump", 0, 0)]},
        {"flow": [("cond_jump_rel", 0, -1)]},
        {"flow": [("jump", 4)]},
    ]
    program = Program(bundles, Interface("k", (), ()))
    text = str(ProgramOp.from_program(program))
    assert '@bb2 {flow("cond_jump_rel", 0, -1)}' in text
    assert '@bb0 {flow("jump", @bb2)}' in text
    assert 'flow("jump", 4)' in text
    assert read(program.dumps()) == program


def test_sources_survive() -> None:
    bundles = [{"alu": [("+", 0, 1, 2), ("+", 1, 1, 2)]}, {}, {"flow": [("halt",)]}]
    sources = [["a.mlir:1:2", ""], [], ["dir/b c.mlir:3:4"]]
    program = Program(bundles, Interface("k", (), ()), sources=sources)
    assert read(program.dumps()).sources == sources


def test_debug_keys_of_any_kind() -> None:
    keys = ["text", 3, [1, "a", [2]], []]
    bundle = {"debug": [("compare", 0, key) for key in keys]}
    bundle["debug"].append(("vcompare", 0, [[n, "x"] for n in range(8)]))
    program = Program([bundle], Interface("k", (), ()))
    assert read(program.dumps()) == program


@pytest.mark.parametrize("key", [None, True, 1.5, {"a": 1}])
def test_key_that_the_ir_cannot_write_becomes_text(key: Any) -> None:
    program = Program([{"debug": [("comment", key)]}], Interface("k", (), ()))
    assert read(program.dumps()).bundles == [{"debug": [("comment", json.dumps(key))]}]


def test_bare_list_of_bundles() -> None:
    program = read('[{"alu": [["+", 0, 1, 2]]}, {"flow": [["halt"]]}]')
    assert program.bundles == [{"alu": [("+", 0, 1, 2)]}, {"flow": [("halt",)]}]
    assert program.interface == Interface("program", (), ())
    assert program.target == Target.default()
    assert program.sources is None


def test_program_without_bundles() -> None:
    program = Program([], Interface("k", (), ()))
    assert read(program.dumps()) == program
    assert Program.loads(write(program)).bundles == []


def test_several_files_in_one_context() -> None:
    context = make_context()
    for _ in range(2):
        VliwJsonFrontend().parse(context, BytesIO(b"[]"), "p.json")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "malformed program file: 'bundles' must be a list"),
        ({"bundles": {}}, "malformed program file: 'bundles' must be a list"),
        (7, "malformed program file: 'bundles' must be a list"),
        ([3], "malformed program file: bundle 0 is not an object"),
        ([{}, {"alu": 1}], "malformed program file: bundle 1: 'alu' is not a list"),
        ([{"alu": ["+"]}], "bundle 0: alu slot '+' is not [mnemonic, operands…]"),
        ([{"alu": [[]]}], "bundle 0: alu slot [] is not [mnemonic, operands…]"),
        ([{"alu": [[1, 2]]}], "bundle 0: alu slot [1, 2] is not [mnemonic, operands…]"),
        ({"bundles": [], "abi": []}, "malformed 'abi' in program file"),
        ({"bundles": [], "target": {"lanes": 1}}, "program file: unknown key 'lanes'"),
        ({"bundles": [{}], "sources": []}, "'sources' must have a list per bundle"),
        ({"bundles": [{}], "sources": [["a"]]}, "'sources' of bundle 0 must be a string per slot"),
        # What the machine refuses is for the verifier to say.
        ([{"fpu": [["+", 0, 1, 2]]}], "bundle 0: unknown engine 'fpu'"),
        ([{"a b": []}, {"a b": [["+"]]}], "bundle 1: unknown engine 'a b'"),
        ([{"alu": [["nop"]]}], "bundle 0: alu slot 0: engine 'alu' does not run 'nop'"),
        ([{"alu": [["+", 0, 1]]}], "bundle 0: alu slot 0: '+' takes 3 operands, 2 are given"),
        ([{"alu": [["+", 0, 1, 2.5]]}], "'+' operand 3: '2.5' is not an integer"),
        ([{"alu": [["+", 0, 1, True]]}], "'+' operand 3: 'true' is not an integer"),
        ([{"flow": [["jump", [1]]]}], "'jump' operand 1: [1] is not an integer"),
        ([{"load": [["const", 0, 2**40]]}], "does not fit in 32 bits"),
        ([{"load": [["const", 0, 1], ["const", 0, 2]]}], "both write scratch word 0"),
    ],
)
def test_malformed(data: Any, message: str) -> None:
    with pytest.raises(CompileError) as error:
        read(json.dumps(data))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "malformed program file 'p.json': Expecting value"),
        (b"[{]", "malformed program file 'p.json'"),
        (b"\xff", "cannot read 'p.json': not UTF-8 text"),
        (b"[" * 100_000, "malformed program file 'p.json'"),
    ],
)
def test_not_json(text: bytes, message: str) -> None:
    with pytest.raises(CompileError) as error:
        read(text)
    assert message in str(error.value)


def test_missing_file(tmp_path: Any) -> None:
    with pytest.raises(CompileError, match=r"cannot read program file '.*none.json': No such file"):
        Program.load(tmp_path / "none.json")


def test_saved_file_loads(tmp_path: Any) -> None:
    program = Program([{"flow": [("halt",)]}], INTERFACE)
    program.save(tmp_path / "p.json")
    assert Program.load(tmp_path / "p.json") == program
