"""Loads that find what was in memory when the function was entered.

What the caller promises of a buffer holds on entry. It says something about a load only if no
store of the function to the same words can come before.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import scf
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from vliw_mlir.analysis.alias import Alias, AliasAnalysis
from vliw_mlir.analysis.buffers import BufferStores, base_buffer
from vliw_mlir.analysis.dependence import DependenceTest, accesses_of
from vliw_mlir.analysis.ranges import Ranges
from vliw_mlir.dialects import word

MAX_PAIRS = 4096
"""How many pairs of a load and a store of one buffer are looked at."""


def sharp_ranges(func: FuncOp) -> Ranges:
    """The ranges of a function, with what is known of the loads of entry values.

    Costs more than `Ranges` only if there are such loads.
    """
    ranges = Ranges(func)
    loads = entry_loads(func, ranges)
    return Ranges(func, loads) if loads else ranges


def entry_loads(func: FuncOp, ranges: Ranges) -> set[Operation]:
    """The loads of which more is known because they find what was there on entry."""
    loads: dict[SSAValue, list[word.LoadOp]] = {}
    stores: dict[SSAValue, list[word.StoreOp | word.ScatterOp]] = {}
    buffer_stores = BufferStores()
    for op in func.walk():
        if isinstance(op, word.LoadOp):
            base = base_buffer(op.buffer)
            if base is not None and ranges.is_sharper_on_entry(base):
                loads.setdefault(base, []).append(op)
        elif isinstance(op, word.StoreOp | word.ScatterOp):
            base = base_buffer(op.buffer)
            if base is None:
                return set()
            stores.setdefault(base, []).append(op)
        elif not op.regions and None in buffer_stores.stored(op):
            return set()
    found: set[Operation] = set()
    if not loads:
        return found
    order = _Order(AliasAnalysis(func))
    for base, of_base in loads.items():
        to_base = stores.get(base, [])
        if len(of_base) * len(to_base) <= MAX_PAIRS:
            found.update(op for op in of_base if not any(order.may_feed(s, op) for s in to_base))
    return found


class _Order:
    """Answers whether a load may find what a store has stored."""

    def __init__(self, aliases: AliasAnalysis):
        self._aliases = aliases
        self._tests: dict[tuple[scf.ForOp, ...], DependenceTest] = {}
        self._places: dict[Block, dict[Operation, int]] = {}

    def may_feed(self, store: word.StoreOp | word.ScatterOp, load: word.LoadOp) -> bool:
        """Whether `store` may come before `load` and go to one of its words."""
        sides = _sides(store, load)
        if sides is None:
            return True
        store_side, load_side = sides
        loops = _loops_around(store_side)
        is_choice = store_side is load_side and isinstance(store_side, scf.IfOp)
        if loops is None or (store_side is load_side and not is_choice):
            return True
        comes_first = not is_choice and self._place(store_side) < self._place(load_side)
        if not loops:
            first, second = (self._aliases.access(op) for op in (store, load))
            return comes_first and self._aliases.relation(first, second) is not Alias.NO
        test = self._tests.get(loops)
        if test is None:
            test = self._tests[loops] = DependenceTest(self._aliases, loops)
        (a,), (b,) = (accesses_of([op], self._aliases) for op in (store, load))
        if comes_first and test.may_meet(a, b, [(0, 0)] * len(loops)):
            return True
        return bool(test.vectors(a, b))

    def _place(self, op: Operation) -> int:
        block = op.parent
        assert block is not None
        places = self._places.get(block)
        if places is None:
            places = self._places[block] = {op: n for n, op in enumerate(block.ops)}
        return places[op]


def _sides(a: Operation, b: Operation) -> tuple[Operation, Operation] | None:
    """`a` and `b`, or the operations around them, in the innermost block that has both; None if
    they are in different blocks of a control-flow graph."""
    around_b = {op.parent: op for op in _around(b)}
    for op in _around(a):
        if op.parent in around_b:
            return op, around_b[op.parent]
    return None


def _loops_around(op: Operation) -> tuple[scf.ForOp, ...] | None:
    """The loops around `op`, outermost first; None if something else may repeat it."""
    loops: list[scf.ForOp] = []
    for inner in _around(op):
        block, parent = inner.parent, inner.parent_op()
        if block is None or _is_in_graph(block) or isinstance(parent, scf.WhileOp):
            return None
        if isinstance(parent, scf.ForOp):
            loops.append(parent)
    return tuple(reversed(loops))


def _around(op: Operation) -> Iterator[Operation]:
    """`op` and the operations around it within the function, innermost first."""
    current: Operation | None = op
    while current is not None and not isinstance(current, FuncOp):
        yield current
        current = current.parent_op()


def _is_in_graph(block: Block) -> bool:
    """Whether there are other blocks beside `block`, from which it may be entered again."""
    region = block.parent
    return region is None or len(region.blocks) > 1
