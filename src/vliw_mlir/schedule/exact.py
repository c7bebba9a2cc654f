"""The shortest schedule of a small block, by constraint programming.

Whether there is a schedule of so many cycles is a question to a solver (CP-SAT): each node starts
in one of the cycles that what comes before and after it leave, in one of its ways. That a node
has started by some cycle is one variable, so that an edge is an implication for each cycle (the
formulation of Christofides, Alvarez-Valdés and Tamarit, "Project scheduling with resource
constraints: A branch and bound approach", EJOR 1987). A schedule that is known is shortened until
the solver proves that nothing shorter exists.

All of it is deterministic: the solver has one thread, and its effort is counted, not timed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vliw_mlir.errors import CompileError
from vliw_mlir.schedule.graph import Graph
from vliw_mlir.schedule.justify import heights
from vliw_mlir.schedule.list_schedule import Limits, Schedule
from vliw_mlir.schedule.search import Found

MOST_NODES = 128
"""Larger blocks are left as they are."""

EFFORT = 20.0
"""The solver's limit for one length of a block; in its own unit, which is about a second."""


class ExactScheduler:
    """Shortens schedules as far as they can be.

    Raises `CompileError` where the solver is not installed.
    """

    def __init__(self, effort: float = EFFORT):
        try:
            from ortools.sat.python import cp_model
        except ImportError:
            raise CompileError(
                "schedule=exact needs OR-Tools: pip install 'vliw-mlir[exact]'"
            ) from None
        self.library: Any = cp_model
        self.effort = effort

    def shorten(self, graph: Graph, limits: Limits, found: Found) -> Found:
        """The shortest schedule of a graph, given one that may be longer.

        Its `least_cycles` is less than its length only where the graph is too large or the
        solver's effort ends before it can tell.
        """
        if len(graph.nodes) > MOST_NODES:
            return found
        while found.cycles > found.least_cycles:
            model = _Model(self.library, graph, limits, found.cycles - 1)
            solver = self.library.CpSolver()
            solver.parameters.num_workers = 1
            # Linear relaxation proves quickly what is a matter of counting slots.
            solver.parameters.linearization_level = 2
            solver.parameters.max_deterministic_time = self.effort
            status = solver.solve(model.model)
            if status == self.library.INFEASIBLE:
                return found._replace(least_cycles=found.cycles)
            if status == self.library.UNKNOWN:
                return found
            found = model.found(solver, found.least_cycles)
        return found


@dataclass
class _Variables:
    """The variables of a node, by cycle. Numbers are what is known."""

    first: int
    """The first cycle in which it can start."""
    last: int
    """The last cycle in which it can finish."""
    started: dict[int, Any] = field(default_factory=dict[int, Any])
    """Whether it has started by the end of a cycle."""
    finished: dict[int, Any] = field(default_factory=dict[int, Any])
    """Whether it has finished by the end of a cycle."""

    def has_started(self, cycle: int) -> Any:
        return 0 if cycle < self.first else self.started.get(cycle, 1)

    def has_finished(self, cycle: int) -> Any:
        return 0 if cycle < self.first else self.finished.get(cycle, 1)


