"""Upstream dialects where xDSL's definition falls short of what MLIR reads and prints.

Each replaces the whole dialect of the same name in this project's tools, and only there:
operations that are fine are xDSL's own, the others are subclasses of xDSL's where one exists,
so that passes written for xDSL's classes keep working.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Dialect


def _arith() -> Dialect:
    from vliw_mlir.dialects.upstream.arith import Arith

    return Arith


def _linalg() -> Dialect:
    from vliw_mlir.dialects.upstream.linalg import Linalg

    return Linalg


def _memref() -> Dialect:
    from vliw_mlir.dialects.upstream.memref import MemRef

    return MemRef


def _scf() -> Dialect:
    from vliw_mlir.dialects.upstream.scf import Scf

    return Scf


def _tensor() -> Dialect:
    from vliw_mlir.dialects.upstream.tensor import Tensor

    return Tensor


def _vector() -> Dialect:
    from vliw_mlir.dialects.upstream.vector import Vector

    return Vector


OVERRIDES: dict[str, Callable[[], Dialect]] = {
    "arith": _arith,
    "linalg": _linalg,
    "memref": _memref,
    "scf": _scf,
    "tensor": _tensor,
    "vector": _vector,
}
"""Replacement dialects by name."""
