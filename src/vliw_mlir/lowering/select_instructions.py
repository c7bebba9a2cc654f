"""Instruction selection: an SSA-level function into instructions over virtual registers.

Each op becomes the target's preferred encoding at once. A vector function that only the
scalar engines run is taken lane by lane, which costs no moves: lanes are words of scratch. For
the same reason a slice or a lane of a vector is only another operand address, and values that
are put together are computed side by side (see `windows`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, TypeAlias

from xdsl.dialects import cf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.hints import isa

from vliw_mlir.abi.interface import Interface
from vliw_mlir.analysis.alias import AliasAnalysis
from vliw_mlir.analysis.carried_accesses import carried_accesses
from vliw_mlir.analysis.cfg import reverse_postorder, successors
from vliw_mlir.analysis.loads_ahead import loads_ahead
from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import RESULT, argument_attributes
from vliw_mlir.errors import fail, op_location
from vliw_mlir.lowering.access_cells import AccessCells
from vliw_mlir.lowering.block_trees import block_trees
from vliw_mlir.lowering.branch_moves import can_move_before
from vliw_mlir.lowering.shared_values import SharedValues
from vliw_mlir.lowering.windows import Row, Windows, parts_of, words_of
from vliw_mlir.schedule.machine import (
    DIVISIONS,
    LOADS,
    MOVE,
    STOPS,
    STORES,
    Carried,
    Instruction,
    MachineBlock,
    MachineFunction,
    Reg,
    undefined,
)
from vliw_mlir.schedule.memory_order import MemoryOrder
from vliw_mlir.schedule.parallel_copy import sequentialize
from vliw_mlir.target import Target
from vliw_mlir.target.encodings import Encoding, encoding_of, mnemonic_for
from vliw_mlir.target.isa import ARITHMETIC


def select_instructions(
    func: FuncOp, interface: Interface, target: Target, *, for_scheduling: bool = False
) -> tuple[MachineFunction, int]:
    """The machine function for `func`, and the words of memory that its allocations take.

    With `for_scheduling` instructions say what has to run before them, and which others may run
    in their place.

    Allocations lie from `interface.spill_address()` on. Expects the SSA level with control
    flow in blocks, vectors of VLEN lanes, and arithmetic that the target has. Raises
    `CompileError` for anything else.
    """
    selector = Selector(func, interface, target, for_scheduling)
    selector.run()
    return selector.machine, selector.allocated


FEWEST_OPEN_CONSTANTS = 6
"""With fewer constants in a block they are all loaded."""

_OTHERS = "others"
"""What every instruction touches that may not change places with such."""

_HEADER = "header"
"""What accesses of data and of the header have in common where data may lie over the header."""


class Selector:
    """The state of one function's instruction selection."""

    def __init__(self, func: FuncOp, interface: Interface, target: Target, for_scheduling: bool):
        self.func = func
        self.interface = interface
        self.target = target
        self.machine = MachineFunction(target)
        self.registers: dict[SSAValue, Reg] = {}
        """Where values are: the first word of each, which may be in the midst of a register."""
        self.order = reverse_postorder(func.body)
        self.windows = Windows(func.body, self.order, target.scratch)
        self.rows: dict[Row, int] = {}
        """The registers of rows."""
        self.begun: set[int] = set()
        """Those of them that something is written to."""
        self.blocks: dict[Block, int] = {}
        self.block = 0
        self.source = ""
        self.allocations: dict[Operation, int] = {}
        self.allocated = 0
        self.aliases = AliasAnalysis(func) if for_scheduling else None
        self.orders = defaultdict[int, MemoryOrder](lambda: MemoryOrder(self.machine))
        """Of each block."""
        self.trees = block_trees(self.order) if for_scheduling else {}
        self.cells: dict[int | None, AccessCells] = {}
        """What accesses in each tree are ordered by, by the number of its root."""
        self.op: Operation = func
        """The current one."""
        self.header_overlaps = any(a.address is not None for a in interface.arguments)
        """Whether buffers may lie over the header."""
        self.is_in_header = False
        """Whether the accesses of the current op go to the header."""
        self.shared: SharedValues | None = None
        """What instructions share; without scheduling they share nothing."""

    def run(self) -> None:
        order = self.order
        # Blocks are numbered in emission order: edge blocks follow their predecessor.
        edges = {block: self._edge_blocks(block) for block in order}
        for block in order:
            self.blocks[block] = self.machine.new_block()
            for index in edges[block]:
                edges[block][index] = self.machine.new_block()
        for block in order[1:]:
            for arg in block.args:
                self.define(arg)
        if self.aliases is not None:
            self.shared = SharedValues(self, self.target.vlen, self._blocks_in_loops())
        self._load_arguments(order[0])
        for block in order:
            self.block = self.blocks[block]
            self._begin_order(block)
            self._select_block(block, edges[block])
        if self.shared is not None:
            self._open_additions()
            for machine_block in self.machine.blocks:
                self._open_constants(machine_block)

    def _open_additions(self) -> None:
        """Let additions of constants be made by the engine for immediates as well."""
        if not self.machine.has("add_imm"):
            return
        engine = self.machine.engine("add_imm")
        values = self.machine.constants()
        additions = (
            i for block in self.machine.blocks for i in block.instructions if i.mnemonic == "+"
        )
        for instruction in additions:
            to, *operands = instruction.operands
            if self.target.formats[instruction.engine, "+"].vector:
                continue
            for place, operand in enumerate(operands):
                if operand.register in values:
                    others = to, operands[1 - place], values[operand.register]
                    instruction.others = (
                        Instruction(engine, "add_imm", others, instruction.source),
                    )

    def _open_constants(self, block: MachineBlock) -> None:
        """Let the constants of a block be made by an addition to zero instead of a load."""
        constants = [i for i in block.instructions if i.mnemonic == "const"]
        if len(constants) < FEWEST_OPEN_CONSTANTS or not self.machine.has("add_imm"):
            return
        zero = next((i for i in constants if i.operands[1] == 0), None)
        if zero is None:
            zero = replace(constants[0], operands=(self.new_register(), 0))
            block.instructions.insert(0, zero)
        engine = self.machine.engine("add_imm")
        start = block.instructions.index(zero)
        for instruction in block.instructions[start + 1 :]:
            if instruction.mnemonic == "const":
                to, value = instruction.operands
                operands = to, zero.operands[0], value
                instruction.others = (Instruction(engine, "add_imm", operands, instruction.source),)

    def _blocks_in_loops(self) -> set[int]:
        """The machine blocks from the target of a branch backwards up to the branch."""
        found: set[int] = set()
        for block in self.order:
            for successor in successors(block):
                first, last = self.blocks[successor], self.blocks[block]
                found.update(range(first, last + 1))
        return found

    def _edge_blocks(self, block: Block) -> dict[int, int]:
        """The successors of a conditional branch that need moves on the way."""
        last = block.last_op
        if not isinstance(last, cf.ConditionalBranchOp) or can_move_before(last):
            return {}
        arguments = (last.then_arguments, last.else_arguments)
        return {index: -1 for index, args in enumerate(arguments) if args}

    def _begin_order(self, block: Block) -> None:
        """Go on with the order of instructions from the block before in the same tree."""
        if self.aliases is None:
            return
        tree, parent = self.trees[block]
        root = self.blocks[tree.blocks[0]]
        self.machine.blocks[self.block].order = root
        if parent is None:
            self.cells[root] = AccessCells(tree.blocks, self.aliases)
        else:
            before = self.orders[self.blocks[parent]]
            self.orders[self.block] = MemoryOrder(self.machine, before)

    def _select_block(self, block: Block, edges: dict[int, int]) -> None:
        self.is_in_header = False
        keys: dict[Operation, list[int]] = {}
        for op in block.ops:
            before = len(self.machine.blocks[self.block].instructions)
            self.source = op_location(op) or ""
            self.op = op
            match op:
                case cf.BranchOp():
                    self._branch_moves((op.successor, op.arguments))
                    self._terminate(None, self.blocks[op.successor])
                case cf.ConditionalBranchOp():
                    self._cond_branch(op, edges)
                case ReturnOp():
                    self._return(op)
                case _:
                    self._select(op)
                    keys[op] = self._keys_of_accesses(before)
        if self.aliases is not None and block in successors(block):
            made = self.machine.blocks[self.blocks[block]]
            made.carried = self._carried(block, keys)
            ahead = {
                key: iterations
                for op, iterations in loads_ahead(block, self.aliases)
                for key in keys[op]
            }
            for instruction in made.instructions:
                if instruction.key in ahead:
                    instruction.iterations_ahead = ahead[instruction.key]

    def _keys_of_accesses(self, start: int) -> list[int]:
        """The keys of those instructions of the block, from one on, that access memory."""
        instructions = self.machine.blocks[self.block].instructions[start:]
        accesses = (i for i in instructions if i.mnemonic in (*LOADS, *STORES))
        return [i.key for i in accesses if i.key is not None]

    def _carried(
        self, block: Block, keys: Mapping[Operation, Sequence[int]]
    ) -> tuple[Carried, ...] | None:
        """What accesses of a loop of one block have to be ordered by from one iteration to a
        later one; None if that is not known."""
        assert self.aliases is not None
        pairs = carried_accesses(block, self.aliases)
        if pairs is None:
            return None
        return tuple(
            Carried(first, second, pair.distance, int(pair.first.writes))
            for pair in pairs
            for first, second in product(keys[pair.first.op], keys[pair.second.op])
        )

    def _select(self, op: Operation) -> None:
        handler = HANDLERS.get(type(op))
        if handler is not None:
            handler(self, op)
        elif isinstance(op, word.ArithmeticOp):
            select_arithmetic(self, op)
        else:
            fail(op, f"'{op.name}' is not at the SSA level; run the conversions before it")

    # Emission

    def emit(self, mnemonic: str, *operands: object, vector: bool = False) -> None:
        """Append an instruction on its preferred engine.

        `vector` picks the lane-wise form of an arithmetic mnemonic.
        """
        engine = self.machine.engine(mnemonic, vector=vector, source=self.source)
        instruction = Instruction(engine, mnemonic, operands, self.source)
        self.machine.blocks[self.block].instructions.append(instruction)
        if self.aliases is not None:
            self._order(instruction)

    def _order(self, instruction: Instruction) -> None:
        """Let an instruction run behind those whose effects it must not precede."""
        mnemonic, order = instruction.mnemonic, self.orders[self.block]
        if mnemonic in STOPS:
            order.write(instruction, [_OTHERS])
        elif mnemonic in LOADS or mnemonic in DIVISIONS:
            order.read(instruction, [_OTHERS, *self._cells()])
            instruction.never_traps = self._never_traps()
        elif mnemonic in STORES:
            order.read(instruction, [_OTHERS])
            order.write(instruction, self._cells())
        if self.header_overlaps and mnemonic in LOADS | STORES:
            (order.write if self.is_in_header else order.read)(instruction, [_HEADER])

    def _cells(self) -> Sequence[Hashable]:
        """What the accesses of the current op are ordered by."""
        cells = self.cells.get(self.machine.blocks[self.block].order)
        return () if cells is None else cells.of(self.op)

    def _never_traps(self) -> bool:
        """Whether the current op, a load or a division, cannot trap wherever it is executed."""
        assert self.aliases is not None
        if self.is_in_header:
            return True
        match self.op:
            case word.LoadOp() | word.GatherOp():
                return self.aliases.is_in_bounds(self.aliases.access(self.op))
            case word.ArithmeticOp():
                return 0 not in self.aliases.ranges.of(self.op.operands[1])
            case _:
                return False

    def undefined(self, register: int) -> None:
        """Begin the life of a register that is written lane by lane."""
        if register in self.begun:
            # Its life began with the first of the values in it.
            return
        instruction = undefined(register, self.source)
        self.machine.blocks[self.block].instructions.append(instruction)

    def get(self, value: SSAValue, lane: int = 0) -> Reg:
        """The operand for a word or vector of VLEN words, or for one lane of it."""
        self._lanes(value)
        return self.part(value, lane)

    def part(self, value: SSAValue, lane: int) -> Reg:
        """Where a part of a vector of any length begins."""
        register, first = self._place(value)
        return Reg(register, first + lane)

    def _place(self, value: SSAValue) -> Reg:
        """Where a value is; a constant is made when it is used."""
        found = self.registers.get(value)
        if found is not None:
            return found
        op = value.owner
        assert self.shared is not None
        assert isinstance(op, word.ConstantOp)
        shared = self.shared.constant(op.words()[0])
        return shared if word.lanes_of(value.type) is None else self.shared.splat(shared)

    def define(self, value: SSAValue) -> Reg:
        """A new register for a value, or its place in the register of a row."""
        # Only the whole of which windows are views may be longer than VLEN.
        lanes = 0 if isinstance(value.owner, word.ConcatOp) else self._lanes(value)
        place = self.windows.place(value)
        if place is not None:
            register = Reg(self._row(place.row, value), place.word - place.row.low)
        else:
            register = Reg(self.machine.new_register(lanes or 1))
        self.registers[value] = register
        return register

    def _row(self, row: Row, first: SSAValue) -> int:
        """The register of a row; who asks first for it is the first to write to it."""
        if row not in self.rows:
            register = self.rows[row] = self.machine.new_register(row.words)
            if self.windows.begins_with(row, first):
                self.undefined(register)
            self.begun.add(register)
        return self.rows[row]

    def alias(self, value: SSAValue, of: SSAValue, lane: int = 0) -> None:
        """Let a value live in the words of another one, from one of its lanes on."""
        self.registers[value] = self.part(of, lane)

    def _lanes(self, value: SSAValue) -> int | None:
        lanes = word.lanes_of(value.type)
        if lanes is None or lanes == self.target.vlen:
            return lanes
        owner = value.owner
        op = owner if isinstance(owner, Operation) else owner.parent_op()
        fail(op or self.func, f"a vector of {lanes} lanes; run legalize-vectors first")

    def new_register(self, words: int = 1) -> Reg:
        """A new register."""
        return Reg(self.machine.new_register(words))

    def constant(self, value: int) -> Reg:
        """A register that holds `value`."""
        if self.shared is not None:
            return self.shared.constant(value)
        register = self.new_register()
        self.emit("const", register, value)
        return register

    def sum(self, base: Reg, offset: Reg) -> Reg:
        """A register that holds the sum of two words."""
        if self.shared is not None:
            return self.shared.sum(base, offset)
        register = self.new_register()
        self.emit("+", register, base, offset)
        return register

    def plus(self, base: Reg, words: int) -> Reg:
        """A register that holds a word plus a constant."""
        if self.shared is not None:
            return self.shared.displaced(base, words)
        return base if words == 0 else self.sum(base, self.constant(words))

    def broadcast(self, result: Reg, source: Reg) -> None:
        """Fill all lanes with a word."""
        if self.machine.has("vbroadcast"):
            self.emit("vbroadcast", result, source)
        else:
            _from_lanes(self, result, [source] * self.target.vlen)

    def move(self, to: int, source: Reg) -> None:
        """Fill a whole register with the words from `source` on."""
        self.copy(Reg(to), source, self.machine.widths[to])

    def copy(self, to: Reg, source: Reg, words: int) -> None:
        """Copy a word, or VLEN words."""
        if words == self.target.vlen > 1 and self.machine.has(MOVE, vector=True):
            self.emit(MOVE, to, source, source, vector=True)
            return
        if words > 1:
            self.undefined(to.register)
        for lane in range(words):
            word = Reg(source.register, source.lane + lane)
            self.emit(MOVE, Reg(to.register, to.lane + lane), word, word)

    # Arguments, branches, results

    def _load_arguments(self, entry: Block) -> None:
        """Load what the function uses from the header."""
        arguments = self.interface.arguments
        attributes = argument_attributes(self.func.arg_attrs, len(entry.args))
        self.block = self.blocks[entry]
        for arg in entry.args:
            if not arg.uses:
                continue
            register = self.define(arg)
            address = arguments[arg.index].address if arg.index < len(arguments) else None
            if address is not None:
                self.emit("const", register, address)
            else:
                slot = self._header_slot(arg.index, attributes[arg.index])
                self.is_in_header = True
                self.emit("load", register, self.constant(slot))
            if self.shared is not None:
                self.shared.add_invariant(register)

    def _header_slot(self, index: int, attributes: dict[str, Attribute]) -> int:
        """Address of the header word of an argument, or of the result it stands for."""
        if index < len(self.interface.arguments):
            slot = self.interface.header_slots[index]
            assert slot is not None
            return slot
        result = attributes.get(RESULT)
        slots = self.interface.result_slots
        number = result.value.data if isa(result, IntegerAttr) else -1
        if not 0 <= number < len(slots):
            fail(self.func, f"argument {index} is neither the caller's nor a result")
        return slots[number]

    def _terminate(self, condition: Reg | None, *successors: int) -> None:
        block = self.machine.blocks[self.block]
        block.condition = condition
        block.successors = successors
        block.source = self.source

    def _cond_branch(self, op: cf.ConditionalBranchOp, edges: dict[int, int]) -> None:
        condition = self._place(op.cond)
        sides = ((op.then_block, op.then_arguments), (op.else_block, op.else_arguments))
        nexts = [edges.get(i, self.blocks[block]) for i, (block, _) in enumerate(sides)]
        if not edges:
            self._branch_moves(*sides)
        self._terminate(condition, *nexts)
        for index, edge in edges.items():
            block, arguments = sides[index]
            self.block = edge
            self._branch_moves((block, arguments))
            self._terminate(None, self.blocks[block])

    def _branch_moves(self, *ways: tuple[Block, Sequence[SSAValue]]) -> None:
        """Move branch operands to the arguments of blocks, as if all at once."""
        pairs: list[tuple[int, int]] = []
        for block, arguments in ways:
            for arg, value in zip(block.args, arguments, strict=True):
                to = self.registers[arg].register
                pairs.append((to, self._whole(self._place(value), self.machine.widths[to])))
        for to, source in sequentialize(pairs, self._temporary):
            self.move(to, Reg(source))

    def _whole(self, words: Reg, count: int) -> int:
        """A register of `count` words that is nothing but the words from `words` on."""
        if self.machine.widths[words.register] == count:
            return words.register
        register = self.machine.new_register(count)
        self.move(register, words)
        return register

    def _temporary(self, like: int) -> int:
        return self.machine.new_register(self.machine.widths[like])

    def _return(self, op: ReturnOp) -> None:
        slots = [
            slot
            for slot, result in zip(
                self.interface.result_slots, self.interface.results, strict=True
            )
            if not result.is_array
        ]
        if len(op.arguments) != len(slots):
            fail(op, f"{len(op.arguments)} values returned for {len(slots)} results")
        self.is_in_header = True
        for slot, value in zip(slots, op.arguments, strict=True):
            self.emit("store", self.constant(slot), self.get(value))
        self._terminate(None)


