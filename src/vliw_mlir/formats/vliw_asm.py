"""A readable listing of a program (`vliw-asm`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from vliw_mlir.formats.vliw_json import program_op
from vliw_mlir.sim.program import Program, Slot
from vliw_mlir.target.isa import Format, Role

_PREFIX = {
    Role.DEF: "s",
    Role.USE: "s",
    Role.VDEF: "v",
    Role.VUSE: "v",
    Role.IMM: "#",
    Role.TARGET: "->",
    Role.RELATIVE: "->next",
}


@dataclass(frozen=True)
class VliwAsmTarget(Target):
    """A listing for people: one slot per line, grouped into numbered bundles.

    `s5` is scratch word 5, `v16` the vector that starts at word 16, `#7` an immediate,
    `->12` a jump to bundle 12, `->next-3` one to 3 bundles before the next; `+4` is added to
    the scratch words before it. `<` marks bundles that are jumped to, `;` source places.
    """

    name = "vliw-asm"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        for line in listing(program_op(module).to_program()):
            output.write(line + "\n")


def listing(program: Program) -> Iterator[str]:
    """The lines of the listing of `program`."""
    interface = program.interface
    size = f"{len(program.bundles)} bundles"
    yield f"; kernel {interface.kernel}, {size}, {program.target.name} machine"
    if interface.spill is not None:
        yield f"; spill area: {interface.spill.words} words at {interface.spill.address}"
    formats = program.target.formats
    targets = program.jump_targets()
    width = len(str(len(program.bundles)))
    for number, bundle in enumerate(program.bundles):
        mark = "<" if number in targets else " "
        head = f"{number:{width}}{mark}"
        if not any(bundle.values()):
            yield f"{head} (empty)"
        position = 0
        for engine, slots in bundle.items():
            for slot in slots:
                source = program.source(number, position)
                text = f"{head} {engine:5} {slot_text(slot, formats.get((engine, slot[0])))}"
                yield f"{text:48} ; {source}" if source else text
                head = " " * len(head)
                position += 1


def slot_text(slot: Slot, form: Format | None) -> str:
    """One slot in the listing's notation."""
    operands = [
        _operand_text(operand, form.roles[min(number, form.arity - 1)] if form else Role.KEY)
        for number, operand in enumerate(slot[1:])
    ]
    return f"{slot[0]:12} {', '.join(operands)}".rstrip()


def _operand_text(operand: Any, role: Role) -> str:
    if role is Role.KEY:
        return repr(operand)
    signed = role in (Role.OFFSET, Role.RELATIVE) and isinstance(operand, int)
    return _PREFIX.get(role, "") + (f"{operand:+d}" if signed else f"{operand}")
