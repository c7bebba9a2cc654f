"""Kernels like those of `kernels/tree_hash*.mlir` with other parameters, and what they compute.

A compiler that knew a kernel rather than what kernels are made of would show here.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal

from vliw_mlir.abi.datafile import Case

MASK = 0xFFFFFFFF

Stage = tuple[str, int, str, str, int]
"""`(f, k, g, shift, n)` of `a = g(f(a, k), shift(a, n))`."""

USUAL_STAGES: tuple[Stage, ...] = (
    ("addi", 0x7ED55D16, "addi", "shli", 12),
    ("xori", 0xC761C23C, "xori", "shrui", 19),
    ("addi", 0x165667B1, "addi", "shli", 5),
    ("addi", 0xD3A2646C, "xori", "shli", 9),
    ("addi", 0xFD7046C5, "addi", "shli", 3),
    ("xori", 0xB55A4F09, "xori", "shrui", 16),
)
OTHER_STAGES: tuple[Stage, ...] = (
    ("xori", 0x3C6EF372, "addi", "shli", 7),
    ("addi", 0x9E3779B9, "xori", "shrui", 13),
    ("addi", 0x85EBCA6B, "addi", "shli", 4),
)

FUNCTIONS = {
    "addi": lambda a, b: (a + b) & MASK,
    "xori": lambda a, b: a ^ b,
    "shli": lambda a, n: (a << n) & MASK,
    "shrui": lambda a, n: a >> n,
}


@dataclass(frozen=True)
class TreeWalk:
    """A kernel that walks a tree in an array, and hashes a value at every node."""

    order: Literal["rounds of items", "items of rounds", "values"]
    """Which loop is outside; `values` has items outside too, and carries both in registers."""
    height: int = 10
    batch: int = 256
    rounds: int = 16
    stages: tuple[Stage, ...] = USUAL_STAGES
    arity: int = 2

    @property
    def nodes(self) -> int:
        return sum(self.arity**level for level in range(self.height + 1))

    @property
    def text(self) -> str:
        """The kernel in MLIR."""
        return f"""
func.func @walk({self._arguments}) {{
  {self._constants}
  %rounds_ix = arith.index_cast %rounds : i32 to index
  %batch_ix = arith.index_cast %batch : i32 to index
  {self._loops}
  return
}}"""

    @property
    def _arguments(self) -> str:
        scalars = {
            "rounds": self.rounds,
            "n_nodes": self.nodes,
            "batch": self.batch,
            "height": self.height,
        }
        arguments = [f"%{name}: i32 {{vliw.value = {n} : i32}}" for name, n in scalars.items()]
        at_root = "" if self.order == "values" else " {vliw.range = array<i32: 0, 0>}"
        return ", ".join(
            [
                *arguments,
                f"%forest: memref<{self.nodes}xi32>",
                f"%indices: memref<{self.batch}xi32>{at_root}",
                f"%values: memref<{self.batch}xi32>",
            ]
        )

    @property
    def _constants(self) -> str:
        words = {"zero": 0, "one": 1, "two": 2, "arity": self.arity}
        for n, (_, constant, _, _, shift) in enumerate(self.stages):
            words |= {f"k{n}": constant, f"s{n}": shift}
        lines = [f"%{name} = arith.constant {value} : i32" for name, value in words.items()]
        return "\n  ".join(
            ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index", *lines]
        )

    @property
    def _loops(self) -> str:
        rounds = "scf.for %round = %c0 to %rounds_ix step %c1"
        items = "scf.for %i = %c0 to %batch_ix step %c1"
        memref = f"memref<{self.batch}xi32>"
        if self.order == "values":
            return f"""
  {items} {{
    %first = memref.load %values[%i] : {memref}
    %out:2 = {rounds} iter_args(%idx = %zero, %val = %first) -> (i32, i32) {{
      {self._step}
      scf.yield %next, %hash : i32, i32
    }}
    memref.store %out#1, %values[%i] : {memref}
  }}"""
        outer, inner = (rounds, items) if self.order == "rounds of items" else (items, rounds)
        return f"""
  {outer} {{
    {inner} {{
      %idx = memref.load %indices[%i] : {memref}
      %val = memref.load %values[%i] : {memref}
      {self._step}
      memref.store %next, %indices[%i] : {memref}
      memref.store %hash, %values[%i] : {memref}
    }}
  }}"""

    @property
    def _step(self) -> str:
        """From %idx and %val to %next and %hash."""
        lines = [
            "%idx_ix = arith.index_cast %idx : i32 to index",
            f"%node = memref.load %forest[%idx_ix] : memref<{self.nodes}xi32>",
            "%h0 = arith.xori %val, %node : i32",
        ]
        hashes = [f"%h{n}" for n in range(len(self.stages))] + ["%hash"]
        for n, (first, _, second, shift, _) in enumerate(self.stages):
            lines += [
                f"%p{n} = arith.{first} {hashes[n]}, %k{n} : i32",
                f"%q{n} = arith.{shift} {hashes[n]}, %s{n} : i32",
                f"{hashes[n + 1]} = arith.{second} %p{n}, %q{n} : i32",
            ]
        lines += [
            "%rest = arith.remui %hash, %arity : i32",
            *self._which_child,
            "%times = arith.muli %idx, %arity : i32",
            "%child = arith.addi %times, %which : i32",
            "%wrap = arith.cmpi uge, %child, %n_nodes : i32",
            "%next = arith.select %wrap, %zero, %child : i32",
        ]
        return "\n      ".join(lines)

    @property
    def _which_child(self) -> list[str]:
        if self.arity > 2:
            return ["%which = arith.addi %rest, %one : i32"]
        return [
            "%even = arith.cmpi eq, %rest, %zero : i32",
            "%which = arith.select %even, %one, %two : i32",
        ]

    def case(self, seed: int = 0) -> Case:
        """Random data, and what the kernel makes of it."""
        rng = Random(seed)
        forest = [rng.getrandbits(30) for _ in range(self.nodes)]
        values = [rng.getrandbits(30) for _ in range(self.batch)]
        before = [0] * self.batch
        walks = [self._walk(forest, value) for value in values]
        after = before if self.order == "values" else [index for index, _ in walks]
        return Case(
            (self.rounds, self.nodes, self.batch, self.height, forest, before, values),
            None,
            (None, None, None, None, forest, after, [value for _, value in walks]),
        )

    def _walk(self, forest: list[int], value: int) -> tuple[int, int]:
        """Where an item of that value ends, and with which value."""
        index = 0
        for _ in range(self.rounds):
            value ^= forest[index]
            for first, constant, second, shift, count in self.stages:
                left, right = FUNCTIONS[first](value, constant), FUNCTIONS[shift](value, count)
                value = FUNCTIONS[second](left, right)
            index = self.arity * index + 1 + value % self.arity
            if index >= self.nodes:
                index = 0
        return index, value
