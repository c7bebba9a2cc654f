"""Optimizations depend on what kernels are made of, not on the details of one of them."""

import pytest

from support.optimizer import optimized, to_program
from support.tree_walks import OTHER_STAGES, TreeWalk
from vliw_mlir.abi import build_image
from vliw_mlir.dialects.facts import interface_of, kernel_function
from vliw_mlir.interp import interpret

ORDERS = ("rounds of items", "items of rounds", "values")
VARIANTS = {
    "small": {"height": 6, "batch": 64, "rounds": 9},
    "rest of items": {"height": 9, "batch": 200, "rounds": 13},
    "twice to the leaves": {"height": 6, "batch": 64, "rounds": 17},
    "other hash": {"height": 6, "batch": 64, "rounds": 9, "stages": OTHER_STAGES},
    "three children": {"height": 5, "batch": 64, "rounds": 8, "arity": 3},
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_variant_gives_what_is_expected(order, variant):
    walk = TreeWalk(order, **VARIANTS[variant])
    case = walk.case()
    module = optimized(walk.text)
    image = build_image(interface_of(kernel_function(module)), case.args)
    interpret(module, image)
    assert case.mismatches(image) == []
    assert case.mismatches(to_program(module).run(*case.args).image) == []
