from dataclasses import dataclass
from typing import Literal

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from vliw_mlir.errors import CompileError
from vliw_mlir.pipeline_parser import parse_passes


@dataclass(frozen=True)
class Options(ModulePass):
    name = "with-options"
    max_count: int
    exact: bool = False
    names: tuple[str, ...] = ()
    limit: int | None = None
    seconds: float = 1.0
    order: Literal["list", "exact"] = "list"

    def __post_init__(self) -> None:
        if self.max_count < 0:
            raise ValueError("max-count must not be negative")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pass


def _missing() -> type[ModulePass]:
    raise ImportError("needs a package")


AVAILABLE = {"with-options": lambda: Options, "missing": _missing}


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("", []),
        ("with-options{max-count=3}", [Options(3)]),
        ("with-options{max_count=3 exact}", [Options(3, exact=True)]),
        ("with-options{max-count=3 exact=false limit}", [Options(3)]),
        ('with-options{max-count=3 names=a,"b c"}', [Options(3, names=("a", "b c"))]),
        ("with-options{max-count=3 seconds=2}", [Options(3, seconds=2.0)]),
        ("with-options{max-count=3 order=exact}", [Options(3, order="exact")]),
        (
            "with-options{max-count=1 limit=2},with-options{max-count=2}",
            [Options(1, limit=2), Options(2)],
        ),
    ],
)
def test_pipelines(text: str, passes: list[ModulePass]):
    assert parse_passes(text, AVAILABLE) == passes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("with-option{max-count=3}", "unknown pass 'with-option'; did you mean 'with-options'?"),
        ("zzz", "unknown pass 'zzz'"),
        (
            "with-options{max-cont=3}",
            "pass 'with-options' has no option 'max-cont'; did you mean 'max-count'? "
            "(options: max-count, exact, names, limit, seconds, order)",
        ),
        ("with-options", "pass 'with-options' needs the option 'max-count'"),
        (
            "with-options{max-count=many}",
            "pass 'with-options': option 'max-count' takes int, not many",
        ),
        (
            "with-options{max-count}",
            "pass 'with-options': option 'max-count' takes int, not nothing",
        ),
        (
            "with-options{max-count=1 exact=3}",
            "pass 'with-options': option 'exact' takes bool, not 3",
        ),
        (
            "with-options{max-count=true}",
            "pass 'with-options': option 'max-count' takes int, not True",
        ),
        (
            "with-options{max-count=1 order=exct}",
            "pass 'with-options': option 'order' takes one of list, exact, not exct; "
            "did you mean 'exact'?",
        ),
        ("with-options{max-count=-1}", "pass 'with-options': max-count must not be negative"),
        ("with-options{", "malformed pipeline: Expected argument name here in 'with-options{'"),
        ("a;b", "malformed pipeline: Unknown token in 'a;b'"),
        ("missing", "pass 'missing' is not usable here: needs a package"),
    ],
)
def test_errors(text: str, message: str):
    with pytest.raises(CompileError) as e:
        parse_passes(text, AVAILABLE)
    assert str(e.value) == message
