"""Interfaces: where the header words lie, and the form that program files keep."""

from __future__ import annotations

from typing import Any

import pytest

from vliw_mlir.abi import Argument, Interface, Result, SpillArea
from vliw_mlir.errors import CompileError

SCALAR = Argument("scalar")


def test_header_words() -> None:
    made = Interface(
        "k",
        (Argument("memref", shape=(4,), address=64), SCALAR, Argument("tensor", shape=(2,))),
        (Result("scalar"), Result("tensor", shape=(3,))),
    )
    assert made.header_slots == (None, 0, 1)
    assert made.result_slots == (2, 3)
    assert made.header_words == 4
    assert made.data_end() == 68
    assert made.data_end((60, 1, 2)) == 64 + 60


def test_sizes() -> None:
    assert SCALAR.size == 1
    assert Argument("memref", shape=(2, 3)).size == 6
    assert Argument("memref", shape=(2, None)).size is None
    assert Argument("memref", shape=()).size == 1
    assert Result("tensor", shape=(2, 0)).size == 0
    assert not Interface("k", (SCALAR, Argument("memref", shape=(None,))), ()).is_static
    assert Interface("k", (SCALAR, Argument("memref", shape=(4,))), ()).is_static


@pytest.mark.parametrize(
    "interface",
    [
        Interface("k", (), ()),
        Interface("k", (SCALAR,), (Result("scalar", 1),), SpillArea(70, 3)),
        Interface(
            "k",
            (
                Argument("scalar", 8, value=0),
                Argument("scalar", range=(0, 2**32 - 1)),
                Argument("memref", 16, (None, 3)),
                Argument("memref", 32, (), address=0),
                Argument("tensor", 1, (2, 2), range=(0, 1)),
            ),
            (Result("tensor", 8, (5,)),),
        ),
    ],
)
def test_plain_data_and_back(interface: Interface) -> None:
    assert Interface.from_dict(interface.to_dict()) == interface


def plain(**changes: Any) -> dict[str, Any]:
    """An interface of one memref as plain data, with changes to that argument."""
    interface = Interface("k", (Argument("memref", shape=(4,)),), ())
    data = interface.to_dict()
    data["args"][0].update(changes)
    return data


@pytest.mark.parametrize(
    "data",
    [
        [],
        {},
        {"kernel": "k", "args": [], "results": []},
        {"kernel": 3, "args": [], "results": [], "spill": None},
        {"kernel": "k", "args": 3, "results": [], "spill": None},
        {"kernel": "k", "args": [3], "results": [], "spill": None},
        {"kernel": "k", "args": [], "results": [{}], "spill": None},
        {"kernel": "k", "args": [], "results": [], "spill": {"address": 1}},
        {"kernel": "k", "args": [], "results": [], "spill": {"address": -1, "words": 1}},
        {"kernel": "k", "args": [], "results": [], "spill": {"address": "1", "words": 1}},
        plain(kind="buffer"),
        plain(width="32"),
        plain(width=0),
        plain(width=64),
        plain(shape=3),
        plain(shape=["4"]),
        plain(shape=[-4]),
        plain(value="7"),
        plain(value=2**32),
        plain(range=[1]),
        plain(range=[1, 2, 3]),
        plain(range=["a", "b"]),
        plain(address=-1),
        plain(address=1.5),
    ],
)
def test_malformed(data: Any) -> None:
    with pytest.raises(CompileError, match="malformed 'abi' in program file: "):
        Interface.from_dict(data)
