"""Data files: inputs and expected results of a kernel, as JSON beside its MLIR file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from vliw_mlir.abi.image import MemoryImage
from vliw_mlir.errors import CompileError
from vliw_mlir.semantics import WORD_MASK


@dataclass(frozen=True)
class Case:
    """One run of a kernel: its arguments and what it should leave behind."""

    args: tuple[int | list[int], ...]
    """One per argument: a scalar, or the flat words of an array."""
    results: tuple[int | list[int], ...] | None
    """Expected results, None when the file gives none."""
    expected: tuple[list[int] | None, ...] | None
    """Expected words of each array argument after the run; None entries are not checked."""

    def mismatches(self, image: MemoryImage) -> list[str]:
        """One line for each result or argument of `image` that is not as expected."""
        lines: list[str] = []
        if self.results is not None:
            got = image.results()
            if len(got) != len(self.results):
                raise CompileError(
                    f"the case expects {len(self.results)} results, the kernel has {len(got)}"
                )
            for number, (have, want) in enumerate(zip(got, self.results, strict=True)):
                lines += _differences(f"result {number}", have, want)
        if self.expected is not None:
            outputs = image.outputs()
            if len(outputs) != len(self.expected):
                raise CompileError(
                    f"the case expects values for {len(self.expected)} arguments, "
                    f"the kernel has {len(outputs)}"
                )
            for number, (have, want) in enumerate(zip(outputs, self.expected, strict=True)):
                if want is not None and have is None:
                    raise CompileError(f"the case expects words of argument {number}, a scalar")
                if want is not None and have is not None:
                    lines += _differences(f"argument {number}", have, want)
        return lines


def _differences(what: str, have: Any, want: int | list[int]) -> list[str]:
    got = np.asarray(have, dtype=np.int64).reshape(-1)
    expected = np.asarray(want, dtype=np.int64).reshape(-1) & WORD_MASK
    if len(got) != len(expected):
        return [f"{what}: {len(got)} words, expected {len(expected)}"]
    wrong = np.flatnonzero(got != expected)
    if not wrong.size:
        return []
    first = int(wrong[0])
    place = f"[{first}]" if not np.isscalar(have) else ""
    more = f" ({wrong.size} of {len(got)} words differ)" if len(got) > 1 else ""
    return [f"{what}{place}: {int(got[first])}, expected {int(expected[first])}{more}"]


def load_cases(path: str | Path) -> tuple[Case, ...]:
    """Read the cases of a data file.

    Raises `CompileError` when the file is missing or is not a data file.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as e:
        raise CompileError(f"cannot read data file '{path}': {e.strerror}") from e
    except UnicodeDecodeError as e:
        raise CompileError(f"cannot read data file '{path}': not UTF-8 text") from e
    try:
        data = json.loads(text)
    except ValueError as e:
        raise CompileError(f"malformed data file '{path}': {e}") from e
    cases = cast(dict[str, Any], data).get("cases") if isinstance(data, dict) else None
    if not isinstance(cases, list):
        raise CompileError(f"malformed data file '{path}': expected an object with 'cases'")
    cases = cast(list[Any], cases)
    if not cases:
        raise CompileError(f"malformed data file '{path}': 'cases' is empty")
    return tuple(_case(case, f"data file '{path}', case {n}") for n, case in enumerate(cases))


def _case(data: Any, where: str) -> Case:
    if not isinstance(data, dict):
        raise CompileError(f"{where}: expected an object")
    fields = cast(dict[str, Any], data)
    args = fields.get("args")
    if not isinstance(args, list):
        raise CompileError(f"{where}: 'args' must be a list")
    return Case(
        tuple(_value(v, f"{where}: args[{n}]") for n, v in enumerate(cast(list[Any], args))),
        _optional_list(fields, "results", where),
        _optional_list(fields, "expected", where),
    )


def _optional_list(fields: dict[str, Any], key: str, where: str) -> Any:
    values = fields.get(key)
    if values is None:
        return None
    if not isinstance(values, list):
        raise CompileError(f"{where}: '{key}' must be a list")
    return tuple(
        None if value is None else _value(value, f"{where}: {key}[{n}]")
        for n, value in enumerate(cast(Sequence[Any], values))
    )


def _value(value: Any, where: str) -> int | list[int]:
    """A scalar or a flat list of integers, checked to be words."""

    def is_word(x: Any) -> bool:
        return type(x) is int and -(1 << 31) <= x < 1 << 32

    if isinstance(value, list):
        items = cast(list[Any], value)
        for n, item in enumerate(items):
            if not is_word(item):
                raise CompileError(f"{where}[{n}]: {item!r} is not a 32-bit integer")
        return items
    if not is_word(value):
        raise CompileError(f"{where}: {value!r} is not a 32-bit integer")
    return cast(int, value)
