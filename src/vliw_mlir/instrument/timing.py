"""Wall time of the phases of a run, as a tree.

Passes are phases of their own; a pass may divide itself further, which costs nothing unless
somebody measures:

    with phase("allocation"): …
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from vliw_mlir.instrument.runner import Instrument, PassRun


@dataclass
class Timer:
    """The time spent in one phase, over all times it ran."""

    name: str
    seconds: float = 0.0
    children: dict[str, Timer] = field(default_factory=dict[str, "Timer"])

    def child(self, name: str) -> Timer:
        """The timer of the phase `name` within this one."""
        return self.children.setdefault(name, Timer(name))


class TimingTree:
    """Measures nested phases; those of the same name within the same phase add up."""

    root: Timer

    def __init__(self) -> None:
        self.root = Timer("Total")
        self._open: list[tuple[Timer, float]] = [(self.root, time.perf_counter())]

    def start(self, name: str) -> None:
        """Enter the phase `name` within the current one."""
        self._open.append((self._open[-1][0].child(name), time.perf_counter()))

    def stop(self) -> float:
        """Leave the current phase. Returns the seconds since it was entered."""
        timer, began = self._open.pop()
        elapsed = time.perf_counter() - began
        timer.seconds += elapsed
        return elapsed

    @contextmanager
    def phase(self, name: str) -> Generator[None]:
        """The phase `name` lasts as long as the `with` block."""
        self.start(name)
        try:
            yield
        finally:
            self.stop()

    def report(self) -> str:
        """The table of all phases: seconds, share of the total, name. Ends the measurement."""
        while self._open:
            self.stop()
        total = self.root.seconds
        rule = "===" + "-" * 73 + "==="
        title = "... Execution time report ...".center(len(rule)).rstrip()
        lines = [rule, title, rule, f"  Total Execution Time: {total:.4f} seconds", ""]
        lines.append("  ----Wall Time----  ----Name----")
        rest = total - sum(t.seconds for t in self.root.children.values())
        for timer in [*self.root.children.values(), Timer("Rest", rest)]:
            lines += _rows(timer, total, 0)
        lines += _rows(Timer("Total", total), total, 0)
        return "\n".join(lines)


def _rows(timer: Timer, total: float, depth: int) -> Iterator[str]:
    share = 100 * timer.seconds / total if total else 0.0
    yield f"  {timer.seconds:9.4f} ({share:5.1f}%)  {'  ' * depth}{timer.name}"
    for child in timer.children.values():
        yield from _rows(child, total, depth + 1)


_tree: ContextVar[TimingTree | None] = ContextVar("timing_tree", default=None)


@contextmanager
def measuring(tree: TimingTree) -> Generator[None]:
    """Within the `with` block, `phase` measures into `tree`."""
    token = _tree.set(tree)
    try:
        yield
    finally:
        _tree.reset(token)


@contextmanager
def phase(name: str) -> Generator[None]:
    """The `with` block is the phase `name` of the current phase, if somebody measures."""
    tree = _tree.get()
    if tree is None:
        yield
        return
    with tree.phase(name):
        yield


class PassTiming(Instrument):
    """Makes every pass a phase. Put it last, next to the passes."""

    _open: ExitStack

    def before_pass(self, run: PassRun) -> None:
        self._open = ExitStack()
        self._open.enter_context(phase(run.name))

    def after_pass(self, run: PassRun) -> None:
        self._open.close()

    def pass_failed(self, run: PassRun, error: Exception) -> None:
        self._open.close()
