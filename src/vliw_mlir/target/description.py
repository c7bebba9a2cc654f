"""The description of a machine: engines, slots, vector length, scratch size."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any, cast

from vliw_mlir.errors import CompileError
from vliw_mlir.target.isa import (
    ARITHMETIC,
    DEBUG_ENGINE,
    DEBUG_INSTRUCTIONS,
    OTHER_FORMATS,
    SCALAR_ARITHMETIC,
    VECTOR_ARITHMETIC,
    Format,
)

MNEMONICS = frozenset({*ARITHMETIC, *OTHER_FORMATS})
"""Every instruction that an engine may run."""

LARGEST = 1 << 20
"""Of slots, lanes and scratch words: what no machine exceeds, and every table can hold."""


@dataclass(frozen=True)
class Engine:
    """One kind of functional unit."""

    name: str
    slots: int
    """How many instructions it takes per bundle."""
    instructions: tuple[str, ...]
    """The mnemonics it runs."""
    arithmetic: str = "scalar"
    """Whether its arithmetic mnemonics are `scalar` or `vector`."""

    def format(self, mnemonic: str) -> Format | None:
        """The format of `mnemonic` on this engine, None when it does not run it."""
        if mnemonic not in self.instructions:
            return None
        if mnemonic in ARITHMETIC:
            table = VECTOR_ARITHMETIC if self.arithmetic == "vector" else SCALAR_ARITHMETIC
            return table[mnemonic]
        return OTHER_FORMATS[mnemonic]


@dataclass(frozen=True)
class Target:
    """A machine. The one place that knows slot counts, vector length and scratch size."""

    name: str
    vlen: int
    """Lanes (words) of a vector."""
    scratch: int
    """Words of scratch."""
    engines: tuple[Engine, ...]

    @cached_property
    def slots(self) -> dict[str, int]:
        """Slots per bundle of each engine."""
        return {engine.name: engine.slots for engine in self.engines}

    @cached_property
    def formats(self) -> dict[tuple[str, str], Format]:
        """The format of each `(engine, mnemonic)` that the machine has."""
        return {
            (engine.name, mnemonic): form
            for engine in self.engines
            if engine.slots
            for mnemonic in engine.instructions
            if (form := engine.format(mnemonic))
        }

    @cached_property
    def _engines_by_instruction(self) -> dict[tuple[str, bool], tuple[str, ...]]:
        table: dict[tuple[str, bool], tuple[str, ...]] = {}
        for (engine, mnemonic), form in self.formats.items():
            key = (mnemonic, form.vector)
            table[key] = (*table.get(key, ()), engine)
        return table

    def engines_for(self, mnemonic: str, *, vector: bool = False) -> tuple[str, ...]:
        """The engines that run `mnemonic`, preferred first; empty when none does.

        `vector` picks the lane-wise form of an arithmetic mnemonic.
        """
        return self._engines_by_instruction.get((mnemonic, vector), ())

    def to_dict(self) -> dict[str, Any]:
        """The description as plain data; `Target.from_dict` reads it back."""
        return {
            "name": self.name,
            "vlen": self.vlen,
            "scratch": self.scratch,
            "engines": {
                e.name: {
                    "slots": e.slots,
                    "arithmetic": e.arithmetic,
                    "instructions": list(e.instructions),
                }
                for e in self.engines
            },
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any], *, where: str = "target") -> Target:
        """Build a target from plain data; what is left out is as in the default target.

        Raises `CompileError` naming `where` for unknown keys or bad values.
        """
        if not isinstance(cast(object, data), Mapping):
            raise CompileError(f"{where}: the description of a machine must be a table")
        merged = _default_data()
        _check_keys(data, {"name", "vlen", "scratch", "engines"}, where)
        merged.update({key: data[key] for key in ("name", "vlen", "scratch") if key in data})
        engines = data.get("engines", {})
        if not isinstance(engines, Mapping):
            raise CompileError(f"{where}: 'engines' must be a table")
        for name, given in cast(Mapping[str, Any], engines).items():
            if isinstance(given, int) and not isinstance(given, bool):
                given = {"slots": given}
            if not isinstance(given, Mapping):
                raise CompileError(f"{where}: engine '{name}' must be a table or a slot count")
            given = cast(Mapping[str, Any], given)
            _check_keys(given, {"slots", "arithmetic", "instructions"}, f"{where}: engine '{name}'")
            merged["engines"].setdefault(name, {}).update(given)
        return _build(merged, where)

    @staticmethod
    def load(path: str | Path) -> Target:
        """Read a target file, TOML or JSON by its suffix.

        Raises `CompileError` when the file is missing, malformed or describes no machine.
        """
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as e:
            raise CompileError(f"cannot read target file '{path}': {e.strerror}") from e
        except UnicodeDecodeError as e:
            raise CompileError(f"cannot read target file '{path}': not UTF-8 text") from e
        try:
            if path.suffix == ".json":
                data = json.loads(text)
            elif path.suffix == ".toml":
                data = tomllib.loads(text)
            else:
                raise CompileError(f"target file '{path}' must end in .toml or .json")
        except (ValueError, RecursionError) as e:
            raise CompileError(f"malformed target file '{path}': {e}") from e
        return Target.from_dict(data, where=str(path))

    @staticmethod
    def default() -> Target:
        """The default machine (`default.toml`)."""
        return _default_target()


def _check_keys(data: Mapping[str, Any], known: set[str], where: str) -> None:
    unknown = sorted(set(data) - known, key=str)
    if unknown:
        raise CompileError(
            f"{where}: unknown key '{unknown[0]}' (known: {', '.join(sorted(known))})"
        )


def _default_data() -> dict[str, Any]:
    text = resources.files("vliw_mlir.target").joinpath("default.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def _default_target() -> Target:
    return _build(_default_data(), "default target")


def _size(value: object, what: str, where: str, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= LARGEST:
        raise CompileError(
            f"{where}: {what} must be an integer in {least}..{LARGEST}, not {value!r}"
        )
    return value


def _build(data: dict[str, Any], where: str) -> Target:
    if not isinstance(data["name"], str):
        raise CompileError(f"{where}: 'name' must be a string, not {data['name']!r}")
    engines: list[Engine] = []
    for name, fields in data["engines"].items():
        place = f"{where}: engine '{name}'"
        if not isinstance(name, str) or not (name.isascii() and name.isidentifier()):
            raise CompileError(f"{place}: the name must be an identifier")
        slots = _size(fields.get("slots"), "'slots'", place, least=0)
        arithmetic = fields.get("arithmetic", "scalar")
        if arithmetic not in ("scalar", "vector"):
            raise CompileError(f"{place}: 'arithmetic' must be 'scalar' or 'vector'")
        instructions = fields.get("instructions", [])
        if not isinstance(instructions, list):
            raise CompileError(f"{place}: 'instructions' must be a list of mnemonics")
        for mnemonic in cast(list[object], instructions):
            if not isinstance(mnemonic, str) or mnemonic not in MNEMONICS:
                raise CompileError(f"{place}: unknown instruction {mnemonic!r}")
            if (mnemonic in DEBUG_INSTRUCTIONS) != (name == DEBUG_ENGINE):
                raise CompileError(
                    f"{place}: cannot run {mnemonic!r}: debug instructions belong to the engine "
                    f"'{DEBUG_ENGINE}', which runs no others"
                )
        engines.append(Engine(name, slots, tuple(cast(list[str], instructions)), arithmetic))
    return Target(
        data["name"],
        _size(data["vlen"], "'vlen'", where),
        _size(data["scratch"], "'scratch'", where),
        tuple(engines),
    )


__all__ = ["DEBUG_ENGINE", "Engine", "Target"]
