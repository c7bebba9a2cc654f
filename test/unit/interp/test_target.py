"""`-t interpret`: running a module on a data file."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from xdsl.utils.arg_spec import parse_spec

from vliw_mlir.errors import CompileError
from vliw_mlir.interp.target import InterpretTarget
from vliw_mlir.source import make_context

from .helpers import kernel, parse

DOUBLE = kernel(
    "2 0",
    """
    %c0 = word.constant 0 : i32
    %v = word.load %a[%c0] : !word.buffer<2> -> vector<2xi32>
    %w = word.add %v, %v : vector<2xi32>
    word.store %w, %a[%c0] : vector<2xi32>, !word.buffer<2>
    %x = word.divu %c0, %b : i32
    word.trace_write %b
    func.return %b : i32""",
    "i32",
)


def _emit(text: str, **options: Any) -> str:
    output = StringIO()
    InterpretTarget(**options).emit(make_context(), parse(text), output)
    return output.getvalue()


def _data(path: Path, *cases: dict[str, Any]) -> str:
    file = path / "k.json"
    file.write_text(json.dumps({"kernel": "k", "cases": cases}))
    return str(file)


GOOD = {"args": [[1, -1], 7], "results": [7], "expected": [[2, -2], None]}
BAD = {"args": [[1, 2], 7], "results": [8], "expected": [[2, 5], None]}


def test_options_are_read_from_text():
    spec = parse_spec('interpret{data="k.json" case=1 step_limit=9}')
    assert InterpretTarget.from_spec(spec) == InterpretTarget("k.json", 1, 9)


def test_prints_what_a_run_left_behind(tmp_path: Path):
    assert _emit(DOUBLE, data=_data(tmp_path, GOOD, GOOD)) == (
        "case 0\n  result 0: 7\n  argument 0: [2, 4294967294]\n  trace: [7]\n"
        "case 1\n  result 0: 7\n  argument 0: [2, 4294967294]\n  trace: [7]\n"
    )


def test_one_case(tmp_path: Path):
    data = _data(tmp_path, BAD, GOOD)
    assert _emit(DOUBLE, data=data, case=1).startswith("case 1\n")
    for case in (2, -1):
        with pytest.raises(CompileError, match=f"has 2 cases, there is no {case}"):
            _emit(DOUBLE, data=data, case=case)


def test_differences_are_an_error(tmp_path: Path):
    with pytest.raises(CompileError) as error:
        _emit(DOUBLE, data=_data(tmp_path, GOOD, BAD, BAD))
    difference = "result 0: 7, expected 8, argument 0[1]: 4, expected 5 (1 of 2 words differ)"
    assert str(error.value) == (
        f"2 of 3 cases differ from the data file: case 1: {difference}; case 2: {difference}"
    )


def test_traps_name_the_case(tmp_path: Path):
    trap = {"args": [[1, 2], 0]}
    with pytest.raises(CompileError) as error:
        _emit(DOUBLE, data=_data(tmp_path, GOOD, trap))
    assert str(error.value) == "k.mlir:7:5: case 1: trap in word.divu: division by zero"


def test_arguments_that_do_not_fit_name_the_case(tmp_path: Path):
    with pytest.raises(CompileError, match=r"^case 0: argument 0: expected 2 words, 3 given$"):
        _emit(DOUBLE, data=_data(tmp_path, {"args": [[1, 2, 3], 1]}))


def test_kernels_with_arguments_need_data():
    with pytest.raises(CompileError) as error:
        _emit(DOUBLE)
    assert str(error.value) == (
        "kernel 'k' takes 2 arguments; give a data file: interpret{data=\"FILE.json\"}"
    )


def test_kernels_without_arguments_do_not():
    assert _emit(kernel("", "%x = word.constant 5 : i32\nfunc.return %x : i32", "i32")) == (
        "case 0\n  result 0: 5\n"
    )


def test_long_arrays_are_cut():
    text = """
      func.func @k() -> tensor<20xi32> {
        %i = kernel.iota 0 : tensor<20xi32>
        func.return %i : tensor<20xi32>
      }"""
    assert _emit(text) == (f"case 0\n  result 0: [{', '.join(map(str, range(16)))}, … 20 words]\n")


def test_step_limit():
    text = kernel("", "cf.br ^loop\n^loop:\ncf.br ^loop")
    with pytest.raises(CompileError, match="case 0: more than 50 steps"):
        _emit(text, step_limit=50)


def test_endless_runs_end():
    with pytest.raises(CompileError, match="case 0: more than 100000000 steps"):
        _emit(kernel("", "cf.br ^loop\n^loop:\ncf.br ^loop"))