def select_arithmetic(s: Selector, op: word.ArithmeticOp) -> None:
    """A word function: one instruction, or one per lane."""
    function = op.function.name
    vector = word.lanes_of(op.result.type) is not None
    encoding = encoding_of(s.target, function, vector=vector)
    if encoding is Encoding.NONE:
        fail(
            op,
            f"the target '{s.target.name}' has no instruction for the word function '{function}'; "
            "run expand-word-ops first",
        )
    direct = encoding is Encoding.DIRECT
    mnemonic = mnemonic_for(function, vector=vector and direct)
    assert mnemonic is not None
    result = s.define(op.result)
    if direct:
        operands = [s.get(value) for value in op.operands]
        s.emit(mnemonic, result, *operands, vector=vector and mnemonic in ARITHMETIC)
        return
    s.undefined(result.register)
    for lane in range(s.target.vlen):
        operands = [s.get(value, lane) for value in op.operands]
        s.emit(mnemonic, Reg(result.register, result.lane + lane), *operands)


def select_by_difference(s: Selector, op: word.SelectByDifferenceOp) -> None:
    """A selection that may be a multiply-add instead."""
    c, a, b, difference = (s.get(value) for value in op.operands)
    result = s.define(op.result)
    s.emit("vselect", result, c, a, b)
    if s.shared is not None:
        engine = s.machine.engine("multiply_add", source=s.source)
        other = Instruction(engine, "multiply_add", (result, c, difference, b), s.source)
        s.machine.blocks[s.block].instructions[-1].others = (other,)


