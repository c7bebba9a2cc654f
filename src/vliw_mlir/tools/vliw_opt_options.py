"""The command line of `vliw-opt`."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

from xdsl.xdsl_opt_main import VersionAction

from vliw_mlir.suggest import did_you_mean
from vliw_mlir.tools.command_line import ToolParser

TOOL = "vliw-opt"

STDIN = "<stdin>"
"""The name of the input in messages when it comes from stdin."""

EPILOG = """\
examples:
  vliw-opt kernel.mlir -O2                       compile, print the final IR
  vliw-opt kernel.mlir -p canonicalize,cse       run two passes
  vliw-opt k.mlir -p 'my-pass{factor=4 exact}'   options follow in braces, separated by spaces
  vliw-opt kernel.mlir -O2 -t vliw-json -o k.json
  vliw-opt -O2 --print-pipeline                  what -O2 stands for
  vliw-opt kernel.mlir -O2 --print-ir-after-change --timing
  vliw-opt kernel.mlir -O2 --remarks=unroll      what the passes named like `unroll` did and why
  vliw-opt kernel.mlir -O2 --crash-reproducer=bug.mlir
  vliw-opt --run-reproducer bug.mlir

Output goes to stdout or to FILE of -o, everything else to stderr.
Exit status: 0 success, 1 error in the input, 2 error in the command line.
"""

_OPTIONAL_VALUES = (
    "--print-ir-before",
    "--print-ir-after",
    "--pass-statistics",
    "--remarks",
)
"""Options whose value must be attached with `=`, so that an input file may follow them."""


class OptArgumentParser(ToolParser):
    """Suggests spellings of unknown options."""

    def parse_all(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse `arguments` or exit with status 2."""
        attached = [f"{a}=" if a in _OPTIONAL_VALUES else a for a in arguments]
        namespace, unknown = self.parse_known_args(attached)
        if unknown:
            name = unknown[0].partition("=")[0]
            known = [option for action in self._actions for option in action.option_strings]
            self.error(f"unknown argument '{unknown[0]}'{did_you_mean(name, known)}")
        return namespace


def make_parser(
    targets: Iterable[str], frontends: Iterable[str], version_format: str
) -> OptArgumentParser:
    """The parser of the command line. All options of `xdsl-opt` are among them."""
    parser = OptArgumentParser(
        TOOL,
        "[options] [input-file]",
        "Parses MLIR, runs passes on it and prints the result.",
        EPILOG,
    )
    parser.add_argument("input_file", nargs="?", help="MLIR file; stdin when left out or '-'")
    _add_passes(parser)
    _add_input(parser, frontends)
    _add_output(parser, targets)
    _add_verification(parser)
    _add_printing(parser)
    _add_reports(parser)
    _add_debugging(parser, version_format)
    return parser


