"""The least number of cycles that slots allow: a linear program over engines.

Work is a number of equal items, each with alternative ways of doing it; a way takes slots of
engines. The bound is the least T for which every engine has enough slots in T cycles, work
being divided among its ways in any proportion. Latencies are not looked at.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from scipy.optimize import linprog

from vliw_mlir.target.encodings import Usage

Work = Counter[tuple[Usage, ...]]
"""How many items there are of each set of alternative ways."""


@dataclass(frozen=True)
class Bound:
    """A lower bound and where it comes from."""

    cycles: float
    """Cycles, not rounded; 0 for no work."""
    binding: tuple[str, ...]
    """The engines without a slot to spare."""
    used: dict[str, float] = field(default_factory=dict[str, float])
    """Slots that each engine takes when work is divided best."""
    fixed: dict[str, int] = field(default_factory=dict[str, int])
    """Slots of each engine for the work that no other engine can do."""
    prices: dict[str, float] = field(default_factory=dict[str, float])
    """What a slot of each engine is worth, in cycles: by how much one less would raise the bound
    (the dual solution). The prices of all slots of a cycle add up to one cycle."""


def resource_bound(work: Work, slots: dict[str, int]) -> Bound:
    """The bound for `work` on a machine with `slots` per engine and cycle.

    Raises `ValueError` for work that no engine can do.
    """
    return _solve(tuple(sorted(work.items())), tuple(sorted(slots.items())))


@lru_cache(maxsize=4096)
def _solve(
    work: tuple[tuple[tuple[Usage, ...], int], ...], slots: tuple[tuple[str, int], ...]
) -> Bound:
    fixed: Counter[str] = Counter()
    open_choices: list[tuple[tuple[Usage, ...], int]] = []
    for ways, count in work:
        if not ways:
            raise ValueError("work that no engine of the target can do")
        if len(ways) > 1:
            open_choices.append((ways, count))
            continue
        for engine, taken in next(iter(ways)):
            fixed[engine] += taken * count
    used: dict[str, float] = {engine: float(fixed[engine]) for engine, _ in slots}
    prices: dict[str, float] = {}
    if open_choices:
        used, prices = _divide(open_choices, dict(slots), fixed)
    loads = {engine: used[engine] / count for engine, count in slots if count and used[engine]}
    cycles = max(loads.values(), default=0.0)
    tight = cycles * (1 - 1e-6)
    binding = tuple(engine for engine, load in loads.items() if load >= tight)
    if not open_choices:
        prices = {engine: 1 / (len(binding) * dict(slots)[engine]) for engine in binding}
    return Bound(cycles, binding, used, dict(fixed), prices)


def _divide(
    choices: list[tuple[tuple[Usage, ...], int]], slots: dict[str, int], fixed: Counter[str]
) -> tuple[dict[str, float], dict[str, float]]:
    """Slots taken per engine when the open choices are made best, and the prices of slots."""
    # Columns: the cycles, then a share of the work per choice and way.
    ways = [way for ways, _ in choices for way in ways]
    engines = list(slots)
    equal = np.zeros((len(choices), 1 + len(ways)))
    column = 1
    for row, (alternatives, _) in enumerate(choices):
        equal[row, column : column + len(alternatives)] = 1
        column += len(alternatives)
    limit = np.zeros((len(engines), 1 + len(ways)))
    for row, engine in enumerate(engines):
        limit[row, 0] = -slots[engine]
        limit[row, 1:] = [sum(n for e, n in way if e == engine) for way in ways]
    solution = linprog(
        c=np.eye(1, 1 + len(ways))[0],
        A_ub=limit,
        b_ub=[-fixed[engine] for engine in engines],
        A_eq=equal,
        b_eq=[count for _, count in choices],
    )
    if solution.x is None:
        raise ValueError("work that no engine of the target can do")
    totals: list[float] = (limit[:, 1:] @ solution.x[1:]).tolist()
    used = {
        engine: fixed[engine] + float(total) for engine, total in zip(engines, totals, strict=True)
    }
    duals: list[float] = solution.ineqlin.marginals.tolist()
    prices = {engine: -dual for engine, dual in zip(engines, duals, strict=True) if dual < 0}
    return used, prices
