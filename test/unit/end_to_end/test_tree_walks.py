"""Optimizations depend on what kernels are made of, not on the details of one of them."""

import pytest

from support.optimizer import optimized, to_program
from support.tree_walks import OTHER_STAGES, TreeWalk
from vliw_mlir.abi import build_image
from vliw_mlir.analysis.bounds import function_bound
from vliw_mlir.dialects.facts import interface_of, kernel_function
from vliw_mlir.interp import interpret

# The bound of the kernels that are shipped is 0.24 cycles for each item in each round.
WALKS = {
    "rounds outside": (TreeWalk("rounds of items", 6, 64, 9), 0.25),
    "items outside": (TreeWalk("items of rounds", 6, 64, 9), 0.25),
    "values": (TreeWalk("values", 6, 64, 9), 0.25),
    "a rest of items": (TreeWalk("rounds of items", 9, 200, 13), 0.25),
    "three stages": (TreeWalk("rounds of items", 6, 64, 9, OTHER_STAGES), 0.19),
    "three children": (TreeWalk("values", 5, 64, 8, arity=3), 0.28),
    "many rounds": (TreeWalk("values", 6, 64, 23), 0.25),
}


@pytest.mark.parametrize(("walk", "most"), WALKS.values(), ids=WALKS)
def test_walk(walk, most):
    """What it computes at both levels; the bound per item and round, in cycles."""
    case = walk.case()
    module = optimized(walk.text)
    function = kernel_function(module)
    cycles = function_bound(function).cycles
    if most is not None:
        assert cycles <= most * walk.batch * walk.rounds
    image = build_image(interface_of(function), case.args)
    interpret(module, image)
    assert case.mismatches(image) == []
    assert case.mismatches(to_program(module).run(*case.args).image) == []
