import pytest

from vliw_mlir.tools.diagnostics import Diagnostic
from vliw_mlir.tools.expected import mismatches, parse_expectations


def problems(text: str, *produced: Diagnostic) -> list[str]:
    found = mismatches(parse_expectations(text.splitlines()), produced, "f")
    return [d.render("tool", {}) for d in found]


def error(line: int, message: str = "bad thing") -> Diagnostic:
    return Diagnostic("error", message, f"f:{line}:3")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x // expected-error {{bad}}", 1),
        ("// expected-error@+2 {{bad}}", 3),
        ("\n\n// expected-error @-1 {{bad}}", 2),
        ("// expected-error@below {{bad}}\nx", 2),
        ("x\n// expected-error@above {{bad}}", 1),
        ("// expected-error@below {{bad}}\n// expected-remark@below {{r}}\nx", 3),
        ("// expected-error-re@+1 {{b{{[ae]}}d {{th.*}}}}", 2),
    ],
)
def test_places(text: str, line: int):
    remark = [Diagnostic("remark", "r", "f:3:1")] if "remark" in text else []
    assert problems(text, error(line), *remark) == []
    assert len(problems(text, error(line + 1), *remark)) == 2


def test_unknown_place():
    assert problems("// expected-error@unknown {{bad}}", Diagnostic("error", "bad")) == []


def test_two_on_a_line():
    text = "x // expected-error {{one}} expected-error {{two}}"
    assert problems(text, error(1, "two"), error(1, "one")) == []


def test_each_expectation_counts_once():
    assert problems("x // expected-error {{bad}}", error(1), error(1)) == [
        "f:1:3: error: unexpected error: bad thing"
    ]


def test_missing():
    assert problems("\nx // expected-error {{bad}}") == [
        "f:2:1: error: expected error was not produced: bad"
    ]


def test_wrong_severity():
    assert len(problems("x // expected-remark {{bad}}", error(1))) == 2


def test_text_is_no_pattern():
    assert len(problems("x // expected-error {{b.d}}", error(1))) == 2
