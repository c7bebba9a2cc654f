"""How a dialect of xDSL is replaced by a better one."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Dialect, Operation


class Redefinition:
    """Base of an operation that redefines one of xDSL's with other types or another syntax.

    It comes before xDSL's class among the bases and clears that class's syntax, which IRDL
    otherwise takes for a second definition. The subclass repeats all operands, results and
    properties: IRDL reads each from the most derived class, and cannot read an inherited one.
    It also repeats `verify_`, as the inherited one checks the old definition.
    """

    parse = Operation.__dict__["parse"]
    print = Operation.print


def extend(base: Dialect, operations: Sequence[type[Operation]]) -> Dialect:
    """`base` with `operations` added, in place of those of the same name."""
    names = {op.name for op in operations}
    kept = [op for op in base.operations if op.name not in names]
    # The interfaces have no public accessor.
    return Dialect(base.name, [*kept, *operations], list(base.attributes), base._interfaces)  # pyright: ignore[reportPrivateUsage]
