"""Writes the reference pages of docs/: `python -m vliw_mlir.tools.make_docs [DIRECTORY]`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

from xdsl.ir import Attribute, Operation
from xdsl.passes import get_pass_option_infos

from vliw_mlir.pipeline_parser import dashed
from vliw_mlir.pipelines import PIPELINES
from vliw_mlir.universe import DIALECTS, PASSES

GENERATED = "<!-- Made by `python -m vliw_mlir.tools.make_docs`; edit the docstrings instead. -->"


def passes_page() -> str:
    """docs/passes.md: every pass of this project, with its options, and the pipelines."""
    lines = ["# Passes", "", GENERATED, ""]
    for name in PASSES:
        pass_type = PASSES[name]()
        lines += [f"## `{name}`", "", inspect.cleandoc(pass_type.__doc__ or ""), ""]
        options = get_pass_option_infos(pass_type)
        for option in options:
            default = f", default `{option.default_value}`" if option.default_value else ""
            lines.append(f"- `{dashed(option.name)}` (`{option.expected_type}`{default})")
        lines += [""] if options else []
    lines += ["## Pipelines", ""]
    lines += [f"- `-{level}`: `{text}`" for level, text in PIPELINES.items()]
    return "\n".join(lines) + "\n"


def ops_page() -> str:
    """docs/ops.md: every operation, type and attribute of the own dialects."""
    lines = ["# Operations", "", GENERATED]
    for name, factory in DIALECTS.items():
        dialect = factory()
        lines += ["", f"# The `{name}` dialect", ""]
        module = sys.modules[next(iter(dialect.operations)).__module__]
        lines += [inspect.cleandoc(module.__doc__ or "")]
        for definition in (*dialect.operations, *dialect.attributes):
            lines += _definition(definition)
    return "\n".join(lines) + "\n"


def _definition(definition: type[Operation] | type[Attribute]) -> Iterator[str]:
    yield from ("", f"## `{definition.name}`", "", inspect.cleandoc(definition.__doc__ or ""))


PAGES = {"passes.md": passes_page, "ops.md": ops_page}
"""The generated pages by file name."""


def main() -> int:
    """Write the pages into the directory given, docs/ by default. Returns the exit status."""
    directory = Path(sys.argv[1] if len(sys.argv) > 1 else "docs")
    for name, page in PAGES.items():
        (directory / name).write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
