"""Picking some of many equal things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def evenly(items: Sequence[T], count: int) -> list[T]:
    """`count` of the items, at equal distances, so that no part of a program has them all."""
    total = len(items)
    return [x for n, x in enumerate(items) if (n + 1) * count // total > n * count // total]
