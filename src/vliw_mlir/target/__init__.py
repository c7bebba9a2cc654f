"""The machine: its instructions (`isa`) and its description as data (`description`)."""

from vliw_mlir.target.description import Engine, Target

__all__ = ["Engine", "Target"]
