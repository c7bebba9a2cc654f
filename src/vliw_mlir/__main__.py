"""`python -m vliw_mlir opt …`, `run …`, `bench …`: the tools by another name."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

TOOLS = {name: f"vliw_mlir.tools.vliw_{name}" for name in ("opt", "run", "bench")}
"""The module with the `main` function of each subcommand."""

USAGE = "usage: python -m vliw_mlir {opt,run,bench} …   (each has --help)"


def main(arguments: Sequence[str]) -> int:
    """Run the tool that the first argument names with the others. Returns the exit status."""
    command = arguments[0] if arguments else None
    if command in ("-h", "--help"):
        print(USAGE)
        return 0
    if command not in TOOLS:
        print(USAGE, file=sys.stderr)
        return 2
    return import_module(TOOLS[command]).main(arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