def _add_passes(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("passes")
    group.add_argument(
        "-O",
        dest="opt_level",
        choices=("0", "1", "2", "3"),
        help="run the pipeline of an optimization level, before the passes of -p",
    )
    group.add_argument(
        "-p",
        "--passes",
        default="",
        metavar="PIPELINE",
        help="passes to run, separated by commas, each with options in braces",
    )
    group.add_argument(
        "--machine",
        metavar="FILE",
        help="machine to compile for, a TOML or JSON description; sets 'vliw.target'",
    )
    group.add_argument(
        "--list-passes",
        "--show-passes",
        action="store_true",
        help="list all passes with their options, then exit",
    )
    group.add_argument(
        "--print-pipeline",
        action="store_true",
        help="print the passes that would run, as text for -p, then exit",
    )


def _add_input(parser: argparse.ArgumentParser, frontends: Iterable[str]) -> None:
    group = parser.add_argument_group("input")
    group.add_argument(
        "--split-input-file",
        action="store_true",
        help="treat the pieces between '// -----' lines as inputs of their own",
    )
    group.add_argument(
        "--allow-unregistered-dialect",
        action="store_true",
        help="accept operations and types of unknown dialects",
    )
    group.add_argument(
        "--no-implicit-module",
        action="store_true",
        help="do not wrap the input in a module",
    )
    group.add_argument(
        "-f",
        "--frontend",
        metavar="NAME",
        help=f"reader of the input: {', '.join(frontends)} (default: by suffix, else mlir)",
    )


def _add_output(parser: argparse.ArgumentParser, targets: Iterable[str]) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("-o", "--output-file", metavar="FILE", help="where to write (stdout)")
    group.add_argument(
        "-t",
        "--target",
        default="mlir",
        metavar="NAME",
        help=f"output format: {', '.join(sorted(targets))} (mlir)",
    )
    group.add_argument(
        "--print-op-generic", action="store_true", help="print operations in the generic form"
    )
    group.add_argument(
        "--print-no-properties", action="store_true", help="print properties as attributes"
    )
    group.add_argument(
        "--print-debuginfo", action="store_true", help="print the location of every operation"
    )
    group.add_argument("--syntax-highlight", action="store_true", help="colour the printed IR")


def _add_verification(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("verification")
    group.add_argument(
        "--verify-each",
        type=_switch,
        default=True,
        metavar="{0,1}",
        help="whether to verify the IR, dominance included, after every pass (1)",
    )
    group.add_argument(
        "--no-verify-each", dest="verify_each", action="store_false", help="same as --verify-each=0"
    )
    group.add_argument("--disable-verify", action="store_true", help="verify nothing at all")
    group.add_argument(
        "--verify-diagnostics",
        action="store_true",
        help="check the diagnostics against '// expected-error {{…}}' comments of the input; "
        "without any such comment, print an error on stdout and exit with 0",
    )
    group.add_argument(
        "--parsing-diagnostics",
        action="store_true",
        help="print a parse error on stdout and exit with 0",
    )


def _switch(text: str) -> bool:
    values = {"0": False, "false": False, "1": True, "true": True}
    if text not in values:
        raise argparse.ArgumentTypeError(f"must be 0 or 1, not '{text}'")
    return values[text]


def _add_printing(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("printing IR between passes (to stderr)")
    for when in ("before", "after"):
        group.add_argument(
            f"--print-ir-{when}",
            nargs="?",
            metavar="=PASS,…",
            help=f"print the IR {when} the passes named, or {when} all",
        )
        group.add_argument(
            f"--print-ir-{when}-all", action="store_true", help=f"print the IR {when} every pass"
        )
    group.add_argument(
        "--print-ir-after-change",
        action="store_true",
        help="print the IR after passes only if they changed it; after all, unless some are named",
    )
    group.add_argument(
        "--print-between-passes",
        action="store_true",
        help="print the IR between passes on stdout, as xdsl-opt does",
    )


def _add_reports(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("reports (to stderr)")
    group.add_argument("--timing", action="store_true", help="print the time of every phase")
    group.add_argument(
        "--time-passes",
        action="store_true",
        help="print the time of every pass on stdout, as xdsl-opt does",
    )
    group.add_argument(
        "--pass-statistics",
        nargs="?",
        choices=("", "json"),
        metavar="=json",
        help="print the counters of the passes as a table or as JSON",
    )
    group.add_argument(
        "--remarks",
        nargs="?",
        metavar="=REGEX",
        help="print what passes (those whose name matches REGEX) did, missed or found",
    )


def _add_debugging(parser: argparse.ArgumentParser, version_format: str) -> None:
    group = parser.add_argument_group("debugging the compiler")
    group.add_argument("--debug", action="store_true", help="print tracebacks")
    group.add_argument(
        "--crash-reproducer",
        metavar="FILE",
        help="if a pass fails, write the IR before it and the passes left to FILE",
    )
    group.add_argument(
        "--run-reproducer",
        action="store_true",
        help="take the passes and settings from the first line of the input, a reproducer",
    )
    group.add_argument(
        "--shrink", action="store_true", help="exit with 0 if a ShrinkException was raised"
    )
    group.add_argument(
        "-v",
        "--version",
        action=VersionAction,
        version_format=version_format,
        help="print the version, then exit",
    )
