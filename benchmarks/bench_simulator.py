"""Speed of the simulator beside that of the plain machine. Run by hand:

pytest benchmarks --benchmark-enable -s
"""

import time

import numpy as np

from support.plain_machine import PlainMachine
from vliw_mlir.abi import Interface
from vliw_mlir.sim.decode import decode
from vliw_mlir.sim.machine import Machine
from vliw_mlir.sim.program import Program

CYCLES = 1_200_000
MEMORY = 1000

# A counted loop of five bundles, four to seven slots each, of what kernels are made of.
LOOP = [
    {
        "alu": [("-", 0, 0, 1), ("+", 10, 10, 1)],
        "valu": [("+", 100, 108, 116), ("^", 124, 132, 140)],
        "load": [("vload", 200, 20)],
    },
    {
        "alu": [("<<", 33, 34, 35)],
        "valu": [("multiply_add", 148, 156, 164, 172), ("&", 180, 108, 116)],
        "load": [("load", 30, 20)],
        "store": [("vstore", 21, 100)],
        "flow": [("vselect", 208, 216, 224, 232)],
    },
    {
        "alu": [("^", 40, 41, 42), ("&", 20, 10, 50)],
        "valu": [(">>", 240, 248, 256), ("*", 264, 272, 280)],
    },
    {
        "alu": [("<", 60, 61, 62)],
        "valu": [("<", 288, 296, 304), ("+", 108, 108, 312)],
        "store": [("store", 22, 33)],
        "flow": [("add_imm", 61, 61, 1)],
    },
    {
        "alu": [("+", 45, 46, 47)],
        "valu": [("+", 116, 108, 100), ("-", 320, 328, 336)],
        "flow": [("cond_jump_rel", 0, -5)],
    },
]


def loop_program(cycles: int) -> Program:
    """`LOOP` for about that many cycles."""
    constants = [(0, cycles // 5), (1, 1), (21, 500), (22, 600), (50, 63)]
    setup = [{"load": [("const", *pair)]} for pair in constants]
    return Program([*setup, *LOOP], Interface("loop", (), ()))


def straight_line_program(bundles: int) -> Program:
    """Bundles of two slots without a jump."""
    return Program(
        [
            {"alu": [("+", n % 700, 800, 801)], "load": [("const", 700 + n % 100, n)]}
            for n in range(bundles)
        ],
        Interface("line", (), ()),
    )


def run_ours(program: Program) -> Machine:
    machine = Machine(program, np.zeros(MEMORY, np.uint32))
    machine.run()
    return machine


def run_plain(program: Program) -> PlainMachine:
    machine = PlainMachine(program.bundles, [0] * MEMORY)
    machine.run()
    return machine


def seconds(function, *arguments) -> float:
    """The shortest of three runs."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        function(*arguments)
        times.append(time.perf_counter() - start)
    return min(times)


def warm_up() -> None:
    run_ours(loop_program(10))


def test_loop(benchmark):
    """A loop of over a million cycles: at least 50 times the plain machine."""
    warm_up()
    program, short = loop_program(CYCLES), loop_program(CYCLES // 20)
    machine = benchmark(run_ours, program)
    assert machine.cycles > 1_000_000
    plain = run_plain(short)
    assert plain.scratch == run_ours(short).scratch.tolist()
    ours_rate = machine.cycles / seconds(run_ours, program)
    plain_rate = plain.cycles / seconds(run_plain, short)
    ratio = ours_rate / plain_rate
    print(f"\nloop: {ours_rate:,.0f} bundles/s, plain {plain_rate:,.0f}: {ratio:.0f} times")
    assert ratio >= 50


def test_straight_line(benchmark):
    """150,000 bundles that run once: decoding and running beats the plain machine."""
    warm_up()
    program = straight_line_program(150_000)
    machine = benchmark(run_ours, program)
    assert machine.cycles == 150_000
    ours, decoding, plain = (seconds(f, program) for f in (run_ours, decode, run_plain))
    print(f"\nline: {ours:.3f} s, {decoding:.3f} s of it decoding; plain {plain:.3f} s")
    assert ours < plain
