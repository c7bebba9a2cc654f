"""Iterations of loops over registers of their own."""

from __future__ import annotations

import pytest

from support.machine_loops import END, LOOP, iteration, loop_function
from vliw_mlir.schedule.loop_iteration import NotPipelinedError, Origin
from vliw_mlir.schedule.machine import Reg


def test_move_at_the_end_is_gone() -> None:
    made = loop_function(5)
    (total,) = made.registers(0)
    new = made.function.new_register()
    made.emit("^", Reg(new), Reg(total), Reg(made.counter))
    made.move(total, new)
    found = iteration(made.close(Reg(total)))
    assert [i.mnemonic for i in found.instructions] == ["^", "+", "cond_jump"]
    ((_, origin),) = (e for e in found.entries.items() if found.initial[e[1]] == total)
    assert origin == Origin(found.instructions[0].operands[0].register, 1)
    assert found.results == {total: origin._replace(distance=0)}
    assert made.minus_one in found.invariants


def test_value_that_is_handed_on_twice_is_of_two_iterations_before() -> None:
    made = loop_function(5)
    first, second = made.registers(1, 2)
    made.move(first, second)
    made.emit("+", Reg(second), Reg(second), Reg(made.counter))
    made.emit("^", Reg(second), Reg(second), Reg(first))
    found = iteration(made.close(Reg(first), Reg(second)))
    assert "|" not in [i.mnemonic for i in found.instructions]
    distances = {found.initial[origin]: origin.distance for origin in found.entries.values()}
    # What `first` holds at first is never read, so nothing is two iterations old.
    assert distances == {second: 1, made.counter: 1}
    assert found.results[first].distance == 1
    assert found.results[second].distance == 0


def test_chain_of_three() -> None:
    made = loop_function(5)
    old, older, new = made.registers(1, 2, 3)
    sum_ = made.function.new_register()
    made.emit("+", Reg(sum_), Reg(old), Reg(older))
    made.move(older, old)
    made.move(old, new)
    made.move(new, sum_)
    found = iteration(made.close(Reg(new)))
    assert [i.mnemonic for i in found.instructions] == ["+", "+", "cond_jump"]
    distances = {found.initial[origin]: origin.distance for origin in found.entries.values()}
    assert distances == {made.counter: 1, new: 1, old: 2, older: 3}


def test_exchanged_values_are_moved() -> None:
    """They go around in circles: there is nothing in the loop that computes them."""
    made = loop_function(5)
    first, second = made.registers(1, 2)
    kept = made.function.new_register()
    made.move(kept, first)
    made.move(first, second)
    made.move(second, kept)
    found = iteration(made.close(Reg(first), Reg(second)))
    moves = [i for i in found.instructions if i.mnemonic == "|"]
    assert len(moves) == 1
    assert sorted(origin.distance for origin in found.entries.values()) == [1, 1, 2]


def test_one_value_in_two_registers_that_began_differently() -> None:
    made = loop_function(5)
    first, second = made.registers(1, 2)
    made.emit("+", Reg(first), Reg(first), Reg(second))
    made.move(second, first)
    found = iteration(made.close(Reg(first), Reg(second)))
    assert [i.mnemonic for i in found.instructions].count("|") == 1
    assert len(set(found.entries.values())) == len(found.entries)


def test_invariant_that_is_handed_on_is_moved() -> None:
    """In the first iteration it is something else."""
    made = loop_function(5)
    first, invariant, sum_ = made.registers(1, 2, 0)
    made.emit("+", Reg(sum_), Reg(sum_), Reg(first))
    made.move(first, invariant)
    found = iteration(made.close(Reg(sum_)))
    assert [i.mnemonic for i in found.instructions].count("|") == 1


def test_part_of_a_register_that_lives_on() -> None:
    made = loop_function(5)
    vector = made.function.new_register(8)
    made.function.blocks[0].instructions += made.function.copy_register(vector, vector)
    made.emit("+", Reg(vector, 3), Reg(vector, 3), Reg(made.counter))
    function = made.close(Reg(vector, 3))
    with pytest.raises(NotPipelinedError, match="a part of a register"):
        iteration(function)
    assert function.blocks[LOOP].successors == (LOOP, END)
