"""Which words every value of a function can be.

    ranges = Ranges(func)
    ranges.of(value).hi

The analysis itself is in `range_flow`, its domain in `word_sets`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from vliw_mlir.abi.interface import Argument
from vliw_mlir.analysis.buffers import base_buffer
from vliw_mlir.analysis.range_flow import Flow, Sets
from vliw_mlir.analysis.word_sets import TOP, WordSet, constant, hull, join, words
from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import SIGNATURE, interface_of, width_of

ROUNDS_BEFORE_GIVING_UP = 3
"""How often the content of buffers may grow before nothing is assumed of it."""


class Ranges:
    """The words that the values of a function can be; stale once the function changes.

    A vector has one set, for all of its lanes. Expects the SSA level; of operations of other
    levels nothing is known. `entry_loads` are loads known to find what was in memory on entry
    (see `entry_loads`). Raises `CompileError` for malformed facts about arguments.
    """

    _sets: Sets
    _refined: dict[Block, Sets]
    _contents: Sets
    """What is assumed of the buffers that the function reads or writes."""

    def __init__(self, func: FuncOp, entry_loads: Collection[Operation] = ()):
        self._arguments = _arguments(func)
        self._entry_loads = entry_loads
        self._contents = {}
        scalars = self._scalars(func)
        rounds = 0
        while True:
            flow = Flow(func, scalars, self._found_by)
            flow.run()
            grown = self._grown(flow)
            if not grown:
                break
            # What is assumed of buffers must hold after every store, too.
            rounds += 1
            for buffer, stored in grown.items():
                give_up = rounds > ROUNDS_BEFORE_GIVING_UP
                self._contents[buffer] = TOP if give_up else join(self.content(buffer), stored)
        self._sets, self._refined = flow.sets, flow.refined

    def of(self, value: SSAValue) -> WordSet:
        """The words that a value can be, wherever it is used."""
        return self._sets.get(value, TOP)

    def at(self, value: SSAValue, block: Block | None) -> WordSet:
        """The words that a value can be when `block` runs: conditions around it count."""
        here = block
        while here is not None and here is not value.owner:
            found = self._refined.get(here)
            if found is not None and value in found:
                return found[value]
            here = here.parent_block()
        return self._sets.get(value, TOP)

    def refinements(self, block: Block) -> Sets:
        """The values of which more is known in `block` than around it, with what is known."""
        return self._refined.get(block, {})

    def content(self, buffer: SSAValue) -> WordSet:
        """What the words of a buffer can be at any time."""
        base = base_buffer(buffer)
        if base is None:
            return TOP
        known = self._contents.get(base)
        if known is None:
            known = self._contents[base] = self._initial_content(base)
        return known

    def is_sharper_on_entry(self, base: SSAValue) -> bool:
        """Whether more is known of an argument's words on entry than at any time."""
        return isinstance(base, BlockArgument) and self._initial_content(base) != self.content(base)

    def _found_by(self, op: word.LoadOp | word.GatherOp) -> WordSet:
        """The words that a load within its buffer can find."""
        base = base_buffer(op.buffer)
        if base is not None and op in self._entry_loads:
            return self._initial_content(base)
        return self.content(op.buffer)

    def _initial_content(self, base: SSAValue) -> WordSet:
        if isinstance(base, BlockArgument):
            # Arguments that stand for results come last, and hold anything.
            known = base.index < len(self._arguments)
            return _declared(self._arguments[base.index]) if known else TOP
        init = base.owner.init_words() if isinstance(base.owner, word.AllocOp) else None
        return hull(init) if init else TOP

    def _scalars(self, func: FuncOp) -> Sets:
        if not func.body.blocks:
            return {}
        pairs = zip(func.body.blocks[0].args, self._arguments, strict=False)
        return {arg: _declared(declared) for arg, declared in pairs if not declared.is_array}

    def _grown(self, flow: Flow) -> Sets:
        """The buffers to which something else is stored than they are taken to hold."""
        if flow.unknown_stores:
            return {buffer: TOP for buffer, known in self._contents.items() if known is not TOP}
        return {
            buffer: stored
            for buffer, stored in flow.stored.items()
            if not stored.is_subset(self.content(buffer))
        }


def _arguments(func: FuncOp) -> Sequence[Argument]:
    """The arguments as the caller declares them; none when the function does not say."""
    is_kernel = func.sym_visibility is None or func.sym_visibility.data == "public"
    has_signature = SIGNATURE in func.attributes
    if not is_kernel or not (has_signature or all(map(width_of, func.function_type.inputs))):
        return ()
    return interface_of(func).arguments


def _declared(argument: Argument) -> WordSet:
    """The scalar, or each element on entry."""
    if argument.value is not None:
        return constant(argument.value)
    lo, hi = argument.range or (0, (1 << argument.width) - 1)
    return words(lo, hi)
