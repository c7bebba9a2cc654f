from typing import Any

import pytest

from support.machine_code import program
from vliw_mlir.errors import CompileError
from vliw_mlir.sim.program import Program
from vliw_mlir.target import Target

BUNDLES = [{"alu": [("+", 0, 1, 2), ("-", 3, 1, 2)]}, {}, {"debug": [("comment", "x")]}]
SOURCES = [["a.mlir:1:1", ""], [], ["a.mlir:2:2"]]


def test_program_files_read_back():
    target = Target.from_dict({"vlen": 4})
    written = program(BUNDLES, target, sources=SOURCES)
    read = Program.loads(written.dumps())
    assert read == written
    assert read.source(0, 0) == "a.mlir:1:1"
    assert read.source(0, 1) == ""


def test_a_bare_list_of_bundles_is_a_program():
    read = Program.loads('[{"alu": [["+", 0, 1, 2]]}]')
    assert read.bundles == [{"alu": [("+", 0, 1, 2)]}]
    assert read.source(0, 0) == ""


@pytest.mark.parametrize(
    "sources",
    [
        "text",
        [["a", "b"], []],
        [["a", "b"], [], []],
        [["a", 1], [], ["c"]],
        [["a", "b"], None, ["c"]],
    ],
)
def test_malformed_sources(sources: Any):
    with pytest.raises(CompileError, match="malformed program file: 'sources'"):
        Program.from_json({"bundles": BUNDLES, "sources": sources})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "malformed program file"),
        ("3", "'bundles' must be a list"),
        ('{"bundles": [3]}', "bundle 0 is not an object"),
        ('[{"alu": 3}]', "'alu' is not a list"),
        ('[{"alu": [[]]}]', "is not"),
        ('[{"alu": [[3]]}]', "is not"),
    ],
)
def test_malformed_program_files(text: str, message: str):
    with pytest.raises(CompileError, match=message):
        Program.loads(text)
