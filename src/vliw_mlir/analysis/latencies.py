"""How long operations take if there are slots for all of them."""

from __future__ import annotations

from xdsl.ir import Block, Operation, SSAValue

from vliw_mlir.analysis.bounds import is_free
from vliw_mlir.dialects import word
from vliw_mlir.dialects.expansions import EXPANSIONS, functions_used
from vliw_mlir.target import Target
from vliw_mlir.target.encodings import alternatives


def latency(op: Operation, target: Target) -> int:
    """Cycles from the operands of an operation without regions to its results; 0 for what
    takes no instruction."""
    if isinstance(op, word.ArithmeticOp):
        name = op.function.name
        vector = word.lanes_of(op.result.type) is not None
        is_direct = name not in EXPANSIONS or alternatives(target, name, vector=vector)
        return 1 if is_direct else len(functions_used(name))
    if isinstance(op, word.AccessOp):
        # The address, and the access.
        return 2
    return 0 if is_free(op) else 1


def carried_chain(body: Block, target: Target) -> int:
    """Cycles from what is carried into an iteration of a loop to what it hands on.

    `body` is the loop's body, its first argument the counter; what is in regions inside of it
    counts nothing.
    """
    carried: dict[SSAValue, int] = dict.fromkeys(body.args[1:], 0)
    for op in body.ops:
        through = [carried[value] for value in op.operands if value in carried]
        if through:
            end = max(through) + (0 if op.regions else latency(op, target))
            carried.update(dict.fromkeys(op.results, end))
    last = body.last_op
    return 0 if last is None else max((carried.get(v, 0) for v in last.operands), default=0)