class _Model:
    """The question whether a graph has a schedule of `cycles`."""

    def __init__(self, library: Any, graph: Graph, limits: Limits, cycles: int):
        self.problem = graph.forward
        self.graph = graph
        self.cycles = cycles
        self.model: Any = library.CpModel()
        self.slots: list[int] = self.problem.slots.tolist()
        self.way_start: list[int] = self.problem.way_start.tolist()
        self.engine: list[int] = self.problem.way_engine.tolist()
        self.count: list[int] = self.problem.way_count.tolist()
        self.need: list[int] = self.problem.way_need.tolist()
        self.starts: dict[tuple[int, int], Any] = {}
        """Whether a node starts in a way and a cycle, by those."""
        self.goes_on: dict[tuple[int, int], Any] = {}
        """Whether it then goes on in the next cycle."""
        self.late: dict[tuple[int, int], Any] = {}
        """How many slots of an engine what has begun in a cycle takes in the next one."""
        release: list[int] = heights(graph.backward).tolist()
        height: list[int] = heights(graph.forward).tolist()
        self.nodes = [
            _Variables(first, cycles - 1 - after)
            for first, after in zip(release, height, strict=True)
        ]
        for node in range(len(self.nodes)):
            self._add_node(node)
        self._add_edges()
        for engine in range(len(self.slots)):
            self._add_engine(engine)
        if self.problem.fixed_words + int(self.problem.group_taken.sum()) > limits.words:
            self._add_words(limits.words)

    def _bool(self) -> Any:
        return self.model.new_bool_var("")

    def _ways(self, node: int) -> range:
        return range(self.way_start[node], self.way_start[node + 1])

    def _add_node(self, node: int) -> None:
        variables = self.nodes[node]
        starts_of_node: list[Any] = []
        for cycle in range(variables.first, variables.last):
            variables.started[cycle] = self._bool()
        for cycle in range(variables.first, variables.last + 1):
            going_on: list[Any] = []
            starts_now: list[Any] = []
            for way in self._ways(node):
                starts = self.starts[way, cycle] = self._bool()
                starts_now.append(starts)
                if self.count[way] > 1 and cycle < variables.last:
                    goes_on = self.goes_on[way, cycle] = self._bool()
                    self.model.add_implication(goes_on, starts)
                    going_on.append(goes_on)
            self.model.add(
                variables.has_started(cycle) - variables.has_started(cycle - 1) == sum(starts_now)
            )
            starts_of_node += starts_now
            if not going_on:
                variables.finished[cycle] = variables.has_started(cycle)
                continue
            finished = variables.finished[cycle] = self._bool()
            self.model.add(finished == variables.has_started(cycle) - sum(going_on))
        self.model.add_exactly_one(starts_of_node)

    def _add_edges(self) -> None:
        problem = self.problem
        edge_start: list[int] = problem.edge_start.tolist()
        to: list[int] = problem.edge_node.tolist()
        distances: list[int] = problem.edge_cycles.tolist()
        for node, variables in enumerate(self.nodes):
            for edge in range(edge_start[node], edge_start[node + 1]):
                after = self.nodes[to[edge]]
                for cycle in range(after.first, after.last + 1):
                    done = variables.has_finished(cycle - distances[edge])
                    self.model.add(after.has_started(cycle) <= done)
        for (way, cycle), starts in self.starts.items():
            if self.need[way] >= 0:
                self.model.add(starts <= self.nodes[self.need[way]].has_finished(cycle - 1))

    def _add_engine(self, engine: int) -> None:
        """No more slots are taken than there are.

        It is enough to let one node per cycle and engine go on in the next: of two, one could
        give the other its early slots for late ones and start later, or finish earlier.
        """
        ways = [way for way, on in enumerate(self.engine) if on == engine]
        for cycle in range(self.cycles):
            going_on = {w: self.goes_on[w, cycle] for w in ways if (w, cycle) in self.goes_on}
            late: Any = 0
            if going_on:
                late = self.model.new_int_var(0, self.slots[engine], "")
                self.model.add_at_most_one(going_on.values())
                self.model.add(late >= sum(going_on.values()))
                self.model.add(
                    late <= sum((self.count[way] - 1) * on for way, on in going_on.items())
                )
            self.late[engine, cycle] = late
            begun = sum(
                self.count[way] * self.starts[way, cycle]
                for way in ways
                if (way, cycle) in self.starts
            )
            before = self.late.get((engine, cycle - 1), 0)
            self.model.add(begun - late + before <= self.slots[engine])

    def _add_words(self, limit: int) -> None:
        """No more words of scratch are taken than there are.

        Words are taken from the first cycle in which a node touches them. They are free again
        in the one in which the last one reads them, or in the one after it writes them.
        """
        taken: list[int] = self.problem.group_taken.tolist()
        touches: list[int] = self.problem.group_touches.tolist()
        changes: list[list[Any]] = [[] for _ in range(self.cycles)]
        for number, group in enumerate(self.graph.groups):
            nodes = group.readers | group.writers
            is_freed = touches[number] == len(nodes)
            for cycle in range(self.cycles):
                if taken[number]:
                    held = self._bool()
                    changes[cycle].append(taken[number] * held)
                    for node in nodes:
                        self.model.add(held >= self.nodes[node].has_started(cycle))
                if is_freed:
                    free = self._bool()
                    changes[cycle].append(-group.words * free)
                    for node in nodes:
                        by = cycle - 1 if node in group.writers else cycle
                        self.model.add(free <= self.nodes[node].has_finished(by))
        for change in changes:
            self.model.add(sum(change) <= limit - self.problem.fixed_words)

    def found(self, solver: Any, least_cycles: int) -> Found:
        """The schedule that the solver has found."""
        starts = [0] * len(self.nodes)
        finishes, chosen, first_slots = starts.copy(), starts.copy(), starts.copy()
        node_of = [node for node in range(len(self.nodes)) for _ in self._ways(node)]
        for (way, cycle), is_start in self.starts.items():
            if not solver.value(is_start):
                continue
            node = node_of[way]
            late = 0
            if solver.value(self.goes_on.get((way, cycle), 0)):
                late = solver.value(self.late[self.engine[way], cycle])
            starts[node], finishes[node] = cycle, cycle + (late > 0)
            chosen[node], first_slots[node] = way, self.count[way] - late
        schedule = Schedule(*(_ints(column) for column in (starts, finishes, chosen, first_slots)))
        return Found(max(finishes) + 1, schedule, least_cycles)


def _ints(numbers: Sequence[int]) -> Any:
    return np.array(numbers, np.int32)
