"""Loops that count become `scf.for` with closed forms, for any bounds."""

import pytest
from xdsl.context import Context

from support.differential import KERNEL_NAMES, difference, kernel, loops, native, standard
from vliw_mlir.abi import build_image
from vliw_mlir.interp import compile_kernel
from vliw_mlir.semantics import FUNCTIONS
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.transforms.canonicalize_loops import CanonicalizeLoops
from vliw_mlir.verifier import verify

MASK = 0xFFFFFFFF


@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_kernels(name):
    assert difference(kernel(name), "canonicalize-loops") is None


@pytest.mark.parametrize("seed", range(20))
def test_random_programs(seed):
    assert difference(loops(seed), "canonicalize-loops") is None
    assert difference(native(seed), "canonicalize-loops") is None
    if seed < 8:
        assert difference(standard(seed), "canonicalize-loops") is None


def canonicalized(text):
    module = parse_module(make_context(), text, "k.mlir")
    CanonicalizeLoops().apply(Context(), module)
    verify(module)
    return module


def names(module):
    return [op.name for op in module.walk()]


def counting(predicate, step, bound=None, swapped=False):
    """A loop that goes on while its counter compares with a bound, a constant or an argument."""
    operands = "%b, %i" if swapped else "%i, %b"
    define = "" if bound is None else f"%b = word.constant {bound} : i32"
    argument = "%b" if bound is None else "%unused"
    return f"""func.func @k(%first: i32, {argument}: i32) -> (i32, i32) {{
      %step = word.constant {step} : i32
      {define}
      %last, %sum = scf.while (%i = %first, %s = %step) : (i32, i32) -> (i32, i32) {{
        %go = word.cmp {predicate}, {operands} : i32
        %t = word.test %go
        scf.condition(%t) %i, %s : i32, i32
      }} do {{
      ^bb0(%i: i32, %s: i32):
        word.trace_write %i
        %sum = word.mul %s, %i : i32
        %next = word.add %i, %step : i32
        scf.yield %next, %sum : i32, i32
      }}
      func.return %last, %sum : i32, i32
    }}"""


def counted(predicate, first, bound, step, swapped):
    """What the counter is, and what is returned; None if the loop goes on for long."""
    found, product = [], step & MASK
    while FUNCTIONS[predicate].scalar(*((bound, first) if swapped else (first, bound))):
        found.append(first)
        product = product * first & MASK
        first = (first + step) & MASK
        if len(found) > 30:
            return None
    return found, [first, product]


EDGES = [0, 1, 2, 5, 0x7FFFFFFD, 0x7FFFFFFF, 0x80000000, 0x80000001, 0x80000004, MASK - 3, MASK]


@pytest.mark.parametrize(
    ("predicate", "step", "swapped"),
    [
        *((p, s, False) for p in ("slt", "ult", "ne") for s in (1, 3) if (p, s) != ("ne", 3)),
        *((p, s, False) for p in ("sgt", "ugt", "ne") for s in (-1, -2) if (p, s) != ("ne", -2)),
        *((p, s, True) for p, s in (("sgt", 2), ("ugt", 1), ("slt", -3), ("ult", -1), ("ne", 1))),
    ],
)
def test_counting_towards_an_argument(predicate, step, swapped):
    module = canonicalized(counting(predicate, step, swapped=swapped))
    assert "scf.while" not in names(module)
    compiled = compile_kernel(module)
    for first in EDGES:
        for bound in EDGES:
            expected = counted(predicate, first, bound, step, swapped)
            if expected is None:
                continue
            image = build_image(compiled.interface, [first, bound])
            assert list(compiled.run(image, step_limit=100).trace) == expected[0]
            assert image.results() == expected[1]


@pytest.mark.parametrize(
    ("predicate", "step"), [("sle", 1), ("ule", 2), ("sge", -1), ("uge", -3), ("slt", 2)]
)
def test_counting_to_a_constant(predicate, step):
    for bound in EDGES:
        module = canonicalized(counting(predicate, step, bound))
        last = {"sle": 0x7FFFFFFF, "ule": MASK, "sge": 0x80000000, "uge": 0}.get(predicate)
        assert ("scf.while" in names(module)) == (bound == last)
        compiled = compile_kernel(module)
        for first in EDGES:
            expected = counted(predicate, first, bound, step, False)
            if expected is None:
                continue
            image = build_image(compiled.interface, [first, 0])
            assert list(compiled.run(image, step_limit=100).trace) == expected[0]
            assert image.results() == expected[1]


@pytest.mark.parametrize(
    ("predicate", "step"),
    [("slt", -1), ("ugt", 2), ("ne", 2), ("eq", 1), ("sle", 1), ("ult", 0)],
)
def test_what_need_not_end_or_does_not_count(predicate, step):
    assert "scf.while" in names(canonicalized(counting(predicate, step)))


@pytest.mark.parametrize(("low", "high", "step"), [("%n", "%m", 1), (3, 40, 4), (-5, 5, 1)])
@pytest.mark.parametrize("growth", ["%m", "4", "-8"])
def test_inductions(low, high, step, growth):
    """Both are computed from the counter: what grows by a word, and what takes its place."""
    constants = [
        f"%{name} = word.constant {value} : i32"
        for name, value in (("lo", low), ("hi", high), ("by", growth))
        if not str(value).startswith("%")
    ]
    low = low if str(low).startswith("%") else "%lo"
    high = high if str(high).startswith("%") else "%hi"
    by = growth if growth.startswith("%") else "%by"
    text = f"""func.func @k(%n: i32, %m: i32, %x: i32) -> i32 {{
      %step = word.constant {step} : i32
      {chr(10).join(constants)}
      %r = scf.for %i = {low} to {high} step %step iter_args(%v = %x) -> (i32) : i32 {{
        word.trace_write %v
        %w = word.add %v, {by} : i32
        scf.yield %w : i32
      }}
      func.return %r : i32
    }}"""
    before, after = parse_module(make_context(), text, "k.mlir"), canonicalized(text)
    (loop,) = [op for op in after.walk() if op.name == "scf.for"]
    is_carried = loop.body.block.last_op.operands[0] is not loop.body.block.args[1]
    assert is_carried == (step != 1 and growth == "%m")
    for n, m, x in ((0, 5, 7), (5, 0, 7), (MASK - 3, 4, 1 << 31), (1 << 31, (1 << 31) + 3, 9)):
        outcomes = []
        for module in (before, after):
            compiled = compile_kernel(module)
            image = build_image(compiled.interface, [n, m & MASK, x])
            outcomes.append((compiled.run(image, step_limit=200).trace, image.results()))
        assert outcomes[0] == outcomes[1]


def test_a_second_time_changes_nothing():
    for seed in range(8):
        module = native(seed).parse()
        CanonicalizeLoops().apply(Context(), module)
        once = str(module)
        CanonicalizeLoops().apply(Context(), module)
        assert str(module) == once
