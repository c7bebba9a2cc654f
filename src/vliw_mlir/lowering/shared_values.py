"""Constants, addresses and the like that several instructions use, made once.

What a loop uses is made in the entry block if it is made of what is there; all else in the block
that uses it, where it lives short.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from vliw_mlir.schedule.machine import Reg
from vliw_mlir.semantics import WORD_MASK

DEEPEST = 4
"""How many additions in a row may lead to an address rather than making another constant."""

FEW = 4
"""How many distances from the same base get a constant each."""

DIGIT = 8
"""Further distances are put together from multiples of powers of this number, so that a few
constants and one addition for each do for all."""


class Emitter(Protocol):
    """What instructions are emitted with."""

    block: int

    def emit(self, mnemonic: str, *operands: object, vector: bool = False) -> None: ...

    def new_register(self, words: int = 1) -> Reg: ...

    def broadcast(self, result: Reg, source: Reg) -> None: ...


@dataclass
class _Made:
    """What was made in a block."""

    values: dict[Hashable, Reg] = field(default_factory=dict[Hashable, Reg])
    constants: dict[int, Reg] = field(default_factory=dict[int, Reg])
    sums: dict[Reg, dict[int, tuple[Reg, int]]] = field(
        default_factory=dict[Reg, dict[int, tuple[Reg, int]]]
    )
    """By base and distance: a register, and how many additions lead to it."""


class SharedValues:
    """The shared values of a function."""

    def __init__(self, emitter: Emitter, vlen: int, loops: set[int]):
        """`loops` has the numbers of the blocks that are in loops. Block 0 is the entry."""
        self._emitter = emitter
        self._vlen = vlen
        self._loops = loops
        self._made: dict[int, _Made] = {}
        self._words: dict[Reg, int] = {}
        """What registers hold that are constant."""
        self._invariant: set[Reg] = set()
        """Registers that are made in the entry block and never written again."""

    def add_invariant(self, register: Reg) -> None:
        """Say that a register is written once, in the entry block."""
        self._invariant.add(register)

    def constant(self, word: int) -> Reg:
        """A register that holds a word."""
        word &= WORD_MASK
        for block in (0, self._emitter.block):
            if word in self._get(block).constants:
                return self._get(block).constants[word]
        with self._place(is_invariant=True) as made:
            register = made.constants[word] = self._new()
            self._words[register] = word
            self._emitter.emit("const", register, word)
        return register

    def splat(self, source: Reg) -> Reg:
        """A register that holds the word of another one in all lanes."""
        return self._share(("splat", source), self._vlen, self._broadcast, source)

    def sum(self, a: Reg, b: Reg, *, vector: bool = False) -> Reg:
        """A register that holds the sum of two others."""

        def add(result: Reg, a: Reg, b: Reg) -> None:
            self._emitter.emit("+", result, a, b, vector=vector)

        return self._share(("+", a, b, vector), self._vlen if vector else 1, add, a, b)

    def displaced(self, base: Reg, words: int) -> Reg:
        """A register that holds the word of another one plus a constant."""
        words &= WORD_MASK
        if words == 0:
            return base
        known = self._words.get(base)
        if known is not None and len(self._get(self._emitter.block).constants) <= FEW:
            return self.constant(known + words)
        for block in (0, self._emitter.block):
            found = self._get(block).sums.get(base, {}).get(words)
            if found is not None:
                return found[0]
        with self._place(is_invariant=base in self._invariant) as made:
            sums = made.sums.setdefault(base, {0: (base, 0)})
            depth, start, step = self._shortest(made, sums, words)
            if depth >= DEEPEST:
                depth, start, step = self._split(base, sums, words)
            register = self._new()
            sums[words] = register, depth + 1
            self._emitter.emit("+", register, start, step)
        return register

    def _shortest(
        self, made: _Made, sums: dict[int, tuple[Reg, int]], words: int
    ) -> tuple[int, Reg, Reg]:
        """The sum that a constant that is there leads from to `words`, with its depth."""
        best = DEEPEST, Reg(0), Reg(0)
        if len(sums) < len(made.constants):
            pairs = ((start, words - start & WORD_MASK) for start in sums)
        else:
            pairs = ((words - step & WORD_MASK, step) for step in made.constants)
        for start, step in pairs:
            if start in sums and step in made.constants and sums[start][1] < best[0]:
                best = sums[start][1], sums[start][0], made.constants[step]
        return best

    def _split(
        self, base: Reg, sums: dict[int, tuple[Reg, int]], words: int
    ) -> tuple[int, Reg, Reg]:
        """A sum and a constant that lead to `words`, with the depth of the sum."""
        digit = 1
        while words % (digit * DIGIT) == 0:
            digit *= DIGIT
        low = words % (digit * DIGIT)
        if len(sums) <= FEW or low == words:
            return 0, base, self.constant(words)
        start = self.displaced(base, words - low)
        return sums.get(words - low, (start, 1))[1], start, self.constant(low)

    def _share(self, key: Hashable, words: int, make: Callable[..., None], *sources: Reg) -> Reg:
        for block in (0, self._emitter.block):
            if key in self._get(block).values:
                return self._get(block).values[key]
        with self._place(is_invariant=self._invariant.issuperset(sources)) as made:
            register = made.values[key] = self._new(words)
            make(register, *sources)
        return register

    def _broadcast(self, result: Reg, source: Reg) -> None:
        self._emitter.broadcast(result, source)

    @contextmanager
    def _place(self, *, is_invariant: bool) -> Generator[_Made]:
        """Emit in the block where something is best made."""
        here = self._emitter.block
        self._emitter.block = 0 if is_invariant and here in self._loops else here
        yield self._get(self._emitter.block)
        self._emitter.block = here

    def _new(self, words: int = 1) -> Reg:
        register = self._emitter.new_register(words)
        if self._emitter.block == 0:
            self._invariant.add(register)
        return register

    def _get(self, block: int) -> _Made:
        return self._made.setdefault(block, _Made())
