"""Running a kernel of the tensor or SSA level on a memory image."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, TracebackType
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from vliw_mlir.abi import Interface, MemoryImage, build_image
from vliw_mlir.dialects.facts import (
    RESULT,
    SIGNATURE,
    argument_attributes,
    interface_of,
    kernel_function,
    width_of,
)
from vliw_mlir.dialects.kernel import shape_of
from vliw_mlir.dialects.word import BufferType
from vliw_mlir.errors import CompileError, LimitError, TrapError, fail, op_location
from vliw_mlir.interp import control, kernel, word
from vliw_mlir.interp.codegen import Code, Line
from vliw_mlir.interp.runtime import HELPERS, Memory, Steps, out_of_memory
from vliw_mlir.semantics import EXPR_NAMES, WORD_MASK, Words
from vliw_mlir.verifier import verify_operation

_EMITTERS = {**word.EMITTERS, **kernel.EMITTERS, **control.EMITTERS}

_NUMPY_NAMES = {
    name: getattr(np, name) for name in ("array", "asarray", "broadcast_to", "full", "uint32")
}

_FILE = "<interpreted kernel>"


@dataclass(frozen=True)
class Interpretation:
    """What a run did besides changing memory."""

    trace: tuple[int, ...]
    """The words given to `word.trace_write`, in order."""
    steps: int
    """Loop iterations and branches between blocks, as the step limit counts them."""


def interpret(
    kernel: ModuleOp | FuncOp,
    image: MemoryImage,
    *,
    step_limit: int | None = None,
    debug_values: Mapping[str, int] | None = None,
) -> Interpretation:
    """Run a kernel on `image`, whose memory then holds the results.

    `step_limit` bounds the loop iterations and branches together; None means no bound.
    `debug_values` gives the words that `word.compare` expects, by key; keys that it does not
    have are not checked.

    Raises `TrapError` where the machine traps, also at a debug value other than expected,
    `LimitError` beyond the step limit, and `CompileError` for ops of other levels. The memory
    is then as it was at that moment.
    """
    return compile_kernel(kernel).run(image, step_limit=step_limit, debug_values=debug_values)


def interpret_case(module: ModuleOp, args: Sequence[int | ArrayLike]) -> MemoryImage:
    """Run the kernel of `module` on a new image made of `args`, and return the image.

    Raises `CompileError` when the arguments do not fit, and as `interpret` does.
    """
    compiled = compile_kernel(module)
    image = build_image(compiled.interface, args)
    compiled.run(image)
    return image


def compile_kernel(kernel: ModuleOp | FuncOp) -> CompiledKernel:
    """Make a kernel ready to run many times.

    Raises `CompileError` for ops and types that belong to other levels.
    """
    function = kernel_function(kernel) if isinstance(kernel, ModuleOp) else kernel
    if function.is_declaration:
        fail(function, f"@{function.sym_name.data} has no body to interpret")
    verify_operation(function)
    return CompiledKernel(function)


class CompiledKernel:
    """A kernel as a Python function."""

    interface: Interface
    source: str
    """The generated Python."""

    def __init__(self, function: FuncOp):
        self.interface = interface_of(function)
        self._types = tuple(function.function_type.inputs)
        self._result_numbers = _result_numbers(function)
        _check_signature(function, self.interface, self._result_numbers)
        code = _generate(function)
        self._lines = code.lines
        self._constants = code.constants
        self._heap_words = code.heap_words
        self.source = "\n".join(" " * line.depth + line.text for line in code.lines)
        self._python: CodeType = compile(self.source, _FILE, "exec")

    def run(
        self,
        image: MemoryImage,
        *,
        step_limit: int | None = None,
        debug_values: Mapping[str, int] | None = None,
    ) -> Interpretation:
        """Run on `image`; see `interpret`."""
        size = len(image.memory)
        memory: Memory = image.memory.tolist()
        memory.extend([0] * self._heap_words)
        trace: list[int] = []
        steps = Steps(step_limit)
        namespace: dict[str, Any] = {
            **EXPR_NAMES,
            **_NUMPY_NAMES,
            **HELPERS,
            **self._constants,
            "memory": memory,
            "heap": size,
            "trace": trace,
            "ticks": steps.ticks,
            "check": _checker(debug_values),
        }
        exec(self._python, namespace)
        arguments = self._arguments(image)
        try:
            # Arithmetic on tensors without dimensions would warn of wrapping.
            with np.errstate(over="ignore"):
                results = namespace["kernel"](*arguments)
        except (ZeroDivisionError, IndexError, NameError, CompileError) as e:
            raise self._located(e, memory) from e
        finally:
            image.memory[:] = memory[:size]
        self._store_results(image, results)
        return Interpretation(tuple(trace), steps.taken)

    def _arguments(self, image: MemoryImage) -> list[int | Words]:
        values: list[int | Words] = []
        for number, argument in enumerate(self.interface.arguments):
            shape = _tensor_shape(self._types[number])
            if shape is not None:
                values.append(image.array(number).reshape(shape).copy())
            elif argument.is_array:
                values.append(_address(image.bases[number]))
            else:
                slot = self.interface.header_slots[number]
                values.append(int(image.memory[_address(slot)]))
        values += [_address(image.result_bases[number]) for number in self._result_numbers]
        return values

    def _store_results(self, image: MemoryImage, values: Sequence[int | Words]) -> None:
        results = self.interface.results
        returned = [n for n in range(len(results)) if n not in self._result_numbers]
        for number, value in zip(returned, values, strict=True):
            base = image.result_bases[number]
            if base is None:
                image.memory[self.interface.result_slots[number]] = value
            else:
                image.memory[base : base + results[number].size] = np.ravel(value)

    def _located(self, error: Exception, memory: Memory) -> CompileError:
        """`error` as what the user did wrong, at the operation that did it."""
        line, variables = self._innermost(error.__traceback__)
        location = op_location(line.op)
        match error:
            case LimitError():
                return LimitError(error.message, location)
            case NameError():
                return CompileError("a value is used before its definition", location)
            case ZeroDivisionError():
                reason = "division by zero"
            case IndexError() if line.address is not None:
                reason = out_of_memory(memory, eval(line.address, variables))
            case _:
                reason = str(error)
        return TrapError(f"trap in {line.op.name}: {reason}", location)

    def _innermost(self, traceback: TracebackType | None) -> tuple[Line, dict[str, Any]]:
        """The generated line that raised, and the variables it saw."""
        found: TracebackType | None = None
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == _FILE:
                found = traceback
            traceback = traceback.tb_next
        assert found is not None
        return self._lines[found.tb_lineno - 1], found.tb_frame.f_locals


def _generate(function: FuncOp) -> Code:
    code = Code(_EMITTERS, function)
    parameters = ", ".join(code.names(function.body.blocks[0].args))
    with code.indented(f"def kernel({parameters}):"):
        control.emit_blocks(code, function.body)
    code.emit_outlined()
    return code


def _result_numbers(function: FuncOp) -> tuple[int, ...]:
    """The tensor results that became arguments, which follow the caller's arguments."""
    attributes = argument_attributes(function.arg_attrs, len(function.function_type.inputs))
    numbers = (attrs.get(RESULT) for attrs in attributes)
    return tuple(n.value.data for n in numbers if isinstance(n, IntegerAttr))


