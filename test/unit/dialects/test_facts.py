"""The `vliw.*` attributes: facts about arguments and the machine of a module, to IR and back."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import FunctionType, ModuleOp, i32
from xdsl.dialects.func import FuncOp

from vliw_mlir.abi import Argument, Interface, Result
from vliw_mlir.dialects.facts import (
    argument_attributes,
    interface_of,
    kernel_function,
    make_interface,
    set_target,
    signature_of,
    target_of,
    width_of,
)
from vliw_mlir.errors import CompileError
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.target import Target


def module(text: str) -> ModuleOp:
    return parse_module(make_context(), text, "k.mlir")


def interface(text: str) -> Interface:
    return interface_of(kernel_function(module(text)))


# Interfaces


def test_interface_of_a_kernel_as_it_came() -> None:
    text = """func.func @k(%n: index {vliw.value = -1 : i32}, %m: memref<2x?xi8> {
        vliw.range = array<i32: 0, 200>}, %t: tensor<3xi1>, %w: memref<i16> {
        vliw.address = 64 : i32, other.note}) -> (i32, tensor<2xi8>) { func.return }"""
    assert interface(text) == Interface(
        "k",
        (
            Argument("scalar", value=0xFFFFFFFF),
            Argument("memref", 8, (2, None), range=(0, 200)),
            Argument("tensor", 1, (3,)),
            Argument("memref", 16, (), address=64),
        ),
        (Result("scalar"), Result("tensor", 8, (2,))),
    )


def test_signature_outlives_the_conversion_of_types() -> None:
    text = """func.func @k(%a: !word.buffer<4>, %r: !word.buffer<2> {vliw.result = 0 : i64})
        attributes {vliw.signature = (memref<4xi32>) -> tensor<2xi32>} { func.return }"""
    assert interface(text) == Interface(
        "k", (Argument("memref", shape=(4,)),), (Result("tensor", shape=(2,)),)
    )


@pytest.mark.parametrize(
    ("attribute", "width", "value"),
    [
        ("-1 : i32", 32, 0xFFFFFFFF),
        ("-1 : i8", 8, 255),
        ("255 : i32", 8, 255),
        ("true", 1, 1),
        ("3 : index", 32, 3),
        ("0 : i32", 32, 0),
    ],
)
def test_values(attribute: str, width: int, value: int) -> None:
    text = f"func.func @k(%x: i{width} {{vliw.value = {attribute}}}) {{ func.return }}"
    assert interface(text).arguments == (Argument("scalar", width, value=value),)


@pytest.mark.parametrize(
    "given",
    [
        Interface("k", (), ()),
        Interface("k", (Argument("scalar"),), (Result("scalar", 8), Result("tensor", 1, (2,)))),
        Interface(
            "k",
            (
                Argument("scalar", 8, value=0),
                Argument("scalar", value=0x80000000, range=(0, 0xFFFFFFFF)),
                Argument("memref", 16, (None, 3), range=(1, 1)),
                Argument("memref", 32, (), address=0),
                Argument("memref", 32, (0,), address=4096),
                Argument("tensor", 1, (2, 2)),
            ),
            (),
        ),
    ],
)
def test_signature_and_back(given: Interface) -> None:
    signature, attributes = signature_of(given)
    assert make_interface(ModuleOp([]), "k", signature, attributes) == given


def test_attributes_of_arguments() -> None:
    function = kernel_function(
        module("func.func @k(%x: i32 {vliw.value = 1 : i32}, %y: i32) { func.return }")
    )
    assert [list(a) for a in argument_attributes(function.arg_attrs, 2)] == [["vliw.value"], []]
    assert argument_attributes(None, 2) == [{}, {}]


def test_widths() -> None:
    types = module("func.func private @f(i1, i8, i16, i32, index, i64, i7, f32)").body.block
    (function,) = types.ops
    assert isinstance(function, FuncOp)
    widths = [width_of(type) for type in function.function_type.inputs]
    assert widths == [1, 8, 16, 32, 32, None, None, None]


# Kernels


def test_kernel_is_the_public_function_with_a_body() -> None:
    found = kernel_function(
        module("""
          func.func private @helper() { func.return }
          func.func private @outside()
          func.func public @k() { func.return }
        """)
    )
    assert found.sym_name.data == "k"


def test_error_points_at_the_second_kernel() -> None:
    with pytest.raises(CompileError) as error:
        kernel_function(module("func.func @a() { func.return }\nfunc.func @b() { func.return }"))
    assert error.value.location == "k.mlir:2:1"


# Machines


@pytest.mark.parametrize(
    "target",
    [
        Target.default(),
        Target.from_dict({"name": "odd", "vlen": 3, "scratch": 7, "engines": {"flow": 0}}),
        Target.from_dict({"engines": {"mac": {"slots": 1, "arithmetic": "vector"}}}),
    ],
)
def test_target_of_a_module(target: Target) -> None:
    made = module("func.func @k() { func.return }")
    set_target(made, target)
    again = module(str(made))
    assert target_of(again) == target
    assert target_of(kernel_function(again)) == target


def test_default_target() -> None:
    assert target_of(ModuleOp([])) is Target.default()


def test_missing_argument_attributes() -> None:
    signature = FunctionType.from_lists([i32, i32], [])
    with pytest.raises(CompileError, match="1 argument attributes for 2 arguments"):
        make_interface(
            ModuleOp([]),
            "k",
            signature,
            signature_of(Interface("k", (Argument("scalar", value=1),), ()))[1],
        )
