"""How many iterations ahead a load of a loop may run without a trap.

Whether the loop goes on so long is not known then. But an iteration that takes place loads words
that can be read, and in those that follow the address advances by a constant. Behind the data of
the caller there are `SLACK_WORDS` that can be read as well: so far it may advance.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Block

from vliw_mlir.abi.interface import SLACK_WORDS
from vliw_mlir.analysis.advances import Advances
from vliw_mlir.analysis.alias import Access, AliasAnalysis
from vliw_mlir.analysis.buffers import has_slack
from vliw_mlir.dialects import word

FURTHEST = SLACK_WORDS
"""How many iterations ahead is far enough, for addresses that do not advance."""


def loads_ahead(block: Block, aliases: AliasAnalysis) -> Iterator[tuple[word.LoadOp, int]]:
    """Loads of a block that branches to itself, and how many iterations, at least 1, each of them
    may run ahead of the last one that is known to take place."""
    advances = Advances(block, aliases)
    for op in block.ops:
        if isinstance(op, word.LoadOp) and (ahead := _ahead(aliases.access(op), advances)):
            yield op, ahead


def _ahead(access: Access, advances: Advances) -> int:
    advance = None if access.offset is None else advances.of(access.offset)
    if advance == 0:
        return FURTHEST
    if advance is None or advance < 0 or not has_slack(access.buffer):
        return 0
    # The first word is one of the buffer, the others may lie behind it already.
    return max(0, SLACK_WORDS - (access.words - 1)) // advance
