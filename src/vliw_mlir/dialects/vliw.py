"""The bundle level: a program as bundles of slots over scratch addresses.

```mlir
vliw.program @count : (i32, memref<8xi32>) -> () {
  vliw.bundle {load("const", 2, 1), load("const", 3, 8)}
  vliw.bundle @loop {alu("+", 4, 4, 2)}
  vliw.bundle {alu("<", 5, 4, 3)}
  vliw.bundle {flow("cond_jump", 5, @loop)}
}
```

A slot is written `engine("mnemonic", operand, …)`, its operands in the order of the
interchange form: scratch addresses and immediates as integers, jump targets as a bundle's
number or `@label`, debug keys as strings or lists. What is legal is the business of the
target (`vliw_mlir.sim.verify`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    FusedLoc,
    StringAttr,
    SymbolNameConstraint,
    UnknownLoc,
    i64,
)
from xdsl.ir import Attribute, Block, Data, Dialect, Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsolatedFromAbove, NoTerminator, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from vliw_mlir.abi.interface import SpillArea
from vliw_mlir.dialects.facts import make_interface, signature_of, target_of
from vliw_mlir.errors import fail, format_location, fuse_locations
from vliw_mlir.sim.program import Bundle, Program
from vliw_mlir.sim.verify import verify_bundle
from vliw_mlir.target import Target
from vliw_mlir.target.isa import Format, Role


class Label(str):
    """The name of a bundle, as a jump target."""

    __slots__ = ()


class Slot(NamedTuple):
    """One instruction of a bundle."""

    engine: str
    mnemonic: str
    operands: tuple[Any, ...]
    """Ints, `Label`s, and for debug slots strings and tuples."""


@irdl_attr_definition
class SlotsAttr(Data[tuple[Slot, ...]]):
    """The slots of a bundle: `{alu("+", 4, 4, 2), flow("jump", @loop)}`."""

    name = "vliw.slots"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[Slot, ...]:
        slots = parser.parse_optional_comma_separated_list(
            parser.Delimiter.BRACES, lambda: _parse_slot(parser)
        )
        if slots is None:
            parser.raise_error("expected '{' and the slots of the bundle")
        return tuple(slots)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_braces():
            printer.print_list(self.data, lambda slot: _print_slot(printer, slot))


def _parse_slot(parser: AttrParser) -> Slot:
    engine = parser.parse_identifier()
    parser.parse_punctuation("(")
    mnemonic = parser.parse_str_literal(" naming an instruction")
    operands: list[Any] = []
    while parser.parse_optional_punctuation(",") is not None:
        operands.append(_parse_operand(parser))
    parser.parse_punctuation(")")
    return Slot(engine, mnemonic, tuple(operands))


def _parse_operand(parser: AttrParser) -> Any:
    if (number := parser.parse_optional_integer(allow_boolean=False)) is not None:
        return number
    if (label := parser.parse_optional_symbol_name()) is not None:
        return Label(label.data)
    if (text := parser.parse_optional_str_literal()) is not None:
        return text
    items = parser.parse_optional_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: _parse_operand(parser)
    )
    if items is None:
        parser.raise_error("expected an integer, @label, string or list as operand")
    return tuple(items)


def _print_slot(printer: Printer, slot: Slot) -> None:
    printer.print_string(slot.engine)
    with printer.in_parens():
        printer.print_string_literal(slot.mnemonic)
        for operand in slot.operands:
            printer.print_string(", ")
            _print_operand(printer, operand)


def _print_operand(printer: Printer, operand: Any) -> None:
    if isinstance(operand, Label):
        printer.print_symbol_name(operand)
    elif isinstance(operand, str):
        printer.print_string_literal(operand)
    elif isinstance(operand, tuple):
        items = cast(tuple[Any, ...], operand)
        with printer.in_square_brackets():
            printer.print_list(items, lambda item: _print_operand(printer, item))
    else:
        printer.print_int(operand)


@irdl_op_definition
class BundleOp(IRDLOperation):
    """The slots that issue together in one cycle, with an optional label to jump to.

    Where the slots come from is told by the op's location: a fused location with one part
    per slot.

    ```mlir
    vliw.bundle @loop {alu("+", 4, 4, 2), load("load", 6, 4)}
    ```
    """

    name = "vliw.bundle"
    label = opt_prop_def(SymbolNameConstraint())
    slots = prop_def(SlotsAttr)
    traits = lazy_traits_def(lambda: (HasParent(ProgramOp),))

    assembly_format = "($label^)? $slots attr-dict"

    def __init__(self, slots: Sequence[Slot], label: str | None = None):
        super().__init__(
            properties={
                "slots": SlotsAttr(tuple(slots)),
                "label": None if label is None else StringAttr(label),
            }
        )

    def sources(self) -> list[str]:
        """The source place of each slot in bundle order (by engine), '' where not known."""
        location = self.location
        slots = self.slots.data
        parts: Sequence[Attribute] = [location] * len(slots)
        if isinstance(location, FusedLoc) and isinstance(location.locations, ArrayAttr):
            fused = cast(ArrayAttr[Attribute], location.locations)
            parts = fused.data if len(fused) == len(slots) else parts
        engines = list(dict.fromkeys(slot.engine for slot in slots))
        order = sorted(range(len(slots)), key=lambda n: engines.index(slots[n].engine))
        return [format_location(parts[n]) or "" for n in order]


@irdl_op_definition
class ProgramOp(IRDLOperation):
    """A whole program: its kernel's signature and argument facts, and its bundles.

    `spill [address, words]` declares memory of the program's own after the data.
    """

    name = "vliw.program"
    sym_name = prop_def(SymbolNameConstraint())
    signature = prop_def(FunctionType)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    spill = opt_prop_def(DenseArrayBase.constr(i64))
    body = region_def()
    """One block, or none in a program without bundles."""
    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface())

    assembly_format = (
        "$sym_name `:` $signature (`args` $arg_attrs^)? (`spill` $spill^)? "
        "attr-dict-with-keyword $body"
    )

    def __init__(
        self,
        name: str,
        signature: FunctionType,
        bundles: Sequence[BundleOp],
        arg_attrs: ArrayAttr[DictionaryAttr] | None = None,
        spill: tuple[int, int] | None = None,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "signature": signature,
                "arg_attrs": arg_attrs,
                "spill": None if spill is None else DenseArrayBase.from_list(i64, spill),
            },
            regions=[Region(Block(bundles))],
        )

    def bundle_ops(self) -> list[BundleOp]:
        """The bundles in order."""
        return [op for block in self.body.blocks for op in block.ops if isinstance(op, BundleOp)]

    def verify_(self) -> None:
        for op in (op for block in self.body.blocks for op in block.ops):
            if not isinstance(op, BundleOp):
                raise VerifyException(f"expected only vliw.bundle, found '{op.name}'")
        if self.spill is not None and (len(self.spill) != 2 or min(self.spill.get_values()) < 0):
            raise VerifyException("spill must be [address, words], neither below 0")
        make_interface(self, self.sym_name.data, self.signature, self.arg_attrs)
        target = target_of(self)
        ops = self.bundle_ops()
        labels = self.label_numbers()
        for number, op in enumerate(ops):
            bundle = _resolve(op, target, labels)
            for message in verify_bundle(bundle, target, len(ops), number):
                fail(op, f"bundle {number}: {message}")

    def label_numbers(self) -> dict[str, int]:
        """The number of each labelled bundle. Fails on a label that is given twice."""
        numbers: dict[str, int] = {}
        for number, op in enumerate(self.bundle_ops()):
            if op.label is None:
                continue
            if op.label.data in numbers:
                fail(op, f"bundle {number}: label @{op.label.data} is given twice")
            numbers[op.label.data] = number
        return numbers

    def to_program(self) -> Program:
        """The program as plain data, labels resolved to bundle numbers."""
        ops = self.bundle_ops()
        target = target_of(self)
        labels = self.label_numbers()
        bundles = [_resolve(op, target, labels) for op in ops]
        interface = make_interface(self, self.sym_name.data, self.signature, self.arg_attrs)
        if self.spill is not None:
            address, words = cast(tuple[int, int], self.spill.get_values())
            interface = replace(interface, spill=SpillArea(address, words))
        known = any(not isinstance(op.location, UnknownLoc) for op in ops)
        sources = [op.sources() for op in ops] if known else None
        return Program(bundles, interface, target, sources)

    @staticmethod
    def from_program(program: Program) -> ProgramOp:
        """The IR of a program; bundles that others jump to by number get labels."""
        formats = program.target.formats
        count = len(program.bundles)
        names = {n: Label(f"bb{n}") for n in program.jump_targets() if 0 <= n < count}
        ops = [
            BundleOp(
                [
                    _import_slot(engine, slot, formats.get((engine, slot[0])), names)
                    for engine, slots in bundle.items()
                    for slot in slots
                ],
                names.get(number),
            )
            for number, bundle in enumerate(program.bundles)
        ]
        for number, op in enumerate(ops if program.sources else ()):
            slots = range(len(op.slots.data))
            op.location = fuse_locations([program.source(number, n) for n in slots])
        interface = program.interface
        signature, arg_attrs = signature_of(interface)
        spill = interface.spill and (interface.spill.address, interface.spill.words)
        return ProgramOp(interface.kernel, signature, ops, arg_attrs, spill)


def _import_slot(
    engine: str, slot: tuple[Any, ...], form: Format | None, names: dict[int, Label]
) -> Slot:
    operands = [_freeze(operand) for operand in slot[1:]]
    for number, role in enumerate(form.roles if form is not None else ()):
        if role is Role.TARGET and number < len(operands):
            operands[number] = names.get(operands[number], operands[number])
    return Slot(engine, slot[0], tuple(operands))


def _freeze(operand: Any) -> Any:
    """A JSON value as an operand; what the IR cannot write becomes its JSON text."""
    if isinstance(operand, list | tuple):
        return tuple(_freeze(item) for item in cast(Sequence[Any], operand))
    if isinstance(operand, str) or type(operand) is int:
        return operand
    return json.dumps(operand)


LABEL_ROLES = (Role.TARGET, Role.IMM)
"""What a label may stand for: where a jump goes, or as a word for `jump_indirect`."""


def _resolve(op: BundleOp, target: Target, labels: dict[str, int]) -> Bundle:
    """The bundle as plain data, labels replaced by bundle numbers."""
    bundle: Bundle = {}
    for slot in op.slots.data:
        form = target.formats.get((slot.engine, slot.mnemonic))
        roles = form.roles if form is not None else ()
        operands = [
            _resolve_label(op, operand, roles[number : number + 1], labels)
            if isinstance(operand, Label)
            else _thaw(operand)
            for number, operand in enumerate(slot.operands)
        ]
        bundle.setdefault(slot.engine, []).append((slot.mnemonic, *operands))
    return bundle


def _resolve_label(
    op: BundleOp, label: Label, roles: Sequence[Role], labels: dict[str, int]
) -> int:
    if label not in labels:
        fail(op, f"no bundle has the label @{label}")
    if not all(role in LABEL_ROLES for role in roles):
        fail(op, f"@{label} is neither a jump target nor an immediate here")
    return labels[label]


def _thaw(operand: Any) -> Any:
    """An operand as a JSON value; what `_freeze` made a text stays one."""
    if not isinstance(operand, tuple):
        return operand
    return [_thaw(item) for item in cast(tuple[Any, ...], operand)]


Vliw = Dialect("vliw", [ProgramOp, BundleOp], [SlotsAttr])
