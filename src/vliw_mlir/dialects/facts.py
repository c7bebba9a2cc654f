"""The discardable `vliw.*` attributes: facts about arguments, the machine of a module.

On arguments of the kernel function, each a promise by the caller:

- `vliw.value = 16 : i32`: the scalar always has this value;
- `vliw.range = array<i32: lo, hi>`: the scalar, or every element on entry, lies in lo..hi
  (unsigned);
- `vliw.address = N : i32`: the memref lives at this word address, without header word.

On a module, `vliw.target = {…}` describes the machine (see `vliw_mlir.target`).
On a function whose types were converted, `vliw.signature` keeps the function type that
the caller sees, and on an argument that stands for a tensor result, `vliw.result = N`
keeps the number of that result.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I32,
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
    VectorType,
    i32,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from vliw_mlir.abi.interface import Argument, Interface, Result
from vliw_mlir.errors import CompileError, fail
from vliw_mlir.semantics import WORD_MASK, to_signed
from vliw_mlir.target import Target

VALUE, RANGE, ADDRESS = "vliw.value", "vliw.range", "vliw.address"
SIGNATURE, RESULT, TARGET = "vliw.signature", "vliw.result", "vliw.target"

WIDTHS = (1, 8, 16, 32)
"""The integer widths that live in a word."""


def width_of(type: Attribute) -> int | None:
    """Bits of an integer or index type that lives in a word, None for any other type."""
    if isinstance(type, IndexType):
        return 32
    if isa(type, IntegerType) and type.bitwidth in WIDTHS:
        return type.bitwidth
    return None


def kernel_function(module: ModuleOp) -> FuncOp:
    """The one public function with a body. Raises `CompileError` when there is not one."""
    functions = [
        op
        for op in module.ops
        if isinstance(op, FuncOp) and not op.is_declaration and _is_public(op)
    ]
    if len(functions) == 1:
        return functions[0]
    if not functions:
        fail(module, "the module has no public function with a body to serve as the kernel")
    names = ", ".join(f"@{f.sym_name.data}" for f in functions)
    fail(
        functions[1], f"a module holds one kernel, but {names} are public; make all others private"
    )


def _is_public(func: FuncOp) -> bool:
    return func.sym_visibility is None or func.sym_visibility.data == "public"


def argument_attributes(
    arg_attrs: ArrayAttr[DictionaryAttr] | None, count: int
) -> list[dict[str, Attribute]]:
    """The attribute dictionary of each of `count` arguments, empty ones included."""
    if arg_attrs is None:
        return [{} for _ in range(count)]
    return [dict(attrs.data) for attrs in arg_attrs]


def interface_of(func: FuncOp) -> Interface:
    """The interface of a kernel at the tensor or SSA level, or as it came in.

    Raises `CompileError` for argument or result types that the ABI does not know, and for
    facts that are malformed or do not fit their argument.
    """
    signature = func.attributes.get(SIGNATURE, func.function_type)
    if not isinstance(signature, FunctionType):
        fail(func, f"{SIGNATURE} must be a function type")
    return make_interface(func, func.sym_name.data, signature, func.arg_attrs)


def make_interface(
    op: Operation,
    name: str,
    signature: FunctionType,
    arg_attrs: ArrayAttr[DictionaryAttr] | None,
) -> Interface:
    """The interface that a signature and argument attributes describe; errors point at `op`.

    There may be more attributes than arguments in the signature; those are not the caller's.
    """
    inputs = signature.inputs.data
    attributes = argument_attributes(arg_attrs, len(inputs))
    if len(attributes) < len(inputs):
        fail(op, f"{len(attributes)} argument attributes for {len(inputs)} arguments")
    arguments = tuple(
        _argument(op, number, type, attributes[number]) for number, type in enumerate(inputs)
    )
    results = tuple(_result(op, number, type) for number, type in enumerate(signature.outputs))
    return Interface(name, arguments, results)


def signature_of(
    interface: Interface,
) -> tuple[FunctionType, ArrayAttr[DictionaryAttr] | None]:
    """The function type and argument attributes that describe an interface."""

    def type_of(value: Argument | Result) -> Attribute:
        element = IntegerType(value.width)
        shape = [DYNAMIC_INDEX if d is None else d for d in value.shape]
        match value.kind:
            case "memref":
                return MemRefType(element, shape)
            case "tensor":
                return TensorType(element, shape)
            case _:
                return element

    def facts_of(argument: Argument) -> DictionaryAttr:
        facts: dict[str, Attribute] = {}
        if argument.value is not None:
            facts[VALUE] = IntegerAttr(to_signed(argument.value), i32)
        if argument.range is not None:
            bounds = [to_signed(bound) for bound in argument.range]
            facts[RANGE] = DenseArrayBase.from_list(i32, bounds)
        if argument.address is not None:
            facts[ADDRESS] = IntegerAttr(argument.address, i32)
        return DictionaryAttr(facts)

    signature = FunctionType.from_lists(
        [type_of(a) for a in interface.arguments], [type_of(r) for r in interface.results]
    )
    facts = [facts_of(argument) for argument in interface.arguments]
    return signature, ArrayAttr(facts) if any(f.data for f in facts) else None


def _argument(
    op: Operation, number: int, type: Attribute, attrs: Mapping[str, Attribute]
) -> Argument:
    what = f"argument {number}"
    for name in attrs:
        if name.startswith("vliw.") and name not in (VALUE, RANGE, ADDRESS):
            fail(op, f"{what}: unknown attribute '{name}' (known: {VALUE}, {RANGE}, {ADDRESS})")
    kind, element, shape = _type(op, what, type)
    width = width_of(element)
    if width is None:
        fail(op, f"{what}: {type} is not supported; only integers of 1, 8, 16 or 32 bits are")
    value = _word(op, what, attrs, VALUE)
    address = _word(op, what, attrs, ADDRESS)
    bounds = _range(op, what, attrs)
    if value is not None and kind != "scalar":
        fail(op, f"{what}: {VALUE} is for scalars, not {type}")
    if address is not None and kind != "memref":
        fail(op, f"{what}: {ADDRESS} is for memrefs, not {type}")
    for fact, word in ((VALUE, value), *((RANGE, b) for b in bounds or ())):
        if word is not None and word >> width:
            fail(op, f"{what}: {fact}: {word} does not fit in {width} bits")
    if value is not None and bounds is not None and not bounds[0] <= value <= bounds[1]:
        fail(op, f"{what}: {VALUE} = {value} lies outside {RANGE} = {bounds[0]}..{bounds[1]}")
    return Argument(kind, width, shape, value, bounds, address)


def _result(op: Operation, number: int, type: Attribute) -> Result:
    what = f"result {number}"
    kind, element, shape = _type(op, what, type)
    width = width_of(element)
    if kind == "memref" or width is None:
        fail(op, f"{what}: {type} is not supported; results are integers or tensors of them")
    if any(d is None for d in shape):
        fail(op, f"{what}: {type} needs a static shape")
    return Result(kind, width, cast(tuple[int, ...], shape))


def _type(
    op: Operation, what: str, type: Attribute
) -> tuple[str, Attribute, tuple[int | None, ...]]:
    """Kind, element type and shape of an argument or result type."""
    if isinstance(type, MemRefType | TensorType):
        array = cast("MemRefType[Attribute] | TensorType[Attribute]", type)
        shape = tuple(None if d == DYNAMIC_INDEX else d for d in array.get_shape())
        kind = "memref" if isinstance(type, MemRefType) else "tensor"
        if kind == "memref" and not _is_contiguous(cast(MemRefType[Attribute], type)):
            fail(op, f"{what}: {type} is not supported; arrays are row-major without gaps")
        return kind, array.element_type, shape
    if isinstance(type, VectorType):
        fail(op, f"{what}: {type} is not supported; pass vectors through memory")
    return "scalar", type, ()


def _is_contiguous(type: MemRefType[Attribute]) -> bool:
    strides = MemRefType.strides_for_shape(type.get_shape())
    return type.get_strides() == strides and type.get_offset() == 0


def _word(op: Operation, what: str, attrs: Mapping[str, Attribute], name: str) -> int | None:
    attr = attrs.get(name)
    if attr is None:
        return None
    bits = width_of(cast(Attribute, attr.type)) if isinstance(attr, IntegerAttr) else None
    if not isinstance(attr, IntegerAttr) or bits is None:
        fail(op, f"{what}: {name} must be an integer like 16 : i32, not {attr}")
    return attr.value.data & ((1 << bits) - 1)


def _range(op: Operation, what: str, attrs: Mapping[str, Attribute]) -> tuple[int, int] | None:
    attr = attrs.get(RANGE)
    if attr is None:
        return None
    if not isa(attr, DenseArrayBase[I32]) or len(attr) != 2:
        fail(op, f"{what}: {RANGE} must be like array<i32: 0, 9>, not {attr}")
    low, high = (v & WORD_MASK for v in attr.get_values())
    if low > high:
        fail(op, f"{what}: {RANGE} is empty: {low} > {high} (bounds are unsigned)")
    return low, high


def set_target(module: ModuleOp, target: Target) -> None:
    """Let `module` be compiled for `target`."""
    module.attributes[TARGET] = _to_attribute(target.to_dict())


def target_of(op: Operation) -> Target:
    """The machine that the module around `op` is compiled for; the default if none is set.

    Raises `CompileError` when `vliw.target` describes no machine, and for a misspelt one.
    """
    top = op
    while (parent := top.parent_op()) is not None:
        top = parent
    for name in top.attributes:
        if isinstance(top, ModuleOp) and name.startswith("vliw.") and name != TARGET:
            fail(top, f"unknown attribute '{name}' of a module (known: {TARGET})")
    attr = top.attributes.get(TARGET)
    if attr is None:
        return Target.default()
    if not isinstance(attr, DictionaryAttr):
        fail(top, f"{TARGET} must be a dictionary, not {attr}")
    try:
        return _target(attr)
    except CompileError as e:
        fail(top, e.message)


@lru_cache(maxsize=16)
def _target(attr: DictionaryAttr) -> Target:
    """Every pass asks for the target, and verification asks often."""
    return Target.from_dict(_from_attribute(attr), where=TARGET)


def _to_attribute(value: Any) -> Attribute:
    match value:
        case bool():
            return BoolAttr.from_bool(value)
        case int():
            return IntegerAttr(value, i64)
        case str():
            return StringAttr(value)
        case dict():
            items = cast(dict[str, Any], value)
            return DictionaryAttr({key: _to_attribute(v) for key, v in items.items()})
        case _:
            return ArrayAttr([_to_attribute(v) for v in value])


def _from_attribute(attr: Attribute) -> Any:
    match attr:
        case IntegerAttr():
            return attr.value.data
        case StringAttr():
            return attr.data
        case DictionaryAttr():
            return {key: _from_attribute(v) for key, v in attr.data.items()}
        case ArrayAttr():
            return [_from_attribute(v) for v in attr]
        case _:
            return str(attr)
