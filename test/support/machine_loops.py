"""Machine functions with a loop of one block: an entry, the loop, and what reads its results."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from support.machine_functions import emit
from vliw_mlir.schedule.emit import terminator
from vliw_mlir.schedule.liveness import live_sets
from vliw_mlir.schedule.loop_iteration import Iteration, iteration_of
from vliw_mlir.schedule.machine import UNDEFINED, MachineFunction, Reg
from vliw_mlir.schedule.memory_order import MemoryOrder
from vliw_mlir.schedule.modulo_graph import ModuloGraph, build_modulo_graph
from vliw_mlir.target import Target

ENTRY, LOOP, END = 0, 1, 2


@dataclass
class LoopFunction:
    """A loop that goes on until its counter is 0. Others than the entry are to be filled in."""

    function: MachineFunction
    counter: int
    minus_one: int

    def registers(self, *values: int) -> list[int]:
        """New registers with constants in them, made in the entry."""
        made = [self.function.new_register() for _ in values]
        for register, value in zip(made, values, strict=True):
            emit(self.function, ENTRY, "const", Reg(register), value)
        return made

    def emit(self, mnemonic: str, *operands: object, vector: bool = False) -> None:
        """Append an instruction to the loop."""
        emit(self.function, LOOP, mnemonic, *operands, vector=vector)

    def move(self, to: int, source: int) -> None:
        self.emit("|", Reg(to), Reg(source), Reg(source))

    def close(self, *results: Reg) -> MachineFunction:
        """Count, jump, and trace words after the loop."""
        self.emit("+", Reg(self.counter), Reg(self.counter), Reg(self.minus_one))
        loop = self.function.blocks[LOOP]
        loop.condition, loop.successors = Reg(self.counter), (LOOP, END)
        loop.carried = loop.carried or ()
        for result in results:
            emit(self.function, END, "trace_write", result)
        order = MemoryOrder(self.function)
        for instruction in self.function.blocks[END].instructions:
            order.write(instruction, ["trace"])
        return self.function


def loop_function(trips: int, target: Target | None = None) -> LoopFunction:
    """A loop that runs `trips` times."""
    function = MachineFunction(target or Target.default())
    for _ in range(3):
        function.new_block()
    function.blocks[ENTRY].successors = (LOOP,)
    made = LoopFunction(function, 0, 0)
    made.counter, made.minus_one = made.registers(trips, -1)
    return made


def iteration(function: MachineFunction) -> Iteration:
    """The iteration of the loop of a function."""
    results = live_sets(function)[END][0]
    return iteration_of(function, LOOP, terminator(function, LOOP)[0], results)


def graph(function: MachineFunction) -> ModuloGraph:
    """The dependence graph of the loop of a function."""
    return build_modulo_graph(iteration(function), function.blocks[LOOP].carried or ())


def random_loop_function(
    random: Random, trips: int, target: Target, *, instructions: int = 12
) -> MachineFunction:
    """A loop that computes words and vectors, whole and lane by lane, hands them on as they are
    or exchanged, and stores some where nothing else is stored."""
    made = loop_function(trips, target)
    function = made.function
    words = made.registers(*(random.getrandbits(32) for _ in range(random.randint(1, 4))))
    vectors: list[int] = []
    for _ in range(random.randint(0, 2)):
        vectors.append(function.new_register(target.vlen))
        emit(function, ENTRY, "vbroadcast", Reg(vectors[-1]), Reg(random.choice(words)))
    address, stride, start = made.registers(0, 64, 64)
    local_words, local_vectors = list(words), list(vectors)

    def word() -> Reg:
        if local_vectors and random.random() < 0.3:
            return Reg(random.choice(local_vectors), random.randrange(target.vlen))
        return Reg(random.choice(local_words))

    def word_to() -> Reg:
        if random.random() < 0.4:
            return Reg(random.choice(words))
        local_words.append(function.new_register())
        return Reg(local_words[-1])

    def vector_to() -> Reg:
        if vectors and random.random() < 0.4:
            return Reg(random.choice(vectors))
        local_vectors.append(function.new_register(target.vlen))
        return Reg(local_vectors[-1])

    made.emit("+", Reg(address), Reg(address), Reg(stride))
    stores = 0
    for _ in range(random.randint(1, instructions)):
        kind = random.randrange(7)
        if kind == 0 and stores < 16:
            place = function.new_register()
            offset = made.registers(stores)[0]
            made.emit("+", Reg(place), Reg(address), Reg(offset))
            made.emit("store", Reg(place), word())
            stores += 1
        elif kind == 1 and len(words) > 1:
            made.move(*random.sample(words, 2))
        elif kind == 2:
            sources = word(), word(), word()
            made.emit("select", word_to(), *sources)
        elif kind == 3 and local_vectors:
            sources = [Reg(random.choice(local_vectors)) for _ in range(2)]
            made.emit(random.choice("+^|"), vector_to(), *sources, vector=True)
        elif kind == 4:
            source = word()
            made.emit("vbroadcast", vector_to(), source)
        elif kind == 5:
            sources = [word() for _ in range(2 * target.vlen)]
            to = vector_to()
            made.emit(UNDEFINED, to)
            safe = [s for s in sources if s.register != to.register] or [Reg(words[0])]
            for lane in range(target.vlen):
                pair = safe[lane % len(safe)], safe[-1 - lane % len(safe)]
                made.emit("^", Reg(to.register, lane), *pair)
        else:
            sources = word(), word()
            made.emit(random.choice("+^|"), word_to(), *sources)
    results = [Reg(register) for register in words]
    results += [Reg(v, lane) for v in vectors for lane in range(target.vlen)]
    made.close(*results)
    for number in range(stores):
        at = function.new_register()
        loaded = function.new_register()
        offset = made.registers(number)[0]
        emit(function, END, "+", Reg(at), Reg(start), Reg(offset))
        emit(function, END, "load", Reg(loaded), Reg(at))
        emit(function, END, "trace_write", Reg(loaded))
    order = MemoryOrder(function)
    for instruction in function.blocks[END].instructions:
        instruction.after = ()
        if instruction.mnemonic == "trace_write":
            order.write(instruction, ["trace"])
    return function
