"""Conversion of `arith`, compared with what MLIR says about two's complement integers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from support.standard import array, convert, run
from vliw_mlir.errors import CompileError

WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "index": 32}

Function = Callable[[int, int, int], int]
"""From two unsigned operands and a width; only the low bits of the result count."""


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def on_signed(function: Callable[[int, int], int]) -> Function:
    return lambda a, b, w: function(signed(a, w), signed(b, w))


def truncating_division(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


OPS: dict[str, Function] = {
    "addi": lambda a, b, w: a + b,
    "subi": lambda a, b, w: a - b,
    "muli": lambda a, b, w: a * b,
    "andi": lambda a, b, w: a & b,
    "ori": lambda a, b, w: a | b,
    "xori": lambda a, b, w: a ^ b,
    "shli": lambda a, b, w: a << min(b, 32),
    "shrui": lambda a, b, w: a >> min(b, 32),
    "shrsi": lambda a, b, w: signed(a, w) >> min(b, 32),
    "minui": lambda a, b, w: min(a, b),
    "maxui": lambda a, b, w: max(a, b),
    "minsi": on_signed(min),
    "maxsi": on_signed(max),
}

DIVISIONS: dict[str, Function] = {
    "divui": lambda a, b, w: a // b,
    "divsi": on_signed(truncating_division),
    "ceildivui": lambda a, b, w: -(-a // b),
    "ceildivsi": on_signed(lambda a, b: -(-a // b)),
    "floordivsi": on_signed(lambda a, b: a // b),
    "remui": lambda a, b, w: a % b,
    "remsi": on_signed(lambda a, b: a - b * truncating_division(a, b)),
}

PREDICATES: dict[str, Function] = {
    "eq": lambda a, b, w: a == b,
    "ne": lambda a, b, w: a != b,
    "ult": lambda a, b, w: a < b,
    "ule": lambda a, b, w: a <= b,
    "ugt": lambda a, b, w: a > b,
    "uge": lambda a, b, w: a >= b,
    "slt": on_signed(lambda a, b: a < b),
    "sle": on_signed(lambda a, b: a <= b),
    "sgt": on_signed(lambda a, b: a > b),
    "sge": on_signed(lambda a, b: a >= b),
}


def edges(width: int) -> list[int]:
    """Operands near everything that can go wrong."""
    if width == 1:
        return [0, 1]
    top = 1 << (width - 1)
    near = [0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, top - 1, top, top + 1, -2, -1, -7]
    return sorted({value % (1 << width) for value in near})


def pairs_of(width: int, *, divisor: bool = False) -> list[tuple[int, int]]:
    values = edges(width)
    pairs = [(a, b) for a in values for b in values if b or not divisor]
    # A multiple of the vector length below.
    return pairs + pairs[:1] * (-len(pairs) % 4)


def elementwise(ops: dict[str, str], type: str, result: str, count: int) -> str:
    """A kernel that applies ops to `a[i]` and `b[i]`, each into its own row of `out`.

    An op is a text with `{}` for the name of its result.
    """
    scalar = type.removeprefix("vector<4x").removesuffix(">")
    out = result.removeprefix("vector<4x").removesuffix(">")
    rows = len(ops)
    step = 1 if type == scalar else 4
    load = "memref.load" if type == scalar else "vector.load"
    store = "memref.store" if type == scalar else "vector.store"
    loaded = "" if type == scalar else f", {type}"
    stored = "" if type == scalar else f", {result}"
    lines = []
    for row, op in enumerate(ops.values()):
        lines.append(f"%r{row} = arith.constant {row} : index")
        lines.append(op.format(f"%z{row}"))
        lines.append(f"{store} %z{row}, %out[%r{row}, %i] : memref<{rows}x{count}x{out}>{stored}")
    body = "\n".join(lines)
    return f"""
    func.func @f(%a: memref<{count}x{scalar}>, %b: memref<{count}x{scalar}>,
                 %out: memref<{rows}x{count}x{out}>) {{
      %c0 = arith.constant 0 : index
      %step = arith.constant {step} : index
      %n = arith.constant {count} : index
      scf.for %i = %c0 to %n step %step {{
        %x = {load} %a[%i] : memref<{count}x{scalar}>{loaded}
        %y = {load} %b[%i] : memref<{count}x{scalar}>{loaded}
        {body}
      }}
      return
    }}"""


def check(
    ops: dict[str, str],
    type: str,
    result: str,
    pairs: list[tuple[int, int]],
    expected: dict[str, list[int]],
) -> None:
    """Run `elementwise` on pairs of operands; a row for each op."""
    count = len(pairs)
    text = elementwise(ops, type, result, count)
    image = run(text, [a for a, _ in pairs], [b for _, b in pairs], [0] * (len(ops) * count))
    rows = array(image, 2).reshape(len(ops), count).tolist()
    for name, row in zip(ops, rows, strict=True):
        wrong = [p for p, got, e in zip(pairs, row, expected[name], strict=True) if got != e]
        assert not wrong, f"{name} on {type}: {wrong}"


def apply(ops: dict[str, Function], pairs: list[tuple[int, int]], width: int, to: int):
    mask = (1 << to) - 1
    return {name: [int(f(a, b, width)) & mask for a, b in pairs] for name, f in ops.items()}


@pytest.mark.parametrize("shape", ["{}", "vector<4x{}>"])
@pytest.mark.parametrize("scalar", WIDTHS)
def test_binary(scalar: str, shape: str):
    type, width = shape.format(scalar), WIDTHS[scalar]
    ops = {name: f"{{}} = arith.{name} %x, %y : {type}" for name in OPS}
    pairs = pairs_of(width)
    check(ops, type, type, pairs, apply(OPS, pairs, width, width))


@pytest.mark.parametrize("shape", ["{}", "vector<4x{}>"])
@pytest.mark.parametrize("scalar", WIDTHS)
def test_division(scalar: str, shape: str):
    type, width = shape.format(scalar), WIDTHS[scalar]
    ops = {name: f"{{}} = arith.{name} %x, %y : {type}" for name in DIVISIONS}
    pairs = pairs_of(width, divisor=True)
    check(ops, type, type, pairs, apply(DIVISIONS, pairs, width, width))


@pytest.mark.parametrize("shape", ["{}", "vector<4x{}>"])
@pytest.mark.parametrize("scalar", WIDTHS)
def test_comparison(scalar: str, shape: str):
    type, width = shape.format(scalar), WIDTHS[scalar]
    ops = {name: f"{{}} = arith.cmpi {name}, %x, %y : {type}" for name in PREDICATES}
    pairs = pairs_of(width)
    check(ops, type, shape.format("i1"), pairs, apply(PREDICATES, pairs, width, 1))


@pytest.mark.parametrize("scalar", WIDTHS)
def test_tensors(scalar: str):
    width = WIDTHS[scalar]
    pairs = pairs_of(width, divisor=True)
    type, truth = f"tensor<{len(pairs)}x{scalar}>", f"tensor<{len(pairs)}xi1>"
    values = [f"%{name} = arith.{name} %x, %y : {type}" for name in OPS | DIVISIONS]
    tests = [f"%{name} = arith.cmpi {name}, %x, %y : {type}" for name in PREDICATES]
    choice = f"%select = arith.select %ult, %x, %y : {truth}, {type}"
    names = [*OPS, *DIVISIONS, *PREDICATES, "select"]
    types = [*[type] * (len(OPS) + len(DIVISIONS)), *[truth] * len(PREDICATES), type]
    body = "\n".join([*values, *tests, choice])
    text = f"""
    func.func @f(%x: {type}, %y: {type}) -> ({", ".join(types)}) {{
      {body}
      return {", ".join(f"%{name}" for name in names)} : {", ".join(types)}
    }}"""
    image = run(text, [a for a, _ in pairs], [b for _, b in pairs])
    expected = apply(OPS | DIVISIONS, pairs, width, width) | apply(PREDICATES, pairs, width, 1)
    expected["select"] = [a if a < b else b for a, b in pairs]
    for name, result in zip(names, image.results(), strict=True):
        assert np.asarray(result).tolist() == expected[name], name


CARRYING: dict[str, tuple[Function, Function]] = {
    "addui_extended": (OPS["addi"], lambda a, b, w: (a + b) >> w),
    "subui_extended": (OPS["subi"], lambda a, b, w: a < b),
}

MULTIPLICATIONS: dict[str, tuple[Function, Function]] = {
    "mului_extended": (OPS["muli"], lambda a, b, w: (a * b) >> w),
    "mulsi_extended": (OPS["muli"], lambda a, b, w: (signed(a, w) * signed(b, w)) >> w),
}

FIRST, SECOND = "{0}, {0}_other", "{0}_other, {0}"


@pytest.mark.parametrize("shape", ["{}", "vector<4x{}>"])
@pytest.mark.parametrize("scalar", ["i1", "i8", "i16", "i32"])
def test_two_results(scalar: str, shape: str):
    type, truth, width = shape.format(scalar), shape.format("i1"), WIDTHS[scalar]
    pairs = pairs_of(width)
    carrying = {name: f"{{}} = arith.{name} %x, %y : {type}, {truth}" for name in CARRYING}
    wide = {name: f"{{}} = arith.{name} %x, %y : {type}" for name in MULTIPLICATIONS}
    for ops, functions, second in ((carrying, CARRYING, truth), (wide, MULTIPLICATIONS, type)):
        for half, names, to in ((0, FIRST, type), (1, SECOND, second)):
            chosen = {name: op.replace("{}", names) for name, op in ops.items()}
            meaning = {name: function[half] for name, function in functions.items()}
            bits = 1 if to == truth else width
            check(chosen, type, to, pairs, apply(meaning, pairs, width, bits))


INTEGERS = ["i1", "i8", "i16", "i32"]


@pytest.mark.parametrize("shape", ["{}", "vector<4x{}>"])
@pytest.mark.parametrize("source", WIDTHS)
def test_casts(source: str, shape: str):
    width = WIDTHS[source]
    pairs = pairs_of(width)
    for target, to in WIDTHS.items():
        casts = casts_between(source, target)
        if not casts:
            continue
        types = f"{shape.format(source)} to {shape.format(target)}"
        ops = {name: f"{{}} = arith.{name} %x : {types}" for name in casts}
        meaning = {
            name: (lambda a, b, w: signed(a, w)) if function == "signed" else (lambda a, b, w: a)
            for name, function in casts.items()
        }
        expected = apply(meaning, pairs, width, to)
        check(ops, shape.format(source), shape.format(target), pairs, expected)


def casts_between(source: str, target: str) -> dict[str, str]:
    """The casts from one type to another, and how they take their operand."""
    if (source == "index") != (target == "index"):
        return {"index_cast": "signed", "index_castui": "unsigned"}
    if WIDTHS[source] < WIDTHS[target]:
        return {"extsi": "signed", "extui": "unsigned"}
    if WIDTHS[source] > WIDTHS[target]:
        return {"trunci": "unsigned"}
    return {"bitcast": "unsigned"} if source == target != "index" else {}


@pytest.mark.parametrize("scalar", WIDTHS)
def test_select(scalar: str):
    vector, pairs = f"vector<4x{scalar}>", pairs_of(WIDTHS[scalar])
    ops = {
        "lanes": f"{{0}}_c = arith.cmpi ult, %x, %y : {vector}\n"
        f"{{0}} = arith.select {{0}}_c, %x, %y : vector<4xi1>, {vector}",
        "whole": f"%true = arith.constant true\n{{0}} = arith.select %true, %x, %y : {vector}",
    }
    expected = {"lanes": [min(p) for p in pairs], "whole": [a for a, _ in pairs]}
    check(ops, vector, vector, pairs, expected)


def test_constants():
    text = """
    func.func @f(%out: memref<32xi32>, %o8: memref<8xi8>, %o1: memref<4xi1>) -> tensor<2x2xi8> {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %big = arith.constant 4294967295 : index
      %bigger = arith.index_cast %big : index to i32
      memref.store %bigger, %out[%c0] : memref<32xi32>
      %low = arith.constant -2147483648 : index
      %lower = arith.index_cast %low : index to i32
      %c1 = arith.constant 1 : index
      memref.store %lower, %out[%c1] : memref<32xi32>
      %v = arith.constant dense<[-1, 2, -3, 0x80000000]> : vector<4xi32>
      vector.store %v, %out[%c4] : memref<32xi32>, vector<4xi32>
      %c8 = arith.constant 8 : index
      %s = arith.constant dense<-7> : vector<4xi32>
      vector.store %s, %out[%c8] : memref<32xi32>, vector<4xi32>
      %narrow = arith.constant dense<[-1, 127, -128, 5]> : vector<4xi8>
      vector.store %narrow, %o8[%c4] : memref<8xi8>, vector<4xi8>
      %byte = arith.constant -2 : i8
      memref.store %byte, %o8[%c0] : memref<8xi8>
      %truth = arith.constant dense<[true, false, true, true]> : vector<4xi1>
      vector.store %truth, %o1[%c0] : memref<4xi1>, vector<4xi1>
      %t = arith.constant dense<[[-1, 2], [3, -128]]> : tensor<2x2xi8>
      %u = arith.constant dense<-1> : tensor<2x2xi8>
      %sum = arith.addi %t, %u : tensor<2x2xi8>
      return %sum : tensor<2x2xi8>
    }"""
    image = run(text, [0] * 32, [0] * 8, [0] * 4)
    top = 1 << 32
    out = array(image, 0).tolist()
    assert out[:2] == [top - 1, top >> 1]
    assert out[4:12] == [top - 1, 2, top - 3, top >> 1, *[top - 7] * 4]
    assert array(image, 1).tolist() == [254, 0, 0, 0, 255, 127, 128, 5]
    assert array(image, 2).tolist() == [1, 0, 1, 1]
    assert np.asarray(image.results()[0]).tolist() == [254, 1, 2, 127]


def test_select_of_memrefs():
    text = """
    func.func @f(%c: i1, %a: memref<4xi32>, %b: memref<4xi32>) {
      %c1 = arith.constant 1 : index
      %seven = arith.constant 7 : i32
      %m = arith.select %c, %a, %b : memref<4xi32>
      memref.store %seven, %m[%c1] : memref<4xi32>
      return
    }"""
    for condition in (0, 1):
        image = run(text, condition, [0] * 4, [0] * 4)
        written = array(image, 2 - condition)
        assert written.tolist() == [0, 7, 0, 0]
        assert array(image, 1 + condition).tolist() == [0] * 4


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("%x = arith.constant 1 : i64", "i64 is not supported; integers must be signless"),
        ("%x = arith.constant 1.0 : f32", "f32: floating point is not supported"),
        ("%x = arith.constant dense<1.0> : vector<4xf32>", "f32: floating point"),
        ("%x = arith.constant dense<1> : tensor<4xi64>", "i64 is not supported"),
        ("%x = arith.constant dense<1> : vector<2x2xi32>", "only vectors of one fixed dimension"),
        ("%x = arith.constant 4294967296 : index", "4294967296 does not fit in 32 bits"),
        ("%x = arith.constant -2147483649 : index", "-2147483649 does not fit in 32 bits"),
        ("%x = arith.constant dense<[1, 4294967296]> : tensor<2xindex>", "does not fit in 32 bits"),
        ("%x = arith.extui %a : i32 to i64", "i64 is not supported"),
        ("%x = arith.extsi %a : i32 to i64", "i64 is not supported"),
        ("%x = arith.index_cast %i : index to i64", "i64 is not supported"),
        ("%x = arith.index_castui %i : index to i64", "i64 is not supported"),
        ("%x = arith.sitofp %a : i32 to f32", "f32: floating point is not supported"),
        ("%x = arith.bitcast %a : i32 to f32", "f32: floating point is not supported"),
    ],
)
def test_errors(body: str, message: str):
    with pytest.raises(CompileError) as error:
        convert(f"func.func @f(%a: i32, %i: index) {{\n{body}\nreturn\n}}")
    assert message in error.value.message
    assert error.value.location == "<string>:2:1"
