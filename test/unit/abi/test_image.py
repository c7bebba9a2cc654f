"""The memory image, word by word, and the values that it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vliw_mlir.abi import Argument, Interface, MemoryImage, Result, SpillArea, build_image
from vliw_mlir.abi.interface import DYNAMIC_SPILL_ADDRESS, SLACK_WORDS
from vliw_mlir.errors import CompileError

SCALAR = Argument("scalar")


def memref(*shape: int | None, **fields: Any) -> Argument:
    return Argument("memref", shape=shape, **fields)


def interface(*arguments: Argument, results: tuple[Result, ...] = (), **fields: Any) -> Interface:
    return Interface("k", arguments, results, **fields)


def image(arguments: tuple[Argument, ...], *values: Any, **fields: Any) -> MemoryImage:
    return build_image(interface(*arguments, **fields), values)


# Layout


def test_header_then_data_then_slack() -> None:
    made = image((SCALAR, memref(3), SCALAR, memref(2, 2)), 7, [1, 2, 3], 8, [4, 5, 6, 7])
    assert made.memory[:11].tolist() == [7, 4, 8, 7, 1, 2, 3, 4, 5, 6, 7]
    assert made.memory[11:].tolist() == [0] * SLACK_WORDS
    assert made.memory.dtype == np.uint32
    assert made.bases == (None, 4, None, 7)
    assert made.sizes == (1, 3, 1, 4)


def test_image_of_the_public_challenge() -> None:
    """`(rounds, n_nodes, batch, height, forest, indices, values)`: seven words, then the arrays."""
    arguments = (SCALAR, SCALAR, SCALAR, SCALAR, memref(3), memref(2), memref(2))
    made = image(arguments, 16, 3, 2, 1, [10, 11, 12], [20, 21], [30, 31])
    assert made.memory[:14].tolist() == [16, 3, 2, 1, 7, 10, 12, 10, 11, 12, 20, 21, 30, 31]


def test_results_follow_the_arguments() -> None:
    results = (Result("scalar"), Result("tensor", shape=(2,)), Result("scalar"))
    made = image((SCALAR, memref(2)), 7, [1, 2], results=results)
    # Header: scalar, memref; result, area of the tensor, result. Then the arrays.
    assert made.memory[:9].tolist() == [7, 5, 0, 7, 0, 1, 2, 0, 0]
    made.memory[[2, 7, 8, 4]] = [100, 101, 102, 0xFFFFFFFF]
    first, tensor, last = made.results()
    assert (first, last) == (100, 0xFFFFFFFF)
    assert isinstance(tensor, np.ndarray)
    assert tensor.tolist() == [101, 102]


def test_tensor_arguments_lie_like_memrefs() -> None:
    made = image((Argument("tensor", shape=(2,)), memref(1)), [5, 6], [7])
    assert made.memory[:5].tolist() == [2, 4, 5, 6, 7]


def test_fixed_address_has_no_header_word() -> None:
    made = image((memref(2, address=10), SCALAR, memref(2)), [1, 2], 7, [3, 4])
    assert made.memory[:12].tolist() == [7, 2, 3, 4, 0, 0, 0, 0, 0, 0, 1, 2]
    assert len(made.memory) == 12 + SLACK_WORDS


def test_whole_memory_at_address_zero() -> None:
    made = image((memref(None, address=0),), [1, 2, 3])
    assert made.memory[:3].tolist() == [1, 2, 3]
    assert made.bases == (0,)


def test_empty_arrays() -> None:
    made = image((memref(0), memref(None, 4)), [], [])
    assert made.memory[:2].tolist() == [2, 2]
    assert [a.tolist() for a in made.outputs() if a is not None] == [[], []]


def test_array_without_dimensions() -> None:
    made = image((memref(),), [9])
    assert made.memory[:2].tolist() == [1, 9]


def test_dynamic_sizes_come_from_the_data() -> None:
    made = image((memref(None), memref(2, None)), [1, 2, 3], [4, 5])
    assert made.memory[:7].tolist() == [2, 5, 1, 2, 3, 4, 5]


def test_outputs_are_copies_and_scalars_none() -> None:
    made = image((SCALAR, memref(2)), 7, [1, 2])
    scalar, array = made.outputs()
    assert scalar is None
    assert array is not None
    array[0] = 99
    assert made.memory[2] == 1
    made.array(1)[0] = 50
    assert made.memory[2] == 50


# Spill area


def test_spill_area_lies_behind_the_slack() -> None:
    plain = interface(SCALAR, memref(3))
    assert plain.spill_address() == 5 + SLACK_WORDS
    made = build_image(plain.with_spill(10), [7, [1, 2, 3]])
    assert made.interface.spill == SpillArea(5 + SLACK_WORDS, 10)
    assert len(made.memory) == 5 + SLACK_WORDS + 10


def test_no_spill_area_without_words() -> None:
    assert interface(SCALAR).with_spill(0).spill is None


def test_spill_area_of_dynamic_data_is_far_away() -> None:
    spilling = interface(memref(None)).with_spill(4)
    assert spilling.spill == SpillArea(DYNAMIC_SPILL_ADDRESS, 4)
    assert len(build_image(spilling, [[1]]).memory) == DYNAMIC_SPILL_ADDRESS + 4


def test_data_must_not_reach_the_spill_area() -> None:
    near = interface(memref(None), spill=SpillArea(5, 4))
    build_image(near, [[1, 2, 3, 4]])
    with pytest.raises(CompileError, match="end at word 6, beyond the start of its spill area at"):
        build_image(near, [[1, 2, 3, 4, 5]])


# Values


@pytest.mark.parametrize(
    ("width", "value", "word"),
    [
        (32, -1, 0xFFFFFFFF),
        (32, -(2**31), 0x80000000),
        (32, 2**32 - 1, 2**32 - 1),
        (16, -1, 0xFFFF),
        (8, -128, 0x80),
        (8, 255, 255),
        (1, -1, 1),
        (1, True, 1),
        (32, np.uint32(5), 5),
        (32, np.int8(-2), 0xFFFFFFFE),
    ],
)
def test_value_as_word(width: int, value: Any, word: int) -> None:
    assert image((Argument("scalar", width),), value).memory[0] == word
    made = image((memref(1, width=width),), [value])
    assert made.memory[1] == word


@pytest.mark.parametrize(
    "values",
    [
        [1, 2, 3, 4],
        (1, 2, 3, 4),
        np.array([1, 2, 3, 4]),
        np.array([[1, 2], [3, 4]], np.uint32),
        np.array([[1, 3], [2, 4]], np.uint8).T,
        np.array([1, 2, 3, 4], object),
        [[1, 2], [3, 4]],
    ],
)
def test_forms_of_an_array(values: Any) -> None:
    assert image((memref(2, 2),), values).array(0).tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        (SCALAR, 2**32, "argument 0: 4294967296 does not fit in 32 bits"),
        (SCALAR, -(2**31) - 1, "argument 0: -2147483649 does not fit in 32 bits"),
        (SCALAR, 10**30, "argument 0: 1000000000000000000000000000000 does not fit in 32 bits"),
        (Argument("scalar", 8), 256, "argument 0: 256 does not fit in 8 bits"),
        (Argument("scalar", 8), -129, "argument 0: -129 does not fit in 8 bits"),
        (Argument("scalar", 1), 2, "argument 0: 2 does not fit in 1 bits"),
        (SCALAR, 1.5, "argument 0: values must be integers"),
        (SCALAR, "1", "argument 0: values must be integers"),
        (SCALAR, None, "argument 0: values must be integers"),
        (SCALAR, [1], "argument 0: expected one integer"),
        (SCALAR, [], "argument 0: expected one integer"),
        (memref(2), 1, "argument 0: expected an array"),
        (memref(2), [1, 2.5], "argument 0: values must be integers"),
        (memref(2), [1, [2]], "argument 0: values must be integers"),
        (memref(2), [1, 2**33], "argument 0: 8589934592 does not fit in 32 bits"),
        (memref(2), [1], "argument 0: expected 2 words, 1 given"),
        (memref(2, 2), [1, 2, 3], "argument 0: expected 4 words, 3 given"),
        (memref(2, 3), [[1, 2], [3, 4], [5, 6]], "argument 0: expected shape 2x3, 3x2 given"),
        (memref(None, 3), [[1, 2, 3, 4, 5, 6]], "argument 0: expected shape ?x3, 1x6 given"),
        (memref(None, 3), [1, 2, 3, 4], "argument 0: 4 words do not fill rows of 3 words"),
        (memref(None, 0), [1], "argument 0: 1 words do not fill rows of 0 words"),
    ],
)
def test_value_refused(argument: Argument, value: Any, message: str) -> None:
    with pytest.raises(CompileError) as error:
        image((argument,), value)
    assert str(error.value) == message


def test_count_of_values() -> None:
    with pytest.raises(CompileError, match="kernel 'k' takes 2 arguments, 1 given"):
        image((SCALAR, SCALAR), 1)


# Facts


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        (Argument("scalar", value=7), 8, "vliw.value = 7, the data have 8"),
        (Argument("scalar", value=0xFFFFFFFF), -2, "vliw.value = 4294967295, the data have"),
        (Argument("scalar", range=(3, 5)), 2, "vliw.range = 3..5, the data have 2"),
        (Argument("scalar", range=(3, 5)), 6, "vliw.range = 3..5, the data have 6"),
        (Argument("scalar", range=(0, 2**31)), -1, "the data have 4294967295"),
        (memref(3, range=(3, 5)), [3, 5, 9], "vliw.range = 3..5, the data have 9 at element 2"),
    ],
)
def test_fact_violated(argument: Argument, value: Any, message: str) -> None:
    with pytest.raises(CompileError) as error:
        image((argument,), value)
    assert str(error.value).startswith("argument 0: declared fact violated: ")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        (Argument("scalar", value=0xFFFFFFFF), -1),
        (Argument("scalar", range=(3, 5)), 3),
        (Argument("scalar", range=(0xFFFFFFFE, 0xFFFFFFFF)), -1),
        (Argument("scalar", 8, range=(128, 255)), -128),
        (memref(3, range=(3, 5)), [3, 5, 4]),
        (memref(0, range=(3, 5)), []),
    ],
)
def test_fact_kept(argument: Argument, value: Any) -> None:
    image((argument,), value)


# Fixed addresses


def test_fixed_address_in_the_header() -> None:
    message = "argument 1 at the fixed address 1 overlaps the header and data of the other"
    with pytest.raises(CompileError, match=message):
        image((SCALAR, memref(2, address=1), memref(1)), 1, [1, 2], [3])


def test_fixed_address_in_the_area_of_a_result() -> None:
    results = (Result("tensor", shape=(4,)),)
    with pytest.raises(CompileError, match="overlaps the header and data"):
        image((memref(2, address=4),), [1, 2], results=results)


def test_fixed_addresses_that_overlap() -> None:
    with pytest.raises(
        CompileError, match="argument 1 at the fixed address 101 overlaps argument 0"
    ):
        image((memref(2, address=100), memref(2, address=101)), [1, 2], [3, 4])


def test_fixed_addresses_side_by_side() -> None:
    made = image((memref(2, address=102), memref(2, address=100)), [1, 2], [3, 4])
    assert made.memory[100:104].tolist() == [3, 4, 1, 2]


def test_address_that_no_word_can_hold() -> None:
    with pytest.raises(
        CompileError, match="takes 4294967360 words of memory, more than 4294967296 addr"
    ):
        image((memref(2, address=2**32 - 2),), [1, 2])