def select_constant(s: Selector, op: word.ConstantOp) -> None:
    words = op.words()
    lanes = word.lanes_of(op.result.type)
    if s.shared is not None and len(set(words)) == 1 and s.windows.place(op.result) is None:
        # Made where it is used.
        return
    result = s.define(op.result)
    if lanes is None:
        s.emit("const", result, words[0])
    elif len(set(words)) == 1:
        s.broadcast(result, s.constant(words[0]))
    else:
        s.undefined(result.register)
        for lane, value in enumerate(words):
            s.emit("const", Reg(result.register, result.lane + lane), value)


def select_broadcast(s: Selector, op: word.BroadcastOp) -> None:
    s.broadcast(s.define(op.result), s.get(op.source))


def _from_lanes(s: Selector, result: Reg, sources: Sequence[Reg]) -> None:
    s.undefined(result.register)
    for lane, source in enumerate(sources):
        s.emit(MOVE, Reg(result.register, result.lane + lane), source, source)


def select_concat(s: Selector, op: word.ConcatOp | word.FromElementsOp) -> None:
    """Copies of the parts that are not at their place already."""
    result = s.define(op.results[0])
    for number, part in parts_of(op):
        source, to = s.part(part, 0), Reg(result.register, result.lane + number)
        if source != to:
            s.copy(to, source, words_of(part))


