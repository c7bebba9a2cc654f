"""The machine in plain Python, written from its specification alone.

An oracle for the simulator and its reference in the benchmark: as simple as can be, without
anything of `vliw_mlir`. Slow, and without checks of the program.
"""

WORD = 2**32

ARITHMETIC = {
    "+": lambda a, b: (a + b) % WORD,
    "-": lambda a, b: (a - b) % WORD,
    "*": lambda a, b: (a * b) % WORD,
    "//": lambda a, b: a // b,
    "cdiv": lambda a, b: (a + b - 1) // b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "<<": lambda a, b: (a << b) % WORD if b < 32 else 0,
    ">>": lambda a, b: a >> b if b < 32 else 0,
    "%": lambda a, b: a % b,
    "<": lambda a, b: int(a < b),
    "==": lambda a, b: int(a == b),
}


class PlainTrap(Exception):
    """The machine cannot execute its next bundle."""


class PlainMachine:
    """A machine with one `alu`-like and one `valu`-like arithmetic engine.

    `run` goes on to the end or the next pause. Later writes of a bundle win over earlier ones.
    """

    def __init__(self, bundles, memory, vlen=8, scratch=1536, vector_engines=("valu",)):
        self.bundles = bundles
        self.memory = list(memory)
        self.scratch = [0] * scratch
        self.vlen = vlen
        self.vector_engines = vector_engines
        self.pc = 0
        self.cycles = 0
        self.steps = 0
        self.state = "running"
        self.trace = []

    def run(self):
        """Run until the machine is `halted` or `paused`, and return which."""
        if self.state == "paused":
            self.state = "running"
        while self.state == "running":
            self.step()
        return self.state

    def step(self):
        if self.pc >= len(self.bundles):
            self.state = "halted"
            return
        bundle = self.bundles[self.pc]
        self.scratch_writes, self.memory_writes = {}, {}
        trace, self.new_trace = self.trace, []
        self.new_state, self.next_pc = "running", self.pc + 1
        for engine, slots in bundle.items():
            for slot in slots:
                self.execute(engine, slot)
        if any(slots for engine, slots in bundle.items() if engine != "debug"):
            self.cycles += 1
        self.steps += 1
        for address, word in self.scratch_writes.items():
            self.scratch[address] = word
        for address, word in self.memory_writes.items():
            self.memory[address] = word
        trace += self.new_trace
        self.pc, self.state = self.next_pc, self.new_state

    def load(self, address):
        if address >= len(self.memory):
            raise PlainTrap(f"memory word {address}")
        return self.memory[address]

    def store(self, address, word):
        self.load(address)
        self.memory_writes[address] = word

    def jump(self, target):
        if not 0 <= target <= len(self.bundles):
            raise PlainTrap(f"jump to {target}")
        self.next_pc = target

    def arithmetic(self, name, d, a, b):
        x, y = self.scratch[a], self.scratch[b]
        if name in ("//", "%", "cdiv") and y == 0:
            raise PlainTrap("division by zero")
        self.scratch_writes[d] = ARITHMETIC[name](x, y)

    def execute(self, engine, slot):
        name, *operands = slot
        scratch, writes, lanes = self.scratch, self.scratch_writes, range(self.vlen)
        if engine == "debug":
            return
        if name in ARITHMETIC:
            d, a, b = operands
            for i in lanes if engine in self.vector_engines else range(1):
                self.arithmetic(name, d + i, a + i, b + i)
            return
        match name, *operands:
            case "vbroadcast", d, a:
                for i in lanes:
                    writes[d + i] = scratch[a]
            case "multiply_add", d, a, b, c:
                for i in lanes:
                    writes[d + i] = (scratch[a + i] * scratch[b + i] + scratch[c + i]) % WORD
            case "load", d, a:
                writes[d] = self.load(scratch[a])
            case "load_offset", d, a, k:
                writes[d + k] = self.load(scratch[a + k])
            case "vload", d, a:
                for i in lanes:
                    writes[d + i] = self.load(scratch[a] + i)
            case "const", d, v:
                writes[d] = v % WORD
            case "store", a, s:
                self.store(scratch[a], scratch[s])
            case "vstore", a, s:
                for i in lanes:
                    self.store(scratch[a] + i, scratch[s + i])
            case "select", d, c, a, b:
                writes[d] = scratch[a] if scratch[c] != 0 else scratch[b]
            case "vselect", d, c, a, b:
                for i in lanes:
                    writes[d + i] = scratch[a + i] if scratch[c + i] != 0 else scratch[b + i]
            case "add_imm", d, a, v:
                writes[d] = (scratch[a] + v) % WORD
            case "cond_jump", c, target:
                if scratch[c] != 0:
                    self.jump(target)
            case "cond_jump_rel", c, offset:
                if scratch[c] != 0:
                    self.jump(self.pc + 1 + offset)
            case "jump", target:
                self.jump(target)
            case "jump_indirect", a:
                self.jump(scratch[a])
            case ("halt",):
                self.new_state = "halted"
            case ("pause",):
                if self.new_state == "running":
                    self.new_state = "paused"
            case "coreid", d:
                writes[d] = 0
            case "trace_write", a:
                self.new_trace.append(scratch[a])
            case _:
                raise ValueError(f"no such instruction: {slot}")
