"""The instructions of the machine: operand formats and meaning.

This module says what an instruction looks like and does; which engine of a particular
machine runs it, and how many per cycle, is said by a `Target`.

An instruction is written `(mnemonic, operand, …)`. Its `Format` gives the role of each
operand. Arithmetic mnemonics exist in a scalar and in a vector format; all others in one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property


class Role(Enum):
    """What an operand of an instruction stands for."""

    DEF = "d"
    """Scratch address of one word that is written."""
    VDEF = "D"
    """Scratch address of the first of VLEN words that are written."""
    USE = "u"
    """Scratch address of one word that is read."""
    VUSE = "U"
    """Scratch address of the first of VLEN words that are read."""
    IMM = "i"
    """A 32-bit immediate."""
    OFFSET = "o"
    """A constant added to the scratch addresses before it (`load_offset`)."""
    TARGET = "t"
    """The bundle index a jump goes to."""
    RELATIVE = "r"
    """A signed bundle count relative to the next bundle."""
    KEY = "k"
    """Anything: debug information that the machine does not interpret."""

    @property
    def is_def(self) -> bool:
        return self in (Role.DEF, Role.VDEF)

    @property
    def is_use(self) -> bool:
        return self in (Role.USE, Role.VUSE)

    @property
    def is_vector(self) -> bool:
        return self in (Role.VDEF, Role.VUSE)


@dataclass(frozen=True)
class Format:
    """How one instruction is written: its mnemonic and the roles of its operands."""

    mnemonic: str
    roles: tuple[Role, ...]
    vector: bool = False
    """For arithmetic: lane-wise on VLEN words. Always False for other instructions."""
    variadic: bool = False
    """Whether more operands of the last role may follow."""

    @cached_property
    def arity(self) -> int:
        return len(self.roles)

    @cached_property
    def offset_place(self) -> int | None:
        """Which operand is the offset, None when there is none."""
        return self.roles.index(Role.OFFSET) if Role.OFFSET in self.roles else None

    def accesses(
        self, operands: Sequence[object], vlen: int
    ) -> Iterator[tuple[bool, int, int, int]]:
        """The scratch accesses: `(is_def, operand number, first word, word count)`."""
        offset = 0
        for role, operand in zip(self.roles, operands, strict=False):
            if role is Role.OFFSET:
                assert isinstance(operand, int)
                offset = operand
        for number, (role, operand) in enumerate(zip(self.roles, operands, strict=False)):
            if role.is_def or role.is_use:
                assert isinstance(operand, int)
                yield role.is_def, number, operand + offset, vlen if role.is_vector else 1


def _format(mnemonic: str, roles: str, *, vector: bool = False, variadic: bool = False) -> Format:
    return Format(mnemonic, tuple(Role(c) for c in roles), vector, variadic)


ARITHMETIC: dict[str, str] = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "//": "divu",
    "cdiv": "ceildivu",
    "^": "xor",
    "&": "and",
    "|": "or",
    "<<": "shl",
    ">>": "shru",
    "%": "remu",
    "<": "ult",
    "==": "eq",
}
"""Arithmetic mnemonics and the word function (`vliw_mlir.semantics`) each computes."""

SCALAR_ARITHMETIC = {m: _format(m, "duu") for m in ARITHMETIC}
VECTOR_ARITHMETIC = {m: _format(m, "DUU", vector=True) for m in ARITHMETIC}

OTHER_FORMATS: dict[str, Format] = {
    f.mnemonic: f
    for f in (
        _format("vbroadcast", "Du"),
        _format("multiply_add", "DUUU"),
        _format("load", "du"),
        _format("load_offset", "duo"),
        _format("vload", "Du"),
        _format("const", "di"),
        _format("store", "uu"),
        _format("vstore", "uU"),
        _format("select", "duuu"),
        _format("vselect", "DUUU"),
        _format("add_imm", "dui"),
        _format("cond_jump", "ut"),
        _format("cond_jump_rel", "ur"),
        _format("jump", "t"),
        _format("jump_indirect", "u"),
        _format("halt", ""),
        _format("pause", ""),
        _format("coreid", "d"),
        _format("trace_write", "u"),
        _format("compare", "uk"),
        _format("vcompare", "Uk"),
        _format("comment", "k", variadic=True),
    )
}

JUMPS = frozenset({"cond_jump", "cond_jump_rel", "jump", "jump_indirect"})
"""Instructions that may set the pc."""

TERMINATORS = frozenset({"jump", "jump_indirect", "halt"})
"""Instructions after which the next bundle is not reached by falling through."""

DEBUG_ENGINE = "debug"
"""The engine whose slots never change state and cost no cycle."""

DEBUG_INSTRUCTIONS = frozenset({"compare", "vcompare", "comment"})
"""What that engine runs, and no other."""