def select_part(s: Selector, op: word.ExtractOp | word.SliceOp) -> None:
    s.alias(op.results[0], op.vector, op.lane.value.data)


def select_insert(s: Selector, op: word.InsertOp) -> None:
    result = s.define(op.result)
    s.copy(result, s.get(op.vector), words_of(op.vector))
    element = s.get(op.element)
    s.emit(MOVE, Reg(result.register, result.lane + op.lane.value.data), element, element)


def select_test(s: Selector, op: word.TestOp) -> None:
    # A conditional jump takes any word that is not zero.
    s.alias(op.result, op.word)


def select_alloc(s: Selector, op: word.AllocOp) -> None:
    if op not in s.allocations:
        s.allocations[op] = s.interface.spill_address() + s.allocated
        s.allocated += op.result.type.words or 0
    address = s.allocations[op]
    if s.shared is not None:
        s.registers[op.result] = s.constant(address)
    else:
        s.emit("const", s.define(op.result), address)
    for number, value in enumerate(op.init_words() or ()):
        s.emit("store", s.constant(address + number), s.constant(value))


def select_address(s: Selector, op: word.AddressOp) -> None:
    # A buffer's register holds its address.
    s.alias(op.result, op.buffer)


def select_subbuffer(s: Selector, op: word.SubbufferOp) -> None:
    if s.shared is not None:
        s.registers[op.result] = _sum(s, s.get(op.buffer), op.offset)
    else:
        s.emit("+", s.define(op.result), s.get(op.buffer), s.get(op.offset))


