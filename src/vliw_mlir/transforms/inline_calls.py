"""Inlining of all calls into the kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.passes import ModulePass

from vliw_mlir.dialects.facts import kernel_function
from vliw_mlir.dialects.upstream.scf import ExecuteRegionOp
from vliw_mlir.errors import fail
from vliw_mlir.instrument.statistics import Statistics


@dataclass(frozen=True)
class InlineCalls(ModulePass):
    """Replace every call by the body of the called function, and drop the other functions.

    A body of several blocks becomes an `scf.execute_region`. Takes time linear in the size of
    the result. Expects one public function, the kernel; afterwards it is the only function.
    Fails for recursive calls and for calls to functions without a body.

    Statistics: `num-inlined-calls`, `num-removed-functions`.
    """

    name = "inline-calls"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        statistics = Statistics(self)
        kernel = kernel_function(op)
        functions = {f.sym_name.data: f for f in op.ops if isinstance(f, FuncOp)}
        for calls in _callees_first(kernel, functions):
            for call in calls:
                _inline(call, _callee(call, functions))
            statistics.count("num-inlined-calls", len(calls))
        del functions[kernel.sym_name.data]
        for function in functions.values():
            op.body.block.erase_op(function)
        statistics.count("num-removed-functions", len(functions))


def _callees_first(kernel: FuncOp, functions: Mapping[str, FuncOp]) -> list[list[CallOp]]:
    """The calls of each function that the kernel needs, after those of the functions called."""
    order: list[list[CallOp]] = []
    seen = {kernel}
    # The path of calls from the kernel; a dictionary for its order and fast look-up.
    calls = _calls(kernel)
    path = {kernel: (calls, iter(calls))}
    while path:
        function, (calls, rest) = next(reversed(path.items()))
        call = next(rest, None)
        if call is None:
            order.append(calls)
            del path[function]
            continue
        callee = _callee(call, functions)
        if callee in path:
            _fail_recursive(call, callee, list(path))
        if callee not in seen:
            seen.add(callee)
            inner = _calls(callee)
            path[callee] = (inner, iter(inner))
    return order


def _calls(function: FuncOp) -> list[CallOp]:
    return [op for op in function.body.walk() if isinstance(op, CallOp)]


def _callee(call: CallOp, functions: Mapping[str, FuncOp]) -> FuncOp:
    name = call.callee.string_value()
    function = functions.get(name)
    if function is None:
        fail(call, f"there is no function @{name}")
    if function.is_declaration:
        fail(call, f"@{name} has no body; a kernel cannot call functions outside its module")
    return function


def _fail_recursive(call: CallOp, callee: FuncOp, path: Sequence[FuncOp]) -> None:
    cycle = [*path[path.index(callee) :], callee]
    names = " calls ".join(f"@{f.sym_name.data}" for f in cycle)
    fail(call, f"recursion is not supported: {names}")


def _inline(call: CallOp, callee: FuncOp) -> None:
    block = call.parent
    assert block is not None
    if len(callee.body.blocks) == 1:
        results = _inline_block(call, block, callee)
    else:
        results = _inline_region(call, block, callee)
    for old, new in zip(call.results, results, strict=True):
        old.replace_all_uses_with(new)
    block.erase_op(call)


def _inline_block(call: CallOp, block: Block, callee: FuncOp) -> list[SSAValue]:
    body = callee.body.block
    values: dict[SSAValue, SSAValue] = dict(zip(body.args, call.arguments, strict=True))
    *ops, end = body.ops
    for op in ops:
        block.insert_op_before(op.clone(values), call)
    return [values.get(value, value) for value in end.operands]


def _inline_region(call: CallOp, block: Block, callee: FuncOp) -> Sequence[SSAValue]:
    region = Region()
    callee.body.clone_into(region)
    entry = region.blocks[0]
    for arg, value in zip(entry.args, call.arguments, strict=True):
        arg.replace_all_uses_with(value)
        entry.erase_arg(arg)
    for inner in region.blocks:
        if isinstance(end := inner.last_op, ReturnOp):
            result = scf.YieldOp(*end.arguments)
            result.location = end.location
            inner.insert_op_before(result, end)
            inner.erase_op(end)
    execute = ExecuteRegionOp(call.result_types, region)
    execute.location = call.location
    block.insert_op_before(execute, call)
    return execute.results
