"""Data files: inputs and expected results of a kernel, as JSON beside its MLIR file."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from vliw_mlir.abi.image import MemoryImage
from vliw_mlir.errors import CompileError
from vliw_mlir.semantics import WORD_MASK, Words

T = TypeVar("T")


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
        """One line for each result or argument of `image` that is not as expected.

        Raises `CompileError` when the case does not fit the kernel that ran.
        """
        lines: list[str] = []
        if self.results is not None:
            lines += _compare("result", image.results(), self.results)
        if self.expected is not None:
            lines += _compare("argument", image.outputs(), self.expected)
        return lines


def _compare(
    what: str, have: Sequence[int | Words | None], want: Sequence[int | list[int] | None]
) -> list[str]:
    if len(have) != len(want):
        raise CompileError(
            f"the case says what to expect of {len(want)} {what}s, the kernel has {len(have)}"
        )
    lines: list[str] = []
    for number, (got, expected) in enumerate(zip(have, want, strict=True)):
        if expected is not None:
            lines += _differences(f"{what} {number}", got, expected)
    return lines


def _differences(what: str, have: int | Words | None, want: int | list[int]) -> list[str]:
    if have is None:
        raise CompileError(f"{what} is a scalar, which no run changes: the case must expect null")
    if isinstance(have, int) == isinstance(want, list):
        kind = "one word" if isinstance(have, int) else "an array"
        raise CompileError(f"{what} is {kind}, the case expects {_text(want)}")
    got = np.asarray(have, dtype=np.int64).reshape(-1)
    expected = np.asarray(want, dtype=np.int64).reshape(-1) & WORD_MASK
    if len(got) != len(expected):
        return [f"{what}: {len(got)} words, expected {len(expected)}"]
    wrong = np.flatnonzero(got != expected)
    if not wrong.size:
        return []
    first = int(wrong[0])
    place = "" if isinstance(have, int) else f"[{first}]"
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
    except (ValueError, RecursionError) as e:
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
    values = cast(list[Any], args)
    return Case(
        tuple(_value(v, f"{where}: args[{n}]") for n, v in enumerate(values)),
        _optional_list(fields, "results", where, _value),
        _optional_list(fields, "expected", where, _optional_words),
    )


def _optional_list(
    fields: dict[str, Any], key: str, where: str, read: Callable[[Any, str], T]
) -> tuple[T, ...] | None:
    values = fields.get(key)
    if values is None:
        return None
    if not isinstance(values, list):
        raise CompileError(f"{where}: '{key}' must be a list")
    items = cast(list[Any], values)
    return tuple(read(value, f"{where}: {key}[{n}]") for n, value in enumerate(items))


def _value(value: Any, where: str) -> int | list[int]:
    """A scalar or a flat list of integers, checked to be words."""
    if isinstance(value, list):
        return _words(cast(list[Any], value), where)
    if not _is_word(value):
        raise CompileError(f"{where}: {_text(value)} is not a 32-bit integer")
    return value


def _optional_words(value: Any, where: str) -> list[int] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise CompileError(f"{where}: {_text(value)} is neither a list nor null")
    return _words(cast(list[Any], value), where)


def _words(items: list[Any], where: str) -> list[int]:
    for n, item in enumerate(items):
        if not _is_word(item):
            raise CompileError(f"{where}[{n}]: {_text(item)} is not a 32-bit integer")
    return items


def _is_word(value: Any) -> bool:
    return type(value) is int and -(1 << 31) <= value < 1 << 32


def _text(value: Any) -> str:
    """A value as the file spells it, the beginning of it if it is long."""
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
