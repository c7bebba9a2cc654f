"""Machine descriptions: the default one, what overrides it, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from vliw_mlir.errors import CompileError
from vliw_mlir.target import Target
from vliw_mlir.target.description import LARGEST

MACHINES = sorted((Path(__file__).parents[2] / "support" / "machines").glob("*.toml"))


def test_default_machine() -> None:
    target = Target.default()
    assert (target.name, target.vlen, target.scratch) == ("default", 8, 1536)
    assert target.slots == {
        "alu": 12,
        "valu": 6,
        "load": 2,
        "store": 2,
        "flow": 1,
        "debug": 64,
    }


@pytest.mark.parametrize(
    ("mnemonic", "vector", "engines"),
    [
        ("+", False, ("alu",)),
        ("+", True, ("valu",)),
        ("multiply_add", False, ("valu",)),
        ("multiply_add", True, ()),
        ("vload", False, ("load",)),
        ("select", False, ("flow",)),
        ("compare", False, ("debug",)),
        ("nop", False, ()),
    ],
)
def test_engines_that_run_an_instruction(
    mnemonic: str, vector: bool, engines: tuple[str, ...]
) -> None:
    assert Target.default().engines_for(mnemonic, vector=vector) == engines


def test_what_is_left_out_is_as_in_the_default_machine() -> None:
    target = Target.from_dict({"vlen": 4, "engines": {"load": 5, "alu": {"instructions": ["+"]}}})
    assert (target.name, target.vlen, target.scratch) == ("default", 4, 1536)
    assert target.slots == {**Target.default().slots, "load": 5}
    assert target.engines_for("-") == ()
    assert target.engines_for("+") == ("alu",)
    assert target.engines_for("vload") == ("load",)


def test_nothing_given_is_the_default_machine() -> None:
    assert Target.from_dict({}) == Target.default()


def test_several_engines_run_an_instruction_in_their_order() -> None:
    mac = {"slots": 1, "arithmetic": "vector", "instructions": ["*", "multiply_add"]}
    target = Target.from_dict({"engines": {"mac": mac, "aux": {"slots": 2, "instructions": ["*"]}}})
    assert target.engines_for("*", vector=True) == ("valu", "mac")
    assert target.engines_for("multiply_add") == ("valu", "mac")
    assert target.engines_for("*") == ("alu", "aux")


def test_engine_without_slots_runs_nothing() -> None:
    target = Target.from_dict({"engines": {"flow": 0}})
    assert target.engines_for("select") == ()
    assert ("flow", "select") not in target.formats
    assert target.slots["flow"] == 0


def test_arithmetic_has_the_form_of_its_engine() -> None:
    formats = Target.default().formats
    assert not formats["alu", "+"].vector
    assert formats["valu", "+"].vector
    assert [role.value for role in formats["alu", "+"].roles] == ["d", "u", "u"]
    assert [role.value for role in formats["valu", "+"].roles] == ["D", "U", "U"]


def test_plain_data_and_back() -> None:
    data = {"name": "odd", "vlen": 3, "scratch": 50, "engines": {"flow": 0, "aux": {"slots": 1}}}
    target = Target.from_dict(data)
    assert Target.from_dict(target.to_dict()) == target


@pytest.mark.parametrize("path", MACHINES, ids=lambda path: path.stem)
def test_machine_files(path: Path) -> None:
    target = Target.load(path)
    assert target.name == path.stem
    assert Target.from_dict(target.to_dict()) == target


def test_toml_and_json_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text('name = "m"\nvlen = 4\n[engines]\nload = 3\n')
    (tmp_path / "m.json").write_text('{"name": "m", "vlen": 4, "engines": {"load": 3}}')
    assert Target.load(tmp_path / "m.toml") == Target.load(str(tmp_path / "m.json"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "the description of a machine must be a table"),
        ({"lanes": 8}, "unknown key 'lanes' (known: engines, name, scratch, vlen)"),
        ({1: 8}, "unknown key '1'"),
        ({"name": 3}, "'name' must be a string, not 3"),
        ({"vlen": 0}, f"'vlen' must be an integer in 1..{LARGEST}, not 0"),
        ({"vlen": "8"}, "'vlen' must be an integer"),
        ({"vlen": True}, "'vlen' must be an integer"),
        ({"scratch": 1.5}, "'scratch' must be an integer"),
        ({"scratch": LARGEST + 1}, "'scratch' must be an integer"),
        ({"engines": []}, "'engines' must be a table"),
        ({"engines": {"alu": "many"}}, "engine 'alu' must be a table or a slot count"),
        ({"engines": {"alu": True}}, "engine 'alu' must be a table or a slot count"),
        ({"engines": {"alu": -1}}, f"engine 'alu': 'slots' must be an integer in 0..{LARGEST}"),
        ({"engines": {"mac": {}}}, "engine 'mac': 'slots' must be an integer"),
        ({"engines": {"alu": {"width": 1}}}, "engine 'alu': unknown key 'width'"),
        ({"engines": {"alu": {"arithmetic": "matrix"}}}, "'arithmetic' must be 'scalar' or"),
        ({"engines": {"alu": {"arithmetic": []}}}, "'arithmetic' must be 'scalar' or"),
        ({"engines": {"alu": {"instructions": "+"}}}, "'instructions' must be a list of"),
        ({"engines": {"alu": {"instructions": ["add"]}}}, "unknown instruction 'add'"),
        ({"engines": {"alu": {"instructions": [["+"]]}}}, "unknown instruction ['+']"),
        ({"engines": {"alu": {"instructions": ["compare"]}}}, "cannot run 'compare'"),
        ({"engines": {"debug": {"instructions": ["+"]}}}, "engine 'debug': cannot run '+'"),
        ({"engines": {"two words": 1}}, "engine 'two words': the name must be an identifier"),
        ({"engines": {"": 1}}, "engine '': the name must be an identifier"),
    ],
)
def test_refused(data: Any, message: str) -> None:
    with pytest.raises(CompileError) as error:
        Target.from_dict(data, where="m.toml")
    assert str(error.value).startswith("m.toml: ")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("m.toml", b"vlen = ", "malformed target file '{}'"),
        ("m.json", b"{", "malformed target file '{}'"),
        ("m.json", b"[" * 100_000, "malformed target file '{}'"),
        ("m.json", b"[]", "{}: the description of a machine must be a table"),
        ("m.toml", b"\xff", "cannot read target file '{}': not UTF-8 text"),
        ("m.yaml", b"vlen: 8", "target file '{}' must end in .toml or .json"),
        ("m.toml", b"lanes = 8", "{}: unknown key 'lanes'"),
        ("none.toml", None, "cannot read target file '{}': No such file or directory"),
    ],
)
def test_file_refused(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CompileError) as error:
        Target.load(path)
    assert message.format(path) in str(error.value)
