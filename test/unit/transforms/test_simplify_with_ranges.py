"""simplify-with-ranges keeps what programs do, comes to an end, and takes linear time."""

from random import Random

import pytest

from support import differential
from support.work import growth
from vliw_mlir.analysis.costs import function_cycles
from vliw_mlir.dialects import word
from vliw_mlir.dialects.facts import kernel_function, set_target
from vliw_mlir.instrument import StatisticsTable, collecting_statistics, run_pipeline
from vliw_mlir.semantics import COMPARISONS
from vliw_mlir.source import make_context, parse_module
from vliw_mlir.target import Target
from vliw_mlir.transforms.simplify import Simplify
from vliw_mlir.transforms.simplify_with_ranges import SimplifyWithRanges
from vliw_mlir.transforms.unroll_loops import UnrollLoops

PASSES = (SimplifyWithRanges(),)


def statistics_of(module):
    with collecting_statistics(StatisticsTable()) as table:
        run_pipeline(make_context(), module, PASSES)
    return table.counters[SimplifyWithRanges.name]


@pytest.mark.parametrize("name", differential.KERNEL_NAMES)
def test_kernels(name):
    assert differential.difference(differential.kernel(name), PASSES) is None


@pytest.mark.parametrize("name", ["tree_hash_values", "bitonic_sort", "crc32_streams"])
def test_unrolled_kernels(name):
    passes = (Simplify(), UnrollLoops(max_trips=16), Simplify(), *PASSES, Simplify(), *PASSES)
    assert differential.difference(differential.kernel(name), passes) is None


@pytest.mark.parametrize("kind", differential.MAKERS)
@pytest.mark.parametrize("seed", range(6))
def test_random_programs(kind, seed):
    subject = differential.MAKERS[kind](seed)
    assert differential.difference(subject, (*PASSES, Simplify(), *PASSES)) is None


@pytest.mark.parametrize("seed", range(8))
def test_a_second_run_finds_nothing(seed):
    module = differential.native(seed).parse()
    statistics_of(module)
    run_pipeline(make_context(), module, (Simplify(),))
    statistics_of(module)
    assert statistics_of(module) == {}


def small_words(seed):
    """A random program that computes with booleans and other small words."""
    rng = Random(seed)
    type = rng.choice(("i32", "vector<8xi32>"))
    lines, values, booleans = [], [], []

    def emit(op):
        lines.append(f"%v{len(lines)} = {op}")
        return f"%v{len(lines) - 1}"

    def constant(value):
        return emit(f"word.constant {value if type == 'i32' else f'dense<{value}>'} : {type}")

    x = emit(f"word.load %x[%c0] : !word.buffer<64> -> {type}")
    for bit in range(4):
        shifted = emit(f"word.shru {x}, {constant(bit)} : {type}")
        booleans.append(emit(f"word.and {shifted}, {constant(1)} : {type}"))
    values += booleans
    for _ in range(rng.randrange(8, 30)):
        a, b = (rng.choice(values) for _ in range(2))
        c = constant(rng.choice((0, 1, 2, 3, 4, 7, -1, -2)))
        op = rng.choice(
            (
                f"word.add {a}, {b}",
                f"word.add {a}, {c}",
                f"word.sub {c}, {a}",
                f"word.sub {a}, {b}",
                f"word.mul {a}, {c}",
                f"word.shl {a}, {constant(rng.randrange(4))}",
                f"word.shru {a}, {constant(rng.randrange(3))}",
                f"word.{rng.choice(('and', 'or', 'xor'))} {a}, {rng.choice((b, c))}",
                f"word.multiply_add {a}, {constant(2)}, {b}",
                f"word.cmp {rng.choice(COMPARISONS)}, {a}, {rng.choice((b, c))}",
                f"word.select {rng.choice(booleans)}, {a}, {rng.choice((b, c))}",
                f"word.select {a}, {c}, {constant(rng.randrange(5))}",
                f"word.{rng.choice(('minu', 'maxs', 'shrs', 'mulhs'))} {a}, {b}",
            )
        )
        values.append(emit(f"{op} : {type}"))
        if " word.cmp " in lines[-1]:
            booleans.append(values[-1])
    for number, value in enumerate(rng.sample(values, min(7, len(values)))):
        lines.append(f"%at{number} = word.constant {8 * number} : i32")
        lines.append(f"word.store {value}, %x[%at{number}] : {type}, !word.buffer<64>")
    body = "\n".join(lines)
    text = f"""
        func.func @k(%x: !word.buffer<64>) attributes {{vliw.signature = (memref<64xi32>) -> ()}} {{
          %c0 = word.constant 0 : i32
          {body}
          func.return
        }}"""
    runs = [[[rng.getrandbits(32) for _ in range(64)]] for _ in range(4)]
    return differential.Subject(f"small words {seed}", text, runs)


@pytest.mark.parametrize("seed", range(20))
def test_random_small_words(seed):
    subject = small_words(seed)
    assert differential.difference(subject, (*PASSES, Simplify(), *PASSES)) is None


WALK_STEP = """
func.func @k(%x: i32 {vliw.range = array<i32: 0, 1>}) -> i32 {
  %c5 = word.constant 5 : i32
  %c9 = word.constant 9 : i32
  %y = word.select %x, %c5, %c9 : i32
  func.return %y : i32
}"""


@pytest.mark.parametrize(
    ("engines", "expected"),
    [
        # A product and a sum take two of twelve slots, a selection the only one.
        ({}, ["word.mul", "word.add"]),
        ({"alu": 1, "flow": 8}, ["word.select"]),
    ],
)
def test_the_target_decides_how_a_choice_is_made(engines, expected):
    module = parse_module(make_context(), WALK_STEP)
    set_target(module, Target.from_dict({"engines": engines}))
    run_pipeline(make_context(), module, (*PASSES, Simplify()))
    ops = [op.name for op in kernel_function(module).body.block.ops]
    assert [name for name in ops if name not in ("word.constant", "func.return")] == expected


def test_costs():
    target = Target.default()
    assert function_cycles(target, "add", vector=False) == pytest.approx(1 / 12)
    assert function_cycles(target, "add", vector=True) == pytest.approx(1 / 7.5)
    assert function_cycles(target, "multiply_add", vector=True) == pytest.approx(1 / 6)
    # Composed of an equality and an exclusive or.
    assert function_cycles(target, "ne", vector=False) == pytest.approx(2 / 12)


def straight_line(count):
    """A mask that matters and one that does not, again and again."""
    module = parse_module(make_context(), "func.func @k(%k: i32, %x: i32) { func.return }")
    block = kernel_function(module).body.block
    k, value = block.args
    for _ in range(count):
        mask = word.ConstantOp(255)
        masked = word.AndOp(value, mask.result)
        again = word.AndOp(masked, mask.result)
        value = word.AddOp(again, k).result
        block.insert_ops_before([mask, masked, again, value.owner], block.last_op)
    block.insert_op_before(word.TraceWriteOp(value), block.last_op)
    return module


def test_takes_linear_time():
    assert statistics_of(straight_line(100)) == {"num-simplified": 100}

    def prepare(count):
        module = straight_line(count)
        return lambda: run_pipeline(make_context(), module, PASSES)

    assert growth(prepare, 100) < 5
