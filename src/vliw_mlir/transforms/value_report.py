"""Lines that tell something about each value of a function, for people and FileCheck."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import StringIO
from typing import TypeAlias

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue
from xdsl.printer import Printer

Name: TypeAlias = Callable[[SSAValue], str]
"""Gives a value the name that it has in the text."""


@dataclass
class ValueReport:
    """The values of a function in the order of the text, one line for each."""

    describe: Callable[[Name, SSAValue], str | None]
    """What to say of a value, behind its name; None for no line."""
    enter: Callable[[Name, Block], Iterator[str]] = lambda name, block: iter(())
    """Lines at the start of a block."""

    # Names values as printing does, if asked in the order of the text.
    _printer: Printer = field(default_factory=lambda: Printer(stream=StringIO()))

    def lines(self, func: FuncOp) -> Iterator[str]:
        """The report, indented as the regions are nested."""
        yield f"@{func.sym_name.data}"
        for block in func.body.blocks:
            yield from self._block(block, "  ")

    def _block(self, block: Block, indent: str) -> Iterator[str]:
        for line in self.enter(self._name, block):
            yield f"{indent}{line}"
        for arg in block.args:
            yield from self._value(arg, indent)
        for op in block.ops:
            for result in op.results:
                yield from self._value(result, indent)
            for region in op.regions:
                for inner in region.blocks:
                    yield from self._block(inner, f"{indent}  ")

    def _value(self, value: SSAValue, indent: str) -> Iterator[str]:
        # Naming comes first, also for a value of which there is nothing to say.
        name = self._name(value)
        text = self.describe(self._name, value)
        if text is not None:
            yield f"{indent}{name}{text}"

    def _name(self, value: SSAValue) -> str:
        return f"%{self._printer.print_ssa_value(value)}"
