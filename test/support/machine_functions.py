"""Machine functions for tests: made at random, and run on virtual registers or in scratch.

A run follows the path that the values decide. What can be observed of it is its *trace*: the
words given to `trace_write`. Random functions write the condition of each branch there.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from vliw_mlir.schedule.machine import (
    MOVE,
    UNDEFINED,
    BlockRef,
    Instruction,
    MachineFunction,
    Reg,
    undefined,
)
from vliw_mlir.semantics import FUNCTIONS, WORD_MASK
from vliw_mlir.target import Target
from vliw_mlir.target.isa import ARITHMETIC

GARBAGE = 0xDEAD0000
"""What registers and scratch hold before they are written, plus a number of its own."""


def run_virtual(function: MachineFunction, *, steps: int = 2_000) -> list[int]:
    """The trace of a run on virtual registers, at most `steps` instructions long."""
    words = {
        (register, lane): GARBAGE + 100 * register + lane
        for register, width in enumerate(function.widths)
        for lane in range(width)
    }
    return _run(
        function, words, lambda operand, lane: (operand.register, operand.lane + lane), steps
    )


def run_allocated(
    function: MachineFunction, addresses: dict[int, int], *, steps: int = 2_000
) -> list[int]:
    """The trace of a run in scratch, `addresses` saying where registers live."""
    words = {address: GARBAGE - address for address in range(function.target.scratch)}
    return _run(
        function,
        words,
        lambda operand, lane: addresses[operand.register] + operand.lane + lane,
        steps,
    )


def _run(
    function: MachineFunction,
    words: dict[object, int],
    place: Callable[[Reg, int], object],
    steps: int,
) -> list[int]:
    vlen = function.target.vlen
    memory: dict[int, int] = {}
    trace: list[int] = []
    block = function.blocks[0]
    while True:
        for instruction in block.instructions:
            # Only what has an effect counts: spilling adds instructions.
            steps -= instruction.mnemonic in ("trace_write", "+", "^", "|", "select")
            if steps < 0:
                return trace
            if instruction.mnemonic == "cond_jump":
                condition, target = instruction.operands
                if words[place(condition, 0)]:
                    block = function.blocks[target.block]
                    break
                continue
            _step(instruction, vlen, words, place, memory, trace)
        else:
            if not block.successors:
                return trace
            number = block.successors[0]
            if block.condition is not None:
                number = block.successors[0 if words[place(block.condition, 0)] else 1]
            block = function.blocks[number]
        steps -= 1
        if steps < 0:
            return trace


def _step(
    instruction: Instruction,
    vlen: int,
    words: dict[object, int],
    place: Callable[[Reg, int], object],
    memory: dict[int, int],
    trace: list[int],
) -> None:
    def get(operand: Reg, lane: int = 0) -> int:
        return words[place(operand, lane)]

    match instruction.mnemonic, *instruction.operands:
        case str(name), to, *sources if name in ARITHMETIC:
            lanes = range(vlen if instruction.engine == "valu" else 1)
            function = FUNCTIONS[ARITHMETIC[name]].scalar
            new = [function(*(get(source, lane) for source in sources)) for lane in lanes]
        case "select", to, condition, a, b:
            new = [get(a) if get(condition) else get(b)]
        case "vbroadcast", to, source:
            new = [get(source)] * vlen
        case "const", to, value:
            new = [value & WORD_MASK]
        case "load", to, address:
            new = [memory[get(address)]]
        case "vload", to, address:
            new = [memory[get(address) + lane] for lane in range(vlen)]
        case "store", address, value:
            memory[get(address)] = get(value)
            return
        case "vstore", address, value:
            memory.update({get(address) + lane: get(value, lane) for lane in range(vlen)})
            return
        case "trace_write", value:
            trace.append(get(value))
            return
        case str(name), _ if name == UNDEFINED:
            return
        case _:
            raise ValueError(instruction)
    for lane, word in enumerate(new):
        words[place(to, lane)] = word


def emit(
    function: MachineFunction, block: int, mnemonic: str, *operands: object, vector: bool = False
) -> None:
    """Append an instruction."""
    if mnemonic == UNDEFINED:
        (operand,) = operands
        function.blocks[block].instructions.append(undefined(operand.register))
        return
    engine = function.engine(mnemonic, vector=vector)
    function.blocks[block].instructions.append(Instruction(engine, mnemonic, operands))


def random_function(
    random: Random,
    target: Target,
    *,
    blocks: int,
    words: int,
    vectors: int,
    per_block: int = 8,
    acyclic: bool = False,
    exits: bool = False,
) -> MachineFunction:
    """A function whose `words` and `vectors` global registers live across its blocks.

    The entry writes all of them. Every block reads and writes some, wholly or lane by lane, and
    registers of its own. With `exits` some are superblocks, with side exits.
    """
    maker = _Maker(random, target, words, vectors)
    made = maker.make(blocks, per_block, acyclic)
    if exits:
        maker.add_exits(acyclic)
    return made


class _Maker:
    def __init__(self, random: Random, target: Target, words: int, vectors: int):
        self.random = random
        self.function = MachineFunction(target)
        self.words = [self.function.new_register() for _ in range(words)]
        self.vectors = [self.function.new_register(target.vlen) for _ in range(vectors)]

    def make(self, blocks: int, per_block: int, acyclic: bool) -> MachineFunction:
        function, random = self.function, self.random
        for number in range(blocks):
            function.new_block()
            if number == 0:
                self.initialize()
            self.fill(number, random.randint(0, per_block))
            block = function.blocks[number]
            first = number + 1 if acyclic else 1
            following = [random.randrange(first, blocks) for _ in range(2) if first < blocks]
            block.successors = tuple(following[: random.choice((1, 1, 2))])
            if number == blocks - 1 or (not acyclic and random.random() < 0.1):
                block.successors = ()
            if len(block.successors) == 2:
                block.condition = Reg(random.choice(self.words))
                emit(function, number, "trace_write", block.condition)
        return function

    def add_exits(self, acyclic: bool) -> None:
        """Side exits anywhere but in the entry, which begins with the first values."""
        function, random = self.function, self.random
        for number, block in enumerate(function.blocks):
            first = number + 1 if acyclic else 1
            if number == 0 or first == len(function.blocks):
                continue
            before, block.instructions = block.instructions, []
            for instruction in before:
                # Not before all lanes are written of what begins without a value.
                latest = block.instructions[-function.target.vlen :]
                is_whole = all(other.mnemonic != UNDEFINED for other in latest)
                if is_whole and random.random() < 0.1:
                    condition = Reg(random.choice(self.words))
                    emit(function, number, "trace_write", condition)
                    target = BlockRef(random.randrange(first, len(function.blocks)))
                    emit(function, number, "cond_jump", condition, target)
                block.instructions.append(instruction)

    def initialize(self) -> None:
        for register in self.words:
            emit(self.function, 0, "const", Reg(register), self.random.choice((0, register + 1)))
        for register in self.vectors:
            if self.random.random() < 0.5:
                emit(
                    self.function,
                    0,
                    "vbroadcast",
                    Reg(register),
                    Reg(self.random.choice(self.words)),
                )
                continue
            emit(self.function, 0, UNDEFINED, Reg(register))
            for lane in range(self.function.target.vlen):
                emit(self.function, 0, "const", Reg(register, lane), self.random.getrandbits(32))

    def fill(self, block: int, count: int) -> None:
        """Instructions over the global registers and over new ones."""
        function, random = self.function, self.random
        local_words: list[int] = []
        local_vectors: list[int] = []

        def word() -> Reg:
            """Any word that holds a value: a register's, or a lane of a vector."""
            vectors = self.vectors + local_vectors
            if vectors and random.random() < 0.3:
                return Reg(random.choice(vectors), random.randrange(function.target.vlen))
            return Reg(random.choice(self.words + local_words))

        def vector() -> Reg:
            return Reg(random.choice(self.vectors + local_vectors))

        def written_word() -> Reg:
            if random.random() < 0.5:
                return word()
            local_words.append(function.new_register())
            return Reg(local_words[-1])

        for _ in range(count):
            kind = random.randrange(7 if self.vectors else 4)
            if kind == 0:
                emit(function, block, "trace_write", word())
            elif kind == 1 and random.random() < 0.4:
                source = word()
                emit(function, block, MOVE, written_word(), source, source)
            elif kind == 1:
                sources = word(), word()
                emit(function, block, random.choice("+^|"), written_word(), *sources)
            elif kind == 2:
                sources = word(), word(), word()
                emit(function, block, "select", written_word(), *sources)
            elif kind == 3:
                emit(function, block, "const", written_word(), random.getrandbits(32))
            elif kind == 4:
                sources = vector(), vector()
                to = random.choice((vector(), None))
                if to is None:
                    local_vectors.append(function.new_register(function.target.vlen))
                    to = Reg(local_vectors[-1])
                emit(function, block, random.choice("+^|"), to, *sources, vector=True)
            elif kind == 5:
                emit(function, block, "vbroadcast", vector(), word())
            else:
                register = random.choice(self.vectors)
                source = Reg(random.choice(self.words))
                emit(function, block, UNDEFINED, Reg(register))
                for lane in range(function.target.vlen):
                    emit(function, block, "+", Reg(register, lane), source, source)
