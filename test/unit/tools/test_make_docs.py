"""The generated reference pages are those of this code."""

from pathlib import Path

import pytest

from vliw_mlir.tools.make_docs import PAGES

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_up_to_date(name):
    text = (DOCS / name).read_text(encoding="utf-8")
    assert text == PAGES[name](), "run python -m vliw_mlir.tools.make_docs"


@pytest.mark.parametrize("name", PAGES)
def test_everything_is_documented(name):
    sections = PAGES[name]().split("\n## ")[1:]
    undocumented = [s.split("\n")[0] for s in sections if not s.split("\n", 1)[1].strip()]
    assert undocumented == []
