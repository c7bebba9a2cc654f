"""CPU time of the optimizer: of -O2, from MLIR text to the end of the SSA level. Run by hand:

pytest benchmarks/bench_optimizer.py --benchmark-enable -s
"""

import time
from pathlib import Path

import pytest

from support.optimizer import optimized
from support.tree_walks import TreeWalk

KERNELS = Path(__file__).parents[1] / "kernels"
NAMES = sorted(path.stem for path in KERNELS.glob("*.mlir"))


@pytest.mark.benchmark(timer=time.process_time)
@pytest.mark.parametrize("name", NAMES)
def test_kernel(benchmark, name):
    text = (KERNELS / f"{name}.mlir").read_text()
    benchmark.pedantic(optimized, (text,), rounds=3)


def seconds(text: str) -> float:
    """CPU time of the faster of two runs."""
    times = []
    for _ in range(2):
        start = time.process_time()
        optimized(text)
        times.append(time.process_time() - start)
    return min(times)


def test_twice_the_trips():
    """A loop that is unrolled whole: twice its trips take little more than twice the time."""
    times = {n: seconds(TreeWalk("values", batch=64, rounds=n).text) for n in (4, 8, 16)}
    print("\ntrips:", ", ".join(f"{n}: {time:.2f} s" for n, time in times.items()))
    assert times[16] < 3 * times[8] < 9 * times[4]
