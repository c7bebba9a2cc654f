"""Pipelines into code.

Time is cut into blocks of II cycles, each of which ends in the jump of one iteration. In block b
runs stage s of iteration b - s. The first blocks, the *prologue*, are those in which not all
stages run; then come those of the *kernel*, which are repeated. Every block that ends in a jump
has an *epilogue*, which finishes the iterations under way when the loop ends there. So a loop may
end after any iteration, and nothing has to be known of how often it runs. See Rau, Schlansker
and Tirumalai, "Code Generation Schema for Modulo Scheduled Loops" (MICRO 1992).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from vliw_mlir.schedule.loop_iteration import Origin
from vliw_mlir.schedule.machine import (
    After,
    Instruction,
    MachineBlock,
    MachineFunction,
    Placement,
    Reg,
    undefined,
)
from vliw_mlir.schedule.pipeline import Pipeline, Place, Run
from vliw_mlir.schedule.renaming import Value
from vliw_mlir.schedule.ways import ways_of


def expand_pipeline(
    function: MachineFunction, number: int, exit_block: int, pipeline: Pipeline
) -> list[int]:
    """Replace the loop that is block `number` by its pipeline; the numbers of the new blocks.

    The loop is left to `exit_block`. The new blocks are at the end of the function, but have to
    be behind `number` in the order of the numbers, to save jumps.
    """
    return _Expander(function, number, exit_block, pipeline).expand()


class _Expander:
    def __init__(self, function: MachineFunction, number: int, exit_block: int, pipeline: Pipeline):
        self.function = function
        self.number = number
        self.exit_block = exit_block
        self.pipeline = pipeline
        self.source = function.blocks[number].source
        self.registers: dict[tuple[Value, int], int] = {}
        """The registers of copies."""

    def expand(self) -> list[int]:
        p = self.pipeline
        first, last = p.stages - 1, p.stages - 2 + p.unroll
        """The first and the last block of the kernel."""
        entry = min(p.jump_stage, first - 1)
        tested = [*range(p.jump_stage, first), *range(first, last + 1)]
        numbers: dict[int, int] = {}
        epilogues: dict[int, int] = {}
        new: list[int] = []
        for block in sorted({entry, *tested}):
            numbers[block] = self.number if block == entry else self.function.new_block()
            new += [numbers[block]] if block != entry else []
            if block in tested:
                epilogues[block] = self.function.new_block()
                new.append(epilogues[block])
        for block, at in numbers.items():
            following = numbers[first if block == last else block + 1]
            self.function.blocks[at] = self._block(block, entry, following, epilogues.get(block))
        for block, at in epilogues.items():
            self.function.blocks[at] = self._epilogue(block)
        return new

    def _block(self, block: int, entry: int, following: int, epilogue: int | None) -> MachineBlock:
        """A block of the prologue or the kernel; the first one holds all that come before."""
        p = self.pipeline
        code = _Code(self, is_entry=block == entry, is_kernel=block >= p.stages - 1)
        if block == entry:
            code.instructions += self._initial_moves()
        for part in range(block if block != entry else 0, block + 1):
            code.add(p.runs(part))
        made = MachineBlock(code.instructions, None, (following,), self.source)
        if epilogue is not None:
            made.condition = code.condition
            made.successors = (following, epilogue)
        if block >= p.stages - 1:
            made.cycles = p.interval
        return made

    def _initial_moves(self) -> Iterator[Instruction]:
        """What the first iterations take from before the loop."""
        for origin, register in self.pipeline.loop.iteration.initial.items():
            place = self.pipeline.result(Origin(origin.register, origin.distance), 0)
            yield from self.function.copy_register(self.register(place), register, self.source)

    def _epilogue(self, block: int) -> MachineBlock:
        """What finishes all iterations when the loop ends at the end of `block`."""
        p = self.pipeline
        last = block - p.jump_stage
        code = _Code(self)
        for later in range(block + 1, last + p.stages):
            code.add(run for run in p.runs(later) if run.iteration <= last)
        for register, origin in p.loop.iteration.results.items():
            found = self._result(origin, last)
            code.instructions += self.function.copy_register(register, found, self.source)
        return MachineBlock(code.instructions, None, (self.exit_block,), self.source)

    def _result(self, origin: Origin, last: int) -> int:
        if origin.register in self.pipeline.loop.iteration.invariants:
            return origin.register
        return self.register(self.pipeline.result(origin, last))

    def register(self, place: Place) -> int:
        """The register of a copy, or that of the function that no iteration writes."""
        if place.value.register in self.pipeline.loop.iteration.invariants:
            return place.value.register
        copy = self.pipeline.number(place)
        if copy not in self.registers:
            self.registers[copy] = self.function.new_register(place.value.words)
        return self.registers[copy]


class _Code:
    """Instructions of one block, made from runs in the order of time."""

    def __init__(self, expander: _Expander, *, is_entry: bool = False, is_kernel: bool = False):
        self.expander = expander
        self.pipeline = expander.pipeline
        self.function = expander.function
        self.is_entry = is_entry
        """Whether what lives into the loop is read where it was computed before the loop."""
        self.is_kernel = is_kernel
        """Whether the instructions say when they run."""
        self.instructions: list[Instruction] = []
        self.condition: Reg | None = None
        self.keys: dict[Run, int] = {}
        self.begun: set[tuple[Value, int]] = set()

    def add(self, runs: Iterable[Run]) -> None:
        """Append runs that are in the order of time."""
        p = self.pipeline
        for _, together in groupby(runs, p.cycle):
            order, _ = p.in_order(list(together))
            for run in order:
                self._add(run)

    def _add(self, run: Run) -> None:
        p = self.pipeline
        node = p.loop.graph.nodes[run.node]
        if run.node == p.loop.jump:
            (place,) = p.reads(run)
            self.condition = self._operand(place)
            return
        for place in p.writes(run):
            self._begin(run, place)
        made = self._with_registers(node.instruction, run)
        if made.key is not None:
            made.key = self.keys[run] = self.function.new_key()
        before = ((Run(n, run.iteration - distance), c) for n, distance, c in p.before[run.node])
        made.after = tuple(After(self.keys[r], cycles) for r, cycles in before if r in self.keys)
        if self.is_kernel:
            made.placement = self._placement(run.node)
        self.instructions.append(made)

    def _begin(self, run: Run, place: Place) -> None:
        """Begin the life of a register that is written word by word."""
        p = self.pipeline
        copy = place.value, place.iteration
        is_part = place.words < place.value.words
        if is_part and p.begins(run, place) and copy not in self.begun:
            self.begun.add(copy)
            register = self.expander.register(place)
            self.instructions.append(undefined(register, self.expander.source))

    def _with_registers(self, instruction: Instruction, run: Run) -> Instruction:
        p = self.pipeline
        node = p.loop.graph.nodes[run.node]
        operands = list(instruction.operands)
        for access in self.function.accesses(instruction):
            values = node.written if access.is_def else node.read
            place = p.place(values[access.register], access.lane, access.words, run.iteration)
            operands[access.operand] = self._operand(place)
        others = tuple(self._with_registers(other, run) for other in instruction.others)
        return replace(instruction, operands=tuple(operands), others=others)

    def _operand(self, place: Place) -> Reg:
        if self.is_entry and place.iteration < 0:
            before = self.pipeline.before_first(place)
            if before is not None:
                return Reg(before, place.lane)
        return Reg(self.expander.register(place), place.lane)

    def _placement(self, node: int) -> Placement:
        p = self.pipeline
        graph, schedule = p.loop.graph, p.schedule
        chosen = int(schedule.way[node] - graph.forward.way_start[node])
        ways = ways_of(graph.nodes[node].instruction, self.function.target)
        way = ways.index(graph.ways[node][chosen])
        return Placement(p.start[node] % p.interval, way, int(schedule.first_slots[node]))
