"""Absorbing constants keeps what programs do, in no more operations per iteration."""

from random import Random

from xdsl.context import Context
from xdsl.dialects import scf

from support.differential import Subject, difference
from support.random_patterns import patterns
from vliw_mlir.dialects import word
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.transforms.absorb_constants import AbsorbConstants
from vliw_mlir.transforms.simplify import Simplify
from vliw_mlir.verifier import verify


def program(seed):
    """A loop with a few values joined with constants, which most of their users can take in."""
    rng = Random(seed)
    name = rng.choice(("xor", "add"))
    lines, last = [], "%x"
    for n in range(4):
        lines.append(f"%h{n} = word.{name} {last}, %k{rng.randrange(3)} : i32")
        lines.append(f"%bit{n} = word.and %h{n}, %c1 : i32")
        arm = rng.choice(("%p", "%q", "%k0", "%i" if rng.random() < 0.2 else "%p"))
        lines.append(f"%t{n} = word.select %bit{n}, {arm}, %q : i32")
        other = rng.choice((f"%t{n}", f"%t{n}", "%p", "%x"))
        if rng.random() < 0.3:
            lines.append(f"%u{n} = word.{name} {other}, %i : i32")
            other = f"%u{n}"
        lines.append(f"%v{n} = word.{name} %h{n}, {other} : i32")
        lines.append(f"%sum{n} = word.add %i, %bit{n} : i32")
        lines.append(f"%w{n} = word.mul %v{n}, %sum{n} : i32")
        if rng.random() < 0.1:
            lines.append(f"word.store %h{n}, %b[%i] : i32, !word.buffer<8>")
        last = rng.choice((f"%v{n}", f"%w{n}"))
        lines.append(f"word.store {last}, %b[%i] : i32, !word.buffer<8>")
    body = "\n".join(lines)
    return f"""
    func.func @k(%p: i32, %q: i32, %b: !word.buffer<8>)
        attributes {{vliw.signature = (i32, i32, memref<8xi32>) -> ()}} {{
      %c0 = word.constant 0 : i32
      %c1 = word.constant 1 : i32
      %c8 = word.constant 8 : i32
      %k0 = word.constant 12 : i32
      %k1 = word.constant -1252372727 : i32
      %k2 = word.constant 7 : i32
      scf.for %i = %c0 to %c8 step %c1 : i32 {{
        %x = word.load %b[%i] : !word.buffer<8> -> i32
        {body}
      }}
      func.return
    }}"""


def in_loops(module):
    ops = (op for op in module.walk() if isinstance(op.parent_op(), scf.ForOp))
    return sum(isinstance(op, word.ArithmeticOp) for op in ops)


def test_random_loops():
    absorbed = 0
    for seed in range(25):
        text, rng = program(seed), Random(seed)
        words = [rng.getrandbits(32) for _ in range(8)]
        runs = [[rng.getrandbits(32), rng.getrandbits(32), words]]
        assert difference(Subject(str(seed), text, runs), "absorb-constants") is None, text
        module = parse_module(make_context(), text, "k.mlir")
        Simplify().apply(Context(), module)
        before = in_loops(module)
        unchanged = str(module)
        AbsorbConstants().apply(Context(), module)
        verify(module)
        absorbed += str(module) != unchanged
        assert in_loops(module) <= before, text
    assert absorbed > 8


def test_programs_full_of_patterns_do_the_same():
    for seed in range(8):
        assert difference(patterns(seed), "absorb-constants,simplify") is None, seed
