"""`vliw-opt`: parse MLIR, run passes, print the result. `xdsl-opt` with this project's dialects
and passes, source locations, and the instrumentation of `mlir-opt`."""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Collection, Generator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from inspect import signature
from io import BytesIO, StringIO
from pathlib import Path
from typing import IO, Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.frontend.mlir import MLIRFrontend
from xdsl.ir import Attribute
from xdsl.passes import PassPipeline
from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException, ShrinkException
from xdsl.utils.target import Target as OutputTarget
from xdsl.xdsl_opt_main import xDSLOptMain

from vliw_mlir.errors import CompileError
from vliw_mlir.instrument import (
    Instrument,
    Remark,
    StatisticsTable,
    collecting_statistics,
    emitting_remarks,
    phase,
    pipeline_to_text,
    run_pipeline,
)
from vliw_mlir.instrument.printing import IRPrinting, PassSelection, module_text
from vliw_mlir.instrument.reproducer import Configuration, CrashReproducer
from vliw_mlir.instrument.timing import PassTiming, TimingTree, measuring
from vliw_mlir.instrument.verification import Verification
from vliw_mlir.instrument.xdsl_style import PrintBetweenPasses, TimePasses
from vliw_mlir.pipeline_parser import parse_passes
from vliw_mlir.pipelines import pipeline_text
from vliw_mlir.source import SyntaxFailure, multiverse, parse_module, register_dialects
from vliw_mlir.suggest import did_you_mean
from vliw_mlir.target import Target
from vliw_mlir.tools.diagnostics import Diagnostic, diagnose, run_tool
from vliw_mlir.tools.expected import Expectation, mismatches, parse_expectations
from vliw_mlir.tools.listing import list_passes
from vliw_mlir.tools.vliw_opt_options import STDIN, TOOL, make_parser
from vliw_mlir.universe import PASSES
from vliw_mlir.verifier import verify

SPLIT_MARKER = b"// -----"


