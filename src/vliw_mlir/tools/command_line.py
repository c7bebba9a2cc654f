"""What the command lines of all tools have in common."""

from __future__ import annotations

import argparse
from typing import NoReturn


class ToolParser(argparse.ArgumentParser):
    """Reports errors in one line, with exit status 2; takes no abbreviations; keeps the lines of
    the epilog."""

    def __init__(self, tool: str, usage: str, description: str, epilog: str):
        super().__init__(
            prog=tool,
            usage=f"{tool} {usage}",
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message} (see {self.prog} --help)\n")
