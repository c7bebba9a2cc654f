"""Programs for tests: written by hand or at random."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from vliw_mlir.abi import Interface
from vliw_mlir.sim.machine import Machine
from vliw_mlir.sim.program import Bundle, Program
from vliw_mlir.target import Target
from vliw_mlir.target.isa import Role

EDGE_WORDS = [0, 1, 2, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 0xDEADBEEF]


def program(bundles: list[Bundle], target: Target | None = None, **fields: Any) -> Program:
    """A program without an interface."""
    return Program(bundles, Interface("test", (), ()), target or Target.default(), **fields)


def machine(
    bundles: list[Bundle],
    memory: Sequence[int] | int = 64,
    *,
    scratch: dict[int, int] | None = None,
    target: Target | None = None,
    sources: list[list[str]] | None = None,
    **options: Any,
) -> Machine:
    """A machine about to run `bundles`, with `memory` words (or as many zeros)."""
    words = np.zeros(memory, np.uint32) if isinstance(memory, int) else np.array(memory, np.uint32)
    made = Machine(program(bundles, target, sources=sources), words, **options)
    for address, word in (scratch or {}).items():
        made.scratch[address] = word
    return made


def random_program(random: Random, target: Target, *, bundles: int, memory: int) -> list[Bundle]:
    """Legal bundles with slots of all kinds, which may trap and may have conflicts.

    The first eight scratch words hold addresses: most memory accesses use them, and no slot
    but a `const` in the range of memory writes them.
    """
    maker = _RandomProgram(random, target, bundles, memory)
    setup = [{"load": [("const", n, random.randrange(memory))]} for n in range(ADDRESS_WORDS)]
    return [*setup, *(maker.bundle(len(setup) + n) for n in range(bundles))]


ADDRESS_WORDS = 8
RARE = {"//", "cdiv", "%", "halt", "pause", "jump", "jump_indirect"}
"""Instructions that often end a run."""


class _RandomProgram:
    def __init__(self, random: Random, target: Target, bundles: int, memory: int):
        self.random = random
        self.target = target
        self.total = bundles + ADDRESS_WORDS
        self.memory = memory

    def bundle(self, index: int) -> Bundle:
        engines = [e for e in self.target.engines if e.slots]
        self.random.shuffle(engines)
        return {
            engine.name: [
                self.slot(engine.name, index)
                for _ in range(self.random.randint(0, min(engine.slots, 3)))
            ]
            for engine in engines
            if self.random.random() < 0.6
        }

    def slot(self, engine: str, index: int) -> tuple[Any, ...]:
        mnemonics = [m for e, m in self.target.formats if e == engine]
        weights = [0.2 if m in RARE else 1 for m in mnemonics]
        mnemonic = self.random.choices(mnemonics, weights)[0]
        form = self.target.formats[engine, mnemonic]
        if mnemonic == "const" and self.random.random() < 0.5:
            return (mnemonic, self.random.randrange(ADDRESS_WORDS), self.address())
        if mnemonic == "load_offset":
            offset = self.random.randint(-20, 20)
            return (mnemonic, self.word() - offset, self.pointer() - offset, offset)
        operands = [self.operand(role, index) for role in form.roles]
        if mnemonic in ("load", "vload"):
            operands[1] = self.pointer()
        if mnemonic in ("store", "vstore"):
            operands[0] = self.pointer()
        if mnemonic == "vcompare":
            operands[1] = ["unknown"] * self.target.vlen
        return (mnemonic, *operands)

    def operand(self, role: Role, index: int) -> int:
        words = self.target.vlen if role.is_vector else 1
        match role:
            case Role.IMM:
                return self.random.choice([*EDGE_WORDS, -1, -(2**31), self.random.getrandbits(32)])
            case Role.TARGET:
                return self.random.randint(0, self.total)
            case Role.RELATIVE:
                return self.random.randint(0, self.total) - index - 1
            case Role.KEY:
                return self.random.randrange(10)
            case _:
                return self.word(words)

    def word(self, words: int = 1) -> int:
        """A scratch address beyond the address words; most of them close together."""
        last = self.target.scratch - words
        near = min(last, ADDRESS_WORDS + 5 * self.target.vlen)
        return self.random.randint(ADDRESS_WORDS, near if self.random.random() < 0.9 else last)

    def pointer(self) -> int:
        """A scratch address that most often holds a memory address."""
        if self.random.random() < 0.02:
            return self.word()
        return self.random.randrange(ADDRESS_WORDS)

    def address(self) -> int:
        """A memory address; most often a vector fits there."""
        reserve = self.target.vlen if self.random.random() < 0.95 else 1
        return self.random.randrange(self.memory - reserve + 1)
