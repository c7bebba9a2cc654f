"""The linear program over engines."""

from collections import Counter

import pytest

from vliw_mlir.analysis.resource_bound import resource_bound
from vliw_mlir.target import Target
from vliw_mlir.target.encodings import alternatives

SLOTS = Target.default().slots
LOAD = ((("load", 1),),)
STORE = ((("store", 1),),)
VECTOR_ADD = alternatives(Target.default(), "add", vector=True)


def test_no_work_takes_no_time():
    assert resource_bound(Counter(), SLOTS).cycles == 0


def test_one_engine_binds():
    bound = resource_bound(Counter({LOAD: 10, STORE: 4}), SLOTS)
    assert (bound.cycles, bound.binding) == (5.0, ("load",))
    assert bound.used["store"] == 4


def test_vector_work_is_divided_between_vector_and_scalar_slots():
    """Six vector slots, and twelve scalar slots that make one and a half vector ops."""
    bound = resource_bound(Counter({VECTOR_ADD: 750}), SLOTS)
    assert bound.cycles == pytest.approx(100)
    assert set(bound.binding) == {"alu", "valu"}
    assert (bound.used["valu"], bound.used["alu"]) == pytest.approx((600, 1200))


def test_fixed_work_takes_room_from_what_can_move():
    valu_only = ((("valu", 1),),)
    bound = resource_bound(Counter({VECTOR_ADD: 150, valu_only: 600}), SLOTS)
    assert bound.cycles == pytest.approx(100)


def test_a_multiply_add_has_no_scalar_form():
    assert alternatives(Target.default(), "multiply_add", vector=True) == ((("valu", 1),),)
    assert alternatives(Target.default(), "multiply_add", vector=False) == ()


def test_impossible_work():
    with pytest.raises(ValueError, match="no engine"):
        resource_bound(Counter({(): 1}), SLOTS)
    with pytest.raises(ValueError, match="no engine"):
        resource_bound(Counter({VECTOR_ADD: 1}), {"valu": 0, "alu": 0})


def test_prices_of_slots_tell_what_work_costs():
    """What a slot of each engine is worth: a cycle is worth one, and the work is the bound."""
    valu_only = ((("valu", 1),),)
    bound = resource_bound(Counter({VECTOR_ADD: 700, valu_only: 50, LOAD: 10}), SLOTS)
    assert sum(bound.prices[engine] * SLOTS[engine] for engine in bound.prices) == pytest.approx(1)
    assert bound.prices["valu"] == pytest.approx(8 * bound.prices["alu"])
    assert "load" not in bound.prices
    assert 750 * bound.prices["valu"] == pytest.approx(bound.cycles)


def test_engines_that_bind_equally_share_the_price():
    bound = resource_bound(Counter({LOAD: 10, STORE: 10}), SLOTS)
    assert bound.prices == {"load": 0.25, "store": 0.25}
