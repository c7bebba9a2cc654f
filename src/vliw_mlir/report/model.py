"""What a report says, as plain data. `Report.to_dict` is the JSON of docs/report.md.

Bundles are counted from 0 in the program, cycles of a region from 0 at its beginning. A bundle
takes a cycle; slots and words are those of the target.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class EngineWork:
    """What an engine does in one execution of a region."""

    slots: int
    """What it takes per cycle."""
    used: int
    """Slots used."""
    least_cycles: float
    """Cycles of the work that no other engine can do."""


@dataclass(frozen=True)
class Step:
    """An instruction in a chain of instructions that depend on each other."""

    bundle: int
    earliest: int
    """Cycles from the beginning of the region before which it cannot run."""
    engine: str
    instruction: str
    source: str
    """`file:line:col`, '' if unknown."""


@dataclass(frozen=True)
class Loss:
    """A part of the cycles of a region and where it went.

    The parts add up to the cycles of the region. In a cycle with slots to spare, the part that
    is lost is what these slots are worth (see `Bound.prices`).
    """

    kind: str
    """`work`: what the slots take at least. `detours`: instructions that run on dearer slots than
    need be. Slots left empty: `start-up`, before the engines that bind are first full; `drain`,
    after they were last; between, `scratch` where scratch is nearly full, or `waiting` for what
    is not done yet."""
    cycles: float
    first: int | None = None
    """For start-up and drain, the bundles concerned."""
    last: int | None = None
    chain: list[Step] = field(default_factory=list[Step])
    """For start-up and drain, the longest chain that ends at the first full bundle or begins at
    the last."""


@dataclass(frozen=True)
class Region:
    """Bundles that are entered at the first and run in order."""

    first: int
    last: int
    is_scheduled: bool
    """Whether bounds are those of the compiler, with choices of engines left open and what goes
    through memory in its order. Otherwise they are those of the instructions as they are."""
    lines: dict[str, list[int]]
    """By file, the source lines it comes from."""
    executed: int
    cycles: int
    """Of one execution."""
    total_cycles: int
    """Of the whole run."""
    slot_cycles: float
    """The least number of cycles by slots alone."""
    path_cycles: int
    """The least number of cycles by dependences alone."""
    least_cycles: int
    """The best lower bound."""
    total_least_cycles: int
    """Of the whole run."""
    binds: list[str]
    """What the bound comes from: `path`, or engines."""
    engines: dict[str, EngineWork]
    peak_words: int
    """Most words of scratch in use at once."""
    peak_bundle: int
    losses: list[Loss]
    path: list[Step]

    @property
    def ratio(self) -> float:
        """Cycles per cycle of the bound."""
        return self.cycles / self.least_cycles if self.least_cycles else 1.0


@dataclass(frozen=True)
class Loop:
    """A loop of the program: the bundles from the target of a jump back up to the jump."""

    first: int
    last: int
    source: str
    """Where the jump comes from, '' if unknown."""
    entered: int
    iterations: int
    """In the whole run."""
    cycles: int
    """Of the whole run, inner loops included."""
    least_cycles: int
    """The sum of the bounds of its regions, as often as they ran."""


@dataclass(frozen=True)
class Instruction:
    """An instruction before it has a place in a bundle."""

    mnemonic: str
    source: str


@dataclass(frozen=True)
class Pipelining:
    """What came of software pipelining an innermost loop; None for what is not known.

    Names are those of the literature (Rau, "Iterative modulo scheduling", 1996).
    """

    source: str
    """Where the jump of the loop comes from, '' if unknown."""
    reason: str | None
    """Why it is not pipelined, None if it is."""
    block_cycles: int | None
    """Cycles of an iteration without pipelining."""
    ii: int | None
    """Cycles between iterations."""
    res_mii: float | None
    """What slots allow, not rounded."""
    binds: list[str]
    """The engines that this comes from."""
    rec_mii: int | None
    """What the instructions allow that wait for the iteration before."""
    recurrence: list[Instruction]
    """These instructions, if they take more than a cycle."""
    stages: int | None
    """Iterations under way at a time."""
    copies: int | None
    """How many iterations the code that repeats is for."""
    words: int | None
    """Words of scratch for what iterations under way compute."""


@dataclass(frozen=True)
class Line:
    """A line of the source."""

    file: str
    line: int
    cycles: float
    """Of the whole run; a cycle is divided evenly among the slots of its bundle."""
    slots: dict[str, int]
    """Executed slots by engine."""
    text: str | None
    """None if the source is not at hand."""


@dataclass(frozen=True)
class Machine:
    """The target, as far as the report needs it."""

    name: str
    vlen: int
    scratch: int
    slots: dict[str, int]
    """Per bundle, of each engine that costs cycles."""


@dataclass(frozen=True)
class Profile:
    """Figures per bundle of the program."""

    executed: list[int]
    used: dict[str, list[int]]
    """Slots used, by engine."""
    words: list[int]
    """Words of scratch whose content is needed, when the bundle begins."""


@dataclass(frozen=True)
class Report:
    """How good a program is and what binds it, for one run."""

    kernel: str
    machine: Machine
    cycles: int
    least_cycles: int
    """The sum of the bounds of all regions, as often as they ran."""
    spilled_words: int | None
    """Words of memory that spilled registers take; None if not known."""
    regions: list[Region]
    loops: list[Loop]
    """Those that jumped back in this run."""
    pipelining: list[Pipelining]
    """Of the loops as they were before, in the order of the program."""
    lines: list[Line]
    """Most cycles first."""
    profile: Profile

    @property
    def ratio(self) -> float:
        """Cycles per cycle of the bound."""
        return self.cycles / self.least_cycles if self.least_cycles else 1.0

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data for JSON."""
        return {"version": 1} | asdict(self)
