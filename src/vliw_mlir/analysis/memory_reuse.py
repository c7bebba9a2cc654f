"""Which words of memory would be held in registers if nothing was loaded twice."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence

from xdsl.ir import Block, Operation

from vliw_mlir.analysis.alias import AliasAnalysis, is_opaque
from vliw_mlir.analysis.memory_table import MemoryTable
from vliw_mlir.dialects import word


def loads_beyond(block: Block, analysis: AliasAnalysis, most_words: int) -> set[Operation]:
    """The loads of a block that have to stay if at most `most_words` words are to be held at a
    time for those that do not.

    A word is held from where the block last loaded or stored it to the load that asks for it. Of
    what is too much, what is asked for last goes, which leaves the fewest loads (Belady, "A Study
    of Replacement Algorithms for a Virtual-Storage Computer", IBM Systems Journal 1966).
    Operations with regions end what is held. Takes time n log n.
    """
    ops = list(block.ops)
    held = _held_words(ops, analysis)
    beyond: set[int] = set()
    words_for: Counter[int] = Counter()
    """How many words are held for each load now."""
    furthest: list[int] = []
    """A heap of the negated positions of loads for which something is held."""
    total = 0
    for position in range(len(ops)):
        total -= words_for.pop(position, 0)
        for load, words in held.get(position, Counter[int]()).items():
            if load in beyond:
                continue
            if load not in words_for:
                heapq.heappush(furthest, -load)
            words_for[load] += words
            total += words
        while total > most_words:
            load = -heapq.heappop(furthest)
            beyond.add(load)
            total -= words_for.pop(load, 0)
    return {ops[load] for load in beyond}


def _held_words(ops: Sequence[Operation], analysis: AliasAnalysis) -> dict[int, Counter[int]]:
    """How many words that an operation loads or stores are next loaded by which others; all
    operations by their positions."""
    last: MemoryTable[int] = MemoryTable(analysis)
    held: dict[int, Counter[int]] = {}
    for position, op in enumerate(ops):
        if op.regions or is_opaque(type(op)):
            last.clear()
        elif isinstance(op, word.AccessOp):
            access = analysis.access(op)
            if access.writes:
                last.forget(access)
            else:
                for earlier in last.get(access):
                    if earlier is not None:
                        held.setdefault(earlier, Counter())[position] += 1
            if access.offset is not None:
                last.set(access, [position] * access.words)
        elif isinstance(op, word.AllocOp) and op.init is not None:
            last.forget_buffer(op.result)
    return held
