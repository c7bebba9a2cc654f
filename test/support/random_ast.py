"""The programs that tests make at random: their own small IR, and its text.

It mirrors MLIR's structure (ops with operands, results, attributes, regions and successors)
and nothing of `vliw_mlir`, so that what a program means (`random_evaluate`) is settled without
the compiler. `print_program` gives the MLIR text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Int:
    """An integer type; `index` is one of 32 bits."""

    name: str
    width: int

    def __str__(self) -> str:
        return self.name


I1, I8, I16, I32 = (Int(f"i{width}", width) for width in (1, 8, 16, 32))
INDEX = Int("index", 32)


@dataclass(frozen=True)
class Vec:
    """A vector of one dimension."""

    lanes: int
    element: Int

    def __str__(self) -> str:
        return f"vector<{self.lanes}x{self.element}>"


@dataclass(frozen=True)
class Mem:
    """A memref; sizes, strides and the offset are None where known only at run time."""

    shape: tuple[int | None, ...]
    element: Int
    strides: tuple[int | None, ...] | None = None
    """None for the row-major layout, which has no offset either."""
    offset: int | None = 0

    def __str__(self) -> str:
        dims = "".join(f"{_unknown(d)}x" for d in self.shape)
        if self.strides is None:
            return f"memref<{dims}{self.element}>"
        strides = ", ".join(_unknown(s) for s in self.strides)
        offset = "" if self.offset == 0 else f", offset: {_unknown(self.offset)}"
        return f"memref<{dims}{self.element}, strided<[{strides}]{offset}>>"


Type: TypeAlias = Int | Vec | Mem


def _unknown(size: int | None) -> str:
    return "?" if size is None else str(size)


def element_of(type: Type) -> Int:
    """The type of a scalar of `type`."""
    return type if isinstance(type, Int) else type.element


@dataclass(eq=False)
class Value:
    """An SSA value: the result of an op or an argument of a block."""

    type: Type


def memref_of(value: Value) -> Mem:
    """The type of a memref value."""
    assert isinstance(value.type, Mem)
    return value.type


@dataclass(eq=False)
class Block:
    args: list[Value] = field(default_factory=list[Value])
    ops: list[Op] = field(default_factory=list["Op"])


Region: TypeAlias = list[Block]


@dataclass(eq=False)
class Op:
    """An operation, named as in MLIR."""

    name: str
    operands: list[Value]
    results: list[Value] = field(default_factory=list[Value])
    attrs: dict[str, Any] = field(default_factory=dict[str, Any])
    regions: list[Region] = field(default_factory=list[Region])
    successors: list[tuple[Block, list[Value]]] = field(
        default_factory=list[tuple[Block, list[Value]]]
    )

    @property
    def result(self) -> Value:
        """The only result."""
        (value,) = self.results
        return value


@dataclass(eq=False)
class Function:
    name: str
    body: Region
    result_types: list[Type]
    facts: list[dict[str, Any]]
    """Per argument the declared facts: `value`, `range`, `address`."""

    @property
    def args(self) -> list[Value]:
        return self.body[0].args


@dataclass(eq=False)
class Global:
    """A constant array."""

    name: str
    type: Mem
    values: list[int]


Argument: TypeAlias = int | list[int]
"""A scalar, or the words of an array in row-major order."""


@dataclass
class Program:
    """A kernel (the last function) with the functions it calls, and inputs for it."""

    origin: str
    """How to make it again, for messages."""
    functions: list[Function]
    globals: list[Global]
    inputs: list[list[Argument]]
    """Per run, one value per argument."""
    sizes: dict[int, int] = field(default_factory=dict[int, int])
    """The arguments that give the outer size of a memref of unknown size, by its number."""

    @property
    def kernel(self) -> Function:
        return self.functions[-1]

    @property
    def text(self) -> str:
        """The MLIR text."""
        return print_program(self)

    def __str__(self) -> str:
        inputs = "".join(f"// args: {args}\n" for args in self.inputs)
        return f"// {self.origin}\n{inputs}{self.text}"


def walk(region: Region) -> Iterator[tuple[Block, Op]]:
    """All ops inside, outer ones first, each with its block."""
    for block in region:
        for op in block.ops:
            yield block, op
            for inner in op.regions:
                yield from walk(inner)


def walk_program(program: Program) -> Iterator[tuple[Block, Op]]:
    """All ops of all functions, each with its block."""
    for function in program.functions:
        yield from walk(function.body)


def operand_lists(op: Op) -> Iterator[list[Value]]:
    """The lists of values that `op` uses; assigning to their elements changes the op."""
    yield op.operands
    for _, values in op.successors:
        yield values


def count_ops(program: Program) -> int:
    """Operations, constants and terminators aside."""
    skip = ("arith.constant", "scf.yield", "func.return")
    return sum(op.name not in skip for _, op in walk_program(program))


# Text


def print_program(program: Program) -> str:
    """The program as a module of MLIR text."""
    lines = ["module {"]
    lines += [f"  {_global(g)}" for g in program.globals]
    for function in program.functions:
        _Printer(lines, private=function is not program.kernel).function(function)
    lines.append("}")
    return "\n".join(lines) + "\n"


def _global(g: Global) -> str:
    values = _dense(g.values, g.type.shape, g.type.element)
    return f'memref.global "private" constant @{g.name} : {g.type} = {values}'


def _literal(value: int, type: Int) -> str:
    if type == I1:
        return "true" if value else "false"
    return str(value - (1 << type.width) if value >> (type.width - 1) else value)


def _dense(values: Sequence[int], shape: Sequence[int | None], element: Int) -> str:
    if len(set(values)) == 1:
        return f"dense<{_literal(values[0], element)}>"

    def nested(start: int, dims: Sequence[int | None]) -> str:
        if not dims:
            return _literal(values[start], element)
        step = 1
        for d in dims[1:]:
            step *= d or 0
        return f"[{', '.join(nested(start + i * step, dims[1:]) for i in range(dims[0] or 0))}]"

    return f"dense<{nested(0, shape)}>"


class _Printer:
    """Writes one function; its values are numbered in order of appearance."""

    def __init__(self, lines: list[str], *, private: bool):
        self._lines = lines
        self._private = private
        self._names: dict[Value, str] = {}
        self._labels: dict[Block, str] = {}
        self._depth = 1

    def function(self, function: Function) -> None:
        args = ", ".join(
            f"{self._name(arg)}: {arg.type}{_facts(facts)}"
            for arg, facts in zip(function.args, function.facts, strict=True)
        )
        visibility = "private " if self._private else ""
        results = _arrow(function.result_types)
        self._line(f"func.func {visibility}@{function.name}({args}){results} {{")
        self._region(function.body, entry_args=False)
        self._line("}")

    def _line(self, text: str) -> None:
        self._lines.append("  " * self._depth + text)

    def _name(self, value: Value) -> str:
        return self._names.setdefault(value, f"%{len(self._names)}")

    def _list(self, values: Sequence[Value]) -> str:
        return ", ".join(self._name(v) for v in values)

    def _region(self, region: Region, *, entry_args: bool) -> None:
        for block in region:
            self._labels[block] = f"^bb{len(self._labels)}"
        self._depth += 1
        for number, block in enumerate(region):
            if number or entry_args:
                args = ", ".join(f"{self._name(a)}: {a.type}" for a in block.args)
                label = self._labels[block] + (f"({args})" if args else "")
                self._depth -= 1
                self._line(f"{label}:")
                self._depth += 1
            for op in block.ops:
                self._op(op)
        self._depth -= 1

    def _op(self, op: Op) -> None:
        operands = [self._name(v) for v in op.operands]
        special = getattr(self, "_" + op.name.replace(".", "_"), None)
        if special is not None:
            special(op, operands)
            return
        self._line(self._results(op) + _plain(op, operands))

    def _results(self, op: Op) -> str:
        return f"{self._list(op.results)} = " if op.results else ""

    # Ops with regions and successors

    def _scf_for(self, op: Op, operands: list[str]) -> None:
        body = op.regions[0]
        iv, *carried = body[0].args
        head = f"scf.for {self._name(iv)} = {operands[0]} to {operands[1]} step {operands[2]}"
        head += self._assignments(" iter_args", carried, operands[3:])
        head += f" -> ({_types(carried)})" if carried else ""
        head += "" if iv.type == INDEX else f" : {iv.type}"
        self._with_regions(op, head, [("", body, False)])

    def _assignments(self, keyword: str, args: Sequence[Value], inits: Sequence[str]) -> str:
        if not args:
            return ""
        pairs = ", ".join(f"{self._name(a)} = {i}" for a, i in zip(args, inits, strict=True))
        return f"{keyword}({pairs})"

    def _scf_while(self, op: Op, operands: list[str]) -> None:
        before, after = op.regions
        head = "scf.while" + self._assignments(" ", before[0].args, operands)
        head += f" : ({_types(op.operands)}) -> ({_types(op.results)})"
        after_has_args = bool(after[0].args)
        self._with_regions(op, head, [("", before, False), ("do", after, after_has_args)])

    def _scf_if(self, op: Op, operands: list[str]) -> None:
        head = f"scf.if {operands[0]}"
        head += f" -> ({_types(op.results)})" if op.results else ""
        regions = [("", op.regions[0], False)]
        if op.regions[1]:
            regions.append(("else", op.regions[1], False))
        self._with_regions(op, head, regions)

    def _scf_index_switch(self, op: Op, operands: list[str]) -> None:
        arrow = f" -> {_types(op.results)}" if op.results else ""
        self._line(f"{self._results(op)}scf.index_switch {operands[0]}{arrow}")
        names = [*(f"case {value}" for value in op.attrs["cases"]), "default"]
        for name, region in zip(names, op.regions, strict=True):
            self._line(f"{name} {{")
            self._region(region, entry_args=False)
            self._line("}")

    def _scf_execute_region(self, op: Op, operands: list[str]) -> None:
        head = "scf.execute_region"
        head += f" -> ({_types(op.results)})" if op.results else ""
        self._with_regions(op, head, [("", op.regions[0], False)])

    def _scf_parallel(self, op: Op, operands: list[str]) -> None:
        body = op.regions[0]
        rank = len(body[0].args)
        bounds = [", ".join(operands[k * rank : (k + 1) * rank]) for k in range(3)]
        inits = operands[3 * rank :]
        head = f"scf.parallel ({self._list(body[0].args)}) = ({bounds[0]}) to ({bounds[1]})"
        head += f" step ({bounds[2]})"
        head += f" init ({', '.join(inits)}) -> ({_types(op.results)})" if inits else ""
        self._with_regions(op, head, [("", body, False)])

    def _scf_reduce(self, op: Op, operands: list[str]) -> None:
        if not op.operands:
            self._line("scf.reduce")
            return
        self._line(f"scf.reduce({', '.join(operands)} : {_types(op.operands)}) {{")
        for number, region in enumerate(op.regions):
            if number:
                self._line("}, {")
            self._region(region, entry_args=True)
        self._line("}")

    def _with_regions(self, op: Op, head: str, regions: list[tuple[str, Region, bool]]) -> None:
        self._line(f"{self._results(op)}{head} {{")
        for number, (keyword, region, entry_args) in enumerate(regions):
            if number:
                self._line(f"}} {keyword} {{")
            self._region(region, entry_args=entry_args)
        self._line("}")

    def _target(self, successor: tuple[Block, list[Value]]) -> str:
        block, values = successor
        passed = f"({self._list(values)} : {_types(values)})" if values else ""
        return self._labels[block] + passed

    def _cf_br(self, op: Op, operands: list[str]) -> None:
        self._line(f"cf.br {self._target(op.successors[0])}")

    def _cf_cond_br(self, op: Op, operands: list[str]) -> None:
        targets = ", ".join(self._target(s) for s in op.successors)
        self._line(f"cf.cond_br {operands[0]}, {targets}")

    def _cf_switch(self, op: Op, operands: list[str]) -> None:
        names = ["default", *(str(v) for v in op.attrs["cases"])]
        self._line(f"cf.switch {operands[0]} : {op.operands[0].type}, [")
        for number, (name, successor) in enumerate(zip(names, op.successors, strict=True)):
            comma = "," if number + 1 < len(names) else ""
            self._line(f"  {name}: {self._target(successor)}{comma}")
        self._line("]")


def _facts(facts: dict[str, Any]) -> str:
    items: list[str] = []
    if "value" in facts:
        items.append(f"vliw.value = {_literal(facts['value'], I32)} : i32")
    if "range" in facts:
        low, high = (_literal(v, I32) for v in facts["range"])
        items.append(f"vliw.range = array<i32: {low}, {high}>")
    if "address" in facts:
        items.append(f"vliw.address = {facts['address']} : i32")
    return f" {{{', '.join(items)}}}" if items else ""


def _arrow(types: Sequence[Type]) -> str:
    return f" -> ({', '.join(str(t) for t in types)})" if types else ""


def _types(values: Sequence[Value]) -> str:
    return ", ".join(str(v.type) for v in values)


_FORMATS = {
    "arith.cmpi": "{predicate}, {all} : {t0}",
    "arith.select": "{all} : {t1}",
    "arith.addui_extended": "{all} : {r0}, {r1}",
    "arith.subui_extended": "{all} : {r0}, {r1}",
    **dict.fromkeys(
        (
            "arith.extui",
            "arith.extsi",
            "arith.trunci",
            "arith.index_cast",
            "arith.index_castui",
            "memref.cast",
            "vector.broadcast",
        ),
        "{0} : {t0} to {r0}",
    ),
    "memref.load": "{0}[{from1}] : {t0}",
    "memref.store": "{0}, {1}[{from2}] : {t1}",
    "memref.alloca": "() : {r0}",
    "memref.alloc": "() : {r0}",
    "memref.dim": "{all} : {t0}",
    "memref.copy": "{all} : {t0} to {t1}",
    "memref.get_global": "@{global} : {r0}",
    "memref.subview": "{0} {slice1} : {t0} to {r0}",
    "memref.collapse_shape": "{0} {groups} : {t0} into {r0}",
    "memref.expand_shape": "{0} {groups} output_shape {shape} : {t0} into {r0}",
    "vector.load": "{0}[{from1}] : {t0}, {r0}",
    "vector.store": "{0}, {1}[{from2}] : {t1}, {t0}",
    "vector.maskedload": "{0}[{from3}], {1}, {2} : {t0}, {t1}, {t2} into {r0}",
    "vector.maskedstore": "{0}[{from3}], {1}, {2} : {t0}, {t1}, {t2}",
    "vector.gather": "{0}[{from4}] [{1}], {2}, {3} : {t0}, {t1}, {t2}, {t3} into {r0}",
    "vector.scatter": "{0}[{from4}] [{1}], {2}, {3} : {t0}, {t1}, {t2}, {t3}",
    "vector.transfer_read": "{0}[{from2}], {1} {{in_bounds = [{in_bounds}]}} : {t0}, {r0}",
    "vector.transfer_write": "{0}, {1}[{from2}] {{in_bounds = [{in_bounds}]}} : {t0}, {t1}",
    "vector.create_mask": "{all} : {r0}",
    "vector.step": ": {r0}",
    "vector.extract_strided_slice": (
        "{0} {{offsets = [{start}], sizes = [{size}], strides = [1]}} : {t0} to {r0}"
    ),
    "vector.insert_strided_slice": (
        "{0}, {1} {{offsets = [{start}], strides = [1]}} : {t0} into {t1}"
    ),
    "vector.extract": "{0}[{lane1}] : {r0} from {t0}",
    "vector.insert": "{0}, {1} [{lane2}] : {t0} into {t1}",
    "vector.shuffle": "{all} {mask} : {t0}, {t1}",
    "vector.reduction": "<{kind}>, {all} : {t0} into {r0}",
    "func.call": "@{callee}({all}) : ({operand_types}) -> ({result_types})",
    **dict.fromkeys(
        ("scf.yield", "func.return", "scf.reduce.return"),
        "{all} : {operand_types}",
    ),
}
"""Text after the name of an op: operands by number, `tN` and `rN` the types of operands and
results, `fromN`, `laneN` and `sliceN` made of the operands from number N on, and the attributes.
Other ops are written `operands : type of the result`."""


def _plain(op: Op, names: list[str]) -> str:
    """An op without regions and successors."""
    types = [str(v.type) for v in op.operands]
    results = [str(v.type) for v in op.results]
    if op.name == "arith.constant":
        return f"arith.constant {_constant(op)}"
    if op.name == "arith.select" and op.operands[0].type != I1:
        return f"arith.select {', '.join(names)} : {types[0]}, {types[1]}"
    if op.name in ("scf.yield", "func.return") and not names:
        return op.name
    if op.name == "scf.condition":
        passed = f" {', '.join(names[1:])} : {', '.join(types[1:])}" if names[1:] else ""
        return f"scf.condition({names[0]}){passed}"
    fields: dict[str, Any] = {
        **op.attrs,
        **{f"t{n}": type for n, type in enumerate(types)},
        **{f"r{n}": type for n, type in enumerate(results)},
        "all": ", ".join(names),
        "operand_types": ", ".join(types),
        "result_types": ", ".join(results),
    }
    for start in (1, 2, 3, 4):
        fields[f"from{start}"] = ", ".join(names[start:])
        fields[f"lane{start}"] = _mixed([op.attrs.get("lane")], names[start:])
        fields[f"slice{start}"] = _slice(op, names[start:])
    overflow = " overflow<{overflow}>" if "overflow" in op.attrs else ""
    format = _FORMATS.get(op.name, "{all}" + overflow + " : {r0}")
    space = "" if format.startswith("(") else " "
    return op.name + space + format.format(*names, **fields)


def _mixed(numbers: Sequence[int | None], names: list[str]) -> str:
    """A list of numbers, the next of `names` (taken away) where one is computed."""
    return ", ".join(names.pop(0) if n is None and names else str(n) for n in numbers)


def _slice(op: Op, names: list[str]) -> str:
    """Offsets, sizes and strides of a slice."""
    lists = [op.attrs.get(key, []) for key in ("offsets", "sizes", "strides")]
    return " ".join(f"[{_mixed(numbers, names)}]" for numbers in lists)


def _constant(op: Op) -> str:
    type, value = op.result.type, op.attrs["value"]
    match type:
        case Int():
            literal = _literal(value, type)
            return literal if type == I1 else f"{literal} : {type}"
        case _:
            assert isinstance(type, Vec)
            return f"{_dense(value, [type.lanes], type.element)} : {type}"
