"""A program for the machine: bundles of slots, with the interface of its kernel."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from vliw_mlir.abi.interface import Interface
from vliw_mlir.errors import CompileError
from vliw_mlir.target import Target
from vliw_mlir.target.isa import Role

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from vliw_mlir.sim.run import Result

Slot = tuple[Any, ...]
"""`(mnemonic, operand, …)`; operands are ints, for debug slots any JSON value."""

Bundle = dict[str, list[Slot]]
"""The slots of each engine that issue together."""


@dataclass
class Program:
    """What the machine runs, and what a loader must know to run it."""

    bundles: list[Bundle]
    interface: Interface
    target: Target = field(default_factory=Target.default)
    sources: list[list[str]] | None = None
    """Per bundle, per slot in bundle order: the source place it came from, '' if unknown."""

    def source(self, bundle: int, slot: int) -> str:
        """Where the given slot, numbered in bundle order, came from; '' if unknown."""
        return self.sources[bundle][slot] if self.sources is not None else ""

    def jump_targets(self) -> set[int]:
        """The bundles that jumps go to by number; the end of the program may be among them."""
        formats = self.target.formats
        return {
            operand
            for bundle in self.bundles
            for engine, slots in bundle.items()
            for slot in slots
            if (form := formats.get((engine, slot[0]))) is not None
            for role, operand in zip(form.roles, slot[1:], strict=False)
            if role is Role.TARGET and type(operand) is int
        }

    def run(
        self,
        *args: int | ArrayLike,
        strict: bool = True,
        step_limit: int | None = None,
        debug_values: Mapping[Hashable, int] | None = None,
    ) -> Result:
        """Simulate on arguments, one int or array each; see `vliw_mlir.sim.run.run_program`."""
        # Imported late: compiling needs no simulator, and that one is slow to import.
        from vliw_mlir.sim.run import run_program

        return run_program(
            self, args, strict=strict, step_limit=step_limit, debug_values=debug_values
        )

    def to_json(self) -> dict[str, Any]:
        """The program file as plain data."""
        out: dict[str, Any] = {
            "bundles": [
                {engine: [list(slot) for slot in slots] for engine, slots in bundle.items()}
                for bundle in self.bundles
            ],
            "abi": self.interface.to_dict(),
            "target": self.target.to_dict(),
        }
        if self.sources is not None:
            out["sources"] = self.sources
        return out

    def dumps(self) -> str:
        """The program file as text, one bundle per line."""
        data = self.to_json()
        lines = [json.dumps(bundle, separators=(", ", ": ")) for bundle in data.pop("bundles")]
        rest = "".join(f',\n"{key}": {json.dumps(value)}' for key, value in data.items())
        return '{"bundles": [\n' + ",\n".join(lines) + "\n]" + rest + "}\n"

    def save(self, path: str | Path) -> None:
        """Write the program file."""
        Path(path).write_text(self.dumps(), encoding="utf-8")

    @staticmethod
    def from_json(data: Any, *, target: Target | None = None) -> Program:
        """Build a program from a program file's data, or from a bare list of bundles.

        `abi` and `target` may be missing: the interface then has no arguments, the target
        is the one given or the default. Only the shape is checked here; whether slots are
        legal for the target is the verifier's matter. Raises `CompileError`.
        """
        fields = cast(dict[str, Any], data if isinstance(data, dict) else {"bundles": data})
        bundles = fields.get("bundles")
        if not isinstance(bundles, list):
            raise CompileError("malformed program file: 'bundles' must be a list")
        interface = (
            Interface.from_dict(fields["abi"])
            if fields.get("abi") is not None
            else Interface("program", (), ())
        )
        if target is None and fields.get("target") is not None:
            target = Target.from_dict(fields["target"], where="program file")
        checked = [_bundle(b, n) for n, b in enumerate(cast(list[Any], bundles))]
        sources = _sources(fields.get("sources"), checked)
        return Program(checked, interface, target or Target.default(), sources)

    @staticmethod
    def loads(text: str, *, target: Target | None = None, name: str = "program file") -> Program:
        """Read a program file's text. Raises `CompileError` when it is malformed."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as e:
            raise CompileError(f"malformed {name}: {e}") from e
        return Program.from_json(data, target=target)

    @staticmethod
    def load(path: str | Path, *, target: Target | None = None) -> Program:
        """Read a program file. Raises `CompileError` when it is missing or malformed."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as e:
            reason = getattr(e, "strerror", None) or "not UTF-8 text"
            raise CompileError(f"cannot read program file '{path}': {reason}") from e
        return Program.loads(text, target=target, name=f"program file '{path}'")


def _bundle(data: Any, number: int) -> Bundle:
    if not isinstance(data, dict):
        raise CompileError(f"malformed program file: bundle {number} is not an object")
    bundle: Bundle = {}
    for engine, slots in cast(dict[str, Any], data).items():
        if not isinstance(slots, list):
            raise CompileError(f"malformed program file: bundle {number}: '{engine}' is not a list")
        rows: list[Slot] = []
        for slot in cast(list[Any], slots):
            if not isinstance(slot, list | tuple) or not slot or not isinstance(slot[0], str):
                raise CompileError(
                    f"malformed program file: bundle {number}: {engine} slot {slot!r} is not "
                    "[mnemonic, operands…]"
                )
            rows.append(tuple(cast(list[Any], slot)))
        bundle[engine] = rows
    return bundle


def _sources(data: Any, bundles: list[Bundle]) -> list[list[str]] | None:
    if data is None:
        return None
    counts = [sum(map(len, bundle.values())) for bundle in bundles]
    if not isinstance(data, list) or len(cast(list[Any], data)) != len(counts):
        raise CompileError("malformed program file: 'sources' must have a list per bundle")
    rows = cast(list[Any], data)
    for number, (row, count) in enumerate(zip(rows, counts, strict=True)):
        texts = cast(list[Any], row) if isinstance(row, list) else [None]
        if len(texts) != count or not all(isinstance(text, str) for text in texts):
            raise CompileError(
                f"malformed program file: 'sources' of bundle {number} must be a string per slot"
            )
    return rows
