import pytest
from xdsl.utils.exceptions import VerifyException

from vliw_mlir.errors import CompileError
from vliw_mlir.instrument import InternalError
from vliw_mlir.tools.diagnostics import INTERRUPTED, Diagnostic, diagnose, run_tool


def test_source_line_and_caret():
    diagnostic = Diagnostic("error", "bad", "a:b.mlir:2:3")
    lines = ["first", "\tsecond"]
    assert diagnostic.render("tool", {"a:b.mlir": lines}) == (
        "a:b.mlir:2:3: error: bad\n\tsecond\n\t ^"
    )


def test_without_source():
    assert Diagnostic("error", "bad", "f:9:1").render("t", {"f": ["x"]}) == "f:9:1: error: bad"
    assert Diagnostic("error", "bad", "f").render("t", {}) == "f: error: bad"
    assert Diagnostic("remark", "hm").render("tool", {}) == "tool: remark: hm"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (CompileError("bad", "f:1:1"), "f:1:1: error: bad"),
        (VerifyException("two\nlines"), "t: error: two lines"),
        (FileNotFoundError(2, "No such file", "x"), "t: error: cannot access 'x': No such file"),
        (InternalError("p", "crashed"), "t: error: internal error: pass 'p' crashed (a bug in"),
        (MemoryError(), "t: error: not enough memory"),
        (MemoryError("32 GiB"), "t: error: not enough memory: 32 GiB"),
        (KeyError("x"), "t: error: internal error: KeyError: 'x' (a bug in"),
    ],
)
def test_errors(error: Exception, message: str):
    text = diagnose(error).render("t", {})
    assert text.startswith(message)
    assert "\n" not in text


def test_run_tool(capsys: pytest.CaptureFixture[str]):
    def fail() -> int:
        raise CompileError("bad")

    def interrupt() -> int:
        raise KeyboardInterrupt

    assert run_tool("t", lambda: 3) == 3
    assert run_tool("t", fail) == 1
    assert capsys.readouterr().err == "t: error: bad\n"
    assert run_tool("t", fail, debug=True) == 1
    assert "Traceback" in capsys.readouterr().err
    assert run_tool("t", interrupt) == INTERRUPTED
