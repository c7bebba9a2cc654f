"""Random blocks of machine instructions for tests of scheduling."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from support.machine_functions import emit
from vliw_mlir.schedule.coalesce import coalesce_moves
from vliw_mlir.schedule.graph import Graph, build_graph
from vliw_mlir.schedule.liveness import Liveness
from vliw_mlir.schedule.machine import BlockRef, Instruction, MachineFunction, Reg
from vliw_mlir.schedule.renaming import rename
from vliw_mlir.target import Target


@dataclass(frozen=True)
class Shape:
    """What a random block looks like."""

    reach: int
    """Operands are among so many of the latest values: few for chains, many for wide blocks."""
    kinds: str
    """The kinds of instructions, each as often as it is to be chosen: see `_Maker`."""


SHAPES = {
    "wide": Shape(60, "wwvvmcl"),
    "chains": Shape(2, "wwwvvml"),
    "selections": Shape(12, "sssssvvwm"),
    "gathers": Shape(10, "ggvvwcl"),
    "strands": Shape(6, "lvvvmst"),
    "mixed": Shape(16, "wvmslgtbc"),
}

SOURCES = 4
"""How many words, and how many vectors, live into a block."""


def random_graph(random: Random, target: Target, shape: Shape, instructions: int) -> Graph:
    """The graph of a block of about `instructions`; its last values live out of it."""
    maker = _Maker(random, target, shape.reach)
    while len(maker.instructions) < instructions:
        maker.add(random.choice(shape.kinds))
    if random.random() < 0.3:
        emit(maker.function, 0, "cond_jump", maker.word(), BlockRef(0))
    live_in = maker.words[:SOURCES] + maker.vectors[:SOURCES]
    live_out = {*maker.words[-SOURCES:], *maker.vectors[-SOURCES:]}
    function = maker.function
    block = rename(function, maker.instructions, Liveness(live_in, live_out, {}))
    coalesce_moves(block)
    fixed = sum(function.widths[register] for register in {*live_in, *live_out})
    return build_graph(block, target, fixed)


class _Maker:
    def __init__(self, random: Random, target: Target, reach: int):
        self.random = random
        self.reach = reach
        self.function = MachineFunction(target)
        self.function.new_block()
        self.instructions = self.function.blocks[0].instructions
        self.words = [self.function.new_register() for _ in range(SOURCES)]
        self.vectors = [self.function.new_register(target.vlen) for _ in range(SOURCES)]

    def word(self) -> Reg:
        return Reg(self.random.choice(self.words[-self.reach :]))

    def vector(self) -> Reg:
        return Reg(self.random.choice(self.vectors[-self.reach :]))

    def new_word(self) -> Reg:
        self.words.append(self.function.new_register())
        return Reg(self.words[-1])

    def new_vector(self) -> Reg:
        self.vectors.append(self.function.new_register(self.function.target.vlen))
        return Reg(self.vectors[-1])

    def add(self, kind: str) -> None:
        """Append what a letter stands for."""
        sources = [self.word() for _ in range(2)]
        vectors = [self.vector() for _ in range(3)]
        match kind:
            case "w":
                emit(self.function, 0, self.random.choice("+^|"), self.new_word(), *sources)
            case "v":
                function = self.random.choice("+^|")
                emit(self.function, 0, function, self.new_vector(), *vectors[:2], vector=True)
            case "m":
                emit(self.function, 0, "multiply_add", self.new_vector(), *vectors)
            case "s":
                self.add_selection(*vectors)
            case "l":
                emit(self.function, 0, "vload", self.new_vector(), sources[0])
            case "t":
                emit(self.function, 0, "vstore", sources[0], vectors[0])
            case "b":
                emit(self.function, 0, "vbroadcast", self.new_vector(), sources[0])
            case "c":
                emit(self.function, 0, "const", self.new_word(), self.random.getrandbits(32))
            case _:
                self.add_gather(vectors[0])

    def add_selection(self, condition: Reg, one: Reg, other: Reg) -> None:
        """A selection that may as well be a multiply-add by the difference."""
        function, difference = self.function, self.new_vector()
        emit(function, 0, "-", difference, one, other, vector=True)
        to = self.new_vector()
        emit(function, 0, "vselect", to, condition, one, other)
        engine = function.engine("multiply_add")
        operands = to, condition, difference, other
        self.instructions[-1].others = (Instruction(engine, "multiply_add", operands),)

    def add_gather(self, addresses: Reg) -> None:
        to = Reg(self.function.new_register(self.function.target.vlen))
        emit(self.function, 0, "undefined", to)
        for lane in range(self.function.target.vlen):
            emit(self.function, 0, "load", Reg(to.register, lane), Reg(addresses.register, lane))
        self.vectors.append(to.register)
