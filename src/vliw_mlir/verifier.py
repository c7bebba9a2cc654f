"""Verification of IR: what each operation demands, block structure, and SSA dominance.

xDSL's own `Operation.verify` names no place and does not check dominance; this does both and
raises a `CompileError` that points at the offending operation.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from vliw_mlir.analysis.cfg import edges
from vliw_mlir.analysis.dominance import RegionDominators
from vliw_mlir.errors import CompileError, fail


def verify(op: Operation, *, dominance: bool = True) -> None:
    """Check `op` and all that it contains, innermost last.

    Raises `CompileError` at the first operation that breaks a rule.
    """
    for current in op.walk():
        verify_operation(current)
    if dominance:
        verify_dominance(op)


def verify_operation(op: Operation) -> None:
    """Check `op` and how it holds its blocks, but not the operations in them.

    Raises `CompileError` when `op` breaks a rule.
    """
    if not op.has_trait(NoTerminator) and any(not b.ops for r in op.regions for b in r.blocks):
        fail(op, f"'{op.name}' op has an empty block: it must end with a terminator")
    try:
        op.verify(verify_nested_ops=False)
    except CompileError:
        # It says already where and what.
        raise
    except VerifyException as e:
        # xDSL attaches the whole module as a note; the message alone says what is wrong.
        fail(op, f"'{op.name}' op {_one_line(e).removeprefix(f'Operation {op.name} ')}")
    except Exception as e:
        # Some checks of xDSL raise plain exceptions; a check written for well-formed operands
        # may stumble over malformed ones.
        kind = "" if type(e) is Exception else f"does not verify: {type(e).__name__}: "
        fail(op, f"'{op.name}' op {kind}{_one_line(e)}")
    if op.successors:
        _verify_branch(op)


def _verify_branch(op: Operation) -> None:
    """xDSL does not compare what a branch passes with what its target takes."""
    for target, values in edges(op):
        if target.parent is not None and target.parent.first_block is target:
            fail(op, f"'{op.name}' op branches to the entry block of its region")
        passed, taken = _types(values), _types(target.args)
        if passed != taken:
            fail(op, f"'{op.name}' op passes {passed} to a block that takes {taken}")


def _types(values: Sequence[SSAValue]) -> str:
    return f"({', '.join(str(value.type) for value in values)})"


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def verify_dominance(op: Operation) -> None:
    """Check that in `op` every value is defined on all paths to each of its uses.

    As in MLIR, uses in unreachable blocks are not checked, and in the body of a `builtin.module`
    the order of operations has no meaning. Operations outside of all blocks, left behind by a
    pass, must not use values either. Linear in the number of operands and uses.

    Raises `CompileError` at the first use that breaks the rule.
    """
    checker = _DominanceChecker()
    for region in op.regions:
        checker.check_region(region)


class _DominanceChecker:
    """Walks the regions in order and knows at each operation which values are in scope."""

    _current: dict[Region, Block]
    """The block being walked of each region that encloses the current operation."""
    _done: set[Operation]
    """The operations already left, of all blocks being walked and before them."""
    _dominators: dict[Region, RegionDominators]

    def __init__(self) -> None:
        self._current = {}
        self._done = set()
        self._dominators = {}

    def check_region(self, region: Region) -> None:
        for block in region.blocks:
            self._current[region] = block
            reachable = self._is_reachable(region, block)
            for op in block.ops:
                if reachable:
                    self._check_operands(op)
                _check_users(op)
                for nested in op.regions:
                    self.check_region(nested)
                self._done.add(op)
        self._current.pop(region, None)

    def _check_operands(self, op: Operation) -> None:
        for number, value in enumerate(op.operands):
            if not self._in_scope(value):
                fail(
                    op,
                    f"'{op.name}' op operand #{number} ({_name(value)}) does not dominate this use",
                )

    def _in_scope(self, value: SSAValue) -> bool:
        if isinstance(value, OpResult):
            block = value.op.parent
        elif isinstance(value, BlockArgument):
            block = value.block
        else:
            return False
        region = block.parent if block is not None else None
        if block is None or region is None:
            return False
        current = self._current.get(region)
        if current is None:
            return False
        if current is not block:
            return self._dominators_of(region).dominates(block, current)
        return isinstance(value, BlockArgument) or value.op in self._done or _unordered(region)

    def _is_reachable(self, region: Region, block: Block) -> bool:
        return region.first_block is block or self._dominators_of(region).is_reachable(block)

    def _dominators_of(self, region: Region) -> RegionDominators:
        if region not in self._dominators:
            self._dominators[region] = RegionDominators(region)
        return self._dominators[region]


def _unordered(region: Region) -> bool:
    """Whether `region` is a graph region, where a use may precede the definition."""
    return isinstance(region.parent, ModuleOp)


def _check_users(op: Operation) -> None:
    for result in op.results:
        for use in result.uses:
            if use.operation.parent is None:
                fail(op, f"'{op.name}' op is used by a '{use.operation.name}' op in no block")


def _name(value: SSAValue) -> str:
    return f"%{value.name_hint}" if value.name_hint else str(value.type)
