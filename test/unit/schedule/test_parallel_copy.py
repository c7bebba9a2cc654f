"""Parallel copies as moves one after the other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vliw_mlir.schedule.parallel_copy import sequentialize

FIRST_TEMPORARY = 100


def moves(copies: list[tuple[int, int]]) -> list[tuple[int, int]]:
    temporaries = iter(range(FIRST_TEMPORARY, 200))
    return list(sequentialize(copies, lambda like: next(temporaries)))


def after(sequence: list[tuple[int, int]]) -> dict[int, int]:
    """What each register holds in the end, by the register whose value it was."""
    registers = {n: n for n in range(200)}
    for to, source in sequence:
        registers[to] = registers[source]
    return registers


COPIES = st.dictionaries(st.integers(0, 9), st.integers(0, 9)).map(lambda d: list(d.items()))


@given(COPIES)
def test_all_sources_are_read_before_any_write(copies: list[tuple[int, int]]) -> None:
    registers = after(moves(copies))
    wanted = {n: n for n in range(10)} | dict(copies)
    assert {n: registers[n] for n in range(10)} == wanted


@given(COPIES)
def test_one_more_move_per_cycle_and_none_else(copies: list[tuple[int, int]]) -> None:
    source_of = {to: source for to, source in copies if to != source}
    assert len(moves(copies)) == len(source_of) + count_cycles(source_of)


def count_cycles(source_of: dict[int, int]) -> int:
    """Cycles of pure moves: in those every register is read by one move alone."""
    readers = list(source_of.values())
    cycles: set[frozenset[int]] = set()
    for start in source_of:
        seen = [start]
        while (following := source_of.get(seen[-1])) is not None and following not in seen:
            seen.append(following)
        if following == start and all(readers.count(register) == 1 for register in seen):
            cycles.add(frozenset(seen))
    return len(cycles)


def test_swap() -> None:
    assert moves([(1, 2), (2, 1)]) == [(100, 1), (1, 2), (2, 100)]


def test_temporary_is_like_what_it_holds() -> None:
    likes: list[int] = []

    def new_temporary(like: int) -> int:
        likes.append(like)
        return FIRST_TEMPORARY

    sequence = list(sequentialize([(1, 2), (2, 3), (3, 1)], new_temporary))
    assert sequence[0] == (FIRST_TEMPORARY, likes[0])
    assert likes[0] in (1, 2, 3)


def test_a_value_read_twice_needs_no_temporary() -> None:
    # 1 <-> 2, but 3 keeps a copy of 1: once 3 has it, 1 is free.
    assert len(moves([(1, 2), (2, 1), (3, 1)])) == 3


def test_nothing_to_do() -> None:
    assert moves([]) == []
    assert moves([(4, 4)]) == []
