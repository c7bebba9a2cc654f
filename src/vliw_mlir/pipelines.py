"""The named pipelines behind `-O0` to `-O3`."""

from __future__ import annotations

from collections.abc import Sequence

_TO_SSA = ("inline-calls", "convert-std-to-kernel", "convert-kernel-to-word")
_TO_BLOCKS = ("convert-word-scf-to-cf", "legalize-vectors", "expand-word-ops")
_BLOCKS = (
    "convert-word-scf-to-cf",
    "sccp",
    "simplify-cfg",
    "hoist-equivalent",
    # Whatever folds constants would undo it.
    "derive-vector-constants",
    "legalize-vectors",
    "expand-word-ops",
)
_EMIT = ("convert-word-to-vliw",)
_SCHEDULE = ("convert-word-to-vliw{schedule=search placements=25000000}",)
_SEARCH = (
    # The first stage is the search of -O2.
    "convert-word-to-vliw{schedule=search placements=400000000 rounds=38400 search-seconds=60.0 "
    "stages=2}",
)

_SIMPLIFY = ("specialize-arguments", "simplify")

_TO_STRANDS = (
    "inline-calls",
    "convert-std-to-kernel",
    "simplify",
    # Rounds within items instead of items within rounds, while both are tensor operations.
    "form-strands",
    "convert-kernel-to-word",
)

_UNFOLD = (
    # Bounds and branches that counters decide, and with them what else depends on data only.
    "unroll-loops{deciding}",
    "simplify",
    "canonicalize-loops",
    # Guards that do not change leave their loop before they are in the way of what follows.
    "hoist-loop-invariants",
    "unswitch-loops",
    "if-conversion",
    "simplify",
    "forward-stores",
    "eliminate-dead-stores",
    "simplify",
)

_LOOPS = (
    # What a loop goes on updating in memory becomes a value that the loop carries, with the
    # loop over independent items outside. Reductions and independence show only then.
    "interchange-loops",
    "promote-loop-memory",
    "simplify",
    # Likewise the guards that come of loops which might not run.
    "hoist-loop-invariants",
    "unswitch-loops",
    "simplify",
    "if-conversion",
    "simplify",
    "vectorize-loops",
    "simplify",
    # Copies of a vectorized nest that share what they load.
    "hoist-loop-invariants",
    "form-multiply-add",
    "unroll-and-jam",
    "simplify",
    # The rounds of one vector of items, laid out: what differs between them can be used.
    "unroll-loops{inner-only max-ops=1024}",
    "simplify",
)

_REWRITE = (
    "simplify-with-ranges",
    "simplify",
    # Constants that meet values from outside of the loop are joined with them there.
    "hoist-loop-invariants",
    "reassociate",
    "simplify",
    "absorb-constants",
    "simplify",
    "simplify-with-ranges",
    "simplify",
)

_VALUES = (
    "simplify-with-ranges",
    "simplify",
    # Minima and maxima are trees only as long as they are one operation each.
    "reduce-tree-height{composed-only}",
    # All that knows signed functions is done. What they are composed of is half constants, which
    # fold, leave the loops and meet those around. Words may yet become vectors.
    "expand-word-ops{vectors-only}",
    "simplify",
    # Before lookups are replaced: their cost is weighed against that of all the rest.
    "form-multiply-add",
    # A few strands together, so that a part of their lookups can be replaced.
    "unroll-loops{factor=4 max-trips=2 max-ops=2048 only-gathers}",
    "simplify",
    "gather-to-select",
    *_REWRITE,
    # Less to do may leave room for more selections.
    "gather-to-select{slack=3}",
    *_REWRITE,
    "reassociate",
    "simplify",
    # What is left of branches in innermost loops keeps these from being pipelined.
    "if-conversion{mask-stores}",
    "simplify",
    "open-selections",
)

_COPIES = (
    # From here on there may be many operations: only passes that need to see all copies, and
    # take linear time.
    "unroll-loops{by-cost pipelined}",
    "simplify",
    # Words that were just stored would make windows over vectors wait for memory.
    "forward-stores{words-only}",
    # Shares what is loaded; so stores of several vectors can be forwarded to one load.
    "form-windows",
    "forward-stores",
    # What is left waits for memory: stores of words that may be the same or not.
    "overlap-updates",
    "simplify",
    "split-strided-accesses",
    "vectorize-accesses",
    "vectorize-straight-line",
    "eliminate-dead-stores",
    "simplify",
    # Nothing asks any more which word of an argument is accessed.
    "fold-offsets",
    "simplify",
    "scalarize-lookup-chains",
    "split-multiply-adds",
    "reduce-tree-height",
)


def _pipeline(*parts: Sequence[str]) -> str:
    return ",".join(name for part in parts for name in part)


_OPTIMIZED = _pipeline(_TO_STRANDS, _SIMPLIFY, _UNFOLD, _LOOPS, _VALUES, _COPIES, _BLOCKS)

PIPELINES: dict[str, str] = {
    "O0": _pipeline(_TO_SSA, _TO_BLOCKS, _EMIT),
    "O1": _pipeline(_TO_SSA, _SIMPLIFY, _TO_BLOCKS, _EMIT),
    "O2": _pipeline((_OPTIMIZED,), _SCHEDULE),
    # The same code, and up to a minute in search of a better schedule for it.
    "O3": _pipeline((_OPTIMIZED,), _SEARCH),
}
"""Pipeline text by level name."""


def pipeline_text(level: str) -> str:
    """The pipeline of `level` (`O0` to `O3`), as text for `-p`.

    Raises `KeyError` for an unknown level.
    """
    return PIPELINES[level]