def _sum(s: Selector, base: Reg, offset: SSAValue) -> Reg:
    """A register with the sum of a word and `offset`, taken apart if that saves instructions."""
    if s.shared is None:
        return s.sum(base, s.get(offset))
    rest, constant = _split(offset)
    if rest is None:
        return s.plus(base, constant)
    if constant == 0 or offset.has_more_than_one_use():
        return s.sum(base, s.get(offset))
    return s.sum(s.plus(base, constant), s.get(rest))


def _split(offset: SSAValue) -> tuple[SSAValue | None, int]:
    """A value and a constant whose sum is `offset`, a word or a vector."""
    op = offset.owner
    if isinstance(op, word.ConstantOp) and len(set(op.words())) == 1:
        return None, op.words()[0]
    if isinstance(op, word.AddOp):
        for operand, other in ((op.rhs, op.lhs), (op.lhs, op.rhs)):
            constant = operand.owner
            if isinstance(constant, word.ConstantOp) and len(set(constant.words())) == 1:
                return other, constant.words()[0]
    return offset, 0


def _address(s: Selector, op: word.LoadOp | word.StoreOp) -> Reg:
    return s.get(op.offset) if op.absolute is not None else _sum(s, s.get(op.buffer), op.offset)


def _addresses(s: Selector, op: word.GatherOp | word.ScatterOp) -> list[Reg]:
    """The address for each lane."""
    lanes = range(s.target.vlen)
    if op.absolute is not None:
        return [s.get(op.offsets, lane) for lane in lanes]
    base = s.get(op.buffer)
    if s.shared is None or not s.machine.has("+", vector=True):
        return [s.sum(base, s.get(op.offsets, lane)) for lane in lanes]
    rest, constant = _split(op.offsets)
    if rest is None or op.offsets.has_more_than_one_use():
        rest, constant = op.offsets, 0
    bases = s.shared.splat(s.plus(base, constant))
    register, first = s.shared.sum(bases, s.get(rest), vector=True)
    return [Reg(register, first + lane) for lane in lanes]


