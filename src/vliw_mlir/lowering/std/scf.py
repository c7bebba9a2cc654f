"""Conversion of `scf`: the same structure over words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import scf
from xdsl.ir import Attribute, Block, Region, SSAValue

from vliw_mlir.dialects import word
from vliw_mlir.dialects.upstream.scf import ExecuteRegionOp
from vliw_mlir.lowering.std.converter import Converter, Handler, constant_word
from vliw_mlir.lowering.std.integers import sign_extend
from vliw_mlir.lowering.std.loops import loop_nest
from vliw_mlir.semantics import WORD_BITS


def convert_for(c: Converter, op: scf.ForOp) -> None:
    """The counter is compared signed at its width, but held zero-extended like any integer."""
    width = c.width(op.lb)
    low, high, step = [sign_extend(c, c.get(v), width) for v in (op.lb, op.ub, op.step)]
    body = c.convert_region(op.body)
    if width < WORD_BITS:
        _truncate_counter(body.block, width)
    _finish(c, scf.ForOp(low, high, step, [c.passable(v) for v in op.iter_args], body))


def _truncate_counter(body: Block, width: int) -> None:
    counter = body.args[0]
    uses = list(counter.uses)
    mask = word.ConstantOp((1 << width) - 1)
    narrow = word.AndOp(counter, mask)
    for use in uses:
        use.operation.operands[use.index] = narrow.result
    first = body.first_op
    assert first is not None
    body.insert_ops_before([mask, narrow], first)


def convert_while(c: Converter, op: scf.WhileOp) -> None:
    before = c.convert_region(op.before_region)
    after = c.convert_region(op.after_region)
    types = [c.convert_type(r.type) for r in op.results]
    _finish(c, scf.WhileOp([c.passable(v) for v in op.operands], types, before, after))


def convert_condition(c: Converter, op: scf.ConditionOp) -> None:
    test = c.emit(word.TestOp(c.get(op.condition)))
    c.append(scf.ConditionOp(test, *[c.passable(v) for v in op.args]))


def convert_if(c: Converter, op: scf.IfOp) -> None:
    on_true = c.convert_region(op.true_region)
    on_false = c.convert_region(op.false_region)
    types = [c.convert_type(r.type) for r in op.results]
    test = c.emit(word.TestOp(c.get(op.cond)))
    _finish(c, scf.IfOp(test, types, on_true, on_false))


def convert_yield(c: Converter, op: scf.YieldOp) -> None:
    c.append(scf.YieldOp(*[c.passable(v) for v in op.operands]))


def convert_execute_region(c: Converter, op: scf.ExecuteRegionOp) -> None:
    region = c.convert_region(op.region)
    _finish(c, ExecuteRegionOp([c.convert_type(r.type) for r in op.results], region))


def convert_index_switch(c: Converter, op: scf.IndexSwitchOp) -> None:
    """A chain of `scf.if`, one per case."""
    selector = c.get(op.arg)
    types = [c.convert_type(r.type) for r in op.results]
    default = c.convert_region(op.default_region)
    values = cast(Sequence[int], op.cases.get_values())
    cases = [(v, c.convert_region(r)) for v, r in zip(values, op.case_regions, strict=True)]
    if not cases:
        # Only the default is left: an `scf.if` that always takes it.
        cases = [(0, default)]
        default = default.clone()
    outer = c.block
    region = default
    for value, case in reversed(cases[1:]):
        block = Block()
        c.block = block
        chosen = _case(c, selector, value, types, case, region)
        c.append(scf.YieldOp(*chosen.results))
        region = Region(block)
    c.block = outer
    value, case = cases[0]
    c.replace(*_case(c, selector, value, types, case, region).results)


def _case(
    c: Converter,
    selector: SSAValue,
    value: int,
    types: Sequence[Attribute],
    case: Region,
    otherwise: Region,
) -> scf.IfOp:
    equal = c.function("eq", selector, c.constant(constant_word(c, value, "case")))
    op = scf.IfOp(c.emit(word.TestOp(equal)), types, case, otherwise)
    c.append(op)
    return op


def convert_parallel(c: Converter, op: scf.ParallelOp) -> None:
    """A nest of sequential loops; reductions become carried values."""

    def body(counters: Sequence[SSAValue], carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        for arg, counter in zip(op.body.block.args, counters, strict=True):
            c.set(arg, counter)
        return _parallel_body(c, op, carried)

    bounds = list(
        zip(*(c.get_all(v) for v in (op.lowerBound, op.upperBound, op.step)), strict=True)
    )
    c.replace(*loop_nest(c, bounds, c.get_all(op.initVals), body))


def _parallel_body(
    c: Converter, op: scf.ParallelOp, carried: Sequence[SSAValue]
) -> Sequence[SSAValue]:
    *body, last = op.body.block.ops
    for inner in body:
        c.convert_op(inner)
    if not isinstance(last, scf.ReduceOp):
        return carried
    results: list[SSAValue] = []
    for old, value, region in zip(last.args, carried, last.reductions, strict=True):
        block = region.block
        c.set(block.args[0], value)
        c.set(block.args[1], c.get(old))
        *combine, end = block.ops
        for inner in combine:
            c.convert_op(inner)
        results.append(c.get(end.operands[0]))
    return results


def _finish(c: Converter, op: scf.ForOp | scf.WhileOp | scf.IfOp | scf.ExecuteRegionOp) -> None:
    assert c.op is not None
    op.attributes.update(c.op.attributes)
    c.append(op)
    c.replace(*op.results)


HANDLERS: dict[type, Handler] = {
    scf.ForOp: convert_for,
    scf.WhileOp: convert_while,
    scf.ConditionOp: convert_condition,
    scf.IfOp: convert_if,
    scf.YieldOp: convert_yield,
    scf.ExecuteRegionOp: convert_execute_region,
    scf.IndexSwitchOp: convert_index_switch,
    scf.ParallelOp: convert_parallel,
}