class VliwOpt(xDSLOptMain):
    """One run of the tool. Raises `SystemExit` with status 2 for a wrong command line."""

    version_format = "vliw-opt built on xDSL version {xdsl_version}"

    machine: Target | None = None
    """The machine to mark modules with, if one was given."""

    def __init__(self, arguments: Sequence[str]):
        # Not the constructor of xDSLOptMain: that one builds a command line of its own.
        self.available_frontends = dict(multiverse().all_frontends)
        self.available_passes = dict(multiverse().all_passes)
        self.available_targets = dict(multiverse().all_targets)
        self._parser = make_parser(
            self.available_targets, self.available_frontends, self.version_format
        )
        self.args = self._parser.parse_all(arguments)
        self.ctx = Context(allow_unregistered=self.args.allow_unregistered_dialect)
        register_dialects(self.ctx)
        self._check_arguments()
        self.setup_pipeline()
        self._verify_input = not self.args.disable_verify
        if self.args.disable_verify:
            # As in xDSLOptMain: attributes verify themselves where they are made.
            Attribute.__post_init__ = lambda self: None
        self._timing = TimingTree()
        self._statistics = StatisticsTable()
        self._lines: list[str] = []
        self._expectations: list[Expectation] = []
        self._produced: list[Diagnostic] = []

    # The command line.

    def _check_arguments(self) -> None:
        self._check_spec("-t/--target", self.args.target, self.available_targets)
        self._check_target_options()
        if self.args.frontend:
            self._check_spec("-f/--frontend", self.args.frontend, self.available_frontends)
        for names in (self.args.print_ir_before, self.args.print_ir_after):
            for name in _names(names):
                self._check_name("pass", name, self.available_passes)
        try:
            re.compile(self.args.remarks or "")
        except re.error as e:
            self._parser.error(f"--remarks: malformed regular expression: {e}")
        if not self.args.machine:
            return
        try:
            self.machine = Target.load(self.args.machine)
        except CompileError as e:
            self._parser.error(str(e))

    def _check_spec(self, option: str, text: str, known: Collection[str]) -> None:
        try:
            name = parse_spec(text).name
        except ArgSpecParseError:
            self._parser.error(f"{option}: malformed value '{text}'")
        self._check_name(option, name, known)

    def _check_name(self, what: str, name: str, known: Collection[str]) -> None:
        if name not in known:
            self._parser.error(f"{what}: unknown name '{name}'{did_you_mean(name, known)}")

    def _check_target_options(self) -> None:
        spec = parse_spec(self.args.target)
        factory = self.available_targets[spec.name]
        if not spec.parameters or signature(factory).parameters:
            return
        try:
            cast(type[OutputTarget], cast(Any, factory)()).from_spec(spec)
        except ValueError as e:
            self._parser.error(f"-t/--target: {e}")

    def setup_pipeline(self) -> None:
        level = self.args.opt_level
        texts = [pipeline_text(f"O{level}") if level else "", self.args.passes]
        try:
            self._set_passes(",".join(filter(None, texts)))
        except CompileError as e:
            self._parser.error(e.message)

    def _set_passes(self, text: str) -> None:
        self.pipeline = PassPipeline(tuple(parse_passes(text, self.available_passes)))

    # The run.

    def run(self) -> None:
        """Do what the command line says and exit."""
        sys.exit(self.execute())

    def execute(self) -> int:
        """Do what the command line says. Returns the exit status."""
        if self.args.list_passes:
            print(list_passes(PASSES, self.available_passes))
            return 0
        if self.args.print_pipeline:
            print(pipeline_to_text(self.pipeline.passes))
            return 0
        data = self._read_input()
        try:
            with self._instrumentation():
                status = self._run_pieces(data)
        except ShrinkException:
            print("Success, can shrink")
            return 0
        if self.args.shrink:
            print("Failure, can't shrink")
            return 1
        return status

    def get_input_name(self) -> str:
        return STDIN if self.args.input_file in (None, "-") else self.args.input_file

    def _read_input(self) -> bytes:
        name = self.get_input_name()
        data = sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes()
        text = data.decode("utf-8", "replace")
        self._lines = text.split("\n")
        if self.args.verify_diagnostics:
            self._expectations = parse_expectations(self._lines)
        if self.args.run_reproducer:
            configuration = Configuration.from_text(text, name)
            self._set_passes(configuration.passes)
            self.args.verify_each = self._verify_input = configuration.verify_each
            self.ctx.allow_unregistered = configuration.allow_unregistered_dialect
        return data

    def _run_pieces(self, data: bytes) -> int:
        """Process every piece of the input, also after one has failed."""
        pieces = data.split(SPLIT_MARKER) if self.args.split_input_file else [data]
        to_file = self.args.output_file is not None
        output = StringIO() if to_file else sys.stdout
        status = 0
        line_offset = 0
        for index, piece in enumerate(pieces):
            if index:
                output.write("// -----\n")
            status |= self._run_piece(piece, line_offset, output)
            line_offset += piece.count(b"\n")
        if self._expectations:
            status = self._compare_diagnostics()
        if isinstance(output, StringIO) and status == 0:
            Path(self.args.output_file).write_text(output.getvalue(), encoding="utf-8")
        return status

    def _run_piece(self, piece: bytes, line_offset: int, output: IO[str]) -> int:
        try:
            text = self._compile(piece, line_offset)
        except (ShrinkException, BrokenPipeError):
            raise
        except Exception as error:
            return self._failed(error, output)
        output.write(text)
        output.flush()
        return 0

    def _compile(self, piece: bytes, line_offset: int) -> str:
        with phase("Parser"):
            module = self.parse_chunk(BytesIO(piece), self._suffix(), line_offset)
        if module is None:
            return ""
        if self.machine is not None:
            # Imported late: it brings in NumPy, which no other use of this tool needs.
            from vliw_mlir.dialects.facts import set_target

            set_target(module, self.machine)
        if self._verify_input:
            with phase("Verifier"):
                verify(module)
        self.apply_passes(module)
        with phase("Output"):
            return self.output_resulting_program(module)

    def _suffix(self) -> str:
        suffix = Path(self.get_input_name()).suffix.removeprefix(".")
        return suffix if suffix in self.available_frontends else MLIRFrontend.name

    def parse_chunk(
        self, chunk: IO[bytes], file_extension: str, start_offset: int = 0
    ) -> ModuleOp | None:
        spec = parse_spec(self.args.frontend or file_extension)
        if spec.name != MLIRFrontend.name:
            return super().parse_chunk(chunk, file_extension, start_offset)
        frontend = MLIRFrontend.from_spec(spec)
        name = self.get_input_name()
        try:
            text = chunk.read().decode("utf-8")
        except UnicodeDecodeError as e:
            raise SyntaxFailure(f"not UTF-8 text: {e.reason} at byte {e.start}", name) from e
        return parse_module(
            self.ctx,
            text,
            name,
            line_offset=start_offset,
            implicit_module=not (frontend.no_implicit_module or self.args.no_implicit_module),
        )

    def apply_passes(self, prog: ModuleOp) -> None:
        run_pipeline(self.ctx, prog, self.pipeline.passes, list(self._instruments()))

    # Diagnostics.

    def _failed(self, error: Exception, output: IO[str]) -> int:
        """Report why a piece failed. Returns the exit status for it."""
        if self.args.debug:
            traceback.print_exception(error)
        diagnostic = diagnose(error)
        if self._expectations:
            self._produced.append(diagnostic)
            return 0
        if self._is_wanted(error):
            print(self._render(diagnostic), file=output)
            return 0
        self._print(diagnostic)
        return 1

    def _is_wanted(self, error: Exception) -> bool:
        """Whether the command line asks for an error like this one, as xdsl-opt understands it."""
        if isinstance(error, SyntaxFailure):
            return self.args.parsing_diagnostics
        return self.args.verify_diagnostics and isinstance(error, DiagnosticException)

    def _compare_diagnostics(self) -> int:
        problems = mismatches(self._expectations, self._produced, self.get_input_name())
        for problem in problems:
            self._print(problem)
        return 1 if problems else 0

    def _remark(self, remark: Remark) -> None:
        diagnostic = Diagnostic("remark", remark.text, remark.location)
        if self._expectations:
            self._produced.append(diagnostic)
        else:
            self._print(diagnostic)

    def _print(self, diagnostic: Diagnostic) -> None:
        print(self._render(diagnostic), file=sys.stderr)

    def _render(self, diagnostic: Diagnostic) -> str:
        return diagnostic.render(TOOL, {self.get_input_name(): self._lines})

    # Instrumentation.

    def _instruments(self) -> Generator[Instrument]:
        """The instruments of a pipeline, outermost first."""
        args = self.args
        verify_each = args.verify_each and not args.disable_verify
        if args.crash_reproducer:
            yield CrashReproducer(
                Path(args.crash_reproducer),
                verify_each=verify_each,
                allow_unregistered_dialect=self.ctx.allow_unregistered,
            )
        yield IRPrinting(
            before=_selection(args.print_ir_before, args.print_ir_before_all),
            after=_selection(
                args.print_ir_after,
                args.print_ir_after_all or (args.print_ir_after_change and not args.print_ir_after),
            ),
            only_changes=args.print_ir_after_change,
            print_module=partial(
                module_text,
                generic=args.print_op_generic,
                debuginfo=args.print_debuginfo,
            ),
        )
        if args.print_between_passes:
            yield PrintBetweenPasses()
        if verify_each:
            yield Verification()
        if args.time_passes:
            yield TimePasses()
        yield PassTiming()

    @contextmanager
    def _instrumentation(self) -> Generator[None]:
        """Collects what the reports need and prints them at the end."""
        args = self.args
        with ExitStack() as stack:
            if args.remarks is not None:
                stack.enter_context(emitting_remarks(self._remark, args.remarks))
            if args.timing:
                stack.enter_context(measuring(self._timing))
                stack.callback(lambda: print(self._timing.report(), file=sys.stderr))
            if args.pass_statistics is not None:
                stack.enter_context(collecting_statistics(self._statistics))
                stack.callback(lambda: print(self._statistics_report(), file=sys.stderr))
            yield

    def _statistics_report(self) -> str:
        if self.args.pass_statistics == "json":
            return self._statistics.to_json()
        return self._statistics.to_text()


def _names(text: str | None) -> list[str]:
    return [name for name in (text or "").split(",") if name]


def _selection(text: str | None, everything: bool) -> PassSelection:
    """The passes that a printing option, given with or without names, selects."""
    return None if everything or text == "" else _names(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `vliw-opt` with `arguments`, by default those of the process. Returns the exit status;
    raises `SystemExit` for a wrong command line."""
    arguments = sys.argv[1:] if arguments is None else arguments
    return run_tool(TOOL, lambda: VliwOpt(arguments).execute(), debug="--debug" in arguments)


if __name__ == "__main__":
    sys.exit(main())