def select_load(s: Selector, op: word.LoadOp) -> None:
    address = _address(s, op)
    result = s.define(op.result)
    lanes = word.lanes_of(op.result.type)
    if lanes is None:
        s.emit("load", result, address)
    elif s.machine.has("vload"):
        s.emit("vload", result, address)
    else:
        s.undefined(result.register)
        for lane in range(lanes):
            s.emit("load", Reg(result.register, result.lane + lane), s.plus(address, lane))


def select_store(s: Selector, op: word.StoreOp) -> None:
    address = _address(s, op)
    lanes = word.lanes_of(op.value.type)
    if lanes is None:
        s.emit("store", address, s.get(op.value))
    elif s.machine.has("vstore"):
        s.emit("vstore", address, s.get(op.value))
    else:
        for lane in range(lanes):
            s.emit("store", s.plus(address, lane), s.get(op.value, lane))


def select_gather(s: Selector, op: word.GatherOp) -> None:
    addresses = _addresses(s, op)
    result = s.define(op.result)
    s.undefined(result.register)
    for lane, address in enumerate(addresses):
        s.emit("load", Reg(result.register, result.lane + lane), address)


def select_scatter(s: Selector, op: word.ScatterOp) -> None:
    for lane, address in enumerate(_addresses(s, op)):
        s.emit("store", address, s.get(op.values, lane))


