"""Reproducers: a file that holds what makes a pass fail.

The first line is a comment with the configuration, as JSON; the rest is the IR before the
failing pass.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from vliw_mlir.errors import CompileError
from vliw_mlir.instrument.printing import module_text
from vliw_mlir.instrument.runner import Instrument, PassRun

_MARKER = "// configuration: "


@dataclass(frozen=True)
class Configuration:
    """How to run the IR of a reproducer."""

    passes: str
    """The text of the pipeline, from the failing pass on."""
    verify_each: bool = True
    allow_unregistered_dialect: bool = False

    def to_line(self) -> str:
        """The first line of a reproducer."""
        return _MARKER + json.dumps(asdict(self))

    @staticmethod
    def from_text(text: str, name: str) -> Configuration:
        """Read the configuration of the reproducer `text` that comes from the file `name`.

        Raises `CompileError` when the first line holds none.
        """
        first = text.partition("\n")[0]
        if not first.startswith(_MARKER):
            raise CompileError(
                f"not a reproducer: it must begin with '{_MARKER}{{…}}'", f"{name}:1:1"
            )
        try:
            return Configuration(**cast(dict[str, Any], json.loads(first[len(_MARKER) :])))
        except (ValueError, TypeError) as e:
            raise CompileError(f"malformed reproducer configuration: {e}", f"{name}:1:1") from e


class CrashReproducer(Instrument):
    """Writes a reproducer to `path` when a pass fails. Put it first, so that it sees the
    failures of other instruments."""

    def __init__(self, path: Path, *, verify_each: bool, allow_unregistered_dialect: bool):
        self._path = path
        self._verify_each = verify_each
        self._allow_unregistered_dialect = allow_unregistered_dialect
        self._text_before = ""

    def before_pass(self, run: PassRun) -> None:
        # The generic form is the one that parses back for every operation.
        self._text_before = module_text(run.module, generic=True)

    def pass_failed(self, run: PassRun, error: Exception) -> None:
        configuration = Configuration(
            run.remaining, self._verify_each, self._allow_unregistered_dialect
        )
        text = f"{configuration.to_line()}\n{self._text_before}\n"
        try:
            self._path.write_text(text, encoding="utf-8")
        except OSError as e:
            message = f"cannot write the reproducer '{self._path}': {e.strerror}"
            raise CompileError(message) from error
