"""Speed of list scheduling and of the search. Run by hand:

pytest benchmarks/bench_schedule.py --benchmark-enable -s
"""

import resource
import time
from random import Random

import numpy as np

from vliw_mlir.schedule.graph import build_graph
from vliw_mlir.schedule.list_schedule import Limits, list_schedule, new_schedule, new_state
from vliw_mlir.schedule.liveness import Liveness
from vliw_mlir.schedule.machine import Instruction, MachineFunction, Reg
from vliw_mlir.schedule.renaming import rename
from vliw_mlir.schedule.search import search_schedule
from vliw_mlir.schedule.strands import find_strands
from vliw_mlir.target import Target

LENGTH = 300
TARGET = Target.default()


def strands_graph(strands=32):
    """Strands of vector functions, half of which need the vector engine."""
    random = Random(1)
    made = MachineFunction(TARGET)
    made.new_block()
    block = made.blocks[0].instructions
    address = Reg(made.new_register())
    block.append(Instruction("load", "const", (address, 0)))
    for _ in range(strands):
        values = [Reg(made.new_register(TARGET.vlen))]
        block.append(Instruction("load", "vload", (values[0], address)))
        for _ in range(LENGTH):
            mnemonic = random.choice(("+", "^", "multiply_add", "multiply_add"))
            result = Reg(made.new_register(TARGET.vlen))
            sources = [values[-1], random.choice(values[-4:]), values[-1]]
            count = 3 if mnemonic == "multiply_add" else 2
            block.append(Instruction("valu", mnemonic, (result, *sources[:count])))
            values.append(result)
        block.append(Instruction("store", "vstore", (address, values[-1])))
    return build_graph(rename(made, block, Liveness((), (), {})), TARGET, 0)


def test_speed(benchmark) -> None:
    graph = strands_graph()
    count = len(graph.nodes)
    problem = graph.forward._replace(strand=find_strands(graph))
    order = np.arange(count, dtype=np.int32)
    limits = Limits(TARGET.scratch, 0, 0, count, count)
    state, out = new_state(problem), new_schedule(count)

    def schedule() -> int:
        return list_schedule(problem, state, order, order, limits, 100 * count, out)

    cycles = schedule()
    benchmark.pedantic(schedule, rounds=20)
    start = time.process_time()
    rounds = 50
    for _ in range(rounds):
        schedule()
    seconds = time.process_time() - start
    print(f"\n{count} nodes, {cycles} cycles: {rounds * count / seconds / 1e6:.1f} M placements/s")
    start = time.process_time()
    found = search_schedule(graph, TARGET, limits, 2_000_000)
    seconds = time.process_time() - start
    assert found is not None
    print(f"search of 2 M placements: {found.cycles} cycles, {2 / seconds:.1f} M placements/s")


def test_large_block() -> None:
    """A block of 20,000 instructions, with the effort of -O2: below 90 s and 2 GiB."""
    start = time.process_time()
    graph = strands_graph(66)
    built = time.process_time() - start
    count = len(graph.nodes)
    assert count > 19_900
    limits = Limits(TARGET.scratch, TARGET.scratch // 48, TARGET.scratch // 10, count, count)
    found = search_schedule(graph, TARGET, limits, 25_000_000)
    seconds = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    assert found is not None
    print(f"\n{count} nodes: {found.cycles} cycles in {seconds:.1f} s, {built:.1f} s of it for the")
    print(f"graph; {memory:.2f} GiB at most in this process")
    assert seconds < 90
    assert memory < 2