def select_trace_write(s: Selector, op: word.TraceWriteOp) -> None:
    s.emit("trace_write", s.get(op.word))


def select_pause(s: Selector, op: word.PauseOp) -> None:
    s.emit("pause")


def select_core_id(s: Selector, op: word.CoreIdOp) -> None:
    s.emit("coreid", s.define(op.result))


def select_compare(s: Selector, op: word.CompareOp) -> None:
    keys = [key.data for key in op.keys]
    if word.lanes_of(op.value.type) is None:
        s.emit("compare", s.get(op.value), keys[0])
    else:
        s.emit("vcompare", s.get(op.value), keys)


SelectHandler: TypeAlias = Callable[[Selector, Any], None]

HANDLERS: dict[type, SelectHandler] = {
    word.SelectByDifferenceOp: select_by_difference,
    word.ConstantOp: select_constant,
    word.BroadcastOp: select_broadcast,
    word.FromElementsOp: select_concat,
    word.ConcatOp: select_concat,
    word.SliceOp: select_part,
    word.ExtractOp: select_part,
    word.InsertOp: select_insert,
    word.TestOp: select_test,
    word.AllocOp: select_alloc,
    word.AddressOp: select_address,
    word.SubbufferOp: select_subbuffer,
    word.LoadOp: select_load,
    word.StoreOp: select_store,
    word.GatherOp: select_gather,
    word.ScatterOp: select_scatter,
    word.TraceWriteOp: select_trace_write,
    word.PauseOp: select_pause,
    word.CoreIdOp: select_core_id,
    word.CompareOp: select_compare,
}
