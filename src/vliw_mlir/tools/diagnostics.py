"""From errors to the one message each that a tool prints."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException

from vliw_mlir.errors import CompileError, split_location
from vliw_mlir.instrument import InternalError

RECURSION_LIMIT = 20_000
"""xDSL parses, verifies and prints nested regions recursively, about seven frames for each."""
BROKEN_PIPE = 141
"""Exit code when the reader of the output went away: as a shell reports a SIGPIPE."""
INTERRUPTED = 130
"""Exit code after Ctrl-C: as a shell reports a SIGINT."""


@dataclass(frozen=True)
class Diagnostic:
    """A message about the input. `location` is `file:line:col`, None when unknown."""

    severity: str
    """`error` or `remark`."""
    message: str
    location: str | None = None

    def render(self, tool: str, sources: Mapping[str, Sequence[str]]) -> str:
        """The text to print: `file:line:col: error: message`, or `tool: error: message` without
        a location. `sources` holds the lines of the files read, to show the one concerned."""
        text = f"{self.location or tool}: {self.severity}: {self.message}"
        place = split_location(self.location)
        if place is None:
            return text
        name, line, column = place
        lines = sources.get(name, ())
        if not 1 <= line <= len(lines):
            return text
        source = lines[line - 1]
        margin = "".join("\t" if c == "\t" else " " for c in source[: column - 1])
        return f"{text}\n{source}\n{margin}^"


def diagnose(error: BaseException) -> Diagnostic:
    """What to tell the user about `error`."""
    match error:
        case CompileError():
            return Diagnostic("error", error.message, error.location)
        case InternalError():
            return _internal(str(error), error.location)
        case DiagnosticException() | ArgSpecParseError():
            return Diagnostic("error", " ".join(str(error).split()))
        case OSError():
            name = f" '{error.filename}'" if error.filename else ""
            return Diagnostic("error", f"cannot access{name}: {error.strerror or error}")
        case MemoryError():
            return Diagnostic("error", f"not enough memory: {error}".removesuffix(": "))
        case _:
            return _internal(f"{type(error).__name__}: {' '.join(str(error).split())}")


def _internal(message: str, location: str | None = None) -> Diagnostic:
    hint = "run with --debug for a traceback, vliw-opt with --crash-reproducer=FILE to report it"
    return Diagnostic(
        "error",
        f"internal error: {message} (a bug in the compiler, not in the input; {hint})",
        location,
    )


def run_tool(name: str, body: Callable[[], int], *, debug: bool = False) -> int:
    """Run `body`, which returns an exit code, and turn whatever it raises into one message on
    stderr and an exit code. With `debug` the traceback is printed as well."""
    sys.setrecursionlimit(max(RECURSION_LIMIT, sys.getrecursionlimit()))
    try:
        code = body()
        # Unlike a call of `sys.stdout.flush`, this takes a closed stdout.
        print(end="", flush=True)
        return code
    except BrokenPipeError:
        # Python would complain again when it flushes stdout at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except (Exception, ArgSpecParseError) as error:
        if debug:
            traceback.print_exception(error)
        print(diagnose(error).render(name, {}), file=sys.stderr)
        return 1