def _check_signature(function: FuncOp, interface: Interface, result_numbers: Sequence[int]) -> None:
    """Refuse types of other levels, and a signature that does not fit the function."""
    types = function.function_type
    for what, group in (("argument", types.inputs), ("result", types.outputs)):
        for number, type in enumerate(group):
            if not _is_known(type):
                fail(
                    function,
                    f"{what} {number}: {type} is not a type of the tensor or SSA level; "
                    "run convert-std-to-kernel first",
                )
    arguments = len(types.inputs) - len(result_numbers)
    results = len(types.outputs) + len(result_numbers)
    if arguments != len(interface.arguments) or results != len(interface.results):
        fail(function, f"the arguments and results of the function do not fit its {SIGNATURE}")


def _is_known(type: Attribute) -> bool:
    shape = _tensor_shape(type)
    if shape is not None:
        return all(size >= 0 for size in shape)
    return isinstance(type, BufferType) or width_of(type) is not None


def _tensor_shape(type: Attribute) -> tuple[int, ...] | None:
    return shape_of(cast(Attribute, type)) if isinstance(type, TensorType) else None


def _address(base: int | None) -> int:
    assert base is not None
    return base


def _checker(values: Mapping[str, int] | None) -> Callable[[Sequence[str], int | Words], None]:
    """What `word.compare` calls with its keys and its value."""
    known = values or {}

    def check(keys: Sequence[str], value: int | Words) -> None:
        words = cast("list[int]", np.ravel(value).tolist())
        for key, found in zip(keys, words, strict=True):
            expected = known.get(key, found) & WORD_MASK
            if found != expected:
                raise TrapError(f"'{key}' is {found}, expected {expected}")

    return check
