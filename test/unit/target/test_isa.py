"""The instruction formats: what each operand of an instruction touches."""

from __future__ import annotations

import pytest

from vliw_mlir.semantics import FUNCTIONS
from vliw_mlir.target import Target
from vliw_mlir.target.encodings import Encoding, encoding_of, mnemonic_for
from vliw_mlir.target.isa import ARITHMETIC, OTHER_FORMATS, SCALAR_ARITHMETIC, VECTOR_ARITHMETIC


def test_arithmetic_computes_word_functions() -> None:
    assert set(ARITHMETIC.values()) <= FUNCTIONS.keys()
    assert SCALAR_ARITHMETIC.keys() == VECTOR_ARITHMETIC.keys() == ARITHMETIC.keys()


@pytest.mark.parametrize(
    ("mnemonic", "operands", "accesses"),
    [
        ("vbroadcast", (8, 3), [(True, 0, 8, 4), (False, 1, 3, 1)]),
        ("vstore", (3, 8), [(False, 0, 3, 1), (False, 1, 8, 4)]),
        ("load_offset", (5, 7, -2), [(True, 0, 3, 1), (False, 1, 5, 1)]),
        ("const", (5, 7), [(True, 0, 5, 1)]),
        ("cond_jump", (5, 7), [(False, 0, 5, 1)]),
        ("jump", (7,), []),
        ("vcompare", (8, [0, 1, 2, 3]), [(False, 0, 8, 4)]),
        ("comment", ("a", "b"), []),
    ],
)
def test_scratch_accesses(
    mnemonic: str, operands: tuple[object, ...], accesses: list[tuple[bool, int, int, int]]
) -> None:
    assert list(OTHER_FORMATS[mnemonic].accesses(operands, 4)) == accesses


def test_every_instruction_is_described_in_the_contract_of_the_default_machine() -> None:
    assert {mnemonic for _, mnemonic in Target.default().formats} == {
        *ARITHMETIC,
        *OTHER_FORMATS,
    }


@pytest.mark.parametrize(
    ("function", "word", "vector"),
    [
        ("add", Encoding.DIRECT, Encoding.DIRECT),
        ("ult", Encoding.DIRECT, Encoding.DIRECT),
        ("select", Encoding.DIRECT, Encoding.DIRECT),
        ("multiply_add", Encoding.NONE, Encoding.DIRECT),
        ("ne", Encoding.NONE, Encoding.NONE),
        ("divs", Encoding.NONE, Encoding.NONE),
    ],
)
def test_encodings_of_the_default_machine(function: str, word: Encoding, vector: Encoding) -> None:
    target = Target.default()
    assert encoding_of(target, function, vector=False) is word
    assert encoding_of(target, function, vector=True) is vector


def test_vector_function_of_scalar_engines_is_taken_lane_by_lane() -> None:
    target = Target.from_dict(
        {"engines": {"valu": 0, "flow": {"instructions": ["select", "jump", "halt"]}}}
    )
    assert encoding_of(target, "add", vector=True) is Encoding.LANES
    assert encoding_of(target, "select", vector=True) is Encoding.LANES
    assert encoding_of(target, "multiply_add", vector=True) is Encoding.NONE


def test_mnemonics() -> None:
    assert mnemonic_for("add", vector=True) == "+"
    assert mnemonic_for("select", vector=True) == "vselect"
    assert mnemonic_for("select", vector=False) == "select"
    assert mnemonic_for("multiply_add", vector=False) is None
    assert mnemonic_for("rotl", vector=True) is None
